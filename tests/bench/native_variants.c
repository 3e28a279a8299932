// SPDX-License-Identifier: GPL-2.0
/*
 * What tests/bench/native times: loops over records, over what they are made of
 * and compared with, and over what a caller may do next.
 */

#include <cpuid.h>

#include "native_ring.h"

#include "native.h"

/* ---- What a caller does next ------------------------------------------ */

/* Words that nobody else touches, in a line that is in the cache. */
static __thread u64 private ____cacheline_aligned_in_smp;

static __always_inline void locked(void)
{
	__asm__ __volatile__("lock addq $1, %0" : "+m" (private) : : "memory", "cc");
}

static __always_inline void nothing(void)
{
}

/* Work that needs nothing of what was recorded, and each step the one before. */
#define CHAIN_STEP	8
static u32 gap_steps[2];

static __always_inline u64 chain(u64 x, u32 steps)
{
	while (steps--)
		__asm__ __volatile__(".rept 8\n\timul %0, %0\n\t.endr" : "+r" (x) : : "cc");
	return x;
}

static __always_inline void gap100(void)
{
	chain(private | 1, gap_steps[0]);
}

static __always_inline void gap300(void)
{
	chain(private | 1, gap_steps[1]);
}

/**
 * variants_chain() - run the work of a gap
 * @steps: so many
 */
void variants_chain(u32 steps)
{
	chain(1, steps);
}

/**
 * variants_gap() - set the length of a gap
 * @which: 0 for that of 100 ns, 1 for that of 300
 * @steps: of variants_chain()
 */
void variants_gap(u32 which, u32 steps)
{
	gap_steps[which] = steps;
}

/* ---- The loops -------------------------------------------------------- */

static u32 site = 40;

#define DEFINE_RUN(name, nr, record, between, then)			\
static void name(u32 times)						\
{									\
	u32 i;								\
									\
	tried[nr] += times;						\
	for (i = 0; i < times; i++) {					\
		record(&site, i, times, i, times);			\
		between();						\
		then();							\
	}								\
}

DEFINE_RUN(run_record, R_RECORD, record, nothing, nothing)
DEFINE_RUN(run_record_lock, R_RECORD, record, nothing, locked)
DEFINE_RUN(run_gap100, R_RECORD, record, gap100, nothing)
DEFINE_RUN(run_gap100_lock, R_RECORD, record, gap100, locked)
DEFINE_RUN(run_checked, R_CHECKED, record_checked, nothing, nothing)
DEFINE_RUN(run_checked_lock, R_CHECKED, record_checked, nothing, locked)
DEFINE_RUN(run_wb, R_WB, record_wb, nothing, nothing)
DEFINE_RUN(run_wb_lock, R_WB, record_wb, nothing, locked)
DEFINE_RUN(run_wb_sfence, R_WB, record_wb, nothing, store_fence)
DEFINE_RUN(run_wb_gap100, R_WB, record_wb, gap100, nothing)
DEFINE_RUN(run_wb_gap100_lock, R_WB, record_wb, gap100, locked)
DEFINE_RUN(run_wb_gap300, R_WB, record_wb, gap300, nothing)
DEFINE_RUN(run_wb_gap300_lock, R_WB, record_wb, gap300, locked)
DEFINE_RUN(run_small, R_SMALL, record_small, nothing, nothing)
DEFINE_RUN(run_wb_small, R_WB_SMALL, record_wb_small, nothing, nothing)
DEFINE_RUN(run_deep, R_DEEP, record_deep, nothing, nothing)
DEFINE_RUN(run_default, R_DEFAULT, record_default, nothing, nothing)
DEFINE_RUN(run_wb_default, R_WB_DEFAULT, record_wb_default, nothing, nothing)
DEFINE_RUN(run_plain, R_PLAIN, record_plain, nothing, nothing)
DEFINE_RUN(run_plain_lock, R_PLAIN, record_plain, nothing, locked)
DEFINE_RUN(run_clflushopt, R_CLFLUSHOPT, record_clflushopt, nothing, nothing)
DEFINE_RUN(run_clflushopt_lock, R_CLFLUSHOPT, record_clflushopt, nothing, locked)
DEFINE_RUN(run_prev, R_PREV, record_prev, nothing, nothing)
DEFINE_RUN(run_prev_lock, R_PREV, record_prev, nothing, locked)
DEFINE_RUN(run_chunk, R_CHUNK, record_chunk, nothing, nothing)
DEFINE_RUN(run_chunk_lock, R_CHUNK, record_chunk, nothing, locked)
DEFINE_RUN(run_movnti, R_MOVNTI, record_movnti, nothing, nothing)
DEFINE_RUN(run_movnti_lock, R_MOVNTI, record_movnti, nothing, locked)
DEFINE_RUN(run_movdir64b, R_MOVDIR64B, record_movdir64b, nothing, nothing)
DEFINE_RUN(run_movdir64b_lock, R_MOVDIR64B, record_movdir64b, nothing, locked)
DEFINE_RUN(run_record2, R_RECORD2, record2, nothing, nothing)
DEFINE_RUN(run_record2_own, R_OWN2, record2_own, nothing, nothing)
DEFINE_RUN(run_record2_other, R_OTHER2, record2_other, nothing, nothing)
DEFINE_RUN(run_record2_deep, R_DEEP2, record2_deep, nothing, nothing)
DEFINE_RUN(run_record2_wb, R_WB2, record2_wb, nothing, nothing)

