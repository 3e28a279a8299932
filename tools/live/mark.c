// SPDX-License-Identifier: GPL-2.0
/* jtrace mark: record an event from a shell. */

#include <err.h>
#include <errno.h>
#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "../../lib/base/words.h"
#include "../../lib/lang/user.h"
#include "live.h"

static bool is_number(const char *value)
{
	struct jtrace_refusal unused;
	struct words w = { value, value + (*value == '-'), &unused };
	u64 number;

	return words_number(&w, "", &number);
}

/* Is it in quotes of its own, which the shell has left? */
static bool is_quoted(const char *value)
{
	size_t len = strlen(value);

	return len >= 2 && (*value == '"' || *value == '\'') && value[len - 1] == *value;
}

/* Is FIELD[:TYPE]=VALUE a text that needs quotes? */
static bool lacks_quotes(const char *field, const char *value)
{
	const char *type = memchr(field, ':', value - field);

	return !is_quoted(value) && (type ? !strncmp(type, ":string", 7) : !is_number(value));
}

static void put_quoted(struct pen *line, const char *value)
{
	pen_char(line, '"');
	for (; *value; value++) {
		if (strchr("\"'\\", *value))
			pen_char(line, '\\');
		pen_char(line, *value);
	}
	pen_char(line, '"');
}

static void put_field(struct pen *line, const char *field)
{
	const char *value = strchr(field, '=');

	value = value ? value + 1 : field + strlen(field);
	pen_char(line, ' ');
	if (value[-1] == '=' && lacks_quotes(field, value)) {
		pen_bytes(line, field, value - field);
		put_quoted(line, value);
	} else {
		pen_text(line, field);
	}
}

/* Does the module record?  If it cannot be asked, writing tells why. */
static bool is_off(void)
{
	size_t room = 0, len;
	void *text = NULL;
	bool off = !live_read("enabled", &text, &room, &len) && len && *(char *)text == '0';

	free(text);
	return off;
}

/* Write a line to the file event. */
static bool write_event(const char *line)
{
	int err;

	if (is_off())
		return fail("mark: recording is off: run jtrace start");
	if (!live_write("event", line, &err))
		return false;
	if (err == ENOSPC)
		return fail("mark: 256 names with different fields were written, no others are taken");
	if (err == EOPNOTSUPP)
		return fail("mark: jtrace has small entries, which hold one value: load it with use_large_entries=y");
	return !err || fail("mark: %s", strerror(err));
}

/**
 * run_mark() - jtrace mark NAME [FIELD[:TYPE]=VALUE]...
 * @argc: from the verb on
 * @argv: same
 *
 * Return: false, after a message, if the event is not taken.
 */
bool run_mark(int argc, char **argv)
{
	char text[JTRACE_USER_LINE + 3];
	struct pen line = { text, text + JTRACE_USER_LINE + 1 };
	struct jtrace_user_event event;
	struct jtrace_refusal refusal;
	int i;

	if (argc > 1 && !strcmp(argv[1], "--")) {
		argc--;
		argv++;
	}
	if (argc < 2 || argv[1][0] == '-') {
		warnx("mark: expected NAME [FIELD[:TYPE]=VALUE]...");
		exit(2);
	}
	pen_text(&line, argv[1]);
	for (i = 2; i < argc; i++)
		put_field(&line, argv[i]);
	*line.at = 0;
	if (strlen(text) > JTRACE_USER_LINE)
		return fail("mark: a line has at most %d bytes", JTRACE_USER_LINE);
	if (strchr(text, '\n'))
		return fail("mark: a line has no newline");
	if (!jtrace_user_parse(&event, text, &refusal))
		return fail("mark: %s: at character %u: %s", text, refusal.at + 1, refusal.why);
	memcpy(line.at, "\n", 2);
	return write_event(text);
}
