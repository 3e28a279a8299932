// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: log
 *
 * The kernel log in an image: one record for each line, in a ring.  A record is valid by itself:
 * it has a CRC, the id of the image and its place.  So damage costs the lines that it hits, and a
 * machine that dies in the middle of a record loses one line.
 *
 * Records carry the number of their message in the kernel log.  A reader sorts them by this number,
 * and drops copies.  So several writers, each in its own part of the area, may store the same
 * message.
 *
 * A record never crosses a page, so that each page of an image shows where it belongs.
 */

#include "log.h"

static_assert(sizeof(struct jtrace_log_record) == 48);

#define LOG_HEAD	sizeof(struct jtrace_log_record)
#define LOG_CRC_FROM	offsetof(struct jtrace_log_record, image_id)
#define LOG_RECORD_MAX	ALIGN(LOG_HEAD + JTRACE_LOG_TEXT_MAX, JTRACE_GRANULE)

/* The shortest and longest default size of the area, and the smallest image that has one. */
#define LOG_LEAST	(16U << 10)
#define LOG_MOST	(256U << 10)
#define LOG_FROM	(256U << 10)
#define LOG_SHARE	16

union buffer {
	struct jtrace_log_record r;
	u64 word[LOG_RECORD_MAX / sizeof(u64)];
};

static u32 log_crc(const union buffer *rec)
{
	return jtrace_crc32c(~0U, (const u8 *)rec + LOG_CRC_FROM,
			     LOG_HEAD - LOG_CRC_FROM + rec->r.len);
}

/**
 * jtrace_log_default() - choose the size of the area for log records
 * @size: bytes for the whole image
 *
 * Return: bytes, 0 in an image too small to spare any.
 */
u64 jtrace_log_default(u64 size)
{
	if (size < LOG_FROM)
		return 0;
	return ALIGN_DOWN(min_t(u64, max_t(u64, size / LOG_SHARE, LOG_LEAST), LOG_MOST),
			  (u64)JTRACE_SIZE_ALIGN);
}

/* ---- Writing ---------------------------------------------------------- */

/**
 * jtrace_log_init() - begin to store log records
 * @g: result
 * @img: the image; the bytes for records are zero
 * @image_id: of the image
 * @off: first byte for records, a multiple of %JTRACE_GRANULE
 * @size: bytes for records
 * @write_back: write each record back to memory
 */
void jtrace_log_init(struct jtrace_log *g, void *img, u64 image_id, u32 off, u32 size,
		     bool write_back)
{
	*g = (struct jtrace_log){
		.img = img,
		.image_id = image_id,
		.off = off,
		.size = ALIGN_DOWN(size, (u32)JTRACE_GRANULE),
		.write_back = write_back,
	};
}

/**
 * jtrace_log_need() - compute the memory that a line takes
 * @len: bytes of text
 *
 * Return: bytes, without those lost at the end of a page.
 */
u32 jtrace_log_need(u32 len)
{
	u32 rest = len % JTRACE_LOG_TEXT_MAX;
	u32 need = len / JTRACE_LOG_TEXT_MAX * LOG_RECORD_MAX;

	return rest || !len ? need + ALIGN((u32)LOG_HEAD + rest, (u32)JTRACE_GRANULE) : need;
}

static void put_words(struct jtrace_log *g, const u64 *from, u32 bytes)
{
	u8 *at = g->img + g->off + g->next;

	jtrace_copy_words(at, from, bytes);
	if (g->write_back)
		jtrace_write_back(at, bytes);
	g->next += bytes;
}

/* Bytes that a record may have at the next offset. */
static u32 bytes_left(const struct jtrace_log *g)
{
	u32 page = JTRACE_PAGE - (g->off + g->next) % JTRACE_PAGE;

	return min(page, g->size - g->next);
}

/* Go on at an offset where @bytes fit; clear what is passed over, as it is older than the rest. */
static bool seek_room(struct jtrace_log *g, u32 bytes)
{
	static const u64 zero;
	u32 tries;

	/* At the most: the end of a page, the end of the area, the end of a first short page. */
	for (tries = 0; tries < 4; tries++) {
		u32 n = bytes_left(g);

		if (n >= bytes)
			return true;
		for (; n; n -= sizeof(zero))
			put_words(g, &zero, sizeof(zero));
		if (g->next == g->size)
			g->next = 0;
	}
	return false;
}

