// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: ring of chunks
 *
 * Shape
 * -----
 * The image's chunks form a ring.  Each CPU owns one open chunk and records into it with
 * plain stores.  When that chunk is full, the CPU claims the next free chunk with one atomic
 * on a shared counter.  So all CPUs share the depth of one buffer, a record touches no cache
 * line that another CPU writes, and the shared counter costs one access a chunk.
 *
 * Claim counter, owners and cursors lie in ordinary memory.  The ring decides nothing from
 * what it reads in the image, except for the sequences of slots.  So the image may lie in
 * memory where atomics do not work, and remains of an earlier boot do no harm.
 *
 * States
 * ------
 * A slot is *free* (its sequence is not that of the chunk's claim), *reserved* (its CPU has
 * moved the cursor past it) or *committed* (its sequence equals the low half of the claim).
 * A writer stores the sequence last.  So a committed slot is whole, for a reader on another
 * CPU and for a reader after a reset.
 *
 * A chunk is *unowned* or *owned* by one CPU (&jtrace_chunk_ctl.state).  The newest chunk
 * that a CPU owns is *open*.  The CPU keeps the one before until its next claim, so that the
 * last events of a CPU that hangs outlive what other CPUs record.  An unowned chunk is
 * *busy* while one of its slots is reserved and not committed: a context was interrupted in
 * the middle of a record, or died there.  Only an unowned chunk that is not busy can be
 * claimed.
 *
 * Life of a record
 * ----------------
 * With preemption disabled:
 *
 * 1. Read the cursor.  If its chunk is full, claim one and start again.
 * 2. Read the clock.
 * 3. Move the cursor by one slot with cmpxchg_local.  If that fails, a nested interrupt or
 *    NMI has recorded: start again.  The clock is read between 1 and 3, so slot order is
 *    time order on each CPU.
 * 4. Store the fields, then the sequence (release).
 *
 * After step 3 nothing can fail.  A nested context takes its own slots.  So each slot has
 * exactly one writer from reservation to commit, and no slot is reused while a writer might
 * still store to it.  This makes torn records impossible rather than unlikely.  A sequence
 * alone would not suffice: two writers a lap apart could meet in one slot.
 *
 * A claim
 * -------
 * Take a number from the counter; it names the chunk (number mod chunks).  If that chunk is
 * owned, take the next number, at most once around the ring: idle CPUs keep their chunks,
 * side by side if they started together, and a small limit would drop events at each lap on
 * a machine with many CPUs.  If the chunk is busy, or another CPU takes it first, also take
 * the next number, but at most 16 times; then drop the event and count it.  Numbers have 64
 * bits and are never reused.  The ring skips numbers whose low half is 0, because a slot
 * that was never written holds 0.
 *
 * A CPU may stall with its number while other CPUs lap the ring, and claim, fill and release
 * that chunk under a newer number.  The chunk is then free, but the CPU must not claim it
 * under the older number: its entries would be newer than its header, and readers take the
 * newest claim that they find in a chunk for its last.  So a chunk's claim only grows, and
 * the CPU takes a fresh number.  This does not count as a try, because it says nothing about
 * how many chunks are free, and it happens at most once in a lap of the other CPUs.
 *
 * Then write the new header, and install the cursor with cmpxchg_local.  If a nested context
 * has installed a chunk, release ours with no slot used.  The header names the claim of the chunk
 * that the CPU used before, and counts the events that it lost since.  So a reader knows whether
 * entries are missing between two chunks of a CPU.  A claim that a nested record or a close made
 * void leaves a header without entries, which no later header names.  Both values come from the
 * cursor that the cmpxchg replaces and from control data of its chunk, so they are exact if it
 * succeeds.
 *
 * To find out whether a chunk is busy, the claim reads the sequences of all slots that were
 * reserved.  A counter of commits would cost each record a locked instruction or a second private
 * counter, and would not tell which CPU died.
 *
 * This check costs some instructions per record, and many times that in uncached memory.  So
 * a CPU that leaves a chunk marks it *settled*, if no record of this CPU can have been
 * interrupted by the present one (@outermost).  All slots reserved there are then committed,
 * because no other CPU reserves in this CPU's chunk.  The mark is the number of the claim
 * under which the slots were reserved.  So it stays true, and applies to that claim only,
 * even if an interrupt has released the chunk to another CPU before the mark is stored.
 *
 * A CPU stalled in the middle of a record (by an NMI that does not end, a hypervisor, a
 * debugger) blocks nothing but the reuse of its chunk.  A task that dies there does not
 * block even that, if its CPU goes on: nothing stores to its slot any more, and the next
 * task leaves the chunk as settled.  A CPU stopped for good in the middle of a claim costs
 * the chunk that it had taken.
 *
 * ABA: a cursor value does not come back, because each claim has a new number.  Its low half
 * comes back after 2^32 claims, and a context would have to stay nested on this CPU for that
 * long.  A state word holds 63 bits of the number, which only grows.  It comes back only
 * when a CPU releases a chunk that it has not touched, as if it had never owned it.
 *
 * The gate
 * --------
 * A closed gate refuses claims.  So a panic can stop all overwriting, at no cost to the hot
 * path.  The gate does not wait for claims under way: a reader detects them (recheck:D).
 * Readers of files leave the gate open, unless the image is small (snapshot.c).
 *
 * Persistence
 * -----------
 * A persistent image lies in memory that a reset keeps.  A reset does not keep caches.  So a
 * CPU writes back the line of an entry when it publishes the entry, and the line of a
 * chunk's header when it claims the chunk.  The image contains no counters.  A record does
 * not wait for its write-back: on x86 the CPU's next locked instruction does.  A claim waits for
 * those of the records before it, not for that of its header, which it starts last: entries are
 * recovered without their header, and to wait for it, too, made a record a fifth slower.  A reset
 * can lose only the write-backs under way: the records of the last microsecond or so, and then a
 * header.
 *
 * A reader after a reset has nothing but the image to judge a record by.  So each entry
 * carries a check value over itself, its place, its image and its claim
 * (uapi/linux/jtrace.h).  Volatile images have none: only the kernel that records reads
 * them, and it would cost a third of a record.
 *
 * Clearing
 * --------
 * Clearing erases nothing, because the commit of a late writer would make the remains of
 * another record look whole.  Instead the floor, a claim number in the image's header, hides
 * older chunks.  The caller reads the claim counter (jtrace_ring_floor_next()), closes each
 * CPU's open chunk, on that CPU (an IPI) or for a CPU that is offline, and then sets the
 * floor.  The gate stays open, so no event is skipped.
 *
 * A CPU's next record then needs a chunk with a claim above the counter.  To close,
 * jtrace_ring_close() changes the cursor, also a full one, to a value that it never had.  A
 * claim that the IPI interrupted may have a number below the floor.  It fails to install its
 * chunk, releases it and starts again.  A record that the IPI interrupted between reserve
 * and commit keeps its slot: the chunk stays busy until the commit, and the event counts as
 * cleared.
 *
 * jtrace_ring_hidden() counts the hidden chunks on demand; a CPU that claims one of them
 * counts it in &jtrace_ring_cpu.cleared.
 *
 * Ordered accesses
 * ----------------
 * The code refers to these labels::
 *
 *   fill:B / read:B
 *     If read:B reads the sequence from fill:B, then the reader reads the fields that the
 *     writer stored before.  (store-release, load-acquire)
 *
 *   claim:C / recheck:D
 *     If a reader reads a field from a store after claim:C, then after recheck:D it reads
 *     the new claim number, and rejects the entry.  (smp_wmb between the number and all
 *     later stores to the chunk, smp_rmb between the fields and the number.)  Without the
 *     barriers a machine that reorders stores (not x86) can show the old sequence, new
 *     fields and the old number together.
 *
 *   release:E / own:E
 *     If the cmpxchg of own:E reads the state from release:E, then the new owner reads all
 *     that the last owner stored to &jtrace_chunk_ctl.  (store-release, full barrier)
 *
 *     The load-acquire before it tells whether the number is newer than the chunk's, and
 *     saves a vain cmpxchg and scan.  Its result holds if the cmpxchg finds the same state.
 *
 *   floor:G
 *     If a CPU reads the round of clearing from the store-release after the claim counter
 *     was read, then the CPU closes its chunk, and its next number is above the one that was
 *     read.  (the number comes from an atomic that is a full barrier)  So the floor does not
 *     hide the next chunk.
 *
 *   gate:F
 *     If a claim reads an open gate from gate:F (release), then it sees what was done while
 *     the gate was closed (a dump), because the counter's atomic is a full barrier.  The
 *     read of the gate needs no order, because recheck:D does not depend on it.
 *
 *   fill:B / busy:B
 *     If busy:B reads the sequence from fill:B, then the last entry's fields were stored
 *     before the claimant stores its own.
 */

