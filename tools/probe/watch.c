// SPDX-License-Identifier: GPL-2.0
/*
 * The place of a watchpoint, as the user writes it:
 *
 *	[MODULE:]VARIABLE[+OFFSET][:LENGTH]
 *	ADDRESS[:LENGTH]
 *	(TYPE)[MODULE:]VARIABLE[.MEMBER | [N]]...[:LENGTH]
 *	(TYPE)ADDRESS[.MEMBER | [N]]...[:LENGTH]
 *
 * TYPE is "struct NAME", "union NAME" or the name of another type.  BTF has the types, but no
 * variables, so the user names it.
 */

#include <errno.h>

#include "../../lib/base/words.h"
#include "probe.h"

/* ---- Parse ------------------------------------------------------------ */

static void copy_name(char *to, size_t most, const char *from, u32 n)
{
	scnprintf(to, most, "%.*s", (int)n, from);
}

/* The name of a variable: the compiler adds numbers, such as ".0". */
static u32 name_length(const char *at)
{
	u32 n = 0;

	while (words_is_name(at[n]) || (n && at[n] == '.' && words_digit(at[n + 1]) < 10))
		n++;
	return n;
}

/* Take "(TYPE)". */
static bool take_type(struct place *p, const char *text, u32 *at, struct refusal *r)
{
	u32 n;

	if (text[*at] != '(')
		return true;
	++*at;
	n = strcspn(text + *at, ")");
	if (!text[*at + n])
		return refuse(r, *at + n, "expected )");
	copy_name(p->type, sizeof(p->type), text + *at, n);
	*at += n + 1;
	return *p->type || refuse(r, *at - 1, "expected a type between ( and )");
}

/* Take "[MODULE:]VARIABLE". */
static bool take_name(struct place *p, const char *text, u32 *at, struct refusal *r)
{
	u32 n = name_length(text + *at);

	if (text[*at + n] == ':' && words_digit(text[*at + n + 1]) > 9) {
		copy_name(p->module, sizeof(p->module), text + *at, n);
		*at += n + 1;
		n = name_length(text + *at);
	}
	if (!n)
		return refuse(r, *at, "expected the name of a variable");
	copy_name(p->symbol, sizeof(p->symbol), text + *at, n);
	*at += n;
	return true;
}

static bool take_number(const char *text, u32 *at, const char *ends, u64 *value,
			struct refusal *r)
{
	struct jtrace_refusal refusal;
	struct words w = { text, text + *at, &refusal };

	if (!words_number(&w, ends, value))
		return refuse(r, refusal.at, "%s", refusal.why);
	*at = w.at - text;
	return true;
}

static bool is_length(u64 bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static bool take_length(struct place *p, const char *text, u32 *at, struct refusal *r)
{
	u64 length = 0;
	u32 from;

	if (text[*at] != ':')
		return true;
	from = ++*at;
	if (!take_number(text, at, " \t", &length, r))
		return false;
	p->length = is_length(length) ? length : 0;
	return p->length || refuse(r, from, "a watchpoint has 1, 2, 4 or 8 bytes");
}

static bool parse(struct place *p, const char *text, struct path *path, struct refusal *r)
{
	u32 at = p->at;

	if (!take_type(p, text, &at, r))
		return false;
	path->from = at;
	if (words_digit(text[at]) < 10) {
		if (!take_number(text, &at, " \t:.[", &p->address, r))
			return false;
	} else if (!take_name(p, text, &at, r)) {
		return false;
	}
	path->to = at;
	if (*p->type && !path_members(text, &path->to, r))
		return false;
	path->members = at;
	at = path->to;
	if (!*p->type && text[at] == '+') {
		at++;
		if (!take_number(text, &at, " \t:", &p->offset, r))
			return false;
	}
	if (!take_length(p, text, &at, r))
		return false;
	p->end = at;
	if (text[at] == '.' || text[at] == '[')
		return refuse(r, at, "a member needs a type: (struct NAME)VARIABLE.MEMBER");
	return !text[at] || words_is_space(text[at]) || refuse(r, at, "expected a blank");
}

/* ---- Find ------------------------------------------------------------- */

/**
 * struct variable - where a variable is
 * @address: 0 if the kernel hides addresses
 * @size: bytes up to the next one, or of itself
 */
struct variable {
	u64 address;
	u64 size;
};

/* Not all kernels list variables: the file of the module does. */
static bool find_in_file(struct place *p, struct variable *v, struct refusal *r)
{
	if (*p->module && ko_variable(p->module, module_file, p->symbol, &v->address, &v->size)) {
		p->address = v->address;
		*p->symbol = 0;
		return true;
	}
	return refuse(r, p->at, *p->module ? "%s has no variable %s, or is not loaded" :
		      "%s%s: there is no such variable; of a module, write MODULE:NAME", p->module,
		      p->symbol);
}

static bool find_variable(struct place *p, struct variable *v, struct refusal *r)
{
	static struct symbol list[PLACE_MOST_SHOWN];
	int nr;

	if (!*p->symbol) {
		*v = (struct variable) { p->address, 8 };
		return true;
	}
	nr = symbols_by_name(*p->module ? p->module : NULL, p->symbol, false, list,
			     PLACE_MOST_SHOWN);
	if (nr < 0)
		return refuse(r, p->at, "%s: %s", root_path("/proc/kallsyms"), strerror(errno));
	if (!nr)
		return find_in_file(p, v, r);
	if (!list[0].address && !p->length && !*p->type)
		return refuse(r, p->at, "%s hides where %s is (root sees it, if kernel.kptr_restrict is not 2): add :1, :2, :4 or :8",
			      root_path("/proc/kallsyms"), p->symbol);
	if (nr > 1 && list[0].address)
		return place_refuse_ambiguous(p, "variables", list, nr, r);
	scnprintf(p->module, sizeof(p->module), "%s", list[0].module);
	*v = (struct variable) { list[0].address, symbol_extent(list[0].address) };
	return true;
}

/*
 * How many bytes to watch, if neither the text nor a type tells: as many as there may be of the
 * variable, so that no other one is watched, too.
 */
static void pick_length(struct place *p, const struct variable *v)
{
	const u64 left = v->size > p->offset ? v->size - p->offset : 1;

	for (p->length = 8; p->length > left || (v->address + p->offset) % p->length; )
		p->length /= 2;
}

static bool take_member(struct place *p, const struct path *path, struct refusal *r)
{
	u64 size;

	if (!path_place(path, p, &p->offset, &size, r))
		return false;
	if (p->length)
		return true;
	p->length = is_length(size) ? size : 0;
	return p->length ||
	       refuse(r, path->from, "%.*s has %llu bytes: name a member, or add :1, :2, :4 or :8",
		      (int)(path->to - path->from), path->text + path->from, size);
}

/**
 * watch_resolve() - find what a watchpoint watches
 * @p: result, of place_parse()
 * @text: the definition
 * @r: filled on an error
 *
 * Return: false on an error.
 */
bool watch_resolve(struct place *p, const char *text, struct refusal *r)
{
	struct path path = { .text = text };
	struct variable v = { 0 };

	if (!parse(p, text, &path, r) || !find_variable(p, &v, r))
		return false;
	if (*p->type) {
		if (!take_member(p, &path, r))
			return false;
	} else if (!p->length && v.address && v.size) {
		pick_length(p, &v);
	}
	/* An address has no offset. */
	if (!*p->symbol) {
		p->address += p->offset;
		p->offset = 0;
	}
	return true;
}
