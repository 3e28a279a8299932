/* SPDX-License-Identifier: GPL-2.0 */
/* For stress_ring.c: how its threads record, by jtrace_ring_try(), and what an entry proves. */
#ifndef _STRESS_RECORD_H
#define _STRESS_RECORD_H

#include <stdio.h>

#include "stress_ring.h"

/* @what: the fault; NULL for none */
static void bad(const char *what, u64 a, u64 b)
{
	if (what && __atomic_add_fetch(&s.bad, 1, __ATOMIC_RELAXED) < 10)
		printf("# %s: %llx %llx\n", what, (unsigned long long)a, (unsigned long long)b);
}

static u64 clock_now(void)
{
	return __builtin_ia32_rdtsc();
}

/*
 * What proves that an entry is not torn: a hash of all else.  It is the thread of a large entry,
 * and the site of a small one.
 */
static u32 proof(const struct jtrace_decoded *ev)
{
	u64 h = random_hash(ev->time ^ ev->cpu);

	if (s.c.kind == JTRACE_KIND_SMALL)
		return random_hash(h ^ ev->arg[0]) | 1;
	h = random_hash(h ^ ev->site);
	h = random_hash(h ^ ev->wide[0]) ^ ev->wide[1];
	return random_hash(h ^ ((u64)ev->arg[1] << 32 | ev->arg[0]));
}

/* What names an event, never 0: its number on its level, a bit, and the level. */
#define NAME_BIT	4
static_assert(LEVELS <= NAME_BIT);

static u32 name_of(const struct jtrace_decoded *ev)
{
	return s.c.kind == JTRACE_KIND_SMALL ? ev->arg[0] : ev->site;
}

/**
 * struct attempt - a record that is made
 * @w: by whom
 * @ev: the event
 * @cursor: its slot
 */
struct attempt {
	struct writer *w;
	struct jtrace_decoded ev;
	u64 cursor;
};

static __always_inline u64 read_cursor(void *data)
{
	struct attempt *a = data;

	return READ_ONCE(a->w->rc->cursor);
}

static __always_inline u64 read_clock(void *data)
{
	struct attempt *a = data;

	a->ev.time = clock_now();
	return a->ev.time;
}

static __always_inline bool take_slot(void *data, u64 cursor, u64 next)
{
	struct attempt *a = data;

	if (!jtrace_ring_move(a->w->rc, cursor, next))
		return false;
	a->cursor = cursor;
	if (s.c.kind == JTRACE_KIND_SMALL)
		a->ev.site = proof(&a->ev);
	else
		a->ev.tid = proof(&a->ev);
	if (s.c.model)
		bad(model_begin(cursor, &a->ev), cursor, a->w->cpu);
	return true;
}

static void end(struct attempt *a)
{
	if (s.c.model && !model_end(a->cursor))
		bad("two writers", a->cursor, a->w->cpu);
}

static __always_inline u32 read_cpu(void *data)
{
	struct attempt *a = data;

	end(a);
	return a->w->cpu;
}

static __always_inline u64 read_origin(void *data)
{
	struct attempt *a = data;

	return a->ev.cpu | a->ev.context << 16;
}

/* The last value that is asked for: the arguments are stored. */
static __always_inline u32 read_tid(void *data)
{
	struct attempt *a = data;

	end(a);
	return a->ev.tid;
}

static enum jtrace_tried try(struct attempt *a)
{
	const struct jtrace_ring_writer writer = {
		.cursor = read_cursor, .clock = read_clock, .take = take_slot,
		.cpu = read_cpu, .origin = read_origin, .tid = read_tid,
	};
	const struct jtrace_decoded *ev = &a->ev;

	return jtrace_ring_try(&s.ring, writer, a, &a->ev.site,
			       (u64)ev->arg[1] << 32 | ev->arg[0],
			       (u64)ev->arg[3] << 32 | ev->arg[2], ev->wide[0], ev->wide[1],
			       s.c.kind == JTRACE_KIND_LARGE, false, false);
}

static bool claim(struct writer *w, u64 cursor)
{
	u64 now = clock_now();
	struct jtrace_moment m = { now, now, now };

	return jtrace_ring_claim(&s.ring, w->rc, cursor, &m, !w->level);
}

static void record(struct writer *w)
{
	u64 count = w->done[w->level], r = random_next(&w->rnd), cursor;
	u32 level = w->level, name = count << 3 | NAME_BIT | level;
	struct attempt a = { .w = w, .ev = { .cpu = w->cpu, .context = level } };

	if (s.c.kind == JTRACE_KIND_SMALL) {
		a.ev.site = 1;
		a.ev.arg[0] = name;
	} else {
		a.ev.site = name;
		a.ev.arg[0] = random_hash(r);
		a.ev.arg[1] = random_hash(r) >> 32;
		a.ev.arg[2] = r;
		a.ev.wide[0] = count;
		a.ev.wide[1] = random_hash(r + 1);
	}
	__atomic_add_fetch(&w->tried, 1, __ATOMIC_RELAXED);
	while (try(&a) != JTRACE_RECORDED) {
		cursor = READ_ONCE(w->rc->cursor);
		if (jtrace_ring_full(&s.ring, cursor) && !claim(w, cursor))
			return;
	}
	WRITE_ONCE(w->done[level], count + 1);
}

#endif /* _STRESS_RECORD_H */
