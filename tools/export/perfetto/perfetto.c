// SPDX-License-Identifier: GPL-2.0
/*
 * A trace as a file of Perfetto: a track for each CPU, for each thread with slices, for the kernel
 * log and for what the image tells.
 *
 * perfetto.proto names the source of the format.
 */

#include "../export.h"

#ifndef JTRACE_PROTOBUF_C

/**
 * export_perfetto() - write a trace for Perfetto
 * @d: the trace
 * @target: name of the file
 * @force: replace it
 *
 * Return: false, after a message, on an error; nothing is left behind then.
 */
bool export_perfetto(const struct dump *d, const char *target, bool force)
{
	(void)d;
	(void)force;
	return fail("%s: --perfetto needs protobuf-c, and this jtrace was built without it: install libprotobuf-c-dev and protobuf-c-compiler and build jtrace again",
		    target);
}

#else

#include <stdlib.h>

#include "perfetto.h"

static struct jtrace_walk walk;

/* Can more be written? */
static bool can_go_on(struct perfetto *w)
{
	return !w->no_memory && target_ok(&w->target);
}

static void put_instant(struct perfetto *w, u64 ns, enum perfetto_track track, char *category,
			char *name, const struct perfetto_list *notes)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event.name = name;
	event.n_categories = 1;
	event.categories = &category;
	perfetto_put_event(w, &event, ns, perfetto_track(w, track), notes);
}

/* ---- The kernel log --------------------------------------------------- */

static void put_line(struct perfetto *w, const struct jtrace_log_line *line, u64 ns)
{
	struct perfetto_list notes = { 0 };

	perfetto_begin(w);
	perfetto_add_number(w, &notes, "level", line->prio & 7);
	perfetto_add_number(w, &notes, "facility", line->prio >> 3);
	perfetto_add_number(w, &notes, "seq", line->seq);
	if (line->missing)
		perfetto_add_number(w, &notes, "missing before", line->missing);
	put_instant(w, ns, TRACK_LOG, "log", perfetto_text(w, line->text, line->len), &notes);
}

/* Lines without a time follow the one before; at the beginning they get the earliest time. */
static void put_lines(struct perfetto *w, struct merge *m, u64 until)
{
	for (; merge_before(m, until) && can_go_on(w); merge_next(m))
		put_line(w, &m->line, export_clock_time(&w->clock, max(m->ns, w->from_ns)));
}

/* ---- The image -------------------------------------------------------- */

/* Return the earliest time of an entry or a line that the selection shows, ~0 if there is none. */
static u64 first_time(const struct jtrace_trace *t)
{
	const struct jtrace_decoded *ev;
	static struct merge m;
	u64 first = ~0ULL;

	jtrace_walk_each(&walk, t, ev) {
		first = jtrace_recover_ns(t, ev->time);
		break;
	}
	for (merge_open(&m, t); m.more; merge_next(&m))
		if (m.line.time != JTRACE_LOG_NO_TIME)
			first = min(first, m.ns);
	return first;
}

/* The clock of the trace, and the wall clock of the same moment, if it is known. */
static void put_clocks(struct perfetto *w)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__ClockSnapshot__Clock shown = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
	Perfetto__ClockSnapshot__Clock real = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
	Perfetto__ClockSnapshot__Clock *clocks[] = { &shown, &real };

	shown.has_clock_id = true;
	shown.clock_id = w->clock_id;
	shown.has_timestamp = true;
	shown.timestamp = w->from_ns;
	real.has_clock_id = true;
	real.clock_id = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
	real.has_timestamp = true;
	real.timestamp = w->from_ns + w->clock.offset;
	snapshot.n_clocks = w->clock.known ? 2 : 1;
	snapshot.clocks = clocks;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = w->clock_id;
	packet.clock_snapshot = &snapshot;
	packet.has_sequence_flags = true;
	packet.sequence_flags =
		PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	perfetto_put(w, &packet);
}

static void say(struct perfetto *w, const char *text)
{
	struct perfetto_list none = { 0 };

	perfetto_begin(w);
	put_instant(w, w->from_ns, TRACK_IMAGE, "image", perfetto_string(w, text), &none);
}

