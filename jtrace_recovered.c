// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of an earlier boot: copied out of the region before anything is
 * written there, judged, and kept as it is until jtrace is unloaded, or until somebody
 * frees it and nobody reads it any more.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "include/jtrace/internal.h"

struct jtrace_recovered jtrace_recovered = {
	.trace.verdict = JTRACE_EMPTY,
	.users = 1,
};

static DEFINE_MUTEX(lock);

/* How much of the region is worth a copy: 0 if nothing is there. */
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

static int judge(struct jtrace_recovered *rec, const u8 *boot_id)
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
	rec->room = jtrace_alloc(jtrace_recover_room(t));
	if (!rec->room)
		return -ENOMEM;
	jtrace_recover_scan(t, rec->room);
	return 0;
}

/**
 * jtrace_recovered_save() - copy out what an earlier boot left, and judge it
 * @r: the region, in which nothing was written yet
 * @boot_id: of this boot
 *
 * Return: 0, or -ENOMEM after one line; then nothing is lost, and nothing left
 * behind.
 */
int jtrace_recovered_save(const struct jtrace_region *r, const u8 *boot_id)
{
	struct jtrace_recovered *rec = &jtrace_recovered;

	rec->size = image_size(r);
	if (!rec->size)
		return 0;
	rec->img = jtrace_alloc(rec->size);
	if (rec->img) {
		jtrace_copy_words(rec->img, r->at, rec->size);
		if (!judge(rec, boot_id))
			return 0;
	}
	pr_err("no memory to save the trace of an earlier boot: %llu bytes of image, %llu bytes are available: it is left as it is\n",
	       rec->size, (u64)si_mem_available() << PAGE_SHIFT);
	jtrace_recovered_drop();
	return -ENOMEM;
}

/**
 * jtrace_recovered_verdict() - what was found, in a few words
 *
 * Return: text for a line of the log or of config.
 */
const char *jtrace_recovered_verdict(void)
{
	static const char * const text[] = {
		[JTRACE_WHOLE] = "a trace, whole",
		[JTRACE_CLEAN] = "a trace, closed in good order",
		[JTRACE_DAMAGED] = "a trace, damaged",
		[JTRACE_EMPTY] = "no trace",
		[JTRACE_UNREADABLE] = "a trace, unreadable",
	};

	return text[jtrace_recovered.trace.verdict];
}

/**
 * jtrace_recovered_get() - begin to read the image
 *
 * Return: false if it is freed.
 */
bool jtrace_recovered_get(void)
{
	bool there;

	mutex_lock(&lock);
	there = !jtrace_recovered.freed;
	jtrace_recovered.users += there;
	mutex_unlock(&lock);
	return there;
}

static void put(struct jtrace_recovered *rec)
{
	if (--rec->users)
		return;
	vfree(rec->room);
	vfree(rec->img);
	rec->room = NULL;
	rec->img = NULL;
}

/**
 * jtrace_recovered_put() - undo one successful jtrace_recovered_get()
 */
void jtrace_recovered_put(void)
{
	mutex_lock(&lock);
	put(&jtrace_recovered);
	mutex_unlock(&lock);
}

/**
 * jtrace_recovered_free() - free the image when the last reader is gone
 *
 * Keeps the copy of its header, and the verdict.
 *
 * Return: 0.
 */
int jtrace_recovered_free(void)
{
	mutex_lock(&lock);
	if (!jtrace_recovered.freed) {
		jtrace_recovered.freed = true;
		put(&jtrace_recovered);
	}
	mutex_unlock(&lock);
	return 0;
}

/**
 * jtrace_recovered_drop() - free it when the module goes
 */
void jtrace_recovered_drop(void)
{
	vfree(jtrace_recovered.room);
	vfree(jtrace_recovered.img);
	memset(&jtrace_recovered, 0, sizeof(jtrace_recovered));
	jtrace_recovered.trace.verdict = JTRACE_EMPTY;
	jtrace_recovered.users = 1;
}
