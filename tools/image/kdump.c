// SPDX-License-Identifier: GPL-2.0
/*
 * Read compressed dumps of makedumpfile and QEMU with libkdumpfile, as sources whose offsets are
 * physical addresses of the dumped machine.  Pages that the dump does not have read as zeros.
 */

#include <err.h>
#include <stdlib.h>

#include "kdump.h"

#define MAGIC_LEN	16

static bool is_magic(const char *magic, const char *word)
{
	return !memcmp(magic, word, strlen(word));
}

#ifdef JTRACE_LIBKDUMPFILE

#include <libkdumpfile/kdumpfile.h>

/**
 * struct kdump - a compressed dump
 * @next: the dump opened before
 * @ctx: of libkdumpfile
 * @map: frames in the dump; @ctx owns it
 * @l: layout of the file
 * @checked: first frame that was not read yet
 * @nr_unread: number of pages that are in the dump, but cannot be read
 * @unread: address of the first one
 * @why: the reason
 */
struct kdump {
	struct kdump *next;
	kdump_ctx_t *ctx;
	kdump_bmp_t *map;
	struct kdump_layout l;
	u64 checked;
	u64 nr_unread;
	u64 unread;
	char why[160];
};

/*
 * kdump_free() of libkdumpfile 0.5.1 uses memory that it has just freed, and may crash after an
 * error.  So contexts stay until the command ends; it shows one file.
 */
static struct kdump *opened;

/* Take the size and the byte order that were checked, not others. */
static bool is_as_checked(struct kdump *k)
{
	kdump_num_t page, pointer, order;

	return kdump_get_number_attr(k->ctx, KDUMP_ATTR_PAGE_SIZE, &page) == KDUMP_OK &&
	       kdump_get_number_attr(k->ctx, KDUMP_ATTR_PTR_SIZE, &pointer) == KDUMP_OK &&
	       kdump_get_number_attr(k->ctx, KDUMP_ATTR_BYTE_ORDER, &order) == KDUMP_OK &&
	       page == k->l.page && pointer == 8 &&
	       (order == KDUMP_BIG_ENDIAN) == k->l.swap;
}

static bool open_dump(const struct source *s, struct kdump *k)
{
	kdump_attr_t map;

	k->ctx = kdump_new();
	if (!k->ctx)
		return fail("%s: no memory", s->name);
	/*
	 * Before libkdumpfile opens the file, because 0.5.4 maps it then.  Reading a mapping beyond
	 * the end of a file that was cut, or shrinks, would end this process by a signal.
	 */
	if (kdump_set_number_attr(k->ctx, KDUMP_ATTR_FILE_MMAP_POLICY,
				  KDUMP_MMAP_NEVER) != KDUMP_OK ||
	    kdump_open_fd(k->ctx, s->fd) != KDUMP_OK)
		return fail("%s: libkdumpfile: %s", s->name, kdump_get_err(k->ctx));
	if (!is_as_checked(k))
		return fail("%s: damaged dump: libkdumpfile reads its header differently", s->name);
	if (kdump_get_attr(k->ctx, KDUMP_ATTR_FILE_PAGEMAP, &map) != KDUMP_OK ||
	    map.type != KDUMP_BITMAP)
		return fail("%s: libkdumpfile: %s", s->name, kdump_get_err(k->ctx));
	k->map = map.val.bitmap;
	return true;
}

