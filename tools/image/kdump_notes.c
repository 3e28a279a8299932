// SPDX-License-Identifier: GPL-2.0
/*
 * Check the ELF notes of a compressed dump before libkdumpfile parses them.  They end with
 * VMCOREINFO, lines such as "OFFSET(list_head.next)=0".  libkdumpfile makes a tree of the names, at
 * dots, without a check that an inner node is no value, and takes the page size from there.
 */

#ifdef JTRACE_LIBKDUMPFILE

#include <stdlib.h>

#include "kdump.h"

#define NOTE_HEADER	12

/* Longest name of a line. */
#define NAME_MAX_LEN	255

/* The kernel writes a page at the most.  The check of names is quadratic. */
#define TEXT_MOST	(64 << 10)

/**
 * kdump_number() - read a number of a dump
 * @l: has the byte order
 * @at: the number
 * @size: its bytes, up to 8
 */
u64 kdump_number(const struct kdump_layout *l, const void *at, u32 size)
{
	const u8 *byte = at;
	u64 value = 0;
	u32 i;

	for (i = 0; i < size; i++)
		value |= (u64)byte[i] << 8 * (l->swap ? size - 1 - i : i);
	return value;
}

static bool is_text(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))
			return false;
	return len;
}

/* Check "WORD=" or "WORD(NAME)="; if NAME is "a", no other NAME of the WORD may be "a.b". */
static bool check_name(const char *text, size_t text_len, const char *name, size_t len)
{
	const char *open = memchr(name, '(', len);
	char inner[NAME_MAX_LEN + 2];

	if (!len || len > NAME_MAX_LEN)
		return false;
	if (!open)
		return !memchr(name, '.', len) && !memchr(name, ')', len);
	if (name[len - 1] != ')' || memchr(name, ')', len - 1) || memchr(name, '.', open - name))
		return false;
	memcpy(inner, name, len);
	inner[len - 1] = '.';
	return !memmem(text, text_len, inner, len);
}

/* Check VMCOREINFO. */
static bool check_text(const struct kdump_layout *l, const char *text, size_t len)
{
	static const char page[] = "PAGESIZE=";
	const char *line, *next, *equal;

	if (len > TEXT_MOST || !is_text(text, len))
		return false;
	for (line = text; line < text + len; line = next + 1) {
		next = memchr(line, '\n', text + len - line) ?: text + len;
		equal = memchr(line, '=', next - line);
		if (!equal || !check_name(text, len, line, equal - line))
			return false;
		/* The notes are followed by a zero. */
		if (next - line >= sizeof(page) && !strncmp(line, page, sizeof(page) - 1) &&
		    strtoull(line + sizeof(page) - 1, NULL, 10) != l->page)
			return false;
	}
	return true;
}

/* The length without zeros at the end. */
static u64 without_zeros(const u8 *text, u64 len)
{
	while (len && !text[len - 1])
		len--;
	return len;
}

/* Check the notes; they are followed by a zero. */
static bool check_notes(const struct kdump_layout *l, const u8 *note, u64 len)
{
	while (len >= NOTE_HEADER) {
		u64 name = kdump_number(l, note, 4), text = kdump_number(l, note + 4, 4);
		u64 at = NOTE_HEADER + ALIGN(name, 4ULL);

		if (text > len || at > len - text)
			return true;
		if (name >= 10 && !memcmp(note + NOTE_HEADER, "VMCOREINFO", 10) &&
		    !check_text(l, (const char *)note + at, without_zeros(note + at, text)))
			return false;
		/* Its sizes are not checked by libkdumpfile, and a dump of this kind has none. */
		if (name >= 9 && !memcmp(note + NOTE_HEADER, ".note.Xen", 9))
			return false;
		at = min(len, at + ALIGN(text, 4ULL));
		note += at;
		len -= at;
	}
	return true;
}

/**
 * kdump_check_notes() - check the notes of a dump
 * @s: the file
 * @l: says where they are
 *
 * Return: false, after a message, if they are damaged.
 */
bool kdump_check_notes(const struct source *s, const struct kdump_layout *l)
{
	u8 *notes;
	bool ok;

	if (!l->note_len)
		return true;
	notes = calloc(1, l->note_len + 1);
	if (!notes)
		return fail("%s: no memory", s->name);
	ok = source_read(s, l->note, notes, l->note_len);
	if (ok && !check_notes(l, notes, l->note_len))
		ok = fail("%s: damaged dump: its notes at 0x%llx are not valid", s->name, l->note);
	free(notes);
	return ok;
}

#endif /* JTRACE_LIBKDUMPFILE */
