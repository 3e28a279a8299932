/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings of several types, and a record in each as jtrace_record() makes it.
 *
 * The compiler builds lib/ here with the instructions of a kernel: cmpxchg without lock,
 * clwb, sfence.  Thread and context, which a kernel reads from its own variables, are
 * constants, and preemption stays enabled.
 */
#ifndef _BENCH_NATIVE_RING_H
#define _BENCH_NATIVE_RING_H

#define JTRACE_LINE_BACK

#include <stdlib.h>

#include "../../lib/base/env.h"

/* Not <x86intrin.h>, which sparse cannot read from gcc 14 on. */
static __always_inline u64 rdtsc(void)
{
	u32 low, high;

	__asm__ __volatile__("rdtsc" : "=a" (low), "=d" (high));
	return (u64)high << 32 | low;
}

/* As in the kernel: no interrupt and no other CPU changes the word in between. */
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

#include "../../lib/image/image.c"
#include "../../lib/image/chunk.c"
#include "../../lib/image/ring.c"

#define CPUS		2
#define IMAGE_ID	0x1122334455667788ULL
#define RING_SIZE	0x10000
#define DEEP_SIZE	0x100000
#define LINE		JTRACE_LINE

/* Fields of a record: the thread, and its CPU and context. */
#define TID		4711
#define ORIGIN		(this_cpu | 0x10000)

static __thread u32 this_cpu;

/* ---- Rings ------------------------------------------------------------ */

/* NAME, kind of entries, check value and clwb, bytes.  Each has its own memory. */
#define RINGS(R)							\
	R(record,	LARGE, false, false, RING_SIZE)			\
	R(checked,	LARGE, true,  false, RING_SIZE)			\
	R(wb,		LARGE, true,  true,  RING_SIZE)			\
	R(small,	SMALL, false, false, RING_SIZE)			\
	R(wb_small,	SMALL, true,  true,  RING_SIZE)			\
	R(deep,		LARGE, false, false, DEEP_SIZE)			\
	R(shared,	LARGE, false, false, RING_SIZE)			\
	R(apart0,	LARGE, false, false, RING_SIZE)			\
	R(apart1,	LARGE, false, false, RING_SIZE)

#define RING_NR(name, ...)	R_##name,
enum ring_nr { RINGS(RING_NR) NR_RINGS };

