// SPDX-License-Identifier: GPL-2.0
/*
 * Geometry and header of an image: each stored byte, layouts for all sizes; no damaged or
 * contradictory header is accepted.
 */

#include "helpers.h"

#define HEADER	sizeof(struct jtrace_image_header)

static bool bytes_at(const void *img, u32 off, u64 value, u32 len)
{
	const u8 *p = (const u8 *)img + off;

	for (; len--; value >>= 8)
		if (*p++ != (u8)value)
			return false;
	return !value;
}

#define EXPECT_BYTES(test, img, off, value, len) \
	KUNIT_EXPECT_TRUE_MSG(test, bytes_at(img, off, value, len), "offset %u", (u32)(off))

/* Compare with a computation from the polynomial, and with the known value of "123456789". */
static u32 crc_of(const u8 *p, size_t len)
{
	u32 crc = ~0U, bit;

	while (len--)
		for (bit = 0, crc ^= *p++; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	return crc;
}

static void crc_is_crc32c(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, jtrace_crc32c(~0U, "123456789", 9), ~0xe3069283U);
	KUNIT_EXPECT_EQ(test, crc_of((const u8 *)"123456789", 9), ~0xe3069283U);
}

static void full_header(struct jtrace_image_header *h, const struct jtrace_layout *l)
{
	jtrace_header_init(h, l, 0x0102030405060708ULL);
	h->clock = JTRACE_CLOCK_TICKS;
	h->state = JTRACE_STATE_PANICKED;
	h->incompat = cpu_to_le32(JTRACE_INCOMPAT_CHECKED);
	h->compat = cpu_to_le32(JTRACE_COMPAT_PERSISTENT | 0x10101010);
	h->machine = cpu_to_le16(0x2122);
	h->nr_cpus = cpu_to_le32(0x11121314);
	h->last_cpus = cpu_to_le32(0x21222324);
	h->rate = cpu_to_le64(0x3132333435363738ULL);
	h->stamp.ticks = cpu_to_le64(0x4142434445464748ULL);
	h->stamp.mono = cpu_to_le64(0x5152535455565758ULL);
	h->stamp.boot = cpu_to_le64(0x6162636465666768ULL);
	h->real = cpu_to_le64(0x7172737475767778ULL);
	h->floor = cpu_to_le64(0x8182838485868788ULL);
	memset(h->boot_id, 0x91, sizeof(h->boot_id));
	memset(h->build_id, 0x92, sizeof(h->build_id));
	h->text = cpu_to_le64(0xb1b2b3b4a1a2a3a4ULL);
	memset(h->release, 'r', sizeof(h->release));
	memset(h->reason, 'p', sizeof(h->reason));
	memset(&h->counts, 'n', sizeof(h->counts));
	h->counts.lost_in_snapshot = cpu_to_le64(0xe1e2e3e4e5e6e7e8ULL);
	memset(h->spare, 's', sizeof(h->spare));
	h->area[11].kind = cpu_to_le32(0xf1f2f3f4);
	h->area[11].off = cpu_to_le32(0xc1c2c3c4);
	h->area[11].size = cpu_to_le32(0xd1d2d3d4);
}

static void check_areas(struct kunit *test, const u8 *at)
{
	static const struct { u32 kind, off, size; } area[12] = {
		{ 1, 512, 1024 }, { 2, 1536, 1536 }, { 3, 3072, 256 },
		[11] = { 0xf1f2f3f4, 0xc1c2c3c4, 0xd1d2d3d4 },
	};
	u32 i;

	for (i = 0; i < 12; i++) {
		EXPECT_BYTES(test, at, 344 + 12 * i, area[i].kind, 4);
		EXPECT_BYTES(test, at, 348 + 12 * i, area[i].off, 4);
		EXPECT_BYTES(test, at, 352 + 12 * i, area[i].size, 4);
	}
}

