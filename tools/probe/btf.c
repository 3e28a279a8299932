// SPDX-License-Identifier: GPL-2.0
/* Types of the running kernel and its modules, from BTF by libbpf. */

#ifdef JTRACE_LIBBPF

#include <errno.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#include "btf.h"

/* Most typedefs and qualifiers of a type, and most anonymous structs around a member. */
#define MOST_NESTED	32

/**
 * btf_name() - a name that can be printed
 * @btf: that has it
 * @offset: of its string
 *
 * Return: the name, or "" if there is none.
 */
const char *btf_name(const struct btf *btf, u32 offset)
{
	const char *name = btf__name_by_offset(btf, offset) ?: "", *c;

	for (c = name; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			return "(not a name)";
	return name;
}

/**
 * btf_plain() - leave out typedefs and qualifiers
 * @btf: that has the type
 * @id: of the type; on return of the plain one
 *
 * Return: the type, or NULL for void and for damaged BTF.
 */
const struct btf_type *btf_plain(const struct btf *btf, u32 *id)
{
	const struct btf_type *t;
	u32 i;

	for (i = 0; i < MOST_NESTED; i++) {
		t = *id ? btf__type_by_id(btf, *id) : NULL;
		if (!t || !(btf_is_mod(t) || btf_is_typedef(t)))
			return t;
		*id = t->type;
	}
	return NULL;
}

/**
 * btf_complete() - the same as btf_plain(), and find the members of a struct that is only declared
 * @btf: that has the type
 * @id: of the type; on return of the one with members, if there is one
 *
 * Return: the type, or NULL for void and for damaged BTF.
 */
const struct btf_type *btf_complete(const struct btf *btf, u32 *id)
{
	const struct btf_type *t = btf_plain(btf, id);
	s32 found;

	if (!t || !btf_is_fwd(t))
		return t;
	found = btf__find_by_name_kind(btf, btf_name(btf, t->name_off),
				       btf_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT);
	if (found <= 0)
		return t;
	*id = found;
	return btf__type_by_id(btf, found);
}

/**
 * btf_is_char() - is it a character of text?
 * @btf: that has the type
 * @id: of the type
 */
bool btf_is_char(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_plain(btf, &id);

	return t && btf_is_int(t) && t->size == 1 && !strcmp(btf_name(btf, t->name_off), "char");
}

/* ---- Members ---------------------------------------------------------- */

static bool find_member(const struct btf *btf, u32 id, const char *name, u32 n, struct member *m,
			u32 depth)
{
	const struct btf_type *t = btf_complete(btf, &id);
	const struct btf_member *member;
	const char *text;
	u32 i;

	if (!t || !btf_is_composite(t) || depth > MOST_NESTED)
		return false;
	for (i = 0, member = btf_members(t); i < btf_vlen(t); i++, member++) {
		u64 at = btf_member_bit_offset(t, i);

		text = btf_name(btf, member->name_off);
		if (*text && strlen(text) == n && !memcmp(text, name, n)) {
			*m = (struct member) { member->type, at, btf_member_bitfield_size(t, i) };
			return true;
		}
		if (!*text && find_member(btf, member->type, name, n, m, depth + 1)) {
			m->at += at;
			return true;
		}
	}
	return false;
}

/**
 * btf_member_find() - find a member, also in structs without a name
 * @btf: that has the type
 * @id: of the struct or union
 * @name: of the member, not terminated
 * @n: its length
 * @m: result
 */
bool btf_member_find(const struct btf *btf, u32 id, const char *name, u32 n, struct member *m)
{
	return find_member(btf, id, name, n, m, 0);
}

/* Add the names of members that begin with these @n bytes; up to @most in all. */
static void put_members(const struct btf *btf, u32 id, const char *name, u32 n, struct pen *pen,
			u32 *most, u32 depth)
{
	const struct btf_type *t = btf_complete(btf, &id);
	const struct btf_member *member;
	const char *text;
	u32 i;

	if (!t || !btf_is_composite(t) || depth > MOST_NESTED)
		return;
	for (i = 0, member = btf_members(t); i < btf_vlen(t) && *most; i++, member++) {
		text = btf_name(btf, member->name_off);
		if (!*text) {
			put_members(btf, member->type, name, n, pen, most, depth + 1);
		} else if (!strncmp(text, name, n)) {
			pen_format(pen, ", %s", text);
			--*most;
		}
	}
}

/**
 * btf_members_text() - write ", MEMBER" for up to 8 members whose names begin most like another
 * @btf: that has the type
 * @id: of the struct or union
 * @name: the other name, not terminated
 * @n: its length
 * @pen: where to
 */
void btf_members_text(const struct btf *btf, u32 id, const char *name, u32 n, struct pen *pen)
{
	const char *from = pen->at;
	u32 most = 8;

	for (; pen->at == from; n--) {
		put_members(btf, id, name, n, pen, &most, 0);
		if (!n)
			break;
	}
}

/* ---- Types as text ---------------------------------------------------- */

/* Write what libbpf prints into the pen, on one line. */
static void __printf(2, 0) put_printed(void *pen, const char *fmt, va_list args)
{
	char text[512], *c;

	vsnprintf(text, sizeof(text), fmt, args);
	for (c = text; *c; c++)
		pen_char(pen, *c < 0x20 || *c > 0x7e ? ' ' : *c);
}

/**
 * btf_type_text() - write a type as C
 * @btf: that has the type
 * @id: of the type
 * @to: buffer for the text, which ends with NUL
 * @size: bytes, not 0
 */
void btf_type_text(const struct btf *btf, u32 id, char *to, size_t size)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = "");
	struct pen pen = { to, to + size - 1 };
	struct btf_dump *dump = btf_dump__new(btf, put_printed, &pen, NULL);

	if (libbpf_get_error(dump) || btf_dump__emit_type_decl(dump, id, &opts))
		pen_text(&pen, "(not a type)");
	while (pen.at > to && pen.at[-1] == ' ')
		pen.at--;
	*pen.at = 0;
	if (!libbpf_get_error(dump))
		btf_dump__free(dump);
}

