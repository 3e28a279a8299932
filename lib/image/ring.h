/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of chunks: the writer's side.  ring.c describes the design. */
#ifndef _JTRACE_RING_H
#define _JTRACE_RING_H

#include "chunk.h"

/* Unowned chunks that an event tries before it is dropped. */
#define JTRACE_CLAIM_TRIES	16

/**
 * struct jtrace_chunk_ctl - the writer's control data of one chunk
 * @state: claim number << 1 | owned; cmpxchg to own, store-release to release
 * @used: slots that were or will be reserved; the owner writes it
 * @settled: low half of the claim under which all of them are known to be committed
 * @lost: events that its CPU had lost when it claimed the chunk
 * @pad: fills a cache line, because different CPUs own neighbours
 */
struct jtrace_chunk_ctl {
	u64 state;
	u32 used;
	u32 settled;
	u64 lost;
	u64 pad[5];
};

static_assert(sizeof(struct jtrace_chunk_ctl) == JTRACE_LINE);

/**
 * struct jtrace_ring - state that all CPUs share
 * @img: the image
 * @key: of the image's check values
 * @full_mask: cursor & full_mask is 0 at the end of a chunk
 * @checked: entries carry a check value
 * @write_back: the image is in cached memory that must survive a reset
 * @keep_previous: a CPU also keeps its last full chunk
 * @ctl: one for each chunk
 * @image_id: of the image
 * @first: granules from the start of a chunk to its first entry
 * @shape: bits that are alike in the headers of all chunks
 * @l: geometry
 * @gate: chunks can be claimed only while this is 0
 * @floor: hides chunks with a smaller claim number
 * @claims: number of the last claim
 *
 * Recording reads the members before @ctl only.
 */
struct jtrace_ring {
	u8 *img;
	u64 key;
	u32 full_mask;
	bool checked;
	bool write_back;
	bool keep_previous;
	struct jtrace_chunk_ctl *ctl;
	u64 image_id;
	u64 shape;
	u32 first;
	struct jtrace_layout l;
	atomic64_t gate;
	u64 floor;
	atomic64_t claims ____cacheline_aligned_in_smp;
};

/**
 * enum jtrace_loss - why an event was not recorded
 * @JTRACE_SKIPPED: it needed a chunk while the gate was closed
 * @JTRACE_DROPPED_BUSY: the chunks tried were owned or not all committed
 * @JTRACE_DROPPED_NESTED: it came from inside the slow path of a record, or other nested
 *	events took its slot each time
 * @JTRACE_NR_LOSSES: number of causes
 */
enum jtrace_loss {
	JTRACE_SKIPPED,
	JTRACE_DROPPED_BUSY,
	JTRACE_DROPPED_NESTED,
	JTRACE_NR_LOSSES,
};

/**
 * struct jtrace_ring_cpu - private state of a CPU
 * @cursor: low half of the open chunk's claim << 32 | place of the next entry;
 *	0 until the first claim; @closed when closed
 * @held: the one or two newest chunks it owns, packed by held_add()
 * @slow: a bit for each context in the slow path of a record; lib/image/ring.c does not use it
 * @cpu: its number; beside @cursor, because a record reads both
 * @closed: place 0, where no chunk lies, and a new number for each close
 * @closed_claim: low half of the claim of the last chunk that was closed
 * @closed_lost: &jtrace_chunk_ctl.lost of that chunk
 * @recorded: events, without those in the chunk at @cursor
 * @overwritten: entries that its claims overwrote
 * @cleared: hidden entries that its claims overwrote
 * @lost: events not recorded
 *
 * Any context of this CPU changes it, no other CPU; all CPUs read it.
 */
struct jtrace_ring_cpu {
	u64 cursor;
	u64 held;
	u32 slow;
	u32 cpu;
	u64 closed;
	u64 closed_lost;
	u32 closed_claim;
	atomic64_t recorded;
	atomic64_t overwritten;
	atomic64_t cleared;
	atomic64_t lost[JTRACE_NR_LOSSES];
} ____cacheline_aligned_in_smp;

/* Options of jtrace_ring_init(). */
#define JTRACE_RING_KEEP_PREVIOUS	0x1	/* needs more than 2 chunks a CPU */
#define JTRACE_RING_WRITE_BACK		0x2	/* cached memory that must survive a reset */

void jtrace_ring_init(struct jtrace_ring *ring, const struct jtrace_layout *l, void *img,
		      u64 image_id, struct jtrace_chunk_ctl *ctl, u32 options);
bool jtrace_ring_claim(struct jtrace_ring *ring, struct jtrace_ring_cpu *rc, u64 cursor,
		       const struct jtrace_moment *now, bool outermost);
