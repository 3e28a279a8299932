/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A record as jtrace_record() makes it, in rings of several kinds, and other ways
 * to get an entry to memory.  Thread and context are constants here, which the
 * kernel reads from its own variables, and there is no preemption to disable.
 *
 * lib/ is compiled here with the instructions that a kernel would use where
 * user space does without: cmpxchg without lock, clwb, sfence.
 */
#ifndef _BENCH_NATIVE_RING_H
#define _BENCH_NATIVE_RING_H

#define JTRACE_LINE_BACK

#include <stdlib.h>
#include <x86intrin.h>

#include "../../lib/env.h"

/* As the kernel's: no interrupt comes between, and no other CPU asks. */
#undef cmpxchg_local
#define cmpxchg_local(p, old, new)					\
({									\
	__typeof__(*(p)) _was = (old);					\
	static_assert(sizeof(_was) == 8);				\
	__asm__ __volatile__("cmpxchgq %2, %1"				\
			     : "+a" (_was), "+m" (*(p)) : "r" ((u64)(new)) : "memory"); \
	_was;								\
})

__always_inline void jtrace_line_back(const void *at)
{
	__asm__ __volatile__("clwb %0" : "+m" (*(volatile u8 *)at));
}

static __always_inline void store_fence(void)
{
	__asm__ __volatile__("sfence" : : : "memory");
}

#define jtrace_write_back_wait() store_fence()

#include "../../lib/image.c"
#include "../../lib/chunk.c"
#include "../../lib/ring.c"

#define CPUS		2
#define IMAGE_ID	0x1122334455667788ULL
#define DEEP_SIZE	0x100000
#define LINE		JTRACE_LINE

/* Of a record: the thread, and its CPU and context. */
#define TID		4711
#define WHO		(me | 0x10000)

/* ---- Rings ------------------------------------------------------------ */

/* How an entry gets to memory. */
enum policy {
	P_NONE,			/* when the cache pleases */
	P_CLWB,			/* lib/ring.h: clwb of its line, the next is fetched */
	P_PLAIN,		/* the same, but nothing is fetched */
	P_CLFLUSHOPT,		/* the line leaves the cache in any case */
	P_PREV,			/* clwb of the line before: one record late */
	P_CHUNK,		/* clwb of all lines of a chunk that is full */
	P_MOVNTI,		/* eight stores that go past the cache */
	P_MOVDIR64B,		/* one such store of the whole line */
};

/* One for each kind of record, so that each finds memory as it left it. */
enum ring_nr {
	R_RECORD,
	R_CHECKED,
	R_WB,
	R_SMALL,
	R_WB_SMALL,
	R_DEEP,
	R_DEFAULT,
	R_WB_DEFAULT,
	R_PLAIN,
	R_CLFLUSHOPT,
	R_PREV,
	R_CHUNK,
	R_MOVNTI,
	R_MOVDIR64B,
	R_RECORD2,
	R_OWN2,
	R_OTHER2,
	R_DEEP2,
	R_WB2,
	NR_RINGS,
};

static const struct ring_kind {
	enum jtrace_kind kind;
	enum policy policy;
	bool checked;
	u32 size;		/* 0: as for all */
} ring_kinds[NR_RINGS] = {
	[R_RECORD]	= { JTRACE_KIND_LARGE, P_NONE, false, 0 },
	[R_CHECKED]	= { JTRACE_KIND_LARGE, P_NONE, true, 0 },
	[R_WB]		= { JTRACE_KIND_LARGE, P_CLWB, true, 0 },
	[R_SMALL]	= { JTRACE_KIND_SMALL, P_NONE, false, 0 },
	[R_WB_SMALL]	= { JTRACE_KIND_SMALL, P_CLWB, true, 0 },
	[R_DEEP]	= { JTRACE_KIND_LARGE, P_NONE, false, DEEP_SIZE },
	[R_DEFAULT]	= { JTRACE_KIND_LARGE, P_NONE, false, 32768 },
	[R_WB_DEFAULT]	= { JTRACE_KIND_LARGE, P_CLWB, true, DEEP_SIZE },
	[R_PLAIN]	= { JTRACE_KIND_LARGE, P_PLAIN, true, 0 },
	[R_CLFLUSHOPT]	= { JTRACE_KIND_LARGE, P_CLFLUSHOPT, true, 0 },
	[R_PREV]	= { JTRACE_KIND_LARGE, P_PREV, true, 0 },
	[R_CHUNK]	= { JTRACE_KIND_LARGE, P_CHUNK, true, 0 },
	[R_MOVNTI]	= { JTRACE_KIND_LARGE, P_MOVNTI, true, 0 },
	[R_MOVDIR64B]	= { JTRACE_KIND_LARGE, P_MOVDIR64B, true, 0 },
	[R_RECORD2]	= { JTRACE_KIND_LARGE, P_NONE, false, 0 },
	[R_OWN2]	= { JTRACE_KIND_LARGE, P_NONE, false, 0 },
	[R_OTHER2]	= { JTRACE_KIND_LARGE, P_NONE, false, 0 },
	[R_DEEP2]	= { JTRACE_KIND_LARGE, P_NONE, false, DEEP_SIZE },
	[R_WB2]		= { JTRACE_KIND_LARGE, P_CLWB, true, 0 },
};

