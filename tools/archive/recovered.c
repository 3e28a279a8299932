// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of the previous boot, from the module.
 *
 * Its bytes are not trusted: lib/read bounds what it reads, lib/read escapes what it
 * shows, and names in the archive consist of hex digits.
 */

#include <stdlib.h>

#include "../live/live.h"
#include "archive.h"

/* The text has at most this many entries, the newest; the image has all. */
#define ENTRIES_MOST	100000

static void put_hex(char *to, const u8 *from, size_t len)
{
	while (len--)
		to += sprintf(to, "%02x", *from++);
}

/* Without an id, the name is a check value of the bytes. */
static void set_names(struct recovered *f)
{
	put_hex(f->boot, f->d.t.header.boot_id, sizeof(f->d.t.header.boot_id));
	snprintf(f->name, sizeof(f->name), "%016llx", f->d.t.image_id);
	if (f->d.t.verdict == JTRACE_UNREADABLE) {
		memset(f->boot, '0', sizeof(f->boot) - 1);
		snprintf(f->name, sizeof(f->name), "crc-%08x",
			 jtrace_crc32c(~0U, f->d.img, f->d.len));
	}
	snprintf(f->path, sizeof(f->path), "%s/%s/%s", ARCHIVE, f->boot, f->name);
}

/* The text is the one of the file recovered. */
static void limit_text(struct jtrace_trace *t)
{
	static struct jtrace_text text;

	t->tell = JTRACE_TELL_BOOT | JTRACE_TELL_NOT_CLEAN | JTRACE_TELL_OVER;
	if (is_this_boot(t->header.boot_id))
		t->tell |= JTRACE_TELL_THIS_BOOT;
	jtrace_text_limit(&text, t, ENTRIES_MOST, 0, NULL, 0);
}

/* Read the trace from an open source, and close it. */
static bool read_trace(struct recovered *f, struct source *s)
{
	bool ok = image_load(&f->d, s);

	if (ok)
		set_names(f);
	if (ok && dump_readable(&f->d))
		limit_text(&f->d.t);
	return ok;
}

/**
 * recovered_read() - read the recovered trace
 * @f: result; the caller zeroes it, and frees @f->d even after an error
 *
 * Return: false, after a message, on an error.
 */
bool recovered_read(struct recovered *f)
{
	struct source s;

	return live_open(&s, "recovered_raw") && read_trace(f, &s);
}

/**
 * recovered_read_kept() - read a trace that is in the archive
 * @f: as for recovered_read()
 * @path: BOOT/NAME
 *
 * Return: false, after a message, on an error.
 */
bool recovered_read_kept(struct recovered *f, const char *path)
{
	char image[4096];
	struct source s;

	if (!archive_find_image(path, image, sizeof(image)))
		return fail(ARCHIVE "/%s: has no image", path);
	return source_open(&s, image) && read_trace(f, &s);
}

/**
 * recovered_whole() - the image with all of its entries
 * @f: the trace, whose text is limited
 *
 * Return: a copy that shares its memory.
 */
struct dump recovered_whole(const struct recovered *f)
{
	struct dump d = f->d;

	d.t.from = (struct jtrace_key){ 0 };
	d.t.shown = d.t.found;
	return d;
}

/**
 * recovered_is_clean() - was the machine shut down cleanly?
 * @f: the trace
 */
bool recovered_is_clean(const struct recovered *f)
{
	return f->d.t.verdict != JTRACE_UNREADABLE && f->d.t.header.state == JTRACE_STATE_CLEAN;
}

/**
 * recovered_copy_tail() - copy the last lines of the text
 * @f: the trace
 * @bytes: include the hex dump of an unreadable image
 * @most: longest result, in bytes
 * @len: length of the result
 *
 * Return: text that the caller frees; NULL if there is no memory.
 */
char *recovered_copy_tail(const struct recovered *f, bool bytes, size_t most, size_t *len)
{
	static char line[DECODED_LINE_MAX];
	static struct jtrace_text text;
	char *newest = malloc(most);
	u64 from, nr, left = 0;
	u32 pass;
	int n;

	if (!newest)
		return NULL;
	jtrace_text_open(&text, &f->d.t, f->d.t.heap);
	nr = jtrace_text_lines(&text);
	if (f->d.t.verdict == JTRACE_UNREADABLE && !bytes)
		nr = JTRACE_CORRUPT_TITLE;
	/* Each line has at least its newline.  The first pass measures, the second one copies. */
	from = nr - min(nr, most);
	*len = 0;
	for (pass = 0; pass < 2; pass++) {
		text.pos = from;
		while (text.pos < nr) {
			n = jtrace_text_next(&text, line, sizeof(line));
			if (!pass) {
				left += n + 1;
				continue;
			}
			if (left <= most) {
				memcpy(newest + *len, line, n);
				newest[*len + n] = '\n';
				*len += n + 1;
			}
			left -= n + 1;
		}
	}
	/* Remove the last newline. */
	*len -= *len > 0;
	return newest;
}

/**
 * recovered_save() - make a copy of the image that has the names it needs
 * @f: the trace
 * @to: result; free it with save_free()
 *
 * Return: false if the trace cannot be read, or, after a message, if there is no memory.
 */
bool recovered_save(const struct recovered *f, struct saved *to)
{
	struct dump d = f->d;
	bool ok;

	*to = (struct saved){ 0 };
	if (d.t.verdict == JTRACE_UNREADABLE)
		return false;
	d.name = f->path;
	decode_open(&d.t);
	ok = save_build(to, &d);
	decode_close();
	return ok;
}