/* ---- Files ------------------------------------------------------------ */

/* Parse a file below /sys/kernel/btf; @base is NULL for the kernel itself. */
static struct btf *parse(const char *module, struct btf *base, struct refusal *r)
{
	char path[MODULE_SIZE + 32];
	struct btf *btf;
	int err;

	scnprintf(path, sizeof(path), "/sys/kernel/btf/%s", module);
	libbpf_set_print(NULL);
	btf = base ? btf__parse_split(root_path(path), base) : btf__parse(root_path(path), NULL);
	err = libbpf_get_error(btf);
	if (!err)
		return btf;
	refuse(r, 0, "%s: %s: names need BTF: use $arg1, $arg2, ...", root_path(path),
	       strerror(-err));
	return NULL;
}

/**
 * struct loaded - BTF that was read, until the end of the program
 * @module: that has it
 * @btf: types of the kernel, and those of the module
 */
struct loaded {
	char module[MODULE_SIZE];
	struct btf *btf;
};

/**
 * btf_get() - get the types of a module
 * @module: its name; "" for the kernel itself
 * @r: filled on an error, but for the position
 *
 * Return: the types, until the end of the program; NULL on an error.
 */
struct btf *btf_get(const char *module, struct refusal *r)
{
	static struct btf *kernel;
	static struct loaded *loaded;
	static size_t nr;
	struct btf *btf;
	size_t i;

	if (!kernel)
		kernel = parse("vmlinux", NULL, r);
	if (!kernel || !*module)
		return kernel;
	for (i = 0; i < nr; i++)
		if (!strcmp(loaded[i].module, module))
			return loaded[i].btf;
	btf = parse(module, kernel, r);
	if (!btf)
		return NULL;
	loaded = array_grow(loaded, nr, sizeof(*loaded));
	if (!loaded) {
		nr = 0;
		btf__free(btf);
		refuse(r, 0, "no memory");
		return NULL;
	}
	scnprintf(loaded[nr].module, sizeof(loaded[nr].module), "%s", module);
	loaded[nr++].btf = btf;
	return btf;
}

/* ---- Prototypes ------------------------------------------------------- */

/* Find the functions of this name; those of a module are not in @base. */
static u32 find_function(const struct btf *btf, const struct btf *base, const char *name, u32 *id)
{
	const struct btf_type *t;
	u32 i, nr = 0;

	for (i = base ? btf__type_cnt(base) : 1; i < btf__type_cnt(btf); i++) {
		t = btf__type_by_id(btf, i);
		if (!t || !btf_is_func(t) || strcmp(btf_name(btf, t->name_off), name))
			continue;
		nr += !nr || *id != t->type;
		*id = t->type;
	}
	return nr;
}

