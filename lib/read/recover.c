// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: recover
 *
 * Reads an image and nothing else.  The same code serves an image that is being written (in
 * a panic, where other CPUs may still run), a snapshot, and bytes of unknown origin.  Bounds
 * come from a header that was checked against the length.  Each field is read once and
 * validated before use.  No stored address is followed.  The work is linear in the size of
 * the image (times the logarithm of the number of chunks, for sorting).
 *
 * Damage costs as little as possible:
 *
 * - A lost header: the backup header at the end replaces it, wherever the end is.
 * - Both headers lost: chunk headers tell image, size and kind.  The image of most chunks is
 *   shown.  The bytes are read as a grid of chunks, bounded by their length; rate and CPUs
 *   come from the chunk headers.
 * - A lost chunk header, or its newest version: entries with check values tell claim and
 *   CPU.  Of several claims in a chunk the newest counts.
 * - A lost entry: it is left out.
 *
 * Damage is counted by kind, with the offset of the first.  Entries shown from an image with
 * check values were recorded in this image and at this place.  If the newest entries of a
 * chunk are lost together with its header, older ones of the lap before may be shown instead.
 *
 * This code allocates nothing.  After jtrace_recover_open() the caller provides
 * jtrace_recover_room() bytes.  A scan counts the entries and keeps the newest of each
 * chunk; walk.c reads them in the order of their raw times; time.c converts raw times to
 * those shown.
 */

#include "log.h"
#include "recover.h"

static void fault(struct jtrace_trace *t, enum jtrace_fault which, u64 at)
{
	if (!t->damage.nr[which]++ || at < t->damage.first[which])
		t->damage.first[which] = at;
}

/* ---- Without headers -------------------------------------------------- */

/* Is there a chunk header at @at, where an image would have it?  Return its image, or 0. */
static u64 chunk_of(const struct jtrace_trace *t, u64 at, struct jtrace_layout *l,
		    struct jtrace_chunk *c)
{
	u64 image_id;
	u32 place;
	u8 shift = jtrace_chunk_parse((const u8 *)t->img + at, &image_id, &place, c);

	if (!shift || c->form & ~JTRACE_FORM_KNOWN || (u64)place * JTRACE_GRANULE != at ||
	    !jtrace_layout_chunk(l, shift, c->form & JTRACE_FORM_KIND) ||
	    at & ((1U << shift) - 1) || at + (1U << shift) > t->len)
		return 0;
	l->form = c->form;
	return image_id;
}

/*
 * Find the image of most chunks: a majority remains when different images cancel each other
 * out (Boyer and Moore, 1981).
 */
static u64 chunks_vote(struct jtrace_trace *t)
{
	const u64 step = 1U << JTRACE_MIN_CHUNK_SHIFT;
	struct jtrace_layout l;
	struct jtrace_chunk c;
	u64 at, id, elected = 0, votes = 0;

	for (at = 0; at + step <= t->len; at += step) {
		id = chunk_of(t, at, &l, &c);
		if (!id)
			continue;
		if (!votes) {
			elected = id;
			t->l = l;
		}
		votes += id == elected ? 1 : -1;
	}
	return elected;
}

/* ns * 2^32 / ticks */
static u64 rate_of(u64 ns, u64 ticks)
{
	u64 whole = div64_u64(ns, ticks);

	if (whole >> 32)
		return ~0ULL;
	return (whole << 32) + jtrace_share(1ULL << 32, ns - whole * ticks, ticks);
}

/* Derive the clock's rate and the number of CPUs from the chunk headers. */
static void header_guess(struct jtrace_trace *t)
{
	struct jtrace_moment first = { .ticks = ~0ULL }, last = { 0 };
	u64 rate = 1ULL << 32;
	struct jtrace_chunk c;
	u32 i, cpus = 0;

	for (i = 0; i < t->l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&t->l, t->img, t->image_id, i, &c))
			continue;
		cpus = max_t(u32, cpus, max_t(u32, c.cpus, c.cpu + 1));
		if (!c.stamp.ticks)
			continue;
		if (c.stamp.ticks < first.ticks)
			first = c.stamp;
		if (c.stamp.ticks > last.ticks)
			last = c.stamp;
	}
	if (last.ticks > first.ticks && last.boot > first.boot)
		rate = rate_of(last.boot - first.boot, last.ticks - first.ticks);
	jtrace_header_init(&t->header, &t->l, t->image_id);
	t->header.nr_cpus = cpu_to_le32(cpus);
	t->header.rate = cpu_to_le64(rate);
}

