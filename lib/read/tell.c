// SPDX-License-Identifier: GPL-2.0
/*
 * Lines about an image before its entries: which kernel recorded them, how it ended, what is
 * lost.  For an unreadable image, lines instead of entries.
 */

#include "../base/pen.h"
#include "log.h"
#include "render.h"

#define NS_PER_SEC	1000000000ULL

/* Dump this much of a corrupted image, 16 bytes a line. */
#define DUMP_MOST	4096
#define DUMP_LINE	16

/**
 * jtrace_put_char() - write a character, escaped if a terminal could interpret it
 * @t: the trace of the text, whose @plain decides what is shown beside ASCII; %NULL for nothing
 * @p: where to
 * @text: the character
 * @len: bytes that may be read, not 0
 *
 * Return: bytes of the character.
 */
u32 jtrace_put_char(const struct jtrace_trace *t, struct pen *p, const char *text, size_t len)
{
	u8 c = *text;
	u32 plain;

	if (c >= 0x20 && c < 0x7f) {
		pen_char(p, c);
		return 1;
	}
	plain = t && t->plain && c >= 0x80 ? t->plain(text, len) : 0;
	if (plain) {
		pen_bytes(p, text, plain);
		return plain;
	}
	pen_text(p, "\\x");
	pen_hex(p, c, 2);
	return 1;
}

/**
 * jtrace_escape() - copy text and escape all bytes that a terminal could interpret
 * @t: as for jtrace_put_char()
 * @to: for the text, with a NUL
 * @size: of @to, at least 1; longer text is cut
 * @from: ends at a NUL or after @len bytes
 * @len: of @from, at the most
 */
void jtrace_escape(const struct jtrace_trace *t, char *to, size_t size, const char *from,
		   size_t len)
{
	struct pen p = { to, to + size - 1 };
	size_t i = 0;

	/* A character, or its escape, has at most four bytes, which fit. */
	while (i < len && from[i] && p.end - p.at >= 4)
		i += jtrace_put_char(t, &p, from + i, len - i);
	*p.at = 0;
}

/**
 * jtrace_put_escaped() - jtrace_escape(), with a pen
 * @t: the trace
 * @p: where to
 * @text: ends at a NUL or after @len bytes
 * @len: of @text, at the most
 */
void jtrace_put_escaped(const struct jtrace_trace *t, struct pen *p, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && text[i])
		i += jtrace_put_char(t, p, text + i, len - i);
}

/* ---- Which kernel recorded, and how it ended -------------------------- */

static bool headless(const struct jtrace_trace *t)
{
	return t->damage.nr[JTRACE_FAULT_HEADERS];
}

