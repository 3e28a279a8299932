// SPDX-License-Identifier: GPL-2.0
/* Where jtrace -f takes its snapshots from: the live buffer, or a file that a machine writes to. */

#include <errno.h>
#include <stdlib.h>

#include "live.h"

/* Each opening of trace_raw takes a snapshot. */
static bool read_live(struct feed *f, struct dump *d)
{
	static const char name[] = "trace_raw";
	size_t len;
	int err = live_read(name, &f->img, &f->size, &len);

	/* ENXIO: it is going. */
	if (f->started && (err == ENOENT || err == ENOTDIR || err == ENXIO))
		return fail("-f: module jtrace was unloaded");
	if (err)
		return live_fail(name, err);
	*d = (struct dump){ .name = name, .img = f->img, .len = len };
	return true;
}

static enum watched take_live(struct feed *f, struct dump *d)
{
	struct jtrace_trace t;

	if (!read_live(f, d))
		return WATCH_FAILED;
	jtrace_recover_open(&t, d->img, d->len);
	if (t.fault != JTRACE_HEADER_OK) {
		fail("%s: no whole image in its %llu bytes", d->name, d->len);
		return WATCH_FAILED;
	}
	if (f->started && (f->image_id != t.image_id || f->nr_chunks != t.l.nr_chunks)) {
		fail("-f: module jtrace was loaded again: run this command again");
		return WATCH_FAILED;
	}
	f->started = true;
	f->image_id = t.image_id;
	f->nr_chunks = t.l.nr_chunks;
	return WATCH_SAME;
}

static enum watched take_file(struct feed *f, struct dump *d)
{
	enum watched found;

	free(f->img);
	*d = (struct dump){ 0 };
	if (f->last)
		watch_hurry(f->watch);
	f->last = false;
	found = watch_look(f->watch, d);
	f->img = d->img;
	return found;
}

/**
 * feed_live() - follow the live buffer of this machine
 * @f: result
 */
void feed_live(struct feed *f)
{
	*f = (struct feed){ .take = take_live, .counted = true };
}

/**
 * feed_file() - follow an image in a file that a machine writes to
 * @f: result
 * @w: the file, whose image was chosen
 */
void feed_file(struct feed *f, struct watch *w)
{
	*f = (struct feed){ .take = take_file, .watch = w };
}

/**
 * feed_close() - free the last snapshot
 * @f: the feed
 */
void feed_close(struct feed *f)
{
	free(f->img);
	f->img = NULL;
}
