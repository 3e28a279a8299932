// SPDX-License-Identifier: GPL-2.0
/*
 * What is said about an image before its entries: who recorded them, how that
 * ended, what is lost; or instead of them, when there is nothing to be had.
 */

#include "tell.h"

#define NS_PER_SEC	1000000000ULL

/* A corrupted image is dumped so far, a line each 16 bytes. */
#define DUMP_MOST	4096
#define DUMP_LINE	16

static const char hex[] = "0123456789abcdef";

/**
 * jtrace_tell_escaped() - copy text and escape all bytes that a terminal could interpret
 * @t: the trace that they are from: it tells what beside ASCII is shown as it is
 * @to: for the text, with a NUL
 * @size: of @to, at least 1; what does not fit is cut
 * @from: ends at a NUL or after @len bytes
 * @len: of @from, at the most
 */
void jtrace_tell_escaped(const struct jtrace_trace *t, char *to, size_t size, const char *from,
			 size_t len)
{
	size_t n = 0, i;
	u32 plain;

	for (i = 0; i < len && from[i] && n + 5 <= size; i++) {
		u8 c = from[i];

		if (c >= 0x20 && c < 0x7f) {
			to[n++] = c;
			continue;
		}
		/* Four bytes at the most, for which there is room. */
		plain = t->plain && c >= 0x80 ? t->plain(from + i, len - i) : 0;
		if (plain) {
			memcpy(to + n, from + i, plain);
			n += plain;
			i += plain - 1;
			continue;
		}
		to[n++] = '\\';
		to[n++] = 'x';
		to[n++] = hex[c >> 4];
		to[n++] = hex[c & 15];
	}
	to[n] = 0;
}

/**
 * jtrace_escape() - the same, but show ASCII only
 * @to: for the text, with a NUL
 * @size: of @to, at least 1; what does not fit is cut
 * @from: ends at a NUL or after @len bytes
 * @len: of @from, at the most
 */
void jtrace_escape(char *to, size_t size, const char *from, size_t len)
{
	static const struct jtrace_trace ascii;

	jtrace_tell_escaped(&ascii, to, size, from, len);
}

/* ---- Who recorded, and how it ended ----------------------------------- */

static bool headless(const struct jtrace_trace *t)
{
	return t->damage.nr[JTRACE_FAULT_HEADERS];
}

static bool any_bytes(const u8 *bytes, size_t len)
{
	while (len--)
		if (*bytes++)
			return true;
	return false;
}

/* " boot 01234567-89ab-...", as in /proc/sys/kernel/random/boot_id. */
static size_t put_boot(const u8 *id, char *buf, size_t size)
{
	char text[37];
	size_t n = 0;
	u32 i;

	if (!any_bytes(id, 16))
		return 0;
	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text[n++] = '-';
		text[n++] = hex[id[i] >> 4];
		text[n++] = hex[id[i] & 15];
	}
	text[n] = 0;
	return scnprintf(buf, size, ", boot %s", text);
}

static int put_who(const struct jtrace_trace *t, char *buf, size_t size)
{
	const struct jtrace_image_header *h = &t->header;
	char release[4 * sizeof(h->release) + 1];
	size_t n;

	if (headless(t))
		return scnprintf(buf, size, "JTRACE: Recorded by a kernel whose name is lost");
	jtrace_tell_escaped(t, release, sizeof(release), (const char *)h->release,
			    sizeof(h->release));
	n = scnprintf(buf, size, "JTRACE: Recorded by Linux %s", release);
	n += put_boot(h->boot_id, buf + n, size - n);
	if (t->tell & JTRACE_TELL_THIS_BOOT)
		n += scnprintf(buf + n, size - n, ", which is this one");
	return n;
}

/* " at 2026-11-21 14:46:03 UTC" */
static size_t put_when(u64 real, char *buf, size_t size)
{
	struct jtrace_utc utc;

	if (!real)
		return 0;
	jtrace_utc(div64_u64(real, NS_PER_SEC), &utc);
	return scnprintf(buf, size, " at %04d-%02d-%02d %02d:%02d:%02d UTC", utc.year, utc.month,
			 utc.day, utc.hour, utc.minute, utc.second);
}

/* Wall clock of the newest entry, or of the header if there is none. */
static u64 last_real(const struct jtrace_trace *t)
{
	const struct jtrace_image_header *h = &t->header;
	u64 shown = le64_to_cpu(t->l.form & JTRACE_FORM_MONO ? h->stamp.mono : h->stamp.boot);
	u64 real = le64_to_cpu(h->real);

	if (!t->newest.tie)
		return real;
	return real + jtrace_recover_ns(t, t->newest.time) - shown;
}

static int put_end(const struct jtrace_trace *t, char *buf, size_t size)
{
	const struct jtrace_image_header *h = &t->header;
	char reason[4 * sizeof(h->reason) + 1];
	u64 real = le64_to_cpu(h->real);
	size_t n;

	if (headless(t))
		return scnprintf(buf, size, "JTRACE: It is not known how that ended");
	switch (h->state) {
	case JTRACE_STATE_PANICKED:
		jtrace_tell_escaped(t, reason, sizeof(reason), (const char *)h->reason,
				    sizeof(h->reason));
		n = scnprintf(buf, size, "JTRACE: It panicked");
		n += put_when(real, buf + n, size - n);
		return n + scnprintf(buf + n, size - n, ": %s", reason);
	case JTRACE_STATE_CLEAN:
	case JTRACE_STATE_KEPT:
		n = scnprintf(buf, size, "JTRACE: It was shut down in good order");
		return n + put_when(real, buf + n, size - n);
	case JTRACE_STATE_UNLOADED:
		n = scnprintf(buf, size, "JTRACE: jtrace was unloaded");
		return n + put_when(real, buf + n, size - n);
	default:
		n = scnprintf(buf, size, "JTRACE: It %s; its last event was",
			      t->tell & JTRACE_TELL_OVER ? "hung or was reset" :
							   "was still running");
		return n + put_when(last_real(t), buf + n, size - n);
	}
}