static void check_header_numbers(struct kunit *test, const u8 *at)
{
	EXPECT_BYTES(test, at, 40, 9, 1);
	EXPECT_BYTES(test, at, 41, 2, 1);
	EXPECT_BYTES(test, at, 42, 1, 1);
	EXPECT_BYTES(test, at, 43, 3, 1);
	EXPECT_BYTES(test, at, 44, 0x2122, 2);
	EXPECT_BYTES(test, at, 46, 0, 2);
	EXPECT_BYTES(test, at, 48, 0x11121314, 4);
	EXPECT_BYTES(test, at, 52, 0x21222324, 4);
	EXPECT_BYTES(test, at, 56, 0x3132333435363738ULL, 8);
	EXPECT_BYTES(test, at, 64, 0x4142434445464748ULL, 8);
	EXPECT_BYTES(test, at, 72, 0x5152535455565758ULL, 8);
	EXPECT_BYTES(test, at, 80, 0x6162636465666768ULL, 8);
	EXPECT_BYTES(test, at, 88, 0x7172737475767778ULL, 8);
	EXPECT_BYTES(test, at, 96, 0x8182838485868788ULL, 8);
}

static void check_header_bytes(struct kunit *test, const u8 *at)
{
	u32 i;

	KUNIT_EXPECT_EQ(test, memcmp(at, "JTRIMAGE", 8), 0);
	EXPECT_BYTES(test, at, 8, crc_of(at + 12, 500), 4);
	EXPECT_BYTES(test, at, 12, 2, 2);
	EXPECT_BYTES(test, at, 14, 512, 2);
	EXPECT_BYTES(test, at, 16, 2, 4);
	EXPECT_BYTES(test, at, 20, 0x10101011, 4);
	EXPECT_BYTES(test, at, 24, 0x0102030405060708ULL, 8);
	EXPECT_BYTES(test, at, 32, 4096, 8);
	check_header_numbers(test, at);
	for (i = 104; i < 140; i++)
		EXPECT_BYTES(test, at, i, i < 120 ? 0x91 : 0x92, 1);
	EXPECT_BYTES(test, at, 140, 0, 4);
	EXPECT_BYTES(test, at, 144, 0xb1b2b3b4a1a2a3a4ULL, 8);
	for (i = 152; i < 200; i++)
		EXPECT_BYTES(test, at, i, 'r', 1);
	for (i = 200; i < 336; i++)
		EXPECT_BYTES(test, at, i, i < 304 ? 'p' : 'n', 1);
	EXPECT_BYTES(test, at, 336, 0xe1e2e3e4e5e6e7e8ULL, 8);
	check_areas(test, at);
	for (i = 488; i < 512; i++)
		EXPECT_BYTES(test, at, i, 's', 1);
}

static void header_bytes(struct kunit *test)
{
	struct jtrace_image_header *h = kunit_kzalloc(test, HEADER, GFP_KERNEL);
	u8 *img = kunit_kzalloc(test, 4096, GFP_KERNEL);
	struct jtrace_layout l;

	KUNIT_ASSERT_NOT_NULL(test, h);
	KUNIT_ASSERT_NOT_NULL(test, img);
	fake_layout(&l, 9, JTRACE_KIND_LARGE, 3);
	l.sites_off = 512;
	l.sites_end = 1536;
	l.chunks_off = 1536;
	l.log_off = 3072;
	l.log_size = 256;
	l.size = 4096;
	full_header(h, &l);
	jtrace_header_write(img, h);
	check_header_bytes(test, img);
	check_header_bytes(test, img + 4096 - 512);
	EXPECT_BYTES(test, img, 512, 0, 8);
	EXPECT_BYTES(test, img, 4096 - 520, 0, 8);
}