/* Does lib/ write back? */
static __always_inline bool in_lib(enum policy policy)
{
	return policy == P_CLWB;
}

static struct jtrace_ring rings[NR_RINGS];
static __thread struct jtrace_ring_cpu cpus[NR_RINGS];
static __thread u32 me;
static u64 clock_offset;

/* For what is added up at the end. */
static struct jtrace_ring_cpu *all_cpus[CPUS];
static __thread u64 tried[NR_RINGS];
static u64 *all_tried[CPUS];

static bool ring_init(u32 nr, u32 size)
{
	const struct ring_kind *k = &ring_kinds[nr];
	struct jtrace_chunk_ctl *places;
	struct jtrace_layout l;
	enum jtrace_room room;
	void *img;

	/* As the module, which takes more than its default if the CPUs need it. */
	size = max_t(u64, k->size ?: size,
		     jtrace_layout_smallest(0, CPUS, k->kind, JTRACE_ROOM_FULL));
	room = jtrace_layout_plan(&l, size, 0, CPUS, k->kind);
	if (room == JTRACE_ROOM_NONE)
		return false;
	l.cpus = CPUS;
	if (k->checked)
		l.form |= JTRACE_FORM_CHECKED;
	img = aligned_alloc(JTRACE_PAGE, ALIGN(l.size, JTRACE_PAGE));
	places = calloc(l.nr_chunks, sizeof(*places));
	if (!img || !places)
		return false;
	memset(img, 0, l.size);
	/* What needs other instructions does so in what follows, not in lib/. */
	jtrace_ring_init(&rings[nr], &l, img, IMAGE_ID, places,
			 (room < JTRACE_ROOM_POOR ? JTRACE_RING_KEEP_PREVIOUS : 0) |
			 (in_lib(k->policy) ? JTRACE_RING_WRITE_BACK : 0));
	return true;
}

/* ---- A record --------------------------------------------------------- */

static __always_inline void line_flush(const void *at)
{
	__asm__ __volatile__("clflushopt %0" : "+m" (*(volatile u8 *)at));
}

/* jtrace_draft_publish(), less the fetching of the next line. */
static __always_inline void publish_plain(struct jtrace_draft *d)
{
	/* as there: fill:B */
	smp_store_release(&d->entry->seq, cpu_to_le32(d->cursor >> 32));
	jtrace_line_back(d->entry);
}

/* The words of a large entry, as jtrace_ring_fill_large() stores them. */
static __always_inline void compose(u64 *word, u64 cursor, u64 time, u32 site, u64 ab, u64 cd,
				    u64 e5, u64 e6)
{
	const u64 key = jtrace_check_key(IMAGE_ID);
	u32 check = jtrace_check_large(&key, cursor, WHO, time, site, TID, ab, cd, e5, e6);

	word[0] = time;
	word[1] = (u64)TID << 32 | site;
	word[2] = ab;
	word[3] = cd;
	word[4] = e5;
	word[5] = e6;
	word[6] = WHO;
	word[7] = cursor >> 32 << 32 | check;
}

static __always_inline void fill_movnti(u64 *to, const u64 *word)
{
	int i;

#pragma GCC unroll 8
	for (i = 0; i < 8; i++)
		__asm__ __volatile__("movnti %1, %0" : "=m" (to[i]) : "r" (word[i]));
}

static __always_inline void fill_movdir64b(void *to, const u64 *word)
{
	/* movdir64b (%rsi), %rdi */
	__asm__ __volatile__(".byte 0x66, 0x0f, 0x38, 0xf8, 0x3e"
			     : : "D" (to), "S" (word), "m" (*(const u64 (*)[8])word) : "memory");
}