/* The lines before the entries of a trace as text, and where slices are missing. */
static void put_image(struct perfetto *w, const struct slices *p)
{
	static char line[JTRACE_LINE_MAX];
	struct jtrace_trace told = *w->t;
	struct pen pen;
	u32 i;

	/* The same in each locale. */
	told.plain = utf8_plain;
	told.tell |= JTRACE_TELL_BOOT;
	for (i = 0; i < jtrace_tell_lines(&told); i++) {
		pen = (struct pen){ line, line + sizeof(line) - 1 };
		jtrace_tell_line(&told, &pen, i);
		*pen.at = 0;
		say(w, line);
	}
	if (!w->clock.known)
		say(w, "Wall times are unknown");
	if (p->why)
		scnprintf(line, sizeof(line), "No slices: %s", p->why);
	else
		scnprintf(line, sizeof(line),
			  "No slices of threads up to %llu.%09llu: older entries were overwritten",
			  p->from_ns / 1000000000, p->from_ns % 1000000000);
	if (p->why || (p->from_ns && p->any))
		say(w, line);
}

/* A mark at the panic, when the header was written again. */
static void put_panic(struct perfetto *w)
{
	const struct jtrace_image_header *h = &w->t->header;
	const u64 ns = w->clock.written;
	struct perfetto_list none = { 0 };
	char text[sizeof(h->reason) + 16];

	if (h->state != JTRACE_STATE_PANICKED || w->t->filter || w->t->from.tie || ns < w->from_ns)
		return;
	scnprintf(text, sizeof(text), "panic: %.*s", (int)sizeof(h->reason),
		  (const char *)h->reason);
	perfetto_begin(w);
	put_instant(w, export_clock_time(&w->clock, ns), TRACK_IMAGE, "panic",
		    perfetto_string(w, text), &none);
}

static void put_all(struct perfetto *w, const struct slices *p, const struct jtrace_trace *all)
{
	const struct jtrace_decoded *ev;
	static struct merge m;
	u64 at = 0, ns;

	put_clocks(w);
	perfetto_tracks_open(w);
	perfetto_threads_open(w, p);
	put_image(w, p);
	merge_open(&m, w->t);
	jtrace_walk_each(&walk, all, ev) {
		if (at == p->nr || !can_go_on(w))
			break;
		if (p->flags[at] & SLICE_WANTED) {
			ns = jtrace_recover_ns(w->t, ev->time);
			put_lines(w, &m, ns);
			ns = export_clock_time(&w->clock, ns);
			perfetto_put_entry(w, ev, ns, p->flags[at]);
			perfetto_put_counters(w, ev, ns);
		}
		at++;
	}
	put_lines(w, &m, ~0ULL);
	put_panic(w);
}

static bool write_file(struct perfetto *w, const struct slices *p, const struct jtrace_trace *all)
{
	const struct jtrace_trace *t = w->t;

	w->clock_id = t->l.form & JTRACE_FORM_MONO ?
		      PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC :
		      PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME;
	export_clock_open(&w->clock, t);
	w->from_ns = first_time(t);
	if (w->from_ns == ~0ULL)
		w->from_ns = w->clock.written;
	w->from_ns = min(w->from_ns, w->clock.latest);
	put_all(w, p, all);
	free(w->bytes);
	return !w->no_memory || fail("%s: no memory", w->target.path);
}

/* See above. */
bool export_perfetto(const struct dump *d, const char *target, bool force)
{
	static struct perfetto w;
	struct jtrace_trace all = d->t;
	struct slices p;
	bool ok;

	memset(&w, 0, sizeof(w));
	w.t = &d->t;
	all.filter = NULL;
	all.from = (struct jtrace_key){ 0 };
	ok = slices_find(&p, &d->t, &all) && target_open(&w.target, target, force, "jtrace: ");
	if (ok)
		ok = target_close(&w.target, write_file(&w, &p, &all));
	if (ok)
		export_clock_warn(&w.clock, d);
	slices_free(&p);
	return ok;
}

#endif /* JTRACE_PROTOBUF_C */
