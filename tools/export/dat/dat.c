// SPDX-License-Identifier: GPL-2.0
/*
 * A trace as trace.dat, version 6: what "trace-cmd record" writes, for trace-cmd and KernelShark.
 *
 * Source of the format: trace-cmd.dat.v6(5).  The first walk through the trace finds the events and
 * how many pages each CPU needs; the second one writes the pages to their places.
 */

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "../../../lib/read/walk.h"
#include "dat.h"

#define SIGN	"\x17\x08\x44tracing"

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
	"\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

/**
 * struct dat_task - a task
 * @next: another one
 * @tid: its number
 * @name: its last name
 */
struct dat_task {
	struct dat_task *next;
	u32 tid;
	char name[TASK_NAME];
};

/**
 * struct dat - a trace.dat that is being written
 * @d: the trace
 * @target: the file
 * @events: the events
 * @cpu: pages of each CPU
 * @pages: memory of the page that each CPU fills
 * @cpus: one more than the largest CPU that recorded, at least 1; all before it have a place
 * @tasks: tree of &struct dat_task
 * @first: list of all of them
 */
struct dat {
	const struct dump *d;
	struct target target;
	struct dat_events events;
	struct dat_cpu *cpu;
	u8 *pages;
	u32 cpus;
	void *tasks;
	struct dat_task *first;
};

static void put_u32(FILE *to, u32 value)
{
	__le32 le = cpu_to_le32(value);

	fwrite(&le, sizeof(le), 1, to);
}

static void put_u64(FILE *to, u64 value)
{
	__le64 le = cpu_to_le64(value);

	fwrite(&le, sizeof(le), 1, to);
}

static void put_sized(FILE *to, const char *text, size_t len)
{
	put_u64(to, len);
	fwrite(text, len, 1, to);
}