#include "ring.h"

#define OWNED		1ULL

/* What a record reads is one cache line. */
static_assert(offsetof(struct jtrace_ring, ctl) <= JTRACE_LINE);

/**
 * jtrace_ring_init() - set up an empty ring
 * @ring: the ring
 * @l: geometry
 * @img: the image, with chunks that hold no valid entry of @image_id
 * @image_id: of the image
 * @ctl: control data of nr_chunks chunks, zeroed
 * @options: JTRACE_RING_*
 *
 * Entries get check values if the layout says so.
 */
void jtrace_ring_init(struct jtrace_ring *ring, const struct jtrace_layout *l, void *img,
		      u64 image_id, struct jtrace_chunk_ctl *ctl, u32 options)
{
	memset(ring, 0, sizeof(*ring));
	ring->img = img;
	ring->ctl = ctl;
	ring->image_id = image_id;
	ring->key = jtrace_check_key(image_id);
	ring->l = *l;
	ring->first = l->first_off / JTRACE_GRANULE;
	ring->shape = (u64)l->cpus << 48 | l->form << 24 | l->chunk_shift << 16;
	ring->full_mask = (1U << l->chunk_shift) / JTRACE_GRANULE - 1;
	ring->checked = jtrace_layout_checked(l);
	ring->write_back = options & JTRACE_RING_WRITE_BACK;
	ring->keep_previous = options & JTRACE_RING_KEEP_PREVIOUS;
	atomic64_set(&ring->claims, JTRACE_FIRST_CLAIM);
}

