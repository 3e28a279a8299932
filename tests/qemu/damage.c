// SPDX-License-Identifier: GPL-2.0
/*
 * damage - spoil an image as a reset, a bad cell or a foreign writer would
 *
 * Usage: damage IMAGE SEED KIND[=N]...
 * Exit: 0 done, 1 no image there, 2 usage.
 *
 * What is done depends on nothing but the arguments.  Prints one line:
 * "entries N touched N", the entries there were, and how many of them are no
 * longer what and where they were.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/env.h"
#include "../kunit/random.h"

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
	"  sites      destroy the site table\n"
	"  version=N  another version, in both headers, with right check sums\n"
	"  text=N     other texts in both headers and all sites: 1 escape sequences,\n"
	"             2 new lines, 3 formats, 4 bytes from 0x80 on, 5 as long as can be,\n"
	"             6 empty; the first word is FORGED, but of 6\n"
	"  forge=N    the same, with right check sums\n";

#define MOST_BYTES	(64UL << 20)

static unsigned char *img, *was;
static size_t len;
static const struct jtrace_image_header *h;
static __u64 state;

static void noise(unsigned char *p, size_t n)
{
	while (n--)
		*p++ = random_next(&state);
}

static __u32 crc32c(const unsigned char *p, size_t n)
{
	__u32 crc = ~0U;
	int i;

	while (n--) {
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0);
	}
	return crc;
}

static void sign_header(struct jtrace_image_header *to)
{
	to->crc = cpu_to_le32(crc32c((unsigned char *)&to->version, sizeof(*to) -
				     offsetof(struct jtrace_image_header, version)));
}

static void set_version(size_t at, unsigned int version)
{
	struct jtrace_image_header *to = (void *)(img + at);

	to->version = cpu_to_le16(version);
	sign_header(to);
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

/* Again and again, until @n bytes are full. */
static void put_text(unsigned char *to, size_t n, const char *text)
{
	size_t i, len = strlen(text);

	for (i = 0; i < n; i++)
		to[i] = len ? text[i % len] : 0;
}

static void set_header_text(size_t at, const char *text, bool sign)
{
	struct jtrace_image_header *to = (void *)(img + at);

	put_text(to->release, sizeof(to->release), text);
	put_text(to->reason, sizeof(to->reason), text);
	if (sign)
		sign_header(to);
}

/* Each string in the room that it has; after the last site there is more. */
static void set_site_text(struct jtrace_site_record *to, bool last, const char *text, bool sign)
{
	size_t len;

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
	len = sizeof(*to) + to->tag_len + to->file_len + to->func_len;
	if (sign)
		to->crc = cpu_to_le32(crc32c((unsigned char *)&to->image_id, len -
					     offsetof(struct jtrace_site_record, image_id)));
}

static struct jtrace_site_record *site_after(size_t at)
{
	struct jtrace_site_record *r;

