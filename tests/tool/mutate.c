// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace(1) on an image that is cut at every length, and damaged at random: it
 * must show something or say why not, and do nothing else.
 *
 * Usage: mutate [-s SEED] [-n CASES] IMAGE
 *
 * The command itself is in here, so that thousands of files take seconds.  Half
 * of the damage is signed again: what only a malicious writer can write.
 */

#define main jtrace_main
#include "../../tools/jtrace.c"
#undef main

#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>

#include "../../lib/chunk.h"

#define HEADER_SIZE	sizeof(struct jtrace_image_header)

static u64 rnd;
static u8 *good;
static u32 size;
static u8 *bytes;
static u32 len;
static int file, out, err;
static int report;

static u32 below(u32 n)
{
	u64 x = rnd += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (u32)(x >> 32) % n;
}

static void die(const char *what)
{
	dprintf(report, "mutate: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void empty(int fd)
{
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		die("truncate");
}

/* Show what is in @bytes; false if the command did neither of its two duties. */
static bool try(bool json)
{
	struct options o = { .json = json };
	char path[32];
	bool ok;

	scnprintf(path, sizeof(path), "/dev/fd/%d", file);
	o.file = path;
	empty(file);
	empty(out);
	empty(err);
	if (pwrite(file, bytes, len, 0) != (ssize_t)len)
		die("write");
	ok = show_source(&o);
	fflush(stdout);
	return lseek(ok ? out : err, 0, SEEK_END) > 0;
}

/* ---- damage ----------------------------------------------------------- */

static void sign_header(u8 *at)
{
	struct jtrace_image_header *h = (void *)at;
	const u32 from = offsetof(struct jtrace_image_header, version);

	h->crc = cpu_to_le32(jtrace_crc32c(~0U, at + from, HEADER_SIZE - from));
}

static void sign_all(void)
{
	u32 at;

	for (at = 0; at + HEADER_SIZE <= len; at += 8) {
		struct jtrace_chunk_header *c = (void *)(bytes + at);

		if (!memcmp(bytes + at, "JTRIMAGE", 8))
			sign_header(bytes + at);
		else if (!memcmp(bytes + at, "JTCK", 4))
			c->check = cpu_to_le32(jtrace_chunk_check(c));
	}
}

/* A field of the header: any value, but no more than 16 MiB of image. */
static void damage_header(void)
{
	u32 at = 16 + below(HEADER_SIZE - 16), i;

	for (i = 0; i <= below(4) && at + i < HEADER_SIZE; i++)
		bytes[at + i] = below(3) ? below(256) : below(2) * 255;
	memset(bytes + offsetof(struct jtrace_image_header, image_size) + 3, 0, 5);
}

static void damage_bytes(void)
{
	u32 n = 1 + below(16);

	while (n--)
		bytes[below(len)] = below(256);
}

static void damage_bits(void)
{
	u32 n = 1 + below(16);

	while (n--)
		bytes[below(len)] ^= 1 << below(8);
}

static void damage_block(void)
{
	u32 at = below(len), n = 1 + below(5000);

	memset(bytes + at, below(2) * 255, min(n, len - at));
}

/* Bytes of another place, most of the time on a granule. */
static void damage_copy(void)
{
	u32 n = below(len) & ~7U, from = below(len - n + 1) & ~7U, to = below(len - n + 1);

	memmove(bytes + (below(4) ? to & ~7U : to), bytes + from, n);
}

static void damage_cut(void)
{
	u32 from = below(len) & (below(2) ? ~7U : ~0U);

	len -= from;
	memmove(bytes, bytes + from, len);
	len = 1 + below(len);
}

static void damage(void)
{
	static void (* const ways[])(void) = {
		damage_header, damage_bytes, damage_bits, damage_block, damage_copy, damage_cut,
	};
	u32 n = 1 + below(3);

	memcpy(bytes, good, size);
	len = size;
	while (n-- && len > HEADER_SIZE)
		ways[below(ARRAY_SIZE(ways))]();
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

/* A file that is cut while it is read. */
static bool test_shrinks(void)
{
	struct finds f = { 0 };
	struct source s;
	char path[32];
	bool ok;

	scnprintf(path, sizeof(path), "/dev/fd/%d", file);
	empty(file);
	if (pwrite(file, good, size, 0) != (ssize_t)size)
		die("write");
	ok = source_open(&s, path);
	if (ftruncate(file, size / 2))
		die("truncate");
	ok = ok && !scan(&s, &f);
	finds_free(&f);
	source_close(&s);
	return ok;
}

static void load(const char *name)
{
	int fd = open(name, O_RDONLY);

	size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	good = malloc(size + 1);
	bytes = malloc(size + 1);
	if (!good || !bytes || fd < 0 || pread(fd, good, size, 0) != (ssize_t)size)
		die(name);
	close(fd);
}

static void redirect(void)
{
	report = dup(1);
	file = memfd_create("file", 0);
	out = memfd_create("out", MFD_CLOEXEC);
	err = memfd_create("err", MFD_CLOEXEC);
	if (file < 0 || out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		die("files");
}

int main(int argc, char **argv)
{
	u32 cases = 1000, bad, all = 0;
	int opt;

	rnd = time(NULL);
	while ((opt = getopt(argc, argv, "s:n:")) > 0) {
		if (opt == 's')
			rnd = strtoull(optarg, NULL, 0);
		else if (opt == 'n')
			cases = atoi(optarg);
	}
	redirect();
	load(optind < argc ? argv[optind] : "");
	dprintf(report, "# seed %llu\n", (unsigned long long)rnd);
	bad = !test_shrinks();
	dprintf(report, "%s - a file that shrinks\n", bad ? "not ok" : "ok");
	all += bad;
	bad = test_lengths();
	dprintf(report, "%s - each of %u lengths\n", bad ? "not ok" : "ok", size + 1);
	all += bad;
	bad = test_damage(cases);
	dprintf(report, "%s - damaged in %u ways\n", bad ? "not ok" : "ok", cases);
	return all + bad != 0;
}