/* Count the reserved slots of the cursor's chunk, 0 without a chunk; set its index. */
static u32 cursor_slots(const struct jtrace_ring *ring, u64 cursor, u32 *index)
{
	u64 at = (u64)(u32)cursor * JTRACE_GRANULE - ring->l.chunks_off;

	*index = 0;
	if (!(u32)cursor)
		return 0;
	/* The end of a chunk is the start of the next one. */
	*index = (at - 1) >> ring->l.chunk_shift;
	return (at - ((u64)*index << ring->l.chunk_shift) - ring->l.first_off) /
	       ring->l.entry_size;
}

/* The chunk that a full cursor leaves, or NULL if that was closed. */
static struct jtrace_chunk_ctl *cursor_chunk(const struct jtrace_ring *ring, u64 cursor)
{
	u64 end = (u64)(u32)cursor * JTRACE_GRANULE - ring->l.chunks_off;

	return (u32)cursor ? &ring->ctl[(end >> ring->l.chunk_shift) - 1] : NULL;
}

/*
 * Has each slot reserved under @claim been committed?  If busy:B reads @claim from fill:B, then
 * all fields were stored before this CPU stores to the chunk.
 */
static noinline bool slots_committed(const struct jtrace_ring *ring, u32 index, u64 claim)
{
	const struct jtrace_chunk_ctl *p = &ring->ctl[index];
	const u32 step = ring->l.entry_size / sizeof(__le32);
	const __le32 *seq = jtrace_slot_seq(&ring->l,
					    jtrace_slot_at(&ring->l, ring->img, index, 0));
	const __le32 *end = seq + READ_ONCE(p->used) * step;

	for (; seq != end; seq += step)
		if (le32_to_cpu(smp_load_acquire(seq)) != (u32)claim)	/* busy:B */
			return false;
	return true;
}

/* Chunk @index is unowned in this @state: are all its reserved slots committed? */
static bool is_quiet(const struct jtrace_ring *ring, u32 index, u64 state)
{
	u64 claim = state >> 1;

	return READ_ONCE(ring->ctl[index].settled) == (u32)claim ||
	       slots_committed(ring, index, claim);
}

