// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: recover
 *
 * Reads an image and nothing else.  The same code serves an image that is being
 * written (in a panic, where other CPUs may still run), a snapshot, and bytes
 * of unknown origin: bounds come from a header that was checked against the
 * length, each field is read once and judged before it is used, no stored
 * address is followed, and the work is linear in the size of the image (times
 * the logarithm of the number of entries, for sorting).
 *
 * It allocates nothing.  After jtrace_recover_open() the caller provides
 * jtrace_recover_room() bytes; with room for fewer entries than there are the
 * newest are kept.
 *
 * Time: entries carry raw clock readings, which are comparable over all CPUs,
 * and are sorted by them.  Stamps, one from each chunk's header and one from
 * the image's, tell what the clock shown to people was at some readings.
 * Between two stamps time is interpolated, before the first and after the last
 * it runs at the nominal rate.  Stamps that would let time go back are left
 * out, so that the shown times are in order, too.
 */

#include "recover.h"

/**
 * jtrace_recover_open() - find out what an image is
 * @t: result; @t->l and @t->header are set unless it is unknown
 * @img: the image
 * @len: bytes that may be read from there
 *
 * Either header suffices.
 */
enum jtrace_verdict jtrace_recover_open(struct jtrace_trace *t, const void *img, u64 len)
{
	const u64 size = sizeof(t->header);

	memset(t, 0, sizeof(*t));
	t->img = img;
	if (jtrace_header_read(img, len, &t->header, &t->l) != JTRACE_HEADER_OK) {
		/* The copy tells the layout from where the image begins. */
		if (len < size ||
		    jtrace_header_read((const u8 *)img + len - size, len, &t->header, &t->l) !=
		    JTRACE_HEADER_OK || t->l.size != len)
			return JTRACE_UNKNOWN;
	}
	t->image_id = le64_to_cpu(t->header.image_id);
	return t->header.state == JTRACE_STATE_CLEAN ? JTRACE_CLEAN : JTRACE_WHOLE;
}

static u32 last_cpus(const struct jtrace_trace *t)
{
	/* A CPU number has 16 bits. */
	return min_t(u32, 1 << 16, min(le32_to_cpu(t->header.last_cpus),
				       le32_to_cpu(t->header.nr_cpus)));
}

/**
 * jtrace_recover_room() - memory needed to read an image
 * @t: an image that was opened
 * @most: entries to be kept, at the most
 *
 * Return: bytes.
 */
u64 jtrace_recover_room(const struct jtrace_trace *t, u32 most)
{
	u64 keys = min_t(u64, most, jtrace_layout_entries(&t->l));

	return (keys + t->l.nr_chunks + 1 + last_cpus(t)) * sizeof(struct jtrace_key);
}

static struct jtrace_key *keys_init(struct jtrace_keys *k, struct jtrace_key *key, u32 most)
{
	k->key = key;
	k->nr = 0;
	k->most = most;
	return key + most;
}

static u64 shown_ns(const struct jtrace_trace *t, u64 mono, u64 boot)
{
	return le32_to_cpu(t->header.flags) & JTRACE_F_MONO ? mono : boot;
}

static void stamps_scan(struct jtrace_trace *t)
{
	const struct jtrace_stamp *s = &t->header.stamp;
	struct jtrace_keys *k = &t->stamps;
	struct jtrace_chunk c;
	u32 i, kept = 0;

	t->first_claim = ~0ULL;
	if (s->ticks)
		jtrace_keys_add(k, le64_to_cpu(s->ticks),
				shown_ns(t, le64_to_cpu(s->mono), le64_to_cpu(s->boot)));
	for (i = 0; i < t->l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&t->l, t->img, t->image_id, i, &c))
			continue;
		if (c.stamp.ticks)
			jtrace_keys_add(k, c.stamp.ticks,
					shown_ns(t, c.stamp.mono, c.stamp.boot));
		t->first_claim = min(t->first_claim, c.claim);
	}
	jtrace_keys_sort(k);
	for (i = 0; i < k->nr; i++)
		if (!kept || k->key[i].tie >= k->key[kept - 1].tie)
			k->key[kept++] = k->key[i];
	k->nr = kept;
}

/* First slot of a chunk that was not cleared. */
static u32 first_shown(const struct jtrace_trace *t, const struct jtrace_chunk *c)
{
	if (c->claim >= le64_to_cpu(t->header.floor))
		return 0;
	return c->cleared ? min_t(u32, c->cleared - 1, t->l.entries) : t->l.entries;
}

static u64 entry_tie(const struct jtrace_trace *t, const struct jtrace_chunk *c, u32 slot)
{
	u64 age = min_t(u64, c->claim - t->first_claim, U32_MAX);

	return age << 32 | jtrace_entry_place(&t->l, c->index, slot);
}

static void last_note(struct jtrace_trace *t, u32 cpu, u64 time, u64 tie)
{
	struct jtrace_key *last;

	if (cpu >= t->last.nr)
		return;
	last = &t->last.key[cpu];
	/* On one CPU the order of claims and slots is the order of events. */
	if (tie > last->tie)
		*last = (struct jtrace_key){ .time = time, .tie = tie };
}

