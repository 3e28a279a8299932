/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow and obvious evaluator of the text that jtrace_program_text() writes.  It walks the text
 * itself for each hit, reads memory byte by byte, and shares no code with lib/.
 */
#ifndef _JTRACE_TEST_OBVIOUS_H
#define _JTRACE_TEST_OBVIOUS_H

/*
 * The context of the tests: registers ax, bx and r10, three arguments, result, stack pointer, where
 * two more arguments are, and what a watchpoint has.
 */
enum {
	FETCH_AX, FETCH_BX, FETCH_R10, FETCH_ARG1, FETCH_ARG2, FETCH_ARG3, FETCH_RET, FETCH_SP,
	FETCH_MORE, FETCH_VALUE, FETCH_OLD, FETCH_WORDS,
};

static const struct jtrace_fetch_register fetch_registers[] = {
	{ "ax", 8 * FETCH_AX }, { "bx", 8 * FETCH_BX }, { "r10", 8 * FETCH_R10 },
};

static const struct jtrace_fetch_register fetch_variables[] = {
	{ "value", 8 * FETCH_VALUE }, { "old", 8 * FETCH_OLD },
};

static const struct jtrace_fetch_context fetch_context = {
	.registers = fetch_registers,
	.nr_registers = 3,
	.arg = { 8 * FETCH_ARG1, 8 * FETCH_ARG2, 8 * FETCH_ARG3 },
	.nr_args = 5,
	.nr_more = 2,
	.has_retval = true,
	.has_stack = true,
	.retval = 8 * FETCH_RET,
	.stack = 8 * FETCH_SP,
	.more = 8 * FETCH_MORE,
	.variables = fetch_variables,
	.nr_variables = 2,
};

/* The memory of the tests: FETCH_BYTES from FETCH_MEMORY on; nothing else can be read. */
#define FETCH_MEMORY	0xffff888000001000ULL
#define FETCH_BYTES	64

static u8 fetch_memory[FETCH_BYTES];

static bool fetch_load(void *to, u64 address, u32 width)
{
	if (address < FETCH_MEMORY || address - FETCH_MEMORY > FETCH_BYTES - width)
		return false;
	memcpy(to, &fetch_memory[address - FETCH_MEMORY], width);
	return true;
}

/* Parse values and conditions. */
static bool fetch_parse_for(const struct jtrace_fetch_context *context, struct jtrace_program *p,
			    const char *text, struct jtrace_refusal *refusal)
{
	struct words w = { text, text, refusal };

	if (!jtrace_program_values(p, context, &w))
		return false;
	if (words_take(&w, "if") && !jtrace_program_conditions(p, context, &w))
		return false;
	words_skip_space(&w);
	return !*w.at || words_refuse(&w, w.at, "the end");
}

static bool fetch_parse(struct jtrace_program *p, const char *text, struct jtrace_refusal *refusal)
{
	return fetch_parse_for(&fetch_context, p, text, refusal);
}

/* Run a program.  Faults become U32_MAX if the lean way gives something else. */
static bool fetch_run(const struct jtrace_program *p, const u64 *context, const char *comm,
		      u64 *payload, u32 *faults)
{
	enum jtrace_truth truth = JTRACE_IS_UNKNOWN;
	struct jtrace_fetch_hit hit = { .context = context, .comm = comm };
	u64 lean[4] = { 0 };
	bool holds, agree;
	u32 i;

	memset(payload, 0, sizeof(lean));
	if (p->lean)
		truth = jtrace_program_test(p, context, fetch_load);
	holds = jtrace_program_holds(p, &hit, fetch_load);
	agree = truth == JTRACE_IS_UNKNOWN || truth == holds;
	for (i = 0; holds && i < p->nr_values; i++)
		jtrace_program_value(p, i, &hit, payload, fetch_load);
	*faults = hit.faults;
	if (holds && jtrace_program_fetch(p, context, lean, fetch_load)) {
		for (i = 0; i < p->nr_slow; i++)
			jtrace_program_value(p, p->slow[i], &hit, lean, fetch_load);
		agree &= !memcmp(payload, lean, sizeof(lean));
	}
	if (!agree)
		*faults = U32_MAX;
	return holds;
}

/* ---- The evaluator ---------------------------------------------------- */

struct obvious {
	const char *at;
	const u64 *context;
	const char *comm;
	u32 faults;
};