void jtrace_ring_close(struct jtrace_ring *ring, struct jtrace_ring_cpu *rc);

u64 jtrace_ring_recorded(const struct jtrace_ring *ring, const struct jtrace_ring_cpu *rc);
u64 jtrace_ring_hidden(const struct jtrace_ring *ring);
u32 jtrace_ring_stuck(const struct jtrace_ring *ring);
u64 jtrace_ring_history(const struct jtrace_ring *ring);

/**
 * jtrace_ring_gate_close() - refuse claims
 * @ring: the ring
 *
 * From now on only claims under way overwrite entries.  Open chunks fill up; then events are
 * counted as skipped.  Nests.
 *
 * Context: Any.
 */
static inline void jtrace_ring_gate_close(struct jtrace_ring *ring)
{
	atomic64_inc_return(&ring->gate);
}

/**
 * jtrace_ring_gate_open() - undo one jtrace_ring_gate_close()
 * @ring: the ring
 *
 * Context: Any.
 */
static inline void jtrace_ring_gate_open(struct jtrace_ring *ring)
{
	/* If a claim reads the open gate from gate:F, then it sees what was done until here. */
	atomic64_dec_return_release(&ring->gate);	/* gate:F */
}

/* To clear: read the next floor, close each CPU's open chunk, set the floor. */
static inline u64 jtrace_ring_floor_next(const struct jtrace_ring *ring)
{
	return atomic64_read(&ring->claims) + 1;
}

static inline void jtrace_ring_floor_set(struct jtrace_ring *ring, u64 floor)
{
	WRITE_ONCE(ring->floor, floor);
}

/* Is the gate closed? */
static inline bool jtrace_ring_gated(const struct jtrace_ring *ring)
{
	return atomic64_read(&ring->gate) != 0;
}

/**
 * jtrace_ring_full() - does the open chunk have no free slot?
 * @ring: the ring
 * @cursor: of a CPU
 */
static __always_inline bool jtrace_ring_full(const struct jtrace_ring *ring, u64 cursor)
{
	return !(cursor & ring->full_mask);
}

/* The cursor after a slot is taken. */
static __always_inline u64 jtrace_ring_next(u64 cursor, bool large)
{
	return cursor + (large ? sizeof(struct jtrace_large_entry) :
				 sizeof(struct jtrace_small_entry)) / JTRACE_GRANULE;
}

/**
 * jtrace_ring_move() - move a CPU's cursor
 * @rc: of this CPU
 * @cursor: as read before
 * @next: where to
 *
 * Context: Any, on the CPU of @rc.
 * Return: false if a nested record has moved it.
 */
static __always_inline bool jtrace_ring_move(struct jtrace_ring_cpu *rc, u64 cursor, u64 next)
{
	return cmpxchg_local(&rc->cursor, cursor, next) == cursor;
}

/**
 * jtrace_ring_reserve() - take the slot at the cursor
 * @ring: the ring
 * @rc: of this CPU
 * @cursor: as read before, not full
 *
 * Context: Any.  Stay on the CPU of @rc from reading @cursor until the entry is published.
 * Return: true if the slot is the caller's; false if a nested record took it: read the cursor
 * again.
 */
static __always_inline bool jtrace_ring_reserve(const struct jtrace_ring *ring,
						struct jtrace_ring_cpu *rc, u64 cursor)
{
	return jtrace_ring_move(rc, cursor,
				jtrace_ring_next(cursor, ring->l.kind == JTRACE_KIND_LARGE));
}

/* The entry at a cursor. */
static __always_inline void *jtrace_ring_slot(const struct jtrace_ring *ring, u64 cursor)
{
	return ring->img + (u64)(u32)cursor * JTRACE_GRANULE;
}

/**
 * struct jtrace_draft - a reserved large entry while a record fills it
 * @entry: in the image
 * @cursor: the cursor that reserved the slot
 * @key: of check values
 * @check: the check value so far
 * @checked: does the entry carry a check value?
 *
 * Fill it in four steps: jtrace_draft_origin(), _args(), _event(), _publish().  Their order is
 * that of the check value (jtrace_check_large() in pieces), so that each word leaves its
 * register as soon as it is stored and mixed.  Once inlined, a draft has no address.
 */
struct jtrace_draft {
	struct jtrace_large_entry *entry;
	u64 cursor;
	const u64 *key;
	u64 check;
	bool checked;
};

/**
 * jtrace_draft_begin() - start to fill a reserved large entry
 * @ring: the ring
 * @cursor: the cursor that reserved the slot
 * @checked: &jtrace_ring.checked, or a constant of its value
 */
