// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: modules
 *
 * An address in a module has a name as long as the module is loaded.  So the site table has a
 * record for each time that one was loaded, with the moment, and behind it the moment at which it
 * was unloaded, which is written then.  Its room is there from the beginning: a module that has a
 * name can always lose it.  An address that belonged to several modules in turn is of the one that
 * was there at the time of the entry, and of none in between: a module that found no room in the
 * table may have been there.
 *
 * If there is no room, the record of the module that was unloaded first is overwritten, if it is as
 * long.  So a driver that is loaded again and again needs no more room.
 */

#include "module.h"
#include "place.h"

/* Where the end of a module is, from its record on. */
static u32 end_offset(const struct jtrace_site_record *r)
{
	return jtrace_site_granules(r) * JTRACE_GRANULE - sizeof(struct jtrace_module_end);
}

static __le32 end_check(u32 crc, __le64 until)
{
	return cpu_to_le32(jtrace_crc32c(crc, &until, sizeof(until)));
}

static struct jtrace_module_end end_of(u32 crc, u64 until)
{
	return (struct jtrace_module_end) {
		.until = cpu_to_le64(until),
		.check = end_check(crc, cpu_to_le64(until)),
	};
}

/* The place of the module that was unloaded first, of those with records of a size. */
static struct jtrace_module_place *oldest_place(const struct jtrace_sites *s, u32 granules)
{
	struct jtrace_module_place *oldest = NULL, *p;

	for (p = s->module; p < s->module + s->nr_modules; p++)
		if (p->granules == granules && p->until != ~0ULL &&
		    (!oldest || p->until < oldest->until))
			oldest = p;
	return oldest;
}

/* Take a place, in the room up to @end or that of another module; NULL if there is none. */
static struct jtrace_module_place *take_record_place(struct jtrace_sites *s, u32 granules, u32 end)
{
	struct jtrace_module_place *p = &s->module[s->nr_modules];

	if (s->nr_modules == s->modules_most)
		return oldest_place(s, granules);
	p->place = jtrace_place_alloc(&s->next, granules, end);
	if (!p->place)
		return oldest_place(s, granules);
	p->granules = granules;
	s->nr_modules++;
	return p;
}

/**
 * jtrace_module_note() - store where a module lies
 * @s: the table
 * @m: the module; @m->until does not matter
 * @late: it is loaded now, not before jtrace
 *
 * To symbolize addresses from the trace.  A quarter of a table that is not small is for modules,
 * and a quarter of that for those that are loaded later, such as a driver under test.  A module
 * without room is left out, and counted.
 *
 * Context: Any; the caller serializes writers.  Reads a list of %JTRACE_MODULES_MOST at most.
 */
void jtrace_module_note(struct jtrace_sites *s, const struct jtrace_module *m, bool late)
{
	struct jtrace_module_record where = {
		.module = cpu_to_le64(m->module),
		.from = cpu_to_le64(m->from),
	};
	u32 room = (s->end - s->first) / JTRACE_MODULES_SHARE, i;
	struct jtrace_module_place *p;
	union jtrace_site_buffer rec;
	struct jtrace_module_end end;
	u8 *at = rec.text;

	if (!s->modules_most)
		return;
	for (i = 0; i < JTRACE_MODULE_RANGES; i++) {
		where.base[i] = cpu_to_le64(m->base[i]);
		where.size[i] = cpu_to_le32(m->size[i]);
	}
	jtrace_site_begin(&rec, s, 0, JTRACE_SITE_MODULE, 0);
	at = jtrace_site_put(at, &rec.r.tag_len, m->name, strnlen(m->name, JTRACE_TAG_MAX));
	at = jtrace_site_put(at, &rec.r.file_len, m->build_id,
			     m->has_id ? sizeof(m->build_id) : 0);
	jtrace_site_put(at, &rec.r.func_len, &where, sizeof(where));
	p = take_record_place(s, jtrace_site_granules(&rec.r),
			      s->first + (late ? room : room - room / 4));
	if (!p) {
		s->modules_unstored++;
		return;
	}
	jtrace_site_sign(&rec, p->place);
	p->module = m->module;
	p->until = ~0ULL;
	p->crc = le32_to_cpu(rec.r.crc);
	end = end_of(p->crc, p->until);
	memcpy((u8 *)&rec + end_offset(&rec.r), &end, sizeof(end));
	jtrace_site_write(s, &rec, p->place);
}

static void put_end(const struct jtrace_sites *s, const struct jtrace_module_place *p)
{
	const struct jtrace_module_end end = end_of(p->crc, p->until);
	u8 *to = s->img + (u64)(p->place + p->granules) * JTRACE_GRANULE - sizeof(end);

	jtrace_copy_words(to, &end, sizeof(end));
	if (s->write_back)
		jtrace_write_back(to, sizeof(end));
	/* Its addresses may be of another module soon. */
	jtrace_write_back_wait();
}

/**
 * jtrace_module_end() - store that a module is unloaded
 * @s: the table
 * @module: address of its struct module
 * @until: now, raw time
 *
 * Context: Any; the caller serializes writers.  Reads a list of %JTRACE_MODULES_MOST at most.
 */
