// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace(1) on an image that is cut at every length, and randomly damaged: it must show a trace or
 * say why not.
 *
 * Usage: mutate [-s SEED] [-n CASES] IMAGE
 *
 * The command is compiled into this file, so that thousands of files take seconds.  Half of the
 * damage gets right check values again, as only a malicious writer could make them.
 */

#include "onbytes.h"

#include "../damage.h"

static u8 *good;
static size_t size;

/* Run the command on @bytes; false if it prints neither a trace nor an error. */
static bool try(bool json)
{
	return has_output(show_bytes(&formats[json], bytes, len) ? out : messages);
}

/* ---- damage ----------------------------------------------------------- */

static void damage(void)
{
	u32 n = 1 + below(3);

	memcpy(bytes, good, size);
	len = size;
	while (n-- && len > HEADER_SIZE)
		damage_ways[below(ARRAY_SIZE(damage_ways))]();
	if (below(2))
		sign_all();
}

/* ---- tests ------------------------------------------------------------ */

static u32 test_lengths(void)
{
	u32 bad = 0;

	memcpy(bytes, good, size);
	for (len = 0; len <= size; len++)
		bad += !try(len & 1);
	return bad;
}

static u32 test_damage(u32 cases)
{
	u32 bad = 0, i;

	for (i = 0; i < cases; i++) {
		damage();
		bad += !try(i & 1);
	}
	return bad;
}

/* A file that is truncated while it is read. */
static bool test_shrinks(void)
{
	struct parts f = { 0 };
	struct source s;
	char path[32];
	bool ok;

	put_file(good, size, path);
	ok = source_open(&s, path) && kdump_open(&s);
	if (ftruncate(file, size / 2))
		die("truncate");
	ok = ok && !scan(&s, &f);
	parts_free(&f);
	source_close(&s);
	return ok;
}

int main(int argc, char **argv)
{
	u32 cases = parse_cases(argc, argv, &rnd), bad, all = 0;

	redirect();
	good = load(optind < argc ? argv[optind] : "", &size);
	bytes = malloc(size + 1);
	if (!bytes)
		die("memory");
	dprintf(report, "# seed %llu\n", (unsigned long long)rnd);
	bad = !test_shrinks();
	dprintf(report, "%s - a file that shrinks\n", bad ? "not ok" : "ok");
	all += bad;
	bad = test_lengths();
	dprintf(report, "%s - each of %zu lengths\n", bad ? "not ok" : "ok", size + 1);
	all += bad;
	bad = test_damage(cases);
	dprintf(report, "%s - damaged in %u ways\n", bad ? "not ok" : "ok", cases);
	return all + bad != 0;
}
