/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks of events, in the image. */
#ifndef _JTRACE_STACK_H
#define _JTRACE_STACK_H

#include "image.h"

/* Bytes of a record of the default number of frames. */
#define JTRACE_STACK_RECORD_TYPICAL \
	ALIGN(sizeof(struct jtrace_stack_record) + JTRACE_STACK_DEFAULT * sizeof(__le32), \
	      JTRACE_GRANULE)

/* A record under construction or copied, copied by words. */
union jtrace_stack_buffer {
	struct {
		struct jtrace_stack_record r;
		__le32 frame[JTRACE_STACK_MAX + 1];
	};
	u64 word[(sizeof(struct jtrace_stack_record) +
		  (JTRACE_STACK_MAX + 2) * sizeof(__le32)) / sizeof(u64)];
};

/**
 * struct jtrace_stacks - the writer's side of the area
 * @img: the image
 * @image_id: of the image
 * @key: of the hash
 * @text: &jtrace_image_header.text
 * @next: place where the next record may begin; atomic
 * @end: place after the last granule for records; 0 without an area
 * @index: hash of the content to place, open addressing, 0 for free; a slot is set once, by cmpxchg
 * @mask: slots of @index - 1; there are more slots than records fit
 * @write_back: records are written back to memory
 * @stored: records stored and published
 * @unstored: stacks that found no room; each counts at each event
 * @nested: stacks that were not taken, because their context was taking another one
 *
 * Only the records lie in the image.
 */
struct jtrace_stacks {
	u8 *img;
	u64 image_id;
	u64 key;
	u64 text;
	u64 next;
	u32 end;
	u32 *index;
	u32 mask;
	bool write_back;
	atomic64_t stored;
	atomic64_t unstored;
	atomic64_t nested;
};

/**
 * struct jtrace_stack - a stack as it is read
 * @nr: number of frames
 * @cut: it goes on: so many frames were asked for
 * @broken: it could not be followed to its end
 * @lost: the image does not have it; set by callers of jtrace_stack_read()
 * @exact: see &jtrace_stack_record.exact
 * @frame: offsets from &jtrace_image_header.text, the innermost first; see jtrace_frame_address()
 */
struct jtrace_stack {
	u32 nr;
	bool cut;
	bool broken;
	bool lost;
	u32 exact;
	u32 frame[JTRACE_STACK_MAX];
};

u32 jtrace_stacks_room(const struct jtrace_layout *l);
void jtrace_stacks_init(struct jtrace_stacks *s, const struct jtrace_layout *l, void *img,
			u64 image_id, u64 text, void *room, bool write_back);
u32 jtrace_stack_intern(struct jtrace_stacks *s, union jtrace_stack_buffer *rec);
bool jtrace_stack_read(const struct jtrace_layout *l, const void *img, u64 image_id, u32 number,
		       struct jtrace_stack *to);
u32 jtrace_stack_parse(const void *at, u64 len, u64 *image_id, u32 *number);

/* ---- Fill a record ---------------------------------------------------- */

static __always_inline void jtrace_stack_begin(union jtrace_stack_buffer *rec)
{
	rec->r.exact = 0;
	rec->r.nr = 0;
	rec->r.flags = 0;
	memset(rec->r.reserved, 0, sizeof(rec->r.reserved));
}

/**
 * jtrace_stack_add() - add a frame
 * @rec: begun, with fewer frames than %JTRACE_STACK_MAX
 * @text: &jtrace_image_header.text
 * @address: of the frame
 * @exact: it is not a return address
 */
static __always_inline void jtrace_stack_add(union jtrace_stack_buffer *rec, u64 text, u64 address,
					     bool exact)
{
	const s64 offset = address - text;

	rec->frame[rec->r.nr] = cpu_to_le32(offset == (s32)offset ? (u32)offset :
							       JTRACE_FRAME_FAR);
	rec->r.exact |= cpu_to_le32((u32)exact << rec->r.nr);
	rec->r.nr++;
}

/* Take back the last frame, if there is one. */
static __always_inline void jtrace_stack_drop(union jtrace_stack_buffer *rec)
{
	if (!rec->r.nr)
		return;
	rec->r.nr--;
	rec->r.exact &= ~cpu_to_le32(1U << rec->r.nr);
}

/* ---- Read one --------------------------------------------------------- */

/**
 * jtrace_frame_address() - find the address of a frame
 * @h: header of the image
 * @frame: of a stack
 *
 * Return: the address, 0 if it is not known.
 */
static inline u64 jtrace_frame_address(const struct jtrace_image_header *h, u32 frame)
{
	const u64 text = le64_to_cpu(h->text);

	return text && frame != JTRACE_FRAME_FAR ? text + (s64)(s32)frame : 0;
}

#endif /* _JTRACE_STACK_H */