/* Leave out the CPUs that have no event. */
static void last_pack(struct jtrace_trace *t)
{
	struct jtrace_keys *k = &t->last;
	u32 i, kept = 0;

	for (i = 0; i < k->nr; i++)
		if (k->key[i].tie)
			k->key[kept++] = k->key[i];
	k->nr = kept;
}

/**
 * jtrace_recover_scan() - find the entries and put them in order
 * @t: an image that was opened
 * @room: jtrace_recover_room() bytes
 * @most: as given there
 */
void jtrace_recover_scan(struct jtrace_trace *t, void *room, u32 most)
{
	struct jtrace_key *key = room;
	struct jtrace_chunk c;
	struct jtrace_event ev;
	u32 i, slot;

	key = keys_init(&t->entries, key, min_t(u64, most, jtrace_layout_entries(&t->l)));
	key = keys_init(&t->stamps, key, t->l.nr_chunks + 1);
	keys_init(&t->last, key, last_cpus(t));
	t->last.nr = t->last.most;
	memset(t->last.key, 0, t->last.nr * sizeof(*key));
	t->found = 0;

	stamps_scan(t);
	for (i = 0; i < t->l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&t->l, t->img, t->image_id, i, &c))
			continue;
		for (slot = first_shown(t, &c); slot < t->l.entries; slot++) {
			u64 tie;

			if (!jtrace_entry_read(&t->l, t->img, &c, slot, &ev))
				continue;
			tie = entry_tie(t, &c, slot);
			jtrace_keys_add(&t->entries, ev.time, tie);
			last_note(t, ev.cpu, ev.time, tie);
			t->found++;
		}
	}
	jtrace_keys_sort(&t->entries);
	last_pack(t);
}

/**
 * jtrace_recover_get() - read an entry that was found
 * @t: an image that was scanned
 * @key: of the entry, from @t->entries or @t->last
 * @ev: result
 *
 * Return: false if it is gone; only in an image that is written to.
 */
bool jtrace_recover_get(const struct jtrace_trace *t, const struct jtrace_key *key,
			struct jtrace_event *ev)
{
	u64 at = (u64)(u32)key->tie * JTRACE_GRANULE - t->l.chunks_off;
	u32 index = at >> t->l.chunk_shift;
	u32 slot = ((at & ((1U << t->l.chunk_shift) - 1)) - t->l.first_off) / t->l.entry_size;
	struct jtrace_chunk c;

	return jtrace_chunk_read(&t->l, t->img, t->image_id, index, &c) &&
	       jtrace_entry_read(&t->l, t->img, &c, slot, ev) && ev->time == key->time;
}

/* Times far from any stamp end at the last that can be told: in order, at least. */
static u64 add_saturated(u64 a, u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

/* ticks * rate / 2^32: products of halves, no 128-bit arithmetic. */
static u64 scale(u64 ticks, u64 rate)
{
	u64 th = ticks >> 32, tl = (u32)ticks, rh = rate >> 32, rl = (u32)rate;

	if (th * rh >> 32)
		return ~0ULL;
	return add_saturated(add_saturated(th * rh << 32, th * rl),
			     add_saturated(tl * rh, tl * rl >> 32));
}

/*
 * ns * since / ticks, rounded down, for since <= ticks: the binary digits of
 * @since one after the other (Horner), no 128-bit arithmetic.  A slope would
 * have 32 digits, and be wrong by microseconds at the end of a gap of minutes.
 */
static u64 share(u64 ns, u64 since, u64 ticks)
{
	u64 whole, part, quotient = 0, rest = 0;
	int bit;

	while (ticks >> 62) {
		ticks >>= 1;
		since >>= 1;
	}
	if (!ticks)
		return 0;
	whole = div64_u64(ns, ticks);
	part = ns - whole * ticks;
	for (bit = 63; bit >= 0; bit--) {
		quotient <<= 1;
		rest <<= 1;
		if (since >> bit & 1) {
			quotient += whole;
			rest += part;
		}
		for (; rest >= ticks; rest -= ticks)
			quotient++;
	}
	return quotient;
}

/**
 * jtrace_recover_ns() - the time to show for a raw time
 * @t: an image that was scanned
 * @time: of an entry
 *
 * Return: ns of the clock that the image is set to show; for times in ascending
 * order it is ascending.
 */
u64 jtrace_recover_ns(const struct jtrace_trace *t, u64 time)
{
	const struct jtrace_key *stamp = t->stamps.key;
	u64 rate = le64_to_cpu(t->header.rate);
	u32 low = 0, high = t->stamps.nr;
	u64 since;

	if (t->header.clock != JTRACE_CLOCK_TICKS || !t->stamps.nr)
		return time;

	/* The first stamp after @time. */
	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (stamp[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low) {
		since = scale(stamp[0].time - time, rate);
		return stamp[0].tie > since ? stamp[0].tie - since : 0;
	}
	since = time - stamp[low - 1].time;
	if (low < t->stamps.nr)
		return stamp[low - 1].tie + share(stamp[low].tie - stamp[low - 1].tie, since,
						  stamp[low].time - stamp[low - 1].time);
	return add_saturated(stamp[low - 1].tie, scale(since, rate));
}
