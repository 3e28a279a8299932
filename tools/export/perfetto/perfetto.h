/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the Perfetto export share; they are empty without protobuf-c. */
#ifndef _JTRACE_PERFETTO_H
#define _JTRACE_PERFETTO_H

#include "../../../lib/base/pen.h"
#include "../../../lib/read/log.h"
#include "../export.h"
#include "slices.h"
#include "perfetto.pb-c.h"

/* Values of a packet, at most: those of an entry, their symbols, its stack, and others. */
#define PERFETTO_NOTES	(2 * JTRACE_FIELDS + JTRACE_STACK_MAX + 14)

/* Text of a packet: each byte may become U+FFFD, with three. */
#define PERFETTO_TEXT	(3 * (JTRACE_LOG_LINE_MAX + \
			      (JTRACE_FIELDS + JTRACE_STACK_MAX) * SYMBOL_TEXT) + 8192)

/**
 * struct perfetto_list - values of a packet, or of a dictionary in it
 * @nr: how many
 * @at: the values
 */
struct perfetto_list {
	size_t nr;
	Perfetto__DebugAnnotation *at[PERFETTO_NOTES];
};

/**
 * struct perfetto - an export that is being written
 * @t: the trace
 * @target: the file
 * @clock: its clock
 * @clock_id: Perfetto's number of the clock
 * @from_ns: not later than any time in the file
 * @bytes: memory for a packet
 * @size: of @bytes
 * @no_memory: there was no memory for something
 * @text: text of the packet
 * @pen: the next byte of @text
 * @note: values of the packet
 * @notes: how many are used
 * @cpu: a bit for each CPU that has a track
 * @counters: a bit for each counter that has a track
 */
struct perfetto {
	const struct jtrace_trace *t;
	struct target target;
	struct export_clock clock;
	u32 clock_id;
	u64 from_ns;
	u8 *bytes;
	size_t size;
	bool no_memory;
	char text[PERFETTO_TEXT];
	struct pen pen;
	Perfetto__DebugAnnotation note[PERFETTO_NOTES];
	u32 notes;
	u8 cpu[CPU_NUMBERS / 8];
	u32 counters;
};

/* packet.c */
void perfetto_begin(struct perfetto *w);
void perfetto_put(struct perfetto *w, Perfetto__TracePacket *packet);
void perfetto_put_event(struct perfetto *w, Perfetto__TrackEvent *event, u64 ns, u64 track,
			const struct perfetto_list *notes);
char *perfetto_text(struct perfetto *w, const char *from, size_t len);
char *perfetto_string(struct perfetto *w, const char *from);
void perfetto_add_text(struct perfetto *w, struct perfetto_list *to, const char *name,
		       char *text);
void perfetto_add_number(struct perfetto *w, struct perfetto_list *to, const char *name,
			 u64 value);
void perfetto_add_signed(struct perfetto *w, struct perfetto_list *to, const char *name,
			 s64 value);
void perfetto_add_hex(struct perfetto *w, struct perfetto_list *to, const char *name, u64 value);
void perfetto_add_list(struct perfetto *w, struct perfetto_list *to, const char *name,
		       const struct perfetto_list *of);
void perfetto_add_array(struct perfetto *w, struct perfetto_list *to, const char *name,
			const struct perfetto_list *of);

/* track.c */

/**
 * enum perfetto_track - kinds of tracks
 * @TRACK_TRACE: the parent of all others
 * @TRACK_IMAGE: what the image tells
 * @TRACK_LOG: the kernel log
 * @TRACK_CPU: a CPU
 * @TRACK_THREADS: the parent of threads
 * @TRACK_THREAD: a thread
 * @TRACK_IDLE: the idle thread of a CPU
 * @TRACK_COUNTER: a counter
 */
enum perfetto_track {
	TRACK_TRACE = 1,
	TRACK_IMAGE,
	TRACK_LOG,
	TRACK_CPU,
	TRACK_THREADS,
	TRACK_THREAD,
	TRACK_IDLE,
	TRACK_COUNTER,
};

void perfetto_tracks_open(struct perfetto *w);
void perfetto_threads_open(struct perfetto *w, const struct slices *p);
u64 perfetto_track(const struct perfetto *w, enum perfetto_track kind);
u64 perfetto_track_cpu(struct perfetto *w, u32 cpu);
u64 perfetto_track_counter(struct perfetto *w, u32 number, char *name, s64 bytes);
u64 perfetto_track_thread(const struct perfetto *w, const struct jtrace_decoded *ev);

/* counter.c */
void perfetto_put_counters(struct perfetto *w, const struct jtrace_decoded *ev, u64 ns);

/* entry.c */
void perfetto_put_entry(struct perfetto *w, const struct jtrace_decoded *ev, u64 ns, u8 slice);

#endif /* _JTRACE_PERFETTO_H */
