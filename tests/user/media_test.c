// SPDX-License-Identifier: GPL-2.0
/*
 * Records that outlive the machine.
 *
 * A second memory, the media, gets a line of the image only when the line is written back.  The
 * machine may die before any shared access, within any record and within a record that
 * interrupts it.  The media alone must then show each record that had returned and whose chunk
 * was not claimed again, with its site, and nothing that was not recorded.  And lib/ writes back
 * no more lines than this needs.
 *
 * This file compiles lib/ with a hook before each shared access.
 */

#define JTRACE_LINE_BACK

#include <kunit/test.h>

#include "../../lib/base/env.h"

#include "hook.h"
#include "../kunit/random.h"

#include "../../lib/image/image.c"
#include "../../lib/image/chunk.c"
#include "../../lib/image/ring.c"
#include "../../lib/image/site.c"
#include "../../lib/image/module.c"
#include "../../lib/image/task.c"
#include "../../lib/image/stack.c"
#include "../../lib/base/keys.c"
#include "../../lib/read/time.c"
#include "../../lib/image/log.c"
#include "../../lib/read/log.c"
#include "../../lib/read/cause.c"
#include "../../lib/read/recover.c"
#include "../../lib/read/walk.c"

#define CPUS		2
#define MOST		400
#define SITES		9
#define IMAGE_ID	0x5566778899aabbccULL
#define NEVER		U32_MAX

struct rec {
	u64 time;
	u32 site;
	u32 place;
	u32 seq;
	u8 cpu;
	bool reserved;
	bool returned;
	bool cleared;
	bool seen;
};

static struct media {
	struct kunit *test;
	struct jtrace_layout l;
	struct jtrace_ring ring;
	struct jtrace_ring_cpu *rc;
	struct jtrace_chunk_ctl *ctl;
	struct jtrace_sites sites;
	struct jtrace_image_header h;
	struct jtrace_trace t;
	u8 *img;
	u8 *media;
	void *room;
	u32 *index;
	struct rec rec[MOST];
	u32 nr;
	u32 site_nr;		/* number of different sites */
	u64 now;
	u32 lines;		/* lines written back */
	u64 rnd;
	bool evict;		/* lines also reach the media without write-back */
	/* The hook. */
	bool off;
	u32 count;
	u32 at;			/* a record interrupts here */
	u32 step;		/* the machine may die at every @step-th access */
	u64 deaths;
	void (*die)(void);
} *m;

void jtrace_line_back(const void *at)
{
	u64 off = ((const u8 *)at - m->img) & ~(JTRACE_LINE - 1ULL);

	KUNIT_ASSERT_LE(m->test, off + JTRACE_LINE, ALIGN(m->l.size, (u64)JTRACE_LINE));
	memcpy(m->media + off, m->img + off, JTRACE_LINE);
	m->lines++;
}

/* ---- The writer ------------------------------------------------------- */

static u32 site_of(u32 n)
{
	char tag[64], func[32];
	u32 k = n * 5 % m->site_nr;

	/* Strings of all lengths: a record has up to three lines. */
	memset(tag, 'a' + k, sizeof(tag));
	tag[1 + k * 7] = 0;
	snprintf(func, sizeof(func), "function_%u", k);
	return jtrace_site_intern(&m->sites, tag, "dir/file.c", func, k, JTRACE_SITE_CALL, 0);
}

static __always_inline u64 read_cursor(void *data)
{
	struct rec *r = data;

	return READ_ONCE(m->rc[r->cpu].cursor);
}

static __always_inline u64 read_clock(void *data)
{
	struct rec *r = data;

	r->time = m->now++;
	return r->time;
}

static __always_inline bool take_slot(void *data, u64 cursor, u64 next)
{
	struct rec *r = data;

	if (!jtrace_ring_move(&m->rc[r->cpu], cursor, next))
		return false;
	r->place = cursor;
	r->seq = cursor >> 32;
	r->reserved = true;
	return true;
}

static __always_inline u32 read_cpu(void *data)
{
	struct rec *r = data;

	return r->cpu;
}

static __always_inline u64 read_origin(void *data)
{
	return read_cpu(data);
}