static void chunk_bytes(struct kunit *test)
{
	struct jtrace_layout l;
	struct jtrace_moment now = { .ticks = 0x4142434445464748ULL,
		.mono = 0x5152535455565758ULL, .boot = 0x6162636465666768ULL };
	struct fake *f;
	const u8 *at;

	fake_layout(&l, 8, JTRACE_KIND_SMALL, 5);
	l.cpus = 0xc1c2;
	f = fake_new(test, &l, 1, false, 1);
	atomic64_set(&f->ring.claims, 0x0000000511223344ULL);
	/* The chunk of the next number has an owner; the one after it is free. */
	f->ring.ctl[0x0000000511223345ULL % 5].state = 1;
	f->rc[0].cpu = 0xabcd;
	KUNIT_ASSERT_TRUE(test, jtrace_ring_claim(&f->ring, &f->rc[0], 0, &now, true));
	at = (const u8 *)jtrace_chunk_at(&l, f->img, 0x0000000511223346ULL % 5);
	KUNIT_EXPECT_EQ(test, memcmp(at, "JTCK", 4), 0);
	EXPECT_BYTES(test, at, 4, jtrace_chunk_check((const void *)at), 4);
	EXPECT_BYTES(test, at, 8, FAKE_ID, 8);
	EXPECT_BYTES(test, at, 16, 0x0000000511223346ULL, 8);
	EXPECT_BYTES(test, at, 24, (at - f->img) / 8, 4);
	EXPECT_BYTES(test, at, 28, 0, 4);
	EXPECT_BYTES(test, at, 32, 0xabcd, 2);
	EXPECT_BYTES(test, at, 34, 8, 1);
	EXPECT_BYTES(test, at, 35, JTRACE_KIND_SMALL, 1);
	EXPECT_BYTES(test, at, 36, 0, 2);
	EXPECT_BYTES(test, at, 38, 0xc1c2, 2);
	EXPECT_BYTES(test, at, 40, now.ticks, 8);
	EXPECT_BYTES(test, at, 48, now.mono, 8);
	EXPECT_BYTES(test, at, 56, now.boot, 8);
}

/* The place of the entries below. */
#define AT	0x40

static void entry_bytes(struct kunit *test)
{
	u64 *img = kunit_kzalloc(test, 8 * AT + 64, GFP_KERNEL), *e = img + AT;
	struct jtrace_ring ring = { .img = (u8 *)img, .image_id = FAKE_ID };
	const u64 cursor = 0xf1f2f3f400000000ULL | AT;

	KUNIT_ASSERT_NOT_NULL(test, img);
	jtrace_ring_fill_large(&ring, cursor, 0x0102030405060708ULL, 0x11121314, 0x21222324,
			       0x91929394cccc1234ULL, 0x4142434431323334ULL, 0x6162636451525354ULL,
			       0x7172737475767778ULL, 0x8182838485868788ULL);
	EXPECT_BYTES(test, e, 0, 0x0102030405060708ULL, 8);
	EXPECT_BYTES(test, e, 8, 0x11121314, 4);
	EXPECT_BYTES(test, e, 12, 0x21222324, 4);
	EXPECT_BYTES(test, e, 16, 0x31323334, 4);
	EXPECT_BYTES(test, e, 20, 0x41424344, 4);
	EXPECT_BYTES(test, e, 24, 0x51525354, 4);
	EXPECT_BYTES(test, e, 28, 0x61626364, 4);
	EXPECT_BYTES(test, e, 32, 0x7172737475767778ULL, 8);
	EXPECT_BYTES(test, e, 40, 0x8182838485868788ULL, 8);
	EXPECT_BYTES(test, e, 48, 0x1234, 2);
	EXPECT_BYTES(test, e, 50, 0xcccc, 2);
	EXPECT_BYTES(test, e, 52, 0x91929394, 4);
	EXPECT_BYTES(test, e, 56, 0, 4);
	EXPECT_BYTES(test, e, 60, 0xf1f2f3f4, 4);

	memset(e, 0, 64);
	jtrace_ring_fill_small(&ring, cursor, 0x0102030405060708ULL, 0x11121314, 7, 0x31323334);
	EXPECT_BYTES(test, e, 0, 0x0102030405060708ULL, 8);
	EXPECT_BYTES(test, e, 8, 0x11121314, 4);
	EXPECT_BYTES(test, e, 12, 0x31323334, 4);
	EXPECT_BYTES(test, e, 16, 0, 4);
	EXPECT_BYTES(test, e, 20, 0xf1f2f3f4, 4);
	EXPECT_BYTES(test, e, 24, 0, 8);
}

/* The slow way: long multiplication by 32-bit digits, written after the uapi header. */
static u64 mix(u64 s, u64 a, u64 b)
{
	u64 x = s ^ a, y = b ^ FAKE_ID * 0x61c8864680b583ebULL;
	u32 digit[4] = { 0 };
	u32 i, k;

	for (i = 0; i < 2; i++) {
		u64 carry = 0;

		for (k = 0; k < 2; k++) {
			carry += (x >> 32 * i & U32_MAX) * (y >> 32 * k & U32_MAX) + digit[i + k];
			digit[i + k] = carry;
			carry >>= 32;
		}
		digit[i + 2] = carry;
	}
	return ((u64)digit[1] << 32 | digit[0]) ^ ((u64)digit[3] << 32 | digit[2]);
}