/* The one place that knows how lib/ring.h fills an entry. */
static __always_inline void fill(const struct jtrace_ring *ring, const struct ring_kind *k,
				 u64 cursor, u64 now, const u32 *site, u64 ab, u64 cd, u64 e5,
				 u64 e6)
{
	const bool back = in_lib(k->policy);
	u64 word[8] ____cacheline_aligned_in_smp;

	if (k->policy == P_MOVNTI || k->policy == P_MOVDIR64B) {
		compose(word, cursor, now, READ_ONCE(*site), ab, cd, e5, e6);
		if (k->policy == P_MOVNTI)
			fill_movnti(jtrace_ring_slot(ring, cursor), word);
		else
			fill_movdir64b(jtrace_ring_slot(ring, cursor), word);
	} else if (k->kind == JTRACE_KIND_LARGE) {
		struct jtrace_draft d = jtrace_draft_begin(ring, cursor, k->checked);

		jtrace_draft_origin(&d, WHO);
		jtrace_draft_args(&d, ab, cd, e5, e6);
		jtrace_draft_event(&d, now, READ_ONCE(*site), TID);
		if (k->policy == P_PLAIN)
			publish_plain(&d);
		else
			jtrace_draft_publish(&d, back);
	} else {
		jtrace_ring_fill_small_as(ring, cursor, now, READ_ONCE(*site), me, ab, k->checked,
					  back);
	}
	if (k->policy == P_CLFLUSHOPT)
		line_flush(jtrace_ring_slot(ring, cursor));
	if (k->policy == P_PREV)
		jtrace_line_back((u8 *)jtrace_ring_slot(ring, cursor) - LINE);
}

/* What lies below a full cursor, as far as the policy has left it in the cache. */
static void chunk_back(const struct jtrace_ring *ring, u64 cursor, enum policy policy)
{
	u8 *end = jtrace_ring_slot(ring, cursor);

	if (!cursor)
		return;
	if (policy == P_PREV)
		jtrace_line_back(end - LINE);
	else if (policy == P_CHUNK)
		jtrace_write_back(end - ring->l.entries * LINE, ring->l.entries * LINE);
}

/* The open chunk is full: get another, and its header to memory. */
static noinline bool refill(enum ring_nr nr)
{
	struct jtrace_ring *ring = &rings[nr];
	const enum policy policy = ring_kinds[nr].policy;
	u64 cursor = READ_ONCE(cpus[nr].cursor), now = __rdtsc();
	struct jtrace_moment m = { now, now, now };
	bool again;

	cpus[nr].cpu = me;
	chunk_back(ring, cursor, policy);
	again = jtrace_ring_claim(ring, &cpus[nr], cursor, &m, true);
	if (policy == P_NONE || in_lib(policy))
		return again;
	jtrace_line_back((u8 *)jtrace_ring_slot(ring, cpus[nr].cursor) - ring->l.first_off);
	store_fence();
	return again;
}

/* As try_record() in jtrace_record.c. */
static __always_inline bool try_record(const u32 *site, u64 ab, u64 cd, u64 e5, u64 e6,
				       const enum ring_nr nr)
{
	const struct ring_kind *k = &ring_kinds[nr];
	const struct jtrace_ring *ring = &rings[nr];
	u64 cursor = READ_ONCE(cpus[nr].cursor), now;

	if (unlikely(jtrace_ring_full(ring, cursor) || !*site))
		return false;
	now = __rdtsc() + clock_offset;
	if (unlikely(!jtrace_ring_take(&cpus[nr], cursor, k->kind == JTRACE_KIND_LARGE)))
		return false;
	fill(ring, k, cursor, now, site, ab, cd, e5, e6);
	return true;
}

/* Two functions for each ring, as the kernel has them for each way to record. */
#define DEFINE_RECORD(name, nr)						\
static noinline void name##_slowly(const u32 *site, u64 ab, u64 cd, u64 e5, u64 e6) \
{									\
	while (refill(nr) && !try_record(site, ab, cd, e5, e6, nr))	\
		;							\
}									\
									\
static noinline void name(const u32 *site, u64 ab, u64 cd, u64 e5, u64 e6) \
{									\
	if (unlikely(!try_record(site, ab, cd, e5, e6, nr)))		\
		name##_slowly(site, ab, cd, e5, e6);			\
}

DEFINE_RECORD(record, R_RECORD)
DEFINE_RECORD(record_checked, R_CHECKED)
DEFINE_RECORD(record_wb, R_WB)
DEFINE_RECORD(record_small, R_SMALL)
DEFINE_RECORD(record_wb_small, R_WB_SMALL)
DEFINE_RECORD(record_deep, R_DEEP)
DEFINE_RECORD(record_default, R_DEFAULT)
DEFINE_RECORD(record_wb_default, R_WB_DEFAULT)
DEFINE_RECORD(record_plain, R_PLAIN)
DEFINE_RECORD(record_clflushopt, R_CLFLUSHOPT)
DEFINE_RECORD(record_prev, R_PREV)
DEFINE_RECORD(record_chunk, R_CHUNK)
DEFINE_RECORD(record_movnti, R_MOVNTI)
DEFINE_RECORD(record_movdir64b, R_MOVDIR64B)
DEFINE_RECORD(record2, R_RECORD2)
DEFINE_RECORD(record2_own, R_OWN2)
DEFINE_RECORD(record2_other, R_OTHER2)
DEFINE_RECORD(record2_deep, R_DEEP2)
DEFINE_RECORD(record2_wb, R_WB2)

#endif /* _BENCH_NATIVE_RING_H */
