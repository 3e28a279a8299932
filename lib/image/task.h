/* SPDX-License-Identifier: GPL-2.0 */
/* Names of tasks in an image. */
#ifndef _JTRACE_TASK_H
#define _JTRACE_TASK_H

#include "image.h"

/* Bytes of a set. */
#define JTRACE_TASK_SET		(JTRACE_TASK_WAYS * sizeof(struct jtrace_task_record))

/**
 * struct jtrace_task - what the writer knows of a record
 * @from: see &struct jtrace_task_record
 * @until: @from of the next name of the task, ~0 if there is none
 * @tid: see &struct jtrace_task_record; 0 if it is free
 * @dead: the task has ended
 * @comm: see &struct jtrace_task_record
 */
struct jtrace_task {
	u64 from;
	u64 until;
	u32 tid;
	bool dead;
	char comm[JTRACE_COMM_SIZE];
};

/**
 * struct jtrace_tasks - the writer's side of the area
 * @img: the image
 * @key: of check values
 * @off: first byte of the records
 * @sets: how many; 0: there is no area
 * @write_back: records are written back to memory
 * @task: what is in the area; only this decides
 * @evicted: names of tasks that were alive, and that made room for others
 */
struct jtrace_tasks {
	u8 *img;
	u64 key;
	u32 off;
	u32 sets;
	bool write_back;
	struct jtrace_task *task;
	u64 evicted;
};

u32 jtrace_tasks_room(const struct jtrace_layout *l);
void jtrace_tasks_init(struct jtrace_tasks *t, const struct jtrace_layout *l, void *img,
		       u64 image_id, void *room, bool write_back);
void jtrace_task_add(struct jtrace_tasks *t, u32 tid, u64 from, const char *comm,
		     u64 (*oldest)(void));
void jtrace_task_end(struct jtrace_tasks *t, u32 tid);
bool jtrace_task_known(const struct jtrace_tasks *t, u32 tid);
u32 jtrace_task_names(const struct jtrace_layout *l, const void *img, u64 image_id, u32 tid,
		      struct jtrace_task names[JTRACE_TASK_WAYS]);
bool jtrace_task_find(const struct jtrace_layout *l, const void *img, u64 image_id, u32 tid,
		      u64 time, char comm[JTRACE_COMM_SIZE + 1]);
void jtrace_tasks_copy(const struct jtrace_layout *l, const void *img, u64 image_id, void *to,
		       bool can_sleep);

#endif /* _JTRACE_TASK_H */
