// SPDX-License-Identifier: GPL-2.0
/*
 * Threads as CPUs, signals as interrupts.  Writers record without pause.  Readers read in place
 * and by snapshots, with the gate closed and open.  In some runs a thread clears.  Each record
 * carries a hash of itself, which shows torn and foreign records.  At the end each event is
 * accounted for, and the last records of a writer that stopped early are there.
 *
 * Usage: stress_ring [-t SECONDS] [-s SEED] [-o DIR]     DIR: for images
 *
 * NO_SIGNALS leaves the signals out, because ThreadSanitizer delays them.
 */

#define _GNU_SOURCE
#include <pthread.h>

#include "../../lib/image/snapshot.h"
#include "../../lib/read/walk.h"
#include "stress_ring.h"
#include "stress_record.h"
#include "stress_time.h"

static void close_own(struct writer *w)
{
	u32 round = __atomic_load_n(&s.round, __ATOMIC_ACQUIRE);

	jtrace_ring_close(&s.ring, w->rc);
	__atomic_store_n(&w->closed, round, __ATOMIC_RELEASE);
}

#ifndef NO_SIGNALS
static __thread struct writer *self;

static void interrupt(int sig)
{
	struct writer *w = self;
	u32 i;

	if (!w)
		return;
	if (sig == SIGRTMIN + 2) {
		close_own(w);
		return;
	}
	if (w->level + 1 >= LEVELS)
		return;
	w->level++;
	for (i = 0; i <= (w->tried + sig) % 5; i++)
		record(w);
	w->level--;
}
#endif

static void write_loop(struct writer *w)
{
	while (!READ_ONCE(s.stop) && !(w->early && READ_ONCE(s.half))) {
		record(w);
#ifdef NO_SIGNALS
		if (w->closed != READ_ONCE(s.round))
			close_own(w);
#endif
	}
}

