// SPDX-License-Identifier: GPL-2.0
/*
 * account - the account of jtrace -f over snapshots of a ring that is recorded into meanwhile
 *
 * Usage: account SEED ROUNDS
 *
 * lib/ is compiled with a hook before each shared access.  There another CPU records, the ring is
 * cleared, or a look is taken, so looks fall into records, claims and clearings, and records into
 * snapshots.  Each event has a number.  After each look: each entry was new, and no more were told
 * as lost than are gone.  At the end, with nothing recorded any more: seen + lost = recorded, if
 * there was a moment without records at the start.
 *
 * A second account looks at the image itself, as at the RAM of another machine: it has each entry
 * once, too, and tells at least as many as lost as it has not seen.
 */

#include <errno.h>
#include <stdlib.h>

#include "../../tools/live/account.h"
#include "../user/hook.h"

#include "../../lib/image/chunk.c"
#include "../../lib/image/image.c"
#include "../../lib/image/ring.c"
#include "../../lib/image/snapshot.c"
#include "../../lib/image/task.c"
#include "../../tools/live/account.c"

#include "../kunit/random.h"

#define CPUS		4
#define EVENTS		4000
#define IMAGE_ID	7
#define DEPTH		3

enum fate { FREE, UNDER_WAY, RECORDED, SEEN };

static struct {
	struct jtrace_ring ring;
	struct jtrace_ring_cpu rc[CPUS];
	struct jtrace_chunk_ctl *ctl;
	void *img;
	void *copy;
	u64 told;
	u64 looks;
	u64 gaps;
	u64 between;		/* records that may come between the counters and the copy */
	u64 recorded;
	u64 unfinished;		/* records that an oops interrupted */
	struct jtrace_layout l;
	struct account a;
	struct account plain;
	u64 plain_told;
	bool laps;		/* a chunk may have been claimed again */
	bool inside;		/* the plain one has looked inside of this record */
	bool plain_seen[EVENTS];
	bool plain_before[EVENTS];
	struct jtrace_image_header h;
	u64 cursor[EVENTS];	/* where it is */
	u32 events;
	u32 depth;
	u32 chance;		/* one hook in so many does something */
	enum fate fate[EVENTS];
	bool before[EVENTS];	/* recorded before losses were counted */
	bool busy[CPUS];	/* a record of this CPU, or the copy, is interrupted */
	bool looking;
	bool passing;		/* a look passes over the ring */
	bool bursts;		/* many records come meanwhile */
	bool clearing;
	bool still;		/* nothing is recorded meanwhile */
} m;

static u64 state;

bool fail(const char *fmt, ...)
{
	printf("account: %s\n", fmt);
	exit(1);
}

#define expect(test, fmt, ...) do {					\
	if (!(test)) {							\
		printf("account: " fmt "\n", ##__VA_ARGS__);		\
		exit(1);						\
	}								\
} while (0)

static void record(u32 cpu)
{
	struct jtrace_ring_cpu *rc = &m.rc[cpu];
	const struct jtrace_moment now = { m.events + 1, m.events + 1, m.events + 1 };
	u32 n = m.events;
	u64 cursor;

	if (m.busy[cpu] || n == EVENTS || (m.looking && !m.passing && !m.between))
		return;
	m.between -= m.looking && !m.passing;
	m.events++;
	m.busy[cpu] = true;
	for (;;) {
		cursor = READ_ONCE(rc->cursor);
		if (!jtrace_ring_full(&m.ring, cursor) &&
		    jtrace_ring_reserve(&m.ring, rc, cursor))
			break;
		if (jtrace_ring_full(&m.ring, cursor) &&
		    !jtrace_ring_claim(&m.ring, rc, cursor, &now, true))
			goto out;
	}
	m.fate[n] = UNDER_WAY;
	m.cursor[n] = cursor;
	if (m.l.kind == JTRACE_KIND_SMALL)
		jtrace_ring_fill_small(&m.ring, cursor, n + 1, 1, cpu, n);
	else
		jtrace_ring_fill_large(&m.ring, cursor, n + 1, 1, 1, cpu, n, 0, 0, 0);
	if (m.fate[n] == UNDER_WAY)
		m.fate[n] = RECORDED;
	m.recorded++;
out:
	m.busy[cpu] = false;
}