static void check_values(struct kunit *test)
{
	u64 *img = kunit_kzalloc(test, 8 * AT + 64, GFP_KERNEL), *e = img + AT;
	struct jtrace_ring ring = { .img = (u8 *)img, .image_id = FAKE_ID,
				    .key = jtrace_check_key(FAKE_ID), .checked = true };
	const u64 cursor = 0xf1f2f3f400000000ULL | AT;
	u64 s;

	KUNIT_ASSERT_NOT_NULL(test, img);
	jtrace_ring_fill_large(&ring, cursor, 0x0102030405060708ULL, 0x11121314, 0x21222324,
			       0x91929394cccc1234ULL, 0x4142434431323334ULL, 0x6162636451525354ULL,
			       0x7172737475767778ULL, 0x8182838485868788ULL);
	s = mix(0, cursor, 0x91929394cccc1234ULL);
	s = mix(s, 0x4142434431323334ULL, 0x6162636451525354ULL);
	s = mix(s, 0x7172737475767778ULL, 0x8182838485868788ULL);
	s = mix(s, 0x0102030405060708ULL, 0x2122232411121314ULL);
	EXPECT_BYTES(test, e, 56, (u32)s, 4);
	EXPECT_BYTES(test, e, 60, 0xf1f2f3f4, 4);

	memset(e, 0, 64);
	jtrace_ring_fill_small(&ring, cursor, 0x0102030405060708ULL, 0x11121314, 7, 0x31323334);
	s = mix(mix(0, cursor, 0), 0x0102030405060708ULL, 0x3132333411121314ULL);
	EXPECT_BYTES(test, e, 16, (u32)(s + 0x70007), 4);
	EXPECT_BYTES(test, e, 20, 0xf1f2f3f4, 4);
}

static void site_bytes(struct kunit *test)
{
	struct jtrace_layout l;
	struct fake *f;
	u32 n;
	const u8 *at;

	fake_layout(&l, 8, JTRACE_KIND_SMALL, 5);
	f = fake_new(test, &l, 1, false, 1);
	n = jtrace_site_intern(&f->sites, "Tag", "dir/f.c", "fn", 0x01020304, JTRACE_SITE_EVENT,
			       0x80945612);
	at = f->img + n * 8;
	KUNIT_EXPECT_EQ(test, memcmp(at, "JTST", 4), 0);
	EXPECT_BYTES(test, at, 4, crc_of(at + 8, 24 + 8), 4);
	EXPECT_BYTES(test, at, 8, FAKE_ID, 8);
	EXPECT_BYTES(test, at, 16, n, 4);
	EXPECT_BYTES(test, at, 20, 0x01020304, 4);
	EXPECT_BYTES(test, at, 24, 3 | 3 << 8 | 2 << 16 | 3 << 24, 4);
	EXPECT_BYTES(test, at, 28, 0x80945612, 4);
	KUNIT_EXPECT_EQ(test, memcmp(at + 32, "Tagf.cfn", 8), 0);
}

static void header_round_trip(struct kunit *test)
{
	struct jtrace_image_header *h = kunit_kzalloc(test, 2 * HEADER, GFP_KERNEL), *back = h + 1;
	u8 *img = kunit_kzalloc(test, 65536, GFP_KERNEL);
	struct jtrace_layout l, told;
	u32 kind, size;

	KUNIT_ASSERT_NOT_NULL(test, h);
	KUNIT_ASSERT_NOT_NULL(test, img);
	for (size = 4096; size <= 65536; size += 128) {
		for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
			KUNIT_ASSERT_NE(test, jtrace_layout_plan(&l, size, 0, 4, kind),
					JTRACE_FIT_NONE);
			full_header(h, &l);
			jtrace_header_write(img, h);
			KUNIT_ASSERT_EQ(test, jtrace_header_read(img, size, size, back, &told),
					JTRACE_HEADER_OK);
			KUNIT_ASSERT_EQ(test, memcmp(h, back, HEADER), 0);
			KUNIT_ASSERT_EQ(test, told.size, l.size);
			KUNIT_ASSERT_EQ(test, told.sites_off, l.sites_off);
			KUNIT_ASSERT_EQ(test, told.sites_end, l.sites_end);
			KUNIT_ASSERT_EQ(test, told.chunks_off, l.chunks_off);
			KUNIT_ASSERT_EQ(test, told.nr_chunks, l.nr_chunks);
			KUNIT_ASSERT_EQ(test, told.chunk_shift, l.chunk_shift);
			KUNIT_ASSERT_EQ(test, told.kind, l.kind);
			KUNIT_ASSERT_EQ(test, told.entry_size, l.entry_size);
			KUNIT_ASSERT_EQ(test, told.entries, l.entries);
			KUNIT_ASSERT_EQ(test, told.first_off, l.first_off);
		}
	}
}