/* Index of the first range of bad frames that does not end before @frame. */
static size_t find_bad(const struct kdump_layout *l, u64 frame)
{
	size_t from = 0, to = l->nr_bad, mid;

	while (from < to) {
		mid = from + (to - from) / 2;
		if (l->bad[mid].first + l->bad[mid].nr <= frame)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Count pages once: the search for images reads them in order. */
static void count_unread(struct kdump *k, u64 frame, u64 nr, const char *why)
{
	const u64 from = max(frame, k->checked), end = frame + nr;

	if (end <= from)
		return;
	k->checked = end;
	if (!k->nr_unread) {
		k->unread = from * k->l.page;
		scnprintf(k->why, sizeof(k->why), "%s", why);
	}
	k->nr_unread += end - from;
}

/* The first offset from @at on whose page is in the dump and not damaged, else the end. */
static u64 skip(const struct source *s, u64 at)
{
	struct kdump *k = s->format;
	kdump_addr_t frame = at / k->l.page;
	const struct frames *bad;
	size_t i = find_bad(&k->l, frame);

	while (kdump_bmp_find_set(k->map, &frame) == KDUMP_OK && frame < k->l.frames) {
		while (i < k->l.nr_bad && k->l.bad[i].first + k->l.bad[i].nr <= frame)
			i++;
		bad = i < k->l.nr_bad ? &k->l.bad[i] : NULL;
		if (!bad || bad->first > frame)
			return max(at, (u64)frame * k->l.page);
		count_unread(k, bad->first, bad->nr,
			     "its descriptor is damaged, or the file ends before the page");
		frame = bad->first + bad->nr;
	}
	return s->size;
}

/* Read a part of a page. */
static bool read_page(const struct source *s, u64 at, void *to, size_t len)
{
	struct kdump *k = s->format;
	const u64 frame = at / k->l.page;
	size_t done = len;
	kdump_status status;

	memset(to, 0, len);
	status = kdump_read(k->ctx, KDUMP_MACHPHYSADDR, at, to, &done);
	if (status == KDUMP_OK)
		return true;
	memset(to, 0, len);
	if (status == KDUMP_ERR_SYSTEM)
		return fail("%s: address 0x%llx: %s", s->name, at, kdump_get_err(k->ctx));
	count_unread(k, frame, 1, kdump_get_err(k->ctx));
	return true;
}

static bool read_dump(const struct source *s, u64 at, void *to, size_t len)
{
	const struct kdump *k = s->format;
	const u32 page = k->l.page;
	u64 there;
	size_t n;

	for (; len; at += n, to = (u8 *)to + n, len -= n) {
		there = skip(s, at);
		n = min_t(u64, len, there - at ?: page - at % page);
		if (there != at)
			memset(to, 0, n);
		else if (!read_page(s, at, to, n))
			return false;
	}
	return true;
}

static void warn_unread(const struct source *s)
{
	const struct kdump *k = s->format;

	if (k->nr_unread)
		warnx("%s: %llu pages of the dump cannot be read, took them for zeros; the first one at 0x%llx: %s",
		      s->name, k->nr_unread, k->unread, k->why);
}

/* Free what is not needed until the end. */
static void close_dump(struct source *s)
{
	struct kdump *k = s->format;

	free(k->l.bad);
	k->l.bad = NULL;
}

static const struct source_ops kdump_ops = {
	.skip = skip,
	.read = read_dump,
	.warn = warn_unread,
	.close = close_dump,
};

static bool open_compressed(struct source *s)
{
	struct kdump *k = calloc(1, sizeof(*k));

	if (!k)
		return fail("%s: no memory", s->name);
	k->next = opened;
	opened = k;
	if (!kdump_check(s, &k->l) || !open_dump(s, k)) {
		free(k->l.bad);
		k->l.bad = NULL;
		return false;
	}
	s->size = k->l.frames * k->l.page;
	s->ops = &kdump_ops;
	s->format = k;
	return true;
}

#else

static bool open_compressed(struct source *s)
{
	return fail("%s: compressed dump, and this jtrace was built without libkdumpfile: install libkdumpfile-dev and build jtrace again",
		    s->name);
}

#endif

/**
 * kdump_open() - make a source of a compressed dump, if the file is one
 * @s: the file; any other content stays
 *
 * The offsets of a dump are physical addresses of the dumped machine.
 *
 * Return: false, after a message, if the dump cannot be read.
 */
bool kdump_open(struct source *s)
{
	char magic[MAGIC_LEN];

	if (s->size < sizeof(magic))
		return true;
	if (!source_read(s, 0, magic, sizeof(magic)))
		return false;
	if (is_magic(magic, "makedumpfile"))
		return fail("%s: flattened dump: make an ordinary one with makedumpfile -R DUMP <FILE",
			    s->name);
	if (!is_magic(magic, "KDUMP   ") && !is_magic(magic, "DISKDUMP"))
		return true;
	return open_compressed(s);
}