static __always_inline struct jtrace_draft
jtrace_draft_begin(const struct jtrace_ring *ring, u64 cursor, const bool checked)
{
	return (struct jtrace_draft){
		.entry = jtrace_ring_slot(ring, cursor),
		.cursor = cursor,
		.key = &ring->key,
		.check = cursor,
		.checked = checked,
	};
}

/* @origin: cpu | context << 16 | stack << 32 */
static __always_inline void jtrace_draft_origin(struct jtrace_draft *d, u64 origin)
{
	WRITE_ONCE(((__le64 *)d->entry)[6], cpu_to_le64(origin));
	if (d->checked)
		d->check = jtrace_check_begin(d->key, d->check, origin);
}

/* @ab: arguments 1 (low half) and 2; @cd: 3 and 4; @e5, @e6: 5 and 6 */
static __always_inline void jtrace_draft_args(struct jtrace_draft *d, u64 ab, u64 cd, u64 e5,
					      u64 e6)
{
	WRITE_ONCE(((__le64 *)d->entry)[2], cpu_to_le64(ab));
	WRITE_ONCE(((__le64 *)d->entry)[3], cpu_to_le64(cd));
	if (d->checked)
		d->check = jtrace_mix(d->key, d->check, ab, cd);
	WRITE_ONCE(d->entry->wide[0], cpu_to_le64(e5));
	WRITE_ONCE(d->entry->wide[1], cpu_to_le64(e6));
	if (d->checked)
		d->check = jtrace_mix(d->key, d->check, e5, e6);
}

/* @time: read between reading the cursor and reserving */
static __always_inline void jtrace_draft_event(struct jtrace_draft *d, u64 time, u32 site,
					       u32 tid)
{
	u64 both = (u64)tid << 32 | site;

	WRITE_ONCE(((__le64 *)d->entry)[0], cpu_to_le64(time));
	if (d->checked) {
		WRITE_ONCE(((__le64 *)d->entry)[1], cpu_to_le64(both));
		d->check = jtrace_mix(d->key, d->check, time, both);
		WRITE_ONCE(d->entry->check, cpu_to_le32(d->check));
	} else {
		WRITE_ONCE(d->entry->site, cpu_to_le32(site));
		WRITE_ONCE(d->entry->tid, cpu_to_le32(tid));
	}
}

/*
 * If read:B or busy:B reads this sequence, then it reads the fields of the entry, too.
 *
 * An entry is one cache line, which reaches memory whole; @back: write it back now.  Prefetch
 * the next line, which left the cache a lap ago.
 */
static __always_inline void jtrace_draft_publish(struct jtrace_draft *d, const bool back)
{
	smp_store_release(&d->entry->seq, cpu_to_le32(d->cursor >> 32));	/* fill:B */
	if (back)
		jtrace_line_back(d->entry);
	prefetchw(d->entry + 1);
}

/**
 * jtrace_ring_fill_large() - fill and publish a reserved large entry
 * @ring: the ring
 * @cursor: the cursor that reserved the slot
 * @time: read between reading the cursor and reserving
 * @site: number
 * @tid: thread
 * @origin: cpu | context << 16 | stack << 32
 * @ab: arguments 1 and 2, in its low and high half
 * @cd: arguments 3 and 4
 * @e5: argument 5
 * @e6: argument 6
 *
 * Use this where all values are at hand at once.
 */
static __always_inline void
jtrace_ring_fill_large(const struct jtrace_ring *ring, u64 cursor, u64 time, u32 site, u32 tid,
		       u64 origin, u64 ab, u64 cd, u64 e5, u64 e6)
{
	struct jtrace_draft d = jtrace_draft_begin(ring, cursor, ring->checked);

	jtrace_draft_origin(&d, origin);
	jtrace_draft_args(&d, ab, cd, e5, e6);
	jtrace_draft_event(&d, time, site, tid);
	jtrace_draft_publish(&d, ring->write_back);
}

/**
 * jtrace_ring_fill_small_as() - fill and publish a reserved small entry
 * @ring: the ring
 * @cursor: the cursor that reserved the slot
 * @time: read between reading the cursor and reserving
 * @site: number
 * @cpu: of this CPU
 * @a: argument 1
 * @checked: &jtrace_ring.checked, or a constant of its value
 * @back: &jtrace_ring.write_back, or a constant of its value
 *
 * If an entry straddles two lines, its check value tells whether both reached memory.
 */
