// SPDX-License-Identifier: GPL-2.0
/*
 * Times a record of lib/ring.h in user space, beside what it is made of, what it
 * is compared with, and what it costs the caller afterwards.
 *
 * Usage: native [-r ROUNDS] [-n TIMES] [-b BYTES] [-l PROVIDER | -L REASON]
 *   -r, -n  so many rounds, of so many events for each variant (200, 2000)
 *   -b      size of each ring that has no size of its own, a power of two (65536)
 *   -l      what makes events of LTTng-UST; -L: why there is none
 *
 * Absolute times drift on a machine that is shared, so each round runs all
 * variants one after the other, a short while each and in an order of its own, and a
 * row is the median over the rounds: of a time, or of the ratio or difference
 * that two times have in one round.
 *
 * Prints rows "NAME<TAB>VALUE<TAB>UNIT<TAB>NOTE". Exit: 0, 1 when events were not
 * recorded or a thread cannot be had, 2 usage.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "native.h"

#define WARM_ROUNDS	10

enum row_kind {
	TIME,		/* of @a */
	MORE,		/* how much longer @a takes than @b */
	RATIO,		/* of @a to @b */
	BOTH,		/* the same, to that of rdtsc on 2 CPUs and on one; lower quartile */
};

static const struct row {
	const char *name;
	enum row_kind kind;
	enum variant a;
	enum variant b;
	const char *note;
} rows[] = {
	{ "native.rdtsc", TIME, V_RDTSC, 0, "the instruction alone" },
	{ "native.rdtsc_store64", TIME, V_STORE, 0, "rdtsc and a 64-byte store, the next line of 64 KiB" },
	{ "native.record", TIME, V_RECORD, 0, "large entry, volatile" },
	{ "native.record_checked", TIME, V_CHECKED, 0, "large entry, check value, no write-back" },
	{ "native.record_wb", TIME, V_WB, 0, "large entry, check value, clwb: persistent" },
	{ "native.record_small", TIME, V_SMALL, 0, "small entry, volatile" },
	{ "native.record_wb_small", TIME, V_WB_SMALL, 0, "small entry, check value, clwb: persistent" },
	{ "native.rdtsc_store64_deep", TIME, V_STORE_DEEP, 0, "as rdtsc_store64, but of 1 MiB" },
	{ "native.record_deep", TIME, V_DEEP, 0, "as record, in a ring of 1 MiB" },
	{ "native.record_default", TIME, V_DEFAULT, 0, "volatile at its default size: large, 32 KiB" },
	{ "native.record_wb_default", TIME, V_WB_DEFAULT, 0, "persistent in 1 MiB, its defaults: large, all of it" },
	{ "native.record2", TIME, V_RECORD2, 0, "as record, on 2 CPUs at once" },
	{ "native.rdtsc2", TIME, V_RDTSC2, 0, "rdtsc on 2 CPUs at once" },
	{ "native.record2_apart", TIME, V_APART2, 0, "as record2, but each CPU has a ring of its own" },
	{ "native.record2_deep", TIME, V_DEEP2, 0, "as record_deep, on 2 CPUs at once" },
	{ "native.record2_wb", TIME, V_WB2, 0, "as record_wb, on 2 CPUs at once" },
	{ "native.lttng_ust", TIME, V_LTTNG, 0, "LTTng-UST, snapshot mode, 4 u32 and 2 u64" },
	{ "native.ratio.record_rdtsc", RATIO, V_RECORD, V_RDTSC, "record / rdtsc" },
	{ "native.ratio.record_store", RATIO, V_RECORD, V_STORE, "record / (rdtsc + 64-byte store)" },
	{ "native.ratio.record_work", RATIO, V_RECORD, V_STORE_WORK,
	  "record / (rdtsc + 64-byte store + 40 nops)" },
	{ "native.ratio.record_store_deep", RATIO, V_DEEP, V_STORE_DEEP,
	  "the same, in 1 MiB" },
	{ "native.ratio.wb_rdtsc", RATIO, V_WB, V_RDTSC, "record_wb / rdtsc" },
	{ "native.ratio.threads2", RATIO, V_RECORD2, V_RECORD, "record on 2 CPUs at once / on one" },
	{ "native.ratio.threads2_rdtsc", BOTH, V_RECORD2, V_RECORD,
	  "the same / what it is for rdtsc" },
	{ "native.ratio.rdtsc2", RATIO, V_RDTSC2, V_RDTSC, "rdtsc on 2 CPUs at once / on one" },
	{ "native.ratio.shared2", RATIO, V_RECORD2, V_APART2, "2 CPUs in one ring / in a ring each" },
	{ "native.ratio.threads2_deep", RATIO, V_DEEP2, V_DEEP, "the same, in 1 MiB" },
	{ "native.ratio.threads2_wb", RATIO, V_WB2, V_WB, "record_wb on 2 CPUs at once / on one" },
	{ "native.ratio.lttng_ust", RATIO, V_LTTNG, V_RECORD, "LTTng-UST / record" },

	{ "native.caller.locked", MORE, V_RECORD_LOCK, V_RECORD, "lock add after a volatile record" },
	{ "native.caller.locked_gap100", MORE, V_GAP100_LOCK, V_GAP100, "the same, 100 ns later" },
	{ "native.caller.locked_wb", MORE, V_WB_LOCK, V_WB, "lock add after a record with clwb" },
	{ "native.caller.sfence_wb", MORE, V_WB_SFENCE, V_WB, "sfence after a record with clwb" },
	{ "native.caller.locked_wb_gap100", MORE, V_WB_GAP100_LOCK, V_WB_GAP100,
	  "lock add 100 ns after a record with clwb" },
	{ "native.caller.locked_wb_gap300", MORE, V_WB_GAP300_LOCK, V_WB_GAP300,
	  "lock add 300 ns after a record with clwb" },

	{ "native.policy.none.record", TIME, V_CHECKED, 0, "check value, nothing written back" },
	{ "native.policy.none.record_locked", TIME, V_NONE_LOCK, 0, "and a lock add after each" },
	{ "native.policy.clwb.record", TIME, V_WB, 0, "clwb of each entry, prefetchw of the next: jtrace" },
	{ "native.policy.clwb.record_locked", TIME, V_WB_LOCK, 0, "and a lock add after each" },
	{ "native.policy.plain.record", TIME, V_PLAIN, 0, "the same, but without prefetchw of the next entry" },
	{ "native.policy.plain.record_locked", TIME, V_PLAIN_LOCK, 0, "and a lock add after each" },
	{ "native.policy.clflushopt.record", TIME, V_CLFLUSHOPT, 0, "clflushopt of each entry" },
	{ "native.policy.clflushopt.record_locked", TIME, V_CLFLUSHOPT_LOCK, 0, "and a lock add after each" },
	{ "native.policy.previous.record", TIME, V_PREV, 0, "clwb of the entry before" },
	{ "native.policy.previous.record_locked", TIME, V_PREV_LOCK, 0, "and a lock add after each" },
	{ "native.policy.chunk.record", TIME, V_CHUNK, 0, "clwb of all lines of a full chunk" },
	{ "native.policy.chunk.record_locked", TIME, V_CHUNK_LOCK, 0, "and a lock add after each" },
	{ "native.policy.movnti.record", TIME, V_MOVNTI, 0, "entry stored past the cache by movnti" },
	{ "native.policy.movnti.record_locked", TIME, V_MOVNTI_LOCK, 0, "and a lock add after each" },
	{ "native.policy.movdir64b.record", TIME, V_MOVDIR64B, 0, "entry stored past the cache by movdir64b" },
	{ "native.policy.movdir64b.record_locked", TIME, V_MOVDIR64B_LOCK, 0,
	  "and a lock add after each" },
};