/* A value: up to 16 bytes in the order of memory, with zeros behind. */
struct obvious_value {
	u8 byte[16];
	bool fault;
};

static u64 obvious_number(struct obvious *o)
{
	bool hex = o->at[0] == '0' && o->at[1] == 'x';
	u64 n = 0;

	for (o->at += hex ? 2 : 0; ; o->at++) {
		if (*o->at >= '0' && *o->at <= '9')
			n = n * (hex ? 16 : 10) + (*o->at - '0');
		else if (hex && *o->at >= 'a' && *o->at <= 'f')
			n = n * 16 + (*o->at - 'a' + 10);
		else
			return n;
	}
}

static u64 obvious_u64(const struct obvious_value *v)
{
	u64 n = 0;
	int i;

	for (i = 7; i >= 0; i--)
		n = n << 8 | v->byte[i];
	return n;
}

static struct obvious_value obvious_of(u64 n)
{
	struct obvious_value v = { };
	int i;

	for (i = 0; i < 8; i++)
		v.byte[i] = n >> 8 * i;
	return v;
}

/* Read @width bytes; text ends at a NUL. */
static struct obvious_value obvious_load(u64 address, u32 width, bool text)
{
	struct obvious_value v = { };
	u32 i;

	for (i = 0; i < width; i++) {
		if (address + i < FETCH_MEMORY || address + i >= FETCH_MEMORY + FETCH_BYTES) {
			v.fault = true;
			return v;
		}
		v.byte[i] = fetch_memory[address + i - FETCH_MEMORY];
		if (text && !v.byte[i])
			return v;
	}
	return v;
}

static bool obvious_skip(struct obvious *o, const char *word)
{
	if (strncmp(o->at, word, strlen(word)))
		return false;
	o->at += strlen(word);
	return true;
}

/* FETCH; @width and @text are those of the load, if it is one. */
static struct obvious_value obvious_fetch(struct obvious *o, u32 width, bool text)
{
	struct obvious_value v = { };
	u64 n;

	if (*o->at == '+' || *o->at == '-') {
		bool minus = *o->at++ == '-';

		n = obvious_number(o);
		o->at++;
		v = obvious_fetch(o, 8, false);
		o->at++;
		return v.fault ? v : obvious_load(obvious_u64(&v) + (minus ? -n : n), width, text);
	}
	if (obvious_skip(o, "@"))
		return obvious_load(obvious_number(o), width, text);
	if (obvious_skip(o, "\\"))
		return obvious_of(obvious_number(o));
	if (obvious_skip(o, "%ax"))
		return obvious_of(o->context[FETCH_AX]);
	if (obvious_skip(o, "%bx"))
		return obvious_of(o->context[FETCH_BX]);
	if (obvious_skip(o, "%r10"))
		return obvious_of(o->context[FETCH_R10]);
	if (obvious_skip(o, "$arg")) {
		n = obvious_number(o);
		if (n <= 3)
			return obvious_of(o->context[FETCH_ARG1 - 1 + n]);
		return obvious_load(o->context[FETCH_MORE] + 8 * (n - 4), width, text);
	}
	if (obvious_skip(o, "$value"))
		return obvious_of(o->context[FETCH_VALUE]);
	if (obvious_skip(o, "$old"))
		return obvious_of(o->context[FETCH_OLD]);
	if (obvious_skip(o, "$retval"))
		return obvious_of(o->context[FETCH_RET]);
	if (obvious_skip(o, "$stack")) {
		if (*o->at < '0' || *o->at > '9')
			return obvious_of(o->context[FETCH_SP]);
		n = obvious_number(o);
		return obvious_load(o->context[FETCH_SP] + 8 * n, width, text);
	}
	if (obvious_skip(o, "$comm")) {
		for (n = 0; n < width && o->comm[n]; n++)
			v.byte[n] = o->comm[n];
		return v;
	}
	if (obvious_skip(o, "$regs"))
		return obvious_of(0);
	v.fault = true;
	return v;
}

/*
 * FETCH:TYPE: a value of 64 bits, or a text, at most @most bytes of it.  Its type goes to @type,
 * and its width in bytes to @width.
 */
static struct obvious_value obvious_typed(struct obvious *o, char *type, u32 *width, u32 most)
{
	const char *colon = o->at + strcspn(o->at, ":");
	bool text = !strncmp(colon, ":string", 7), narrow;
	struct obvious_value v;
	u32 i;

