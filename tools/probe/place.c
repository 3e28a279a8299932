// SPDX-License-Identifier: GPL-2.0
/* The place of a probe: which function it is, and what its arguments are. */

#include <errno.h>
#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "../../lib/base/words.h"
#include "probe.h"

/* Copy up to @most - 1 bytes of @from, which ends before @end. */
static void copy_name(char *to, size_t most, const char *from, const char *end)
{
	scnprintf(to, most, "%.*s", (int)(end - from), from);
}

/* --module: the file that has lines; NULL to look for that of the module. */
const char *module_file;

/* Parse FILE:LINE; false if it is not that. */
static bool parse_line(struct place *p, const char *word, const char *end)
{
	const char *colon = memchr(word, ':', end - word);
	char *stop;

	if (!colon || words_digit(colon[1]) > 9 || end - colon > 10)
		return false;
	p->line = strtoul(colon + 1, &stop, 10);
	if (stop != end || !p->line) {
		p->line = 0;
		return false;
	}
	copy_name(p->file, sizeof(p->file), word, colon);
	return true;
}

/**
 * place_parse() - parse the first two words of a definition, if the place is MODULE:FILE:LINE
 * @p: result; only its position and @p->source if it is another place
 * @text: the definition
 */
void place_parse(struct place *p, const char *text)
{
	const char *word = text + strcspn(text, " \t"), *end, *colon;

	word += strspn(word, " \t");
	end = word + strcspn(word, " \t");
	*p = (struct place) { .source = *text, .at = word - text, .end = end - text };
	if (p->source == JTRACE_PROBE_WATCHPOINT)
		return;
	colon = memchr(word, ':', end - word);
	if (colon && parse_line(p, colon + 1, end))
		copy_name(p->module, sizeof(p->module), word, colon);
}

/**
 * place_take() - take the place that the module's parser has found
 * @p: result; its position stays
 * @d: the definition, as far as it is parsed
 */
void place_take(struct place *p, const struct jtrace_probe_definition *d)
{
	p->source = d->source;
	p->offset = d->offset;
	p->address = d->address;
	scnprintf(p->module, sizeof(p->module), "%s", d->module);
	scnprintf(p->symbol, sizeof(p->symbol), "%s", d->symbol);
}

/**
 * place_resolve() - find the function of a line
 * @p: the place
 * @r: filled on an error
 *
 * Return: false on an error.
 */
bool place_resolve(struct place *p, struct refusal *r)
{
	if (!p->line)
		return true;
	if (p->source != JTRACE_PROBE_INSTRUCTION)
		return refuse(r, p->at, "only p takes a line");
	return line_find(p, module_file, r);
}

/* The module that the text names, or NULL. */
static const char *module_of(const struct place *p)
{
	return *p->module ? p->module : NULL;
}

/**
 * place_refuse_ambiguous() - refuse a name that several symbols have
 * @p: the place
 * @what: functions or variables
 * @list: the symbols, at most %PLACE_MOST_SHOWN
 * @nr: how many there are
 * @r: filled
 *
 * Return: false.
 */
bool place_refuse_ambiguous(const struct place *p, const char *what, const struct symbol *list,
			    u32 nr, struct refusal *r)
{
	char text[PLACE_MOST_SHOWN * (MODULE_SIZE + 24)];
	struct pen pen = { text, text + sizeof(text) - 1 };
	u32 i;

	for (i = 0; i < nr && i < PLACE_MOST_SHOWN; i++)
		pen_format(&pen, *list[i].module ? " 0x%llx[%s]" : " 0x%llx", list[i].address,
			   list[i].module);
	pen_text(&pen, i < nr ? " ..." : "");
	*pen.at = 0;
	return refuse(r, p->at, "%u %s have the name %s:%s; name one by its address", nr,
		      what, p->symbol, text);
}

/**
 * place_check() - refuse a function whose name is not unique
 * @p: the place
 * @r: filled if it is refused
 *
 * The module cannot see that, and would take any of them.
 */
bool place_check(const struct place *p, struct refusal *r)
{
	static struct symbol list[PLACE_MOST_SHOWN];
	int nr;

	/* watch_resolve() has found the one of a watchpoint.  Functions may be several. */
	if (p->source == JTRACE_PROBE_TRACEPOINT || p->source == JTRACE_PROBE_WATCHPOINT ||
	    p->source == JTRACE_PROBE_FUNCTION || !*p->symbol)
		return true;
	nr = symbols_by_name(module_of(p), p->symbol, true, list, PLACE_MOST_SHOWN);
	if (nr < 0)
		fail("warning: %s: %s: cannot check that %s is one function",
		     root_path("/proc/kallsyms"), strerror(errno), p->symbol);
	if (nr <= 1)
		return true;
	if (list[0].address)
		return place_refuse_ambiguous(p, "functions", list, nr, r);
	fail("warning: %d functions have the name %s, and %s hides their addresses (root sees them, if kernel.kptr_restrict is not 2): not checked",
	     nr, p->symbol, root_path("/proc/kallsyms"));
	return true;
}