static __always_inline u32 read_tid(void *data)
{
	struct rec *r = data;

	return 3 * (r - m->rec);
}

static enum jtrace_tried try(struct rec *r)
{
	const struct jtrace_ring_writer writer = {
		.cursor = read_cursor, .clock = read_clock, .take = take_slot,
		.cpu = read_cpu, .origin = read_origin, .tid = read_tid,
	};
	const u32 n = r - m->rec;

	return jtrace_ring_try(&m->ring, writer, r, &r->site, n, n * 7ULL, n * 11ULL, n * 13ULL,
			       m->l.kind == JTRACE_KIND_LARGE, m->ring.checked,
			       m->ring.write_back);
}

static void record(u32 cpu)
{
	struct jtrace_ring_cpu *rc = &m->rc[cpu];
	u32 n = m->nr++;
	struct rec *r = &m->rec[n];

	KUNIT_ASSERT_LT(m->test, n, MOST);
	r->cpu = cpu;
	r->site = site_of(n);
	while (try(r) != JTRACE_RECORDED) {
		struct jtrace_moment now = { m->now, m->now, m->now };
		u64 cursor = READ_ONCE(rc->cursor);

		if (jtrace_ring_full(&m->ring, cursor) &&
		    !jtrace_ring_claim(&m->ring, rc, cursor, &now, true))
			return;
	}
	r->returned = true;
}

/* ---- The reader of the media ------------------------------------------ */

static void check_event(const struct jtrace_decoded *ev)
{
	u32 n = ev->arg[0], k = n * 5 % m->site_nr;
	struct jtrace_site_text text;
	struct rec *r = &m->rec[n];
	char func[32];

	KUNIT_ASSERT_LT(m->test, n, m->nr);
	KUNIT_ASSERT_FALSE_MSG(m->test, r->seen, "twice: %u", n);
	r->seen = true;
	KUNIT_ASSERT_TRUE_MSG(m->test, r->reserved && ev->time == r->time &&
			      ev->cpu == r->cpu && ev->site == r->site, "false: %u", n);
	if (m->l.kind == JTRACE_KIND_LARGE)
		KUNIT_ASSERT_TRUE(m->test, ev->tid == n * 3 && ev->arg[2] == n * 7 &&
				  ev->wide[0] == n * 11ULL && ev->wide[1] == n * 13ULL);
	KUNIT_ASSERT_TRUE_MSG(m->test, jtrace_site_read(&m->l, m->media, IMAGE_ID, ev->site,
							&text), "site of %u", n);
	snprintf(func, sizeof(func), "function_%u", k);
	KUNIT_ASSERT_TRUE(m->test, !strcmp(text.func, func) && text.line == k);
}

/* Does a record's chunk still have the claim of the record? */
static bool in_the_ring(const struct rec *r)
{
	u64 at = (u64)r->place * JTRACE_GRANULE - m->l.chunks_off;

	return (u32)(m->ctl[at >> m->l.chunk_shift].state >> 1) == r->seq;
}

static void check_media(void)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u64 before = 0;
	u32 i, n = 0;

	for (i = 0; i < m->nr; i++)
		m->rec[i].seen = false;
	jtrace_recover_open(&m->t, m->media, m->l.size);
	KUNIT_ASSERT_EQ(m->test, m->t.verdict, JTRACE_WHOLE);
	jtrace_recover_scan(&m->t, m->room);
	/*
	 * The header of a claim reaches memory before its entries, except those of a record that
	 * interrupts the claim.
	 */
	if (!m->evict)
		KUNIT_ASSERT_LE(m->test, m->t.damage.nr[JTRACE_FAULT_RESCUED], m->at != NEVER);
	jtrace_walk_each(&walk, &m->t, ev) {
		check_event(ev);
		KUNIT_ASSERT_TRUE(m->test, !n++ || before < ev->time);
		before = ev->time;
	}
	KUNIT_ASSERT_EQ(m->test, m->t.found, n);
	for (i = 0; i < m->nr; i++) {
		const struct rec *r = &m->rec[i];

		if (r->returned && !r->cleared && in_the_ring(r))
			KUNIT_ASSERT_TRUE_MSG(m->test, r->seen, "lost: %u of %u", i, m->nr);
		KUNIT_ASSERT_FALSE(m->test, r->cleared && r->seen);
	}
}