	*type = text ? 't' : colon[1] == 's' && colon[2] != 'y' ? 's' : 'u';
	*width = !strncmp(colon, ":string8", 8) ? 8 : text || colon[1] == 'b' ? 16 :
		 colon[2] == '8' ? 1 :
		 colon[2] == '1' ? 2 : colon[2] == '3' ? 4 : 8;
	*width = min(*width, most);
	v = obvious_fetch(o, *width, text);
	o->at += strcspn(o->at, " ");
	if (v.fault) {
		memset(v.byte, 0xff, sizeof(v.byte));
		o->faults++;
		return v;
	}
	narrow = !text && *width < 8;
	for (i = *width; narrow && i < 8; i++)
		v.byte[i] = *type == 's' && v.byte[*width - 1] & 0x80 ? 0xff : 0;
	return v;
}

/* Bytes of a text that FETCH:TYPE OP "TEXT" must look at: a short one ends within the first half. */
static u32 obvious_most(const char *at)
{
	const char *text = at + strcspn(at, " ") + 1;
	u32 n = 0;

	text += strcspn(text, " ") + 1;
	for (text += *text == '"'; *text && *text != '"'; text++, n++)
		if (*text == '\\')
			text++;
	return n < 8 ? 8 : 16;
}

/* " OP VALUE" after a value. */
static bool obvious_compare(struct obvious *o, const struct obvious_value *v, char type, u32 width)
{
	u64 is = obvious_u64(v), want;
	const char *op = ++o->at;
	u8 text[17] = { 0 };
	u32 i = 0;

	o->at += strcspn(o->at, " ") + 1;
	if (type == 't') {
		for (o->at++; *o->at != '"'; o->at++) {
			if (*o->at == '\\')
				o->at++;
			text[i++] = *o->at;
		}
		o->at++;
		return !memcmp(text, v->byte, width) == (op[0] == 'e');
	}
	want = obvious_skip(o, "-") ? -obvious_number(o) : obvious_number(o);
	if (op[0] == 'e')
		return is == want;
	if (op[0] == 'n')
		return is != want;
	if (op[0] == 'h')
		return (is & want) == want;
	if (op[1] == 'e' && is == want)
		return true;
	if (type == 's')
		return op[0] == 'l' ? (s64)is < (s64)want : (s64)is > (s64)want;
	return op[0] == 'l' ? is < want : is > want;
}

/*
 * Evaluate a text.  Put each value to the end of @payload's free places, by the rule of
 * linux/jtrace_field.h in other words: @taken are the places a to f.
 */
static bool obvious_run(const char *text, const u64 *context, const char *comm, u64 *payload,
			u32 *faults)
{
	static const int wide_order[] = { 4, 5, 0, 2 };
	struct obvious o = { text, context, comm, 0 };
	const char *conditions = strstr(text, " if ");
	bool taken[6] = { false }, holds = true;
	struct obvious_value v;
	u32 width, i, half;
	char type;

	if (conditions) {
		o.at = conditions + 3;
		do {
			o.at++;
			v = obvious_typed(&o, &type, &width, obvious_most(o.at));
			if (!obvious_compare(&o, &v, type, width) || v.fault) {
				holds = false;
				break;
			}
		} while (obvious_skip(&o, " and"));
	}
	o.at = text;
	while (holds && o.at != conditions && *o.at) {
		o.at += strcspn(o.at, "=") + 1;
		v = obvious_typed(&o, &type, &width, 16);
		if (width < 8) {
			for (i = 0; taken[i]; i++)
				;
			taken[i] = true;
			/* Alone in a word it has all 64 bits. */
			if (i < 4)
				payload[i / 2] |= (obvious_u64(&v) & 0xffffffff) << 32 * (i % 2);
			else
				payload[i - 2] = obvious_u64(&v);
			continue;
		}
		for (half = 0; half < (width == 16 ? 2 : 1); half++) {
			for (i = 0; taken[wide_order[i]]; i++)
				;
			i = wide_order[i];
			taken[i] = true;
			/* A pair is taken from its first place on. */
			if (i < 4)
				taken[i + 1] = true;
			if (half)
				memcpy(v.byte, v.byte + 8, 8);
			payload[i < 4 ? i / 2 : i - 2] = obvious_u64(&v);
		}
	}
	*faults += o.faults;
	return holds;
}

#endif /* _JTRACE_TEST_OBVIOUS_H */