static bool store_part(struct jtrace_log *g, const struct jtrace_log_line *line, u16 part,
		       const char *text, u32 len)
{
	u32 bytes = ALIGN(LOG_HEAD + len, JTRACE_GRANULE);
	union buffer rec = { 0 };

	if (!seek_room(g, bytes))
		return false;
	rec.r = (struct jtrace_log_record){
		.magic = cpu_to_le32(JTRACE_LOG_MAGIC),
		.image_id = cpu_to_le64(g->image_id),
		.seq = cpu_to_le64(line->seq),
		.time = cpu_to_le64(line->time),
		.shift = cpu_to_le64(line->shift),
		.place = cpu_to_le32((g->off + g->next) / JTRACE_GRANULE),
		.part = cpu_to_le16(part),
		.len = len,
		.prio = line->prio,
	};
	memcpy((u8 *)&rec + LOG_HEAD, text, len);
	rec.r.crc = cpu_to_le32(log_crc(&rec));
	put_words(g, rec.word, bytes);
	return true;
}

/**
 * jtrace_log_store() - store a line, and overwrite the oldest if there is no room
 * @g: where
 * @line: the line, cut to %JTRACE_LOG_LINE_MAX; %missing is not stored
 *
 * Context: Any; the caller serializes writers.
 * Return: number of the part that follows the line in its message.
 */
u16 jtrace_log_store(struct jtrace_log *g, const struct jtrace_log_line *line)
{
	const u32 all = min_t(u32, line->len, JTRACE_LOG_LINE_MAX);
	u32 part = line->part, at = 0, len;

	do {
		len = min_t(u32, all - at, JTRACE_LOG_TEXT_MAX);
		if (part > JTRACE_LOG_PART ||
		    !store_part(g, line, part | (at ? JTRACE_LOG_CONT : 0) |
				(at + len < all ? JTRACE_LOG_MORE : 0), line->text + at, len))
			break;
		at += len;
		part++;
	} while (at < all);
	if (g->write_back)
		jtrace_write_back_wait();
	return part;
}

/* Read a decimal number of @digits, or more if @digits is 0; return the bytes it has. */
static u32 parse_number(const char *text, u32 len, u32 digits, u64 *value)
{
	u32 n;

	*value = 0;
	for (n = 0; n < len && (!digits || n < digits) && n < 18; n++) {
		if (text[n] < '0' || text[n] > '9')
			break;
		*value = 10 * *value + (text[n] - '0');
	}
	return digits && n != digits ? 0 : n;
}

/*
 * The kernel has 3 bits for the level and 8 for the facility.  A record has room for 5 of these:
 * facilities above 31 become 31.
 */
#define LEVEL_BITS		7
#define FACILITY_MAX	31
#define PREFIX_MAX	2047

/* "<6>" */
static u32 parse_prio(const char *text, u32 len, u8 *prio)
{
	u64 value;
	u32 n;

	if (!len || text[0] != '<')
		return 0;
	n = parse_number(text + 1, len - 1, 0, &value);
	if (!n || value > PREFIX_MAX || n + 1 >= len || text[n + 1] != '>')
		return 0;
	*prio = (value & LEVEL_BITS) | min_t(u64, value >> 3, FACILITY_MAX) << 3;
	return n + 2;
}

/* "[   12.345678]", and a space if one follows */
static u32 parse_time(const char *text, u32 len, u64 *time)
{
	u64 sec, usec;
	u32 at = 0, n;

	if (!len || text[at++] != '[')
		return 0;
	while (at < len && text[at] == ' ')
		at++;
	n = parse_number(text + at, len - at, 0, &sec);
	at += n;
	if (!n || sec > U32_MAX || at >= len || text[at++] != '.')
		return 0;
	n = parse_number(text + at, len - at, 6, &usec);
	at += n;
	if (!n || at >= len || text[at++] != ']')
		return 0;
	*time = (sec * 1000000 + usec) * 1000;
	return at + (at < len && text[at] == ' ');
}

/**
 * jtrace_log_parse() - split a line as kmsg_dump_get_line() gives it, with its prefix
 * @text: a line, or several; "<6>[   12.345678] text\n"
 * @len: bytes of @text, not 0
 * @line: result: prio, time, text and len; without a prefix prio is 0 and there is no time
 *
 * Return: bytes of the line, its newline included.
 */
u32 jtrace_log_parse(const char *text, u32 len, struct jtrace_log_line *line)
{
	const char *end = memchr(text, '\n', len);
	u32 whole = end ? end - text : len, at;

	line->prio = 0;
	line->time = JTRACE_LOG_NO_TIME;
	at = parse_prio(text, whole, &line->prio);
	at += parse_time(text + at, whole - at, &line->time);
	line->text = text + at;
	line->len = whole - at;
	return end ? whole + 1 : len;
}

/* ---- Reading ---------------------------------------------------------- */