/*
 * Both headers are lost.  Chunks and sites name their image and their place in it.  So read
 * the bytes as a grid of chunks; those over header and sites are not valid chunks.
 */
static bool open_headless(struct jtrace_trace *t)
{
	t->image_id = chunks_vote(t);
	if (!t->image_id)
		return false;
	t->l.size = t->len;
	t->l.sites_off = 0;
	t->l.sites_end = min_t(u64, t->len, U32_MAX);
	t->l.chunks_off = 0;
	t->l.nr_chunks = min_t(u64, t->len, U32_MAX) >> t->l.chunk_shift;
	t->l.log_off = 0;
	t->l.log_size = ALIGN_DOWN(min_t(u64, t->len, U32_MAX), (u64)JTRACE_GRANULE);
	/* A set of them cannot be found without the number of sets. */
	t->l.tasks_off = 0;
	t->l.tasks_size = 0;
	t->l.stacks_off = 0;
	t->l.stacks_size = t->l.log_size;
	header_guess(t);
	return true;
}

/* Does anything look like the remains of an image?  Its numbers may be wrong. */
static bool anything_left(const struct jtrace_trace *t)
{
	const u64 step = 1U << JTRACE_MIN_CHUNK_SHIFT;
	struct jtrace_chunk_header h;
	u64 at;

	if (t->fault != JTRACE_HEADER_MAGIC)
		return true;
	for (at = 0; at + step <= t->len; at += step) {
		jtrace_copy_words(&h, (const u8 *)t->img + at, sizeof(h));
		if (le32_to_cpu(h.magic) == JTRACE_CHUNK_MAGIC &&
		    (u64)le32_to_cpu(h.place) * JTRACE_GRANULE == at)
			return true;
	}
	return false;
}

/* ---- Opening ---------------------------------------------------------- */

static bool looks_like_header(const void *at)
{
	struct jtrace_image_header h;

	jtrace_copy_words(&h, at, offsetof(struct jtrace_image_header, image_id));
	return le64_to_cpu(h.magic) == JTRACE_IMAGE_MAGIC &&
	       le16_to_cpu(h.header_size) == sizeof(h);
}

/*
 * Look for the backup header; images end on a multiple of the alignment.  The first one found
 * belongs to the newest image, because the boot that began it cleared all memory before its
 * end.  The end of an earlier and larger image may follow.
 */
static bool open_copy(struct jtrace_trace *t)
{
	u64 end = ALIGN(2 * sizeof(t->header), (u64)JTRACE_SIZE_ALIGN);
	enum jtrace_header_fault found;

	for (; end <= t->len; end += JTRACE_SIZE_ALIGN) {
		u64 at = end - sizeof(t->header);

		/* Cheap tests first keep this linear for any content. */
		if (!looks_like_header((const u8 *)t->img + at))
			continue;
		found = jtrace_header_read((const u8 *)t->img + at, t->len - at, t->len,
					   &t->header, &t->l);
		if (jtrace_header_foreign(found)) {
			t->fault = found;
			return false;
		}
		/* Its image must end with it. */
		if (found == JTRACE_HEADER_OK && t->l.size == end)
			return true;
	}
	return false;
}

/**
 * jtrace_recover_open() - find out what an image is
 * @t: result; @t->l and @t->header are set unless there is nothing to show
 * @img: start of the image, aligned to 8
 * @len: bytes that may be read; the image may be shorter
 *
 * Either header suffices.  Chunks alone suffice, too, apart from facts that only a header has.
 *
 * Return: @t->verdict.
 */
enum jtrace_verdict jtrace_recover_open(struct jtrace_trace *t, const void *img, u64 len)
{
	struct jtrace_image_header other;
	struct jtrace_layout l;

