// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: stacks
 *
 * An entry names its stack by number.  Events come again and again from the same places: in 10 s of
 * a busy machine 3,963 calls of kfree() had 199 stacks, 3,072 switches of tasks had 62.  So each
 * distinct stack is stored once, and an entry has no more than its number, the place of the record.
 *
 * Records are found by content, with the index of the site table (site.c): look, append, publish,
 * and nobody waits.  Unlike sites, stacks have no spare.  An event whose stack finds no room has
 * none, which is counted; and a record that loses a race stays without an entry that names it.
 *
 * The index is looked at for each event, so its hash is the fold of the check values (image.h),
 * with the same key, and takes 6 instructions for four frames.  It only chooses where to look:
 * records are compared as a whole, in the image.  So what a reader finds there is what the event
 * had, even if memory is damaged.
 *
 * Ordering, as in site.c::
 *
 *   publish:A / look:B
 *     If look:B reads a number from publish:A, then the reader reads the record that the
 *     writer stored before.  (cmpxchg, smp_load_acquire)
 *
 * An entry publishes the number (ring.c, fill:B): if a reader reads the entry, then it reads the
 * record.  After a reset the record may be missing: record and entry are written back without
 * waiting.
 */

#include "place.h"
#include "stack.h"

#define STACK_MIN	sizeof(struct jtrace_stack_record)

static_assert(STACK_MIN % JTRACE_GRANULE == 0);

/* From the word with @exact on, records of the same stack are alike, but for the number. */
#define ALIKE_FROM	(offsetof(struct jtrace_stack_record, number) / sizeof(u64))

/* In the lower half of that word. */
#define NUMBER_BITS	32

static_assert(offsetof(struct jtrace_stack_record, number) % sizeof(u64) == 0);
static_assert(offsetof(union jtrace_stack_buffer, frame) == sizeof(struct jtrace_stack_record));

/* Slots of the index: a power of two, at least twice the records. */
static u32 stack_slots(const struct jtrace_layout *l)
{
	u32 records = l->stacks_size / STACK_MIN, slots = 16;

	while (slots < 2 * records)
		slots *= 2;
	return slots;
}

/**
 * jtrace_stacks_room() - size of the ordinary memory that the writer needs
 * @l: geometry
 *
 * Return: bytes.
 */
u32 jtrace_stacks_room(const struct jtrace_layout *l)
{
	return l->stacks_size ? stack_slots(l) * sizeof(u32) : 0;
}

/**
 * jtrace_stacks_init() - set up an empty area
 * @s: result
 * @l: geometry
 * @img: the image, whose bytes for stack records are zero
 * @image_id: of the image
 * @text: &jtrace_image_header.text, 0 if it is not known: then no stack is stored
 * @room: jtrace_stacks_room() zeroed bytes, aligned to 8
 * @write_back: the image is in cached memory that must survive a reset
 */
void jtrace_stacks_init(struct jtrace_stacks *s, const struct jtrace_layout *l, void *img,
			u64 image_id, u64 text, void *room, bool write_back)
{
	*s = (struct jtrace_stacks) { 0 };
	if (!l->stacks_size || !text)
		return;
	*s = (struct jtrace_stacks) {
		.img = img,
		.image_id = image_id,
		.key = jtrace_check_key(image_id),
		.text = text,
		.next = l->stacks_off / JTRACE_GRANULE,
		.index = room,
		.mask = stack_slots(l) - 1,
		.write_back = write_back,
	};
	/* If jtrace_stack_take() reads the end, then it reads the other members, too. */
	smp_store_release(&s->end, (l->stacks_off + l->stacks_size) / JTRACE_GRANULE);
}

static __always_inline u32 stack_granules(const struct jtrace_stack_record *r)
{
	return (sizeof(*r) + r->nr * sizeof(__le32) + JTRACE_GRANULE - 1) / JTRACE_GRANULE;
}

static u32 stack_crc(const union jtrace_stack_buffer *rec)
{
	const size_t from = offsetof(struct jtrace_stack_record, image_id);

	return jtrace_crc32c(~0U, (const u8 *)rec + from,
			     sizeof(rec->r) + rec->r.nr * sizeof(__le32) - from);
}

static u32 stack_append(struct jtrace_stacks *s, union jtrace_stack_buffer *rec, u32 granules)
{
	const u32 place = jtrace_place_alloc(&s->next, granules, s->end);
	u8 *to = s->img + (u64)place * JTRACE_GRANULE;

	if (!place)
		return 0;
	rec->r.magic = cpu_to_le32(JTRACE_STACK_MAGIC);
	rec->r.image_id = cpu_to_le64(s->image_id);
	rec->r.number = cpu_to_le32(place);
	rec->r.crc = cpu_to_le32(stack_crc(rec));
	jtrace_copy_words(to, rec, granules * JTRACE_GRANULE);
	if (s->write_back)
		jtrace_write_back(to, granules * JTRACE_GRANULE);
	return place;
}

