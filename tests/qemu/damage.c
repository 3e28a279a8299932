// SPDX-License-Identifier: GPL-2.0
/*
 * damage - damage an image as a reset, a bad memory cell or a program that writes there does
 *
 * Usage: damage IMAGE SEED KIND[=N]...
 * Exit: 0 done, 1 no image there, 2 usage.
 *
 * The damage depends on the arguments alone.  Prints one line, "entries N touched N": the
 * entries before, and how many of them have changed or moved.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../damage_named.h"

static const char usage_text[] =
	"usage: damage IMAGE SEED KIND[=N]...\n"
	"\n"
	"  none       leave it as it is\n"
	"  flips=N    flip N bits\n"
	"  lines=N    zero N lines of 64 bytes\n"
	"  pages=N    zero N pages of 4096 bytes\n"
	"  noise=N    fill N pages with random bytes\n"
	"  first      destroy the first header\n"
	"  last       destroy the last header\n"
	"  tail=N     zero the last N percent\n"
	"  shuffle    exchange chunks\n"
	"  chunks=N   destroy N chunk headers\n"
	"  lose=N     lose the entries of N chunks, and count them\n"
	"  sites      destroy the site table\n"
	"  version=N  set version N in both headers, with right check sums\n"
	"  text=N     replace texts in both headers and all sites: 1 escape sequences,\n"
	"             2 new lines, 3 formats, 4 bytes from 0x80 on, 5 long,\n"
	"             6 empty; all but 6 begin with FORGED\n"
	"  forge=N    the same, with right check sums\n";

#define MOST_BYTES	(64UL << 20)

/* The image before the damage; it now: &bytes. */
static u8 *was;

static void set_version(size_t at, unsigned int version)
{
	struct jtrace_image_header *to = (void *)(bytes + at);

	to->version = cpu_to_le16(version);
	sign_header(bytes + at);
}

#define NR_TEXTS	6

/* Texts as an attacker would want them printed. */
static const char * const texts[NR_TEXTS] = {
	"FORGED\33[2J\33]0;title\7\33[31m\r\b\177",
	"FORGED\nJTRACE: no entries\n[    0.000000] a line of the log\n",
	"FORGED%s%n%s%n%p%x%999999999d%pK",
	"FORGED\377\233\061m\200\302\205\342\200\256\360\237\230",
	"FORGED_", "",
};

/* Repeat @text until @n bytes are full. */
static void put_text(u8 *to, size_t n, const char *text)
{
	size_t i, len = strlen(text);

	for (i = 0; i < n; i++)
		to[i] = len ? text[i % len] : 0;
}

static void set_header_text(size_t at, const char *text, bool sign)
{
	struct jtrace_image_header *to = (void *)(bytes + at);

	put_text(to->release, sizeof(to->release), text);
	put_text(to->reason, sizeof(to->reason), text);
	if (sign)
		sign_header(bytes + at);
}

/* Each string keeps its length; the strings of the last site get the longest. */
static void set_site_text(struct jtrace_site_record *to, bool last, const char *text, bool sign)
{
	if (last && *text) {
		to->tag_len = JTRACE_TAG_MAX;
		to->file_len = JTRACE_FILE_MAX;
		to->func_len = JTRACE_FUNC_MAX;
	} else if (!*text && to->kind == JTRACE_SITE_CALL) {
		to->tag_len = 0;
		to->file_len = 0;
		to->func_len = 0;
	}
	put_text(to->text, to->tag_len, text);
	put_text(to->text + to->tag_len, to->file_len, text);
	put_text(to->text + to->tag_len + to->file_len, to->func_len, text);
	if (sign)
		sign_site((u8 *)to, bytes + len - (u8 *)to);
}

static struct jtrace_site_record *site_after(size_t at)
{
	struct jtrace_site_record *r;

	for (; at + sizeof(*r) <= area_end(JTRACE_AREA_SITES); at += JTRACE_GRANULE) {
		r = (void *)(bytes + at);
		if (le32_to_cpu(r->magic) == JTRACE_SITE_MAGIC && r->image_id == h->image_id &&
		    (size_t)le32_to_cpu(r->number) * JTRACE_GRANULE == at)
			return r;
	}
	return NULL;
}

