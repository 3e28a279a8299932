/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of an event: their types, and their places in an entry. */
#ifndef _LINUX_JTRACE_FIELD_H
#define _LINUX_JTRACE_FIELD_H

#include <linux/types.h>
#include <uapi/linux/jtrace.h>

/**
 * DOC: fields
 *
 * An event of the kernel has up to six values, with names and types.  A site has no room for
 * names, so the tag tells them, "NAME (FIELD:TYPE, ...)", and readers find the values by this rule:
 * fields take places in the order of the tag, and each takes the first free one.
 *
 * - A value of up to 32 bits takes one of a, b, c, d, then e, f.
 * - A wider one takes e, f, then the pair a and b, then the pair c and d.
 * - A string of 16 bytes, or 16 bytes of memory, takes two places of wide values; a string of 8
 *   bytes takes one.  Their bytes are in memory order.
 */

/* Flags of enum jtrace_field_type, above an enum jtrace_arg. */
#define JTRACE_FIELD_HEX	0x10
#define JTRACE_FIELD_STRING	0x20
#define JTRACE_FIELD_STRING8	0x40
#define JTRACE_FIELD_BYTES	0x80

/*
 * Type of a field: unsigned, signed, or unsigned and shown in hex, with a width in bits; an address
 * in code; a string of up to 16 or 8 bytes, zeros after the first NUL; 16 bytes of memory.
 */
enum jtrace_field_type {
	JTRACE_FIELD_u8 = JTRACE_ARG_U8,
	JTRACE_FIELD_u16 = JTRACE_ARG_U16,
	JTRACE_FIELD_u32 = JTRACE_ARG_U32,
	JTRACE_FIELD_u64 = JTRACE_ARG_U64,
	JTRACE_FIELD_s8 = JTRACE_ARG_S8,
	JTRACE_FIELD_s16 = JTRACE_ARG_S16,
	JTRACE_FIELD_s32 = JTRACE_ARG_S32,
	JTRACE_FIELD_s64 = JTRACE_ARG_S64,
	JTRACE_FIELD_x8 = JTRACE_FIELD_HEX | JTRACE_ARG_U8,
	JTRACE_FIELD_x16 = JTRACE_FIELD_HEX | JTRACE_ARG_U16,
	JTRACE_FIELD_x32 = JTRACE_FIELD_HEX | JTRACE_ARG_U32,
	JTRACE_FIELD_x64 = JTRACE_FIELD_HEX | JTRACE_ARG_U64,
	JTRACE_FIELD_symbol = JTRACE_FIELD_HEX | JTRACE_ARG_POINTER,
	JTRACE_FIELD_string = JTRACE_FIELD_STRING | JTRACE_ARG_U64,
	JTRACE_FIELD_string8 = JTRACE_FIELD_STRING8 | JTRACE_ARG_U64,
	JTRACE_FIELD_bytes = JTRACE_FIELD_BYTES | JTRACE_ARG_U64,
};

/* Bytes of a string, and of memory. */
#define JTRACE_FIELD_TEXT	16

#define jtrace_field_is_text(type)	((type) & (JTRACE_FIELD_STRING | JTRACE_FIELD_STRING8))

/* Does it take two places? */
#define jtrace_field_is_double(type)	((type) & (JTRACE_FIELD_STRING | JTRACE_FIELD_BYTES))

/**
 * struct jtrace_field - a field
 * @name: an identifier
 * @type: its type
 */
struct jtrace_field {
	const char *name;
	enum jtrace_field_type type;
};

/* enum jtrace_arg of the type; if it takes two places, that of each half. */
#define jtrace_field_arg(type)		((type) & JTRACE_ARG_MASK)

/* Width in bytes; if it takes two places, that of each half. */
#define jtrace_field_width(type)					\
	(jtrace_field_arg(type) == JTRACE_ARG_POINTER ? 8 :		\
	 1 << (jtrace_field_arg(type) - 1) % 4)

#define jtrace_field_signed(type)					\
	(jtrace_field_arg(type) >= JTRACE_ARG_S8 && jtrace_field_arg(type) <= JTRACE_ARG_S64)

/**
 * struct jtrace_payload - the values of an event, as jtrace_record() takes them
 * @word: a and b, c and d, e, f
 * @taken: a bit for each of a to f
 */
struct jtrace_payload {
	u64 word[4];
	u32 taken;
};

/*
 * Take the next free place for a value.  Inlined, because compilers compute the places of an
 * event from constants.  Return 0 to 5 for a to f, 0 or 2 for a pair; -1 if there is none.
 */
static __always_inline int jtrace_place_take(u32 *taken, bool wide)
{
	u32 t = *taken, bits;
	int place;

	if (wide) {
		place = !(t & 0x10) ? 4 : !(t & 0x20) ? 5 : !(t & 0x03) ? 0 : !(t & 0x0c) ? 2 : -1;
		bits = place >= 0 && place < 4 ? 3 : 1;
	} else {
		place = !(t & 0x01) ? 0 : !(t & 0x02) ? 1 : !(t & 0x04) ? 2 : !(t & 0x08) ? 3 :
			!(t & 0x10) ? 4 : !(t & 0x20) ? 5 : -1;
		bits = 1;
	}
	if (place >= 0)
		*taken |= bits << place;
	return place;
}

/* The word of a place. */
#define jtrace_place_word(place)	((place) < 4 ? (place) / 2 : (place) - 2)

/* Do values of this width at this place share a word with another value? */
#define jtrace_place_shares(place, width)	((place) < 4 && (width) < 8)

/*
 * Store the next value, or half of a string.  Signed values are sign-extended to 64 bits.  Return
 * the place, -1 if there is none.
 */
static __always_inline int jtrace_payload_put(struct jtrace_payload *p,
					      const enum jtrace_field_type type, u64 value)
{
	int place = jtrace_place_take(&p->taken, jtrace_field_width(type) == 8);

	if (place >= 0)
		p->word[jtrace_place_word(place)] |=
			!jtrace_place_shares(place, jtrace_field_width(type)) ? value :
			(u64)(u32)value << 32 * (place & 1);
	return place;
}

/* Zero all bytes after the first NUL of 8 bytes of text; the lowest byte is the first one. */
static __always_inline u64 jtrace_field_cut(u64 text)
{
	u64 zero = (text - 0x0101010101010101ULL) & ~text & 0x8080808080808080ULL;

	/* The lowest bit that is set is in the first byte that is 0. */
	return zero ? text & (((zero & -zero) >> 7) - 1) : text;
}

#endif /* _LINUX_JTRACE_FIELD_H */
