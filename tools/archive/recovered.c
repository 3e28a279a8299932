// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of the previous boot, as the module has it.
 *
 * Nothing in it is trusted: lib/recover bounds what is read, lib/render escapes what
 * is shown, and a name in the archive is made of hex digits alone.
 */

#include <stdlib.h>

#include "archive.h"

/* No buffer is larger than half of that. */
#define IMAGE_MOST	(512ULL << 20)

/* So many entries are shown as text, the newest: the image holds all of them. */
#define ENTRIES_MOST	100000

static void put_hex(char *to, const u8 *from, size_t len)
{
	while (len--)
		to += sprintf(to, "%02x", *from++);
}

/* By its own id, else by what it is. */
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

/* As the file recovered has it. */
static void limit_text(struct jtrace_trace *t)
{
	static struct jtrace_text text;

	t->tell = JTRACE_TELL_BOOT | JTRACE_TELL_NOT_CLEAN | JTRACE_TELL_OVER;
	if (is_this_boot(t->header.boot_id))
		t->tell |= JTRACE_TELL_THIS_BOOT;
	jtrace_text_limit(&text, t, ENTRIES_MOST, 0, NULL, 0);
}

static bool load(struct dump *d, const struct source *s)
{
	if (s->size > IMAGE_MOST)
		return fail("%s: %llu bytes, at most %llu are kept", s->name,
			    s->size, IMAGE_MOST);
	d->name = s->name;
	d->len = ALIGN_DOWN(s->size, (u64)JTRACE_GRANULE);
	d->img = malloc(d->len + 1);
	if (!d->img)
		return fail("%s: no memory for its %llu bytes", s->name, d->len);
	return source_read(s, 0, d->img, d->len);
}

/**
 * recovered_read() - read what the module recovered, and judge it
 * @f: result, zeroed before; to be freed in any case
 *
 * Return: false, after a message, if that failed.
 */
bool recovered_read(struct recovered *f)
{
	struct source s;
	bool ok;

	ok = live_open(&s, "recovered_raw") && load(&f->d, &s) && dump_open(&f->d);
	if (ok)
		set_names(f);
	if (ok && dump_readable(&f->d))
		limit_text(&f->d.t);
	source_close(&s);
	return ok;
}

/**
 * recovered_is_clean() - was the machine shut down cleanly, so that there is nothing to keep?
 * @f: the trace
 */
bool recovered_is_clean(const struct recovered *f)
{
	return f->d.t.verdict != JTRACE_UNREADABLE && f->d.t.header.state == JTRACE_STATE_CLEAN;
}

/**
 * recovered_copy_tail() - the last lines of the text
 * @f: the trace
 * @bytes: those with bytes of an image that cannot be read are wanted, too
 * @most: bytes they may have
 * @len: of them
 *
 * Return: to be freed; NULL if there is no memory.
 */
char *recovered_copy_tail(const struct recovered *f, bool bytes, size_t most, size_t *len)
{
	static char line[JTRACE_LINE_MAX];
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
	/* No line is shorter than its newline.  Measure these first, and then keep the end. */
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
	/* Lines end with a newline, but for the last. */
	*len -= *len > 0;
	return newest;
}
