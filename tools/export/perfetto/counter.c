// SPDX-License-Identifier: GPL-2.0
/* Counters in a Perfetto export: each on a track of its own. */

#ifdef JTRACE_PROTOBUF_C

#include "../export.h"
#include "perfetto.h"

static void put_counter(struct perfetto *w, u32 number, const struct export_counter *counter,
			s64 value, u64 ns)
{
	u64 track = perfetto_track_counter(w, number, counter->name, counter->bytes);
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
	const struct export_counter *counter;
	u32 most, nr, i;

	counter = export_counters(w->t, ev->site, &most);
	if (!most)
		return;
	nr = decode_values(w->t, ev, value);
	for (i = 0; i < nr && i < most; i++)
		if ((s64)value[i].value >= 0)
			put_counter(w, i, &counter[i], value[i].value, ns);
}

#endif /* JTRACE_PROTOBUF_C */
