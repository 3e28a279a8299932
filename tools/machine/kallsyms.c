// SPDX-License-Identifier: GPL-2.0
/* Functions and variables in /proc/kallsyms: "ADDRESS TYPE NAME", and "\t[MODULE]" if it is in one. */

#include <errno.h>
#include <stdlib.h>

#include "machine.h"

/* Offsets in a line. */
#define LINE_TYPE	17
#define LINE_NAME	19

/* Read all of it, behind a newline.  Returns NULL and sets errno on an error. */
static char *read_all(FILE *f)
{
	size_t size = 1 << 20, len = 1, n;
	char *text = malloc(size + 1), *more;

	if (!text)
		return NULL;
	text[0] = '\n';
	while ((n = fread(text + len, 1, size - len, f))) {
		len += n;
		if (len < size)
			continue;
		size *= 2;
		more = realloc(text, size + 1);
		if (!more) {
			free(text);
			return NULL;
		}
		text = more;
	}
	text[len] = 0;
	return text;
}

/* The file, behind a newline, and as it was at the first call; NULL and errno on an error. */
static const char *get_text(void)
{
	static char *text;
	FILE *f;

	if (text)
		return text;
	f = fopen(root_path("/proc/kallsyms"), "re");
	if (!f)
		return NULL;
	text = read_all(f);
	fclose(f);
	return text;
}

/* Split a line; false if it is none of a symbol. */
static bool split_line(const char *line, struct symbol_line *l)
{
	char *end;

	l->address = strtoull(line, &end, 16);
	if (end != line + LINE_TYPE - 1 || !line[LINE_TYPE] || line[LINE_TYPE + 1] != ' ')
		return false;
	l->is_function = strchr("tTwW", line[LINE_TYPE]);
	l->name = line + LINE_NAME;
	l->len = strcspn(l->name, "\t\n");
	l->module = l->name + l->len;
	l->module_len = 0;
	if (l->module[0] == '\t' && l->module[1] == '[') {
		l->module += 2;
		l->module_len = strcspn(l->module, "]\n");
	}
	return true;
}

/* Parse a line; false if it is no function, or no variable. */
static bool parse_line(const char *line, bool function, struct symbol *s)
{
	struct symbol_line l;

	if (!split_line(line, &l) || l.is_function != function)
		return false;
	s->address = l.address;
	scnprintf(s->name, sizeof(s->name), "%.*s", (int)l.len, l.name);
	scnprintf(s->module, sizeof(s->module), "%.*s", (int)l.module_len, l.module);
	return true;
}

/**
 * symbol_is_label() - is it a label of a compiler or an assembler?
 * @name: name of the symbol, not terminated
 * @len: its length
 */
bool symbol_is_label(const char *name, size_t len)
{
	return !len || *name == '$' || (len > 1 && !memcmp(name, ".L", 2));
}

/**
 * symbols_next() - go through all symbols
 * @at: where the search goes on; NULL at first
 * @l: result
 *
 * Return: false at the end, or if the file cannot be read.
 */
bool symbols_next(const char **at, struct symbol_line *l)
{
	bool found = false;

	if (!*at)
		*at = get_text();
	while (*at && !found) {
		*at = strchr(*at, '\n');
		found = *at && split_line(++*at, l);
	}
	return found;
}

/* Does the list have this symbol?  Aliases have its address, too. */
static bool is_known(const struct symbol *list, u32 nr, const struct symbol *s)
{
	while (nr--)
		if (s->address && list[nr].address == s->address)
			return true;
	return false;
}

/* Find @name in @module ("": in the kernel itself; NULL: in any). */
static u32 find_name(const char *text, const char *module, const char *name, bool function,
		     struct symbol *list, u32 most)
{
	size_t n = strlen(name);
	const char *at, *line;
	struct symbol s;
	u32 nr = 0;

	for (at = text; (at = strstr(at, name)); at += n) {
		if (at - text <= LINE_NAME || (at[n] != '\n' && at[n] != '\t'))
			continue;
		line = at - LINE_NAME;
		if (line[-1] != '\n' || !parse_line(line, function, &s))
			continue;
		if ((module && strcmp(module, s.module)) || is_known(list, min(nr, most), &s))
			continue;
		if (nr < most)
			list[nr] = s;
		nr++;
	}
	return nr;
}

/**
 * symbols_by_name() - find functions or variables by their name
 * @module: that has them; NULL: the kernel itself, or modules if it has none
 * @name: the name, not empty
 * @function: functions, not variables
 * @list: result
 * @most: room in @list
 *
 * Return: how many there are, also beyond @most; -1 and errno if the file cannot be read.
 */
int symbols_by_name(const char *module, const char *name, bool function, struct symbol *list,
		    u32 most)
{
	const char *text = get_text();
	u32 nr;

	if (!text)
		return -1;
	nr = find_name(text, module ?: "", name, function, list, most);
	return nr || module ? nr : find_name(text, NULL, name, function, list, most);
}

/**
 * symbols_by_address() - find the names of a function
 * @address: of its first instruction
 * @list: result
 * @most: room in @list
 *
 * Return: how many there are, at most @most; -1 and errno if the file cannot be read.
 */
int symbols_by_address(u64 address, struct symbol *list, u32 most)
{
	const char *text = get_text(), *at;
	char start[20];
	u32 nr = 0;

	if (!text)
		return -1;
	scnprintf(start, sizeof(start), "\n%016llx ", address);
	for (at = text; nr < most && (at = strstr(at, start)); at++)
		nr += parse_line(at + 1, true, &list[nr]);
	return nr;
}

/**
 * symbol_extent() - find how far it is from a symbol to the next one
 * @address: of the symbol
 *
 * Return: bytes; 0 if none follows, or if the kernel hides addresses.
 */
u64 symbol_extent(u64 address)
{
	struct symbol_line l;
	const char *at = NULL;
	u64 next = 0;

	while (address && symbols_next(&at, &l))
		if (l.address > address && (!next || l.address < next))
			next = l.address;
	return next ? next - address : 0;
}
