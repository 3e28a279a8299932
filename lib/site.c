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
 * a reader beside us who has the entry thereby has the record.  One who comes
 * after a reset may miss it: record and entry are written back without waiting.
 *
 * In a table that is not small a quarter is for records of another kind: where
 * modules lie.
 *
 * An image that takes the place of another one adopts its records under their
 * numbers: call sites keep theirs.
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
 * @write_back: the image is in cached memory that is to outlive the machine
 */
void jtrace_sites_init(struct jtrace_sites *s, const struct jtrace_layout *l, void *img,
		       u64 image_id, u32 *index, bool write_back)
{
	s->img = img;
	s->image_id = image_id;
	s->first = l->sites_off / JTRACE_GRANULE;
	s->next = s->first;
	s->end = l->sites_end / JTRACE_GRANULE;
	s->beyond = s->end;
	s->index = index;
	s->write_back = write_back;
	s->mask = jtrace_sites_slots(l) - 1;
	atomic64_set(&s->stored, 0);
	atomic64_set(&s->unstored, 0);
	s->early = 0;
	atomic64_set(&s->missing, 0);
}

/**
 * jtrace_sites_suffice() - size of a table that holds all sites
 * @stored: bytes of the records that a table holds
 * @missing: bytes of those that found no room there
 *
 * Half as much again: modules may take a quarter of the table, and at the end of
 * each page less than the longest record is lost, a fourteenth.
 *
 * Return: bytes, whole pages, %JTRACE_LARGEST_SITES at the most.
 */
u64 jtrace_sites_suffice(u64 stored, u64 missing)
{
	u64 all = stored + missing;

	return min_t(u64, ALIGN(all + all / 2, (u64)JTRACE_PAGE), JTRACE_LARGEST_SITES);
}

/* A record being made, with room for the longest strings, and moved by words. */
union record {
	struct {
		struct jtrace_site_record r;
		u8 text[JTRACE_TAG_MAX + JTRACE_FILE_MAX + JTRACE_FUNC_MAX];
	};
	u64 word[JTRACE_SITE_RECORD_MAX / sizeof(u64)];
};

static_assert(sizeof(union record) == JTRACE_SITE_RECORD_MAX);
static_assert(offsetof(union record, text) == offsetof(struct jtrace_site_record, text));

static size_t record_len(const struct jtrace_site_record *r)
{
	return sizeof(*r) + r->tag_len + r->file_len + r->func_len;
}