struct broken {
	struct jtrace_image_header *h;
	struct jtrace_trace *t;
	struct jtrace_layout l;
	u8 *img;
};

static struct broken *broken_new(struct kunit *test)
{
	struct broken *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->h = kunit_kzalloc(test, HEADER, GFP_KERNEL);
	b->t = kunit_kzalloc(test, sizeof(*b->t), GFP_KERNEL);
	b->img = kunit_kzalloc(test, 4096, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->h);
	KUNIT_ASSERT_NOT_NULL(test, b->t);
	KUNIT_ASSERT_NOT_NULL(test, b->img);
	jtrace_layout_plan(&b->l, 4096, 0, 1, JTRACE_KIND_SMALL);
	jtrace_header_init(b->h, &b->l, FAKE_ID);
	jtrace_header_write(b->img, b->h);
	return b;
}

static enum jtrace_header_fault broken_read(struct broken *b)
{
	struct jtrace_layout l;

	return jtrace_header_read(b->img, 4096, 4096, &b->t->header, &l);
}

static void bit_flips_are_refused(struct kunit *test)
{
	struct broken *b = broken_new(test);
	u32 bit;

	for (bit = 0; bit < HEADER * 8; bit++) {
		b->img[bit / 8] ^= 1 << bit % 8;
		KUNIT_ASSERT_EQ(test, broken_read(b),
				bit < 64 ? JTRACE_HEADER_MAGIC : JTRACE_HEADER_CRC);
		/* The header at the other end is still valid. */
		KUNIT_ASSERT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_WHOLE);
		b->img[bit / 8] ^= 1 << bit % 8;
	}
	KUNIT_EXPECT_EQ(test, broken_read(b), JTRACE_HEADER_OK);
}

static void either_end_suffices(struct kunit *test)
{
	struct broken *b = broken_new(test);
	struct jtrace_layout *l = &b->t->l;

	memset(b->img, 0xff, HEADER);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_WHOLE);
	KUNIT_EXPECT_EQ(test, memcmp(&b->t->header, b->h, HEADER), 0);
	KUNIT_EXPECT_EQ(test, l->chunks_off, b->l.chunks_off);
	/* In an image that is cut off or too long, the backup header is not at the end. */
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096 - 8), JTRACE_EMPTY);
	memcpy(b->img + 4096 - 8 - HEADER, b->h, HEADER);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096 - 8), JTRACE_EMPTY);
	memset(b->img + 4096 - HEADER, 0, HEADER);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_EMPTY);

	/* A backup header of a shorter image does not say where that image begins. */
	jtrace_layout_plan(&b->l, 3968, 0, 1, JTRACE_KIND_SMALL);
	jtrace_header_init(b->h, &b->l, FAKE_ID);
	jtrace_header_write(b->img, b->h);
	memcpy(b->img + 4096 - HEADER, b->img, HEADER);
	memset(b->img, 0, HEADER);
	memset(b->img + 3968 - HEADER, 0, 128);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_EMPTY);
}

static void clean_from_either_end(struct kunit *test)
{
	struct broken *b = broken_new(test);

	b->h->state = JTRACE_STATE_CLEAN;
	jtrace_header_write(b->img, b->h);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_CLEAN);
	memset(b->img, 0, HEADER);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_CLEAN);
	memset(b->img + 4096 - HEADER, 0, HEADER);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_EMPTY);
}

