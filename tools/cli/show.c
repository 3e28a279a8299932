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

/* Say why an image of the source cannot be read. */
static const char *describe_foreign(const struct source *s, const struct parts *f)
{
	static char text[512];
	size_t n = scnprintf(text, sizeof(text), "%s: image at 0x%llx has ", s->name, f->bad);

	if (f->bad_fault == JTRACE_HEADER_VERSION)
		n += scnprintf(text + n, sizeof(text) - n,
			       "format version %u, this jtrace reads %u",
			       le16_to_cpu(f->bad_header.version), JTRACE_IMAGE_VERSION);
	else
		n += scnprintf(text + n, sizeof(text) - n,
			       "incompat features 0x%x that this jtrace does not know",
			       jtrace_header_unknown(&f->bad_header));
	scnprintf(text + n, sizeof(text) - n, ": use the jtrace that belongs to the module");
	return text;
}

/* Say why the source has no image that can be shown. */
static bool fail_empty(const struct source *s, const struct parts *f, const struct options *o)
{
	if (!s->size && o->recovered)
		return live_fail_recovered();
	if (!s->size)
		return fail("%s: empty file", s->name);
	if (!f->nr_bad)
		return fail("%s: no jtrace image in its %llu bytes", s->name, s->size);
	if (f->nr_foreign)
		return fail("%s", describe_foreign(s, f));
	return fail("%s: damaged image header at 0x%llx (%s), and no other part of an image",
		    s->name, f->bad,
		    f->bad_fault == JTRACE_HEADER_CRC ? "check value" : "layout");
}

static void warn_images(const struct source *s, const struct images *list,
			const struct image *shown)
{
	char text[4096];
	struct pen p = { text, text + sizeof(text) - 1 };
	size_t i;

	for (i = 0; i < list->nr && i < 20; i++)
		pen_format(&p, "%s at 0x%llx (%s)", i ? "," : "", list->image[i].where,
			   image_describe(&list->image[i]));
	pen_format(&p, i < list->nr ? ", ...: " : ": ");
	if (shown)
		pen_format(&p, "showing the one at 0x%llx, choose another with --at OFFSET",
			   shown->where);
	else
		pen_format(&p, "choose one with --at OFFSET");
	warnx("%s: %zu image%s:%s", s->name, list->nr, list->nr > 1 ? "s" : "", text);
}

/* Returns NULL, after a message, if there is no such image. */
static const struct image *choose_image(const struct source *s, const struct images *list,
					const struct options *o)
{
	const struct image *im = o->at_set ? images_find(list, o->at) : images_find_newest(list);

	if (!im)
		fail("%s: no image at 0x%llx", s->name, o->at);
	if (!im || (list->nr > 1 && !o->at_set))
		warn_images(s, list, im);
	return im;
}

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

static bool show_image(const struct source *s, const struct image *im, struct options *o)
{
	struct dump d = { 0 };
	bool ok = dump_load(s, im, &d) && dump_open(&d);
	enum content content;

	if (ok && o->cause) {
		decode_open(&d.t);
		ok = show_cause(&d, o);
		decode_close();
		dump_free(&d);
		return ok;
	}
	if (ok && !dump_readable(&d))
		ok = fail("%s: cannot read what is left of the image", s->name);
	/* Exports always have names. */
	if (ok && (o->decode || o->target || o->why))
		decode_open(&d.t);
	if (ok && o->content != EVENTS && !d.t.log.nr)
		ok = fail("%s: the image has no line of the kernel log: only a persistent buffer of 256 KiB or more keeps it",
			  s->name);
	/* Most exports have the kernel log beside the entries, if there is one. */
	content = !o->target ? o->content : d.t.log.nr ? o->format->content : EVENTS;
	ok = ok && select_apply(&o->select, &d.t, content, d.name);
	if (ok) {
		d.t.tell = choose_tell(o, &d.t);
		d.t.plain = strcmp(nl_langinfo(CODESET), "UTF-8") ? NULL : utf8_plain;
		if (o->decode && !o->target && content != LOG)
			d.t.unnamed = task_count_unnamed(&d.t);
		ok = o->why ? show_why(&d, o) : o->frame.chosen ? show_frame(&d, o) :
		     show_content(&d, o);
	}
	decode_close();
	dump_free(&d);
	return ok;
}

/**
 * show_source() - show an image of a file, of the module or of its archive
 * @o: which one, and how
 *
 * Return: false, after a message, on an error.
 */
bool show_source(struct options *o)
{
	struct images list = { 0 };
	struct parts f = { 0 };
	const struct image *im;
	struct source s;
	bool ok;

	if (o->file)
		ok = source_open(&s, o->file) && kdump_open(&s);
	else
		ok = live_open(&s, o->recovered ? "recovered_raw" : "trace_raw");
	ok = ok && scan(&s, &f) && images_list(&s, &f, &list);
	if (ok && !list.nr && o->cause)
		show_cause(&(struct dump){ .t.verdict = JTRACE_EMPTY }, o);
	else if (ok && !list.nr)
		ok = fail_empty(&s, &f, o);
	else if (ok && f.nr_foreign)
		warnx("%s", describe_foreign(&s, &f));
	if (ok && list.nr) {
		im = choose_image(&s, &list, o);
		ok = im && show_image(&s, im, o);
	}
	free(list.image);
	parts_free(&f);
	source_close(&s);
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
