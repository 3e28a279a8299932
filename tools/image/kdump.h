/* SPDX-License-Identifier: GPL-2.0 */
/* Compressed dumps of makedumpfile and QEMU: what kdump.c and its checks share. */
#ifndef _JTRACE_KDUMP_H
#define _JTRACE_KDUMP_H

#include "image.h"

/**
 * struct frames - page frames without a gap
 * @first: number of the first one
 * @nr: how many
 */
struct frames {
	u64 first;
	u64 nr;
};

/**
 * struct kdump_layout - where the parts of a dump are, see kdump_check()
 * @swap: numbers are big-endian
 * @page: bytes of a page, and of a block of the dump
 * @frames: page frames of the dumped machine
 * @bitmap: offset of the bitmap of the frames that the dump has
 * @bits: size of this bitmap
 * @descriptors: offset of the descriptors, one for each bit that is set
 * @note: offset of the ELF notes
 * @note_len: bytes of them, 0 if there are none
 * @bad: frames whose descriptors are damaged, in ascending order
 * @nr_bad: number of elements of @bad
 */
struct kdump_layout {
	bool swap;
	u32 page;
	u64 frames;
	u64 bitmap;
	u64 bits;
	u64 descriptors;
	u64 note;
	u64 note_len;
	struct frames *bad;
	size_t nr_bad;
};

/* Larger machines are refused, so that a damaged header cannot keep jtrace busy for hours. */
#define KDUMP_FRAMES_MAX	((u64)1 << 34)

/* kdump_notes.c */
u64 kdump_number(const struct kdump_layout *l, const void *at, u32 size);
bool kdump_check_notes(const struct source *s, const struct kdump_layout *l);

/* kdump_check.c */
bool kdump_check(const struct source *s, struct kdump_layout *l);

#endif /* _JTRACE_KDUMP_H */