/* The function at an address: the first of its names that BTF has. */
static bool find_address(const struct place *p, struct prototype *proto, struct refusal *r)
{
	static struct symbol list[PLACE_MOST_SHOWN];
	int nr = symbols_by_address(p->address, list, PLACE_MOST_SHOWN), i;

	if (nr < 0)
		return refuse(r, p->at, "%s: %s", root_path("/proc/kallsyms"), strerror(errno));
	if (!nr)
		return refuse(r, p->at, "no function begins at 0x%llx, so there are no arguments",
			      p->address);
	for (i = 0; i < nr; i++)
		if (prototype_find(proto, list[i].module, list[i].name, false, r))
			return true;
	r->at = p->at;
	return false;
}

/* Find the function.  Of a tracepoint: the one that calls its probes, which is in its module. */
static int find_symbol(const struct place *p, bool tracepoint, struct symbol *found)
{
	char name[SYMBOL_SIZE + 16];

	scnprintf(name, sizeof(name), "%s%s", tracepoint ? "__traceiter_" : "", p->symbol);
	return *p->symbol ? symbols_by_name(module_of(p), name, true, found, 1) : 0;
}

static bool find_named(const struct place *p, bool tracepoint, struct prototype *proto,
		       struct refusal *r)
{
	static struct symbol found;
	int nr = find_symbol(p, tracepoint, &found);
	const char *module = nr > 0 ? found.module : p->module;

	if (!nr && *module)
		return refuse(r, p->at, "%s has no %s %s: load the module first", module,
			      tracepoint ? "tracepoint" : "function", p->symbol);
	if (!nr)
		return refuse(r, p->at, "there is no %s %s",
			      tracepoint ? "tracepoint" : "function", p->symbol);
	if (prototype_find(proto, module, p->symbol, tracepoint, r))
		return true;
	r->at = p->at;
	return false;
}

/**
 * place_prototype() - find arguments and return type
 * @p: the place
 * @proto: result
 * @r: filled on an error
 *
 * Return: false if they are not known.
 */
bool place_prototype(const struct place *p, struct prototype *proto, struct refusal *r)
{
	if (p->source == JTRACE_PROBE_FUNCTION && p->symbol[strcspn(p->symbol, "*?[")])
		return refuse(r, p->at, "several functions have no common names for their arguments: say $arg1 and so on");
	if (!*p->symbol && p->source != JTRACE_PROBE_TRACEPOINT)
		return find_address(p, proto, r);
	return find_named(p, p->source == JTRACE_PROBE_TRACEPOINT, proto, r);
}

/* The place that a text names: [MODULE:]SYMBOL or ADDRESS, as the module takes it. */
static bool parse_place(struct place *p, const char *text, bool tracepoint, struct refusal *r)
{
	struct jtrace_probe_definition d;
	struct jtrace_refusal refusal;
	char line[512];

	*p = (struct place) { .source = tracepoint ? 't' : 'p' };
	if (text[strcspn(text, " \t")])
		return refuse(r, 0, "expected one word");
	scnprintf(line, sizeof(line), "%c:x %s", tracepoint ? 't' : 'p', text);
	if (!jtrace_probe_parse(&d, machine_contexts(), line, &refusal))
		return refuse(r, refusal.at - strlen("p:x "), "%s", refusal.why);
	place_take(p, &d);
	return true;
}

/**
 * place_print() - print arguments and return type
 * @text: [MODULE:]FUNCTION, ADDRESS, or [MODULE:]TRACEPOINT; "t:" before it asks for a tracepoint
 * @r: filled on an error, but for the position
 *
 * Return: false if they are not known.
 */
bool place_print(const char *text, struct refusal *r)
{
	static struct symbol found;
	bool tracepoint = !strncmp(text, "t:", 2);
	struct prototype proto;
	struct place p;

	if (!parse_place(&p, text + 2 * tracepoint, tracepoint, r))
		return false;
	if (!tracepoint && *p.symbol && !find_symbol(&p, false, &found)) {
		tracepoint = find_symbol(&p, true, &found);
		if (!tracepoint)
			return refuse(r, 0, "there is no function or tracepoint %s", p.symbol);
	}
	p.source = tracepoint ? JTRACE_PROBE_TRACEPOINT : JTRACE_PROBE_INSTRUCTION;
	if (!place_check(&p, r) || !place_prototype(&p, &proto, r))
		return false;
	prototype_print(&proto, tracepoint);
	return true;
}
