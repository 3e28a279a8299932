// SPDX-License-Identifier: GPL-2.0
/*
 * Time a record of lib/image/ring.h in user space, and compare it with what it consists of.
 *
 * Absolute times drift on a shared machine.  So each round runs all variants for a short
 * while, in a random order.  A row is the median over all rounds: of a time, or of the
 * ratio or the difference of two times of the same round.
 *
 * Prints rows "NAME<TAB>VALUE<TAB>UNIT<TAB>NOTE".  Exit: 0, 1 when events were not
 * recorded or a thread cannot start.
 */

#include <cpuid.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "native_ring.h"

#define WARM_ROUNDS	10
#define ROUNDS		200
#define EVENTS		2000	/* of each variant in a round */

/* ---- Variants --------------------------------------------------------- */

/* The caller's own work: a word in a cached line that no other CPU touches. */
static __thread u64 private ____cacheline_aligned_in_smp;

/* Steps of chain() that take 100 ns. */
static u32 steps_of_100ns;

static __always_inline void locked(void)
{
	__asm__ __volatile__("lock addq $1, %0" : "+m" (private) : : "memory", "cc");
}

/* Independent of the record; each step needs the one before. */
static __always_inline u64 chain(u64 x, u32 steps)
{
	while (steps--)
		__asm__ __volatile__(".rept 8\n\timul %0, %0\n\t.endr" : "+r" (x) : : "cc");
	return x;
}

static __always_inline void gap(u32 hundreds_of_ns)
{
	chain(private | 1, hundreds_of_ns * steps_of_100ns);
}

/* As jtrace_event_record() does in per-CPU memory. */
static __thread struct {
	u64 hits;
	u64 filtered;
	u64 lost;
} counts;

static __always_inline void count_hit(void)
{
	__asm__ __volatile__("incq %0" : "+m" (counts.hits) : : "cc");
}

/* NAME, the ring, and statements of the caller after the record. */
#define LOOPS(L)							\
	L(record,		record)					\
	L(event,		record,		count_hit())		\
	L(record_locked,	record,		locked())		\
	L(checked,		checked)					\
	L(wb,			wb)					\
	L(wb_locked,		wb,		locked())		\
	L(wb_sfence,		wb,		store_fence())		\
	L(wb_gap100,		wb,		gap(1))			\
	L(wb_gap100_locked,	wb,		gap(1); locked())	\
	L(wb_gap300,		wb,		gap(3))			\
	L(wb_gap300_locked,	wb,		gap(3); locked())	\
	L(small,		small)					\
	L(wb_small,		wb_small)				\
	L(deep,			deep)

