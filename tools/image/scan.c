// SPDX-License-Identifier: GPL-2.0
/*
 * Find the parts of images in a source: headers, chunks, records of sites, stacks and the log.
 * Each part has a check value, its image id and its place in the image.
 *
 * All parts begin with "JT" at a multiple of 8 bytes.  Blocks without such a word are skipped
 * at the speed of memory.
 */

#include <stdlib.h>

#include "../../lib/image/module.h"
#include "../../lib/image/stack.h"
#include "image.h"

#define BLOCK_WORDS	64
#define WINDOW		(256 << 10)
/* A part that begins in a window may reach this far beyond its end. */
#define BEYOND		JTRACE_PAGE

#define PREFIX		(JTRACE_IMAGE_MAGIC & 0xffff)

static_assert((JTRACE_CHUNK_MAGIC & 0xffff) == PREFIX);
static_assert((JTRACE_SITE_MAGIC & 0xffff) == PREFIX);
static_assert((JTRACE_LOG_MAGIC & 0xffff) == PREFIX);
static_assert((JTRACE_STACK_MAGIC & 0xffff) == PREFIX);

/* Does a word begin with the prefix?  The loop has no branch, so compilers vectorize it. */
static bool block_has_prefix(const __le64 *word)
{
	u64 hit = 0;
	int i;

	for (i = 0; i < BLOCK_WORDS; i++)
		hit |= ((le64_to_cpu(word[i]) ^ PREFIX) & 0xffff) - 1;
	return hit >> 63;
}

/**
 * struct window - a part of the source
 * @s: the source
 * @f: parts found so far
 * @pos: offset of the window in the source
 * @len: bytes read
 * @word: the bytes
 */
struct window {
	const struct source *s;
	struct parts *f;
	u64 pos;
	size_t len;
	__le64 word[(WINDOW + BEYOND) / sizeof(u64)];
};

static u64 window_pos(const struct window *w, const void *at)
{
	return w->pos + ((const u8 *)at - (const u8 *)w->word);
}

/* Ignore pieces beyond 4 GiB: images are smaller. */
static bool piece_add(struct window *w, const struct piece *p)
{
	struct parts *f = w->f;

	if (!p->id || (u64)p->place * JTRACE_GRANULE + p->len > U32_MAX)
		return true;
	f->piece = array_grow(f->piece, f->nr_pieces, sizeof(*p));
	if (!f->piece)
		return false;
	f->piece[f->nr_pieces++] = *p;
	return true;
}

static bool try_chunk(struct window *w, const void *at, size_t len)
{
	struct jtrace_layout l;
	struct jtrace_chunk c;
	struct piece p;

	if (len < sizeof(struct jtrace_chunk_header))
		return true;
	p.shift = jtrace_chunk_parse(at, &p.id, &p.place, &c);
	if (!p.shift || !jtrace_layout_chunk(&l, p.shift, c.form & JTRACE_FORM_KIND))
		return true;
	p.kind = l.kind;
	p.pos = window_pos(w, at);
	p.claim = c.claim;
	p.len = min_t(u64, w->s->size - p.pos, 1U << p.shift);
	return (u64)p.place * JTRACE_GRANULE & ((1U << p.shift) - 1) || piece_add(w, &p);
}

static bool try_site(struct window *w, const void *at, size_t len)
{
	struct jtrace_site_text text;
	struct piece p = { 0 };

	p.len = jtrace_site_parse(at, len, &p.id, &p.place, &text);
	p.pos = window_pos(w, at);
	if (p.len && text.kind == JTRACE_SITE_MODULE)
		p.claim = jtrace_module_changed(at, len);
	return !p.len || piece_add(w, &p);
}

static bool try_log(struct window *w, const void *at, size_t len)
{
	struct piece p = { 0 };

	p.len = jtrace_log_record(at, len, &p.id, &p.place);
	p.pos = window_pos(w, at);
	return !p.len || piece_add(w, &p);
}

static bool try_stack(struct window *w, const void *at, size_t len)
{
	struct piece p = { 0 };

	p.len = jtrace_stack_parse(at, len, &p.id, &p.place);
	p.pos = window_pos(w, at);
	return !p.len || piece_add(w, &p);
}

static bool bad_head(struct parts *f, const struct head *head, enum jtrace_header_fault fault)
{
	const bool foreign = jtrace_header_foreign(fault);

	if (!f->nr_bad++ || (foreign && !f->nr_foreign)) {
		f->bad = head->pos;
		f->bad_fault = fault;
		f->bad_header = head->h;
	}
	if (!foreign)
		return true;
	f->foreign = array_grow(f->foreign, f->nr_foreign, sizeof(*f->foreign));
	if (!f->foreign)
		return false;
	f->foreign[f->nr_foreign++] = le64_to_cpu(head->h.image_id);
	return true;
}

