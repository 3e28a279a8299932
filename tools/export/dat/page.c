// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of the kernel's ring buffer, as trace.dat has them.
 *
 * Source of the format: Documentation/trace/ring-buffer-design.rst and include/linux/ring_buffer.h
 * of Linux 6.1.  A page begins with its time and the number of bytes used.  A record has 5 bits for
 * its length in words, 0 if a word with the length follows, and 27 bits for the ns since the one
 * before; a longer time has a record of its own.
 */

#include <stdlib.h>

#include "dat.h"

#define PAGE		JTRACE_PAGE
#define HEAD		16
#define WORDS_MOST	28
#define DELTA_BITS	27
#define TIME_EXTEND	30

static void put_u32(u8 *at, u32 value)
{
	__le32 le = cpu_to_le32(value);

	memcpy(at, &le, sizeof(le));
}

static void put_u64(u8 *at, u64 value)
{
	__le64 le = cpu_to_le64(value);

	memcpy(at, &le, sizeof(le));
}

static void put_word(struct dat_cpu *c, u32 value)
{
	if (c->page)
		put_u32(c->page + HEAD + c->used, value);
	c->used += sizeof(u32);
}

static void page_begin(struct dat_cpu *c, u64 ns)
{
	c->begun = true;
	c->used = 0;
	c->last = ns;
	if (!c->page)
		return;
	memset(c->page, 0, PAGE);
	put_u64(c->page, ns);
}

/**
 * dat_page_end() - write the page that is being filled
 * @c: the CPU
 * @to: the file; not used while sizes are computed
 *
 * Return: false on an error.
 */
bool dat_page_end(struct dat_cpu *c, FILE *to)
{
	if (!c->begun)
		return true;
	c->begun = false;
	c->pages += PAGE;
	if (!c->page)
		return true;
	put_u64(c->page + sizeof(u64), c->used);
	if (fseeko(to, c->at, SEEK_SET) || fwrite(c->page, PAGE, 1, to) != 1)
		return false;
	c->at += PAGE;
	return true;
}

/**
 * dat_page_add() - add a record
 * @c: the CPU
 * @ns: time, not before that of the last one
 * @record: its bytes
 * @len: how many, a multiple of 4, at most %DAT_RECORD
 * @to: the file; not used while sizes are computed
 *
 * Return: false on an error.
 */
bool dat_page_add(struct dat_cpu *c, u64 ns, const u8 *record, u32 len, FILE *to)
{
	const u32 room = PAGE - HEAD, most = 8 + 8 + len;
	u64 delta;

	if (c->begun && c->used + most > room && !dat_page_end(c, to))
		return false;
	if (!c->begun)
		page_begin(c, ns);
	delta = ns - c->last;
	if (delta >> DELTA_BITS) {
		put_word(c, TIME_EXTEND | (u32)delta << 5);
		put_word(c, delta >> DELTA_BITS);
		delta = 0;
	}
	if (len <= 4 * WORDS_MOST) {
		put_word(c, len / 4 | (u32)delta << 5);
	} else {
		put_word(c, (u32)delta << 5);
		put_word(c, len + 4);
	}
	if (c->page)
		memcpy(c->page + HEAD + c->used, record, len);
	c->used += len;
	c->last = ns;
	return true;
}