static void evict_some(void)
{
	u32 line = random_below(&m->rnd, m->l.size / JTRACE_LINE) * JTRACE_LINE;

	memcpy(m->media + line, m->img + line, JTRACE_LINE);
}

static void hook(void)
{
	if (!m || m->off)
		return;
	m->off = true;
	if (m->evict)
		evict_some();
	if (m->count % m->step == 0) {
		m->die();
		m->deaths++;
	}
	if (m->count++ == m->at) {
		/* The machine may die within the interrupting record, too. */
		m->off = false;
		record(0);
		m->off = true;
	}
	m->off = false;
}

/* ---- Machines --------------------------------------------------------- */

static void write_header(u8 state)
{
	m->h.state = state;
	jtrace_header_write(m->img, &m->h);
}

static void reset(u8 shift, u8 kind, u32 chunks, bool keep)
{
	memset(m->img, 0, 16384);
	memset(m->media, 0, 16384);
	memset(m->ctl, 0, 64 * sizeof(*m->ctl));
	memset(m->rc, 0, CPUS * sizeof(*m->rc));
	m->rc[1].cpu = 1;
	memset(m->rec, 0, sizeof(m->rec));
	m->nr = 0;
	m->now = 1;
	m->off = true;
	m->count = 0;
	m->at = NEVER;
	memset(&m->l, 0, sizeof(m->l));
	jtrace_layout_chunk(&m->l, shift, kind);
	m->l.form |= JTRACE_FORM_CHECKED;
	m->l.sites_off = 512;
	m->l.sites_end = 1536;
	m->l.chunks_off = ALIGN(1536, 1 << shift);
	m->l.nr_chunks = chunks;
	m->l.size = m->l.chunks_off + (chunks << shift) + 512;
	m->l.size = ALIGN(m->l.size, (u64)JTRACE_SIZE_ALIGN);
	memset(m->index, 0, 4096);
	jtrace_sites_init(&m->sites, &m->l, m->img, IMAGE_ID, m->index, 0, true);
	jtrace_ring_init(&m->ring, &m->l, m->img, IMAGE_ID, m->ctl,
			 JTRACE_RING_WRITE_BACK | (keep ? JTRACE_RING_KEEP_PREVIOUS : 0));
	jtrace_header_init(&m->h, &m->l, IMAGE_ID);
	m->h.compat |= cpu_to_le32(JTRACE_COMPAT_CACHED);
	m->h.nr_cpus = cpu_to_le32(CPUS);
	write_header(JTRACE_STATE_RUNNING);
	m->lines = 0;
}

static void media_new(struct kunit *test)
{
	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	m->test = test;
	m->rc = kunit_kcalloc(test, CPUS, sizeof(*m->rc), GFP_KERNEL);
	m->ctl = kunit_kcalloc(test, 64, sizeof(*m->ctl), GFP_KERNEL);
	m->img = kunit_kzalloc(test, 16384, GFP_KERNEL);
	m->media = kunit_kzalloc(test, 16384, GFP_KERNEL);
	m->room = kunit_kzalloc(test, 16384, GFP_KERNEL);
	m->index = kunit_kzalloc(test, 4096, GFP_KERNEL);
	m->site_nr = SITES;
	m->step = 1;
	m->die = check_media;
}

/* Death before each access of a long run, on two CPUs, with and without evicted lines. */
static void dies_anywhere(struct kunit *test)
{
	u32 kind, shift, evict, i;

	for (evict = 0; evict < 2; evict++) {
		for (shift = 7; shift <= 9; shift++) {
			for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
				media_new(test);
				m->evict = evict;
				m->rnd = shift * 7 + kind;
				reset(shift, kind, 8, true);
				m->off = false;
				for (i = 0; i < 150; i++) {
					record(i / 4 % CPUS);
					m->off = true;
					check_media();
					m->off = false;
				}
				KUNIT_EXPECT_GT(test, m->deaths, 1500);
				kunit_info(test, "%llu deaths", (unsigned long long)m->deaths);
				m = NULL;
			}
		}
	}
}