/* A variable argument has neither name nor type. */
static bool is_variable(const struct btf_param *p)
{
	return !p->name_off && !p->type;
}

/**
 * prototype_find() - find arguments and return type of a function or tracepoint
 * @p: result
 * @module: that has it; "" for the kernel itself
 * @name: its name
 * @tracepoint: it is a tracepoint
 * @r: filled on an error, but for the position
 *
 * Return: false on an error.
 */
bool prototype_find(struct prototype *p, const char *module, const char *name, bool tracepoint,
		    struct refusal *r)
{
	const struct btf *btf = btf_get(module, r);
	char function[SYMBOL_SIZE + 16];
	const struct btf_type *t;
	u32 nr;

	if (!btf)
		return false;
	/* Calls the probes of the tracepoint: its first parameter is their data. */
	scnprintf(function, sizeof(function), "%s%s", tracepoint ? "__traceiter_" : "", name);
	*p = (struct prototype) {
		.btf = btf, .first = tracepoint,
		.most = tracepoint ? machine_contexts()->tracepoint.nr_args :
				     machine_contexts()->entry.nr_args,
	};
	nr = find_function(btf, *module ? btf_get("", r) : NULL, function, &p->id);
	if (!nr)
		return refuse(r, 0, "BTF has no arguments for %s: use $arg1, $arg2, ...",
			      name);
	if (nr > 1)
		return refuse(r, 0, "BTF has %u functions %s: use $arg1, $arg2, ...", nr, name);
	t = btf__type_by_id(btf, p->id);
	if (!t || !btf_is_func_proto(t) || btf_vlen(t) < p->first)
		return refuse(r, 0, "BTF of %s is damaged", name);
	p->nr = btf_vlen(t) - p->first;
	if (p->nr && is_variable(prototype_param(p, p->nr - 1)))
		p->nr--;
	return true;
}

/**
 * prototype_param() - get an argument
 * @p: the function or tracepoint
 * @nr: index of the argument, from 0
 */
const struct btf_param *prototype_param(const struct prototype *p, u32 nr)
{
	return btf_params(btf__type_by_id(p->btf, p->id)) + p->first + nr;
}

/* Does it take exactly one register? */
static bool takes_register(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_plain(btf, &id);

	return t && (btf_is_ptr(t) || ((btf_is_int(t) || btf_is_any_enum(t)) && t->size <= 8));
}

/**
 * prototype_can_fetch() - can a probe fetch an argument?
 * @p: the function or tracepoint
 * @nr: index of the argument, from 0
 * @why: result, if not
 */
bool prototype_can_fetch(const struct prototype *p, u32 nr, const char **why)
{
	u32 i;

	for (i = 0; i <= nr; i++) {
		*why = i == nr ? "it is a struct or another large type, passed by value" :
		       "one before it is a struct or another large type, passed by value";
		if (!takes_register(p->btf, prototype_param(p, i)->type))
			return false;
	}
	*why = p->first ? "a probe sees 12 arguments of a tracepoint" :
	       "it is passed on the stack, not in a register";
	return nr < p->most;
}

/**
 * prototype_print() - print arguments and return type: a line each
 * @p: the function or tracepoint
 * @tracepoint: it is a tracepoint
 */
void prototype_print(const struct prototype *p, bool tracepoint)
{
	const struct btf_type *t = btf__type_by_id(p->btf, p->id);
	char text[512];
	const char *why, *name;
	u32 i;

	for (i = 0; i < p->nr; i++) {
		name = btf_name(p->btf, prototype_param(p, i)->name_off);
		btf_type_text(p->btf, prototype_param(p, i)->type, text, sizeof(text));
		if (*name)
			printf("%s: %s", name, text);
		else
			printf("$arg%u: %s", i + 1, text);
		if (!prototype_can_fetch(p, i, &why))
			printf("  # cannot be fetched: %s", why);
		putchar('\n');
	}
	if (tracepoint)
		return;
	btf_type_text(p->btf, t->type, text, sizeof(text));
	printf("$retval: %s\n", text);
}

#endif /* JTRACE_LIBBPF */