#define DEFINE_LOOP(name, ring, ...)					\
static void run_##name(u32 times)					\
{									\
	u32 i;								\
									\
	mine.tried[R_##ring] += times;					\
	for (i = 0; i < times; i++) {					\
		record_##ring(&site, i, times, i, times);		\
		__VA_ARGS__;						\
	}								\
}

LOOPS(DEFINE_LOOP)
DEFINE_LOOP(shared, shared)
DEFINE_LOOP(event2, shared, count_hit())
DEFINE_LOOP(apart0, apart0)
DEFINE_LOOP(apart1, apart1)

static void run_apart(u32 times)
{
	if (this_cpu)
		run_apart1(times);
	else
		run_apart0(times);
}

static void run_rdtsc(u32 times)
{
	while (times--)
		(void)rdtsc();
}

/* The minimum for an event of 64 bytes with a time. */
static struct buffer {
	u8 *mem;
	u32 size;
	u32 at;
} store_buffer = { .size = RING_SIZE }, deep_buffer = { .size = DEEP_SIZE };

static __always_inline void run_stores(struct buffer *b, u32 times)
{
	u32 at = b->at;

	while (times--) {
		u64 *word = (void *)(b->mem + at);
		int i;

		at = (at + LINE) & (b->size - 1);
		WRITE_ONCE(word[0], rdtsc());
#pragma GCC unroll 7
		for (i = 1; i < 8; i++)
			WRITE_ONCE(word[i], times);
	}
	b->at = at;
}

static void run_store(u32 times)
{
	run_stores(&store_buffer, times);
}

static void run_store_deep(u32 times)
{
	run_stores(&deep_buffer, times);
}

/* The minimum for an event that outlives a reset: its line is written back, too. */
static void run_store_wb(u32 times)
{
	struct buffer *b = &store_buffer;

	while (times--) {
		u8 *line = b->mem + b->at;

		run_stores(b, 1);
		jtrace_line_back(line);
	}
}

/* Add as many instructions as a record has, none of which waits. */
static void run_store_work(u32 times)
{
	while (times--) {
		run_stores(&store_buffer, 1);
		__asm__ __volatile__(".rept 40\n\tnop\n\t.endr");
	}
}

/*
 * Of the variants for two CPUs, V_shared runs first in a round.  Running third on a loaded
 * machine, it reached the speed of an idle one in fewer than a quarter of all rounds.
 */
#define VARIANT_NR(name, ...)	V_##name,
enum variant {
	V_rdtsc, V_store, V_store_wb, V_store_work, V_store_deep, LOOPS(VARIANT_NR) NR_ALONE,
	V_shared = NR_ALONE, V_event2, V_apart, NR_VARIANTS,
};

#define VARIANT(name, ring, ...)					\
	[V_##name] = { run_##name, R_##ring },
static const struct {
	void (*run)(u32 times);
	enum ring_nr ring;
} variants[NR_VARIANTS] = {
	[V_rdtsc] = { run_rdtsc }, [V_store] = { run_store }, [V_store_wb] = { run_store_wb },
	[V_store_work] = { run_store_work }, [V_store_deep] = { run_store_deep },
	LOOPS(VARIANT)
	[V_shared] = { run_shared }, [V_event2] = { run_event2 },
	[V_apart] = { run_apart },
};

static bool has_clwb, has_two_cpus;

/* The reason why this machine cannot run a variant, or NULL. */
static const char *variant_missing(enum variant v)
{
	if (v >= NR_ALONE && !has_two_cpus)
		return "skipped: this machine has one CPU";
	if ((v == V_store_wb || ring_types[variants[v].ring].back) && !has_clwb)
		return "skipped: this CPU has no clwb";
	return NULL;
}

/* ---- Clocks ----------------------------------------------------------- */

/* Read ticks before and after a variant; none of its instructions moves across. */
static u64 ticks_begin(void)
{
	asm volatile("mfence" ::: "memory");
	asm volatile("lfence" ::: "memory");
	return rdtsc();
}

static u64 ticks_end(void)
{
	u32 low, high;

	asm volatile("rdtscp\n\tlfence" : "=a" (low), "=d" (high) :: "ecx", "memory");
	return (u64)high << 32 | low;
}

static double ns_per_tick;

static double ns_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Find the length of a tick, and how many steps of chain() take 100 ns. */
static void calibrate(void)
{
	const u32 steps = 100000;
	double ns = ns_now();
	u64 start = ticks_begin(), chain_ticks;

	chain(1, steps);
	chain_ticks = ticks_end() - start;
	while (ns_now() - ns < 5e7)
		;
	ns_per_tick = (ns_now() - ns) / (ticks_end() - start);
	steps_of_100ns = lround(100 * steps / (chain_ticks * ns_per_tick));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sort the values, and return the one above a given share of them. */
static double quantile(double *v, u32 n, double share)
{
	qsort(v, n, sizeof(*v), compare);
	return v[(u32)(share * n)];
}

/* ---- Rounds ----------------------------------------------------------- */

/* Ticks per event, by variant and round. */
static double ticks[NR_VARIANTS][WARM_ROUNDS + ROUNDS];

static double time_variant(enum variant v)
{
	u64 start;

	/* Do not count the first events, which fill the caches. */
	variants[v].run(EVENTS / 8);
	start = ticks_begin();
	variants[v].run(EVENTS);
	return (double)(ticks_end() - start) / EVENTS;
}

/* Each run has the same random order, because a variant depends on the caches before it. */
static void round_alone(u32 round)
{
	static int order[NR_ALONE];
	int i, k, v;

	if (!order[NR_ALONE - 1] && !order[0])
		for (i = 0; i < NR_ALONE; i++)
			order[i] = i;
	for (i = NR_ALONE - 1; i > 0; i--) {
		k = rand() % (i + 1);
		v = order[i];
		order[i] = order[k];
		order[k] = v;
	}
	for (i = 0; i < NR_ALONE; i++)
		if (!variant_missing(order[i]))
			ticks[order[i]][round] = time_variant(order[i]);
}

/* ---- Two CPUs at once ------------------------------------------------- */

/*
 * Between rounds the second CPU sleeps: if it spun, it might slow down the first one.
 * In a round both spin until they meet, so that they begin together.
 */
static pthread_barrier_t round_barrier;
static double second_ticks;

static void meet(void)
{
	static u32 arrivals;
	u32 mine = __atomic_add_fetch(&arrivals, 1, __ATOMIC_ACQ_REL);

	while (__atomic_load_n(&arrivals, __ATOMIC_ACQUIRE) < ALIGN(mine, 2))
		asm volatile("pause");
}

static double time_together(enum variant v)
{
	double t;

	meet();
	t = time_variant(v);
	if (this_cpu)
		second_ticks = t;
	meet();
	return t;
}

static void thread_init(u32 cpu)
{
	this_cpu = cpu;
	cpus[cpu] = &mine;
}

static void *second_cpu(void *arg)
{
	u32 round, v;

	(void)arg;
	thread_init(1);
	for (round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
		pthread_barrier_wait(&round_barrier);
		for (v = NR_ALONE; v < NR_VARIANTS; v++)
			time_together(v);
	}
	/* Keep the thread's counters until ring_is_right() has read them. */
	pthread_barrier_wait(&round_barrier);
	return NULL;
}

static void round_together(u32 round)
{
	u32 v;

	pthread_barrier_wait(&round_barrier);
	for (v = NR_ALONE; v < NR_VARIANTS; v++) {
		double t = time_together(v);

		ticks[v][round] = (t + second_ticks) / 2;
	}
}

static bool pin(pthread_t thread, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !pthread_setaffinity_np(thread, sizeof(set), &set);
}

/* Bind each thread to a CPU that this process may use. */
static bool start_threads(void)
{
	int cpu[CPUS], i, n = 0;
	pthread_t thread;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return false;
	for (i = 0; i < CPU_SETSIZE && n < CPUS; i++)
		if (CPU_ISSET(i, &set))
			cpu[n++] = i;
	has_two_cpus = n == CPUS;
	thread_init(0);
	if (!pin(pthread_self(), cpu[0]))
		return false;
	return !has_two_cpus ||
	       (!pthread_barrier_init(&round_barrier, NULL, CPUS) &&
		!pthread_create(&thread, NULL, second_cpu, NULL) && pin(thread, cpu[1]));
}

/* ---- Rows ------------------------------------------------------------- */

enum row_kind {
	TIME,		/* of a */
	MORE,		/* a - b */
	RATIO,		/* a / b */
	LEAST,		/* the same, of the fastest quarter of the rounds */
	BOTH,		/* a / b, divided by the same ratio of rings that share nothing */
};

static const struct row {
	const char *name;
	enum row_kind kind;
	enum variant a;
	enum variant b;
	const char *note;
} rows[] = {
	{ "rdtsc", TIME, V_rdtsc, 0, "the instruction alone" },
	{ "rdtsc_store64", TIME, V_store, 0, "rdtsc and a 64-byte store, the next line of 64 KiB" },
	{ "rdtsc_store64_wb", TIME, V_store_wb, 0, "the same, and clwb" },
	{ "record", TIME, V_record, 0, "large entry, volatile" },
	{ "record_checked", TIME, V_checked, 0, "large entry, check value, no write-back" },
	{ "record_wb", TIME, V_wb, 0, "large entry, check value, clwb: persistent" },
	{ "record_small", TIME, V_small, 0, "small entry, volatile" },
	{ "record_wb_small", TIME, V_wb_small, 0, "small entry, check value, clwb: persistent" },
	{ "record2", TIME, V_shared, 0, "as record, on 2 CPUs at once" },
	{ "record2_apart", TIME, V_apart, 0, "as record2, but each CPU has a ring of its own" },
	{ "ratio.record_store", RATIO, V_record, V_store, "record / (rdtsc + 64-byte store)" },
	{ "ratio.record_wb", LEAST, V_wb, V_store_wb, "record_wb / (rdtsc + 64-byte store + clwb)" },
	{ "ratio.record_work", RATIO, V_record, V_store_work,
	  "record / (rdtsc + 64-byte store + 40 nops)" },
	{ "ratio.record_store_deep", RATIO, V_deep, V_store_deep,
	  "record / (rdtsc + 64-byte store), in 1 MiB" },
	{ "ratio.threads2", RATIO, V_shared, V_record, "record on 2 CPUs at once / on one" },
	{ "ratio.threads2_apart", BOTH, V_shared, V_record, "the same / what it is in a ring each" },
	{ "ratio.event2_apart", BOTH, V_event2, V_event,
	  "kernel event with its counter, the same as threads2_apart" },
	{ "caller.locked", MORE, V_record_locked, V_record, "lock add after a volatile record" },
	{ "caller.locked_wb", MORE, V_wb_locked, V_wb, "lock add after a record with clwb" },
	{ "caller.sfence_wb", MORE, V_wb_sfence, V_wb, "sfence after a record with clwb" },
	{ "caller.locked_wb_gap100", MORE, V_wb_gap100_locked, V_wb_gap100,
	  "lock add 100 ns after a record with clwb" },
	{ "caller.locked_wb_gap300", MORE, V_wb_gap300_locked, V_wb_gap300,
	  "lock add 300 ns after a record with clwb" },
};

static double row_value(const struct row *r)
{
	double v[ROUNDS];
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		u32 round = WARM_ROUNDS + i;
		double a = ticks[r->a][round], b = ticks[r->b][round];

		switch (r->kind) {
		case TIME:
			v[i] = a * ns_per_tick;
			break;
		case MORE:
			v[i] = (a - b) * ns_per_tick;
			break;
		case RATIO:
		case LEAST:
			v[i] = a / b;
			break;
		case BOTH:
			v[i] = a / b / (ticks[V_apart][round] / ticks[V_record][round]);
			break;
		}
	}
	/*
	 * Other load on one CPU delays both, and that on a neighbour what waits for memory: use the
	 * fastest quarter of the rounds.
	 */
	return quantile(v, ROUNDS, r->kind == BOTH || r->kind == LEAST ? 0.25 : 0.5);
}

static void print_row(const struct row *r)
{
	const char *unit = r->kind == TIME || r->kind == MORE ? "ns" : "x";
	const char *missing = variant_missing(r->a);

	if (!missing && r->kind != TIME)
		missing = variant_missing(r->b);
	if (missing)
		printf("native.%s\t-\t%s\t%s\n", r->name, unit, missing);
	else
		printf("native.%s\t%.3f\t%s\t%s\n", r->name, row_value(r), unit, r->note);
}

/* ---- Start ------------------------------------------------------------ */

static bool init_memory(void)
{
	struct buffer *buffers[] = { &store_buffer, &deep_buffer };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(buffers); i++) {
		buffers[i]->mem = aligned_alloc(JTRACE_PAGE, buffers[i]->size);
		if (!buffers[i]->mem)
			return false;
		memset(buffers[i]->mem, 0, buffers[i]->size);
	}
	for (i = 0; i < NR_RINGS; i++)
		if (!ring_init(i))
			return false;
	return true;
}

int main(void)
{
	u32 a, b = 0, c, d, i;

	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	has_clwb = b & bit_CLWB;
	if (!init_memory() || !start_threads()) {
		fprintf(stderr, "native: no memory, or no thread on a CPU of its own\n");
		return 1;
	}
	calibrate();
	for (i = 0; i < WARM_ROUNDS + ROUNDS; i++) {
		round_alone(i);
		if (has_two_cpus)
			round_together(i);
	}
	fprintf(stderr, "native: %u rounds of %u events, %.3f ticks per ns\n", ROUNDS, EVENTS,
		1 / ns_per_tick);
	for (i = 0; i < NR_RINGS; i++)
		if (!ring_is_right(i))
			return 1;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		print_row(&rows[i]);
	return 0;
}
