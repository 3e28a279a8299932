// SPDX-License-Identifier: GPL-2.0
/*
 * A persistent image with any damage that forges no check value: nothing may be shown that was
 * not recorded in that place.
 *
 * The input is the number of an image, then four bytes for each damage.  Damage writes noise that
 * these bytes select, and parts of other images.  It never writes the bytes themselves, because
 * libFuzzer would find the check value from the comparison.  By chance one in 2^32 damaged
 * entries passes; look at an alarm before you explain it by that.
 */

#include "fuzz.h"
#include "../kunit/random.h"

#define OPS_MOST	24

static u8 *img;
static u32 len;

/* The @n-th image with check values. */
static const struct made *checked(u32 n)
{
	while (!made_image(n)->checked)
		n++;
	return made_image(n);
}

/* @op: kind; @at: place, in 1/65536 of the image; @how: details. */
static void damage(u32 op, u32 at, u8 how)
{
	u64 state = (u64)op << 24 | at << 8 | how;
	u32 from = random_next(&state) % len, size = 8U << how % 10, n;
	const struct made *m;

	at = (u64)at * len >> 16;
	switch (op % 8) {
	case 0:			/* one bit */
		img[at] ^= 1 << how % 8;
		return;
	case 1:			/* some bits near each other */
		for (n = 0; n < how % 8; n++)
			img[(at + random_next(&state) % 64) % len] ^= 1 << random_next(&state) % 8;
		return;
	case 2:			/* a line that never reached memory */
		at = ALIGN_DOWN(at, 64U);
		memset(img + at, how & 1 ? 0xff : 0, min(64, len - at));
		return;
	case 3:			/* a block, to its end */
		at = ALIGN_DOWN(at, size);
		for (n = at; n < min(at + size, len); n++)
			img[n] = random_next(&state);
		return;
	case 4:			/* parts move, on granules or not */
		if (how & 0x80)
			at = ALIGN_DOWN(at, 8U), from = ALIGN_DOWN(from, 8U);
		memmove(img + at, img + from, min(size, len - max(at, from)));
		return;
	case 5:			/* parts of an older copy, or of other images */
	case 6:
		m = checked(op % 8 == 5 ? random_next(&state) : from);
		at = ALIGN_DOWN(at, size);
		if (at < m->len)
			memcpy(img + at, m->img + at, min(size, min(len, m->len) - at));
		return;
	default:		/* a missing end */
		memset(img + len - (len - at) / 8, 0, (len - at) / 8);
	}
}

/* Check that everything in @t was recorded in the image with its id. */
static void true_of(const struct jtrace_trace *t, const struct made *m)
{
	struct jtrace_site_text text;
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	struct jtrace_decoded last;
	bool *seen = calloc(m->events + 1, sizeof(*seen));
	u64 before = 0;
	u32 i = 0;

	must(seen, "no memory");
	jtrace_walk_each(&walk, t, ev) {
		must(made_event(m, ev), "entry %u, event %u was not recorded so", i, ev->arg[0]);
		must(!seen[ev->arg[0]], "event %u, twice", ev->arg[0]);
		must(ev->time >= before, "entry %u", i);
		must(!jtrace_site_read(&t->l, t->img, t->image_id, ev->site, &text) ||
		     made_site(m, ev->site, &text), "entry %u: site %u", i, ev->site);
		seen[ev->arg[0]] = true;
		before = ev->time;
		i++;
	}
	must(i == t->found, "%u entries of %llu", i, (unsigned long long)t->found);
	for (i = 0; i < t->last.nr; i++)
		must(jtrace_recover_get(t, &t->last.key[i], &last) && seen[last.arg[0]],
		     "last %u", i);
	free(seen);
}

/* Check that each line of the log was stored, as a whole, and comes once and in order. */
static void true_log(const struct jtrace_trace *t, const struct made *m)
{
	static struct jtrace_log_reader reader;
	struct jtrace_log_line line;
	u64 before = 0;

	jtrace_log_open(&reader, t);
	while (jtrace_log_next(&reader, &line)) {
		must(made_log(m, &line), "line %llu was not stored so",
		     (unsigned long long)line.seq);
		must(line.seq > before, "line %llu after %llu", (unsigned long long)line.seq,
		     (unsigned long long)before);
		must(line.missing == (before ? line.seq - before - 1 : 0), "%llu missing",
		     (unsigned long long)line.missing);
		before = line.seq;
	}
}

static void judge(void)
{
	struct jtrace_trace t;
	void *room = NULL;
	u32 i;

	jtrace_recover_open(&t, img, len);
	if (t.verdict == JTRACE_EMPTY || t.verdict == JTRACE_UNREADABLE)
		return;
	jtrace_log_count(&t);
	must(!posix_memalign(&room, 64, jtrace_recover_room(&t)), "no memory");
	jtrace_recover_scan(&t, room);
	for (i = 0; i < NR_IMAGES; i++)
		if (made_image(i)->id == t.image_id && jtrace_layout_checked(&t.l))
			break;
	if (i < NR_IMAGES / 2) {
		/* Two images have this id: the one with more events has those of both. */
		const struct made *m = made_image(i), *twin = made_image(i + NR_IMAGES / 2);

		true_of(&t, twin->events > m->events ? twin : m);
		true_log(&t, twin->lines > m->lines ? twin : m);
	} else {
		must(!t.found, "%llu entries of no image", (unsigned long long)t.found);
	}
	free(room);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const struct made *m;
	void *mem;
	u32 n;

	if (!size)
		return 0;
	m = checked(data[0]);
	len = m->len;
	must(!posix_memalign(&mem, 64, len), "no memory");
	img = mem;
	memcpy(img, m->img, len);
	for (n = 1; n + 4 <= size && n < 4 * OPS_MOST; n += 4)
		damage(data[n], data[n + 1] | data[n + 2] << 8, data[n + 3]);
	judge();
	free(img);
	return 0;
}
