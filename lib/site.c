// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: site table
 *
 * An entry names its call site by number, never by address: the strings of a
 * module die with it and move with KASLR.  When a site first fires its strings
 * are copied into the image, and the number is kept in the site's own struct
 * jtrace_site.
 *
 * A record is found by content, so that a module that is loaded again finds the
 * records it left.  Finding and publishing go through a hash index in ordinary
 * memory, with open addressing and no removal:
 *
 * - look: from the slot that the hash gives, compare the record of each used
 *   slot until one matches or a slot is free;
 * - append: take granules from @next by cmpxchg, write the record there;
 * - publish: cmpxchg the free slot to the record's number.  Who finds it taken
 *   goes on looking from that very slot: the winner may have published the same
 *   site, whose number is then adopted, or another one.
 *
 * Nobody waits for anybody: a CPU that stops between append and publish leaves
 * a record that nobody names, whatever comes after it has a place of its own.
 * The loser's record stays too, and is never named.  That costs its bytes, only
 * when two contexts meet on the first firing of one site.  When the winner's was
 * the last room and is not published yet, the loser gets a number beyond all
 * records; jtrace_site_stored() tells the caller to keep the other one.
 *
 * Ordering, as in ring.c::
 *
 *   publish:A / look:B   record, then index slot (cmpxchg, smp_load_acquire)
 *
 * The number handed to an entry is published with the entry (ring.c, fill:B);
 * a reader who has the entry thereby has the record.
 */

#include "site.h"

/**
 * jtrace_sites_slots() - size of the hash index
 * @l: geometry
 *
 * Return: number of u32 slots, a power of two, at least twice the records.
 */
u32 jtrace_sites_slots(const struct jtrace_layout *l)
{
	u32 records = (l->sites_end - l->sites_off) / JTRACE_SITE_RECORD_MIN;
	u32 slots = 16;

	while (slots < 2 * records)
		slots *= 2;
	return slots;
}

/**
 * jtrace_sites_init() - begin with an empty table
 * @s: the table
 * @l: geometry
 * @img: the image, whose site bytes are zero
 * @image_id: of it
 * @index: jtrace_sites_slots() zeroed slots
 */
void jtrace_sites_init(struct jtrace_sites *s, const struct jtrace_layout *l, void *img,
		       u64 image_id, u32 *index)
{
	s->img = img;
	s->image_id = image_id;
	s->next = l->sites_off / JTRACE_GRANULE;
	s->end = l->sites_end / JTRACE_GRANULE;
	s->index = index;
	s->mask = jtrace_sites_slots(l) - 1;
	atomic64_set(&s->stored, 0);
	atomic64_set(&s->unstored, 0);
}

/* A record being made, with room for the longest strings. */
struct record {
	struct jtrace_site_record r;
	u8 text[JTRACE_TAG_MAX + JTRACE_FILE_MAX + JTRACE_FUNC_MAX];
};

static_assert(sizeof(struct record) == JTRACE_SITE_RECORD_MAX);
static_assert(offsetof(struct record, text) == offsetof(struct jtrace_site_record, text));

static size_t record_len(const struct jtrace_site_record *r)
{
	return sizeof(*r) + r->tag_len + r->file_len + r->func_len;
}

static u32 record_crc(const struct jtrace_site_record *r)
{
	return jtrace_crc32c(~0U, &r->image_id,
			     record_len(r) - offsetof(struct jtrace_site_record, image_id));
}

static const char *basename_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static u8 *put_string(u8 *at, u8 *len, const char *s, size_t most)
{
	*len = strnlen(s, most);
	memcpy(at, s, *len);
	return at + *len;
}

static void record_make(struct record *rec, u64 image_id, const char *tag, const char *file,
			const char *func, u32 line)
{
	u8 *at = rec->text;

	memset(&rec->r, 0, sizeof(rec->r));
	rec->r.magic = cpu_to_le32(JTRACE_SITE_MAGIC);
	rec->r.image_id = cpu_to_le64(image_id);
	rec->r.line = cpu_to_le32(line);
	at = put_string(at, &rec->r.tag_len, tag, JTRACE_TAG_MAX);
	at = put_string(at, &rec->r.file_len, basename_of(file), JTRACE_FILE_MAX);
	put_string(at, &rec->r.func_len, func, JTRACE_FUNC_MAX);
}

/* The same site, whatever its number? */
static bool record_same(const struct jtrace_sites *s, u32 number, const struct record *rec)
{
	const struct jtrace_site_record *r =
		(const void *)(s->img + (u64)number * JTRACE_GRANULE);

	/* Equal lengths first: then both end at the same offset. */
	return r->tag_len == rec->r.tag_len && r->file_len == rec->r.file_len &&
	       r->func_len == rec->r.func_len && r->line == rec->r.line &&
	       (u64)number * JTRACE_GRANULE + record_len(&rec->r) <=
		       (u64)s->end * JTRACE_GRANULE &&
	       !memcmp(r->text, rec->text, record_len(&rec->r) - sizeof(rec->r));
}