/* Copy bytes that may be a record; return its length without padding, or 0. */
static u32 buffer_parse(const void *at, u64 len, union buffer *rec)
{
	u32 bytes;

	if (len < LOG_HEAD)
		return 0;
	/* Check and use one copy: the image may change. */
	jtrace_copy_words(rec, at, LOG_HEAD);
	bytes = LOG_HEAD + rec->r.len;
	if (le32_to_cpu(rec->r.magic) != JTRACE_LOG_MAGIC ||
	    ALIGN(bytes, (u32)JTRACE_GRANULE) > len)
		return 0;
	jtrace_copy_words((u8 *)rec + LOG_HEAD, (const u8 *)at + LOG_HEAD,
			  ALIGN(bytes, (u32)JTRACE_GRANULE) - LOG_HEAD);
	return le32_to_cpu(rec->r.crc) == log_crc(rec) ? bytes : 0;
}

/**
 * jtrace_log_record() - read bytes that may be a log record
 * @at: aligned to 8, not trusted
 * @len: bytes that may be read
 * @image_id: result: of the record's image
 * @place: result: of the record
 *
 * Return: length of the record in bytes, or 0 if the bytes are not a record.
 */
u32 jtrace_log_record(const void *at, u64 len, u64 *image_id, u32 *place)
{
	union buffer rec;
	u32 bytes = buffer_parse(at, len, &rec);

	if (!bytes)
		return 0;
	*image_id = le64_to_cpu(rec.r.image_id);
	*place = le32_to_cpu(rec.r.place);
	return bytes;
}

/* Copy a record of the image at its place; return its length with padding, or 0. */
static u32 buffer_get(const struct jtrace_trace *t, u64 at, u64 end, union buffer *rec)
{
	u32 bytes = buffer_parse((const u8 *)t->img + at, end - at, rec);

	if (!bytes || le64_to_cpu(rec->r.image_id) != t->image_id ||
	    (u64)le32_to_cpu(rec->r.place) * JTRACE_GRANULE != at)
		return 0;
	return ALIGN(bytes, (u32)JTRACE_GRANULE);
}

/* A line without text so far, which begins in a record. */
static void line_begin(struct jtrace_log_line *line, const struct jtrace_log_record *r,
		       const char *text)
{
	*line = (struct jtrace_log_line){
		.seq = le64_to_cpu(r->seq),
		.time = le64_to_cpu(r->time),
		.shift = le64_to_cpu(r->shift),
		.part = le16_to_cpu(r->part) & JTRACE_LOG_PART,
		.prio = r->prio,
		.text = text,
	};
}

/* Find the next record from @at on; return its offset, or @end.  @rec has a copy. */
static u64 record_next(const struct jtrace_trace *t, u64 at, u64 end, union buffer *rec, u32 *bytes)
{
	for (; at + LOG_HEAD <= end; at += JTRACE_GRANULE) {
		if (t->can_sleep)
			cond_resched();
		*bytes = buffer_get(t, at, end, rec);
		if (*bytes)
			return at;
	}
	return end;
}

/**
 * jtrace_log_count() - count the log records of an image
 * @t: an image that was opened; @t->log.nr is set, and jtrace_recover_room() has room for them
 *
 * Without it, jtrace_recover_scan() does not look for any.
 */
void jtrace_log_count(struct jtrace_trace *t)
{
	u64 at = t->l.log_off, end = at + t->l.log_size;
	union buffer rec;
	u32 bytes;

	t->log.nr = 0;
	while ((at = record_next(t, at, end, &rec, &bytes)) < end) {
		at += bytes;
		t->log.nr++;
	}
}

/* Keep one of the records that have the same part of the same message. */
static void drop_copies(struct jtrace_keys *k)
{
	u32 i, kept = 0;

	for (i = 0; i < k->nr; i++)
		if (!kept || k->key[kept - 1].time != k->key[i].time ||
		    k->key[kept - 1].tie >> 32 != k->key[i].tie >> 32)
			k->key[kept++] = k->key[i];
	k->nr = kept;
}

/**
 * jtrace_log_scan() - find and sort the log records of an image
 * @t: jtrace_log_count() counted them, and @t->log.key has room for as many
 */
void jtrace_log_scan(struct jtrace_trace *t)
{
	u64 at = t->l.log_off, end = at + t->l.log_size;
	u32 bytes, most = t->log.nr;
	union buffer rec;

	t->log.nr = 0;
	while (t->log.nr < most && (at = record_next(t, at, end, &rec, &bytes)) < end) {
		t->log.key[t->log.nr++] = (struct jtrace_key){
			le64_to_cpu(rec.r.seq),
			(u64)(le16_to_cpu(rec.r.part) & JTRACE_LOG_PART) << 32 |
			le32_to_cpu(rec.r.place),
		};
		at += bytes;
	}
	jtrace_keys_sort(&t->log, t->can_sleep);
	drop_copies(&t->log);
}