void jtrace_module_end(struct jtrace_sites *s, u64 module, u64 until)
{
	struct jtrace_module_place *p;

	for (p = s->module; p < s->module + s->nr_modules; p++) {
		if (p->module != module || p->until != ~0ULL)
			continue;
		p->until = until;
		put_end(s, p);
	}
}

/*
 * The note with the build id lies among the first read-only data of a module on 6.1.  On 6.12 it is
 * among the last, before the names of exported symbols.  So look at no more than these.
 */
#define NOTE_FIRST	(64 << 10)
#define NOTE_LAST	(1024 << 10)

/* Header and name of the note, and the build id. */
#define NOTE_SIZE	(16 + JTRACE_BUILD_ID_SIZE)
#define NOTE_TYPE	3			/* NT_GNU_BUILD_ID */
#define NOTE_NAME	0x00554e47		/* "GNU" */

/*
 * The numbers are compared one by one, so that they are not in our own read-only data in the order
 * of a note.
 */
static bool scan_for_note(const void *data, u32 from, u32 to, u8 *id)
{
	const u32 *word;
	u32 at;

	for (at = ALIGN(from, sizeof(*word)); at + NOTE_SIZE <= to; at += sizeof(*word)) {
		word = data + at;
		if (word[0] != 4 || word[1] != JTRACE_BUILD_ID_SIZE || word[2] != NOTE_TYPE ||
		    word[3] != NOTE_NAME)
			continue;
		memcpy(id, &word[4], JTRACE_BUILD_ID_SIZE);
		return true;
	}
	return false;
}

/**
 * jtrace_module_find_id() - find the build id of a module
 * @data: its read-only data, aligned to 4
 * @size: bytes
 * @id: result
 *
 * Most kernels do not keep it (CONFIG_STACKTRACE_BUILD_ID).
 *
 * Context: Any; reads at most 1.1 MiB.
 * Return: false if there is none where a linker puts it.
 */
bool jtrace_module_find_id(const void *data, u32 size, u8 id[JTRACE_BUILD_ID_SIZE])
{
	return scan_for_note(data, 0, min_t(u32, size, NOTE_FIRST), id) ||
	       scan_for_note(data, size - min_t(u32, size, NOTE_LAST), size, id);
}

/* When was the module unloaded?  False if the image does not tell whether it was. */
static bool end_get(const union jtrace_site_buffer *rec, u64 *until)
{
	struct jtrace_module_end end;

	memcpy(&end, (const u8 *)rec + end_offset(&rec->r), sizeof(end));
	*until = le64_to_cpu(end.until);
	return end.check == end_check(le32_to_cpu(rec->r.crc), end.until);
}

/* Read the record of a module; false if it is another one. */
static bool module_get(const union jtrace_site_buffer *rec, struct jtrace_module *m)
{
	const u8 *at = rec->text;
	struct jtrace_module_record where;
	u32 i;

	if (rec->r.kind != JTRACE_SITE_MODULE || rec->r.func_len != sizeof(where) ||
	    (rec->r.file_len && rec->r.file_len != sizeof(m->build_id)))
		return false;
	memset(m, 0, sizeof(*m));
	if (!end_get(rec, &m->until))
		return false;
	memcpy(m->name, at, rec->r.tag_len);
	at += rec->r.tag_len;
	m->has_id = rec->r.file_len;
	memcpy(m->build_id, at, rec->r.file_len);
	memcpy(&where, at + rec->r.file_len, sizeof(where));
	m->module = le64_to_cpu(where.module);
	m->from = le64_to_cpu(where.from);
	for (i = 0; i < JTRACE_MODULE_RANGES; i++) {
		m->base[i] = le64_to_cpu(where.base[i]);
		m->size[i] = le32_to_cpu(where.size[i]);
	}
	return true;
}

/**
 * jtrace_module_changed() - find out when the record of a module changed last
 * @at: jtrace_site_parse() says that it is a record
 * @len: bytes that may be read
 *
 * Return: when the module was unloaded or, if it was not, loaded, raw time; 0 if that is not known.
 */
u64 jtrace_module_changed(const void *at, u64 len)
{
	union jtrace_site_buffer rec;
	struct jtrace_module m;

	if (!jtrace_site_copy(at, len, &rec) || !module_get(&rec, &m))
		return 0;
	return m.until == ~0ULL ? m.from : m.until;
}

/**
 * jtrace_module_next() - iterate over the modules of an image
 * @l: geometry of the image
 * @img: the image, not trusted
 * @image_id: of the image
 * @number: where to start, 0 at first
 * @m: result
 *
 * Return: the number for the next call, or 0 at the end.
 */
u32 jtrace_module_next(const struct jtrace_layout *l, const void *img, u64 image_id, u32 number,
		       struct jtrace_module *m)
{
	const u32 end = l->sites_end / JTRACE_GRANULE;
	union jtrace_site_buffer rec;

	number = max(number, l->sites_off / JTRACE_GRANULE);
	for (; number < end; number++)
		if (jtrace_site_get(l, img, image_id, number, &rec) && module_get(&rec, m))
			return number + 1;
	return 0;
}