static u32 nr_rounds = 200;
static u32 times = 2000;
static u32 ring_size = 64 << 10;

/* Ticks that one event took, by variant and round. */
static double *ticks[NR_VARIANTS];
static double ns_per_tick;

/* ---- The second CPU --------------------------------------------------- */

/*
 * While it has nothing to do it sleeps: a CPU that spins may slow down the
 * other.  In a round it spins between its variants, so that both begin together.
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	u32 round;		/* wanted; under the lock */
	u32 there;		/* reached by the other, for those who spin */
	u32 go;
	u32 done;
	double ticks;
	bool end;
} second = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
};

#define LOAD(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELEASE)

static void wait_for(u32 *what, u32 value)
{
	while (LOAD(*what) != value)
		relax();
}

static double time_once(enum variant v)
{
	u64 start;

	start = ticks_begin();
	variants[v].run(times);
	return (double)(ticks_end() - start) / times;
}

/* What comes first finds other code and other data in the caches. */
static void warm(enum variant v)
{
	variants[v].run(times / 8);
}

static void *second_main(void *arg)
{
	u32 round = 0, step = 0;
	int i;

	(void)arg;
	variants_thread(1);
	for (;;) {
		pthread_mutex_lock(&second.lock);
		while (second.round == round && !second.end)
			pthread_cond_wait(&second.wake, &second.lock);
		round = second.round;
		pthread_mutex_unlock(&second.lock);
		if (second.end)
			return NULL;
		STORE(second.there, round);
		for (i = NR_ALONE; i < NR_VARIANTS; i++) {
			step++;
			wait_for(&second.go, step);
			if (!variants[i].missing) {
				warm(i);
				second.ticks = time_once(i);
			}
			STORE(second.done, step);
		}
	}
}

