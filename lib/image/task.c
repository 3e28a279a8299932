// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: names of tasks
 *
 * An entry has the tid of its task.  An area of the image has the names: a record for each task
 * that is new, and for each new name, with the moment from which on it counts.  So an entry gets
 * the name that its task had then, and a tid that was used again the name of its time.  Nothing of
 * this is in the way of an entry that is recorded.
 *
 * Records of a task are in one set of a few.  A new one takes, in this order,
 *
 * - a free place;
 * - that of a name which a later one of the same task replaced before the oldest entry;
 * - that of the oldest name of a task that has ended;
 * - that of the oldest name which a later one replaced;
 * - that of the oldest one, whose task is alive: counted.
 *
 * In each of these classes the oldest one goes first, and the names of one task go from class to
 * class in their order.  So the set never has a name of a task without those that came after it: an
 * entry would get the name of an earlier life of its tid.  For the same reason a damaged record
 * hides its whole set, and a record is written back to memory before its task goes on.
 *
 * Ordered accesses
 * ----------------
 *   names:A
 *     A copy of a live set is whole if a second one is equal: it has no record without those
 *     that were stored before.  (rmb between the copies; wmb before a record is stored)
 */

#include "task.h"

/**
 * jtrace_tasks_room() - size of the ordinary memory that the writer needs
 * @l: geometry
 *
 * Return: bytes.
 */
u32 jtrace_tasks_room(const struct jtrace_layout *l)
{
	return l->tasks_size / sizeof(struct jtrace_task_record) * sizeof(struct jtrace_task);
}

/**
 * jtrace_tasks_init() - set up an empty area
 * @t: result
 * @l: geometry
 * @img: the image, whose bytes for task records are zero
 * @image_id: of the image
 * @room: jtrace_tasks_room() zeroed bytes, aligned to 8
 * @write_back: the image is in cached memory that must survive a reset
 */
void jtrace_tasks_init(struct jtrace_tasks *t, const struct jtrace_layout *l, void *img,
		       u64 image_id, void *room, bool write_back)
{
	*t = (struct jtrace_tasks) {
		.img = img,
		.key = jtrace_check_key(image_id),
		.off = l->tasks_off,
		.sets = l->tasks_size / JTRACE_TASK_SET,
		.write_back = write_back,
		.task = room,
	};
}

/* Check value of a record; @at: offset of its place in the image. */
static u32 task_check(const u64 *key, const struct jtrace_task_record *r, u32 at)
{
	u64 comm[2], s;

	memcpy(comm, r->comm, sizeof(comm));
	s = jtrace_check_begin(key, at, le32_to_cpu(r->tid));
	s = jtrace_mix(key, s, comm[0], comm[1]);
	return jtrace_mix(key, s, le64_to_cpu(r->from), 0);
}

static void put_task(const struct jtrace_tasks *t, const struct jtrace_task *task)
{
	const u32 at = t->off + (task - t->task) * sizeof(struct jtrace_task_record);
	struct jtrace_task_record r = {
		.tid = cpu_to_le32(task->tid),
		.from = cpu_to_le64(task->from),
	};

	memcpy(r.comm, task->comm, sizeof(r.comm));
	r.check = cpu_to_le32(task_check(&t->key, &r, at));
	smp_wmb();	/* names:A */
	jtrace_copy_words(t->img + at, &r, sizeof(r));
	if (t->write_back)
		jtrace_write_back(t->img + at, sizeof(r));
	/* Write-combined memory is drained, too. */
	jtrace_write_back_wait();
}

/* ---- Which record makes room ------------------------------------------ */

enum rank {
	RANK_FREE,
	RANK_OBSOLETE,
	RANK_DEAD,
	RANK_REPLACED,
	RANK_ALIVE,
};

static enum rank rank_of(const struct jtrace_task *task, u64 oldest)
{
	if (!task->tid)
		return RANK_FREE;
	if (task->until != ~0ULL && task->until <= oldest)
		return RANK_OBSOLETE;
	if (task->dead)
		return RANK_DEAD;
	return task->until != ~0ULL ? RANK_REPLACED : RANK_ALIVE;
}