	memset(t, 0, sizeof(*t));
	t->img = img;
	t->len = len;
	t->fault = jtrace_header_read(img, len, len, &t->header, &t->l);
	if (t->fault == JTRACE_HEADER_OK) {
		u64 copy = t->l.size - sizeof(other);

		if (jtrace_header_read((const u8 *)img + copy, len - copy, len, &other, &l) !=
		    JTRACE_HEADER_OK || other.image_id != t->header.image_id ||
		    l.size != t->l.size)
			fault(t, JTRACE_FAULT_COPY, copy);
	} else if (t->fault == JTRACE_HEADER_CUT) {
		fault(t, JTRACE_FAULT_CUT, len);
	} else if (!jtrace_header_foreign(t->fault) && open_copy(t)) {
		fault(t, JTRACE_FAULT_HEADER, 0);
	} else if (!jtrace_header_foreign(t->fault) && open_headless(t)) {
		fault(t, JTRACE_FAULT_HEADERS, 0);
	} else {
		t->verdict = anything_left(t) ? JTRACE_UNREADABLE : JTRACE_EMPTY;
		return t->verdict;
	}
	t->image_id = le64_to_cpu(t->header.image_id);
	/* A CPU number has 16 bits. */
	t->cpus = min_t(u32, 1 << 16, le32_to_cpu(t->header.nr_cpus));
	t->verdict = t->header.state == JTRACE_STATE_CLEAN ? JTRACE_CLEAN : JTRACE_WHOLE;
	return t->verdict;
}

/**
 * jtrace_recover_known() - open an image whose header and layout are known
 * @t: result
 * @img: start of the image, aligned to 8
 * @h: its header, trusted
 * @l: its layout, trusted: all its bytes can be read
 *
 * For the kernel that records the image: the headers in the image are not read.
 */
void jtrace_recover_known(struct jtrace_trace *t, const void *img,
			  const struct jtrace_image_header *h, const struct jtrace_layout *l)
{
	memset(t, 0, sizeof(*t));
	t->img = img;
	t->len = l->size;
	t->header = *h;
	t->l = *l;
	t->image_id = le64_to_cpu(h->image_id);
	t->cpus = min_t(u32, 1 << 16, le32_to_cpu(h->nr_cpus));
	t->verdict = JTRACE_WHOLE;
	t->known = true;
}

static u32 last_cpus(const struct jtrace_trace *t)
{
	return min(le32_to_cpu(t->header.last_cpus), t->cpus);
}

static u32 unsorted_words(const struct jtrace_trace *t)
{
	return t->l.nr_chunks / 64 + 1;
}

/**
 * jtrace_recover_room() - size of the memory needed to read an image
 * @t: an image that was opened
 *
 * Return: bytes, including those for one walk.
 */
u64 jtrace_recover_room(const struct jtrace_trace *t)
{
	return (3ULL * t->l.nr_chunks + 1 + last_cpus(t) + t->log.nr) * sizeof(struct jtrace_key) +
	       unsorted_words(t) * sizeof(u64);
}

static void room_share(struct jtrace_trace *t, struct jtrace_key *room)
{
	t->runs = room;
	t->heap = t->runs + t->l.nr_chunks;
	t->last = (struct jtrace_keys){ t->heap + t->l.nr_chunks, last_cpus(t) };
	t->stamps = (struct jtrace_keys){ t->last.key + t->last.nr, 0 };
	t->log.key = t->stamps.key + t->l.nr_chunks + 1;
	t->unsorted = (u64 *)(t->log.key + t->log.nr);
	memset(t->runs, 0, t->l.nr_chunks * sizeof(*room));
	memset(t->last.key, 0, t->last.nr * sizeof(*room));
	memset(t->unsorted, 0, unsorted_words(t) * sizeof(u64));
}

/**
 * jtrace_recover_chunk() - read the header of a chunk, or reconstruct it
 * @t: an image whose claims were scanned
 * @index: of the chunk
 * @c: result
 *
 * Return: false if it has nothing to show.
 */
bool jtrace_recover_chunk(const struct jtrace_trace *t, u32 index, struct jtrace_chunk *c)
{
	if (t->known)
		return jtrace_chunk_read(&t->l, t->img, t->image_id, index, c);
	return jtrace_chunk_find(&t->l, t->img, t->image_id, index, t->last_claim, t->cpus, c);
}

/* Reschedule if the caller may sleep. */
static void breathe(const struct jtrace_trace *t)
{
	if (t->can_sleep)
		cond_resched();
}

static void claims_scan(struct jtrace_trace *t)
{
	struct jtrace_chunk c;
	u32 i;

	t->first_claim = ~0ULL;
	t->last_claim = 0;
	for (i = 0; i < t->l.nr_chunks; i++) {
		breathe(t);
		/* For a known image the number suffices: 0 if never claimed. */
		if (t->known)
			c.claim = le64_to_cpu(READ_ONCE(jtrace_chunk_at(&t->l, t->img, i)->claim));
		if (t->known ? !c.claim :
		    !jtrace_chunk_read(&t->l, t->img, t->image_id, i, &c))
			continue;
		t->first_claim = min(t->first_claim, c.claim);
		t->last_claim = max(t->last_claim, c.claim);
	}
	/* No chunk header at all: the floor tells how far the claims came. */
	if (!t->last_claim) {
		t->first_claim = JTRACE_FIRST_CLAIM;
		t->last_claim = max(t->first_claim, le64_to_cpu(t->header.floor));
	}
}