static __always_inline void
jtrace_ring_fill_small_as(const struct jtrace_ring *ring, u64 cursor, u64 time, u32 site,
			  u32 cpu, u32 a, const bool checked, const bool back)
{
	struct jtrace_small_entry *e = jtrace_ring_slot(ring, cursor);

	WRITE_ONCE(e->time, cpu_to_le64(time));
	WRITE_ONCE(e->site, cpu_to_le32(site));
	WRITE_ONCE(e->arg, cpu_to_le32(a));
	if (checked)
		WRITE_ONCE(e->check, cpu_to_le32(jtrace_check_small(&ring->key, cursor, time,
								    site, a) +
						 jtrace_check_cpu(cpu)));
	/* If read:B or busy:B reads this sequence, then it reads the fields above, too. */
	smp_store_release(&e->seq, cpu_to_le32(cursor >> 32));	/* fill:B */
	if (!back)
		return;
	jtrace_line_back(e);
	if ((unsigned long)e % JTRACE_LINE > JTRACE_LINE - sizeof(*e))
		jtrace_line_back(&e->seq);
}

/* No event has this time. */
#define JTRACE_NO_TIME		(~0ULL)

/**
 * struct jtrace_ring_writer - what jtrace_ring_try() calls to record
 * @cursor: read the CPU's cursor
 * @clock: read the clock
 * @lost: count an event that is lost, because @clock has returned %JTRACE_NO_TIME; NULL if it
 *	never does
 * @take: move the cursor from @cursor to @next, atomic for this CPU only; false if it has moved
 * @cpu: number of the CPU
 * @origin: cpu | context << 16 | stack << 32
 * @tid: of the thread
 *
 * A constant of inline functions, so that a record has no call.  Each gets the @data of
 * jtrace_ring_try().  Those of the kernel use variables of the CPU, those of a test its own.
 */
struct jtrace_ring_writer {
	u64 (*cursor)(void *data);
	u64 (*clock)(void *data);
	void (*lost)(void *data);
	bool (*take)(void *data, u64 cursor, u64 next);
	u32 (*cpu)(void *data);
	u64 (*origin)(void *data);
	u32 (*tid)(void *data);
};

/* What a try to record leads to. */
enum jtrace_tried {
	JTRACE_OBSTACLE,	/* remove it, and try again */
	JTRACE_RECORDED,
	JTRACE_LOST,		/* and counted */
};

/**
 * jtrace_ring_try() - the steps of a record, without obstacles
 * @ring: the ring
 * @w: functions of the caller; a constant
 * @data: for @w
 * @site: number of the site, 0 while it has none
 * @ab: arguments 1 and 2, in its low and high half
 * @cd: arguments 3 and 4
 * @e: argument 5
 * @f: argument 6
 * @large: the ring's entries are large
 * @checked: &jtrace_ring.checked, or a constant of its value
 * @back: &jtrace_ring.write_back, or a constant of its value
 *
 * Obstacles: the open chunk is full, the site has no number, a nested record came between reading
 * the cursor and reserving.
 *
 * Context: Any; preemption is disabled.
 */
static __always_inline enum jtrace_tried
jtrace_ring_try(const struct jtrace_ring *ring, const struct jtrace_ring_writer w, void *data,
		const u32 *site, u64 ab, u64 cd, u64 e, u64 f, const bool large,
		const bool checked, const bool back)
{
	u64 cursor = w.cursor(data), now;

	/* A number stays once it is set, so it can be loaded later, when a register is free. */
	if (unlikely(jtrace_ring_full(ring, cursor) || !data_race(*site)))
		return JTRACE_OBSTACLE;
	now = w.clock(data);
	if (w.lost && now == JTRACE_NO_TIME) {
		w.lost(data);
		return JTRACE_LOST;
	}
	if (unlikely(!w.take(data, cursor, jtrace_ring_next(cursor, large))))
		return JTRACE_OBSTACLE;
	if (large) {
		struct jtrace_draft d = jtrace_draft_begin(ring, cursor, checked);

		jtrace_draft_origin(&d, w.origin(data));
		jtrace_draft_args(&d, ab, cd, e, f);
		jtrace_draft_event(&d, now, READ_ONCE(*site), w.tid(data));
		jtrace_draft_publish(&d, back);
	} else {
		jtrace_ring_fill_small_as(ring, cursor, now, READ_ONCE(*site), w.cpu(data), ab,
					  checked, back);
	}
	return JTRACE_RECORDED;
}

/* jtrace_ring_fill_small_as(), with the ring's own options. */
static __always_inline void
jtrace_ring_fill_small(const struct jtrace_ring *ring, u64 cursor, u64 time, u32 site, u32 cpu,
		       u32 a)
{
	jtrace_ring_fill_small_as(ring, cursor, time, site, cpu, a, ring->checked,
				  ring->write_back);
}

#endif /* _JTRACE_RING_H */
