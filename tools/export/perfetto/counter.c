// SPDX-License-Identifier: GPL-2.0
/* Counters in a Perfetto export: the values of the event usage, each on a track of its own. */

#ifdef JTRACE_PROTOBUF_C

#include "perfetto.h"

/*
 * The tag and its fields, in their order.  Another tag of that name, of another version of jtrace,
 * is an event as all others.
 */
static const char usage_tag[] =
	"usage (free_kb:u64, available_kb:u64, dirty_kb:u32, runnable:s32, interrupts:u32)";

static const struct {
	char *name;
	s64 bytes;		/* of one; 0: it is a number */
} counter[] = {
	{ "free memory", 1024 },
	{ "available memory", 1024 },
	{ "memory to be written", 1024 },
	{ "runnable tasks", 0 },
	{ "interrupts in a second", 0 },
};

static void put_counter(struct perfetto *w, u32 number, s64 value, u64 ns)
{
	u64 track = perfetto_track_counter(w, number, counter[number].name, counter[number].bytes);
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto_list none = { 0 };

	perfetto_begin(w);
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
	event.has_counter_value = true;
	event.counter_value = value;
	perfetto_put_event(w, &event, ns, track, &none);
}

/**
 * perfetto_put_counters() - write the values of an entry, if it has counters
 * @w: the export
 * @ev: the entry
 * @ns: its time
 */
void perfetto_put_counters(struct perfetto *w, const struct jtrace_decoded *ev, u64 ns)
{
	static struct field_value value[JTRACE_FIELDS];
	const struct jtrace_site_text *site;
	u32 len, nr, i;

	site = decode_site(w->t, ev->site, &len);
	if (!site || site->kind != JTRACE_SITE_EVENT || strcmp(site->tag, usage_tag))
		return;
	nr = decode_values(w->t, ev, value);
	for (i = 0; i < nr && i < ARRAY_SIZE(counter); i++)
		/* A number of tasks below 0 is not known. */
		if ((s64)value[i].value >= 0)
			put_counter(w, i, value[i].value, ns);
}

#endif /* JTRACE_PROTOBUF_C */