/* As jtrace_stats_read(). */
static void count(struct jtrace_image_header *h)
{
	u64 overwritten = 0, cleared;
	u32 i;

	m.passing = true;
	cleared = jtrace_ring_hidden(&m.ring);
	m.passing = false;
	for (i = 0; i < CPUS; i++) {
		overwritten += atomic64_read(&m.rc[i].overwritten);
		cleared += atomic64_read(&m.rc[i].cleared);
	}
	memset(&h->counts, 0, sizeof(h->counts));
	h->counts.overwritten = cpu_to_le64(overwritten);
	h->counts.cleared = cpu_to_le64(cleared);
	h->counts.unfinished = cpu_to_le64(m.unfinished);
}

/* Check the entries that are left in the snapshot.  Return their number. */
static u64 take_entries(void)
{
	struct jtrace_decoded ev;
	struct jtrace_chunk c;
	u64 nr = 0;
	u32 i, slot;

	for (i = 0; i < m.l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&m.l, m.copy, IMAGE_ID, i, &c))
			continue;
		for (slot = 0; slot < m.l.entries; slot++) {
			if (!jtrace_entry_read(&m.l, m.copy, IMAGE_ID, &c, slot, &ev))
				continue;
			expect(ev.arg[0] < m.events && ev.time == ev.arg[0] + 1,
			       "false entry %u", ev.arg[0]);
			expect(m.fate[ev.arg[0]] != SEEN, "entry %u came twice", ev.arg[0]);
			expect(m.fate[ev.arg[0]] != FREE, "entry %u was not recorded", ev.arg[0]);
			m.fate[ev.arg[0]] = SEEN;
			nr++;
		}
	}
	return nr;
}

/* Is it out of reach for all looks to come? */
static bool is_gone(u32 n)
{
	u64 claim = JTRACE_FIRST_CLAIM +
		    (u32)((m.cursor[n] >> 32) - (u32)JTRACE_FIRST_CLAIM);
	u32 index = ((u64)(u32)m.cursor[n] * JTRACE_GRANULE - m.l.chunks_off) >> m.l.chunk_shift;

	return (m.fate[n] == RECORDED || m.fate[n] == UNDER_WAY) && !m.before[n] &&
	       (claim < m.ring.floor ||
		le64_to_cpu(jtrace_chunk_at(&m.l, m.img, index)->claim) != claim);
}

/* How many entries are lost? */
static u64 count_gone(void)
{
	u64 nr = 0;
	u32 n;

	for (n = 0; n < m.events; n++)
		nr += is_gone(n);
	return nr;
}

/* Once all entries that are left were seen. */
static u64 count_lost(void)
{
	u64 nr = 0;
	u32 n;

	for (n = 0; n < m.events; n++)
		nr += m.fate[n] == RECORDED && !m.before[n];
	return nr;
}

/* Has the chunk of an entry another claim? */
static bool is_overwritten(u32 n)
{
	u64 claim = JTRACE_FIRST_CLAIM + (u32)((m.cursor[n] >> 32) - (u32)JTRACE_FIRST_CLAIM);
	u32 index = ((u64)(u32)m.cursor[n] * JTRACE_GRANULE - m.l.chunks_off) >> m.l.chunk_shift;
	struct jtrace_chunk c;

	return jtrace_chunk_read(&m.l, m.img, IMAGE_ID, index, &c) && c.claim != claim;
}

