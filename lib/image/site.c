// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: site table
 *
 * An entry names its site by number, never by address: the strings of a module die with it
 * and move with KASLR.  When a site first fires, its strings go into the image, and the site's
 * own struct jtrace_site keeps the number.
 *
 * The table finds a record by content.  So a module that is loaded again finds its earlier
 * records, and so does a site that is created again at run time.  A hash index in ordinary
 * memory, with open addressing and no removal, finds and publishes records:
 *
 * - look: start at the slot of the hash; compare the record of each used slot until one
 *   matches or a slot is free;
 * - append: take granules from @next by cmpxchg, write the record there;
 * - publish: cmpxchg the free slot to the record's number.  If the slot is taken meanwhile,
 *   go on looking from that very slot: the winner may have published the same site, whose
 *   number is then used, or another one.
 *
 * No CPU waits for another: a CPU that stops between append and publish leaves a record that
 * no entry names, and later records get places of their own.  The loser's record stays, too.
 * This costs its bytes, only when two contexts meet on the first firing of one site.
 *
 * When the image is full, the table goes on in the spare, which is ordinary memory.  A record
 * there is found by content like any other.  It holds its own number, beyond all records of
 * the image.  So a site without room also has one number, counts once and shares its number
 * with no other site.
 *
 * A race for the last room in the image: while the winner's record is not published yet, the
 * loser's goes to the spare.  The winner then replaces it with its own, and
 * jtrace_site_stored() tells the caller to keep the winner's number.  When the spare is full,
 * too, a site is not remembered: each lookup counts and returns another number.
 *
 * Ordering, as in ring.c::
 *
 *   publish:A / look:B
 *     If look:B reads a number from publish:A, then the reader reads the record that the
 *     writer stored before.  (cmpxchg, smp_load_acquire)
 *
 * An entry publishes the number (ring.c, fill:B): if a reader reads the entry, then it reads the
 * record.  After a reset the record may be missing: record and entry are written back without
 * waiting.
 *
 * A quarter of a table that is not small is for modules, which are not in the index (module.c).
 *
 * An image that replaces another one adopts its records under their numbers: sites keep their
 * numbers.
 */

#include "place.h"
#include "site.h"

/* Slots of the hash index: a power of two, at least twice the records. */
static u32 index_slots(const struct jtrace_layout *l, u32 spare)
{
	u32 records = (l->sites_end - l->sites_off + spare) / JTRACE_SITE_RECORD_MIN;
	u32 slots = 16;

	while (slots < 2 * records)
		slots *= 2;
	return slots;
}

/**
 * jtrace_sites_room() - size of the ordinary memory that a table needs
 * @l: geometry
 * @spare: bytes for sites that the image has no room for, a multiple of 8
 *
 * Return: bytes.
 */
u32 jtrace_sites_room(const struct jtrace_layout *l, u32 spare)
{
	return index_slots(l, spare) * sizeof(u32) + spare +
	       jtrace_modules_most(l) * sizeof(struct jtrace_module_place);
}

/**
 * jtrace_sites_init() - set up an empty table
 * @s: the table
 * @l: geometry
 * @img: the image, whose site bytes are zero
 * @image_id: of the image
 * @room: jtrace_sites_room() zeroed bytes, aligned to 8
 * @spare: as passed to jtrace_sites_room()
 * @write_back: the image is in cached memory that must survive a reset
 */
void jtrace_sites_init(struct jtrace_sites *s, const struct jtrace_layout *l, void *img,
		       u64 image_id, void *room, u32 spare, bool write_back)
{
	const u32 slots = index_slots(l, spare), end = l->sites_end / JTRACE_GRANULE;

	*s = (struct jtrace_sites) {
		.img = img,
		.image_id = image_id,
		.first = l->sites_off / JTRACE_GRANULE,
		.next = l->sites_off / JTRACE_GRANULE,
		.end = end,
		.beyond = end,
		.index = room,
		.mask = slots - 1,
		.spare = (u8 *)room + slots * sizeof(u32),
		.spare_next = end,
		.spare_end = end + spare / JTRACE_GRANULE,
		.module = room + slots * sizeof(u32) + spare,
		.modules_most = jtrace_modules_most(l),
		.write_back = write_back,
	};
}

