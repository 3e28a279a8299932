// SPDX-License-Identifier: GPL-2.0
/* Read a trace that is compared with another one. */

#include <search.h>
#include <stdlib.h>

#include "../why/why.h"
#include "crashes.h"
#include "diff.h"

/**
 * struct known_site - the kind of event of a site
 * @number: of the site
 * @name: index of the &struct name
 * @syscall: the name depends on an entry's system call
 */
struct known_site {
	u32 number;
	u32 name;
	bool syscall;
};

/**
 * struct known_name - where a name is in &struct diff.name
 * @text: the name
 * @index: there
 */
struct known_name {
	const char *text;
	u32 index;
};

/**
 * struct reading - a trace that is being read
 * @d: the result
 * @side: which side
 * @t: the trace
 * @sites: a tree of struct known_site
 * @names: a tree of struct known_name
 * @threads: a tree of struct known_thread
 * @ok: there was memory for all
 */
struct reading {
	struct diff *d;
	u32 side;
	const struct jtrace_trace *t;
	void *sites;
	void *names;
	void *threads;
	bool ok;
};

static int compare_site(const void *a, const void *b)
{
	const struct known_site *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_name(const void *a, const void *b)
{
	const struct known_name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Find the index of a name, or give it one; ~0 if there is no memory. */
static u32 find_name(struct reading *r, const char *text, bool steps)
{
	struct diff *d = r->d;
	struct known_name wanted = { .text = text, .index = d->names };
	struct known_name *n = model_grow(&r->names, &wanted, sizeof(wanted), compare_name);
	struct name *more;
	char *copy;

	if (n && n->text != text)
		return n->index;
	copy = n ? strdup(text) : NULL;
	more = copy ? array_grow(d->name, d->names, sizeof(*more)) : NULL;
	if (!more) {
		r->ok = false;
		free(copy);
		return ~0U;
	}
	n->text = copy;
	d->name = more;
	d->name[d->names] = (struct name){ .text = copy, .steps = steps };
	return d->names++;
}

/* Names of the first side are known to the second. */
static void take_names(struct reading *r)
{
	struct known_name n;
	u32 i;

	for (i = 0; i < r->d->names; i++) {
		n = (struct known_name){ r->d->name[i].text, i };
		r->ok = model_grow(&r->names, &n, sizeof(n), compare_name) && r->ok;
	}
}

static bool is_event(const struct jtrace_site_text *site)
{
	return !strcmp(site->file, "event");
}

/* "mydriver.c:go (sent)", "sched_switch", "kprobe:vfs_read+0x0 (p)" */
static void write_site(struct pen *p, const struct jtrace_site_text *site, u32 len)
{
	if (!is_event(site)) {
		jtrace_put_escaped(NULL, p, site->file, strlen(site->file));
		pen_char(p, ':');
		jtrace_put_escaped(NULL, p, site->func, strlen(site->func));
		pen_text(p, " (");
	}
	jtrace_put_escaped(NULL, p, site->tag, len);
	if (!is_event(site))
		pen_char(p, ')');
}

static struct known_site *find_site(struct reading *r, u32 number)
{
	struct known_site wanted = { .number = number, .name = ~0U };
	struct known_site *s = model_grow(&r->sites, &wanted, sizeof(wanted), compare_site);
	const struct jtrace_site_text *site;
	char text[NAME_SIZE];
	struct pen p = { text, text + sizeof(text) - 1 };
	u32 len;

	if (!s) {
		r->ok = false;
		return NULL;
	}
	if (s->name != ~0U)
		return s;
	site = decode_site(r->t, number, &len);
	if (site)
		write_site(&p, site, len);
	else
		pen_text(&p, "(lost)");
	*p.at = 0;
	s->syscall = site && is_event(site) && len == strlen("sys_enter") &&
		     !memcmp(site->tag, "sys_enter", len);
	s->name = find_name(r, text, site && !is_event(site));
	return s->name == ~0U ? NULL : s;
}

/* "sys_enter read()" */
static u32 find_syscall(struct reading *r, const struct jtrace_decoded *ev)
{
	static struct field_value value[JTRACE_FIELDS];
	u32 nr = decode_values(r->t, ev, value), i;
	char call[64] = "", text[128];

	for (i = 0; i < nr && !call[0]; i++)
		if (value[i].symbolic == SYMBOLIC_SYSCALL &&
		    !symbolic_name(r->t, &value[i], call, sizeof(call)))
			snprintf(call, sizeof(call), "%llu", value[i].value);
	snprintf(text, sizeof(text), "sys_enter %s()", call);
	return find_name(r, text, true);
}

/* ---- Threads ---------------------------------------------------------- */

/**
 * struct known_thread - where a thread is in &struct side.thread
 * @tid: its number
 * @name: of its task; a thread that takes another name is another one
 * @index: there
 */
struct known_thread {
	u32 tid;
	char name[TASK_NAME];
	u32 index;
};

static int compare_thread(const void *a, const void *b)
{
	const struct known_thread *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sort the threads, and number those with the same name. */
static void sort_threads(struct side *s)
{
	size_t i;

	if (s->threads)
		qsort(s->thread, s->threads, sizeof(*s->thread), thread_order);
	for (i = 0; i < s->threads; i++)
		s->thread[i].nth = i && !strcmp(s->thread[i - 1].name, s->thread[i].name) ?
				   s->thread[i - 1].nth + 1 : 0;
}

static bool add_thread(struct reading *r, const struct known_thread *k)
{
	struct side *s = &r->d->side[r->side];
	struct thread *new;
	struct pen p;

	s->thread = array_grow(s->thread, s->threads, sizeof(*s->thread));
	if (!s->thread) {
		s->threads = 0;
		return false;
	}
	new = &s->thread[s->threads];
	*new = (struct thread){ .tid = k->tid, .nth = s->threads++ };
	p = (struct pen){ new->name, new->name + sizeof(new->name) - 1 };
	text_normalise(&p, k->name);
	*p.at = 0;
	return true;
}

static struct thread *find_thread(struct reading *r, const struct jtrace_decoded *ev)
{
	struct side *s = &r->d->side[r->side];
	struct known_thread wanted = { .tid = ev->tid, .index = s->threads }, *k;

	/* The tasks of CPUs that idle do what anybody gives them. */
	if (!ev->tid || is_in_interrupt(ev) || !task_name(r->t, ev, wanted.name))
		return NULL;
	k = model_grow(&r->threads, &wanted, sizeof(wanted), compare_thread);
	if (!k || (k->index == s->threads && !add_thread(r, k))) {
		r->ok = false;
		return NULL;
	}
	return &s->thread[k->index];
}

static void add_step(struct reading *r, struct thread *thread, u32 name, u64 ns)
{
	struct step *more;

	more = array_grow(thread->step, thread->nr, sizeof(*more));
	if (!more)
		thread->nr = 0;
	thread->step = more;
	r->ok = more && r->ok;
	if (more)
		thread->step[thread->nr++] = (struct step){ name, ns };
}

/* ---- Tasks that wait -------------------------------------------------- */

/* The system call that a task began last; NULL if the trace does not have it. */
static const char *last_call(const struct reading *r, u32 tid, const char *name)
{
	static const char enter[] = "sys_enter ";
	const struct side *s = &r->d->side[r->side];
	struct known_thread wanted = { .tid = tid };
	const struct thread *thread;
	void **found;
	const char *text;
	size_t i;

	scnprintf(wanted.name, sizeof(wanted.name), "%s", name);
	found = tfind(&wanted, &r->threads, compare_thread);
	if (!found)
		return NULL;
	thread = &s->thread[(*(const struct known_thread **)found)->index];
	for (i = thread->nr; i--; ) {
		text = r->d->name[thread->step[i].name].text;
		if (!strncmp(text, enter, strlen(enter)))
			return text + strlen(enter);
	}
	return NULL;
}

static void add_wait(const struct why_task *task, void *data)
{
	struct reading *r = data;
	struct side *s = &r->d->side[r->side];
	char name[TASK_NAME];
	struct wait *new;
	const char *call;
	struct pen p;

	if (!r->ok || task->state != TASK_SLEEPS || !(task->flags & 0x2) ||
	    !task_find(r->t, task->tid, s->last_raw, name))
		return;
	s->wait = array_grow(s->wait, s->waits, sizeof(*s->wait));
	if (!s->wait) {
		s->waits = 0;
		r->ok = false;
		return;
	}
	new = &s->wait[s->waits++];
	p = (struct pen){ new->text, new->text + sizeof(new->text) - 1 };
	text_normalise(&p, name);
	call = task->call ? last_call(r, task->tid, name) : NULL;
	if (call)
		pen_format(&p, ", in %s", call);
	*p.at = 0;
}

/* ---- All of it -------------------------------------------------------- */

static void read_events(struct reading *r)
{
	struct side *s = &r->d->side[r->side];
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	struct known_site *site;
	struct thread *thread;
	u32 name;
	u64 ns;

	jtrace_walk_each(&walk, r->t, ev) {
		ns = jtrace_recover_ns(r->t, ev->time);
		site = find_site(r, ev->site);
		name = !site ? ~0U : site->syscall ? find_syscall(r, ev) : site->name;
		if (name == ~0U)
			return;
		if (!s->events++)
			s->first = ns;
		s->last = ns;
		s->last_raw = ev->time;
		r->d->name[name].count[r->side]++;
		thread = find_thread(r, ev);
		if (thread && r->d->name[name].steps)
			add_step(r, thread, name, ns);
	}
}

/**
 * side_read() - read a trace
 * @d: result
 * @side: which side it is; read %SIDE_A first
 * @dump: the image, with decode_open(), and all of its entries
 *
 * Return: false, after a message, if there is no memory.
 */
bool side_read(struct diff *d, u32 side, const struct dump *dump)
{
	struct reading r = { .d = d, .side = side, .t = &dump->t, .ok = true };
	const struct jtrace_image_header *h = &dump->t.header;
	struct side *s = &d->side[side];
	u32 i;

	s->file = dump->name;
	jtrace_escape(NULL, s->release, sizeof(s->release), (const char *)h->release,
		      sizeof(h->release));
	for (i = 0; i < sizeof(h->boot_id); i++)
		sprintf(s->boot + 2 * i, "%02x", h->boot_id[i]);
	take_names(&r);
	read_events(&r);
	r.ok = r.ok && why_each_task(dump, add_wait, &r);
	sort_threads(s);
	if (s->waits)
		qsort(s->wait, s->waits, sizeof(*s->wait), wait_order);
	tdestroy(r.sites, free);
	tdestroy(r.names, free);
	tdestroy(r.threads, free);
	return r.ok || fail("%s: no memory to compare its %llu events", dump->name, dump->t.found);
}

/**
 * diff_free() - free two traces
 * @d: the traces
 */
void diff_free(struct diff *d)
{
	struct side *s;
	size_t i;

	for (s = d->side; s < d->side + SIDES; s++) {
		for (i = 0; i < s->threads; i++)
			free(s->thread[i].step);
		free(s->thread);
		free(s->wait);
	}
	for (i = 0; i < d->names; i++)
		free(d->name[i].text);
	free(d->name);
}
