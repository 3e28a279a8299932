// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace(1) on a compressed dump that is cut, and randomly damaged: it must show entries of the
 * dump, and no others, or say why not.
 *
 * Usage: shakedump [-s SEED] [-n CASES] DUMP TEXT
 *
 * TEXT is the text of the undamaged dump.  The command is compiled into this file.
 */

#include "onbytes.h"

#include <sys/wait.h>

#include "../kunit/random.h"

/* The headers, notes, bitmaps and the first descriptors. */
#define FRONT	(5 * 4096 + 1024)

/* More than one file needs on a busy machine. */
#define SECONDS	60

static u8 *good, *bytes;
static char *text, *shown;
static size_t size, len, room;
static u64 rnd;

static u32 below(u32 n)
{
	return random_below(&rnd, n);
}

/* Does the undamaged text have this line, but for the time since the line above? */
static bool is_entry(char *line)
{
	static const char unit[] = " uSec) : ";
	char *cut = strstr(line, " : ("), *site = strstr(line, unit), *found;

	if (!cut || !site)
		return false;
	*cut = 0;
	found = strstr(text, line);
	found = found ? strstr(found, unit) : NULL;
	/* A site that is lost has its number only. */
	return found && (strstr(site, "(<site ") ||
			 (!strncmp(found, site, strlen(site)) && found[strlen(site)] == '\n'));
}

/* Is each entry of the output one of the undamaged text? */
static bool is_true(void)
{
	off_t end = lseek(out, 0, SEEK_END);
	char *line, *save;

	if (end < 0 || (size_t)end >= room || pread(out, shown, end, 0) != end)
		die("read");
	shown[end] = 0;
	for (line = strtok_r(shown, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (line[0] == '[' && !is_entry(line)) {
			dprintf(report, "# not an entry: %s\n", line);
			return false;
		}
	}
	return true;
}

/* Run the command on @bytes; returns false if it shows neither a true trace nor an error. */
static bool show(void)
{
	return show_bytes(formats, bytes, len) ? has_output(out) && is_true() :
	       has_output(messages);
}

/* The same in another process, so that a crash or a hang of libkdumpfile is a fault like others. */
static bool try(void)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		alarm(SECONDS);
		_exit(!show());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("fork");
	if (WIFSIGNALED(status))
		dprintf(report, "# ended by signal %d\n", WTERMSIG(status));
	return !status;
}

/* ---- damage ----------------------------------------------------------- */

static void flip(void)
{
	bytes[below(len)] ^= 1 << below(8);
}

static void flip_front(void)
{
	bytes[below(min_t(size_t, len, FRONT))] ^= 1 << below(8);
}

/* An extreme number, where most fields are. */
static void set_number(void)
{
	static const u64 numbers[] = { 0, 1, 2, 4095, 4096, 8192, 65536, 0x7fffffff, 0x80000000,
				       0xffffffff, 1ULL << 40, 1ULL << 63, ~0ULL };
	u32 start = below(4) * 4096, at = start + 4 * below(start ? 32 : 116);
	u64 number = numbers[below(ARRAY_SIZE(numbers))];

	if (below(2))
		at = 5 * 4096 + 4 * below(256);
	if (at + sizeof(number) <= len)
		memcpy(bytes + at, &number, below(2) ? 4 : 8);
}

static void cut(void)
{
	len -= below(len);
}

static void zero_block(void)
{
	u32 at = below(len), n = 1 + below(4096);

	memset(bytes + at, 0, min_t(size_t, len - at, n));
}

static void copy_block(void)
{
	u32 from = below(len), to = below(len), n = 1 + below(4096);

	memmove(bytes + to, bytes + from, min_t(size_t, len - max(from, to), n));
}

static void (* const ways[])(void) = {
	flip, flip_front, flip_front, set_number, set_number, cut, zero_block, copy_block,
};

static u32 test_damage(u32 cases)
{
	u64 seed = rnd;
	u32 bad = 0, i, n;

	for (i = 0; i < cases; i++) {
		rnd = seed + i;
		below(2);
		memcpy(bytes, good, size);
		len = size;
		for (n = 1 + below(3); n && len > 16; n--)
			ways[below(ARRAY_SIZE(ways))]();
		if (!try()) {
			dprintf(report, "# wrong with seed %llu\n", (unsigned long long)seed + i);
			bad++;
		}
	}
	return bad;
}

/* Each length in steps, and those around the ends of blocks. */
static u32 test_lengths(void)
{
	u32 bad = 0;

	memcpy(bytes, good, size);
	for (len = 16; len <= size; len += len % 4096 < 2 || len % 4096 > 4093 ? 1 : 211)
		bad += !try();
	return bad;
}

int main(int argc, char **argv)
{
	u32 cases = parse_cases(argc, argv, &rnd), bad, all;

	if (argc - optind != 2)
		return 2;
	redirect();
	text = load(argv[optind + 1], &room);
	good = load(argv[optind], &size);
	bytes = malloc(size);
	room = 2 * room + 65536;
	shown = malloc(room);
	if (!bytes || !shown)
		die("memory");
	dprintf(report, "# seed %llu\n", (unsigned long long)rnd);
	all = test_lengths();
	dprintf(report, "%s - cut\n", all ? "not ok" : "ok");
	bad = test_damage(cases);
	dprintf(report, "%s - damaged in %u ways\n", bad ? "not ok" : "ok", cases);
	return all + bad != 0;
}
