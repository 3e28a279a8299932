// SPDX-License-Identifier: GPL-2.0
/*
 * The stack of an entry, a line a frame, as an oops writes it.
 *
 * Many entries have one stack, so its frames are looked up once.  But a stack that was recorded
 * before and after a module came may name another function then: the names count for the times
 * at which no frame can have another one.
 */

#include <search.h>
#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "entries.h"

/**
 * struct named_stack - a stack whose frames were looked up
 * @number: of the stack
 * @same: when they have these names
 * @at: of each frame: place of its name in @text; that of a NUL if the name is not known
 * @text: the names
 */
struct named_stack {
	u32 number;
	struct period same;
	u32 at[JTRACE_STACK_MAX];
	char *text;
};

/* Between stack_open() and stack_close(). */
static struct {
	const struct jtrace_trace *t;
	void *all;		/* a tree of tsearch() */
	struct named_stack *last;
} named;

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

static bool look_up_frame(const struct jtrace_trace *t, const struct jtrace_stack *s, u32 i,
			  u64 time, struct period *same, char *to, size_t size)
{
	const u64 address = jtrace_frame_address(&t->header, s->frame[i]);
	const enum jtrace_symbol_kind kind = stack_kind(s, i);

	return address &&
	       (address_frame(address, kind == JTRACE_SYMBOL_EXACT, time, same, to, size) ||
		stored_find(kind, address, to, size));
}

static int number_order(const void *a, const void *b)
{
	const struct named_stack *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Look up the frames of a stack.  False if there is no memory. */
static bool name_frames(struct named_stack *n, const struct jtrace_trace *t,
			const struct jtrace_stack *s, u64 time)
{
	static char text[JTRACE_STACK_MAX * SYMBOL_TEXT + 1];
	u32 len = 1, i;

	n->same = (struct period) { .until = ~0ULL };
	for (i = 0; i < s->nr; i++) {
		n->at[i] = 0;
		if (!look_up_frame(t, s, i, time, &n->same, text + len, SYMBOL_TEXT))
			continue;
		n->at[i] = len;
		len += strlen(text + len) + 1;
	}
	free(n->text);
	n->text = malloc(len);
	if (n->text)
		memcpy(n->text, text, len);
	return n->text;
}

static struct named_stack *get_named(u32 number)
{
	const struct named_stack key = { .number = number };
	struct named_stack **found = tfind(&key, &named.all, number_order), *new;

	if (found)
		return *found;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->number = number;
	if (tsearch(new, &named.all, number_order))
		return new;
	free(new);
	return NULL;
}

/* The names of a stack at the time of an entry.  NULL if there is no memory. */
static const struct named_stack *names_of(const struct jtrace_trace *t,
					  const struct jtrace_decoded *ev,
					  const struct jtrace_stack *s)
{
	struct named_stack *n = named.last;

	if (!n || n->number != ev->stack)
		n = get_named(ev->stack);
	named.last = n;
	return n && ((n->text && ev->time >= n->same.from && ev->time < n->same.until) ||
		     name_frames(n, t, s, ev->time)) ? n : NULL;
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
	const struct named_stack *n = t == named.t ? names_of(t, ev, s) : NULL;
	struct period any = { .until = ~0ULL };

	if (!n)
		return look_up_frame(t, s, i, ev->time, &any, to, size);
	scnprintf(to, size, "%s", n->text + n->at[i]);
	return n->at[i];
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

static void free_named(void *node)
{
	struct named_stack *n = node;

	free(n->text);
	free(n);
}

/**
 * stack_close() - forget the names of frames
 */
void stack_close(void)
{
	tdestroy(named.all, free_named);
	memset(&named, 0, sizeof(named));
}

/**
 * stack_open() - keep the names of the frames of a trace
 * @t: the trace, which stays until stack_close(); address_open() and stored_open() came before
 */
void stack_open(const struct jtrace_trace *t)
{
	stack_close();
	named.t = t;
}
