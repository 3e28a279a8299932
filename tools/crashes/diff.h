/* SPDX-License-Identifier: GPL-2.0 */
/* What happened in one of two traces, and not in the other. */
#ifndef _JTRACE_CRASHES_DIFF_H
#define _JTRACE_CRASHES_DIFF_H

#include "../entries/entries.h"
#include "../image/image.h"

/* The two traces. */
enum {
	SIDE_A,
	SIDE_B,
	SIDES,
};

/* Bytes of a name of an event, and of a task with its system call, with NUL. */
#define NAME_SIZE	(JTRACE_LINE_MAX + 64)

/**
 * struct name - a kind of event
 * @text: a kernel event by its name, a system call with its own, others with their place
 * @count: how many each side has
 * @steps: threads are compared by it, see &struct step
 */
struct name {
	char *text;
	u64 count[SIDES];
	bool steps;
};

/**
 * struct step - what a thread did
 * @name: index of the &struct name
 * @ns: when
 *
 * Trace points, probes and system calls.  Other kernel events come when the scheduler and the
 * interrupts of that boot let them come, so they tell no difference.
 */
struct step {
	u32 name;
	u64 ns;
};

/**
 * struct thread - a thread
 * @name: of its task, without numbers
 * @tid: its number
 * @nth: so many threads with this name began before it
 * @step: what it did
 * @nr: number of steps
 */
struct thread {
	char name[TASK_NAME];
	u32 tid;
	u32 nth;
	struct step *step;
	size_t nr;
};

/**
 * struct wait - a task that waits at the end
 * @text: its name, and its system call
 */
struct wait {
	char text[TASK_NAME + 80];
};

/**
 * struct side - one of the traces
 * @file: its name, for messages
 * @release: the kernel, escaped
 * @boot: id of the boot, in hex
 * @events: number of events
 * @first: time of the first one, ns
 * @last: time of the last one, ns
 * @last_raw: the same, as in the entry
 * @thread: threads, sorted by name and @nth; the tasks of CPUs that idle are none
 * @threads: how many
 * @wait: tasks that wait, sorted
 * @waits: how many
 */
struct side {
	const char *file;
	char release[4 * 64 + 1];
	char boot[33];
	u64 events;
	u64 first;
	u64 last;
	u64 last_raw;
	struct thread *thread;
	size_t threads;
	struct wait *wait;
	size_t waits;
};

/**
 * struct diff - two traces
 * @side: each of them
 * @name: all kinds of events
 * @names: how many
 */
struct diff {
	struct side side[SIDES];
	struct name *name;
	size_t names;
};

/* side.c */
bool side_read(struct diff *d, u32 side, const struct dump *dump);
void diff_free(struct diff *d);

/* align.c */
int thread_order(const void *a, const void *b);
int wait_order(const void *a, const void *b);
bool thread_align(const struct thread *a, const struct thread *b, size_t *from_a, size_t *from_b);
size_t thread_same(const struct thread *a, const struct thread *b, size_t from_a, size_t from_b);

/* differences.c */
void diff_show(const struct diff *d, bool json);

#endif /* _JTRACE_CRASHES_DIFF_H */
