// SPDX-License-Identifier: GPL-2.0
/* Give the module a definition, or print what the module would get. */

#include <stdlib.h>

#include "../../lib/base/words.h"
#include "../live/live.h"
#include "probe.h"

/* --print: write to standard output, not to the module. */
bool print_only;

/* The text before a comment, without blanks around it; NULL without memory. */
static char *trim(const char *line)
{
	const char *end;

	line += strspn(line, " \t");
	end = line + words_until(line, '#');
	while (end > line && words_is_space(end[-1]))
		end--;
	return strndup(line, end - line);
}

static bool write_text(const char *where, const char *text, bool again)
{
	if (!print_only)
		return lines_write("probes", where, text, again);
	puts(text);
	return true;
}

static bool take(const char *where, const char *line, bool again)
{
	char *trimmed, *text;
	struct refusal r;
	bool ok = true;

	if (strpbrk(line, "\n\r"))
		return fail("%sa definition is one line", where);
	trimmed = trim(line);
	if (!trimmed)
		return fail("no memory");
	text = *trimmed ? probe_text(trimmed, &r) : NULL;
	if (text)
		ok = write_text(where, text, again);
	else if (*trimmed)
		ok = fail("%s%s: at character %u: %s", where, trimmed, r.at + 1, r.why);
	free(text);
	free(trimmed);
	return ok;
}

/**
 * probe_take() - define a probe, or remove one: "-:NAME"
 * @where: prefix of messages: where @line comes from
 * @line: the definition, with names; a comment may follow
 *
 * Return: false, after a message, if it is refused.
 */
bool probe_take(const char *where, const char *line)
{
	return take(where, line, false);
}

/**
 * probe_take_again() - as probe_take(), but pass over a probe that is defined already
 * @where: see there
 * @line: see there
 *
 * Return: false, after a message, if it is refused: also if another probe has its name.
 */
bool probe_take_again(const char *where, const char *line)
{
	return take(where, line, true);
}

/**
 * probe_delete() - remove a probe
 * @name: its name
 *
 * Return: false, after a message, if there is none of this name.
 */
bool probe_delete(const char *name)
{
	char text[JTRACE_PROBE_NAME + 3];

	if (strlen(name) > JTRACE_PROBE_NAME || strpbrk(name, "# \t\r\n"))
		return fail("--delete %s: not the name of a probe", name);
	scnprintf(text, sizeof(text), "-:%s", name);
	return write_text("", text, false);
}