static int task_order(const void *a, const void *b)
{
	const struct dat_task *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* A file has one name for a number: the last one.  Returns false if there is no memory. */
static bool keep_task(struct dat *w, const struct jtrace_decoded *ev)
{
	struct dat_task key = { .tid = ev->tid }, *new, **met;

	if (!ev->tid || !task_name(&w->d->t, ev, key.name))
		return true;
	met = tfind(&key, &w->tasks, task_order);
	if (met) {
		memcpy((*met)->name, key.name, sizeof(key.name));
		return true;
	}
	new = malloc(sizeof(*new));
	if (!new)
		return false;
	*new = key;
	new->next = w->first;
	w->first = new;
	return tsearch(new, &w->tasks, task_order);
}

/* The list frees the tasks. */
static void pass_over(void *task)
{
	(void)task;
}

static void free_all(struct dat *w)
{
	struct dat_task *task;

	free(w->pages);
	free(w->cpu);
	tdestroy(w->tasks, pass_over);
	while ((task = w->first)) {
		w->first = task->next;
		free(task);
	}
	dat_events_close(&w->events);
}

/* Where the names go; twalk() takes no argument. */
static FILE *names;

static void put_task(const void *node, VISIT visit, int depth)
{
	static const struct jtrace_trace plain = { .plain = utf8_plain };
	const struct dat_task *task = *(const struct dat_task * const *)node;
	char text[4 * TASK_NAME];

	(void)depth;
	if (visit != postorder && visit != leaf)
		return;
	jtrace_escape(&plain, text, sizeof(text), task->name, sizeof(task->name));
	fprintf(names, "%u %s\n", task->tid, text);
}

/* Write "TID NAME" of each task; false if there is no memory. */
static bool put_tasks(const struct dat *w)
{
	char *text = NULL;
	size_t len = 0;
	bool ok;

	names = open_memstream(&text, &len);
	if (names)
		twalk(w->tasks, put_task);
	ok = names && !fclose(names);
	if (ok)
		put_sized(w->target.out, text, len);
	free(text);
	return ok || fail("no memory for the names of tasks");
}

/* Walk through the entries: measure, or write the pages. */
static bool walk(struct dat *w, bool write)
{
	const struct jtrace_trace *t = &w->d->t;
	static struct jtrace_walk walk;
	static u8 record[DAT_RECORD];
	const struct jtrace_decoded *ev;
	FILE *to = w->target.out;
	u32 cpu;

	jtrace_walk_each(&walk, t, ev) {
		const struct dat_event *e = dat_event_find(&w->events, ev->site);
		struct dat_cpu *c = &w->cpu[ev->cpu];
		u64 ns = jtrace_recover_ns(t, ev->time);

		if (!e || !target_ok(&w->target))
			return false;
		w->cpus = max(w->cpus, ev->cpu + 1U);
		if (!write && !keep_task(w, ev))
			return fail("no memory for the names of tasks");
		ns = max(ns, c->last);
		if (!dat_page_add(c, ns, record, dat_record(&w->events, e, ev, record), to))
			return fail("%s: %s", w->target.path, strerror(errno));
	}
	for (cpu = 0; cpu < w->cpus; cpu++)
		if (!dat_page_end(&w->cpu[cpu], to))
			return fail("%s: %s", w->target.path, strerror(errno));
	return true;
}

static bool put_head(const struct dat *w)
{
	FILE *to = w->target.out;

	fwrite(SIGN "6\0\0\x08", 14, 1, to);
	put_u32(to, JTRACE_PAGE);
	fwrite("header_page", sizeof("header_page"), 1, to);
	put_sized(to, header_page, strlen(header_page));
	fwrite("header_event", sizeof("header_event"), 1, to);
	put_sized(to, header_event, strlen(header_event));
	put_u32(to, 0);		/* events of the tracer itself */
	if (!dat_put_formats(&w->events, to))
		return false;
	put_u32(to, 0);		/* symbols */
	put_u32(to, 0);		/* formats of trace_printk() */
	if (!put_tasks(w))
		return false;
	put_u32(to, w->cpus);
	fwrite("options  \0\0", 12, 1, to);
	fwrite("flyrecord", sizeof("flyrecord"), 1, to);
	return true;
}

/* A page for each CPU that has an event, in one block. */
static bool alloc_pages(struct dat *w)
{
	u32 cpu, nr = 0;

	for (cpu = 0; cpu < w->cpus; cpu++)
		nr += w->cpu[cpu].pages > 0;
	w->pages = calloc(nr + 1, JTRACE_PAGE);
	if (!w->pages)
		return fail("no memory for the pages of %u CPUs", nr);
	nr = 0;
	for (cpu = 0; cpu < w->cpus; cpu++)
		if (w->cpu[cpu].pages)
			w->cpu[cpu].page = w->pages + (size_t)nr++ * JTRACE_PAGE;
	return true;
}

/* Where the pages of each CPU are, in the table that ends the head. */
static bool put_table(struct dat *w)
{
	FILE *to = w->target.out;
	off_t table = ftello(to);
	u64 at;
	u32 cpu;

	if (table < 0)
		return fail("%s: must be a file", w->target.path);
	at = ALIGN((u64)table + 16ULL * w->cpus, (u64)JTRACE_PAGE);
	for (cpu = 0; cpu < w->cpus; cpu++) {
		put_u64(to, at);
		put_u64(to, w->cpu[cpu].pages);
		w->cpu[cpu].at = at;
		at += w->cpu[cpu].pages;
		w->cpu[cpu].last = 0;
	}
	return true;
}

/**
 * export_dat() - write a trace as trace.dat
 * @d: the trace
 * @target: the file
 * @force: replace a trace.dat, or an empty file
 *
 * Return: false, after a message, on an error; nothing is left behind then.
 */
bool export_dat(const struct dump *d, const char *target, bool force)
{
	struct dat w = { .d = d, .cpus = 1 };
	bool ok;

	if (!target_open(&w.target, target, force, SIGN))
		return false;
	w.cpu = calloc(CPU_NUMBERS, sizeof(*w.cpu));
	ok = (w.cpu || fail("no memory for the pages of CPUs")) &&
	     dat_events_open(&w.events, &d->t) && walk(&w, false) && put_head(&w) &&
	     put_table(&w) && alloc_pages(&w) && walk(&w, true);
	ok = target_close(&w.target, ok);
	free_all(&w);
	return ok;
}