static void forge(unsigned long n, bool sign)
{
	const char *text = texts[(n - 1) % NR_TEXTS];
	struct jtrace_site_record *r, *next;

	set_header_text(0, text, sign);
	set_header_text(len - sizeof(*h), text, sign);
	for (r = site_after(area_off(JTRACE_AREA_SITES)); r; r = next) {
		next = site_after((u8 *)r - bytes + JTRACE_GRANULE);
		set_site_text(r, !next, text, sign);
	}
}

static bool damage(const char *kind, unsigned long n)
{
	if (!strcmp(kind, "none")) {
		return true;
	} else if (!strcmp(kind, "version")) {
		set_version(0, n);
		set_version(len - sizeof(*h), n);
	} else if (!strcmp(kind, "text")) {
		forge(n, false);
	} else if (!strcmp(kind, "forge")) {
		forge(n, true);
	} else {
		return damage_named(kind, n);
	}
	return true;
}

/* Count the entries before, and those that have changed or moved. */
static void count(void)
{
	unsigned long entries = 0, touched = 0, i;
	size_t size = h->kind == JTRACE_KIND_LARGE ? sizeof(struct jtrace_large_entry) :
						     sizeof(struct jtrace_small_entry);

	for (i = 0; i < nr_chunks(); i++) {
		const struct jtrace_chunk_header *ch = (const void *)(was + chunk_at(i));
		size_t end = chunk_at(i + 1), at = chunk_at(i) + sizeof(*ch);

		if (le32_to_cpu(ch->magic) != JTRACE_CHUNK_MAGIC || ch->image_id != h->image_id)
			continue;
		for (at += (end - at) % size; at < end; at += size) {
			__le32 seq;

			memcpy(&seq, was + at + size - sizeof(seq), sizeof(seq));
			if (le32_to_cpu(seq) != (u32)le64_to_cpu(ch->claim))
				continue;
			entries++;
			touched += !!memcmp(was + at, bytes + at, size);
		}
	}
	printf("entries %lu touched %lu\n", entries, touched);
}

static bool sound(void)
{
	u64 size = le64_to_cpu(h->image_size);

	return len >= 2 * sizeof(*h) && le64_to_cpu(h->magic) == JTRACE_IMAGE_MAGIC &&
	       le16_to_cpu(h->version) == JTRACE_IMAGE_VERSION && size <= len &&
	       size >= 2 * sizeof(*h) && h->chunk_shift <= JTRACE_MAX_CHUNK_SHIFT &&
	       jtrace_header_area(h, JTRACE_AREA_CHUNKS) &&
	       area_end(JTRACE_AREA_CHUNKS) <= size && jtrace_header_area(h, JTRACE_AREA_SITES) &&
	       area_end(JTRACE_AREA_SITES) <= size;
}

int main(int argc, char **argv)
{
	size_t all;
	FILE *f;
	int i;

	if (argc < 4) {
		fputs(usage_text, stderr);
		return 2;
	}
	bytes = malloc(MOST_BYTES);
	was = malloc(MOST_BYTES);
	f = fopen(argv[1], "r+b");
	if (!bytes || !was || !f) {
		perror(argv[1]);
		return 1;
	}
	all = fread(bytes, 1, MOST_BYTES, f);
	memcpy(was, bytes, all);
	len = all;
	h = (const void *)was;
	if (!sound()) {
		fprintf(stderr, "damage: %s: no image\n", argv[1]);
		return 1;
	}
	len = le64_to_cpu(h->image_size);
	rnd = strtoull(argv[2], NULL, 0);
	for (i = 3; i < argc; i++) {
		char *n = strchr(argv[i], '=');

		if (n)
			*n++ = 0;
		if (!damage(argv[i], n ? strtoul(n, NULL, 0) : 1)) {
			fputs(usage_text, stderr);
			return 2;
		}
	}
	count();
	rewind(f);
	if (fwrite(bytes, 1, all, f) != all || fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
