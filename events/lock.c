// SPDX-License-Identifier: GPL-2.0
/* Events of locks that tasks wait for. */

#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <trace/events/lock.h>

#include "events.h"

/* Flags that the word of the owner has beside the task: of a mutex, and of an rwsem. */
#define MUTEX_OWNER_FLAGS	7UL
#define RWSEM_OWNER_FLAGS	3UL
/* Readers own it: which ones is not known. */
#define RWSEM_READERS		1UL

/*
 * The task that holds a mutex, or an rwsem for writing.  A task that holds a lock is alive, so it
 * is not freed before preemption is enabled again; the copy faults on no other pointer either.  Of
 * a task that ended with the lock held, the tid may be that of another one.
 */
static __always_inline s32 owner_of(const atomic_long_t *word, unsigned long owner_flags,
				    unsigned long none)
{
	unsigned long owner;
	pid_t pid = 0;

	preempt_disable_notrace();
	owner = atomic_long_read(word);
	if (!(owner & none) && owner & ~owner_flags &&
	    copy_from_kernel_nofault(&pid, &((struct task_struct *)(owner & ~owner_flags))->pid,
				     sizeof(pid)))
		pid = 0;
	preempt_enable_notrace();
	return pid;
}

/* 0: nobody, or not known.  Other locks do not say who has them. */
static __always_inline s32 lock_owner(const void *lock, unsigned int flags)
{
#ifndef CONFIG_PREEMPT_RT
	if (flags & LCB_F_MUTEX)
		return owner_of(&((const struct mutex *)lock)->owner, MUTEX_OWNER_FLAGS, 0);
	if (flags == LCB_F_READ || flags == LCB_F_WRITE)
		return owner_of(&((const struct rw_semaphore *)lock)->owner, RWSEM_OWNER_FLAGS,
				RWSEM_READERS);
#endif
	return 0;
}

JTRACE_EVENT(contention_begin,
	TP_PROTO(void *lock, unsigned int flags),
	(x32, flags, flags),
	(s32, owner, lock_owner(lock, flags)),
	(x64, lock_addr, lock));

JTRACE_EVENT(contention_end,
	TP_PROTO(void *lock, int ret),
	(s32, ret, ret),
	(x64, lock_addr, lock));

static struct jtrace_event *lock_events[] = {
	&jtrace_event_contention_begin,
	&jtrace_event_contention_end,
};

struct jtrace_event_group jtrace_group_lock = JTRACE_EVENT_GROUP("lock", lock_events);
