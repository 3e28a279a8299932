/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Damage images as a reset, a bad memory cell or a program that writes there does; and make
 * check values right again, as only a malicious writer does.
 *
 * For programs in user space, linked with lib/.  tests/fuzz/damage.c has its own damage, all of
 * which follows from the fuzzer's input.
 */
#ifndef _JTRACE_TEST_DAMAGE_H
#define _JTRACE_TEST_DAMAGE_H

#include "../lib/image/chunk.h"
#include "kunit/random.h"

#define HEADER_SIZE	sizeof(struct jtrace_image_header)

/* The bytes to damage, and the state of the random numbers. */
static u8 *bytes;
static u32 len;
static u64 rnd;

static u32 below(u32 n)
{
	return random_below(&rnd, n);
}

/* ---- Signing ---------------------------------------------------------- */

static void sign_header(u8 *at)
{
	struct jtrace_image_header *h = (void *)at;
	const u32 from = offsetof(struct jtrace_image_header, version);

	h->crc = cpu_to_le32(jtrace_crc32c(~0U, at + from, HEADER_SIZE - from));
}

/* @left: bytes from @at on. */
static void sign_site(u8 *at, u32 left)
{
	struct jtrace_site_record *r = (void *)at;
	const u32 from = offsetof(struct jtrace_site_record, image_id);
	u32 n = sizeof(*r) + r->tag_len + r->file_len + r->func_len;

	if (n <= left)
		r->crc = cpu_to_le32(jtrace_crc32c(~0U, at + from, n - from));
}

/* Sign an entry of @c at @place. */
static void sign_entry(const struct jtrace_chunk_header *c, u8 *at, u32 place)
{
	u64 key = jtrace_check_key(le64_to_cpu(c->image_id));
	u64 word[sizeof(struct jtrace_large_entry) / sizeof(u64)];
	struct jtrace_large_entry *e = (void *)word;
	struct jtrace_small_entry *s = (void *)word;
	u32 cpu = le16_to_cpu(c->cpu);

	if ((c->form & JTRACE_FORM_KIND) == JTRACE_KIND_SMALL) {
		memcpy(s, at, sizeof(*s));
		s->check = cpu_to_le32(jtrace_check_cpu(cpu) +
				       jtrace_check_small(&key, (u64)le32_to_cpu(s->seq) << 32 |
							  place, le64_to_cpu(s->time),
							  le32_to_cpu(s->site),
							  le32_to_cpu(s->arg)));
		memcpy(at, s, sizeof(*s));
		return;
	}
	memcpy(e, at, sizeof(*e));
	e->check = cpu_to_le32(jtrace_check_large(&key, (u64)le32_to_cpu(e->seq) << 32 | place,
						  le16_to_cpu(e->cpu) |
						  (u32)le16_to_cpu(e->context) << 16,
						  le64_to_cpu(e->time), le32_to_cpu(e->site),
						  le32_to_cpu(e->tid),
						  (u64)le32_to_cpu(e->arg[1]) << 32 |
						  le32_to_cpu(e->arg[0]),
						  (u64)le32_to_cpu(e->arg[3]) << 32 |
						  le32_to_cpu(e->arg[2]),
						  le64_to_cpu(e->wide[0]),
						  le64_to_cpu(e->wide[1])));
	memcpy(at, e, sizeof(*e));
}

/* Sign the header of a chunk, and its entries if the header is valid. */
static void sign_chunk(u8 *at, u32 left)
{
	struct jtrace_chunk_header *c = (void *)at;
	struct jtrace_layout l;
	u32 slot, off;

	c->check = cpu_to_le32(jtrace_chunk_check(c));
	if (!jtrace_layout_chunk(&l, c->chunk_shift, c->form & JTRACE_FORM_KIND))
		return;
	for (slot = 0; slot < l.entries; slot++) {
		off = l.first_off + slot * l.entry_size;
		if (off + l.entry_size > left)
			return;
		sign_entry(c, at + off, le32_to_cpu(c->place) + off / JTRACE_GRANULE);
	}
}

/* @left: bytes from @at on. */
static void sign_log(u8 *at, u32 left)
{
	struct jtrace_log_record *r = (void *)at;
	const u32 from = offsetof(struct jtrace_log_record, image_id);
	u32 n = sizeof(*r) + r->len;

	if (n <= left)
		r->crc = cpu_to_le32(jtrace_crc32c(~0U, at + from, n - from));
}

/* Sign everything that begins like a part of an image. */
static inline void sign_all(void)
{
	u32 at;

	for (at = 0; at + sizeof(u64) <= len; at += sizeof(u64)) {
		u8 *p = bytes + at;

		if (p[0] != 'J' || p[1] != 'T')
			continue;
		if (!memcmp(p, "JTRIMAGE", 8) && at + HEADER_SIZE <= len)
			sign_header(p);
		else if (!memcmp(p, "JTCK", 4) && at + sizeof(struct jtrace_chunk_header) <= len)
			sign_chunk(p, len - at);
		else if (!memcmp(p, "JTST", 4) && at + sizeof(struct jtrace_site_record) <= len)
			sign_site(p, len - at);
		else if (!memcmp(p, "JTLG", 4) && at + sizeof(struct jtrace_log_record) <= len)
			sign_log(p, len - at);
	}
}

/* ---- Damage ----------------------------------------------------------- */

static inline void noise(u8 *at, u32 n)
{
	while (n--)
		*at++ = below(256);
}

/* Change a field of the header; the image size stays below 16 MiB. */
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

static void flip_bits(u32 n)
{
	while (n--)
		bytes[below(len)] ^= 1 << below(8);
}

static void damage_bits(void)
{
	flip_bits(1 + below(16));
}

static void damage_block(void)
{
	u32 at = below(len), n = 1 + below(5000);

	memset(bytes + at, below(2) * 255, min(n, len - at));
}

/* Copy bytes to another offset, mostly a multiple of a granule. */
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

static void (* const damage_ways[])(void) = {
	damage_header, damage_bytes, damage_bits, damage_block, damage_copy, damage_cut,
};

#endif /* _JTRACE_TEST_DAMAGE_H */