	for (; at + sizeof(*r) <= le32_to_cpu(h->sites_end); at += JTRACE_GRANULE) {
		r = (void *)(img + at);
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
	for (r = site_after(le32_to_cpu(h->sites_off)); r; r = next) {
		next = site_after((unsigned char *)r - img + JTRACE_GRANULE);
		set_site_text(r, !next, text, sign);
	}
}

static size_t chunk_at(unsigned long i)
{
	return le32_to_cpu(h->chunks_off) + (i << h->chunk_shift);
}

static void shuffle(void)
{
	size_t size = 1UL << h->chunk_shift;
	unsigned char *spare = malloc(size);
	unsigned long i, other;

	for (i = le32_to_cpu(h->nr_chunks) - 1; spare && i > 0; i--) {
		other = random_next(&state) % (i + 1);
		memcpy(spare, img + chunk_at(i), size);
		memcpy(img + chunk_at(i), img + chunk_at(other), size);
		memcpy(img + chunk_at(other), spare, size);
	}
	free(spare);
}

static size_t unit(size_t size)
{
	return random_next(&state) % (len / size) * size;
}

static bool spoil(const char *kind, unsigned long n)
{
	size_t at;

	if (!strcmp(kind, "none")) {
		return true;
	} else if (!strcmp(kind, "first")) {
		noise(img, sizeof(*h));
	} else if (!strcmp(kind, "last")) {
		noise(img + len - sizeof(*h), sizeof(*h));
	} else if (!strcmp(kind, "sites")) {
		at = le32_to_cpu(h->sites_off);
		noise(img + at, le32_to_cpu(h->sites_end) - at);
	} else if (!strcmp(kind, "tail")) {
		at = len - len * n / 100;
		memset(img + at, 0, len - at);
	} else if (!strcmp(kind, "shuffle")) {
		shuffle();
	} else if (!strcmp(kind, "version")) {
		set_version(0, n);
		set_version(len - sizeof(*h), n);
	} else if (!strcmp(kind, "text")) {
		forge(n, false);
	} else if (!strcmp(kind, "forge")) {
		forge(n, true);
	} else {
		for (; n; n--) {
			if (!strcmp(kind, "flips"))
				img[unit(1)] ^= 1 << (random_next(&state) & 7);
			else if (!strcmp(kind, "lines"))
				memset(img + unit(64), 0, 64);
			else if (!strcmp(kind, "pages"))
				memset(img + unit(4096), 0, 4096);
			else if (!strcmp(kind, "noise"))
				noise(img + unit(4096), 4096);
			else if (!strcmp(kind, "chunks"))
				noise(img + chunk_at(random_next(&state) % le32_to_cpu(h->nr_chunks)),
				      sizeof(struct jtrace_chunk_header));
			else
				return false;
		}
	}
	return true;
}

/* The entries of the image as it was, and of these what is not there any more. */
static void count(void)
{
	unsigned long entries = 0, touched = 0, i;
	size_t size = h->kind == JTRACE_KIND_LARGE ? sizeof(struct jtrace_large_entry) :
						     sizeof(struct jtrace_small_entry);

	for (i = 0; i < le32_to_cpu(h->nr_chunks); i++) {
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
			touched += !!memcmp(was + at, img + at, size);
		}
	}
	printf("entries %lu touched %lu\n", entries, touched);
}

static bool sound(void)
{
	u64 size = le64_to_cpu(h->image_size), chunks = le32_to_cpu(h->nr_chunks);
	u32 sites_end = le32_to_cpu(h->sites_end);

	return len >= 2 * sizeof(*h) && le64_to_cpu(h->magic) == JTRACE_IMAGE_MAGIC &&
	       le16_to_cpu(h->version) == JTRACE_IMAGE_VERSION && size <= len &&
	       size >= 2 * sizeof(*h) && h->chunk_shift <= JTRACE_MAX_CHUNK_SHIFT &&
	       le32_to_cpu(h->chunks_off) + (chunks << h->chunk_shift) <= size &&
	       le32_to_cpu(h->sites_off) <= sites_end && sites_end <= size;
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
	img = malloc(MOST_BYTES);
	was = malloc(MOST_BYTES);
	f = fopen(argv[1], "r+b");
	if (!img || !was || !f) {
		perror(argv[1]);
		return 1;
	}
	all = fread(img, 1, MOST_BYTES, f);
	memcpy(was, img, all);
	len = all;
	h = (const void *)was;
	if (!sound()) {
		fprintf(stderr, "damage: %s: no image\n", argv[1]);
		return 1;
	}
	len = le64_to_cpu(h->image_size);
	state = strtoull(argv[2], NULL, 0);
	for (i = 3; i < argc; i++) {
		char *n = strchr(argv[i], '=');

		if (n)
			*n++ = 0;
		if (!spoil(argv[i], n ? strtoul(n, NULL, 0) : 1)) {
			fputs(usage_text, stderr);
			return 2;
		}
	}
	count();
	rewind(f);
	if (fwrite(img, 1, all, f) != all || fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
