// SPDX-License-Identifier: GPL-2.0
/* The verb probe: define, print, list and delete probes. */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "../live/live.h"
#include "probe.h"

static bool print_args(const char *text)
{
	struct refusal r;

	return place_print(text, &r) || fail("--args %s: %s", text, r.why);
}

/* The words behind the options are one definition. */
static bool take_words(int nr, char **word)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	bool ok;
	int i;

	if (!to)
		return fail("no memory");
	for (i = 0; i < nr; i++)
		fprintf(to, "%s%s", i ? " " : "", word[i]);
	ok = !fclose(to) || fail("no memory");
	for (i = 0; ok && i < nr; i++)
		if (!strncmp(word[i], "--", 2))
			ok = fail("%s: options come before the definition", word[i]);
	ok = ok && probe_take("", text);
	free(text);
	return ok;
}

static bool take_option(int opt)
{
	switch (opt) {
	case 'a':
		return print_args(optarg);
	case 'b':
		return boot_arm(!print_only);
	case 'd':
		return probe_delete(optarg);
	case 'f':
		return lines_load(optarg, probe_take);
	case 'g':
		return print_only || boot_guard();
	case 'l':
		return live_copy("probes", stdout);
	case 'M':
		return print_only || boot_mark();
	case 'm':
		module_file = optarg;
		return true;
	case 'p':
		print_only = true;
		return true;
	}
	exit(2);
}

/**
 * run_probe() - jtrace probe [--print] [--list] [--args PLACE] [--delete NAME] [--load FILE]
 *	[--module FILE] [WORD...]
 * @argc: from the verb on
 * @argv: same
 *
 * Return: false, after a message, on an error; the options before it have taken effect.
 */
bool run_probe(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "args", required_argument, NULL, 'a' },
		{ "boot", no_argument, NULL, 'b' },
		{ "delete", required_argument, NULL, 'd' },
		{ "guard", no_argument, NULL, 'g' },
		{ "list", no_argument, NULL, 'l' },
		{ "load", required_argument, NULL, 'f' },
		{ "module", required_argument, NULL, 'm' },
		{ "mark", no_argument, NULL, 'M' },
		{ "print", no_argument, NULL, 'p' },
		{ 0 },
	};
	bool ok = true;
	int opt;

	if (argc == 1)
		return live_copy("probes", stdout);
	optind = 0;
	argv[0] = program_invocation_short_name;
	/* "-:NAME" is a definition. */
	while (ok && strncmp(argv[max(optind, 1)] ?: "", "-:", 2) &&
	       (opt = getopt_long(argc, argv, "+", longs, NULL)) != -1)
		ok = take_option(opt);
	return ok && (optind >= argc || take_words(argc - max(optind, 1), argv + max(optind, 1)));
}
