// SPDX-License-Identifier: GPL-2.0
/*
 * Convert the raw times of entries to those that are shown.
 *
 * Entries carry raw clock readings, which are comparable over all CPUs and give the sort
 * order.  Stamps, one in each chunk's header and one in the image's, relate some readings to
 * the clock that is shown.  Between two stamps time is interpolated; before the first and
 * after the last it runs at the nominal rate.  Stamps that would make time go back are left
 * out, so shown times are in order, too.
 *
 * This requires a counter that runs evenly and is the same on all CPUs, as it was when jtrace
 * chose it.  Firmware, a hypervisor or a CPU that comes online may change it later.  Then
 * the stamps contradict each other, and the text says by how much.
 */

#include "trace.h"

/* Times far from any stamp saturate, and so stay in order. */
static u64 add_saturated(u64 a, u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

/* ticks * rate / 2^32, by products of halves, without 128-bit arithmetic */
static u64 scale(u64 ticks, u64 rate)
{
	u64 th = ticks >> 32, tl = (u32)ticks, rh = rate >> 32, rl = (u32)rate;

	if (th * rh >> 32)
		return ~0ULL;
	return add_saturated(add_saturated(th * rh << 32, th * rl),
			     add_saturated(tl * rh, tl * rl >> 32));
}

/**
 * jtrace_share() - convert a part of an interval from ticks to ns
 * @ns: length of the interval
 * @since: its begin, in ticks, not more than @ticks
 * @ticks: length of the interval
 *
 * Works digit by digit of @since (Horner), without 128-bit arithmetic.  A slope of 32 bits
 * would be wrong by microseconds at the end of a gap of minutes.
 *
 * Return: ns * since / ticks, rounded down.
 */
u64 jtrace_share(u64 ns, u64 since, u64 ticks)
{
	u64 whole, part, digit, more, quotient = 0, rest = 0;
	u32 bits, at;

	while (ticks >> 62) {
		ticks >>= 1;
		since >>= 1;
	}
	if (!ticks)
		return 0;
	whole = div64_u64(ns, ticks);
	part = ns - whole * ticks;
	/* Take as many bits as the rest leaves free: half a day has 47. */
	bits = ticks >> 47 ? 1 : 16;
	at = ticks >> 47 ? 62 : 48;
	while (at) {
		at -= bits;
		digit = since >> at & ((1U << bits) - 1);
		rest = (rest << bits) + digit * part;
		more = div64_u64(rest, ticks);
		rest -= more * ticks;
		quotient = (quotient << bits) + digit * whole + more;
	}
	return quotient;
}

/**
 * jtrace_recover_ns() - convert a raw time to the time shown
 * @t: an image that was scanned
 * @time: of an entry
 *
 * Return: ns of the clock that the image shows; ascending for ascending raw times.
 */
u64 jtrace_recover_ns(const struct jtrace_trace *t, u64 time)
{
	const struct jtrace_key *stamp = t->stamps.key;
	u64 rate = le64_to_cpu(t->header.rate);
	u32 low = 0, high = t->stamps.nr;
	u64 since;

	if (!(t->l.form & JTRACE_FORM_TICKS) || !t->stamps.nr)
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
		return stamp[low - 1].tie +
		       jtrace_share(stamp[low].tie - stamp[low - 1].tie, since,
				    stamp[low].time - stamp[low - 1].time);
	return add_saturated(stamp[low - 1].tie, scale(since, rate));
}

/* ---- Does the counter run evenly? ------------------------------------- */

#define NEAR_NS		1000000000ULL	/* normal: this, and a sixteenth of the time */
#define NEAR_SHIFT	4
#define RTC_NS		1000000000ULL	/* added in a suspend: two reads of a clock of seconds */
#define BOOTED_NS	1000000000ULL	/* before this jiffies drive ktime, and lose ticks */

static void strayed(struct jtrace_trace *t, u64 ns, u64 normal)
{
	if (ns > normal)
		t->astray = max(t->astray, ns);
}

/* Compare the counter with the clocks between two stamps, in either order. */
static void compare(struct jtrace_trace *t, struct jtrace_moment a, struct jtrace_moment b)
{
	u64 ran, normal = NEAR_NS;
	s64 awake, all;

	if (a.ticks > b.ticks)
		swap(a, b);
	ran = scale(b.ticks - a.ticks, le64_to_cpu(t->header.rate));
	/* In a suspend a counter may go on or stop. */
	awake = min((s64)(b.mono - a.mono), (s64)(b.boot - a.boot));
	all = max((s64)(b.mono - a.mono), (s64)(b.boot - a.boot));
	if ((u64)all - (u64)awake > NEAR_NS)
		normal += RTC_NS;
	if (all < 0)
		strayed(t, add_saturated(ran, 0 - (u64)all), normal);
	else if (ran > all)
		strayed(t, ran - all, normal + (all >> NEAR_SHIFT));
	else if (awake > 0 && ran < awake)
		strayed(t, awake - ran, normal + (awake >> NEAR_SHIFT));
}

static void stamp_add(struct jtrace_trace *t, const struct jtrace_moment *m)
{
	u64 ns = t->l.form & JTRACE_FORM_MONO ? m->mono : m->boot;

	if (m->ticks)
		t->stamps.key[t->stamps.nr++] = (struct jtrace_key){ m->ticks, ns };
}

/* Sort the stamps by time and remove those that would make time go back. */
static void stamps_sort(struct jtrace_keys *k, bool can_sleep)
{
	u32 i, kept = 0;

	jtrace_keys_sort(k, can_sleep);
	for (i = 0; i < k->nr; i++)
		if (!kept || k->key[i].tie >= k->key[kept - 1].tie)
			k->key[kept++] = k->key[i];
	k->nr = kept;
}

/**
 * jtrace_stamps_scan() - collect the stamps of an image and compare them
 * @t: an image whose claims were scanned; @t->stamps and @t->astray are set
 *
 * Compares claims in their order, which is time order, and the last one with the header.
 * Leaves out stamps of early boot, when the kernel has no good clock yet.
 */
void jtrace_stamps_scan(struct jtrace_trace *t)
{
	const struct jtrace_stamp *h = &t->header.stamp;
	struct jtrace_moment last = { 0 }, end = {
		le64_to_cpu(h->ticks), le64_to_cpu(h->mono), le64_to_cpu(h->boot),
	};
	/* Without headers the rate is a guess. */
	bool judge = t->l.form & JTRACE_FORM_TICKS && !t->damage.nr[JTRACE_FAULT_HEADERS];
	struct jtrace_chunk c;
	u64 claim = 0;
	u32 i, index;

	t->astray = 0;
	for (i = 1; i <= t->l.nr_chunks; i++) {
		div_u64_rem(t->last_claim + i, t->l.nr_chunks, &index);
		if (!jtrace_chunk_read(&t->l, t->img, t->image_id, index, &c))
			continue;
		stamp_add(t, &c.stamp);
		if (!judge || c.claim < claim || !c.stamp.ticks || c.stamp.mono < BOOTED_NS)
			continue;
		if (last.ticks)
			compare(t, last, c.stamp);
		claim = c.claim;
		last = c.stamp;
	}
	if (last.ticks && end.boot > last.boot)
		compare(t, last, end);
	stamp_add(t, &end);
	stamps_sort(&t->stamps, t->can_sleep);
}

/**
 * jtrace_clock_went_back() - note that a later event of a CPU has an earlier time
 * @t: an image that is being scanned
 * @ticks: by this much
 */
void jtrace_clock_went_back(struct jtrace_trace *t, u64 ticks)
{
	if (t->l.form & JTRACE_FORM_TICKS)
		strayed(t, scale(ticks, le64_to_cpu(t->header.rate)), NEAR_NS);
}