/**
 * jtrace_recover_tie() - make the key that orders entries of the same time
 * @t: an image whose claims were scanned
 * @c: a chunk
 * @slot: of an entry in it
 *
 * Return: claim, then place; never 0.
 */
u64 jtrace_recover_tie(const struct jtrace_trace *t, const struct jtrace_chunk *c, u32 slot)
{
	/* A chunk without header may be older than all headers. */
	u64 first = min(t->first_claim, t->last_claim - (1ULL << 31));
	u64 age = c->claim > first ? min_t(u64, c->claim - first, U32_MAX) : 0;

	return age << 32 | jtrace_entry_place(&t->l, c->index, slot);
}

/* Remove the CPUs without events. */
static void last_pack(struct jtrace_trace *t)
{
	struct jtrace_keys *k = &t->last;
	u32 i, kept = 0;

	for (i = 0; i < k->nr; i++)
		if (k->key[i].tie)
			k->key[kept++] = k->key[i];
	k->nr = kept;
}

/*
 * Sites without room get consecutive numbers beyond the table.  Sites of early boot that did
 * not fit keep the numbers of a larger table, which lie further apart: the size is then an
 * upper bound.
 */
static u32 sites_end(const struct jtrace_trace *t)
{
	const struct jtrace_area *a = jtrace_header_area(&t->header, JTRACE_AREA_SITES);

	return a ? (le32_to_cpu(a->off) + le32_to_cpu(a->size)) / JTRACE_GRANULE : 0;
}

static void site_note(struct jtrace_trace *t, u32 site)
{
	t->nameless++;
	t->site_last = max(t->site_last, site);
}

/*
 * Estimate a sufficient table size: one record of average length for each number beyond
 * the table.  A damaged entry may show any number, so limit it to the number of events.
 */
static void sites_judge(struct jtrace_trace *t)
{
	u64 stored, events, missing;
	u32 nr;

	/* Without headers the end of the table is unknown. */
	if (t->damage.nr[JTRACE_FAULT_HEADERS])
		t->nameless = 0;
	if (!t->nameless)
		return;
	events = (t->last_claim - JTRACE_FIRST_CLAIM + 1) * t->l.entries;
	missing = min_t(u64, t->site_last - sites_end(t), max(events, t->nameless));
	stored = jtrace_sites_stored(&t->l, t->img, t->image_id, &nr);
	missing *= nr ? ((u32)stored + nr - 1) / nr : JTRACE_SITE_RECORD_TYPICAL;
	t->sites_suffice = jtrace_sites_suffice(stored, missing);
}

static noinline void went_back(struct jtrace_trace *t, u32 index, u64 ticks)
{
	t->unsorted[index / 64] |= 1ULL << (index % 64);
	jtrace_clock_went_back(t, ticks);
}

/*
 * Count the entries of a chunk, find the newest and the last, and check their order.
 * @known: this kernel recorded them; otherwise validate each entry
 */