static void run_rdtsc(u32 times)
{
	while (times--)
		(void)__rdtsc();
}

/* Two CPUs that share nothing but the machine: each has a ring of its own. */
static void run_apart2(u32 times)
{
	if (me)
		run_record2_other(times);
	else
		run_record2_own(times);
}

/* The least that an event of 64 bytes with a time can cost. */
static struct buffer {
	u8 *mem;
	u32 size;
	u32 at;
} buffers[2];

static __always_inline void run_stores(struct buffer *b, u32 times)
{
	u32 at = b->at;

	while (times--) {
		u64 *word = (void *)(b->mem + at);
		int i;

		at = (at + LINE) & (b->size - 1);
		WRITE_ONCE(word[0], __rdtsc());
#pragma GCC unroll 7
		for (i = 1; i < 8; i++)
			WRITE_ONCE(word[i], times);
	}
	b->at = at;
}

static void run_store(u32 times)
{
	run_stores(&buffers[0], times);
}

static void run_store_deep(u32 times)
{
	run_stores(&buffers[1], times);
}

/* As many instructions more as a record has, in which nothing waits. */
static void run_store_work(u32 times)
{
	while (times--) {
		run_stores(&buffers[0], 1);
		__asm__ __volatile__(".rept 40\n\tnop\n\t.endr");
	}
}

static bool buffer_init(struct buffer *b, u32 size)
{
	b->size = size;
	b->mem = aligned_alloc(JTRACE_PAGE, size);
	if (b->mem)
		memset(b->mem, 0, size);
	return b->mem;
}

struct variant_code variants[NR_VARIANTS] = {
	[V_RDTSC]		= { run_rdtsc },
	[V_STORE]		= { run_store },
	[V_STORE_WORK]		= { run_store_work },
	[V_RECORD]		= { run_record },
	[V_CHECKED]		= { run_checked },
	[V_WB]			= { run_wb },
	[V_SMALL]		= { run_small },
	[V_WB_SMALL]		= { run_wb_small },
	[V_STORE_DEEP]		= { run_store_deep },
	[V_DEEP]		= { run_deep },
	[V_DEFAULT]		= { run_default },
	[V_WB_DEFAULT]		= { run_wb_default },
	[V_LTTNG]		= { NULL, "skipped: no LTTng-UST" },
	[V_RECORD_LOCK]		= { run_record_lock },
	[V_WB_LOCK]		= { run_wb_lock },
	[V_WB_SFENCE]		= { run_wb_sfence },
	[V_GAP100]		= { run_gap100 },
	[V_GAP100_LOCK]		= { run_gap100_lock },
	[V_WB_GAP100]		= { run_wb_gap100 },
	[V_WB_GAP100_LOCK]	= { run_wb_gap100_lock },
	[V_WB_GAP300]		= { run_wb_gap300 },
	[V_WB_GAP300_LOCK]	= { run_wb_gap300_lock },
	[V_NONE_LOCK]		= { run_checked_lock },
	[V_PLAIN]		= { run_plain },
	[V_PLAIN_LOCK]		= { run_plain_lock },
	[V_CLFLUSHOPT]		= { run_clflushopt },
	[V_CLFLUSHOPT_LOCK]	= { run_clflushopt_lock },
	[V_PREV]		= { run_prev },
	[V_PREV_LOCK]		= { run_prev_lock },
	[V_CHUNK]		= { run_chunk },
	[V_CHUNK_LOCK]		= { run_chunk_lock },
	[V_MOVNTI]		= { run_movnti },
	[V_MOVNTI_LOCK]		= { run_movnti_lock },
	[V_MOVDIR64B]		= { run_movdir64b },
	[V_MOVDIR64B_LOCK]	= { run_movdir64b_lock },
	[V_RECORD2]		= { run_record2 },
	[V_RDTSC2]		= { run_rdtsc },
	[V_APART2]		= { run_apart2 },
	[V_DEEP2]		= { run_record2_deep },
	[V_WB2]			= { run_record2_wb },
};

/* ---- Beginning and end ------------------------------------------------ */

u64 ticks_begin(void)
{
	_mm_mfence();
	_mm_lfence();
	return __rdtsc();
}