/* Another record interrupts before each access; death before each access of both. */
static void dies_interrupted(struct kunit *test)
{
	u32 kind, i, before, at;
	u64 deaths = 0;

	for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
		for (before = 0; before < 32; before += 1 + before / 4) {
			media_new(test);
			for (at = 0; ; at++) {
				reset(8, kind, 6, before & 1);
				for (i = 0; i < before; i++)
					record(i % 5 == 4);
				m->at = at;
				m->off = false;
				record(0);
				m->off = true;
				check_media();
				if (m->count <= at)
					break;
				m->off = false;
				record(1);
				record(0);
				m->off = true;
				check_media();
			}
			KUNIT_EXPECT_GT(test, at, 12);
			deaths += m->deaths;
			m = NULL;
		}
	}
	kunit_info(test, "%llu deaths", (unsigned long long)deaths);
}

/* ---- No more write-back than that ------------------------------------- */

static u32 lines_of(u64 at, u64 bytes)
{
	return (at + bytes - 1) / JTRACE_LINE - at / JTRACE_LINE + 1;
}

static u32 lines_of_site(u32 number)
{
	const struct jtrace_site_record *r = (void *)(m->img + number * JTRACE_GRANULE);

	return lines_of(number * JTRACE_GRANULE, jtrace_site_granules(r) * JTRACE_GRANULE);
}

/* One line for an entry, two if it straddles; one for a claim; the lines of a new site. */
static void no_line_too_many(struct kunit *test)
{
	u32 kind, shift, i, straddled = 0, claims = 0;

	for (shift = 7; shift <= 10; shift++) {
		for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
			media_new(test);
			reset(shift, kind, 8, true);
			for (i = 0; i < 300; i++) {
				u32 want, cpu = i / 3 % CPUS, sites = m->sites.next;
				u64 cursor = m->rc[cpu].cursor;

				m->lines = 0;
				record(cpu);
				want = lines_of((u64)m->rec[i].place * JTRACE_GRANULE,
						m->l.entry_size);
				KUNIT_ASSERT_LE(test, want, kind == JTRACE_KIND_SMALL ? 2 : 1);
				straddled += want == 2;
				if (cursor >> 32 != m->rc[cpu].cursor >> 32) {
					claims++;
					want++;
				}
				if (sites != m->sites.next)
					want += lines_of_site(m->rec[i].site);
				KUNIT_ASSERT_EQ_MSG(test, m->lines, want, "record %u", i);
			}
			m = NULL;
		}
	}
	KUNIT_EXPECT_GT(test, straddled, 100);
	KUNIT_EXPECT_GT(test, claims, 100);
}

/* A volatile ring and its sites write nothing back. */
static void volatile_writes_nothing_back(struct kunit *test)
{
	u32 i;

	media_new(test);
	reset(8, JTRACE_KIND_SMALL, 8, true);
	m->ring.write_back = false;
	m->sites.write_back = false;
	for (i = 0; i < 100; i++)
		record(i & 1);
	m->h.compat = 0;
	write_header(JTRACE_STATE_CLEAN);
	KUNIT_EXPECT_EQ(test, m->lines, 0);
	m = NULL;
}

/* ---- Headers ---------------------------------------------------------- */

/* A header of the old or of the new state is there; the backup is written after the first. */
static void check_headers(void)
{
	const u64 copy = m->l.size - sizeof(m->h);
	const struct jtrace_image_header *first = (void *)m->media;
	struct jtrace_image_header old = m->h;

	old.state = JTRACE_STATE_RUNNING;
	old.crc = cpu_to_le32(jtrace_crc32c(~0U, (u8 *)&old + CRC_FROM, HEADER_SIZE - CRC_FROM));
	if (memcmp(m->img + copy, &old, sizeof(old)))
		KUNIT_ASSERT_EQ(m->test, memcmp(first, &m->h, sizeof(m->h)), 0);
	jtrace_recover_open(&m->t, m->media, m->l.size);
	KUNIT_ASSERT_EQ(m->test, m->t.verdict, JTRACE_WHOLE);
	KUNIT_ASSERT_EQ(m->test, m->t.damage.nr[JTRACE_FAULT_HEADERS], 0);
	KUNIT_ASSERT_TRUE(m->test, m->t.header.state == JTRACE_STATE_RUNNING ||
			  m->t.header.state == JTRACE_STATE_PANICKED);
}

