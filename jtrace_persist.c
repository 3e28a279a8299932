// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of an earlier boot, and the end of this one.
 *
 * jtrace copies the trace of an earlier boot out of the region before it writes there, and scans
 * the copy.  The copy never changes.  It is freed when jtrace is unloaded, or when the user frees
 * it and the last reader is gone.
 *
 * The state in the image's header tells the next boot how this one ended.  The state stays RUNNING
 * after a hang, a reset or a power loss.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "jtrace_internal.h"

/* ---- The trace of an earlier boot ------------------------------------- */

struct jtrace_recovered jtrace_recovered = {
	.trace.verdict = JTRACE_EMPTY,
	.users = 1,
};

static DEFINE_MUTEX(recovered_lock);

/* Number of bytes to copy from the region; 0 if there is no image. */
static u64 image_size(const struct jtrace_region *r)
{
	struct jtrace_trace t;

	switch (jtrace_recover_open(&t, r->at, ALIGN_DOWN(r->size, (u64)JTRACE_GRANULE))) {
	case JTRACE_EMPTY:
		return 0;
	case JTRACE_UNREADABLE:
		return t.len;
	default:
		return t.l.size;
	}
}

static void copy_out(void *to, const void *from, u64 size)
{
	u64 off;

	for (off = 0; off < size; off += JTRACE_PAGE) {
		jtrace_copy_words(to + off, from + off, min_t(u64, size - off, JTRACE_PAGE));
		cond_resched();
	}
}

static int scan_copy(struct jtrace_recovered *rec, const u8 *boot_id)
{
	struct jtrace_trace *t = &rec->trace;

	jtrace_recover_open(t, rec->img, rec->size);
	if (t->verdict == JTRACE_EMPTY || t->verdict == JTRACE_UNREADABLE)
		return 0;
	t->tell = JTRACE_TELL_BOOT | JTRACE_TELL_NOT_CLEAN | JTRACE_TELL_OVER;
	if (memchr_inv(boot_id, 0, sizeof(t->header.boot_id)) &&
	    !memcmp(boot_id, t->header.boot_id, sizeof(t->header.boot_id)))
		t->tell |= JTRACE_TELL_THIS_BOOT;
	t->can_sleep = true;
	jtrace_log_count(t);
	rec->room = jtrace_alloc(jtrace_recover_room(t));
	if (!rec->room)
		return -ENOMEM;
	jtrace_recover_scan(t, rec->room);
	return 0;
}

/**
 * jtrace_recovered_save() - copy out and scan the trace of an earlier boot
 * @r: the region, not yet written to
 * @boot_id: of this boot
 *
 * Return: 0, or -ENOMEM after one line, and no trace is lost; jtrace_recovered_free() undoes both.
 */
int jtrace_recovered_save(const struct jtrace_region *r, const u8 *boot_id)
{
	struct jtrace_recovered *rec = &jtrace_recovered;

	rec->size = image_size(r);
	if (!rec->size)
		return 0;
	rec->img = jtrace_alloc(rec->size);
	if (rec->img) {
		copy_out(rec->img, r->at, rec->size);
		if (!scan_copy(rec, boot_id))
			return 0;
	}
	pr_err("no memory to copy the trace of an earlier boot, which stays in the region: it has %llu bytes, %llu are available: free memory and load jtrace again\n",
	       rec->size, (u64)si_mem_available() << PAGE_SHIFT);
	return -ENOMEM;
}

/**
 * jtrace_recovered_verdict() - describe the recovered trace in a few words, for log and config
 */
const char *jtrace_recovered_verdict(void)
{
	static const char * const text[] = {
		[JTRACE_WHOLE] = "a trace, whole",
		[JTRACE_CLEAN] = "a trace, closed cleanly",
		[JTRACE_DAMAGED] = "a trace, damaged",
		[JTRACE_EMPTY] = "no trace",
		[JTRACE_UNREADABLE] = "a trace, unreadable",
	};

	return text[jtrace_recovered.trace.verdict];
}