/* If own:E reads this state, then the next owner reads @used and @settled of this one. */
static void chunk_release(struct jtrace_ring *ring, u32 index, u64 state)
{
	smp_store_release(&ring->ctl[index].state, state & ~OWNED);	/* release:E */
}

/* Events that a CPU has lost. */
static u64 lost_events(const struct jtrace_ring_cpu *rc)
{
	u64 lost = 0;
	u32 i;

	for (i = 0; i < JTRACE_NR_LOSSES; i++)
		lost += atomic64_read(&rc->lost[i]);
	return lost;
}

#define CLAIM_WORD	(offsetof(struct jtrace_chunk_header, claim) / sizeof(u64))

/*
 * Store word by word, in the order of struct jtrace_chunk_header.  If a reader reads a store of
 * this claim, then recheck:D reads @claim.
 */
static void chunk_header_write(struct jtrace_ring *ring, u32 place, u64 claim, u32 cpu,
			       u32 previous, u16 lost, const struct jtrace_moment *now)
{
	__le64 *at = jtrace_ring_slot(ring, place);
	u64 word[JTRACE_CHUNK_WORDS] = {
		JTRACE_CHUNK_MAGIC, ring->image_id, claim, (u64)previous << 32 | place,
		ring->shape | (u64)lost << 32 | (u16)cpu, now->ticks, now->mono, now->boot,
	};
	u32 i;

	word[0] |= (u64)jtrace_chunk_check_words(word) << 32;
	WRITE_ONCE(at[CLAIM_WORD], cpu_to_le64(claim));
	smp_wmb();					/* claim:C pairs with recheck:D */
#pragma GCC unroll 8
	for (i = 0; i < JTRACE_CHUNK_WORDS; i++)
		if (i != CLAIM_WORD)
			WRITE_ONCE(at[i], cpu_to_le64(word[i]));
}

/* Return the chunk with the smaller claim; this CPU owns both. */
static u32 older(const struct jtrace_ring *ring, u32 a, u32 b)
{
	return READ_ONCE(ring->ctl[a].state) < READ_ONCE(ring->ctl[b].state) ? a : b;
}

/*
 * &jtrace_ring_cpu.held: two fields of 1 + index, 0 for none, and a number that changes at
 * each update, so that no value of the word comes back.
 */
#define HELD_BITS	25
#define HELD_MASK	((1U << HELD_BITS) - 1)

/* The smallest chunk and both headers leave less than 2^25 - 1 chunks in 4 GiB. */
static_assert((U32_MAX >> JTRACE_MIN_CHUNK_SHIFT) <= HELD_MASK);

/*
 * Add @index to the owned chunks and release the oldest beyond what may be kept.  Nested
 * contexts may have added newer chunks since @index was installed; then release @index.
 */
static void held_add(struct jtrace_ring *ring, struct jtrace_ring_cpu *rc, u32 index)
{
	u64 held, new;
	u32 gone;

	do {
		u32 one, two;

		held = READ_ONCE(rc->held);
		one = held & HELD_MASK;
		two = held >> HELD_BITS & HELD_MASK;
		gone = 0;

		if (!one) {
			one = index + 1;
		} else if (ring->keep_previous && !two) {
			two = index + 1;
		} else {
			gone = older(ring, one - 1, index);
			if (two)
				gone = older(ring, gone, two - 1);
			gone++;
			if (gone == one)
				one = index + 1;
			else if (gone == two)
				two = index + 1;
		}
		new = (held >> 2 * HELD_BITS) + 1;
		new = new << 2 * HELD_BITS | (u64)two << HELD_BITS | one;
	} while (cmpxchg_local(&rc->held, held, new) != held);

	if (gone)
		chunk_release(ring, gone - 1, READ_ONCE(ring->ctl[gone - 1].state));
}

