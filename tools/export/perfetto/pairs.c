// SPDX-License-Identifier: GPL-2.0
/*
 * Match entries that begin and end something.
 *
 * Handlers of interrupts and softirqs belong to a CPU.  System calls and calls of functions belong
 * to a thread, which may move to another CPU meanwhile.  Each CPU and each thread has a stack of
 * begins.  An end matches only the begin that is innermost by all that the trace tells; at a
 * contradiction all of the stack is forgotten.
 *
 * Lost entries contradict nothing: if the end of one call and the begin of the next are lost, the
 * rest looks like one call.  A missing slice does less harm than a false one.  So a pair must begin
 * after the last gap (tools/entries/gaps.c).  It must not extend over a time
 * when recording was off, nor over a switch of events; events whose clauses may pass over a hit
 * have none.  A damaged image has no pairs, nor has one that misses entries somewhere.
 *
 * The image does not tell what was never recorded, because a clause of a probe passed over it, the
 * probe was removed meanwhile, or jtrace dropped or skipped it.  So a pair may join two calls then.
 */

#include <search.h>
#include <stdlib.h>

#include "pairs.h"

/* Deeper stacks are forgotten: then begins without ends pile up. */
#define DEPTH		32

/**
 * struct begin - a begin whose end was not seen yet
 * @site: of the entry
 * @at: index of the entry
 * @value: that the end must have, too
 * @context: the interrupt bits of its context
 * @cpu: that recorded it
 * @tid: of the thread
 * @time: raw
 */
struct begin {
	const struct pair_site *site;
	u64 at;
	u64 value;
	u32 context;
	u32 cpu;
	u32 tid;
	u64 time;
};

/**
 * struct track - the stack of a CPU or a thread
 * @who: the thread
 * @next: in the list of all
 * @breaks: &struct match.breaks when the begins came
 * @nr: number of begins
 * @begin: the outermost first
 * @listed: it is a thread with pairs
 */
struct track {
	u64 who;
	struct track *next;
	u32 breaks;
	u32 nr;
	struct begin *begin;
	bool listed;
};

/**
 * struct match - matching, as far as it is
 * @p: result
 * @t: the trace, without selection
 * @gaps: from when on the trace is complete
 * @cpu: tracks of CPUs
 * @thread: tracks of threads, a tree of tsearch()
 * @tracks: list of all tracks
 * @breaks: how often recording has started or stopped, or events were switched
 * @stopped: recording is off
 * @failed: no memory
 */
struct match {
	struct pairs *p;
	const struct jtrace_trace *t;
	struct gaps gaps;
	struct track *cpu[CPU_NUMBERS];
	void *thread;
	struct track *tracks;
	u32 breaks;
	bool stopped;
	bool failed;
};

/* Return why an image has no pairs, or NULL. */
static const char *why_not(const struct jtrace_trace *t)
{
	static const enum jtrace_fault loses[] = {
		JTRACE_FAULT_CUT, JTRACE_FAULT_HEADERS, JTRACE_FAULT_RESCUED, JTRACE_FAULT_CHUNK,
		JTRACE_FAULT_BLANK, JTRACE_FAULT_ENTRY,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(loses); i++)
		if (t->damage.nr[loses[i]])
			return "the image is damaged";
	if (t->header.counts.unfinished)
		return "entries were never stored, because their task died";
	return t->astray ? "the clock jumped" : NULL;
}

/* ---- Match ------------------------------------------------------------ */

static struct track *new_track(struct match *m, u64 who)
{
	struct track *k = calloc(1, sizeof(*k));

	m->failed |= !k;
	if (!k)
		return NULL;
	k->who = who;
	k->next = m->tracks;
	m->tracks = k;
	return k;
}

static struct track *cpu_track(struct match *m, u32 cpu)
{
	if (!m->cpu[cpu])
		m->cpu[cpu] = new_track(m, cpu);
	return m->cpu[cpu];
}

static int compare(const void *a, const void *b)
{
	const struct track *x = a, *y = b;

	return x->who < y->who ? -1 : x->who > y->who;
}

static struct track *thread_track(struct match *m, const struct jtrace_decoded *ev)
{
	const struct track wanted = { .who = pairs_thread(ev) };
	struct track **found = tfind(&wanted, &m->thread, compare), *k;

	if (found)
		return *found;
	k = new_track(m, wanted.who);
	if (k && !tsearch(k, &m->thread, compare)) {
		m->failed = true;
		return NULL;
	}
	return k;
}