/* ", boot 01234567-89ab-...", as in /proc/sys/kernel/random/boot_id. */
static void put_boot(struct pen *p, const u8 *id)
{
	static const u8 none[16];
	u32 i;

	if (!memcmp(id, none, sizeof(none)))
		return;
	pen_text(p, ", boot ");
	for (i = 0; i < 16; i++)
		pen_format(p, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
}

static void put_who(const struct jtrace_trace *t, struct pen *p)
{
	const struct jtrace_image_header *h = &t->header;

	if (headless(t)) {
		pen_text(p, "Recorded by a kernel whose name is lost");
		return;
	}
	pen_text(p, "Recorded by Linux ");
	jtrace_put_escaped(t, p, (const char *)h->release, sizeof(h->release));
	put_boot(p, h->boot_id);
	if (t->tell & JTRACE_TELL_THIS_BOOT)
		pen_text(p, ", which is this one");
}

/* " at 2026-11-21 14:46:03 UTC" */
static void put_when(struct pen *p, u64 real)
{
	struct tm tm;

	if (!real)
		return;
	time64_to_tm(div64_u64(real, NS_PER_SEC), 0, &tm);
	pen_format(p, " at %04d-%02d-%02d %02d:%02d:%02d UTC", (int)tm.tm_year + 1900,
		   tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* How a boot ended is in the header; else its end is the newest entry. */
static bool ended(u8 state)
{
	return state == JTRACE_STATE_PANICKED || state == JTRACE_STATE_CLEAN ||
	       state == JTRACE_STATE_KEPT || state == JTRACE_STATE_UNLOADED;
}

/**
 * jtrace_tell_real() - find when recording ended
 * @t: an image that was scanned, with a header
 *
 * Return: wall clock, ns; 0 if it is not known.
 */
u64 jtrace_tell_real(const struct jtrace_trace *t)
{
	const struct jtrace_image_header *h = &t->header;
	u64 shown = le64_to_cpu(t->l.form & JTRACE_FORM_MONO ? h->stamp.mono : h->stamp.boot);
	u64 real = le64_to_cpu(h->real);

	if (ended(h->state) || !t->newest.tie)
		return real;
	return real + jtrace_recover_ns(t, t->newest.time) - shown;
}

/* A hostile image may fill a line with the cause, and leave no room for the words of the panic. */
#define CAUSE_MOST	128

/* "BUG: unable to handle page fault for address: 0000dead, RIP f+0x2f/0x100 [mod]; " */
static void put_cause(const struct jtrace_trace *t, struct pen *p)
{
	char text[JTRACE_LOG_TEXT_MAX + 1];

	if (!jtrace_cause_read(t, t->cause, text))
		return;
	jtrace_put_escaped(t, p, text, CAUSE_MOST);
	if (jtrace_cause_read(t, t->cause_pc, text)) {
		pen_text(p, text[0] == 'R' ? ", RIP " : ", pc ");
		jtrace_put_escaped(t, p, text + jtrace_cause_pc(text), CAUSE_MOST);
	}
	pen_text(p, "; ");
}

static void put_end(const struct jtrace_trace *t, struct pen *p)
{
	const struct jtrace_image_header *h = &t->header;

	if (headless(t)) {
		pen_text(p, "Its end state is unknown");
		return;
	}
	switch (h->state) {
	case JTRACE_STATE_PANICKED:
		pen_text(p, "It panicked");
		break;
	case JTRACE_STATE_CLEAN:
	case JTRACE_STATE_KEPT:
		pen_text(p, "It was shut down cleanly");
		break;
	case JTRACE_STATE_UNLOADED:
		pen_text(p, "jtrace was unloaded");
		break;
	default:
		pen_format(p, "It %s; its last event was", t->tell & JTRACE_TELL_OVER ?
			   "hung or was reset" : "was still running");
	}
	put_when(p, jtrace_tell_real(t));
	if (h->state == JTRACE_STATE_PANICKED) {
		pen_text(p, ": ");
		put_cause(t, p);
		jtrace_put_escaped(t, p, (const char *)h->reason, sizeof(h->reason));
	}
}

/* ---- What is lost ----------------------------------------------------- */

static const char * const fault_text[] = {
	[JTRACE_FAULT_HEADER] = "header lost, used the backup header",
	[JTRACE_FAULT_COPY] = "backup header lost",
	[JTRACE_FAULT_CUT] = "end of the image missing",
	[JTRACE_FAULT_HEADERS] =
		"both headers lost: times may be inexact, cleared entries may be shown",
	[JTRACE_FAULT_RESCUED] = "chunk headers lost: %u, used their entries",
	[JTRACE_FAULT_CHUNK] = "chunks lost: %u, not part of this image",
	[JTRACE_FAULT_BLANK] = "chunks lost: %u, blank",
	[JTRACE_FAULT_ENTRY] = "entries left out: %u, their check value is wrong",
};
static_assert(ARRAY_SIZE(fault_text) == JTRACE_NR_FAULTS);

static const char * const header_fault_text[] = {
	[JTRACE_HEADER_OK] = "right",
	[JTRACE_HEADER_MAGIC] = "no header",
	[JTRACE_HEADER_VERSION] = "a header of another version",
	[JTRACE_HEADER_INCOMPAT] = "a header with unknown features",
	[JTRACE_HEADER_CRC] = "a header with a wrong CRC",
	[JTRACE_HEADER_CUT] = "a header",
	[JTRACE_HEADER_LAYOUT] = "a header whose numbers contradict each other",
};

/* The @nr-th kind of damage. */
static void put_fault(const struct jtrace_trace *t, struct pen *p, u32 nr)
{
	const struct jtrace_damage *d = &t->damage;
	u32 i;

	for (i = 0; i < JTRACE_NR_FAULTS; i++)
		if (d->nr[i] && !nr--)
			break;
	if (i == JTRACE_NR_FAULTS)
		return;
	pen_text(p, "Damaged: ");
	pen_format(p, fault_text[i], d->nr[i]);
	if (i == JTRACE_FAULT_HEADER || i == JTRACE_FAULT_HEADERS)
		pen_format(p, " (%s at 0x0)", header_fault_text[t->fault]);
	else
		pen_format(p, d->nr[i] > 1 ? " (the first at 0x%llx)" : " (at 0x%llx)",
			   d->first[i]);
}

/* ---- Unreadable images ------------------------------------------------ */

/* A title, then the first bytes in hex. */
static void put_corrupt(const struct jtrace_trace *t, struct pen *p, u32 nr)
{
	u64 at = (nr - JTRACE_CORRUPT_TITLE) * DUMP_LINE, i;

	if (nr == 0) {
		pen_text(p, "JTRACE: Dumping corrupted log");
	} else if (nr == 1 && t->fault == JTRACE_HEADER_VERSION) {
		pen_format(p, "JTRACE: %llu bytes, of version %u, this reader knows version %u",
			   t->len, le16_to_cpu(t->header.version), JTRACE_IMAGE_VERSION);
	} else if (nr == 1 && t->fault == JTRACE_HEADER_INCOMPAT) {
		pen_format(p, "JTRACE: %llu bytes, with features 0x%x that this reader does not know",
			   t->len, jtrace_header_unknown(&t->header));
	} else if (nr == 1) {
		pen_format(p, "JTRACE: %llu bytes with %s, and no readable chunk", t->len,
			   header_fault_text[t->fault]);
	} else {
		pen_format(p, "%08llx:", at);
		for (i = at; i < min(at + DUMP_LINE, t->len); i++)
			pen_format(p, " %02x", ((const u8 *)t->img)[i]);
	}
}

/* ---- Line by line ----------------------------------------------------- */

/**
 * jtrace_tell_lines() - count the lines before the entries, or of an unreadable image
 * @t: an image that was scanned, or that is unreadable
 */
u32 jtrace_tell_lines(const struct jtrace_trace *t)
{
	u32 i, lines = 2;

	if (t->verdict == JTRACE_UNREADABLE)
		return JTRACE_CORRUPT_TITLE +
		       ((u32)min_t(u64, t->len, DUMP_MOST) + DUMP_LINE - 1) / DUMP_LINE;
	if (!(t->tell & JTRACE_TELL_BOOT) || t->verdict == JTRACE_EMPTY)
		return 0;
	for (i = 0; i < JTRACE_NR_FAULTS; i++)
		lines += t->damage.nr[i] != 0;
	return lines;
}

/**
 * jtrace_tell_line() - write one of these lines
 * @t: as for jtrace_tell_lines()
 * @p: where to
 * @nr: of the line, from 0, less than jtrace_tell_lines()
 */
void jtrace_tell_line(const struct jtrace_trace *t, struct pen *p, u32 nr)
{
	if (t->verdict == JTRACE_UNREADABLE)
		put_corrupt(t, p, nr);
	else if (nr == 0)
		put_who(t, p);
	else if (nr == 1)
		put_end(t, p);
	else
		put_fault(t, p, nr - 2);
}
