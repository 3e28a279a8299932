// SPDX-License-Identifier: GPL-2.0
/* Tracks of a Perfetto export: each is described before its first event. */

#ifdef JTRACE_PROTOBUF_C

#include "../../../lib/base/pen.h"
#include "../../../lib/image/task.h"
#include "perfetto.h"

/* Most counters. */
#define COUNTERS	16

/* Order of the tracks: image, log, counters, CPUs, threads. */
enum {
	RANK_IMAGE,
	RANK_LOG,
	RANK_COUNTER,
	RANK_CPU = RANK_COUNTER + COUNTERS,
	RANK_THREADS = RANK_CPU + CPU_NUMBERS,
};

/* Traces that are opened together should not share tracks. */
static u64 track_id(const struct perfetto *w, enum perfetto_track kind, u32 number)
{
	return w->t->image_id << 36 | (u64)kind << 32 | number;
}

/**
 * perfetto_track() - the id of a track that is there once
 * @w: the export
 * @kind: which one
 */
u64 perfetto_track(const struct perfetto *w, enum perfetto_track kind)
{
	return track_id(w, kind, 0);
}

/* @counter: NULL if it is none. */
static void put_track_as(struct perfetto *w, u64 id, enum perfetto_track parent, char *name,
			 s32 rank, Perfetto__CounterDescriptor *counter)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	track.has_uuid = true;
	track.uuid = id;
	track.name = name;
	track.counter = counter;
	if (parent) {
		track.has_parent_uuid = true;
		track.parent_uuid = perfetto_track(w, parent);
		track.has_sibling_order_rank = true;
		track.sibling_order_rank = rank;
	}
	if (!parent || id == perfetto_track(w, TRACK_THREADS)) {
		track.has_child_ordering = true;
		track.child_ordering =
			PERFETTO__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
	}
	packet.track_descriptor = &track;
	perfetto_put(w, &packet);
}

static void put_track(struct perfetto *w, u64 id, enum perfetto_track parent, char *name, s32 rank)
{
	put_track_as(w, id, parent, name, rank, NULL);
}

/**
 * perfetto_tracks_open() - write the tracks that each export has
 * @w: the export
 */
void perfetto_tracks_open(struct perfetto *w)
{
	const struct jtrace_image_header *h = &w->t->header;
	char name[sizeof(h->release) + 32];

	if (w->t->damage.nr[JTRACE_FAULT_HEADERS])
		scnprintf(name, sizeof(name), "jtrace: image 0x%016llx", w->t->image_id);
	else
		scnprintf(name, sizeof(name), "jtrace: Linux %.*s", (int)sizeof(h->release),
			  (const char *)h->release);
	perfetto_begin(w);
	put_track(w, perfetto_track(w, TRACK_TRACE), 0, perfetto_string(w, name), 0);
	put_track(w, perfetto_track(w, TRACK_IMAGE), TRACK_TRACE, "image", RANK_IMAGE);
	if (w->t->log.nr)
		put_track(w, perfetto_track(w, TRACK_LOG), TRACK_TRACE, "kernel log", RANK_LOG);
}

/**
 * perfetto_track_cpu() - get the track of a CPU
 * @w: the export
 * @cpu: less than CPU_NUMBERS
 *
 * Call it before perfetto_begin() of a packet on the track.
 *
 * Return: its id.
 */
u64 perfetto_track_cpu(struct perfetto *w, u32 cpu)
{
	const u64 id = track_id(w, TRACK_CPU, cpu);
	char name[32];

	if (!(w->cpu[cpu / 8] >> cpu % 8 & 1)) {
		w->cpu[cpu / 8] |= 1 << cpu % 8;
		scnprintf(name, sizeof(name), "CPU %u", cpu);
		put_track(w, id, TRACK_TRACE, name, RANK_CPU + cpu);
	}
	return id;
}

/**
 * perfetto_track_counter() - get the track of a counter
 * @w: the export
 * @number: less than %COUNTERS
 * @name: its name
 * @bytes: in each of what it counts; 0: it counts other things
 *
 * Call it before perfetto_begin() of a packet on the track.
 *
 * Return: its id.
 */
u64 perfetto_track_counter(struct perfetto *w, u32 number, char *name, s64 bytes)
{
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	const u64 id = track_id(w, TRACK_COUNTER, number);

	if (w->counters >> number & 1)
		return id;
	w->counters |= 1U << number;
	counter.has_unit = true;
	counter.unit = bytes ? PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES :
			       PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
	counter.has_unit_multiplier = bytes;
	counter.unit_multiplier = bytes;
	put_track_as(w, id, TRACK_TRACE, name, RANK_COUNTER + number, &counter);
	return id;
}

/* The id of the track of a thread, as pairs_thread() numbers it. */
static u64 thread_id(const struct perfetto *w, u64 who)
{
	return track_id(w, who >> 32 ? TRACK_IDLE : TRACK_THREAD, who);
}

/**
 * perfetto_track_thread() - get the track of a thread that has slices
 * @w: the export
 * @ev: an entry of the thread
 *
 * Return: its id.
 */
u64 perfetto_track_thread(const struct perfetto *w, const struct jtrace_decoded *ev)
{
	return thread_id(w, pairs_thread(ev));
}

static void put_thread(struct perfetto *w, u64 who)
{
	const u32 nr = who;
	char name[32 + JTRACE_TASK_WAYS * (TASK_NAME + 3)];
	struct pen p = { name, name + sizeof(name) - 1 };
	struct jtrace_task names[JTRACE_TASK_WAYS];
	u32 known, i;

	/* All names of the tid, in their order: the track has all of them. */
	known = who >> 32 ? 0 : jtrace_task_names(&w->t->l, w->t->img, w->t->image_id, nr, names);
	for (i = 0; i < known; i++)
		if (names[i].comm[0] && (!i || strncmp(names[i].comm, names[i - 1].comm,
						       JTRACE_COMM_SIZE)))
			pen_format(&p, "%s%.*s", p.at > name ? " > " : "", JTRACE_COMM_SIZE,
				   names[i].comm);
	pen_format(&p, p.at > name ? " (%u)" : who >> 32 ? "idle, CPU %u" : "tid %u", nr);
	perfetto_begin(w);
	put_track(w, thread_id(w, who), TRACK_THREADS, perfetto_string(w, name), who >> 32 ? nr :
		  CPU_NUMBERS + min_t(u32, nr, INT32_MAX - CPU_NUMBERS));
}

/**
 * perfetto_threads_open() - write the tracks of threads
 * @w: the export
 * @p: the slices
 */
void perfetto_threads_open(struct perfetto *w, const struct slices *p)
{
	size_t i;

	if (p->threads)
		put_track(w, perfetto_track(w, TRACK_THREADS), TRACK_TRACE, "threads",
			  RANK_THREADS);
	for (i = 0; i < p->threads; i++)
		put_thread(w, p->thread[i]);
}

#endif /* JTRACE_PROTOBUF_C */
