// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: ring of chunks
 *
 * Shape
 * -----
 * The image's chunks form a ring.  Each CPU owns one open chunk and records
 * into it with plain stores; when it is full the CPU claims the next free chunk
 * of the ring with one atomic on a counter that all share.  So the depth of the
 * trace is that of one buffer, a record touches no cache line that another CPU
 * writes, and the shared counter is paid for once a chunk.
 *
 * What steers the ring (claim counter, owners, cursors) lies in ordinary memory
 * and nothing is read back from the image to decide anything, but the sequence
 * of slots: the image may lie in memory where atomics do not work, and what an
 * earlier boot left there must not matter.
 *
 * States
 * ------
 * A slot is *free* (its sequence is not that of the chunk's claim), *reserved*
 * (its CPU has moved the cursor past it) or *committed* (its sequence equals
 * the low half of the claim).  The sequence is the last thing that is stored,
 * so a committed slot is whole, for readers beside us and for those who find us
 * dead.
 *
 * A chunk is *unowned* or *owned* by one CPU (&jtrace_chunk_ctl.state); of the
 * chunks that a CPU owns the newest is *open*, the one before is kept so that
 * the last events of a CPU that hangs outlive what others record, and is given
 * up at the next claim.  An unowned chunk is *busy* while one of its slots is
 * reserved and not committed: some context was interrupted in the middle of a
 * record, or died there.  Only an unowned chunk that is not busy can be claimed.
 *
 * Life of a record
 * ----------------
 * With preemption disabled:
 *
 * 1. Read the cursor.  If its chunk is full, claim one and begin again.
 * 2. Read the clock.
 * 3. Move the cursor by one slot with cmpxchg_local.  If that fails, a nested
 *    interrupt or NMI recorded meanwhile: begin again.  As the clock is read
 *    between 1 and 3, slot order is time order on each CPU.
 * 4. Store the fields, then the sequence (release).
 *
 * Steps 3 and 4 cannot fail.  A context nested anywhere takes slots of its own.
 * So each slot has one writer from reservation to commit, always: two contexts
 * never write one slot, and none is written while another might still store to
 * it.  That is what makes torn records impossible rather than unlikely; a
 * sequence alone would not (two writers a lap apart meet in one slot).
 *
 * A claim
 * -------
 * Take a number from the counter; it names the chunk (number mod chunks).  If
 * that is owned take the next number, once around the ring at the most: CPUs
 * that are idle keep their chunks, side by side if they began together, and on
 * a machine with many CPUs a small limit would drop events at each lap.  If it
 * is busy, or if another CPU is faster in owning it, take the next number too,
 * but only 16 times; then drop the event and count it.  Numbers are 64 bits and
 * never reused; those whose low half is 0 are left out, as 0 is what a slot
 * holds that was never written.
 *
 * A CPU may stall with its number while others lap the ring, and claim, fill and
 * release that chunk under a newer number.  The chunk is free then, but must not be
 * claimed under the older number: its entries would be newer than its header, and
 * readers take the newest claim that they find in a chunk for its last.  So a chunk's
 * claim only grows, and the CPU takes a fresh number.  That counts as no try, as it
 * says nothing of how many chunks are free, and happens at most once in a lap of the others.
 *
 * Then write the new header, and install the cursor with cmpxchg_local.  If a
 * nested context installed a chunk meanwhile, give ours back, with no slot
 * used.  Whether a chunk is busy is seen by looking at the sequences of the
 * slots that had been handed out: a counter of commits would cost every record
 * a locked instruction or a second private one, and would not tell which CPU
 * died.
 *
 * Looking costs some instructions per record, and where the image lies
 * in memory that is not cached many times that.  So a CPU that claims says of the
 * chunk it leaves that it is *settled*, if it knows: when no record of its own can
 * have been interrupted by this one (@outermost), all that were reserved there are
 * committed, as nobody else reserves in a CPU's chunk.  It says so by the number of
 * the claim they were reserved under: what it says stays true, and is said of
 * nothing else, although an interrupt may have left the chunk to another CPU before
 * it is said.
 *
 * A CPU stalled in the middle of a record (by an NMI that does not end, a
 * hypervisor, a debugger) blocks nothing but the reuse of the chunk it is in.  A
 * task that dies there does not even that, if its CPU goes on: nobody will store to
 * its slot any more, and the next task leaves the chunk as settled.
 * One that is stopped for good in the middle of a claim costs the chunk that it
 * had taken.
 *
 * ABA: a cursor value does not come back, as each claim has a new number (its
 * low half comes back after 2^32 claims, and a context would have to be nested
 * on this CPU for that long).  A state word holds 63 bits of the number, which only
 * grows; it comes back only when a chunk that nobody touched is given back, as if it
 * had never been owned.
 *
 * The gate
 * --------
 * While it is closed claims are refused.  Then nothing can be overwritten in a
 * panic, and the hot path knows nothing of it.  Claims under way when it closes
 * are not waited for: a reader finds out by recheck:D.  Readers of files leave it
 * open, unless the image is small (snapshot.c).
 *
 * Persistence
 * -----------
 * An image that is to outlive the machine lies in memory that a reset keeps.
 * Caches are not kept.  So the line of an entry is written back as soon as it is
 * published, and that of a chunk's header when it is claimed; a counter never,
 * as none lies in the image.  Nothing waits for the write-back of a record: the
 * next locked instruction of whoever runs next does, on x86, and that of a
 * chunk's header is waited for.  What can be lost is what was on its way at the
 * moment of the reset: the records of the last microsecond or so.
 *
 * A record that outlives the machine must be judged without it: each entry
 * carries a check value over itself, its place, its image and its claim
 * (uapi/linux/jtrace.h).  Volatile images do without: nobody reads them but
 * through a kernel that is alive, and it would cost a third of a record.
 *
 * Clearing
 * --------
 * Nothing is erased, for a late writer's commit would make what is left of
 * another record look whole.  The floor, a claim number in the image's header,
 * hides older chunks.  The caller reads the claim counter (jtrace_ring_floor_next()),
 * then closes each CPU's open chunk, on that CPU (an IPI) or for one that is
 * offline, then sets the floor.  The gate stays open, so no event is skipped.
 *
 * A CPU's next record then needs a chunk with a claim above the counter.  To
 * close, jtrace_ring_close() changes the cursor, also a full one, to a value that
 * never was there.  So a claim that the IPI interrupted, and whose number may be
 * below the floor, fails to install its chunk, gives it back and begins again.
 * A record that the IPI interrupted between reserve and commit keeps its slot:
 * the chunk stays busy until the commit, and the event counts as cleared.
 *
 * The hidden chunks are counted when somebody asks (jtrace_ring_hidden()), and by
 * the CPU that claims one of them again (&jtrace_ring_cpu.cleared).
 *
 * Ordered accesses
 * ----------------
 * Labels are used in comments beside the code::
 *
 *   fill:B / read:B
 *     fields of an entry, then its sequence (store-release, load-acquire): who
 *     sees the sequence sees the fields.
 *
 *   claim:C / recheck:D
 *     claim number of the chunk, then (smp_wmb) all later stores to the chunk;
 *     fields of an entry, then (smp_rmb) the claim number again: who read a
 *     field that the new claim stored sees the new number, and rejects.  Without
 *     the barrier the old sequence, new fields and the old number can be seen
 *     together on machines that reorder stores (not on x86).
 *
 *   release:E / own:E
 *     the owner's stores to &jtrace_chunk_ctl, then state unowned (store-release);
 *     state by cmpxchg (full barrier), then used: who owns a place
 *     sees what its last owner left.
 *
 *     The look at state before (smp_load_acquire) tells whether the number is newer
 *     than what the place had, and saves a cmpxchg and a scan that would be in vain.
 *     What it told holds if the cmpxchg finds the same state.
 *
 *   floor:G
 *     claim counter, then the round of clearing (store-release); who sees the
 *     round closes a chunk, and takes the next number after that (an atomic that
 *     is a full barrier): it is above the one that was read, so the floor does not
 *     hide that chunk.
 *
 *   gate:F
 *     What was done under the gate (a dump), then the gate opens
 *     (release); claims read the gate without order, as recheck:D does not
 *     depend on it.
 *
 *   fill:B / busy:B
 *     as read:B: the fields of the last entry were stored before the claimant
 *     stores its own.
 */

#include "ring.h"

#define OWNED		1ULL

/**
 * jtrace_ring_init() - begin an empty ring
 * @ring: the ring
 * @l: geometry
 * @img: the image, with chunks that hold no valid entry of @image_id
 * @image_id: of it
 * @ctl: nr_chunks, zeroed
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
	ring->full_mask = (1U << l->chunk_shift) / JTRACE_GRANULE - 1;
	ring->checked = jtrace_layout_checked(l);
	ring->write_back = options & JTRACE_RING_WRITE_BACK;
	ring->keep_previous = options & JTRACE_RING_KEEP_PREVIOUS;
	atomic64_set(&ring->claims, JTRACE_FIRST_CLAIM);
}

/* How many slots are handed out of the chunk that a cursor leads to, if any; its index. */
static u32 cursor_slots(const struct jtrace_ring *ring, u64 cursor, u32 *index)
{
	u64 at = (u64)(u32)cursor * JTRACE_GRANULE - ring->l.chunks_off;

	*index = 0;
	if (!(u32)cursor)
		return 0;
	/* The end of a chunk is the beginning of the next one. */
	*index = (at - 1) >> ring->l.chunk_shift;
	return (at - ((u64)*index << ring->l.chunk_shift) - ring->l.first_off) /
	       ring->l.entry_size;
}

/* Has each slot that was handed out under @claim been committed? */
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

/* Is no slot of chunk @index, unowned in this @state, reserved and not committed? */
static bool is_quiet(const struct jtrace_ring *ring, u32 index, u64 state)
{
	u64 claim = state >> 1;

	return READ_ONCE(ring->ctl[index].settled) == (u32)claim ||
	       slots_committed(ring, index, claim);
}

static void chunk_release(struct jtrace_ring *ring, u32 index, u64 state)
{
	smp_store_release(&ring->ctl[index].state, state & ~OWNED);	/* release:E */
}

/* Words, as they lie in struct jtrace_chunk_header. */
static void chunk_header_write(struct jtrace_ring *ring, u32 place, u64 claim, u32 cpu,
			       const struct jtrace_moment *now)
{
	__le64 *at = jtrace_ring_slot(ring, place);
	u32 shape = (u32)ring->l.form << 24 | (u32)ring->l.chunk_shift << 16 | (u16)cpu, i;
	u64 word[JTRACE_CHUNK_WORDS] = {
		JTRACE_CHUNK_MAGIC, ring->image_id, claim, place,
		(u64)ring->l.cpus << 48 | shape, now->ticks, now->mono, now->boot,
	};

	word[0] |= (u64)jtrace_chunk_check_words(word) << 32;
	WRITE_ONCE(at[2], cpu_to_le64(claim));
	smp_wmb();					/* claim:C pairs with recheck:D */
#pragma GCC unroll 8
	for (i = 0; i < JTRACE_CHUNK_WORDS; i++)
		WRITE_ONCE(at[i], cpu_to_le64(word[i]));
	if (ring->write_back) {
		jtrace_line_back(at);
		jtrace_write_back_wait();
	}
}

/* Index of the chunk with the smaller claim; both are owned by this CPU. */
static u32 older(const struct jtrace_ring *ring, u32 a, u32 b)
{
	return READ_ONCE(ring->ctl[a].state) < READ_ONCE(ring->ctl[b].state) ? a : b;
}

/*
 * &jtrace_ring_cpu.held: two fields of 1 + index, 0 for none, and a number that
 * changes with each change, so that the word does not come back.
 */
#define HELD_BITS	25
#define HELD_MASK	((1U << HELD_BITS) - 1)

/* The smallest chunk and both headers leave less than 2^25 - 1 chunks in 4 GiB. */
static_assert((U32_MAX >> JTRACE_MIN_CHUNK_SHIFT) <= HELD_MASK);

/*
 * Remember @index as owned and give up the oldest chunk beyond what may be kept.
 * Nested contexts may have remembered newer chunks since @index was installed;
 * then it is @index itself that goes.
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
 * jtrace_ring_claim() - get a CPU a chunk with free slots
 * @ring: the ring
 * @rc: of this CPU
 * @cursor: as read before, full
 * @now: for the chunk's header
 * @outermost: no record of this CPU can have been interrupted by the caller's, between
 *	reserving and publishing
 *
 * Context: Any, on the CPU of @rc.
 * Return: true if the cursor is to be read again, as it is a new one: by this
 * call or by a nested record; false if the event is lost, and counted.
 */
bool jtrace_ring_claim(struct jtrace_ring *ring, struct jtrace_ring_cpu *rc, u64 cursor,
		       const struct jtrace_moment *now, bool outermost)
{
	u32 tries = 0, passed = 0;

	while (tries < JTRACE_CLAIM_TRIES && passed <= ring->l.nr_chunks) {
		struct jtrace_chunk_ctl *p;
		u64 claim, old, new;
		u32 index, last, left, place;

		/* Before the gate: who was nested may have got the last chunk there was. */
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
		old = smp_load_acquire(&p->state);		/* own:E */
		/* Others lapped this number since it was taken: a chunk's claim only grows. */
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
			/* Nothing was touched: as if never owned. */
			chunk_release(ring, index, old);
			return true;
		}

		atomic64_add(p->used, old >> 1 < READ_ONCE(ring->floor) ? &rc->cleared :
								       &rc->overwritten);
		/*
		 * A nested record may have claimed since, and left the last chunk to another
		 * CPU: what is said of @cursor's claim stays true.
		 */
		left = cursor_slots(ring, cursor, &last);
		if (left && outermost)
			WRITE_ONCE(ring->ctl[last].settled, cursor >> 32);
		WRITE_ONCE(p->settled, 0);
		WRITE_ONCE(p->used, ring->l.entries);
		place = jtrace_chunk_place(&ring->l, index);
		chunk_header_write(ring, place, claim, rc->cpu, now);

		new = claim << 32 | (place + ring->l.first_off / JTRACE_GRANULE);
		if (cmpxchg_local(&rc->cursor, cursor, new) != cursor) {
			/* A nested record was faster, or a close: no slot will be used. */
			WRITE_ONCE(p->used, 0);
			chunk_release(ring, index, p->state);
			return true;
		}
		atomic64_add(left, &rc->recorded);
		held_add(ring, rc, index);
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
 * The slots left in the open chunk stay unused.  A claim that this interrupts
 * fails, too.
 */
void jtrace_ring_close(struct jtrace_ring *ring, struct jtrace_ring_cpu *rc)
{
	u64 cursor;
	u32 index, slots;

	rc->closed += 1ULL << 32;
	do
		cursor = READ_ONCE(rc->cursor);
	while (cmpxchg_local(&rc->cursor, cursor, rc->closed) != cursor);
	slots = cursor_slots(ring, cursor, &index);
	atomic64_add(slots, &rc->recorded);
	/*
	 * A nested record may have claimed a chunk since, and given this one up: the
	 * slots left unused keep it busy until now.
	 */
	if (!jtrace_ring_full(ring, cursor))
		WRITE_ONCE(ring->ctl[index].used, slots);
}

/**
 * jtrace_ring_recorded() - how many events a CPU has recorded
 * @ring: the ring
 * @rc: of any CPU
 *
 * Counts slots when they are reserved.  Exact while the CPU records nothing.
 */
u64 jtrace_ring_recorded(const struct jtrace_ring *ring, const struct jtrace_ring_cpu *rc)
{
	u32 index;

	return atomic64_read(&rc->recorded) + cursor_slots(ring, READ_ONCE(rc->cursor), &index);
}

/**
 * jtrace_ring_hidden() - how many events the floor hides
 * @ring: the ring
 *
 * Return: events in chunks that were not claimed again.
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
 * Return: unowned chunks with a slot that is reserved and not committed.  Some
 * come and go while CPUs record; what stays was left by writers that died.
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
