// SPDX-License-Identifier: GPL-2.0
/*
 * Names that were stored with an image: those of its addresses, and of numbers that only the BTF of
 * its kernel tells.  They count where this machine knows none: another one, or one after an update.
 *
 * The area is judged as a whole, because a damaged name could be a wrong one.
 */

#include <stdlib.h>

#include "entries.h"

#define RECORD		offsetof(struct jtrace_symbol_record, text)

/**
 * struct stored_name - a record
 * @value: same
 * @kind: same
 * @len: same
 * @text: same, in the image
 */
struct stored_name {
	u64 value;
	u16 kind;
	u16 len;
	const char *text;
};

static struct {
	struct stored_name *name;	/* sorted */
	size_t nr;
} stored;

static int name_order(const void *a, const void *b)
{
	const struct stored_name *x = a, *y = b;

	return (x->kind > y->kind) - (x->kind < y->kind) ?:
	       (x->value > y->value) - (x->value < y->value);
}

/* The area; NULL if there is none, or if it is damaged. */
static const u8 *find_area(const struct jtrace_trace *t, u32 *size, u32 *nr)
{
	const struct jtrace_area *a = jtrace_header_area(&t->header, JTRACE_AREA_SYMBOLS);
	struct jtrace_symbols head;
	const u8 *at;
	u32 off;

	if (!a)
		return NULL;
	off = le32_to_cpu(a->off);
	*size = le32_to_cpu(a->size);
	if (*size < sizeof(head) || off % sizeof(u64) || (u64)off + *size > t->len)
		return NULL;
	at = (const u8 *)t->img + off;
	memcpy(&head, at, sizeof(head));
	if (le64_to_cpu(head.image_id) != t->image_id ||
	    le32_to_cpu(head.crc) != jtrace_crc32c(~0U, at + sizeof(head.crc),
						   *size - sizeof(head.crc)))
		return NULL;
	*nr = le32_to_cpu(head.nr);
	return *nr <= (*size - sizeof(head)) / RECORD ? at : NULL;
}

/* Read the record at @at; return the place of the next one, 0 if it is not valid. */
static u32 read_record(const u8 *area, u32 size, u32 at, struct stored_name *to)
{
	struct jtrace_symbol_record r;

	if (at > size || size - at < RECORD)
		return 0;
	memcpy(&r, area + at, RECORD);
	to->value = le64_to_cpu(r.value);
	to->kind = le16_to_cpu(r.kind);
	to->len = le16_to_cpu(r.len);
	to->text = (const char *)area + at + RECORD;
	if (!to->len || to->len >= SYMBOL_TEXT || to->len > size - at - RECORD ||
	    memchr(to->text, 0, to->len))
		return 0;
	return ALIGN(at + RECORD + to->len, sizeof(u64));
}

/**
 * stored_open() - read the names that are stored with an image
 * @t: the trace; one at a time
 */
void stored_open(const struct jtrace_trace *t)
{
	u32 size, nr, at = sizeof(struct jtrace_symbols), i;
	const u8 *area = find_area(t, &size, &nr);

	stored_close();
	if (!area || !nr)
		return;
	stored.name = malloc(nr * sizeof(*stored.name));
	for (i = 0; stored.name && i < nr && at; i++) {
		at = read_record(area, size, at, &stored.name[i]);
		if (at && i && name_order(&stored.name[i - 1], &stored.name[i]) >= 0)
			at = 0;
	}
	if (stored.name && at)
		stored.nr = nr;
}

/**
 * stored_find() - find a stored name
 * @kind: of the value
 * @value: what has the name
 * @to: result; the bytes are not escaped
 * @size: of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if there is none.
 */
bool stored_find(enum jtrace_symbol_kind kind, u64 value, char *to, size_t size)
{
	const struct stored_name key = { .kind = kind, .value = value };
	const struct stored_name *n = stored.nr ? bsearch(&key, stored.name, stored.nr,
							  sizeof(key), name_order) : NULL;

	if (!n || n->len >= size)
		return false;
	memcpy(to, n->text, n->len);
	to[n->len] = 0;
	return true;
}

/**
 * stored_close() - forget the names
 */
void stored_close(void)
{
	free(stored.name);
	stored.name = NULL;
	stored.nr = 0;
}