/* The interrupt bits; how often BH is disabled may change in a call. */
static u32 interrupt_bits(u32 context)
{
	return context & (JTRACE_CTX_SOFTIRQ | JTRACE_CTX_HARDIRQ | JTRACE_CTX_NMI);
}

/* An interrupt that ran in a higher context on this thread is over. */
static void drop_interrupts(struct track *k, u32 context)
{
	while (k->nr && k->begin[k->nr - 1].context > context)
		k->nr--;
}

/* Most tracks have few begins, and there may be as many tracks as entries. */
static bool make_room(struct match *m, struct track *k)
{
	k->begin = array_grow(k->begin, k->nr, sizeof(*k->begin));
	m->failed |= !k->begin;
	return k->begin;
}

static void push(struct match *m, struct track *k, const struct pair_site *s, u64 at, u64 value,
		 const struct jtrace_decoded *ev)
{
	u64 from = s->role == ROLE_IRQ || s->role == ROLE_SOFTIRQ ? m->gaps.cpu_from[ev->cpu] :
		   m->gaps.all_from;

	if (k->nr == DEPTH)
		k->nr = 0;
	/* The claim's stamp may be the time of a lost entry of another CPU. */
	if ((from && ev->time <= from) || !make_room(m, k))
		return;
	k->begin[k->nr++] = (struct begin) {
		.site = s, .at = at, .value = value, .context = interrupt_bits(ev->context),
		.cpu = ev->cpu, .tid = ev->tid, .time = ev->time,
	};
}

static void list_thread(struct match *m, struct track *k)
{
	struct pairs *p = m->p;

	if (k->listed)
		return;
	k->listed = true;
	p->thread = array_grow(p->thread, p->threads, sizeof(*p->thread));
	m->failed |= !p->thread;
	if (p->thread)
		p->thread[p->threads++] = k->who;
	else
		p->threads = 0;
}

static void set_pair(struct match *m, struct track *k, const struct begin *b, u64 at)
{
	struct pairs *p = m->p;

	/* Without its other half, an entry is none. */
	if (!(p->flags[b->at] & p->flags[at] & PAIR_WANTED))
		return;
	p->flags[b->at] |= PAIR_BEGIN;
	p->flags[at] |= PAIR_END;
	if (b->site->role == ROLE_SYSCALL || b->site->role == ROLE_CALL) {
		p->flags[b->at] |= PAIR_OF_THREAD;
		p->flags[at] |= PAIR_OF_THREAD;
		list_thread(m, k);
	}
}

/* Interrupts do not move to another CPU. */
static bool agree(const struct begin *b, const struct pair_site *end, u64 value,
		  const struct jtrace_decoded *ev)
{
	bool moves = end->role == ROLE_SYSCALL || (end->role == ROLE_CALL && !b->context);

	return b->site->role == end->role && b->value == value && b->tid == ev->tid &&
	       (moves || b->cpu == ev->cpu) && b->context == interrupt_bits(ev->context) &&
	       !strcmp(b->site->function, end->function);
}

/* Begins of the same call by other probes are no calls of their own. */
static void drop_others(struct track *k, const struct begin *b)
{
	while (k->nr && k->begin[k->nr - 1].site != b->site &&
	       !strcmp(k->begin[k->nr - 1].site->function, b->site->function))
		k->nr--;
}

/* What began before the last break is forgotten. */
static void forget_before_break(const struct match *m, struct track *k)
{
	if (k->breaks != m->breaks)
		k->nr = 0;
	k->breaks = m->breaks;
}

static void take_cpu(struct match *m, const struct pair_site *s, u64 at,
		     const struct jtrace_decoded *ev)
{
	u64 value = fields_value(&s->fields, 0, ev);
	struct track *k = cpu_track(m, ev->cpu);

	if (!k)
		return;
	forget_before_break(m, k);
	if (!s->ends)
		push(m, k, s, at, value, ev);
	else if (k->nr && agree(&k->begin[k->nr - 1], s, value, ev))
		set_pair(m, k, &k->begin[--k->nr], at);
	else
		k->nr = 0;
}

/* A thread has one system call at a time, and no call of a function outlives it. */
static void take_syscall(struct match *m, const struct pair_site *s, struct track *k, u64 at,
			 const struct jtrace_decoded *ev)
{
	u64 value = fields_value(&s->fields, 0, ev);

	if (s->ends && k->nr && agree(k->begin, s, value, ev))
		set_pair(m, k, k->begin, at);
	k->nr = 0;
	if (!s->ends)
		push(m, k, s, at, value, ev);
}