/**
 * jtrace_ring_claim() - claim a chunk with free slots for a CPU
 * @ring: the ring
 * @rc: of this CPU
 * @cursor: as read before, full
 * @now: for the chunk's header
 * @outermost: the caller's record cannot have interrupted another one of this CPU between
 *	reserving and publishing
 *
 * Context: Any, on the CPU of @rc.
 * Return: true if this call or a nested record changed the cursor, so that the caller must
 * read it again; false if the event is lost, and counted.
 */
bool jtrace_ring_claim(struct jtrace_ring *ring, struct jtrace_ring_cpu *rc, u64 cursor,
		       const struct jtrace_moment *now, bool outermost)
{
	u32 tries = 0, passed = 0;

	while (tries < JTRACE_CLAIM_TRIES && passed <= ring->l.nr_chunks) {
		struct jtrace_chunk_ctl *p, *left;
		u64 claim, old, new, before, lost;
		u32 index, place, previous;

		/* Before the gate: a nested record may have claimed the last free chunk. */
		if (READ_ONCE(rc->cursor) != cursor)
			return true;
		if (jtrace_ring_gated(ring)) {
			atomic64_inc(&rc->lost[JTRACE_SKIPPED]);
			return false;
		}
		claim = atomic64_inc_return(&ring->claims);
		if (!(u32)claim)
			continue;
		div_u64_rem(claim, ring->l.nr_chunks, &index);
		p = &ring->ctl[index];
		/* If own:E reads @old from release:E, then it reads all of @p of that owner. */
		old = smp_load_acquire(&p->state);		/* own:E */
		/* Other CPUs have lapped this number: a chunk's claim only grows. */
		if (old >> 1 >= claim)
			continue;
		if (old & OWNED) {
			passed++;
			continue;
		}
		if (!is_quiet(ring, index, old) ||
		    cmpxchg(&p->state, old, claim << 1 | OWNED) != old) {	/* own:E */
			tries++;
			continue;
		}

		if (READ_ONCE(rc->cursor) != cursor) {
			/* Still untouched: release it as if never owned. */
			chunk_release(ring, index, old);
			return true;
		}

		atomic64_add(p->used, old >> 1 < READ_ONCE(ring->floor) ? &rc->cleared :
								       &rc->overwritten);
		/*
		 * A nested record may have claimed, and released the last chunk to another
		 * CPU: the mark applies to @cursor's claim only.
		 */
		left = cursor_chunk(ring, cursor);
		if (left && outermost)
			WRITE_ONCE(left->settled, cursor >> 32);
		WRITE_ONCE(p->settled, 0);
		WRITE_ONCE(p->used, ring->l.entries);
		/* Without an open chunk, the one that was closed last is the one before. */
		before = READ_ONCE(*(left ? &left->lost : &rc->closed_lost));
		previous = left ? cursor >> 32 : READ_ONCE(rc->closed_claim);
		lost = lost_events(rc);
		WRITE_ONCE(p->lost, lost);
		place = jtrace_chunk_place(&ring->l, index);
		if (ring->write_back)
			jtrace_write_back_locked();
		chunk_header_write(ring, place, claim, rc->cpu, previous,
				   min_t(u64, lost - before, U16_MAX), now);

		new = claim << 32 | (place + ring->first);
		if (cmpxchg_local(&rc->cursor, cursor, new) != cursor) {
			/* A nested record or a close came first: no slot gets used. */
			WRITE_ONCE(p->used, 0);
			chunk_release(ring, index, p->state);
			return true;
		}
		if (left)
			atomic64_add(ring->l.entries, &rc->recorded);
		held_add(ring, rc, index);
		if (ring->write_back)
			jtrace_line_back(jtrace_ring_slot(ring, place));
		return true;
	}
	atomic64_inc(&rc->lost[JTRACE_DROPPED_BUSY]);
	return false;
}

/**
 * jtrace_ring_close() - make a CPU's next record claim a new chunk
 * @ring: the ring
 * @rc: of this CPU, or of one that cannot run
 *
 * The free slots of the open chunk stay unused.  A claim interrupted by this call fails to
 * install its chunk and starts again.
 */