static __always_inline void chunk_scan(struct jtrace_trace *t, const struct jtrace_chunk *c,
				       const bool known, const bool small)
{
	const u32 named = sites_end(t), size = t->l.entry_size;
	u32 slot, end = t->l.entries, nr = 0, last = 0, top = 0, site;
	const struct jtrace_small_entry *e = jtrace_slot_at(&t->l, t->img, c->index, 0);
	u64 time = 0, newest = 0, before, word[JTRACE_ENTRY_WORDS];
	const u64 image_key = jtrace_check_key(t->image_id);
	enum jtrace_entry_state state;
	struct jtrace_key key;
	__le32 seq;

	/* Both kinds start with the same fields. */
	static_assert(offsetof(struct jtrace_small_entry, site) ==
		      offsetof(struct jtrace_large_entry, site));
	for (slot = 0; slot < end; slot++, e = (const void *)((const u8 *)e + size)) {
		if (known) {
			/* As in jtrace_entry_words(). */
			seq = smp_load_acquire(jtrace_slot_seq(&t->l, e));	/* read:B */
			if (le32_to_cpu(seq) != (u32)c->claim)
				continue;
		} else {
			state = jtrace_entry_words(&t->l, t->img, image_key, c, e, small, word);
			if (unlikely(state == JTRACE_ENTRY_BAD))
				fault(t, JTRACE_FAULT_ENTRY, (const u8 *)e - (const u8 *)t->img);
			if (state != JTRACE_ENTRY_OK)
				continue;
		}
		before = time;
		time = known ? le64_to_cpu(READ_ONCE(e->time)) : word[0];
		if (likely(time >= newest)) {
			newest = time;
			top = slot;
		} else if (time < before) {
			went_back(t, c->index, before - time);
		}
		site = known ? le32_to_cpu(READ_ONCE(e->site)) : word[1];
		if (unlikely(site > named))
			site_note(t, site);
		last = slot;
		nr++;
	}
	if (!nr)
		return;
	t->found += nr;
	key = (struct jtrace_key){ newest, jtrace_recover_tie(t, c, top) };
	t->runs[c->index] = key;
	if (jtrace_key_less(&t->newest, &key))
		t->newest = key;
	/* On one CPU the order of claims and slots is the order of events. */
	key = (struct jtrace_key){ time, jtrace_recover_tie(t, c, last) };
	if (c->cpu < t->last.nr && key.tie > t->last.key[c->cpu].tie)
		t->last.key[c->cpu] = key;
}

/*
 * Must a chunk have been used, judging by the number of the last claim?  Claims may skip a
 * chunk once, not twice.
 */
static bool must_be_used(const struct jtrace_trace *t, u32 index)
{
	u64 claims = t->last_claim - JTRACE_FIRST_CLAIM;
	u32 rest;

	/* The last claim that falls on it, then the one before. */
	div_u64_rem(t->last_claim + t->l.nr_chunks - index, t->l.nr_chunks, &rest);
	return t->last_claim > JTRACE_FIRST_CLAIM && claims > (u64)rest + t->l.nr_chunks;
}

/* Count the damage of a chunk; @c is NULL if nothing of it can be read. */
static void chunk_judge(struct jtrace_trace *t, u32 index, const struct jtrace_chunk *c)
{
	u64 at = (u64)jtrace_chunk_place(&t->l, index) * JTRACE_GRANULE;
	static const struct jtrace_chunk_header blank;
	struct jtrace_chunk_header h;

	if (c && c->rescued)
		fault(t, JTRACE_FAULT_RESCUED, at);
	/* Without headers place and number of chunks are unknown. */
	if (c || t->damage.nr[JTRACE_FAULT_HEADERS] || t->damage.nr[JTRACE_FAULT_CUT])
		return;
	jtrace_copy_words(&h, (const u8 *)t->img + at, sizeof(h));
	/* A snapshot leaves chunks claimed meanwhile blank, and counts them. */
	if (memcmp(&h, &blank, sizeof(h)))
		fault(t, JTRACE_FAULT_CHUNK, at);
	else if (must_be_used(t, index) && !t->header.counts.recorded)
		fault(t, JTRACE_FAULT_BLANK, at);
}

/**
 * jtrace_recover_scan() - count the entries and prepare a walk through them
 * @t: an image that was opened
 * @room: jtrace_recover_room() bytes
 */
void jtrace_recover_scan(struct jtrace_trace *t, void *room)
{
	struct jtrace_chunk c;
	bool found;
	u32 i;

	room_share(t, room);
	t->newest = (struct jtrace_key){ 0 };
	t->from = t->newest;
	t->found = 0;
	t->nameless = 0;
	t->site_last = 0;

	claims_scan(t);
	jtrace_stamps_scan(t);
	for (i = 0; i < t->l.nr_chunks; i++) {
		breathe(t);
		found = jtrace_recover_chunk(t, i, &c);
		if (jtrace_layout_checked(&t->l) && !t->known)
			chunk_judge(t, i, found ? &c : NULL);
		if (!found || c.claim < le64_to_cpu(t->header.floor))
			continue;
		if (t->known)
			chunk_scan(t, &c, true, false);
		else if (t->l.kind == JTRACE_KIND_SMALL)
			chunk_scan(t, &c, false, true);
		else
			chunk_scan(t, &c, false, false);
	}
	t->shown = t->found;
	last_pack(t);
	sites_judge(t);
	for (i = 0; i < JTRACE_NR_FAULTS; i++)
		if (t->damage.nr[i])
			t->verdict = JTRACE_DAMAGED;
	jtrace_log_scan(t);
	jtrace_cause_find(t);
}