static u32 record_granules(const struct jtrace_site_record *r)
{
	return ALIGN(record_len(r), JTRACE_GRANULE) / JTRACE_GRANULE;
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

static void record_make(union record *rec, u64 image_id, const char *tag, const char *file,
			const char *func, u32 line)
{
	u8 *at = rec->text;

	memset(rec, 0, sizeof(*rec));
	rec->r.magic = cpu_to_le32(JTRACE_SITE_MAGIC);
	rec->r.image_id = cpu_to_le64(image_id);
	rec->r.line = cpu_to_le32(line);
	at = put_string(at, &rec->r.tag_len, tag, JTRACE_TAG_MAX);
	at = put_string(at, &rec->r.file_len, file, JTRACE_FILE_MAX);
	put_string(at, &rec->r.func_len, func, JTRACE_FUNC_MAX);
}

/* The same site, whatever its number? */
static bool record_same(const struct jtrace_sites *s, u32 number, const union record *rec)
{
	const u64 *word = (const u64 *)(s->img + (u64)number * JTRACE_GRANULE);
	const u32 first = offsetof(struct jtrace_site_record, tag_len) / sizeof(u64);
	u32 i, granules = record_granules(&rec->r);

	/* The line lies beside the number; lengths, kind and text are whole words. */
	if (number + granules > s->end ||
	    READ_ONCE(((const struct jtrace_site_record *)word)->line) != rec->r.line)
		return false;
	for (i = first; i < granules; i++)
		if (READ_ONCE(word[i]) != rec->word[i])
			return false;
	return true;
}

/* Granules below @end that do not cross a page; 0 if there are none left. */
static u32 sites_alloc(struct jtrace_sites *s, u32 need, u32 end)
{
	const u32 page = JTRACE_PAGE / JTRACE_GRANULE;
	u64 next = READ_ONCE(s->next), at, seen;

	for (;;) {
		at = next;
		if (at % page + need > page)
			at = ALIGN(at, (u64)page);
		if (at + need > end)
			return 0;
		seen = cmpxchg(&s->next, next, at + need);
		if (seen == next)
			return at;
		next = seen;
	}
}

static void record_put(const struct jtrace_sites *s, union record *rec, u32 number)
{
	u32 bytes = record_granules(&rec->r) * JTRACE_GRANULE;
	u8 *to = s->img + (u64)number * JTRACE_GRANULE;

	rec->r.number = cpu_to_le32(number);
	rec->r.crc = cpu_to_le32(record_crc(&rec->r));
	jtrace_copy_words(to, rec, bytes);
	if (s->write_back)
		jtrace_write_back(to, bytes);
}

static u32 sites_append(struct jtrace_sites *s, union record *rec, u32 end)
{
	u32 number = sites_alloc(s, record_granules(&rec->r), end);

	if (number)
		record_put(s, rec, number);
	return number;
}

/* Where to begin to look for a record in the index. */
static u32 record_slot(const union record *rec)
{
	return jtrace_crc32c(le32_to_cpu(rec->r.line), rec->text,
			     record_len(&rec->r) - sizeof(rec->r));
}

/* Number of a record, stored below @end if it is new; 0 if there is no room. */
static u32 sites_intern(struct jtrace_sites *s, union record *rec, u32 end)
{
	u32 mine = 0, seen, slot = record_slot(rec), tries;

	for (tries = 0; tries <= s->mask; ) {
		u32 *at = &s->index[slot & s->mask];

		seen = smp_load_acquire(at);		/* look:B */
		if (!seen) {
			if (!mine)
				mine = sites_append(s, rec, end);
			if (!mine) {
				/* Was it the same site that took the last room? */
				if (smp_load_acquire(at))	/* look:B */
					continue;
				break;
			}
			seen = cmpxchg(at, 0, mine);	/* publish:A */
			if (!seen) {
				if (rec->r.kind == JTRACE_SITE_CALL)
					atomic64_inc(&s->stored);
				return mine;
			}
			continue;	/* somebody else's: look at it */
		}
		if (record_same(s, seen, rec))
			return seen;
		slot++;
		tries++;
	}
	return 0;
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
	union record rec;
	u32 number;

	record_make(&rec, s->image_id, tag, basename_of(file), func, line);
	number = sites_intern(s, &rec, s->end);
	if (number)
		return number;
	atomic64_add(record_granules(&rec.r) * JTRACE_GRANULE, &s->missing);
	return s->beyond + atomic64_inc_return(&s->unstored);
}

/* Modules are worth a record where there is room for many sites, and then so much. */
#define MODULES_TABLE_MIN	4096
#define MODULES_SHARE		4

/**
 * jtrace_site_module() - remember where a module lies
 * @s: the table
 * @name: of the module
 * @build_id: in hex, or ""
 * @where: "BASE+SIZE" in hex
 *
 * For who has an address from the trace and wants its symbol.  A quarter of a
 * table that is not small is for this; what comes later is left out.
 *
 * Context: Process.
 */
void jtrace_site_module(struct jtrace_sites *s, const char *name, const char *build_id,
			const char *where)
{
	u32 granules = s->end - s->first;
	union record rec;

	if (granules < MODULES_TABLE_MIN / JTRACE_GRANULE)
		return;
	record_make(&rec, s->image_id, name, build_id, where, 0);
	rec.r.kind = JTRACE_SITE_MODULE;
	sites_intern(s, &rec, s->first + granules / MODULES_SHARE);
}

/* Copy what may be a record; false if it is none. */
static bool record_get(const void *at, u64 len, union record *rec)
{
	u64 padded;

	if (len < sizeof(rec->r))
		return false;
	/* One copy, judged and used: what is in the image may change. */
	jtrace_copy_words(&rec->r, at, sizeof(rec->r));
	padded = (u64)record_granules(&rec->r) * JTRACE_GRANULE;
	if (le32_to_cpu(rec->r.magic) != JTRACE_SITE_MAGIC ||
	    rec->r.tag_len > JTRACE_TAG_MAX || rec->r.file_len > JTRACE_FILE_MAX ||
	    rec->r.func_len > JTRACE_FUNC_MAX || padded > len)
		return false;
	jtrace_copy_words(rec->text, (const u8 *)at + sizeof(rec->r), padded - sizeof(rec->r));
	return le32_to_cpu(rec->r.crc) == record_crc(&rec->r);
}

/* Store and publish a record that is not there yet. */
static void adopt(struct jtrace_sites *s, union record *rec, u32 number)
{
	u32 len = record_len(&rec->r), slot = record_slot(rec);

	memset((u8 *)rec + len, 0, sizeof(*rec) - len);
	rec->r.image_id = cpu_to_le64(s->image_id);
	record_put(s, rec, number);
	while (s->index[slot & s->mask])
		slot++;
	s->index[slot & s->mask] = number;
	if (rec->r.kind == JTRACE_SITE_CALL)
		atomic64_inc(&s->stored);
}

/**
 * jtrace_sites_adopt() - take over another table, numbers included
 * @s: an empty table
 * @from: of another image
 *
 * Records that lie beyond the end of the new table are left out, and counted with
 * those that had found no room before: their entries show a number.  No other
 * site will get one of these.
 *
 * Context: Neither table is used meanwhile.
 */
void jtrace_sites_adopt(struct jtrace_sites *s, const struct jtrace_sites *from)
{
	s64 unstored = atomic64_read(&from->unstored), missing = 0;
	union record rec;
	u32 i, number;

	s->early = unstored;
	for (i = 0; i <= from->mask; i++) {
		number = from->index[i];
		if (!number)
			continue;
		if (!record_get(from->img + (u64)number * JTRACE_GRANULE,
				(u64)(from->end - number) * JTRACE_GRANULE, &rec)) {
			unstored++;
			s->early++;
		} else if (number + record_granules(&rec.r) > s->end) {
			unstored++;
			missing += record_granules(&rec.r) * JTRACE_GRANULE;
		} else {
			adopt(s, &rec, number);
		}
	}
	s->next = from->next;
	if (unstored)
		s->next = max_t(u64, s->next, from->beyond + unstored + 1);
	s->beyond = max_t(u64, s->end, s->next);
	atomic64_set(&s->unstored, unstored);
	atomic64_set(&s->missing, missing);
}

static const u8 *get_string(char *to, const u8 *from, u8 len)
{
	memcpy(to, from, len);
	to[len] = 0;
	return from + len;
}

/**
 * jtrace_site_parse() - read bytes that may be a site record
 * @at: aligned to 8; nothing there is trusted
 * @len: bytes that may be read
 * @image_id: result: of the image it belongs to
 * @number: result: of the record
 * @text: result
 *
 * Return: length of the record in bytes, or 0 if this is none.
 */
u32 jtrace_site_parse(const void *at, u64 len, u64 *image_id, u32 *number,
		      struct jtrace_site_text *text)
{
	union record rec;
	const u8 *from;

	if (!record_get(at, len, &rec))
		return 0;
	*image_id = le64_to_cpu(rec.r.image_id);
	*number = le32_to_cpu(rec.r.number);
	from = get_string(text->tag, rec.text, rec.r.tag_len);
	from = get_string(text->file, from, rec.r.file_len);
	get_string(text->func, from, rec.r.func_len);
	text->line = le32_to_cpu(rec.r.line);
	text->kind = rec.r.kind;
	return record_len(&rec.r);
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
	u64 at = (u64)number * JTRACE_GRANULE, id;
	u32 nr;

	return at >= l->sites_off && at < l->sites_end &&
	       jtrace_site_parse((const u8 *)img + at, l->sites_end - at, &id, &nr, text) &&
	       id == image_id && nr == number;
}

/**
 * jtrace_sites_stored() - how much is in the table of an image
 * @l: geometry of the image
 * @img: the image; nothing in it is trusted
 * @image_id: of it
 * @nr: result: records
 *
 * Return: bytes of the records.
 */
u64 jtrace_sites_stored(const struct jtrace_layout *l, const void *img, u64 image_id, u32 *nr)
{
	const u32 end = l->sites_end / JTRACE_GRANULE;
	u32 number = l->sites_off / JTRACE_GRANULE, granules;
	union record rec;
	u64 stored = 0;

	for (*nr = 0; number < end; number += granules) {
		const u64 at = (u64)number * JTRACE_GRANULE;

		granules = 1;
		if (!record_get((const u8 *)img + at, l->sites_end - at, &rec) ||
		    le64_to_cpu(rec.r.image_id) != image_id || le32_to_cpu(rec.r.number) != number)
			continue;
		granules = record_granules(&rec.r);
		stored += granules * JTRACE_GRANULE;
		++*nr;
	}
	return stored;
}

/**
 * jtrace_site_next_module() - go through the modules of an image
 * @l: geometry of the image
 * @img: the image; nothing in it is trusted
 * @image_id: of it
 * @number: where to begin, 0 at first
 * @text: result
 *
 * Return: the number to go on with, or 0 if there are no more.
 */
u32 jtrace_site_next_module(const struct jtrace_layout *l, const void *img, u64 image_id,
			    u32 number, struct jtrace_site_text *text)
{
	const u32 end = l->sites_end / JTRACE_GRANULE;

	number = max(number, l->sites_off / JTRACE_GRANULE);
	for (; number < end; number++)
		if (jtrace_site_read(l, img, image_id, number, text) &&
		    text->kind == JTRACE_SITE_MODULE)
			return number + 1;
	return 0;
}