static void too_short_is_refused(struct kunit *test)
{
	struct broken *b = broken_new(test);
	struct jtrace_layout l;
	u32 len;

	for (len = 0; len < 4096; len++) {
		KUNIT_ASSERT_EQ(test, jtrace_header_read(b->img, len, len, &b->t->header, &l),
				len < HEADER ? JTRACE_HEADER_MAGIC : JTRACE_HEADER_CUT);
		KUNIT_ASSERT_EQ(test, jtrace_recover_open(b->t, b->img, len),
				len < HEADER ? JTRACE_EMPTY : JTRACE_WHOLE);
	}
	/* Bytes after an image do no harm. */
	b->h->image_size = cpu_to_le64(3968);
	b->h->area[1].size = 0;
	jtrace_header_write(b->img, b->h);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_WHOLE);
	KUNIT_EXPECT_EQ(test, b->t->l.size, 3968);
}

/* An area of a kind and a feature that these readers do not know; one that they must know. */
static void unknown_features(struct kunit *test)
{
	struct broken *b = broken_new(test);
	u32 bit;

	for (bit = 0; bit < 32; bit++) {
		b->h->compat = cpu_to_le32(1U << bit);
		b->h->area[5].kind = cpu_to_le32(4U + bit);
		b->h->area[5].off = cpu_to_le32(b->l.chunks_off);
		b->h->area[5].size = cpu_to_le32(U32_MAX);
		b->h->incompat = 0;
		jtrace_header_write(b->img, b->h);
		KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_WHOLE);
		KUNIT_EXPECT_EQ(test, b->t->l.nr_chunks, b->l.nr_chunks);

		b->h->incompat = cpu_to_le32(1U << bit);
		jtrace_header_write(b->img, b->h);
		KUNIT_EXPECT_EQ(test, broken_read(b), bit < 2 ? JTRACE_HEADER_OK :
							JTRACE_HEADER_INCOMPAT);
		/* Not by the other header, or by the chunks. */
		KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096),
				bit < 2 ? JTRACE_WHOLE : JTRACE_UNREADABLE);
		memset(b->img, 0, HEADER);
		KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096),
				bit < 2 ? JTRACE_WHOLE : JTRACE_UNREADABLE);
	}
}

/* Areas may stand in any order; of two of one kind the first counts. */
static void areas_in_any_order(struct kunit *test)
{
	struct broken *b = broken_new(test);
	struct jtrace_area *a = b->h->area;

	a[JTRACE_AREAS - 1] = a[0];
	a[7] = a[1];
	memset(a, 0, 2 * sizeof(*a));
	a[9].kind = cpu_to_le32(JTRACE_AREA_CHUNKS);
	jtrace_header_write(b->img, b->h);
	KUNIT_EXPECT_EQ(test, broken_read(b), JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(b->t, b->img, 4096), JTRACE_WHOLE);
	KUNIT_EXPECT_EQ(test, b->t->l.chunks_off, b->l.chunks_off);
	KUNIT_EXPECT_EQ(test, b->t->l.nr_chunks, b->l.nr_chunks);
	KUNIT_EXPECT_EQ(test, b->t->l.sites_end, b->l.sites_end);
	a[7].kind = 0;
	jtrace_header_write(b->img, b->h);
	KUNIT_EXPECT_EQ(test, broken_read(b), JTRACE_HEADER_LAYOUT);
}

/* Return the verdict on a header with another value in a field. */
static enum jtrace_header_fault with(struct broken *b, u32 off, u32 len, u64 value)
{
	enum jtrace_header_fault fault;
	u8 was[8];
	u32 i;

	memcpy(was, b->img + off, len);
	for (i = 0; i < len; i++)
		b->img[off + i] = value >> 8 * i;
	i = crc_of(b->img + 12, le16_to_cpu(((struct jtrace_image_header *)b->img)->header_size) -
		   12);
	*(__le32 *)(b->img + 8) = cpu_to_le32(i);
	fault = broken_read(b);
	memcpy(b->img + off, was, len);
	return fault;
}

#define WITH(b, field, value)						\
	with(b, offsetof(struct jtrace_image_header, field),		\
	     sizeof(((struct jtrace_image_header *)0)->field), value)

