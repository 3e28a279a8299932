// SPDX-License-Identifier: GPL-2.0
/*
 * probes - random definitions through "jtrace probe --print", in one process
 *
 * Usage: probes SEED NUMBER; JTRACE_ROOT has /proc/kallsyms and types that mkbtf made
 *
 * Each one is printed in one line, or refused in one.  Prints how many of each kind there were.
 */

#include <errno.h>
#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "command.h"

#include "../kunit/random.h"

static const char * const heads[] = {
	"p:x ip_rcv ", "p ip_rcv", "r:y do_filp_open ", "t:z sched_switch ", "t widget_event ",
	"p:m widget:twice ", "p 0xffffffff81001000 ", "p:i ip_rcv+4 ", "p common ", "p shapes ",
	"p:l widget:widget.c:10 ",
};

static const char * const pieces[] = {
	"skb", "dev", "in", "prev", "next", "w", "$retval", "$arg1", "$arg2", "$arg99", "$comm",
	".", ".", ".", "->", "[", "]", "[1]", "[999999999]", ":", ":string", ":u8", ":x64", "=", "x=",
	"len", "name", "dev", "next", "cb", "data", "mtu", "ports", "pkt_type", "whole", "wide", "rest",
	"devices", "owner", "f_path", "dentry", "d_name", "lost", "sk_lock", "owned", "high", "opaque",
	" ", " ", " ", " ", "\t", " if ", " and ", " && ", " eq ", "==", "<", "&", "3", "-1", "lo",
	"\"", "\\", "#", "(", ")", "+0(", "-8(", "%di", "@0x10", " every=2", " on=a", "stop", "rate",
	"an_exceedingly_long_name_of_a_member", "\x01", "\x7f", "\xc3\xa9", "0",
};

/**
 * struct said - what the command printed
 * @text: the text
 * @len: bytes
 * @lines: how many
 */
struct said {
	char *text;
	size_t len;
	u32 lines;
};

static u64 state;

static void make_text(char *text, size_t size)
{
	struct pen pen = { text, text + size - 1 };
	u32 n = random_below(&state, 24);

	if (random_below(&state, 8)) {
		pen_text(&pen, heads[random_below(&state, ARRAY_SIZE(heads))]);
		/* Of roots. */
		pen_text(&pen, pieces[random_below(&state, 11)]);
	}
	while (n--)
		pen_text(&pen, pieces[random_below(&state, ARRAY_SIZE(pieces))]);
	*pen.at = 0;
}

static void count_lines(struct said *s)
{
	size_t i;

	s->lines = 0;
	for (i = 0; i < s->len; i++)
		s->lines += s->text[i] == '\n';
}

/* Nothing but a comment: nothing to print. */
static bool is_empty(const char *text)
{
	text += strspn(text, " \t");
	return !*text || *text == '#';
}

static int run(char *text, struct said *out, struct said *err)
{
	char name[] = "jtrace", verb[] = "probe", option[] = "--print", end[] = "--";
	char *argv[6] = { name, verb, option, end, text, NULL };
	FILE *real_out = stdout, *real_err = stderr;
	int status;

	stdout = open_memstream(&out->text, &out->len);
	stderr = open_memstream(&err->text, &err->len);
	if (!stdout || !stderr)
		abort();
	status = jtrace_main(5, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = real_out;
	stderr = real_err;
	count_lines(out);
	count_lines(err);
	return status;
}

int main(int argc, char **argv)
{
	u32 printed = 0, refused = 0, empty = 0, nr, i;
	struct said out, err;
	char text[512];
	int status;

	if (argc != 3)
		return 2;
	state = strtoull(argv[1], NULL, 0);
	nr = strtoul(argv[2], NULL, 0);
	program_invocation_short_name = strdup("jtrace");
	for (i = 0; i < nr; i++) {
		make_text(text, sizeof(text));
		status = run(text, &out, &err);
		if (!status && !err.len && out.lines == 1)
			printed++;
		else if (!status && !err.len && !out.len && is_empty(text))
			empty++;
		else if (status == 1 && !out.len && err.lines == 1 &&
			 !strncmp(err.text, "jtrace: ", 8))
			refused++;
		else
			break;
		free(out.text);
		free(err.text);
	}
	if (i < nr) {
		printf("seed %s, number %u: status %d: %s\n%s%s", argv[1], i, status, text, out.text,
		       err.text);
		return 1;
	}
	printf("%u printed, %u refused, %u empty\n", printed, refused, empty);
	return printed < nr / 100 || refused < nr / 100;
}
