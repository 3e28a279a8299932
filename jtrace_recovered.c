// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of an earlier boot: copied out of the region before anything is
 * written there, judged, and kept as it is until jtrace is unloaded.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/string.h>

#include "include/jtrace/internal.h"

struct jtrace_recovered jtrace_recovered = {
	.trace.verdict = JTRACE_EMPTY,
};

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
	rec->room = jtrace_alloc(jtrace_recover_room(t, U32_MAX));
	if (!rec->room)
		return -ENOMEM;
	jtrace_recover_scan(t, rec->room, U32_MAX);
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
 * jtrace_recovered_drop() - free it
 */
void jtrace_recovered_drop(void)
{
	vfree(jtrace_recovered.room);
	vfree(jtrace_recovered.img);
	memset(&jtrace_recovered, 0, sizeof(jtrace_recovered));
	jtrace_recovered.trace.verdict = JTRACE_EMPTY;
}
