// SPDX-License-Identifier: GPL-2.0
/*
 * Colour on a terminal.
 *
 * The lines come from lib/read/render.c, which escapes all that acts on a terminal.  So the only
 * escape sequences of the output are those written here.
 */

#include <stdlib.h>
#include <unistd.h>

#include "base.h"

#define BOLD	"\033[1m"
#define DIM	"\033[2m"
#define WARNING	"\033[1;33m"
#define ERROR	"\033[1;31m"
#define NORMAL	"\033[0m"

/* Levels of the kernel log. */
#define LEVEL_ERROR	3
#define LEVEL_WARNING	4
#define LEVEL_DEBUG	7

static bool coloured;

/**
 * is_terminal() - does standard output go to a terminal that can do more than a printer?
 */
bool is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

/**
 * colour_open() - use colour if standard output is a terminal and NO_COLOR is not set
 */
void colour_open(void)
{
	const char *no = getenv("NO_COLOR");

	coloured = is_terminal() && !(no && *no);
}

static void put_coloured(FILE *to, const char *colour, const char *text, size_t len)
{
	if (len && *colour)
		fprintf(to, "%s%.*s" NORMAL, colour, (int)len, text);
	else
		fwrite(text, 1, len, to);
}

/* Write the time at the start of a line, and return the rest of the line. */
static const char *put_time(FILE *to, const char *line)
{
	size_t len = line[0] == '[' ? strcspn(line, "]") : 0;

	len += len && line[len];
	put_coloured(to, DIM, line, len);
	return line + len;
}

/* The line of an entry: the tag is the last part, in parentheses. */
static void put_entry(FILE *to, const char *line)
{
	static const char before[] = " uSec) : ";
	const char *rest = put_time(to, line), *tag = strstr(rest, before);

	tag = tag ? strchr(tag + strlen(before), '(') : NULL;
	tag = tag ?: rest + strlen(rest);
	fwrite(rest, 1, tag - rest, to);
	put_coloured(to, BOLD, tag, strlen(tag));
}

/* Does a line that begins with "JTRACE: " tell of trouble? */
static bool is_warning(const char *line)
{
	static const char * const troubles[] = {
		"Damaged: ", "Dumping corrupted log", "It panicked", "It hung",
		"The clock jumped", " have no name: ", " whose name is not known",
		" older entries left out",
		"messages missing here", " entries lost here",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(troubles); i++)
		if (strstr(line, troubles[i]))
			return true;
	return false;
}

/**
 * colour_line() - write a line of a trace
 * @to: stream
 * @line: as lib/read/render.c makes it, without newline
 */
void colour_line(FILE *to, const char *line)
{
	if (!coloured)
		fputs(line, to);
	else if (strncmp(line, "JTRACE: ", 8))
		put_entry(to, line);
	else
		put_coloured(to, is_warning(line) ? WARNING : BOLD, line, strlen(line));
	putc('\n', to);
}

/**
 * colour_dim() - write a line that belongs to the one above
 * @to: stream
 * @line: without newline, escaped
 */
void colour_dim(FILE *to, const char *line)
{
	put_coloured(to, coloured ? DIM : "", line, strlen(line));
	putc('\n', to);
}

/**
 * colour_log() - write a line of the kernel log
 * @to: stream
 * @line: as lib/read/render.c makes it, without newline
 * @prio: facility and level
 */
void colour_log(FILE *to, const char *line, u32 prio)
{
	u32 level = prio & 7;

	if (coloured) {
		line = put_time(to, line);
		put_coloured(to, level <= LEVEL_ERROR ? ERROR : level == LEVEL_WARNING ? WARNING :
			     level == LEVEL_DEBUG ? DIM : "", line, strlen(line));
	} else {
		fputs(line, to);
	}
	putc('\n', to);
}