/* Is it the same stack? */
static __always_inline bool stack_same(const struct jtrace_stacks *s, u32 place,
				       const union jtrace_stack_buffer *rec, u32 granules)
{
	const u64 *word = (const u64 *)(s->img + (u64)place * JTRACE_GRANULE);
	u32 i;

	if (place + granules > s->end ||
	    (READ_ONCE(word[ALIKE_FROM]) ^ rec->word[ALIKE_FROM]) >> NUMBER_BITS)
		return false;
	for (i = ALIKE_FROM + 1; i < granules; i++)
		if (READ_ONCE(word[i]) != rec->word[i])
			return false;
	return true;
}

static __always_inline u32 stack_hash(const struct jtrace_stacks *s,
				      const union jtrace_stack_buffer *rec, u32 granules)
{
	u64 state = rec->word[ALIKE_FROM] >> NUMBER_BITS;
	u32 i;

	for (i = ALIKE_FROM + 1; i + 1 < granules; i += 2)
		state = jtrace_mix(&s->key, state, rec->word[i], rec->word[i + 1]);
	if (i < granules)
		state = jtrace_mix(&s->key, state, rec->word[i], 0);
	return state;
}

/**
 * jtrace_stack_intern() - find or store a stack
 * @s: the area
 * @rec: the stack, by jtrace_stack_begin() and jtrace_stack_add(); its other members are set here
 *
 * Context: Any; the caller bounds recursion through jtrace_crc32c().
 * Return: the stack's number, the same for the same content; 0 if there is no room.
 */
u32 jtrace_stack_intern(struct jtrace_stacks *s, union jtrace_stack_buffer *rec)
{
	const u32 granules = stack_granules(&rec->r);
	u32 slot, seen, mine = 0;

	if (!s->end) {
		atomic64_inc(&s->unstored);
		return 0;
	}
	/* Whole words are compared. */
	rec->frame[rec->r.nr] = 0;
	for (slot = stack_hash(s, rec, granules); ; slot++) {
		seen = smp_load_acquire(&s->index[slot & s->mask]);	/* look:B */
		if (!seen) {
			mine = mine ?: stack_append(s, rec, granules);
			if (!mine) {
				atomic64_inc(&s->unstored);
				return 0;
			}
			seen = cmpxchg(&s->index[slot & s->mask], 0, mine);	/* publish:A */
			if (!seen) {
				atomic64_inc(&s->stored);
				return mine;
			}
		}
		if (stack_same(s, seen, rec, granules))
			return seen;
	}
}

/* ---- Readers ---------------------------------------------------------- */

/* Copy bytes that may be a record; false if they are not. */
static bool stack_copy(const void *at, u64 len, union jtrace_stack_buffer *rec)
{
	u32 bytes;

	if (len < STACK_MIN)
		return false;
	/* Check and use one copy: the image may change. */
	jtrace_copy_words(&rec->r, at, STACK_MIN);
	bytes = stack_granules(&rec->r) * JTRACE_GRANULE;
	if (le32_to_cpu(rec->r.magic) != JTRACE_STACK_MAGIC || rec->r.nr > JTRACE_STACK_MAX ||
	    bytes > len)
		return false;
	jtrace_copy_words(rec->frame, (const u8 *)at + STACK_MIN, bytes - STACK_MIN);
	return le32_to_cpu(rec->r.crc) == stack_crc(rec);
}

/**
 * jtrace_stack_parse() - read bytes that may be a stack record
 * @at: aligned to 8, not trusted
 * @len: bytes that may be read
 * @image_id: result: of the record's image
 * @number: result: of the record
 *
 * Return: length in bytes of the record, 0 if the bytes are not a record.
 */
u32 jtrace_stack_parse(const void *at, u64 len, u64 *image_id, u32 *number)
{
	union jtrace_stack_buffer rec;

	if (!stack_copy(at, len, &rec))
		return 0;
	*image_id = le64_to_cpu(rec.r.image_id);
	*number = le32_to_cpu(rec.r.number);
	return stack_granules(&rec.r) * JTRACE_GRANULE;
}

/**
 * jtrace_stack_read() - read a stack
 * @l: geometry of the image
 * @img: the image, not trusted
 * @image_id: of the image
 * @number: from an entry
 * @to: result
 *
 * Return: false if the image does not have it.
 */
bool jtrace_stack_read(const struct jtrace_layout *l, const void *img, u64 image_id, u32 number,
		       struct jtrace_stack *to)
{
	const u64 at = (u64)number * JTRACE_GRANULE, end = l->stacks_off + (u64)l->stacks_size;
	union jtrace_stack_buffer rec;
	u32 i;

	if (!number || at < l->stacks_off || at >= end ||
	    !stack_copy((const u8 *)img + at, end - at, &rec) ||
	    le64_to_cpu(rec.r.image_id) != image_id || le32_to_cpu(rec.r.number) != number)
		return false;
	*to = (struct jtrace_stack) {
		.nr = rec.r.nr,
		.cut = rec.r.flags & JTRACE_STACK_CUT,
		.broken = rec.r.flags & JTRACE_STACK_BROKEN,
		.exact = le32_to_cpu(rec.r.exact),
	};
	for (i = 0; i < to->nr; i++)
		to->frame[i] = le32_to_cpu(rec.frame[i]);
	return true;
}
