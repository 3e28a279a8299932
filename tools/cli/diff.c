// SPDX-License-Identifier: GPL-2.0
/* "jtrace diff A B": what happened in one of two traces, and not in the other. */

#include <getopt.h>
#include <stdlib.h>

#include "../crashes/crashes.h"
#include "../crashes/diff.h"
#include "cli.h"

static const char diff_usage[] =
	"usage: jtrace diff [--json] [--modules DIR] A B\n"
	"\n"
	"Show what happened in one of two traces, and not in the other.  A and B are files, or numbers of\n"
	"jtrace crashes list (a file with such a name: ./3).\n";

static bool read_side(struct diff *d, u32 side, const char *name)
{
	struct options o = { .file = name };
	struct dump dump = { 0 };
	char path[4096];
	bool ok;

	if (strspn(name, "0123456789") == strlen(name)) {
		if (!crashes_file(name, NULL, path, sizeof(path)))
			return false;
		o.file = path;
	}
	ok = load_image(&o, &dump) &&
	     (dump_readable(&dump) || fail("%s: cannot read what is left of the image", name));
	if (ok) {
		decode_open(&dump.t);
		ok = side_read(d, side, &dump);
		decode_close();
	}
	d->side[side].file = name;
	dump_free(&dump);
	return ok;
}

/**
 * run_diff() - jtrace diff
 * @argc: as for main()
 * @argv: from "diff" on
 *
 * Exits after --help, and after an error in the command line.
 *
 * Return: false, after a message, on an error.
 */
bool run_diff(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "modules", required_argument, NULL, 'M' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct diff d = { 0 };
	bool json = false, ok = true;
	int opt;

	while (ok && (opt = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (opt == 'h') {
			fputs(diff_usage, stdout);
			return true;
		}
		json |= opt == 'j';
		ok = opt == 'j' || (opt == 'M' && parse_modules(optarg));
	}
	if (ok && argc - optind != 2)
		ok = fail("diff: needs two traces, not %d", argc - optind);
	if (!ok) {
		fputs(diff_usage, stderr);
		exit(2);
	}
	ok = read_side(&d, SIDE_A, argv[optind]) && read_side(&d, SIDE_B, argv[optind + 1]);
	if (ok) {
		pager_open();
		diff_show(&d, json);
	}
	diff_free(&d);
	return ok;
}