/* All that runs on two CPUs at once. */
static void round_both(u32 round)
{
	static u32 step;
	int i;

	pthread_mutex_lock(&second.lock);
	second.round++;
	pthread_cond_signal(&second.wake);
	pthread_mutex_unlock(&second.lock);
	wait_for(&second.there, second.round);
	for (i = NR_ALONE; i < NR_VARIANTS; i++) {
		double mine = 0;

		step++;
		STORE(second.go, step);
		if (!variants[i].missing) {
			warm(i);
			mine = time_once(i);
		}
		wait_for(&second.done, step);
		if (round < nr_rounds)
			ticks[i][round] = (mine + second.ticks) / 2;
	}
}

static void second_end(pthread_t thread)
{
	pthread_mutex_lock(&second.lock);
	second.end = true;
	pthread_cond_signal(&second.wake);
	pthread_mutex_unlock(&second.lock);
	pthread_join(thread, NULL);
}

/* ---- Rounds ----------------------------------------------------------- */

/* The same in each run: what a variant leaves in the caches hits all others. */
static u32 random_below(u32 n)
{
	static u64 state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % n;
}

static void round_alone(u32 round)
{
	static int order[NR_ALONE];
	int i, k, v;

	if (!order[1])
		for (i = 0; i < NR_ALONE; i++)
			order[i] = i;
	for (i = NR_ALONE - 1; i > 0; i--) {
		k = random_below(i + 1);
		v = order[i];
		order[i] = order[k];
		order[k] = v;
	}
	for (i = 0; i < NR_ALONE; i++) {
		double t;

		v = order[i];
		if (variants[v].missing)
			continue;
		warm(v);
		t = time_once(v);
		if (round < nr_rounds)
			ticks[v][round] = t;
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1000000000.0;
}

/* Both clocks side by side: the smallest of some gaps between two readings. */
static void both_clocks(double *s, double *t)
{
	u64 best = ~0ULL;
	int i;

	for (i = 0; i < 20; i++) {
		u64 start = ticks_begin(), gap;
		double now = seconds();

		gap = ticks_end() - start;
		if (gap >= best)
			continue;
		best = gap;
		*s = now;
		*t = start + gap * 0.5;
	}
}

static void ticks_calibrate(double s0, double t0)
{
	double s, t;

	do {
		both_clocks(&s, &t);
	} while (s - s0 < 0.05);
	ns_per_tick = (s - s0) * 1e9 / (t - t0);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, u32 n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* How many steps of the chain take @ns. */
static u32 chain_steps(double ns)
{
	const u32 steps = 1000;
	double t[21];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		u64 start = ticks_begin();

		variants_chain(steps);
		t[i] = (ticks_end() - start) * ns_per_tick / steps;
	}
	return lround(ns / median(t, ARRAY_SIZE(t)));
}

static void run_rounds(void)
{
	u32 i;

	/* The first ones are not counted: their numbers are not below nr_rounds. */
	for (i = 0; i < WARM_ROUNDS + nr_rounds; i++) {
		u32 round = i < WARM_ROUNDS ? U32_MAX : i - WARM_ROUNDS;

		round_alone(round);
		if (!variants[V_RECORD2].missing)
			round_both(round);
	}
}

/* Run all of it; false if a loop did not record as it should. */
static bool measure(void)
{
	double s0, t0;

	if (variants[V_RDTSC].missing)
		return true;
	both_clocks(&s0, &t0);
	ticks_calibrate(s0, t0);
	variants_gap(0, chain_steps(100));
	variants_gap(1, chain_steps(300));
	run_rounds();
	ticks_calibrate(s0, t0);
	fprintf(stderr, "native: %u rounds of %u events, %.3f ticks per ns\n", nr_rounds, times,
		1 / ns_per_tick);
	return variants_verify();
}

/* ---- Rows ------------------------------------------------------------- */

static double row_value(const struct row *r)
{
	double v[nr_rounds];
	u32 i;

	for (i = 0; i < nr_rounds; i++) {
		double a = ticks[r->a][i], b = ticks[r->b][i];

		switch (r->kind) {
		case TIME:
			v[i] = a * ns_per_tick;
			break;
		case MORE:
			v[i] = (a - b) * ns_per_tick;
			break;
		case RATIO:
			v[i] = a / b;
			break;
		case BOTH:
			v[i] = a / b / (ticks[V_RDTSC2][i] / ticks[V_RDTSC][i]);
			break;
		}
	}
	/* What else runs on one of two CPUs makes both wait: the quiet quarter counts. */
	if (r->kind == BOTH) {
		qsort(v, nr_rounds, sizeof(*v), by_value);
		return v[nr_rounds / 4];
	}
	return median(v, nr_rounds);
}

static void row_print(const struct row *r)
{
	const char *unit = r->kind == RATIO || r->kind == BOTH ? "x" : "ns";
	const char *missing = variants[r->a].missing;

	if (!missing && r->kind != TIME)
		missing = variants[r->b].missing;
	if (missing)
		printf("%s\t-\t%s\t%s\n", r->name, unit, missing);
	else
		printf("%s\t%.3f\t%s\t%s\n", r->name, row_value(r), unit, r->note);
}

/* ---- Start ------------------------------------------------------------ */

/* Its sessions are found while it is loaded, which waits for them a while. */
static void provider_load(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	bool (*ready)(void) = lib ? (bool (*)(void))dlsym(lib, "lttng_ready") : NULL;

	variants[V_LTTNG].run = lib ? (void (*)(u32))dlsym(lib, "lttng_run") : NULL;
	if (!ready || !variants[V_LTTNG].run) {
		fprintf(stderr, "native: %s\n", dlerror());
		variants[V_LTTNG].missing = "skipped: LTTng-UST cannot be loaded";
	} else if (!ready()) {
		variants[V_LTTNG].missing = "skipped: no LTTng session records the event";
	} else {
		variants[V_LTTNG].missing = NULL;
	}
}

/* The CPUs that there are for us; how many, at most 2. */
static int cpus_find(int *cpu)
{
	cpu_set_t set;
	int i, n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &set))
			cpu[n++] = i;
	return n;
}