/* Granules for @len bytes that do not cross a page; 0 if there are none left. */
static u32 sites_alloc(struct jtrace_sites *s, size_t len)
{
	const u32 page = JTRACE_PAGE / JTRACE_GRANULE;
	u32 need = ALIGN(len, JTRACE_GRANULE) / JTRACE_GRANULE;
	u64 next = READ_ONCE(s->next), at, seen;

	for (;;) {
		at = next;
		if (at % page + need > page)
			at = ALIGN(at, (u64)page);
		if (at + need > s->end)
			return 0;
		seen = cmpxchg(&s->next, next, at + need);
		if (seen == next)
			return at;
		next = seen;
	}
}

static u32 sites_append(struct jtrace_sites *s, struct record *rec)
{
	u32 number = sites_alloc(s, record_len(&rec->r));

	if (!number)
		return 0;
	rec->r.number = cpu_to_le32(number);
	rec->r.crc = cpu_to_le32(record_crc(&rec->r));
	memcpy(s->img + (u64)number * JTRACE_GRANULE, rec, record_len(&rec->r));
	return number;
}

/**
 * jtrace_site_intern() - number of a call site
 * @s: the table
 * @tag: cut to %JTRACE_TAG_MAX bytes, as the others to their limits
 * @file: path; its last component is kept
 * @func: function
 * @line: line
 *
 * Context: Any; the caller bounds recursion through what this calls (memory and
 * string functions, the CRC).
 * Return: the number under which the image holds the site, the same for the
 * same content; if there is no room for it, a number of its own beyond all
 * records.
 */
u32 jtrace_site_intern(struct jtrace_sites *s, const char *tag, const char *file,
		       const char *func, u32 line)
{
	struct record rec;
	u32 mine = 0, seen, slot, tries;

	record_make(&rec, s->image_id, tag, file, func, line);
	slot = jtrace_crc32c(line, rec.text, record_len(&rec.r) - sizeof(rec.r));

	for (tries = 0; tries <= s->mask; ) {
		u32 *at = &s->index[slot & s->mask];

		seen = smp_load_acquire(at);		/* look:B */
		if (!seen) {
			if (!mine)
				mine = sites_append(s, &rec);
			if (!mine) {
				/* Was it the same site that took the last room? */
				if (smp_load_acquire(at))	/* look:B */
					continue;
				break;
			}
			seen = cmpxchg(at, 0, mine);	/* publish:A */
			if (!seen) {
				atomic64_inc(&s->stored);
				return mine;
			}
			continue;	/* somebody else's: look at it */
		}
		if (record_same(s, seen, &rec))
			return seen;
		slot++;
		tries++;
	}
	return s->end + atomic64_inc_return(&s->unstored);
}

/**
 * jtrace_site_read() - read a site of an image
 * @l: geometry of the image
 * @img: the image; nothing in it is trusted
 * @image_id: of it
 * @number: from an entry
 * @text: result
 *
 * Return: false if there is no valid record of that number.
 */
bool jtrace_site_read(const struct jtrace_layout *l, const void *img, u64 image_id,
		      u32 number, struct jtrace_site_text *text)
{
	u64 at = (u64)number * JTRACE_GRANULE;
	const u8 *from;
	struct record rec;
	size_t len;

	if (at < l->sites_off || at + sizeof(rec.r) > l->sites_end)
		return false;
	/* One copy, judged and used: what is in the image may change. */
	memcpy(&rec.r, (const u8 *)img + at, sizeof(rec.r));
	len = record_len(&rec.r);
	if (le32_to_cpu(rec.r.magic) != JTRACE_SITE_MAGIC ||
	    le64_to_cpu(rec.r.image_id) != image_id || le32_to_cpu(rec.r.number) != number ||
	    rec.r.tag_len > JTRACE_TAG_MAX || rec.r.file_len > JTRACE_FILE_MAX ||
	    rec.r.func_len > JTRACE_FUNC_MAX || at + len > l->sites_end)
		return false;
	memcpy(rec.text, (const u8 *)img + at + sizeof(rec.r), len - sizeof(rec.r));
	if (le32_to_cpu(rec.r.crc) != record_crc(&rec.r))
		return false;

	from = rec.text;
	memcpy(text->tag, from, rec.r.tag_len);
	text->tag[rec.r.tag_len] = 0;
	from += rec.r.tag_len;
	memcpy(text->file, from, rec.r.file_len);
	text->file[rec.r.file_len] = 0;
	from += rec.r.file_len;
	memcpy(text->func, from, rec.r.func_len);
	text->func[rec.r.func_len] = 0;
	text->line = le32_to_cpu(rec.r.line);
	return true;
}