#define RING_TYPE(name, kind, checked, back, size)			\
	[R_##name] = { JTRACE_KIND_##kind, checked, back, size },
static const struct ring_type {
	enum jtrace_kind kind;
	bool checked;
	bool back;
	u32 size;
} ring_types[NR_RINGS] = { RINGS(RING_TYPE) };

static struct jtrace_ring rings[NR_RINGS];
static __thread struct ring_cpu {
	struct jtrace_ring_cpu rc[NR_RINGS];
	u64 tried[NR_RINGS];
} mine;
static struct ring_cpu *cpus[CPUS];
static u64 clock_offset;

static bool ring_init(enum ring_nr nr)
{
	const struct ring_type *type = &ring_types[nr];
	struct jtrace_chunk_ctl *ctl;
	struct jtrace_layout l;
	void *img;

	if (jtrace_layout_plan(&l, type->size, 0, CPUS, type->kind) != JTRACE_FIT_FULL)
		return false;
	l.cpus = CPUS;
	if (type->checked)
		l.form |= JTRACE_FORM_CHECKED;
	img = aligned_alloc(JTRACE_PAGE, ALIGN(l.size, JTRACE_PAGE));
	ctl = calloc(l.nr_chunks, sizeof(*ctl));
	if (!img || !ctl)
		return false;
	memset(img, 0, l.size);
	jtrace_ring_init(&rings[nr], &l, img, IMAGE_ID, ctl, JTRACE_RING_KEEP_PREVIOUS |
			 (type->back ? JTRACE_RING_WRITE_BACK : 0));
	return true;
}

static __always_inline u64 read_clock(void *none)
{
	return rdtsc() + clock_offset;
}

static __always_inline u32 read_cpu(void *none)
{
	return this_cpu;
}

static __always_inline u64 read_origin(void *none)
{
	return ORIGIN;
}

static __always_inline u32 read_tid(void *none)
{
	return TID;
}

/* Claim another chunk, because the open one is full. */
static noinline bool refill(enum ring_nr nr)
{
	u64 now = rdtsc();
	const struct jtrace_moment m = { now, now, now };
	struct jtrace_ring_cpu *rc = &mine.rc[nr];

	rc->cpu = this_cpu;
	return jtrace_ring_claim(&rings[nr], rc, READ_ONCE(rc->cursor), &m, true);
}

/* Each ring has a record function and its slow path, as in the kernel, with its own cursor. */
#define DEFINE_RECORD(name, ...)					\
static __always_inline u64 cursor_##name(void *none)			\
{									\
	return READ_ONCE(mine.rc[R_##name].cursor);			\
}									\
									\
static __always_inline bool take_##name(void *none, u64 cursor, u64 next) \
{									\
	return jtrace_ring_move(&mine.rc[R_##name], cursor, next);	\
}									\
									\
static __always_inline bool try_##name(const u32 *site, u64 ab, u64 cd, u64 e5, u64 e6) \
{									\
	const struct ring_type *type = &ring_types[R_##name];		\
	const struct jtrace_ring_writer writer = {			\
		.cursor = cursor_##name, .clock = read_clock, .take = take_##name, \
		.cpu = read_cpu, .origin = read_origin, .tid = read_tid, \
	};								\
									\
	return jtrace_ring_try(&rings[R_##name], writer, NULL, site, ab, cd, e5, e6, \
			       type->kind == JTRACE_KIND_LARGE, type->checked, \
			       type->back) == JTRACE_RECORDED;		\
}									\
									\
static noinline void slow_##name(const u32 *site, u64 ab, u64 cd, u64 e5, u64 e6) \
{									\
	while (refill(R_##name) && !try_##name(site, ab, cd, e5, e6)) \
		;							\
}									\
									\
static noinline void record_##name(const u32 *site, u64 ab, u64 cd, u64 e5, u64 e6) \
{									\
	if (unlikely(!try_##name(site, ab, cd, e5, e6)))		\
		slow_##name(site, ab, cd, e5, e6);			\
}

RINGS(DEFINE_RECORD)

static u32 site = 40;

/* Count the whole entries of an image, and the bad ones. */
static void count_entries(const struct jtrace_ring *ring, u64 *ok, u64 *bad)
{
	const bool small = ring->l.kind == JTRACE_KIND_SMALL;
	u64 word[JTRACE_ENTRY_WORDS];
	struct jtrace_chunk c;
	u32 i, k;

	for (i = 0; i < ring->l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&ring->l, ring->img, IMAGE_ID, i, &c))
			continue;
		for (k = 0; k < ring->l.entries; k++) {
			int state = jtrace_entry_words(&ring->l, ring->img, ring->key, &c,
						       jtrace_slot_at(&ring->l, ring->img, i, k),
						       small, word);

			*ok += state == JTRACE_ENTRY_OK && (u32)word[1] == site;
			*bad += state == JTRACE_ENTRY_BAD ||
				(state == JTRACE_ENTRY_OK && (u32)word[1] != site);
		}
	}
}

/* Check that each event became a record, and that the ring still holds it or overwrote it. */
static bool ring_is_right(enum ring_nr nr)
{
	const struct jtrace_ring *ring = &rings[nr];
	u64 tried = 0, recorded = 0, overwritten = 0, ok = 0, bad = 0;
	u32 i;

	for (i = 0; i < CPUS && cpus[i]; i++) {
		tried += cpus[i]->tried[nr];
		recorded += jtrace_ring_recorded(ring, &cpus[i]->rc[nr]);
		overwritten += atomic64_read(&cpus[i]->rc[nr].overwritten);
	}
	count_entries(ring, &ok, &bad);
	if (recorded == tried && ok + overwritten == recorded && !bad)
		return true;
	fprintf(stderr, "native: ring %u: %llu events, %llu recorded, %llu overwritten, %llu whole, %llu bad\n",
		nr, tried, recorded, overwritten, ok, bad);
	return false;
}

#endif /* _BENCH_NATIVE_RING_H */
