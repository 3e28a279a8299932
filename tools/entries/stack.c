// SPDX-License-Identifier: GPL-2.0
/* The stack of an entry, a line a frame, as an oops writes it. */

#include "../../lib/base/pen.h"
#include "entries.h"

/**
 * stack_find() - find the stack of an entry
 * @t: the trace
 * @ev: the entry, which has one
 * @s: result
 *
 * Return: false if the image does not have it.
 */
bool stack_find(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		struct jtrace_stack *s)
{
	return jtrace_stack_read(&t->l, t->img, t->image_id, ev->stack, s);
}

/* Of what kind is the address of a frame? */
enum jtrace_symbol_kind stack_kind(const struct jtrace_stack *s, u32 i)
{
	return s->exact >> i & 1 ? JTRACE_SYMBOL_EXACT : JTRACE_SYMBOL_RETURN;
}

/**
 * stack_symbol() - name a frame
 * @t: the trace
 * @ev: the entry
 * @s: its stack
 * @i: of the frame
 * @to: result: "FUNCTION+0xOFFSET/0xSIZE", and " [MODULE]" if it is in one; the bytes are not
 *	escaped
 * @size: of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if it is not known.
 */
bool stack_symbol(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		  const struct jtrace_stack *s, u32 i, char *to, size_t size)
{
	const u64 address = jtrace_frame_address(&t->header, s->frame[i]);

	return address && decode_stored(ev, stack_kind(s, i), address, to, size);
}

/**
 * stack_lines() - how many lines has the stack of an entry as text?
 * @t: the trace
 * @ev: the entry, or NULL
 * @s: result: the stack
 *
 * Return: their number; 0 without a stack.
 */
u32 stack_lines(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		struct jtrace_stack *s)
{
	if (!ev || !ev->stack)
		return 0;
	if (!stack_find(t, ev, s))
		*s = (struct jtrace_stack) { .lost = true };
	return s->nr + (s->cut || s->broken || !s->nr);
}

/* From the beginning of the kernel, whose address is not known. */
static void put_offset(struct pen *p, s64 offset)
{
	pen_format(p, "_stext%c0x%llx", offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
}

static void put_frame(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		      const struct jtrace_stack *s, u32 i, struct pen *p)
{
	const u64 address = jtrace_frame_address(&t->header, s->frame[i]);
	char symbol[SYMBOL_TEXT];

	if (stack_symbol(t, ev, s, i, symbol, sizeof(symbol)))
		jtrace_put_escaped(t, p, symbol, sizeof(symbol));
	else if (address)
		pen_format(p, "0x%016llx", address);
	else if (s->frame[i] != JTRACE_FRAME_FAR)
		put_offset(p, (s32)s->frame[i]);
	else
		pen_char(p, '?');
}

/**
 * stack_line() - write a line of a stack
 * @t: the trace
 * @ev: the entry
 * @s: its stack, by stack_lines()
 * @i: number of the line
 * @p: where to; %STACK_LINE bytes suffice
 */
void stack_line(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		const struct jtrace_stack *s, u32 i, struct pen *p)
{
	if (i < s->nr)
		put_frame(t, ev, s, i, p);
	else if (s->cut)
		pen_text(p, "...");
	else if (s->broken)
		pen_text(p, "(the rest of the stack could not be read)");
	else
		pen_text(p, s->lost ? "(its stack is lost)" : "(its stack is empty)");
	*p->at = 0;
}
