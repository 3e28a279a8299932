// SPDX-License-Identifier: GPL-2.0
/* Lines of the kernel log in an image: find the records, sort them, join the parts of lines. */

#include "log.h"

/* Copy a record of the image at its place; return its length with padding, or 0. */
static u32 buffer_get(const struct jtrace_trace *t, u64 at, u64 end, union jtrace_log_buffer *rec)
{
	u32 bytes = jtrace_log_copy((const u8 *)t->img + at, end - at, rec);

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
static u64 record_next(const struct jtrace_trace *t, u64 at, u64 end,
		       union jtrace_log_buffer *rec, u32 *bytes)
{
	for (; at + JTRACE_LOG_HEAD <= end; at += JTRACE_GRANULE) {
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
	union jtrace_log_buffer rec;
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
	union jtrace_log_buffer rec;

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

static bool buffer_at(const struct jtrace_trace *t, u32 index, union jtrace_log_buffer *rec)
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
	union jtrace_log_buffer rec;

	if (!buffer_at(t, index, &rec) ||
	    le16_to_cpu(rec.r.part) & JTRACE_LOG_CONT)
		return false;
	line_begin(line, &rec.r, text);
	line->len = rec.r.len;
	memcpy(text, (u8 *)&rec + JTRACE_LOG_HEAD, rec.r.len);
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
static bool next_record(struct jtrace_log_reader *r, union jtrace_log_buffer *rec)
{
	const struct jtrace_trace *t = r->t;

	while (r->at < t->log.nr)
		if (buffer_at(t, r->at++, rec))
			return true;
	return false;
}

/* Add a record to @line.  Return false if it does not continue the line. */
static bool add_part(struct jtrace_log_reader *r, const union jtrace_log_buffer *rec,
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
	memcpy(r->text + line->len, (const u8 *)rec + JTRACE_LOG_HEAD, rec->r.len);
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
	union jtrace_log_buffer rec;
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