/* Choose the place of a new record. */
static struct jtrace_task *choose(struct jtrace_tasks *t, struct jtrace_task *set, u64 oldest)
{
	enum rank rank, best = rank_of(set, oldest);
	struct jtrace_task *task, *chosen = set;

	for (task = set + 1; task < set + JTRACE_TASK_WAYS; task++) {
		rank = rank_of(task, oldest);
		if (rank < best || (rank == best && task->from < chosen->from)) {
			best = rank;
			chosen = task;
		}
	}
	if (best == RANK_ALIVE)
		t->evicted++;
	return chosen;
}

/* The newest record of a task in a set; NULL if there is none. */
static struct jtrace_task *find_last(struct jtrace_task *set, u32 tid)
{
	struct jtrace_task *task;

	for (task = set; task < set + JTRACE_TASK_WAYS; task++)
		if (task->tid == tid && task->until == ~0ULL)
			return task;
	return NULL;
}

/**
 * jtrace_task_add() - a task has a name from now on
 * @t: the area
 * @tid: of the task, not 0
 * @from: now, on the clock that entries are stamped with
 * @comm: the name, cut to %JTRACE_COMM_SIZE - 1 bytes; empty: it is not known from now on
 * @oldest: returns a moment that hardly an entry is older than
 *
 * Context: Any; the caller serializes writers.
 */
void jtrace_task_add(struct jtrace_tasks *t, u32 tid, u64 from, const char *comm,
		     u64 (*oldest)(void))
{
	struct jtrace_task *set, *last, new = { .from = from, .until = ~0ULL, .tid = tid };
	u32 first, i;

	/* The idle tasks, which have no number of their own, may be made later. */
	if (!t->sets || !tid)
		return;
	/* strscpy() takes some 40 instructions more: fortify measures the name first. */
	for (i = 0; i < sizeof(new.comm) - 1; i++) {
		new.comm[i] = READ_ONCE(comm[i]);
		if (!new.comm[i])
			break;
	}
	first = tid % t->sets * JTRACE_TASK_WAYS;
	set = &t->task[first];
	last = find_last(set, tid);
	if (last && !last->dead && !memcmp(last->comm, new.comm, sizeof(new.comm)))
		return;
	/* The clock of another CPU may be a little behind: later names have later moments. */
	if (last && new.from <= last->from)
		new.from = last->from + 1;
	if (last)
		last->until = new.from;
	set = choose(t, set, oldest());
	*set = new;
	put_task(t, set);
}

/**
 * jtrace_task_end() - a task has ended
 * @t: the area
 * @tid: of the task
 *
 * Context: Any; the caller serializes writers.
 */
void jtrace_task_end(struct jtrace_tasks *t, u32 tid)
{
	struct jtrace_task *set;
	u32 i;

	if (!t->sets)
		return;
	set = &t->task[tid % t->sets * JTRACE_TASK_WAYS];
	for (i = 0; i < JTRACE_TASK_WAYS; i++)
		if (set[i].tid == tid)
			set[i].dead = true;
}

/**
 * jtrace_task_known() - is there a record of a task, also one that has ended?
 * @t: the area
 * @tid: of the task
 *
 * Context: Any; the caller serializes writers.
 */
bool jtrace_task_known(const struct jtrace_tasks *t, u32 tid)
{
	u32 first, i;

	if (!t->sets)
		return false;
	first = tid % t->sets * JTRACE_TASK_WAYS;
	for (i = 0; i < JTRACE_TASK_WAYS; i++)
		if (t->task[first + i].tid == tid)
			return true;
	return false;
}

/* ---- Readers ---------------------------------------------------------- */

/* Is a record free or right? */
static bool is_right(const struct jtrace_task_record *r, const u64 *key, u32 at)
{
	static const struct jtrace_task_record none;

	return r->tid ? le32_to_cpu(r->check) == task_check(key, r, at) :
			!memcmp(r, &none, sizeof(none));
}

/**
 * jtrace_task_names() - find all names of a tid
 * @l: geometry of the image
 * @img: the image, not trusted
 * @image_id: of the image
 * @tid: of the task
 * @names: result, in the order of time, without @until and @dead; the bytes are not checked
 *
 * Return: how many there are; 0 if they are not known.
 */
