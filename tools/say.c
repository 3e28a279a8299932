// SPDX-License-Identifier: GPL-2.0
/* What a program says on standard error, and words that its output shares with others. */

#include "tool.h"

static const char *program;

/**
 * say_as() - give the name that begins each message
 * @name: of the program
 */
void say_as(const char *name)
{
	program = name;
}

static void say(const char *fmt, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

/**
 * fail() - say what went wrong
 * @fmt: as printf(), without newline
 *
 * Return: false.
 */
bool fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	return false;
}

/**
 * note() - say what people should know, and go on
 * @fmt: as printf(), without newline
 */
void note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

/**
 * state_name() - one word for how an image ended, for programs
 * @state: of its header, or 0 if that is lost
 */
const char *state_name(u8 state)
{
	static const char * const names[] = {
		[JTRACE_STATE_RUNNING] = "running",
		[JTRACE_STATE_CLEAN] = "clean",
		[JTRACE_STATE_PANICKED] = "panicked",
		[JTRACE_STATE_UNLOADED] = "unloaded",
		[JTRACE_STATE_KEPT] = "kept",
	};

	return state < ARRAY_SIZE(names) && names[state] ? names[state] : "unknown";
}