/**
 * jtrace_sites_suffice() - estimate the size of a table that holds all sites
 * @stored: bytes of the records that a table holds
 * @missing: bytes of the records that found no room there
 *
 * Add half: modules may take a quarter of the table, and up to one longest record, a
 * fourteenth, is lost at the end of each page.
 *
 * Return: bytes, whole pages, %JTRACE_LARGEST_SITES at the most.
 */
u64 jtrace_sites_suffice(u64 stored, u64 missing)
{
	u64 all = stored + missing;

	return min_t(u64, ALIGN(all + all / 2, (u64)JTRACE_PAGE), JTRACE_LARGEST_SITES);
}

static size_t record_len(const struct jtrace_site_record *r)
{
	return sizeof(*r) + r->tag_len + r->file_len + r->func_len;
}

/**
 * jtrace_site_granules() - size of a record
 * @r: the record
 *
 * Return: granules, with those of a struct jtrace_module_end behind the record of a module.
 */
u32 jtrace_site_granules(const struct jtrace_site_record *r)
{
	const u32 end = r->kind == JTRACE_SITE_MODULE ? sizeof(struct jtrace_module_end) : 0;

	return (ALIGN(record_len(r), JTRACE_GRANULE) + end) / JTRACE_GRANULE;
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

/**
 * jtrace_site_begin() - begin a record; its strings are to be put
 * @rec: result
 * @s: the table
 * @line: see &struct jtrace_site_record
 * @kind: same
 * @args: same
 */
void jtrace_site_begin(union jtrace_site_buffer *rec, const struct jtrace_sites *s, u32 line,
		       u8 kind, u32 args)
{
	memset(rec, 0, sizeof(*rec));
	rec->r.magic = cpu_to_le32(JTRACE_SITE_MAGIC);
	rec->r.image_id = cpu_to_le64(s->image_id);
	rec->r.line = cpu_to_le32(line);
	rec->r.kind = kind;
	rec->r.args = cpu_to_le32(args);
}

/* The record at a place: in the image or, from @end on, in the spare. */
static u8 *record_at(const struct jtrace_sites *s, u32 place)
{
	if (place < s->end)
		return s->img + (u64)place * JTRACE_GRANULE;
	return s->spare + (u64)(place - s->end) * JTRACE_GRANULE;
}

/* The number of a published record. */
static u32 record_number(const struct jtrace_sites *s, u32 place)
{
	const struct jtrace_site_record *r = (const void *)record_at(s, place);

	return place < s->end ? place : le32_to_cpu(r->number);
}

/* Is it the same site, apart from the number? */
static bool record_same(const struct jtrace_sites *s, u32 place,
			const union jtrace_site_buffer *rec)
{
	const u64 *word = (const u64 *)record_at(s, place);
	const u32 first = offsetof(struct jtrace_site_record, tag_len) / sizeof(u64);
	u32 i, granules = jtrace_site_granules(&rec->r);

	/* The line shares a word with the number; the rest is whole words. */
	if (place + granules > (place < s->end ? s->end : s->spare_end) ||
	    READ_ONCE(((const struct jtrace_site_record *)word)->line) != rec->r.line)
		return false;
	for (i = first; i < granules; i++)
		if (READ_ONCE(word[i]) != rec->word[i])
			return false;
	return true;
}

/**
 * jtrace_site_sign() - give a record its number, and make it valid
 * @rec: the record
 * @number: by which entries name it
 */
void jtrace_site_sign(union jtrace_site_buffer *rec, u32 number)
{
	rec->r.number = cpu_to_le32(number);
	rec->r.crc = cpu_to_le32(record_crc(&rec->r));
}

/**
 * jtrace_site_write() - write a signed record
 * @s: the table
 * @rec: the record
 * @place: where to
 */
void jtrace_site_write(const struct jtrace_sites *s, const union jtrace_site_buffer *rec, u32 place)
{
	u32 bytes = jtrace_site_granules(&rec->r) * JTRACE_GRANULE;
	u8 *to = record_at(s, place);

	jtrace_copy_words(to, rec, bytes);
	if (s->write_back && place < s->end)
		jtrace_write_back(to, bytes);
}

static void record_put(const struct jtrace_sites *s, union jtrace_site_buffer *rec, u32 place,
		       u32 number)
{
	jtrace_site_sign(rec, number);
	jtrace_site_write(s, rec, place);
}

static u32 sites_append(struct jtrace_sites *s, union jtrace_site_buffer *rec)
{
	u32 place = jtrace_place_alloc(&s->next, jtrace_site_granules(&rec->r), s->end);

	if (place)
		record_put(s, rec, place, place);
	return place;
}

/* The next number beyond all records of the image. */
static u32 number_beyond(struct jtrace_sites *s)
{
	return s->beyond + atomic64_inc_return(&s->numbered);
}

static u32 spare_append(struct jtrace_sites *s, union jtrace_site_buffer *rec)
{
	u32 place = jtrace_place_alloc(&s->spare_next, jtrace_site_granules(&rec->r), s->spare_end);

	if (place)
		record_put(s, rec, place, number_beyond(s));
	return place;
}

/* Add @nr to the sites that found no room in the image. */
static void count_unstored(struct jtrace_sites *s, const union jtrace_site_buffer *rec, s64 nr)
{
	atomic64_add(nr, &s->unstored);
	atomic64_add(nr * jtrace_site_granules(&rec->r) * JTRACE_GRANULE, &s->missing);
}

static void count_published(struct jtrace_sites *s, const union jtrace_site_buffer *rec, u32 place)
{
	if (place >= s->end)
		count_unstored(s, rec, 1);
	else
		atomic64_inc(&s->stored);
}

/* The slot of the index where the search for a record starts. */
static u32 record_slot(const union jtrace_site_buffer *rec)
{
	return jtrace_crc32c(le32_to_cpu(rec->r.line), rec->text,
			     record_len(&rec->r) - sizeof(rec->r));
}

/* Replace the record of the same site in the spare; false if the slot has changed. */
static bool sites_replace(struct jtrace_sites *s, const union jtrace_site_buffer *rec, u32 *at,
			  u32 spare, u32 mine)
{
	/* If look:B reads @mine, then it reads the record, which is stored already. */
	if (cmpxchg(at, spare, mine) != spare)	/* publish:A */
		return false;
	count_unstored(s, rec, -1);
	count_published(s, rec, mine);
	return true;
}

/* Find or store a record; return its place, 0 if there is no room. */
static u32 record_store(struct jtrace_sites *s, union jtrace_site_buffer *rec)
{
	u32 mine = 0, seen, slot = record_slot(rec), tries;

	for (tries = 0; tries <= s->mask; ) {
		u32 *at = &s->index[slot & s->mask];

		/* If look:B reads a number from publish:A, then its record can be compared. */
		seen = smp_load_acquire(at);		/* look:B */
		if (!seen) {
			if (!mine)
				mine = sites_append(s, rec);
			/* Did the same site take the last room? */
			if (!mine && smp_load_acquire(at))	/* look:B */
				continue;
			if (!mine)
				mine = spare_append(s, rec);
			if (!mine)
				break;
			seen = cmpxchg(at, 0, mine);	/* publish:A */
			if (!seen) {
				count_published(s, rec, mine);
				return mine;
			}
			continue;	/* another context was first: look at its record */
		}
		if (record_same(s, seen, rec)) {
			if (!mine || mine >= s->end || seen < s->end)
				return seen;
			if (sites_replace(s, rec, at, seen, mine))
				return mine;
			continue;
		}
		slot++;
		tries++;
	}
	return 0;
}

/**
 * jtrace_site_intern() - find or store a site
 * @s: the table
 * @tag: cut to %JTRACE_TAG_MAX bytes; the other strings are cut to their limits
 * @file: path; its last component is kept
 * @func: function
 * @line: line
 * @kind: enum jtrace_site_kind
 * @args: &jtrace_site_record.args
 *
 * Context: Any; the caller bounds recursion through the functions called here (memory, string,
 * CRC).
 * Return: the site's number in the image, the same for the same content.  Without room in the
 * image: a number of its own beyond all records, the same as long as the spare lasts.
 */
u32 jtrace_site_intern(struct jtrace_sites *s, const char *tag, const char *file,
		       const char *func, u32 line, u8 kind, u32 args)
{
	union jtrace_site_buffer rec;
	u8 *at = rec.text;
	u32 place;

	file = basename_of(file);
	jtrace_site_begin(&rec, s, line, kind, args);
	at = jtrace_site_put(at, &rec.r.tag_len, tag, strnlen(tag, JTRACE_TAG_MAX));
	at = jtrace_site_put(at, &rec.r.file_len, file, strnlen(file, JTRACE_FILE_MAX));
	jtrace_site_put(at, &rec.r.func_len, func, strnlen(func, JTRACE_FUNC_MAX));
	place = record_store(s, &rec);
	if (place)
		return record_number(s, place);
	count_unstored(s, &rec, 1);
	return number_beyond(s);
}

/**
 * jtrace_site_copy() - copy bytes that may be a record
 * @at: aligned to 8, not trusted
 * @len: bytes that may be read
 * @rec: result
 *
 * Return: false if they are not a record.
 */
bool jtrace_site_copy(const void *at, u64 len, union jtrace_site_buffer *rec)
{
	u64 padded;

	if (len < sizeof(rec->r))
		return false;
	/* Check and use one copy: the image may change. */
	jtrace_copy_words(&rec->r, at, sizeof(rec->r));
	padded = (u64)jtrace_site_granules(&rec->r) * JTRACE_GRANULE;
	if (le32_to_cpu(rec->r.magic) != JTRACE_SITE_MAGIC ||
	    rec->r.tag_len > JTRACE_TAG_MAX || rec->r.file_len > JTRACE_FILE_MAX ||
	    rec->r.func_len > JTRACE_FUNC_MAX || padded > len)
		return false;
	jtrace_copy_words(rec->text, (const u8 *)at + sizeof(rec->r), padded - sizeof(rec->r));
	return le32_to_cpu(rec->r.crc) == record_crc(&rec->r);
}

/* Store and publish a new record at a place. */
static void adopt_at(struct jtrace_sites *s, union jtrace_site_buffer *rec, u32 place, u32 number)
{
	u32 len = record_len(&rec->r), slot = record_slot(rec);

	memset((u8 *)rec + len, 0, sizeof(*rec) - len);
	rec->r.image_id = cpu_to_le64(s->image_id);
	record_put(s, rec, place, number);
	while (s->index[slot & s->mask])
		slot++;
	s->index[slot & s->mask] = place;
}

static void adopt(struct jtrace_sites *s, const struct jtrace_sites *from, u32 number)
{
	union jtrace_site_buffer rec;
	u32 place;

	if (!jtrace_site_copy(record_at(from, number), (u64)(from->end - number) * JTRACE_GRANULE,
			      &rec)) {
		s->early++;
	} else if (number + jtrace_site_granules(&rec.r) <= s->end) {
		adopt_at(s, &rec, number, number);
		count_published(s, &rec, number);
	} else {
		/* No room in the image; a record in the spare keeps its number. */
		place = jtrace_place_alloc(&s->spare_next, jtrace_site_granules(&rec.r),
					   s->spare_end);
		if (place)
			adopt_at(s, &rec, place, number);
		count_unstored(s, &rec, 1);
	}
}

/**
 * jtrace_sites_adopt() - copy the records of another table under their numbers
 * @s: an empty table
 * @from: of another image, without spare
 *
 * Records beyond the end of the new table are left out, and counted with those that had
 * found no room before: their entries show a number.  No other site gets one of these.
 *
 * Context: Neither table may be used meanwhile.
 */
void jtrace_sites_adopt(struct jtrace_sites *s, const struct jtrace_sites *from)
{
	u64 numbered = atomic64_read(&from->numbered);
	u32 i;

	s->early = atomic64_read(&from->unstored);
	for (i = 0; i <= from->mask; i++)
		if (from->index[i])
			adopt(s, from, from->index[i]);
	atomic64_add(s->early, &s->unstored);
	s->next = from->next;
	if (numbered)
		s->next = max_t(u64, s->next, from->beyond + numbered + 1);
	s->beyond = max_t(u64, s->end, s->next);
}

static const u8 *get_string(char *to, const u8 *from, u8 len)
{
	memcpy(to, from, len);
	to[len] = 0;
	return from + len;
}

static void get_text(const union jtrace_site_buffer *rec, struct jtrace_site_text *text)
{
	const u8 *from = rec->text;

	from = get_string(text->tag, from, rec->r.tag_len);
	from = get_string(text->file, from, rec->r.file_len);
	get_string(text->func, from, rec->r.func_len);
	text->line = le32_to_cpu(rec->r.line);
	text->kind = rec->r.kind;
	text->partial = le32_to_cpu(rec->r.args) & JTRACE_ARGS_PARTIAL;
	text->args = jtrace_args_known(le32_to_cpu(rec->r.args));
}

/**
 * jtrace_site_parse() - read bytes that may be a site record
 * @at: aligned to 8, not trusted
 * @len: bytes that may be read
 * @image_id: result: of the record's image
 * @number: result: of the record
 * @text: result
 *
 * Return: length in bytes of the record and what belongs to it, 0 if the bytes are not a record.
 */
u32 jtrace_site_parse(const void *at, u64 len, u64 *image_id, u32 *number,
		      struct jtrace_site_text *text)
{
	union jtrace_site_buffer rec;

	if (!jtrace_site_copy(at, len, &rec))
		return 0;
	*image_id = le64_to_cpu(rec.r.image_id);
	*number = le32_to_cpu(rec.r.number);
	get_text(&rec, text);
	return jtrace_site_granules(&rec.r) * JTRACE_GRANULE;
}

/**
 * jtrace_site_get() - copy a record of an image
 * @l: geometry of the image
 * @img: the image, not trusted
 * @image_id: of the image
 * @number: from an entry
 * @rec: result
 *
 * Return: false if there is no valid record of that number.
 */
bool jtrace_site_get(const struct jtrace_layout *l, const void *img, u64 image_id, u32 number,
		     union jtrace_site_buffer *rec)
{
	u64 at = (u64)number * JTRACE_GRANULE;

	return at >= l->sites_off && at < l->sites_end &&
	       jtrace_site_copy((const u8 *)img + at, l->sites_end - at, rec) &&
	       le64_to_cpu(rec->r.image_id) == image_id && le32_to_cpu(rec->r.number) == number;
}

/**
 * jtrace_site_read() - read a site of an image
 * @l: geometry of the image
 * @img: the image, not trusted
 * @image_id: of the image
 * @number: from an entry
 * @text: result
 *
 * Return: false if there is no valid record of that number.
 */
bool jtrace_site_read(const struct jtrace_layout *l, const void *img, u64 image_id,
		      u32 number, struct jtrace_site_text *text)
{
	union jtrace_site_buffer rec;

	if (!jtrace_site_get(l, img, image_id, number, &rec))
		return false;
	get_text(&rec, text);
	return true;
}

/**
 * jtrace_sites_stored() - measure the records in the table of an image
 * @l: geometry of the image
 * @img: the image, not trusted
 * @image_id: of the image
 * @nr: result: number of records
 *
 * Return: bytes of the records.
 */
u64 jtrace_sites_stored(const struct jtrace_layout *l, const void *img, u64 image_id, u32 *nr)
{
	const u32 end = l->sites_end / JTRACE_GRANULE;
	u32 number = l->sites_off / JTRACE_GRANULE, granules;
	union jtrace_site_buffer rec;
	u64 stored = 0;

	for (*nr = 0; number < end; number += granules) {
		granules = 1;
		if (!jtrace_site_get(l, img, image_id, number, &rec))
			continue;
		granules = jtrace_site_granules(&rec.r);
		stored += granules * JTRACE_GRANULE;
		++*nr;
	}
	return stored;
}
