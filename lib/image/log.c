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

#define LOG_CRC_FROM	offsetof(struct jtrace_log_record, image_id)

/* The shortest and longest default size of the area, and the smallest image that has one. */
#define LOG_LEAST	(16U << 10)
#define LOG_MOST	(256U << 10)
#define LOG_FROM	(256U << 10)
#define LOG_SHARE	16

static u32 log_crc(const union jtrace_log_buffer *rec)
{
	return jtrace_crc32c(~0U, (const u8 *)rec + LOG_CRC_FROM,
			     JTRACE_LOG_HEAD - LOG_CRC_FROM + rec->r.len);
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
	u32 need = len / JTRACE_LOG_TEXT_MAX * JTRACE_LOG_RECORD_MAX;

	return rest || !len ? need + ALIGN((u32)JTRACE_LOG_HEAD + rest, (u32)JTRACE_GRANULE) : need;
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
	u32 bytes = ALIGN(JTRACE_LOG_HEAD + len, JTRACE_GRANULE);
	union jtrace_log_buffer rec = { 0 };

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
	memcpy((u8 *)&rec + JTRACE_LOG_HEAD, text, len);
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

/**
 * jtrace_log_copy() - copy bytes that may be a log record
 * @at: aligned to 8, not trusted
 * @len: bytes that may be read
 * @rec: result
 *
 * Return: length of the record in bytes, without padding, or 0 if the bytes are not a record.
 */
u32 jtrace_log_copy(const void *at, u64 len, union jtrace_log_buffer *rec)
{
	u32 bytes;

	if (len < JTRACE_LOG_HEAD)
		return 0;
	/* Check and use one copy: the image may change. */
	jtrace_copy_words(rec, at, JTRACE_LOG_HEAD);
	bytes = JTRACE_LOG_HEAD + rec->r.len;
	if (le32_to_cpu(rec->r.magic) != JTRACE_LOG_MAGIC ||
	    ALIGN(bytes, (u32)JTRACE_GRANULE) > len)
		return 0;
	jtrace_copy_words((u8 *)rec + JTRACE_LOG_HEAD, (const u8 *)at + JTRACE_LOG_HEAD,
			  ALIGN(bytes, (u32)JTRACE_GRANULE) - JTRACE_LOG_HEAD);
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
	union jtrace_log_buffer rec;
	u32 bytes = jtrace_log_copy(at, len, &rec);

	if (!bytes)
		return 0;
	*image_id = le64_to_cpu(rec.r.image_id);
	*place = le32_to_cpu(rec.r.place);
	return bytes;
}