static bool buffer_at(const struct jtrace_trace *t, u32 index, union buffer *rec)
{
	return buffer_get(t, (t->log.key[index].tie & U32_MAX) * JTRACE_GRANULE,
			  t->l.log_off + (u64)t->l.log_size, rec);
}

/**
 * jtrace_log_part() - read one record
 * @t: an image that was scanned
 * @index: of the record in @t->log
 * @line: result: the line that begins in this record, its text cut to that of the record
 * @text: memory for %JTRACE_LOG_TEXT_MAX bytes
 *
 * Return: false if no line begins there.
 */
bool jtrace_log_part(const struct jtrace_trace *t, u32 index, struct jtrace_log_line *line,
		     char *text)
{
	union buffer rec;

	if (!buffer_at(t, index, &rec) ||
	    le16_to_cpu(rec.r.part) & JTRACE_LOG_CONT)
		return false;
	line_begin(line, &rec.r, text);
	line->len = rec.r.len;
	memcpy(text, (u8 *)&rec + LOG_HEAD, rec.r.len);
	return true;
}

/**
 * jtrace_log_open() - begin to read the lines of the kernel log
 * @r: result
 * @t: an image that was scanned
 */
void jtrace_log_open(struct jtrace_log_reader *r, const struct jtrace_trace *t)
{
	r->t = t;
	r->at = 0;
	r->shown = false;
}

/* Copy the next record. */
static bool next_record(struct jtrace_log_reader *r, union buffer *rec)
{
	const struct jtrace_trace *t = r->t;

	while (r->at < t->log.nr)
		if (buffer_at(t, r->at++, rec))
			return true;
	return false;
}

/* Add a record to @line.  Return false if it does not continue the line. */
static bool add_part(struct jtrace_log_reader *r, const union buffer *rec,
		     struct jtrace_log_line *line)
{
	u16 part = le16_to_cpu(rec->r.part);
	u64 seq = le64_to_cpu(rec->r.seq);

	if (!(part & JTRACE_LOG_CONT)) {
		line_begin(line, &rec->r, r->text);
	} else if (!line->text || seq != line->seq || (part & JTRACE_LOG_PART) != r->part ||
		   line->len + rec->r.len > sizeof(r->text)) {
		line->text = NULL;
		return false;
	}
	memcpy(r->text + line->len, (const u8 *)rec + LOG_HEAD, rec->r.len);
	line->len += rec->r.len;
	r->part = (part & JTRACE_LOG_PART) + 1;
	return true;
}

/**
 * jtrace_log_next() - read the next line of the kernel log that the filter wants
 * @r: reader
 * @line: result; @line->text is valid until the next call
 *
 * A line of which a part is lost is left out.  What is lost before the first line, and at the end
 * of the last message before a gap, is not told.
 *
 * Return: false after the last line.
 */
bool jtrace_log_next(struct jtrace_log_reader *r, struct jtrace_log_line *line)
{
	u32 part = r->part;
	union buffer rec;
	u64 missing = 0;

	line->text = NULL;
	while (next_record(r, &rec)) {
		if (!add_part(r, &rec, line) || le16_to_cpu(rec.r.part) & JTRACE_LOG_MORE)
			continue;
		if (!r->shown)
			line->missing = 0;
		else if (line->seq == r->seq)
			line->missing = line->part != part;
		else
			line->missing = line->seq - r->seq - 1 + (line->part != 0);
		r->seq = line->seq;
		r->shown = true;
		line->missing += missing;
		if (!r->t->filter || r->t->filter->wants_line(r->t->filter, r->t, line))
			return true;
		missing = line->missing;
		part = r->part;
		line->text = NULL;
	}
	return false;
}

/**
 * jtrace_log_ns() - convert the time of a line to the clock that events are shown with
 * @t: the trace
 * @line: a line with a time
 *
 * Exact as long as the machine did not suspend, if events show CLOCK_MONOTONIC.  The clock of the
 * log starts first.
 *
 * Return: ns, 0 before the clock started.
 */
u64 jtrace_log_ns(const struct jtrace_trace *t, const struct jtrace_log_line *line)
{
	const struct jtrace_stamp *s = &t->header.stamp;
	s64 ns = line->time + line->shift;

	if (t->l.form & JTRACE_FORM_MONO)
		ns -= le64_to_cpu(s->boot) - le64_to_cpu(s->mono);
	return max_t(s64, ns, 0);
}