static void *writer(void *arg)
{
	struct writer *w = arg;

#ifdef NO_SIGNALS
	__atomic_store_n(&w->began, true, __ATOMIC_RELEASE);
	write_loop(w);
#else
	timer_t one, two;
	sigset_t all;

	self = w;
	__atomic_store_n(&w->began, true, __ATOMIC_RELEASE);
	one = pest(SIGRTMIN, 40000 + w->cpu * 7000);
	two = pest(SIGRTMIN + 1, 31000 + w->cpu * 3000);
	write_loop(w);
	timer_delete(one);
	timer_delete(two);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
#endif
	__atomic_store_n(&w->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Readers */

struct reader {
	pthread_t thread;
	struct jtrace_trace t;
	void *room;
	struct jtrace_walk walk;
	u8 *copy;
	u64 accepted;
	u64 gone;
	u32 nr;
};

static void check_event(const struct jtrace_decoded *ev)
{
	if (ev->cpu >= s.c.threads || !(name_of(ev) & NAME_BIT)) {
		bad("foreign", ev->cpu, name_of(ev));
		return;
	}
	if (s.c.kind == JTRACE_KIND_SMALL) {
		if (ev->site != proof(ev))
			bad("torn small", ev->site, ev->arg[0]);
		return;
	}
	if (ev->tid != proof(ev) || (u32)ev->wide[0] << 3 != (ev->site & ~7U) ||
	    ev->context != (ev->site & (NAME_BIT - 1)))
		bad("torn large", ev->wide[1], ev->wide[0]);
}

/* Check that entries are valid, in order, and newer than @since of each CPU and level. */
static u32 check_trace(struct reader *r, u64 (*since)[LEVELS])
{
	u64 last[MAX_THREADS][LEVELS] = { { 0 } }, before = 0;
	const struct jtrace_decoded *ev;
	u32 seen = 0;

	jtrace_walk_each(&r->walk, &r->t, ev) {
		u32 level, count;

		if (ev->time < before)
			bad("order", before, ev->time);
		before = ev->time;
		check_event(ev);
		seen++;
		level = name_of(ev) & (NAME_BIT - 1);
		count = name_of(ev) >> 3;
		if (ev->cpu >= s.c.threads || level >= LEVELS)
			continue;
		/* 1 + the last one, 0 for none. */
		if (last[ev->cpu][level] > count)
			bad("per-CPU order", last[ev->cpu][level] - 1, count);
		last[ev->cpu][level] = count + 1ULL;
		if (since && count < since[ev->cpu][level])
			bad("cleared but shown", since[ev->cpu][level], count);
	}
	r->gone += r->t.found > seen ? r->t.found - seen : 0;
	r->accepted += seen;
	return seen;
}

static void scan(struct reader *r, const void *img)
{
	if (jtrace_recover_open(&r->t, img, s.l.size) != JTRACE_WHOLE)
		bad("open", 0, 0);
	else
		jtrace_recover_scan(&r->t, r->room);
}

static void snapshot(struct reader *r)
{
	struct jtrace_image_header h = s.h;
	u64 cursors[MAX_THREADS];
	struct jtrace_cut cut = { .cursors = cursors, .cpus = s.c.threads };
	u32 i;

	for (i = 0; i < s.c.threads; i++)
		cursors[i] = READ_ONCE(s.w[i].rc->cursor);
	cut.claims = atomic64_read(&s.ring.claims);
	h.floor = READ_ONCE(s.floor);
	memset(r->copy, 0, s.l.size);
	jtrace_snapshot(&s.l, s.img, &h, &cut, r->copy);
	scan(r, r->copy);
}

static void read_once(struct reader *r, u32 how)
{
	u64 gone = r->gone;

	if (how & 1)
		jtrace_ring_gate_close(&s.ring);
	if (how & 2)
		snapshot(r);
	else
		scan(r, s.img);
	/* As a kernel reads its own image. */
	if (how & 4 && !(how & 2)) {
		jtrace_recover_known(&r->t, s.img, &s.h, &s.l);
		jtrace_recover_scan(&r->t, r->room);
	}
	if (how & 1)
		jtrace_ring_gate_open(&s.ring);
	check_trace(r, NULL);
	/* A copy loses no entries. */
	if (how & 2 && r->gone != gone)
		bad("lost from a copy", r->gone, gone);
}

static void *reader(void *arg)
{
	struct reader *r = arg;
	u32 n = r->nr;

	while (!READ_ONCE(s.stop)) {
		/* While a thread clears, the floor comes from that thread, not from the image. */
		read_once(r, s.c.clear ? n | 2 : n);
		n++;
		usleep(n * 37 % 200);
	}
	return NULL;
}

static void reader_init(struct reader *r, u32 nr)
{
	memset(r, 0, sizeof(*r));
	r->nr = nr;
	r->copy = aligned_alloc(4096, ALIGN(s.l.size, 4096));
	r->room = malloc((4 * s.l.nr_chunks + 2 + MAX_THREADS) * sizeof(struct jtrace_key));
}

static void reader_free(struct reader *r)
{
	s.accepted += r->accepted;
	s.gone += r->gone;
	free(r->copy);
	free(r->room);
}

/* Clearing */

/* Number of records of a CPU, without the start value of its counter. */
static u64 own(const struct writer *w, u64 recorded)
{
	return recorded ? recorded - w->slots : 0;
}

/* Without signals a writer checks by itself. */
static void kick(const struct writer *w)
{
	while (!__atomic_load_n(&w->began, __ATOMIC_ACQUIRE))
		sched_yield();
#ifndef NO_SIGNALS
	pthread_kill(w->thread, SIGRTMIN + 2);
#endif
}

/* Its own thread does it, like an IPI; a thread that has ended is like an offline CPU. */
static void close_open(struct writer *w)
{
	if (!__atomic_load_n(&w->ended, __ATOMIC_ACQUIRE))
		kick(w);
	while (__atomic_load_n(&w->closed, __ATOMIC_ACQUIRE) != s.round) {
		if (__atomic_load_n(&w->ended, __ATOMIC_ACQUIRE)) {
			jtrace_ring_close(&s.ring, w->rc);
			return;
		}
		sched_yield();
	}
}

static void clear_once(struct reader *r)
{
	u64 since[MAX_THREADS][LEVELS], floor;
	u32 i, k;

	for (i = 0; i < s.c.threads; i++)
		for (k = 0; k < LEVELS; k++)
			since[i][k] = READ_ONCE(s.w[i].done[k]);
	floor = jtrace_ring_floor_next(&s.ring);
	__atomic_add_fetch(&s.round, 1, __ATOMIC_RELEASE);	/* floor:G */
	for (i = 0; i < s.c.threads; i++)
		close_open(&s.w[i]);
	jtrace_ring_floor_set(&s.ring, floor);
	WRITE_ONCE(s.floor, cpu_to_le64(floor));
	s.clears++;
	snapshot(r);
	check_trace(r, since);
}

static void *clearer(void *arg)
{
	while (!READ_ONCE(s.stop)) {
		clear_once(arg);
		usleep(3000);
	}
	return NULL;
}

/* A run */

static void geometry(const struct config *c)
{
	const u32 header = sizeof(struct jtrace_image_header);

	memset(&s, 0, sizeof(s));
	s.c = *c;
	jtrace_layout_chunk(&s.l, c->shift, c->kind);
	s.l.sites_off = header;
	s.l.chunks_off = ALIGN(header, 1U << c->shift);
	s.l.sites_end = s.l.chunks_off;
	s.l.nr_chunks = c->chunks;
	s.l.size = s.l.chunks_off + ((u64)c->chunks << c->shift) + 512;
	s.img = aligned_alloc(4096, ALIGN(s.l.size, 4096));
	memset(s.img, 0, s.l.size);
	jtrace_ring_init(&s.ring, &s.l, s.img, IMAGE_ID,
			 calloc(c->chunks, sizeof(struct jtrace_chunk_ctl)),
			 c->keep ? JTRACE_RING_KEEP_PREVIOUS : 0);
	jtrace_header_init(&s.h, &s.l, IMAGE_ID);
	s.h.nr_cpus = cpu_to_le32(c->threads);
	jtrace_header_write(s.img, &s.h);
	if (c->model)
		model_new(&s.l);
}

/* After the first record, set counters whose low halves overflow soon. */
static void near_overflow(struct writer *w)
{
	w->slots = U32_MAX - NEAR_OVERFLOW * (u64)s.l.entries;
	atomic64_add(w->slots, &w->rc->recorded);
}

static void writer_init(u32 i, u64 seed)
{
	struct writer *w = &s.w[i];

	w->cpu = i;
	w->rnd = random_hash(seed + i);
	w->early = i == 0;
	w->rc = aligned_alloc(64, sizeof(*w->rc));
	memset(w->rc, 0, sizeof(*w->rc));
	w->rc->cpu = i;
	if (s.c.overflow) {
		record(w);
		near_overflow(w);
	}
}

/* The events of CPU 0 in its last chunks. */
static void check_early(struct reader *r)
{
	u64 recorded = own(&s.w[0], jtrace_ring_recorded(&s.ring, s.w[0].rc));
	u64 last, want, found = 0;
	const struct jtrace_decoded *ev;
	struct jtrace_chunk c;

	if (!recorded || s.c.clear)
		return;
	last = (recorded - 1) / s.l.entries;
	want = (recorded - 1) % s.l.entries + 1;
	if (s.c.keep && last)
		want += s.l.entries;
	jtrace_walk_each(&r->walk, &r->t, ev) {
		u64 at = (u64)(u32)r->walk.key.tie * 8 - s.l.chunks_off;
		u32 index = at >> s.l.chunk_shift;

		/* It owns no other chunks. */
		if (jtrace_chunk_read(&s.l, s.img, IMAGE_ID, index, &c) && c.cpu == 0)
			found += s.ring.ctl[index].state & 1;
	}
	if (found != want)
		bad("early writer's last events", found, want);
}

static void check_end(struct reader *r, u64 *dropped, u64 *skipped)
{
	u64 tried = 0, recorded = 0, overwritten = 0, shown;
	u64 cleared = jtrace_ring_hidden(&s.ring);
	u32 i, owned = 0;

	for (i = 0; i < s.c.threads; i++) {
		struct jtrace_ring_cpu *rc = s.w[i].rc;

		tried += s.w[i].tried;
		recorded += own(&s.w[i], jtrace_ring_recorded(&s.ring, rc));
		overwritten += atomic64_read(&rc->overwritten);
		cleared += atomic64_read(&rc->cleared);
		*dropped += atomic64_read(&rc->lost[JTRACE_DROPPED_BUSY]);
		*skipped += atomic64_read(&rc->lost[JTRACE_SKIPPED]);
	}
	if (!recorded || tried != recorded + *dropped + *skipped)
		bad("events", tried, recorded + *dropped + *skipped);
	s.h.floor = s.floor;
	jtrace_header_write(s.img, &s.h);
	scan(r, s.img);
	shown = check_trace(r, NULL);
	if (shown != r->t.found || recorded != shown + overwritten + cleared)
		bad("recorded", recorded, shown + overwritten + cleared);
	bad(s.c.model ? model_compare(&r->t, !s.c.clear) : NULL, r->t.found, shown);
	if (jtrace_ring_stuck(&s.ring))
		bad("stuck", jtrace_ring_stuck(&s.ring), 0);
	for (i = 0; i < s.l.nr_chunks; i++)
		owned += s.ring.ctl[i].state & 1;
	if (owned > s.c.threads * (s.c.keep ? 2 : 1))
		bad("owned", owned, s.c.threads);
	check_early(r);
}

static void tell(u32 nr, u64 dropped, u64 skipped)
{
	const struct config *c = &s.c;
	u64 events = 0;
	u32 i;

	for (i = 0; i < c->threads; i++)
		events += s.w[i].tried;
	printf("%s %u - stress %u x %u bytes, %s, %u threads%s%s%s%s: ", s.bad ? "not ok" : "ok",
	       nr, c->chunks, 1U << c->shift, c->kind == JTRACE_KIND_SMALL ? "small" : "large",
	       c->threads, c->keep ? ", previous kept" : "", c->clear ? ", cleared" : "",
	       c->model ? ", modelled" : "", c->overflow ? ", overflow" : "");
	printf("events %llu accepted %llu gone %llu ", (unsigned long long)events,
	       (unsigned long long)s.accepted, (unsigned long long)s.gone);
	printf("dropped %llu skipped %llu clears %u bad %llu\n", (unsigned long long)dropped,
	       (unsigned long long)skipped, s.clears, (unsigned long long)s.bad);
}

static bool any_recorded(void)
{
	u32 i;

	for (i = 0; i < s.c.threads; i++)
		if (own(&s.w[i], jtrace_ring_recorded(&s.ring, s.w[i].rc)))
			return true;
	return false;
}

static bool run(u32 nr, const struct config *c, double seconds, u64 seed, const char *dir)
{
	struct reader r[READERS + 2];
	pthread_t clear;
	u64 dropped = 0, skipped = 0;
	u32 i;

	geometry(c);
	for (i = 0; i < READERS + 2; i++)
		reader_init(&r[i], i);
	for (i = 0; i < c->threads; i++)
		writer_init(i, seed);
	for (i = 0; i < c->threads; i++)
		pthread_create(&s.w[i].thread, NULL, writer, &s.w[i]);
	for (i = 0; i < READERS; i++)
		pthread_create(&r[i].thread, NULL, reader, &r[i]);
	if (c->clear)
		pthread_create(&clear, NULL, clearer, &r[READERS]);
	nap(seconds / 2);
	WRITE_ONCE(s.half, true);
	nap(seconds / 2);
	/* On a busy machine, the threads may not have begun. */
	while (!any_recorded())
		nap(0.01);
	WRITE_ONCE(s.stop, true);
	for (i = 0; i < READERS; i++)
		pthread_join(r[i].thread, NULL);
	/* This thread sends signals to the others. */
	if (c->clear)
		pthread_join(clear, NULL);
	for (i = 0; i < c->threads; i++)
		pthread_join(s.w[i].thread, NULL);
	check_end(&r[READERS + 1], &dropped, &skipped);
	if (dir)
		stress_save(dir, nr, s.img, s.l.size);
	for (i = 0; i < READERS + 2; i++)
		reader_free(&r[i]);
	tell(nr, dropped, skipped);
	for (i = 0; i < c->threads; i++)
		free(s.w[i].rc);
	free(s.ring.ctl);
	free(s.img);
	return !s.bad;
}

static void handlers(void)
{
#ifndef NO_SIGNALS
	struct sigaction sa = { .sa_handler = interrupt, .sa_flags = SA_RESTART };

	sigaction(SIGRTMIN, &sa, NULL);
	sigaction(SIGRTMIN + 1, &sa, NULL);
	sigaction(SIGRTMIN + 2, &sa, NULL);
#endif
}

int main(int argc, char **argv)
{
	u64 seed = time(NULL);
	struct config *configs;
	const char *dir = NULL;
	double seconds = 5;
	u32 i, nr, failed = 0;
	int opt;

	while ((opt = getopt(argc, argv, "t:s:o:")) > 0) {
		if (opt == 't') {
			seconds = atof(optarg);
		} else if (opt == 's') {
			seed = strtoull(optarg, NULL, 0);
		} else if (opt == 'o') {
			dir = optarg;
		} else {
			fprintf(stderr, "usage: stress_ring [-t SECONDS] [-s SEED] [-o DIR]\n");
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %llu\n", (unsigned long long)seed);
	handlers();
	/* Random runs in the remaining time, half a second each. */
	nr = stress_configs(&configs, seed, max(8U, (u32)(2 * seconds)));
	for (i = 0; i < nr; i++)
		failed += !run(i + 1, &configs[i], seconds / (nr + 1), seed + i, dir);
	free(configs);
	failed += !stress_sites(i + 1, seconds / (nr + 1));
	printf("1..%u\n", i + 1);
	return failed != 0;
}