u64 ticks_end(void)
{
	unsigned int aux;
	u64 now = __rdtscp(&aux);

	_mm_lfence();
	return now;
}

void relax(void)
{
	_mm_pause();
}

/* Of leaf 7. */
#define CLFLUSHOPT	0x00800000	/* EBX */
#define CLWB		0x01000000	/* EBX */
#define MOVDIR64B	0x10000000	/* ECX */

static void missing(u32 from, u32 to, const char *why)
{
	for (; from <= to; from++)
		variants[from].missing = why;
}

/* What needs clwb: all that has to do with persistent mode. */
static const enum variant need_clwb[] = {
	V_WB, V_WB_SMALL, V_WB_DEFAULT, V_WB_LOCK, V_WB_SFENCE, V_WB_GAP100, V_WB_GAP100_LOCK,
	V_WB_GAP300, V_WB_GAP300_LOCK, V_PLAIN, V_PLAIN_LOCK, V_CLFLUSHOPT, V_CLFLUSHOPT_LOCK,
	V_PREV, V_PREV_LOCK, V_CHUNK, V_CHUNK_LOCK, V_MOVNTI, V_MOVNTI_LOCK, V_MOVDIR64B,
	V_MOVDIR64B_LOCK, V_WB2,
};

static void look_at_cpu(void)
{
	u32 a, b = 0, c = 0, d, i;

	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	if (!(b & CLFLUSHOPT))
		missing(V_CLFLUSHOPT, V_CLFLUSHOPT_LOCK, "skipped: this CPU has no clflushopt");
	if (!(c & MOVDIR64B))
		missing(V_MOVDIR64B, V_MOVDIR64B_LOCK, "skipped: this CPU has no movdir64b");
	for (i = 0; !(b & CLWB) && i < ARRAY_SIZE(need_clwb); i++)
		missing(need_clwb[i], need_clwb[i], "skipped: this CPU has no clwb");
}

/**
 * variants_init() - make the rings, and find out what this CPU can do
 * @size: bytes of each image that has no size of its own; a power of two
 *
 * Return: false if they cannot be made.
 */
bool variants_init(u32 size)
{
	u32 i;

	look_at_cpu();
	if (!buffer_init(&buffers[0], size) || !buffer_init(&buffers[1], DEEP_SIZE))
		return false;
	for (i = 0; i < NR_RINGS; i++)
		if (!ring_init(i, size))
			return false;
	return true;
}

/**
 * variants_thread() - say which CPU this thread records as
 * @cpu: less than 2
 */
void variants_thread(u32 cpu)
{
	me = cpu;
	all_cpus[cpu] = cpus;
	all_tried[cpu] = tried;
}

/* Whole entries in an image, and those that are not. */
static void count(const struct jtrace_ring *ring, u64 *ok, u64 *bad)
{
	struct jtrace_chunk c;
	u64 word[JTRACE_ENTRY_WORDS];
	u32 i, k;

	for (i = 0; i < ring->l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&ring->l, ring->img, IMAGE_ID, i, &c))
			continue;
		for (k = 0; k < ring->l.entries; k++)
			switch (jtrace_entry_words(&ring->l, ring->img, ring->key, &c,
						   jtrace_slot_at(&ring->l, ring->img, i, k),
						   ring->l.kind == JTRACE_KIND_SMALL, word)) {
			case JTRACE_ENTRY_OK:
				*ok += (u32)word[1] == site;
				*bad += (u32)word[1] != site;
				break;
			case JTRACE_ENTRY_BAD:
				*bad += 1;
				break;
			default:
				break;
			}
	}
}

static bool ring_verify(u32 nr)
{
	const struct jtrace_ring *ring = &rings[nr];
	u64 wanted = 0, recorded = 0, overwritten = 0, ok = 0, bad = 0;
	u32 i;

	for (i = 0; i < CPUS; i++) {
		if (!all_cpus[i])
			continue;
		wanted += all_tried[i][nr];
		recorded += jtrace_ring_recorded(ring, &all_cpus[i][nr]);
		overwritten += atomic64_read(&all_cpus[i][nr].overwritten);
	}
	count(ring, &ok, &bad);
	if (recorded == wanted && ok + overwritten == recorded && !bad)
		return true;
	fprintf(stderr, "native: ring %u: %llu events, %llu recorded, %llu overwritten, %llu whole, %llu bad\n",
		nr, wanted, recorded, overwritten, ok, bad);
	return false;
}

/**
 * variants_verify() - did each event that was timed become a record?
 *
 * Return: true if all did, and what the rings hold is whole; otherwise what was
 * timed was something else, and it is said on stderr.
 */
bool variants_verify(void)
{
	bool right = true;
	u32 i;

	for (i = 0; i < NR_RINGS; i++)
		right &= ring_verify(i);
	return right;
}