u32 jtrace_task_names(const struct jtrace_layout *l, const void *img, u64 image_id, u32 tid,
		      struct jtrace_task names[JTRACE_TASK_WAYS])
{
	const u64 key = jtrace_check_key(image_id);
	const u32 sets = l->tasks_size / JTRACE_TASK_SET;
	struct jtrace_task_record r;
	u32 at, nr = 0, i, k;
	u64 from;

	if (!sets || !tid)
		return 0;
	at = l->tasks_off + tid % sets * JTRACE_TASK_SET;
	for (i = 0; i < JTRACE_TASK_WAYS; i++, at += sizeof(r)) {
		jtrace_copy_words(&r, (const u8 *)img + at, sizeof(r));
		if (!is_right(&r, &key, at))
			return 0;
		if (le32_to_cpu(r.tid) != tid)
			continue;
		from = le64_to_cpu(r.from);
		for (k = nr++; k && names[k - 1].from > from; k--)
			names[k] = names[k - 1];
		names[k] = (struct jtrace_task) { .from = from, .tid = tid };
		memcpy(names[k].comm, r.comm, sizeof(r.comm));
	}
	return nr;
}

/**
 * jtrace_task_find() - find the name that a task had at a time
 * @l: geometry of the image
 * @img: the image, not trusted
 * @image_id: of the image
 * @tid: of the task
 * @time: as in an entry
 * @comm: result; the bytes are not checked
 *
 * Return: false if it is not known.
 */
bool jtrace_task_find(const struct jtrace_layout *l, const void *img, u64 image_id, u32 tid,
		      u64 time, char comm[JTRACE_COMM_SIZE + 1])
{
	struct jtrace_task names[JTRACE_TASK_WAYS];
	u32 nr = jtrace_task_names(l, img, image_id, tid, names);

	while (nr && names[nr - 1].from > time)
		nr--;
	if (!nr)
		return false;
	memcpy(comm, names[nr - 1].comm, JTRACE_COMM_SIZE);
	comm[JTRACE_COMM_SIZE] = 0;
	return *comm;
}

/* A set takes some words to write, and nothing interrupts that for long. */
#define TRIES		100
#define SETS_AT_ONCE	256

/* Is a copy of a set whole, and as the set still is? */
static bool is_same(const struct jtrace_task_record *r, const void *set, const u64 *key, u32 at)
{
	struct jtrace_task_record again[JTRACE_TASK_WAYS];
	u32 i;

	for (i = 0; i < JTRACE_TASK_WAYS; i++)
		if (!is_right(&r[i], key, at + i * sizeof(*r)))
			return false;
	smp_rmb();	/* names:A */
	jtrace_copy_words(again, set, sizeof(again));
	return !memcmp(again, r, sizeof(again));
}

/**
 * jtrace_tasks_copy() - copy the task records of a live image
 * @l: geometry of the image
 * @img: the image
 * @image_id: of the image
 * @to: the copy, zeroed; records go to the same places
 * @can_sleep: the copy may reschedule
 *
 * Copies a set again that changes meanwhile.  The end of the copied entries is fixed before, so a
 * name that comes later does no harm.
 *
 * Context: Any.
 */
void jtrace_tasks_copy(const struct jtrace_layout *l, const void *img, u64 image_id, void *to,
		       bool can_sleep)
{
	const u64 key = jtrace_check_key(image_id);
	struct jtrace_task_record r[JTRACE_TASK_WAYS];
	u32 at = l->tasks_off, i, tries;

	for (i = 0; i < l->tasks_size / sizeof(r); i++, at += sizeof(r)) {
		for (tries = 0; tries < TRIES; tries++) {
			jtrace_copy_words(r, (const u8 *)img + at, sizeof(r));
			if (!is_same(r, (const u8 *)img + at, &key, at))
				continue;
			/* Else its names are not known in the copy. */
			jtrace_copy_words((u8 *)to + at, r, sizeof(r));
			break;
		}
		if (can_sleep && !(i % SETS_AT_ONCE))
			cond_resched();
	}
}