void jtrace_ring_close(struct jtrace_ring *ring, struct jtrace_ring_cpu *rc)
{
	u64 cursor;
	u32 index, slots;

	rc->closed += 1ULL << 32;
	do {
		cursor = READ_ONCE(rc->cursor);
		slots = cursor_slots(ring, cursor, &index);
		/* First, for a nested record that finds the chunk closed. */
		if ((u32)cursor) {
			WRITE_ONCE(rc->closed_claim, cursor >> 32);
			WRITE_ONCE(rc->closed_lost, READ_ONCE(ring->ctl[index].lost));
		}
	} while (cmpxchg_local(&rc->cursor, cursor, rc->closed) != cursor);
	atomic64_add(slots, &rc->recorded);
	/*
	 * A nested record may have claimed a chunk and released this one: until now its
	 * free slots kept it busy.
	 */
	if (!jtrace_ring_full(ring, cursor))
		WRITE_ONCE(ring->ctl[index].used, slots);
}

/**
 * jtrace_ring_recorded() - count the events that a CPU has recorded
 * @ring: the ring
 * @rc: of any CPU
 *
 * Counts reserved slots.  Exact while the CPU records nothing.
 */
u64 jtrace_ring_recorded(const struct jtrace_ring *ring, const struct jtrace_ring_cpu *rc)
{
	u32 index;

	return atomic64_read(&rc->recorded) + cursor_slots(ring, READ_ONCE(rc->cursor), &index);
}

/**
 * jtrace_ring_hidden() - count the events that the floor hides
 * @ring: the ring
 *
 * Return: events in chunks that no CPU has claimed since.
 */
u64 jtrace_ring_hidden(const struct jtrace_ring *ring)
{
	u64 floor = READ_ONCE(ring->floor), hidden = 0;
	u32 i;

	for (i = 0; i < ring->l.nr_chunks; i++)
		if (READ_ONCE(ring->ctl[i].state) >> 1 < floor)
			hidden += READ_ONCE(ring->ctl[i].used);
	return hidden;
}

/**
 * jtrace_ring_stuck() - count chunks that cannot be reused
 * @ring: the ring
 *
 * Return: unowned chunks with a reserved slot that is not committed.  Some come and go
 * while CPUs record; writers that died leave the rest.
 */
u32 jtrace_ring_stuck(const struct jtrace_ring *ring)
{
	u32 i, stuck = 0;

	for (i = 0; i < ring->l.nr_chunks; i++) {
		u64 state = smp_load_acquire(&ring->ctl[i].state);	/* with release:E */

		if (!(state & OWNED) && !is_quiet(ring, i, state))
			stuck++;
	}
	return stuck;
}

/* A ring that is not full must have recorded for so long, to tell a rate. */
#define HISTORY_LEAST	10000000000ULL

/* When a chunk was claimed, boot time in ns; 0 if that is not known, or is being written. */
static u64 claimed_at(const struct jtrace_ring *ring, u32 index, u64 claim)
{
	struct jtrace_chunk c;

	return jtrace_chunk_read(&ring->l, ring->img, ring->image_id, index, &c) &&
	       c.claim == claim ? c.stamp.boot : 0;
}

/**
 * jtrace_ring_history() - for how long does the ring remember, at the present rate?
 * @ring: the ring
 *
 * By the claims of the last lap.  Chunks that idle CPUs keep are older, and do not count.
 *
 * Context: Any.
 * Return: ns; 0 if it is too soon to say.
 */
u64 jtrace_ring_history(const struct jtrace_ring *ring)
{
	u64 last = atomic64_read(&ring->claims), from = READ_ONCE(ring->floor);
	u64 oldest = ~0ULL, newest = 0, claim, at;
	u32 i, nr = 0;

	if (last > ring->l.nr_chunks)
		from = max(from, last - ring->l.nr_chunks);
	for (i = 0; i < ring->l.nr_chunks; i++) {
		claim = READ_ONCE(ring->ctl[i].state) >> 1;
		at = claim && claim >= from ? claimed_at(ring, i, claim) : 0;
		if (!at)
			continue;
		oldest = min(oldest, at);
		newest = max(newest, at);
		nr++;
	}
	if (nr < 2 || (nr < ring->l.nr_chunks / 2 && newest - oldest < HISTORY_LEAST))
		return 0;
	return (newest - oldest) / (nr - 1) * ring->l.nr_chunks;
}