/* Look at the image as it is at this moment. */
static void look_at_plain(void)
{
	struct jtrace_decoded ev;
	struct jtrace_chunk c;
	u64 gap, gone = 0;
	u32 i, slot, n;

	for (n = 0; n < m.events && !m.plain.since; n++)
		m.plain_before[n] = true;
	memcpy(m.copy, m.img, m.l.size);
	account_look(&m.plain, &m.l, m.copy, &m.h, &gap);
	m.plain_told += gap;
	for (i = 0; i < m.l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&m.l, m.copy, IMAGE_ID, i, &c))
			continue;
		for (slot = 0; slot < m.l.entries; slot++) {
			if (!jtrace_entry_read(&m.l, m.copy, IMAGE_ID, &c, slot, &ev))
				continue;
			expect(!m.plain_seen[ev.arg[0]], "entry %u came twice, plain", ev.arg[0]);
			m.plain_seen[ev.arg[0]] = true;
		}
	}
	for (n = 0; n < m.events; n++)
		gone += m.fate[n] >= RECORDED && !m.plain_seen[n] && !m.plain_before[n] &&
			is_overwritten(n);
	expect(m.plain_told >= gone, "%llu told as lost at the most, %llu are", m.plain_told, gone);
	expect(!m.plain_told || m.laps, "told as lost, and nothing was overwritten");
}

/* As snapshot_take() of the module, then the look. */
static void look(void)
{
	struct jtrace_image_header h;
	struct jtrace_layout l;
	u64 cursors[CPUS], found, nr, gap;
	struct jtrace_cut cut = { .cursors = cursors, .cpus = CPUS };
	bool gated = random_below(&state, 2);
	u32 i, depth = m.depth;

	if (m.looking || m.clearing)
		return;
	/* A claim takes less time than the looks that count as quiet. */
	if (!m.still && m.depth > 1 && m.a.quiet == ACCOUNT_QUIET - 1)
		return;
	m.looking = true;
	m.laps = m.laps || atomic64_read(&m.ring.claims) >= JTRACE_FIRST_CLAIM + m.l.nr_chunks - 1;
	/* A record takes less time than two looks. */
	if (m.depth < 2 || m.still || !m.inside) {
		m.inside = m.depth > 1;
		m.depth = DEPTH;
		look_at_plain();
		m.depth = depth;
	}
	m.between = (2 * CPUS + m.l.nr_chunks / PART_UNSURE) * m.l.entries;
	for (i = 0; i < m.events && m.a.starts; i++)
		m.before[i] = m.fate[i] == RECORDED;
	h = m.h;
	if (gated)
		jtrace_ring_gate_close(&m.ring);
	count(&h);
	for (i = 0; i < CPUS; i++)
		cursors[i] = READ_ONCE(m.rc[i].cursor);
	cut.claims = atomic64_read(&m.ring.claims);
	memset(m.copy, 0, m.l.size);
	m.passing = true;
	jtrace_snapshot(&m.l, m.img, &h, &cut, m.copy);
	m.passing = false;
	if (gated)
		jtrace_ring_gate_open(&m.ring);
	m.depth = DEPTH;
	expect(jtrace_header_read(m.copy, m.l.size, m.l.size, &h, &l) == JTRACE_HEADER_OK,
	       "the snapshot is no image");
	found = account_look(&m.a, &m.l, m.copy, &h, &gap);
	nr = take_entries();
	expect(nr == found, "%llu new entries, %llu in the snapshot", found, nr);
	m.told += gap;
	m.gaps += !!gap;
	expect(!gap || m.told <= count_gone(), "%llu told as lost, %llu are", m.told, count_gone());
	m.looks++;
	m.depth = depth;
	m.looking = false;
}

static void clear(void)
{
	u64 floor;
	u32 i;

	if (m.looking || m.clearing)
		return;
	m.clearing = true;
	floor = jtrace_ring_floor_next(&m.ring);
	for (i = 0; i < CPUS; i++)
		jtrace_ring_close(&m.ring, &m.rc[i]);
	jtrace_ring_floor_set(&m.ring, floor);
	m.h.floor = cpu_to_le64(floor);
	m.clearing = false;
}

static void hook(void)
{
	u32 cpu, n;

	if (m.depth >= DEPTH || random_below(&state, m.chance))
		return;
	m.inside = m.inside && m.depth;
	m.depth++;
	cpu = random_below(&state, CPUS);
	switch (random_below(&state, 8)) {
	case 0:
		look();
		break;
	case 1:
		m.unfinished += !random_below(&state, 20);
		for (n = random_below(&state, m.looking && !m.bursts ? 40 : 400); n; n--)
			record(cpu);
		break;
	default:
		record(cpu);
	}
	m.depth--;
}