static void header_by_header(struct kunit *test)
{
	u32 evict;

	for (evict = 0; evict < 50; evict++) {
		media_new(test);
		reset(8, JTRACE_KIND_LARGE, 8, true);
		m->die = check_headers;
		m->evict = evict;
		m->rnd = evict;
		m->off = false;
		write_header(JTRACE_STATE_PANICKED);
		m->off = true;
		check_headers();
		KUNIT_EXPECT_EQ(test, m->t.header.state, JTRACE_STATE_PANICKED);
		/* The header at the end may not begin with a line. */
		KUNIT_EXPECT_EQ(test, m->lines, lines_of(0, HEADER_SIZE) +
				lines_of(m->l.size - HEADER_SIZE, HEADER_SIZE));
		KUNIT_EXPECT_GT(test, m->deaths, 150);
		m = NULL;
	}
}

static void nothing(void)
{
}

/* Cleared events stay hidden; later events are shown. */
static void cleared_in_the_media(struct kunit *test)
{
	u32 i, k, kind;

	for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
		media_new(test);
		m->die = nothing;
		reset(8, kind, 8, true);
		for (k = 0; k < 20; k++) {
			for (i = 0; i < 3 + k; i++) {
				record(i & 1);
				check_media();
			}
			m->h.floor = cpu_to_le64(jtrace_ring_floor_next(&m->ring));
			for (i = 0; i < CPUS; i++)
				jtrace_ring_close(&m->ring, &m->rc[i]);
			write_header(JTRACE_STATE_RUNNING);
			for (i = 0; i < m->nr; i++)
				m->rec[i].cleared = true;
			check_media();
			KUNIT_EXPECT_EQ(test, m->t.found, 0);
		}
		m = NULL;
	}
}

/* An image that is half cleared is not reported as whole. */
static void check_clearing(void)
{
	enum jtrace_verdict v = jtrace_recover_open(&m->t, m->media, m->l.size);

	if (v == JTRACE_EMPTY || v == JTRACE_UNREADABLE)
		return;
	jtrace_recover_scan(&m->t, m->room);
	if (m->t.verdict != JTRACE_DAMAGED)
		check_media();
}

static void dies_in_clearing(struct kunit *test)
{
	u32 kind, shift, rnd, i;

	for (rnd = 0; rnd < 20; rnd++) {
		for (shift = 7; shift <= 9; shift++) {
			for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
				media_new(test);
				m->die = check_clearing;
				m->evict = true;
				m->rnd = rnd * 7 + shift;
				reset(shift, kind, 8, true);
				for (i = 0; i < 80; i++)
					record(i / 4 % CPUS);
				check_media();
				m->off = false;
				jtrace_image_clear(m->img, m->l.size, true);
				m->off = true;
				KUNIT_EXPECT_GE(test, m->deaths, m->l.size / sizeof(u64));
				KUNIT_EXPECT_EQ(test, jtrace_recover_open(&m->t, m->media,
									  m->l.size),
						JTRACE_EMPTY);
				m = NULL;
			}
		}
	}
}

static struct kunit_case media_cases[] = {
	KUNIT_CASE(dies_anywhere),
	KUNIT_CASE(dies_interrupted),
	KUNIT_CASE(no_line_too_many),
	KUNIT_CASE(volatile_writes_nothing_back),
	KUNIT_CASE(header_by_header),
	KUNIT_CASE(cleared_in_the_media),
	KUNIT_CASE(dies_in_clearing),
	{}
};

static struct kunit_suite media_suite = {
	.name = "media_test",
	.test_cases = media_cases,
};

kunit_test_suite(media_suite);
