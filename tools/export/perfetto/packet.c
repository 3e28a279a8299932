// SPDX-License-Identifier: GPL-2.0
/* Packets of a Perfetto export: their text, which is valid UTF-8, and their values. */

#ifdef JTRACE_PROTOBUF_C

#include <stdlib.h>

#include "perfetto.h"

/**
 * perfetto_begin() - begin a packet
 * @w: the export
 *
 * Text and values of the last packet are no longer valid.
 */
void perfetto_begin(struct perfetto *w)
{
	w->pen = (struct pen){ w->text, w->text + sizeof(w->text) - 1 };
	w->notes = 0;
}

/* A file is one message with many packets, and so are several such messages in a row. */
void perfetto_put(struct perfetto *w, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;
	size_t len;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = 1;
	trace.n_packet = 1;
	trace.packet = &packet;
	len = perfetto__trace__get_packed_size(&trace);
	if (len > w->size) {
		free(w->bytes);
		w->size = 2 * len;
		w->bytes = malloc(w->size);
	}
	if (!w->bytes) {
		w->size = 0;
		w->no_memory = true;
		return;
	}
	perfetto__trace__pack(&trace, w->bytes);
	fwrite(w->bytes, 1, len, w->target.out);
}

/**
 * perfetto_put_event() - write a track event
 * @w: the export
 * @event: its type, name and categories are set
 * @ns: its time
 * @track: its track
 * @notes: its values
 */
void perfetto_put_event(struct perfetto *w, Perfetto__TrackEvent *event, u64 ns, u64 track,
			const struct perfetto_list *notes)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	event->has_type = true;
	event->has_track_uuid = true;
	event->track_uuid = track;
	event->n_debug_annotations = notes->nr;
	event->debug_annotations = (Perfetto__DebugAnnotation **)notes->at;
	packet.has_timestamp = true;
	packet.timestamp = ns;
	packet.has_timestamp_clock_id = true;
	packet.timestamp_clock_id = w->clock_id;
	packet.track_event = event;
	perfetto_put(w, &packet);
}

/**
 * perfetto_text() - copy text for a packet
 * @w: the export
 * @from: any bytes
 * @len: how many
 *
 * Readers refuse text that is no UTF-8, and some end it at a NUL: each such byte becomes U+FFFD.
 *
 * Return: the copy, valid until the next perfetto_begin().
 */
char *perfetto_text(struct perfetto *w, const char *from, size_t len)
{
	char *text = w->pen.at;
	u32 code, bytes;
	size_t at;

	for (at = 0; at < len && w->pen.end - w->pen.at > 4; at += bytes ?: 1) {
		bytes = from[at] ? utf8_decode(from + at, len - at, &code) : 0;
		if (bytes)
			pen_bytes(&w->pen, from + at, bytes);
		else
			pen_text(&w->pen, "\357\277\275");
	}
	*w->pen.at = 0;
	if (w->pen.at < w->pen.end)
		w->pen.at++;
	return text;
}

/* The same, for a string. */
char *perfetto_string(struct perfetto *w, const char *from)
{
	return perfetto_text(w, from, strlen(from));
}

static Perfetto__DebugAnnotation *add(struct perfetto *w, struct perfetto_list *to,
				      const char *name)
{
	Perfetto__DebugAnnotation *n = &w->note[w->notes++];

	perfetto__debug_annotation__init(n);
	n->name = (char *)name;
	to->at[to->nr++] = n;
	return n;
}

/*
 * Add a value to a list.  Its name, and text that perfetto_text() returned, must stay valid until
 * the packet is written.
 */
void perfetto_add_text(struct perfetto *w, struct perfetto_list *to, const char *name,
		       char *text)
{
	add(w, to, name)->string_value = text;
}

/* A number without sign. */
void perfetto_add_number(struct perfetto *w, struct perfetto_list *to, const char *name,
			 u64 value)
{
	Perfetto__DebugAnnotation *n = add(w, to, name);

	n->has_uint_value = true;
	n->uint_value = value;
}

/* A number with sign. */
void perfetto_add_signed(struct perfetto *w, struct perfetto_list *to, const char *name,
			 s64 value)
{
	Perfetto__DebugAnnotation *n = add(w, to, name);

	n->has_int_value = true;
	n->int_value = value;
}

/* A number that readers show in hex. */
void perfetto_add_hex(struct perfetto *w, struct perfetto_list *to, const char *name, u64 value)
{
	Perfetto__DebugAnnotation *n = add(w, to, name);

	n->has_pointer_value = true;
	n->pointer_value = value;
}

/* A dictionary; @of must stay until the packet is written, too. */
void perfetto_add_list(struct perfetto *w, struct perfetto_list *to, const char *name,
		       const struct perfetto_list *of)
{
	Perfetto__DebugAnnotation *n = add(w, to, name);

	n->n_dict_entries = of->nr;
	n->dict_entries = (Perfetto__DebugAnnotation **)of->at;
}

/* The same in an array, whose values have no names. */
void perfetto_add_array(struct perfetto *w, struct perfetto_list *to, const char *name,
			const struct perfetto_list *of)
{
	Perfetto__DebugAnnotation *n = add(w, to, name);

	n->n_array_values = of->nr;
	n->array_values = (Perfetto__DebugAnnotation **)of->at;
}

#endif /* JTRACE_PROTOBUF_C */