static bool pin(pthread_t thread, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!pthread_setaffinity_np(thread, sizeof(set), &set))
		return true;
	fprintf(stderr, "native: cannot run on CPU %d\n", cpu);
	return false;
}

static bool threads_start(pthread_t *thread)
{
	int cpu[2], i, n = cpus_find(cpu);

	variants_thread(0);
	if (!n || !pin(pthread_self(), cpu[0]))
		return false;
	if (n < 2) {
		for (i = NR_ALONE; i < NR_VARIANTS; i++)
			variants[i].missing = "skipped: this machine has one CPU";
		return true;
	}
	if (pthread_create(thread, NULL, second_main, NULL))
		return false;
	return pin(*thread, cpu[1]);
}

static bool options(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "r:n:b:l:L:")) > 0) {
		switch (opt) {
		case 'r':
			nr_rounds = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			times = strtoul(optarg, NULL, 0);
			break;
		case 'b':
			ring_size = strtoul(optarg, NULL, 0);
			break;
		case 'l':
			provider_load(optarg);
			break;
		case 'L':
			variants[V_LTTNG].missing = optarg;
			break;
		default:
			return false;
		}
	}
	return optind == argc && nr_rounds && times && !(ring_size & (ring_size - 1));
}

int main(int argc, char **argv)
{
	pthread_t thread;
	bool right;
	u32 i;

	if (!options(argc, argv)) {
		fprintf(stderr,
			"usage: native [-r ROUNDS] [-n TIMES] [-b BYTES] [-l PROVIDER | -L REASON]\n");
		return 2;
	}
	for (i = 0; i < NR_VARIANTS; i++)
		ticks[i] = calloc(nr_rounds, sizeof(*ticks[i]));
	if (!variants_init(ring_size)) {
		fprintf(stderr, "native: no memory\n");
		return 1;
	}
	if (!threads_start(&thread)) {
		fprintf(stderr, "native: no thread on a CPU of its own\n");
		return 1;
	}
	right = measure();
	if (!variants[V_RECORD2].missing)
		second_end(thread);
	for (i = 0; right && i < ARRAY_SIZE(rows); i++)
		row_print(&rows[i]);
	return !right;
}
