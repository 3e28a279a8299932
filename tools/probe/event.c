// SPDX-License-Identifier: GPL-2.0
/* jtrace event: turn kernel events on and off, list them, and the tracepoints of the kernel. */

#include <getopt.h>
#include <stdlib.h>

#include "../live/live.h"
#include "probe.h"

/* Turn events on or off, as the line says. */
static bool write_event(const char *where, const char *line)
{
	return lines_write("events", where, line, false);
}

/**
 * run_event() - jtrace event [--list] [--load FILE] [LINE...], jtrace event --kernel [GLOB...]
 * @argc: from the verb on
 * @argv: same
 *
 * Return: false, after a message, on an error; the lines before it have taken effect.
 */
bool run_event(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "list", no_argument, NULL, 'l' },
		{ "load", required_argument, NULL, 'f' },
		{ "kernel", no_argument, NULL, 'k' },
		{ 0 },
	};
	bool list = argc == 1, ok = true;
	int opt;

	optind = 0;
	argv[0] = program_invocation_short_name;
	/* "-": in the order of the command line. */
	while (ok && (opt = getopt_long(argc, argv, "-", longs, NULL)) != -1) {
		if (opt == 'k')
			return tracepoints_print(argv + optind, argc - optind);
		if (opt == 'l')
			list = true;
		else if (opt == 'f')
			ok = lines_load(optarg, write_event);
		else if (opt == 1)
			ok = write_event("", optarg);
		else
			exit(2);
	}
	for (; ok && optind < argc; optind++)
		ok = write_event("", argv[optind]);
	return ok && (!list || live_copy("events", stdout));
}