/**
 * jtrace_recovered_get() - begin to read the image
 *
 * Return: false if the image is freed.
 */
bool jtrace_recovered_get(void)
{
	bool available;

	mutex_lock(&recovered_lock);
	available = !jtrace_recovered.freed;
	jtrace_recovered.users += available;
	mutex_unlock(&recovered_lock);
	return available;
}

static void drop_user(struct jtrace_recovered *rec)
{
	if (--rec->users)
		return;
	vfree(rec->room);
	vfree(rec->img);
	rec->room = NULL;
	rec->img = NULL;
}

/* Undo one successful jtrace_recovered_get(). */
void jtrace_recovered_put(void)
{
	mutex_lock(&recovered_lock);
	drop_user(&jtrace_recovered);
	mutex_unlock(&recovered_lock);
}

/**
 * jtrace_recovered_free() - free the image when the last reader is gone
 *
 * Keeps the copied header and the verdict.  Does nothing the second time.
 *
 * Return: 0.
 */
int jtrace_recovered_free(void)
{
	mutex_lock(&recovered_lock);
	if (!jtrace_recovered.freed) {
		jtrace_recovered.freed = true;
		drop_user(&jtrace_recovered);
	}
	mutex_unlock(&recovered_lock);
	return 0;
}

/* ---- How it ends ------------------------------------------------------ */

/**
 * jtrace_seal() - write into the image how this boot ends
 * @state: enum jtrace_state
 * @reason: of a panic, else NULL
 *
 * Context: Any, while no other code writes headers: in a panic, on unload, or under the lock.
 */
void jtrace_seal(enum jtrace_state state, const char *reason)
{
	struct jtrace_image_header *h = &jtrace.setup.header;

	h->state = state;
	memset(h->reason, 0, sizeof(h->reason));
	if (reason)
		strscpy(h->reason, reason, sizeof(h->reason));
	jtrace_clock_stamp(h);
	jtrace_header_write(jtrace.setup.region.at, h);
}

#define LOCK_MS		1000

/*
 * Mark the image clean as late as a module can, after devices are shut down, so that a driver that
 * hangs at shutdown counts as a hang.
 */
static void seal_shutdown(void)
{
	bool locked = false;
	int ms;

	/* Another CPU may be clearing.  Do not wait forever, because its task may have died. */
	for (ms = 0; ms < LOCK_MS && !locked; ms++) {
		locked = mutex_trylock(&jtrace.lock);
		if (!locked)
			mdelay(1);
	}
	jtrace_seal(jtrace.setup.config.keep_on_reboot ? JTRACE_STATE_KEPT : JTRACE_STATE_CLEAN,
		    NULL);
	if (locked)
		mutex_unlock(&jtrace.lock);
}

static void shut_down(JTRACE_SYSCORE_ARGS)
{
	seal_shutdown();
}

static struct jtrace_syscore seal_syscore = {
	.ops.shutdown = shut_down,
};

/* Some kernels do not call the above for kexec, but pass this command. */
static int reboot_call(struct notifier_block *nb, unsigned long action, void *command)
{
	if (action == SYS_RESTART && command && !strcmp(command, "kexec reboot"))
		seal_shutdown();
	return NOTIFY_DONE;
}

static struct notifier_block reboot_nb = {
	.notifier_call = reboot_call,
};

/* Mark the image clean at an orderly shutdown, from now on. */
void jtrace_seal_init(void)
{
	jtrace_syscore_register(&seal_syscore);
	if (JTRACE_KEXEC_SKIPS_SYSCORE)
		register_reboot_notifier(&reboot_nb);
}

/* Undo jtrace_seal_init(), and mark the image unloaded. */
void jtrace_seal_exit(void)
{
	if (JTRACE_KEXEC_SKIPS_SYSCORE)
		unregister_reboot_notifier(&reboot_nb);
	jtrace_syscore_unregister(&seal_syscore);
	jtrace_seal(JTRACE_STATE_UNLOADED, NULL);
}