static bool try_head(struct window *w, const void *at, size_t len)
{
	enum jtrace_header_fault fault;
	struct parts *f = w->f;
	struct head head;

	if (len < sizeof(head.h) || le64_to_cpu(*(const __le64 *)at) != JTRACE_IMAGE_MAGIC)
		return true;
	head.pos = window_pos(w, at);
	/* The length is checked later: the image may be scattered. */
	fault = jtrace_header_read(at, len, ~0ULL, &head.h, &head.l);
	if (fault != JTRACE_HEADER_OK)
		return bad_head(f, &head, fault);
	head.id = le64_to_cpu(head.h.image_id);
	f->head = array_grow(f->head, f->nr_heads, sizeof(head));
	if (!f->head)
		return false;
	f->head[f->nr_heads++] = head;
	return true;
}

/* Try each word from @from to @to. */
static bool window_try(struct window *w, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++) {
		const void *at = &w->word[i];
		size_t len = w->len - i * sizeof(u64);
		bool ok = true;

		switch ((u32)le64_to_cpu(w->word[i])) {
		case (u32)JTRACE_IMAGE_MAGIC:
			ok = try_head(w, at, len);
			break;
		case JTRACE_CHUNK_MAGIC:
			ok = try_chunk(w, at, len);
			break;
		case JTRACE_SITE_MAGIC:
			ok = try_site(w, at, len);
			break;
		case JTRACE_LOG_MAGIC:
			ok = try_log(w, at, len);
			break;
		case JTRACE_STACK_MAGIC:
			ok = try_stack(w, at, len);
			break;
		}
		if (!ok)
			return fail("%s: no memory for the list of parts", w->s->name);
	}
	return true;
}

static bool window_scan(struct window *w)
{
	size_t nr = min_t(size_t, w->len, WINDOW) / sizeof(u64), i;

	for (i = 0; i < nr; i += BLOCK_WORDS) {
		size_t end = min_t(size_t, nr, i + BLOCK_WORDS);

		/* Only the last block can be incomplete. */
		if (end == i + BLOCK_WORDS && !block_has_prefix(&w->word[i]))
			continue;
		if (!window_try(w, i, end))
			return false;
	}
	return true;
}

/* Find the parts that begin and end in a range of the source. */
static bool scan_range(struct window *w, u64 from, u64 to)
{
	bool ok = true;

	for (w->pos = source_skip(w->s, from); ok && w->pos < to;
	     w->pos = source_skip(w->s, w->pos + WINDOW)) {
		w->len = min_t(u64, WINDOW + BEYOND, to - w->pos);
		ok = source_read(w->s, w->pos, w->word, w->len) && window_scan(w);
	}
	return ok;
}

static struct window *window_open(const struct source *s, struct parts *f)
{
	struct window *w = malloc(sizeof(*w));

	if (!w) {
		fail("%s: no memory", s->name);
		return NULL;
	}
	w->s = s;
	w->f = f;
	return w;
}

/**
 * scan() - find all parts of images
 * @s: the source
 * @f: result; the caller zeroes it
 *
 * Return: false, after a message, on an error.
 */
bool scan(const struct source *s, struct parts *f)
{
	struct window *w = window_open(s, f);
	bool ok = w && scan_range(w, 0, s->size);

	free(w);
	source_warn(s);
	return ok;
}

/**
 * scan_pages() - find the parts of images in some pages
 * @s: the source
 * @page: numbers of pages, in ascending order
 * @nr: how many
 * @f: result; the caller zeroes it
 *
 * Return: false, after a message, on an error.
 */
bool scan_pages(const struct source *s, const u64 *page, size_t nr, struct parts *f)
{
	struct window *w = window_open(s, f);
	size_t i, k;
	bool ok = w;

	for (i = 0; ok && i < nr; i = k) {
		for (k = i + 1; k < nr && page[k] == page[k - 1] + 1; k++)
			;
		ok = scan_range(w, page[i] * JTRACE_PAGE,
				min_t(u64, s->size, (page[k - 1] + 1) * JTRACE_PAGE));
	}
	free(w);
	return ok;
}

/**
 * parts_free() - free the result of scan()
 * @f: the parts
 */
void parts_free(struct parts *f)
{
	free(f->head);
	free(f->piece);
	free(f->foreign);
	memset(f, 0, sizeof(*f));
}
