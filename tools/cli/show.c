// SPDX-License-Identifier: GPL-2.0
/* Show an image of a source: choose it, load it, and print it as the options ask. */

#include <err.h>
#include <langinfo.h>
#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "../crashes/crashes.h"
#include "../live/live.h"
#include "../why/why.h"
#include "cli.h"

/**
 * choose_tell() - what the text says besides the entries
 * @o: how the image was chosen
 * @t: its trace
 *
 * The live buffer looks like the file trace, the trace of the previous boot like the file
 * recovered.  The text of a file says how the boot ended, too, unless it is a saved live
 * buffer: that boot had not ended.
 *
 * Return: JTRACE_TELL_*.
 */
u32 choose_tell(const struct options *o, const struct jtrace_trace *t)
{
	bool same = is_this_boot(t->header.boot_id);
	bool live = t->verdict == JTRACE_WHOLE && t->header.state == JTRACE_STATE_RUNNING &&
		    (same || !(le32_to_cpu(t->header.compat) & JTRACE_COMPAT_PERSISTENT));
	u32 tell = JTRACE_TELL_BOOT | (same ? JTRACE_TELL_THIS_BOOT : 0);

	if (o->recovered)
		return tell | JTRACE_TELL_NOT_CLEAN | JTRACE_TELL_OVER;
	return o->file && !live ? tell : 0;
}

/* Tell a person why no entry is shown, and what to do. */
static void hint_empty(const struct dump *d, const struct options *o)
{
	if (o->file || o->target || o->format != formats || o->content == LOG)
		return;
	if (!o->recovered && !d->t.found)
		live_hint_begin(d->t.header.counts.cleared);
	else if (o->recovered && d->t.header.state == JTRACE_STATE_CLEAN)
		warnx("the earlier boot was shut down cleanly: load jtrace with keep_on_reboot=y to see such traces, too");
}

static bool show_content(const struct dump *d, const struct options *o)
{
	hint_empty(d, o);
	if (o->target)
		return o->format->export(d, o->target, o->force);
	if (o->pager)
		pager_open();
	o->format->show[o->content](d);
	return true;
}

/* A frame fits a screen. */
static bool show_frame(const struct dump *d, const struct options *o)
{
	static struct frame f;

	if (!frame_load(&d->t, &o->frame, &f))
		return false;
	o->format->show_frame(d, &f);
	return true;
}

/* A verdict needs all entries, up to a moment. */
static bool show_why(struct dump *d, struct options *o)
{
	bool found, ok;

	d->t.filter = NULL;
	ok = why_write(d, o->format != formats ? WHY_JSON : WHY_TEXT,
		       o->select.until.set ? o->select.to_ns : ~0ULL, stdout, &found);
	o->status = ok && !found ? 3 : 0;
	return ok;
}

/* "panicked 0123... 2026-11-29T14:21:26Z 6.1.0 NULL pointer dereference: f < g" */
static bool show_cause(const struct dump *d, struct options *o)
{
	static struct crash c;
	char when[CRASH_TIME];
	char *blank;

	if (!crash_read(&c, d))
		return false;
	/* Words are columns. */
	while ((blank = strchr(c.release, ' ')))
		*blank = '_';
	crash_time(c.real, when);
	printf("%s %s %s %s %s\n", crash_end_name(c.end), c.boot, when, c.release[0] ? c.release : "-",
	       c.signature[0] ? c.signature : "-");
	o->status = crash_end_status(c.end);
	return true;
}

static bool show_image(struct dump *d, struct options *o)
{
	enum content content;

	if (!dump_readable(d))
		return fail("%s: cannot read what is left of the image", d->name);
	if (o->content != EVENTS && !d->t.log.nr)
		return fail("%s: the image has no line of the kernel log: only a persistent buffer of 256 KiB or more keeps it",
			    d->name);
	/* Most exports have the kernel log beside the entries, if there is one. */
	content = !o->target ? o->content : d->t.log.nr ? o->format->content : EVENTS;
	if (!select_apply(&o->select, &d->t, content, d->name))
		return false;
	d->t.tell = choose_tell(o, &d->t);
	d->t.plain = strcmp(nl_langinfo(CODESET), "UTF-8") ? NULL : utf8_plain;
	if (o->decode && !o->target && content != LOG)
		d->t.unnamed = task_count_unnamed(&d->t);
	return o->why ? show_why(d, o) : o->frame.chosen ? show_frame(d, o) : show_content(d, o);
}

/**
 * show_source() - show an image of a file, of the module or of its archive
 * @o: which one, and how
 *
 * Return: false, after a message, on an error.
 */
bool show_source(struct options *o)
{
	struct dump d = { 0 };
	bool ok = load_image(o, &d);

	if (ok) {
		/* Exports always have names. */
		if (dump_readable(&d) && (o->decode || o->target || o->why || o->cause))
			decode_open(&d.t);
		ok = o->cause ? show_cause(&d, o) : show_image(&d, o);
		decode_close();
	}
	dump_free(&d);
	return ok;
}

/**
 * show_sources() - show_source() for each file of the command line
 * @o: as for show_source()
 *
 * Return: false, after a message, on an error.
 */
bool show_sources(struct options *o)
{
	bool ok = show_source(o);

	while (ok && o->more && *o->more) {
		o->file = *o->more++;
		ok = show_source(o);
	}
	return o->format->finish ? o->format->finish(ok) : ok;
}
