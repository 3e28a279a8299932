// SPDX-License-Identifier: GPL-2.0
/*
 * Make a compressed dump of a machine with an image in its memory, as makedumpfile does.
 *
 * Usage: mkdump [-a ADDRESS] [-f FRAMES] [-p PAGE] [-b] [-s] < IMAGE > DUMP
 *
 * -a: of the image, a multiple of the page size (0); -f: page frames of the machine (what the
 * image needs); -p: page size (4096); -b: big-endian; -s: say that the dump is split.  Pages of
 * zeros are not in the dump.  Every second page is compressed with zlib, if it gets smaller.
 */

#include <endian.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../../lib/base/env.h"

/* A block is a page: header, sub header, notes, two bitmaps, descriptors, pages. */
#define SUB_BLOCKS	2

struct header {
	char signature[8];
	u32 version;
	char uts[6][65];
	char pad[6];
	u64 seconds;
	u64 microseconds;
	u32 status;
	u32 block;
	u32 sub_blocks;
	u32 bitmap_blocks;
	u32 frames;
	u32 others[5];
};

struct sub_header {
	u64 phys_base;
	u32 level;
	u32 split;
	u64 first;
	u64 end;
	u64 vmcoreinfo;
	u64 vmcoreinfo_len;
	u64 note;
	u64 note_len;
	u64 erase;
	u64 erase_len;
	u64 first_64;
	u64 end_64;
	u64 frames;
};

struct descriptor {
	u64 offset;
	u32 size;
	u32 flags;
	u64 page_flags;
};

static_assert(sizeof(struct header) == 464);
static_assert(sizeof(struct sub_header) == 104);
static_assert(sizeof(struct descriptor) == 24);

static unsigned char image[64 << 20];
static u64 image_len, address, frames, split;
static u64 page = 4096;
static int swap;

static u32 n32(u32 n)
{
	return swap ? htobe32(n) : htole32(n);
}

static u64 n64(u64 n)
{
	return swap ? htobe64(n) : htole64(n);
}

static void put(u64 at, const void *from, size_t len)
{
	if (pwrite(1, from, len, at) != (ssize_t)len)
		err(1, "write");
}

static void put_headers(u64 bitmap_blocks)
{
	static const char *const uts[] = { "Linux", "test", "6.1.0-test", "#1", "x86_64", "" };
	char note[256] = { 0 }, text[128];
	struct header h = { .signature = "KDUMP   ", .version = n32(6) };
	struct sub_header sub = { 0 };
	u32 words[3] = { 0 };
	int i;

	for (i = 0; i < 6; i++)
		strcpy(h.uts[i], uts[i]);
	h.status = n32(1);
	h.block = n32(page);
	h.sub_blocks = n32(SUB_BLOCKS);
	h.bitmap_blocks = n32(bitmap_blocks);
	h.frames = n32(frames > U32_MAX ? U32_MAX : frames);
	put(0, &h, sizeof(h));
	sprintf(text, "OSRELEASE=6.1.0-test\nPAGESIZE=%u\nSIZE(page)=64\nOFFSET(page.lru)=8\n",
		(u32)page);
	words[0] = n32(11);
	words[1] = n32(strlen(text));
	memcpy(note, words, sizeof(words));
	memcpy(note + 12, "VMCOREINFO", 11);
	memcpy(note + 24, text, strlen(text));
	put(2 * page, note, sizeof(note));
	sub.split = n32(split);
	sub.note = n64(2 * page);
	sub.note_len = n64(24 + ((strlen(text) + 3) & ~3UL));
	sub.frames = n64(frames);
	put(page, &sub, sizeof(sub));
}

/* Write a page and its descriptor; returns where the next page goes. */
static u64 put_page(u64 descriptor, u64 at, const unsigned char *from, u64 nr)
{
	static unsigned char packed[1 << 20];
	struct descriptor d = { .offset = n64(at) };
	unsigned long size = sizeof(packed);
	const unsigned char *bytes = packed;

	if (compress2(packed, &size, from, page, 9) != Z_OK)
		errx(1, "compress");
	if (nr & 1 || size >= page) {
		size = page;
		bytes = from;
	}
	d.size = n32(size);
	d.flags = n32(bytes == packed);
	put(descriptor, &d, sizeof(d));
	put(at, bytes, size);
	return at + size;
}

static void put_dump(void)
{
	const u64 blocks = (frames + 8 * page - 1) / (8 * page);
	const u64 bitmap = (1 + SUB_BLOCKS) * page;
	const u64 descriptors = bitmap + 2 * blocks * page;
	u64 at = descriptors, nr = 0, i, frame;
	unsigned char byte;

	put_headers(2 * blocks);
	for (i = 0; i < image_len; i += page)
		at += sizeof(struct descriptor);
	if (ftruncate(1, at))
		err(1, "truncate");
	for (i = 0; i < image_len; i += page) {
		if (!image[i] && !memcmp(&image[i], &image[i + 1], page - 1))
			continue;
		frame = (address + i) / page;
		if (pread(1, &byte, 1, bitmap + blocks * page + frame / 8) != 1)
			err(1, "read");
		byte |= 1 << frame % 8;
		put(bitmap + blocks * page + frame / 8, &byte, 1);
		put(bitmap + frame / 8, &byte, 1);
		at = put_page(descriptors + nr * sizeof(struct descriptor), at, &image[i], nr);
		nr++;
	}
}

int main(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "a:f:p:bs")) > 0) {
		switch (opt) {
		case 'a':
			address = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			frames = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			page = strtoull(optarg, NULL, 0);
			break;
		case 'b':
			swap = 1;
			break;
		case 's':
			split = 1;
			break;
		default:
			return 2;
		}
	}
	image_len = fread(image, 1, sizeof(image), stdin);
	image_len = (image_len + page - 1) / page * page;
	if (!frames)
		frames = (address + image_len) / page;
	put_dump();
	return 0;
}