/* kretprobes miss returns: then calls of other functions are left over, which end before. */
static void take_return(struct match *m, const struct pair_site *s, struct track *k, u64 at,
			const struct jtrace_decoded *ev)
{
	u32 i = k->nr;
	struct begin b;

	while (i && !agree(&k->begin[i - 1], s, 0, ev) &&
	       k->begin[i - 1].site->role == ROLE_CALL &&
	       strcmp(k->begin[i - 1].site->function, s->function))
		i--;
	if (!i || !agree(&k->begin[i - 1], s, 0, ev))
		return;
	b = k->begin[i - 1];
	k->nr = i - 1;
	set_pair(m, k, &b, at);
	drop_others(k, &b);
}

static void take_thread(struct match *m, const struct pair_site *s, u64 at,
			const struct jtrace_decoded *ev)
{
	struct track *k = thread_track(m, ev);

	if (!k)
		return;
	forget_before_break(m, k);
	drop_interrupts(k, interrupt_bits(ev->context));
	if (s->role == ROLE_EXIT)
		k->nr = 0;
	else if (s->role == ROLE_SYSCALL)
		take_syscall(m, s, k, at, ev);
	else if (s->ends)
		take_return(m, s, k, at, ev);
	else
		push(m, k, s, at, 0, ev);
}

static void take(struct match *m, u64 at, const struct jtrace_decoded *ev)
{
	const struct pair_site *s = pair_site(m->t, ev->site);

	m->failed |= !s;
	if (!s || s->role == ROLE_NONE)
		return;
	m->p->any = true;
	if (s->role == ROLE_START || s->role == ROLE_STOP) {
		m->breaks++;
		m->stopped = s->role == ROLE_STOP;
	} else if (s->role == ROLE_SWITCH) {
		m->breaks++;
	} else if (m->stopped) {
		/* Other CPUs record a little longer, with gaps. */
		return;
	} else if (s->role == ROLE_IRQ || s->role == ROLE_SOFTIRQ) {
		take_cpu(m, s, at, ev);
	} else if (m->t->l.kind == JTRACE_KIND_LARGE) {
		take_thread(m, s, at, ev);
	}
}

static void keep(void *track)
{
	(void)track;
}

static void free_tracks(struct match *m)
{
	struct track *k, *next;

	tdestroy(m->thread, keep);
	for (k = m->tracks; k; k = next) {
		next = k->next;
		free(k->begin);
		free(k);
	}
}

/* Does the selection show an entry of a walk without filter? */
static bool is_wanted(const struct jtrace_walk *w, const struct jtrace_trace *t,
		      const struct jtrace_decoded *ev)
{
	return jtrace_key_less(&t->from, &w->key) &&
	       (!t->filter || t->filter->wants(t->filter, t, ev));
}

static void find_pairs(struct match *m, const struct jtrace_trace *t)
{
	const struct jtrace_decoded *ev;
	static struct jtrace_walk walk;
	u64 at = 0;

	m->failed = !gaps_find(&m->gaps, m->t);
	m->p->from_ns = m->gaps.all_from ? jtrace_recover_ns(m->t, m->gaps.all_from) : 0;
	jtrace_walk_each(&walk, m->t, ev) {
		if (at == m->p->nr || m->failed)
			break;
		if (is_wanted(&walk, t, ev))
			m->p->flags[at] = PAIR_WANTED;
		if (!m->p->why)
			take(m, at, ev);
		at++;
	}
}

/**
 * pairs_find() - find the pairs of a trace
 * @p: result; free it by pairs_free(), also after an error
 * @t: the trace; both halves of a pair are shown
 * @all: the same without selection
 *
 * An entry that the selection leaves out still separates others.
 *
 * Return: false, after a message, if there is no memory.
 */
bool pairs_find(struct pairs *p, const struct jtrace_trace *t, const struct jtrace_trace *all)
{
	struct match *m = calloc(1, sizeof(*m));
	bool ok;

	*p = (struct pairs){ .nr = all->found, .why = why_not(all) };
	p->flags = calloc(all->found + 1, 1);
	ok = m && p->flags && pair_sites_open(all);
	if (ok) {
		m->p = p;
		m->t = all;
		find_pairs(m, t);
		ok = !m->failed;
		free_tracks(m);
	}
	pair_sites_close();
	free(m);
	return ok || fail("no memory for the pairs of the trace");
}

/**
 * pairs_free() - free the pairs of a trace
 * @p: as pairs_find() left it
 */
void pairs_free(struct pairs *p)
{
	free(p->flags);
	free(p->thread);
	*p = (struct pairs){ 0 };
}