static void other_versions_are_refused(struct kunit *test)
{
	struct broken *b = broken_new(test);

	KUNIT_EXPECT_EQ(test, WITH(b, version, 2), JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, WITH(b, version, 0), JTRACE_HEADER_VERSION);
	KUNIT_EXPECT_EQ(test, WITH(b, version, 1), JTRACE_HEADER_VERSION);
	KUNIT_EXPECT_EQ(test, WITH(b, version, 3), JTRACE_HEADER_VERSION);
	KUNIT_EXPECT_EQ(test, WITH(b, version, 0x102), JTRACE_HEADER_VERSION);
	KUNIT_EXPECT_EQ(test, WITH(b, header_size, 384), JTRACE_HEADER_VERSION);
	KUNIT_EXPECT_EQ(test, WITH(b, header_size, 32), JTRACE_HEADER_VERSION);
	KUNIT_EXPECT_EQ(test, WITH(b, header_size, 24), JTRACE_HEADER_CRC);
	KUNIT_EXPECT_EQ(test, WITH(b, header_size, 504), JTRACE_HEADER_VERSION);
	KUNIT_EXPECT_EQ(test, WITH(b, header_size, 520), JTRACE_HEADER_VERSION);
	KUNIT_EXPECT_EQ(test, WITH(b, image_id, 0), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, image_id, 1), JTRACE_HEADER_OK);
}

static void wrong_sizes_are_refused(struct kunit *test)
{
	struct broken *b = broken_new(test);
	const u32 chunk = 1U << b->l.chunk_shift, size = b->l.nr_chunks * chunk;
	u32 i;

	KUNIT_EXPECT_EQ(test, WITH(b, image_size, 4096), JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, WITH(b, image_size, 4097), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, image_size, 4096 + JTRACE_SIZE_ALIGN), JTRACE_HEADER_CUT);
	KUNIT_EXPECT_EQ(test, WITH(b, image_size, 4096 - JTRACE_SIZE_ALIGN / 2),
			JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, image_size, 0), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, image_size, 1023), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, image_size, (1ULL << 32) + 4096), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, image_size, ~0ULL), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].size, size - chunk), JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].size, size - 8), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].size, size + chunk), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].size, 0U - chunk), JTRACE_HEADER_LAYOUT);
	for (i = 0; i < 256; i++) {
		if (i < 7 || i > 12)
			KUNIT_EXPECT_EQ(test, WITH(b, chunk_shift, i), JTRACE_HEADER_LAYOUT);
		if (i != JTRACE_KIND_SMALL && i != JTRACE_KIND_LARGE)
			KUNIT_EXPECT_EQ(test, WITH(b, kind, i), JTRACE_HEADER_LAYOUT);
	}
}

static void wrong_offsets_are_refused(struct kunit *test)
{
	struct broken *b = broken_new(test);
	const u32 chunk = 1U << b->l.chunk_shift, sites = b->l.sites_end - b->l.sites_off;

	KUNIT_EXPECT_EQ(test, WITH(b, area[0].off, 0), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].off, 504), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].off, 508), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].off, 520), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].off, U32_MAX - 7), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].size, sites - 8), JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].size, 0), JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].size, sites + 1), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].size, U32_MAX), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[0].kind, 0), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].kind, 0), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].off, b->l.chunks_off + 8), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].off, b->l.chunks_off - chunk), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].off, b->l.chunks_off + chunk), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].off, 0), JTRACE_HEADER_LAYOUT);
	KUNIT_EXPECT_EQ(test, WITH(b, area[1].off, 0U - chunk), JTRACE_HEADER_LAYOUT);
}

static struct kunit_case image_cases[] = {
	KUNIT_CASE(crc_is_crc32c),
	KUNIT_CASE(header_bytes),
	KUNIT_CASE(chunk_bytes),
	KUNIT_CASE(entry_bytes),
	KUNIT_CASE(check_values),
	KUNIT_CASE(site_bytes),
	KUNIT_CASE(header_round_trip),
	KUNIT_CASE(bit_flips_are_refused),
	KUNIT_CASE(either_end_suffices),
	KUNIT_CASE(clean_from_either_end),
	KUNIT_CASE(too_short_is_refused),
	KUNIT_CASE(other_versions_are_refused),
	KUNIT_CASE(unknown_features),
	KUNIT_CASE(areas_in_any_order),
	KUNIT_CASE(wrong_sizes_are_refused),
	KUNIT_CASE(wrong_offsets_are_refused),
	{}
};

static struct kunit_suite jtrace_image_suite = {
	.name = "jtrace_image_test",
	.test_cases = image_cases,
};

kunit_test_suite(jtrace_image_suite);