/* ---- What is lost ----------------------------------------------------- */

static const char * const fault_text[] = {
	[JTRACE_FAULT_HEADER] = "header lost, its copy served",
	[JTRACE_FAULT_COPY] = "copy of the header lost",
	[JTRACE_FAULT_CUT] = "end of the image missing",
	[JTRACE_FAULT_HEADERS] =
		"both headers lost: times may be inexact, cleared entries may be shown",
	[JTRACE_FAULT_RESCUED] = "chunk headers lost: %u, their entries served",
	[JTRACE_FAULT_CHUNK] = "chunks lost: %u, no part of this image any more",
	[JTRACE_FAULT_BLANK] = "chunks lost: %u, blank",
	[JTRACE_FAULT_ENTRY] = "entries left out: %u, their check value is wrong",
};
static_assert(ARRAY_SIZE(fault_text) == JTRACE_NR_FAULTS);

static u32 faults(const struct jtrace_trace *t)
{
	u32 i, n = 0;

	for (i = 0; i < JTRACE_NR_FAULTS; i++)
		n += t->damage.nr[i] != 0;
	return n;
}

static const char * const header_fault_text[] = {
	[JTRACE_HEADER_OK] = "right",
	[JTRACE_HEADER_MAGIC] = "no header",
	[JTRACE_HEADER_VERSION] = "a header of another version",
	[JTRACE_HEADER_CRC] = "a header with a wrong CRC",
	[JTRACE_HEADER_CUT] = "a header",
	[JTRACE_HEADER_LAYOUT] = "a header whose numbers contradict each other",
};

/* The @nr-th kind of damage. */
static int put_fault(const struct jtrace_trace *t, u32 nr, char *buf, size_t size)
{
	size_t n;
	u32 i;

	for (i = 0; i < JTRACE_NR_FAULTS; i++)
		if (t->damage.nr[i] && !nr--)
			break;
	if (i == JTRACE_NR_FAULTS)
		return 0;
	n = scnprintf(buf, size, "JTRACE: Damaged: ");
	n += scnprintf(buf + n, size - n, fault_text[i], t->damage.nr[i]);
	if (i == JTRACE_FAULT_HEADER || i == JTRACE_FAULT_HEADERS)
		return n + scnprintf(buf + n, size - n, " (%s at 0x0)",
				     header_fault_text[t->fault]);
	return n + scnprintf(buf + n, size - n, t->damage.nr[i] > 1 ? " (the first at 0x%llx)" :
			     " (at 0x%llx)", t->damage.first[i]);
}

/* ---- Nothing to be had ------------------------------------------------ */

static u32 corrupt_lines(const struct jtrace_trace *t)
{
	u64 bytes = min_t(u64, t->len, DUMP_MOST);

	return JTRACE_CORRUPT_TITLE + (bytes + DUMP_LINE - 1) / DUMP_LINE;
}

/* What was found, then the first bytes in hex. */
static int put_corrupt(const struct jtrace_trace *t, u32 nr, char *buf, size_t size)
{
	u64 at = (nr - JTRACE_CORRUPT_TITLE) * DUMP_LINE, i;
	size_t n;

	if (nr == 0)
		return scnprintf(buf, size, "JTRACE: Dumping corrupted log");
	if (nr == 1 && t->fault == JTRACE_HEADER_VERSION)
		return scnprintf(buf, size,
				 "JTRACE: %llu bytes, of version %u, this reader knows version %u",
				 t->len, le16_to_cpu(t->header.version),
				 JTRACE_IMAGE_VERSION);
	if (nr == 1)
		return scnprintf(buf, size, "JTRACE: %llu bytes with %s, and no readable chunk",
				 t->len, header_fault_text[t->fault]);
	n = scnprintf(buf, size, "%08llx:", at);
	for (i = at; i < min(at + DUMP_LINE, t->len); i++)
		n += scnprintf(buf + n, size - n, " %02x", ((const u8 *)t->img)[i]);
	return n;
}

/* ---- Either ----------------------------------------------------------- */

/**
 * jtrace_tell_lines() - how many lines introduce a trace, or stand for an unreadable one
 * @t: an image that was scanned, or that is unreadable
 */
u32 jtrace_tell_lines(const struct jtrace_trace *t)
{
	if (t->verdict == JTRACE_UNREADABLE)
		return corrupt_lines(t);
	if (!(t->tell & JTRACE_TELL_BOOT) || t->verdict == JTRACE_EMPTY)
		return 0;
	return 2 + faults(t);
}

/**
 * jtrace_tell_line() - write one of them
 * @t: the same
 * @nr: of the line, from 0, less than jtrace_tell_lines()
 * @buf: for the line, without newline
 * @size: of @buf
 *
 * Return: length of the line.
 */
int jtrace_tell_line(const struct jtrace_trace *t, u32 nr, char *buf, size_t size)
{
	if (t->verdict == JTRACE_UNREADABLE)
		return put_corrupt(t, nr, buf, size);
	if (nr == 0)
		return put_who(t, buf, size);
	if (nr == 1)
		return put_end(t, buf, size);
	return put_fault(t, nr - 2, buf, size);
}