static void *zalloc(size_t size)
{
	void *p = aligned_alloc(4096, ALIGN(size, 4096));

	expect(p, "no memory");
	return memset(p, 0, ALIGN(size, 4096));
}

static void make_ring(void)
{
	u32 kind = random_below(&state, 2) ? JTRACE_KIND_SMALL : JTRACE_KIND_LARGE;
	u32 shift = 7 + random_below(&state, 4), cpu;

	memset(&m, 0, sizeof(m));
	m.depth = DEPTH;
	m.bursts = random_below(&state, 2);
	m.chance = 4 << random_below(&state, 6);
	expect(jtrace_layout_chunk(&m.l, shift, kind), "no layout");
	m.l.form |= random_below(&state, 2) ? JTRACE_FORM_CHECKED : 0;
	m.l.sites_off = sizeof(struct jtrace_image_header);
	m.l.chunks_off = ALIGN(m.l.sites_off, 1U << shift);
	m.l.sites_end = m.l.chunks_off;
	m.l.nr_chunks = 2 * CPUS + 1 + random_below(&state, random_below(&state, 2) ? 8 : 300);
	m.l.size = ALIGN(m.l.chunks_off + ((u64)m.l.nr_chunks << shift) + m.l.sites_off,
			 JTRACE_SIZE_ALIGN);
	m.img = zalloc(m.l.size);
	m.copy = zalloc(m.l.size);
	m.ctl = zalloc(m.l.nr_chunks * sizeof(*m.ctl));
	jtrace_ring_init(&m.ring, &m.l, m.img, IMAGE_ID, m.ctl, JTRACE_RING_KEEP_PREVIOUS);
	jtrace_header_init(&m.h, &m.l, IMAGE_ID);
	m.h.nr_cpus = cpu_to_le32(CPUS);
	for (cpu = 0; cpu < CPUS; cpu++)
		m.rc[cpu].cpu = cpu;
	account_open(&m.a, &m.l, true);
	account_open(&m.plain, &m.l, false);
}

static void round_of(u32 *exact)
{
	u32 i, most = random_below(&state, EVENTS), steps = random_below(&state, 2000);
	bool clears, idle;

	make_ring();
	clears = random_below(&state, 3) == 0;
	/* Nothing runs while the account starts, or it starts at any place of a record. */
	idle = random_below(&state, 2);
	for (i = random_below(&state, 300); i; i--)
		record(random_below(&state, CPUS));
	m.still = true;
	m.depth = DEPTH;
	while (idle && m.a.starts)
		look();
	m.still = false;
	m.depth = 0;
	while (steps-- && m.events < most) {
		hook();
		if (clears && !random_below(&state, 200))
			clear();
	}
	m.still = true;
	m.depth = DEPTH;
	do {
		look();
	} while (!account_is_settled(&m.a) || m.a.starts);
	expect(m.a.lost == m.told, "another sum");
	if (!m.a.held && !m.a.starts) {
		expect(m.told == count_lost(), "%llu told as lost, %llu are", m.told, count_lost());
		*exact += 1;
	}
	expect(!idle || (!m.a.held && !m.a.starts), "an idle start is not exact");
	account_close(&m.a);
	account_close(&m.plain);
	free(m.img);
	free(m.copy);
	free(m.ctl);
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	u32 rounds = argc > 2 ? atoi(argv[2]) : 1000, i, exact = 0;
	u64 looks = 0, gaps = 0, recorded = 0, lost = 0;

	for (i = 0; i < rounds; i++) {
		state = seed + i;
		round_of(&exact);
		looks += m.looks;
		gaps += m.gaps;
		recorded += m.recorded;
		lost += m.told;
	}
	printf("%u rounds, %u exact, %llu looks, %llu gaps, %llu of %llu entries lost\n", rounds,
	       exact, looks, gaps, lost, recorded);
	return !(exact && gaps && lost && lost < recorded);
}
