// SPDX-License-Identifier: GPL-2.0
/* Fetch programs: parsed, written back, and run against an obvious evaluator. */

#include <kunit/test.h>

#include "../../lib/lang/fetch.h"
#include "obvious.h"
#include "random.h"

static const char comm[16] = "jtrace test";

/* Too large for the stack of a kernel. */
static struct jtrace_program p;
static char text[300], back[400];

/* Registers and memory of the cases. */
static void fill(u64 *context)
{
	static const u8 text[] = "eth0\0\0a text of seventeen";
	u32 i;

	for (i = 0; i < FETCH_BYTES; i++)
		fetch_memory[i] = 0x80 + i;
	memcpy(&fetch_memory[16], text, sizeof(text));
	/* A list: a pointer to the pointer to itself. */
	i = 0;
	memcpy(&fetch_memory[0], &(u64){ FETCH_MEMORY + 8 }, 8);
	memcpy(&fetch_memory[8], &(u64){ FETCH_MEMORY }, 8);
	memcpy(&fetch_memory[61], "end", 3);
	context[FETCH_AX] = 0xfedcba9876543210ULL;
	context[FETCH_BX] = FETCH_MEMORY;
	context[FETCH_R10] = 0x1000;
	context[FETCH_ARG1] = 1;
	context[FETCH_ARG2] = FETCH_MEMORY + 16;
	context[FETCH_ARG3] = -3ULL;
	context[FETCH_RET] = -110ULL;
	context[FETCH_SP] = FETCH_MEMORY + 48;
	context[FETCH_VALUE] = 0x1122334455667788ULL;
	context[FETCH_OLD] = -2ULL;
	/* The memory ends behind the first one. */
	context[FETCH_MORE] = FETCH_MEMORY + FETCH_BYTES - 8;
}

static const struct {
	const char *text;
	bool holds;
	u32 faults;
	u64 payload[4];
	const char *back;	/* NULL: the same */
} valid[] = {
	{ "", true, 0, { 0 }, NULL },
	{ "%ax", true, 0, { [2] = 0xfedcba9876543210ULL }, " arg1=%ax:x64" },
	{ " a=%ax:u8 b=%ax:x16 c=%ax:s32 d=%ax:s8", true, 0,
	  { 0x321000000010ULL, 0x1076543210ULL }, NULL },
	{ " a=$retval:s32 b=$arg3:s8 c=$arg3:u8", true, 0,
	  { 0xfffffffdffffff92ULL, 0xfd }, NULL },
	{ " a=$arg3:s8 b=$arg3:s8 c=$arg3:s8 d=$arg3:s8 e=$arg3:s8 f=$arg3:u8", true, 0,
	  { 0xfffffffdfffffffdULL, 0xfffffffdfffffffdULL, -3ULL, 0xfd }, NULL },
	{ " a=$retval:s64 b=\\-5:s64 c=\\0x10:u64 d=$stack:x64", true, 0,
	  { 16, FETCH_MEMORY + 48, -110ULL, -5ULL },
	  " a=$retval:s64 b=\\0xfffffffffffffffb:s64 c=\\0x10:u64 d=$stack:x64" },
	{ " p=+0(%bx):x64 q=+0(+0(%bx)):x64", true, 0,
	  { [2] = FETCH_MEMORY + 8, FETCH_MEMORY }, NULL },
	{ " deep=+4(+0(+0(+0(+0(+0(%bx)))))):u8", true, 0, { 0x80 }, NULL },
	{ " n=-8($stack):u8 s=$stack1:x32", true, 0, { 0xbbbab9b80000006eULL },
	  NULL },
	{ " a=@0xffff888000001008:x64", true, 0, { [2] = FETCH_MEMORY }, NULL },
	{ " a=$arg4:x64 b=$arg4:u8", true, 0, { 0xb8, 0, 0x646e65bcbbbab9b8ULL }, NULL },
	{ " a=$arg5:x64 b=+0($arg5):u8 c=+0($arg4):string", true, 3,
	  { 0xffffffff, ~0ULL, ~0ULL, ~0ULL }, NULL },
	{ " a=$arg1:u32 if $arg5:x64 eq 0x7", false, 1, { 0 }, NULL },
	{ " dev=+0($arg2):string", true, 0, { [2] = 0x30687465ULL, 0 }, NULL },
	{ " t=+6($arg2):string8 c=$comm:string8", true, 0,
	  { [2] = 0x6f20747865742061ULL, 0x742065636172746aULL }, NULL },
	{ " c=$comm:string", true, 0, { [2] = 0x742065636172746aULL, 0x747365 }, NULL },
	{ " e=+61(%bx):string", true, 1, { [2] = ~0ULL, ~0ULL }, NULL },
	{ " bad=+0(%r10):u16 worse=+0(+0(%r10)):s64", true, 2, { 0xffffffff, 0, ~0ULL }, NULL },
	{ " b=+0(%bx):bytes", true, 0, { [2] = FETCH_MEMORY + 8, FETCH_MEMORY }, NULL },
	{ " a=$arg1:u32 b=+48(%bx):bytes c=+61(%bx):u8", true, 0,
	  { 0x6500000001ULL, 0, 0xb7b6b5b4b3b2b1b0ULL, 0x646e65bcbbbab9b8ULL }, NULL },
	{ " b=+56(%bx):bytes", true, 1, { [2] = ~0ULL, ~0ULL }, NULL },
	{ " n=$value:u64 o=$old:s64 k=$value:u8 if $old:s64 lt 0", true, 0,
	  { 0x88, 0, 0x1122334455667788ULL, -2ULL }, NULL },
	{ "%bx:x32 $regs", true, 0, { FETCH_MEMORY & 0xffffffff }, " arg1=%bx:x32 hit=$regs:u32" },
	{ " a=%ax:x32 if $arg1:u32 eq 1", true, 0, { 0x76543210 }, NULL },
	{ " a=%ax:x32 if $arg1:u32 ne 1", false, 0, { 0 }, NULL },
	{ " if +0($arg2):string eq \"eth0\" and $retval:s32 lt 0", true, 0, { 0 }, NULL },
	{ " if +0($arg2):string eq \"eth0\" and $retval:s32 ge 0", false, 0, { 0 }, NULL },
	{ " if +0($arg2):string eq \"eth\"", false, 0, { 0 }, NULL },
	{ " if +0($arg2):string ne \"eth0:\"", true, 0, { 0 }, NULL },
	{ " if +5($arg2):string8 eq \"\" and +6($arg2):string ne \"a text o\"", true, 0, { 0 },
	  NULL },
	{ " if +6($arg2):string8 eq \"a text o\" and +6($arg2):string eq \"a text of sevent\"",
	  true, 0, { 0 }, NULL },
	{ " if +0(%r10):u8 eq 255", false, 1, { 0 }, NULL },
	{ " if +0(%r10):s32 lt 0", false, 1, { 0 }, NULL },
	{ " if +0(%r10):u8 ne 1", false, 1, { 0 }, NULL },
	{ " if +0(%r10):x64 has 0x1", false, 1, { 0 }, NULL },
	{ " if +0(%r10):string ne \"a\"", false, 1, { 0 }, NULL },
	{ " if $comm:string eq \"jtrace test\"", true, 0, { 0 }, NULL },
	{ " if $comm:string8 ne \"jtrace t\"", false, 0, { 0 }, NULL },
	{ "  %ax:x8\tif $arg3:s64<-2 && $arg1&1", true, 0, { 0x10 },
	  " arg1=%ax:x8 if $arg3:s64 lt -2 and $arg1:x64 has 0x1" },
};

static void programs(struct kunit *test)
{
	u64 context[FETCH_WORDS], payload[4], obvious[4];
	struct jtrace_refusal refusal;
	u32 i, faults, size;

	fill(context);
	for (i = 0; i < ARRAY_SIZE(valid); i++) {
		const char *want = valid[i].back ?: valid[i].text;

		KUNIT_ASSERT_TRUE_MSG(test,
				      fetch_parse(&p, valid[i].text, &refusal),
				      "%s", valid[i].text);
		jtrace_program_text(&p, &fetch_context, text, sizeof(text));
		KUNIT_EXPECT_STREQ(test, text, want);
		for (size = 1; size <= strlen(want); size++)
			KUNIT_EXPECT_EQ(test,
					jtrace_program_text(&p, &fetch_context, text, size),
					(size_t)size - 1);
		KUNIT_EXPECT_EQ_MSG(test, fetch_run(&p, context, comm, payload, &faults),
				    valid[i].holds, "%s", valid[i].text);
		KUNIT_EXPECT_EQ_MSG(test, faults, valid[i].faults, "%s", valid[i].text);
		for (size = 0; size < 4; size++)
			KUNIT_EXPECT_EQ_MSG(test, payload[size], valid[i].payload[size],
					    "%s: %u", valid[i].text, size);
		memset(obvious, 0, sizeof(obvious));
		faults = 0;
		KUNIT_EXPECT_EQ(test, obvious_run(want, context, comm, obvious, &faults),
				valid[i].holds);
		KUNIT_EXPECT_EQ(test, faults, valid[i].faults);
		KUNIT_EXPECT_TRUE(test, !memcmp(obvious, payload, sizeof(payload)));
	}
}

static const struct {
	const char *text, *why;
	u32 at;
} invalid[] = {
	{ "x", "expected a value: [NAME=]FETCH[:TYPE]", 0 },
	{ "x=", "expected %REGISTER, $VARIABLE, @ADDRESS, \\NUMBER or +OFFSET(...)", 2 },
	{ "1x=%ax", "a name begins with a letter or _", 0 },
	{ "if=%ax", "expected %REGISTER, $VARIABLE, @ADDRESS, \\NUMBER or +OFFSET(...)", 2 },
	{ "a=%ax stop=%ax", "the end", 6 },
	{ "a2345678901234567890123456789012=%ax", "a name has at most 31 bytes", 0 },
	{ "eq=%ax", "this word cannot be a name", 0 },
	{ "a=%ax has=%ax", "this word cannot be a name", 6 },
	{ "a=%ax a=%bx", "two values have this name", 6 },
	{ "arg2=%ax %bx", "two values have this name", 9 },
	{ "%cx", "there is no such register", 1 },
	{ "%axx", "there is no such register", 1 },
	{ "%ax,", "expected a blank, or :TYPE", 3 },
	{ "$arg0", "there is no such argument", 0 },
	{ "$arg6", "there is no such argument", 0 },
	{ "$arg4:string", "a string is loaded from memory: +0(...)", 6 },
	{ "+0(+0(+0(+0(+0(+0($arg4))))))", "a value takes at most 6 loads", 28 },
	{ "$argx", "a number is missing", 4 },
	{ "$stack1024", "N of $stackN is 0 to 1023", 0 },
	{ "$stacks", "expected a blank, or :TYPE", 6 },
	{ "$ret", "expected argN, retval, stack, stackN, value, old, function, caller, comm or regs after $", 0 },
	{ "%ax:bytes", "bytes are loaded from memory: +0(...)", 4 },
	{ "$value:bytes", "bytes are loaded from memory: +0(...)", 7 },
	{ "+0(%bx):bytes +0(%bx):bytes %ax", "the value does not fit: an entry has four of 32 bits and two of 64", 28 },
	{ "if +0(%bx):bytes eq 1", "bytes are no condition: name a number or a string", 3 },
	{ "$comm:x64", "$comm is a string or a string8", 6 },
	{ "+0($comm)", "$comm is no address", 0 },
	{ "%ax:string", "a string is loaded from memory: +0(...)", 4 },
	{ "%ax:u128", JTRACE_NO_SUCH_TYPE, 4 },
	{ "%ax:", JTRACE_NO_SUCH_TYPE, 4 },
	{ "@ffff", "a number is missing", 1 },
	{ "@0xfffffffffffffffff", "the number is larger than 64 bits", 1 },
	{ "\\", "a number is missing", 1 },
	{ "+(%ax)", "a number is missing", 1 },
	{ "+8", "expected ( after the offset", 2 },
	{ "+8 (%ax)", "this is no digit", 2 },
	{ "+8(%ax", "a closing ) is missing", 6 },
	{ "+8(%ax))", "expected a blank, or :TYPE", 7 },
	{ "+1(+2(+3(+4(+5(+6(+7(%ax)))))))", "a value takes at most 6 loads", 18 },
	{ "+1(+2(+3(+4(+5(+6(@1))))))", "a value takes at most 6 loads", 25 },
	{ "%ax %ax %ax %ax %ax", "the value does not fit: an entry has four of 32 bits and two of 64", 16 },
	{ "%ax:u8 %ax:u8 %ax:u8 %ax:u8 %ax:u8 %ax:u8 %ax:u8", "there are at most 6 values", 42 },
	{ "if", "expected %REGISTER, $VARIABLE, @ADDRESS, \\NUMBER or +OFFSET(...)", 2 },
	{ "if %ax", "expected eq, ne, lt, le, gt, ge or has", 6 },
	{ "if %ax:u8 eq 256", "the field is never so large", 13 },
	{ "if $comm lt a", "a string takes eq or ne", 9 },
	{ "if $comm:string8 eq 123456789", "the text has more than 8 bytes", 20 },
	{ "if %ax eq 1 if %ax eq 1", "the end", 12 },
	{ "if %ax eq 1 and %ax eq 1 and %ax eq 1 and %ax eq 1 and %ax eq 1 and %ax eq 1 and %ax eq 1",
	  "there are at most 6 conditions", 81 },
};

static void refusals(struct kunit *test)
{
	struct jtrace_refusal refusal;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(invalid); i++) {
		KUNIT_ASSERT_FALSE_MSG(test,
				       fetch_parse(&p, invalid[i].text, &refusal),
				       "%s", invalid[i].text);
		KUNIT_EXPECT_STREQ_MSG(test, refusal.why, invalid[i].why, "%s", invalid[i].text);
		KUNIT_EXPECT_EQ_MSG(test, refusal.at, invalid[i].at, "%s", invalid[i].text);
	}
}

/* A place without registers, arguments, result and stack. */
static void refused_here(struct kunit *test)
{
	static const struct jtrace_fetch_context nothing;
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "%ax", "there are no registers here" },
		{ "$arg1", "there are no arguments here" },
		{ "$retval", "there is no return value here" },
		{ "$stack1", "there is no stack here" },
		{ "$value", "only w has $value and $old" },
		{ "$old", "only w has $value and $old" },
	};
	struct jtrace_refusal refusal;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_FALSE(test, fetch_parse_for(&nothing, &p, cases[i].text, &refusal));
		KUNIT_EXPECT_STREQ(test, refusal.why, cases[i].why);
	}
	KUNIT_EXPECT_TRUE(test, fetch_parse_for(&nothing, &p, "$comm \\5:u8", &refusal));
}

/* ---- Random programs -------------------------------------------------- */

static void put_fetch(struct pen *pen, u64 *seed)
{
	static const char * const sources[] = {
		"%ax", "%bx", "%r10", "$arg1", "$arg2", "$arg3", "$arg4", "$arg5", "$retval",
		"$stack", "$stack0", "$stack1", "$stack7", "@0xffff888000001010",
		"@0xffff88800000103d", "\\0x8000",
		"\\-1", "$comm", "$regs", "$value", "$old",
	};
	static const char * const types[] = {
		"", ":u8", ":u16", ":u32", ":u64", ":s8", ":s16", ":s32", ":s64", ":x8", ":x16",
		":x32", ":x64", ":symbol", ":string", ":string8", ":bytes",
	};
	u32 loads = random_below(seed, 4), i;

	for (i = 0; i < loads; i++)
		pen_format(pen, "%c%u(", random_below(seed, 4) ? '+' : '-',
			   random_below(seed, 3) ? 8 * random_below(seed, 3) :
						   random_below(seed, 70));
	pen_text(pen, sources[random_below(seed, ARRAY_SIZE(sources))]);
	for (i = 0; i < loads; i++)
		pen_char(pen, ')');
	pen_text(pen, types[random_below(seed, ARRAY_SIZE(types))]);
}

static void put_program(u64 *seed)
{
	static const char * const ops[] = { "eq", "!=", "lt", "<=", "gt", ">=", "&" };
	static const char * const values[] = {
		"0", "1", "255", "0x80", "0xffff888000001008", "-1", "-110", "eth0",
		"\"jtrace test\"", "0xffffffffffffffff", "127", "4294967186",
	};
	u32 nr = random_below(seed, 4), i;
	struct pen pen = { text, text + sizeof(text) - 1 };

	for (i = 0; i < nr; i++) {
		pen_char(&pen, ' ');
		put_fetch(&pen, seed);
	}
	nr = random_below(seed, 3);
	for (i = 0; i < nr; i++) {
		pen_text(&pen, i ? " and " : " if ");
		put_fetch(&pen, seed);
		pen_format(&pen, " %s %s", ops[random_below(seed, ARRAY_SIZE(ops))],
			   values[random_below(seed, ARRAY_SIZE(values))]);
	}
	*pen.at = 0;
}

static void random_programs(struct kunit *test)
{
	u64 context[FETCH_WORDS], payload[4], obvious[4], seed = 21;
	u32 i, k, faults, obvious_faults, parsed = 0, held = 0, faulted = 0;
	struct jtrace_refusal refusal;
	bool holds;

	for (i = 0; i < 100000; i++) {
		put_program(&seed);
		refusal.at = U32_MAX;
		if (!fetch_parse(&p, text, &refusal)) {
			KUNIT_ASSERT_LE(test, refusal.at, (u32)strlen(text));
			continue;
		}
		fill(context);
		for (k = 0; k < FETCH_WORDS; k++)
			if (!random_below(&seed, 4))
				context[k] = random_below(&seed, 2) ?
					     FETCH_MEMORY + random_below(&seed, FETCH_BYTES) :
					     random_next(&seed);
		jtrace_program_text(&p, &fetch_context, back, sizeof(back));
		holds = fetch_run(&p, context, comm, payload, &faults);
		memset(obvious, 0, sizeof(obvious));
		obvious_faults = 0;
		KUNIT_ASSERT_EQ_MSG(test, obvious_run(back, context, comm, obvious,
						      &obvious_faults), holds, "%s", back);
		KUNIT_ASSERT_EQ_MSG(test, faults, obvious_faults, "%s", back);
		if (holds)
			KUNIT_ASSERT_TRUE_MSG(test, !memcmp(payload, obvious, sizeof(payload)),
					      "%s: %llx %llx %llx %llx, %llx %llx %llx %llx", back,
					      payload[0], payload[1], payload[2], payload[3],
					      obvious[0], obvious[1], obvious[2], obvious[3]);
		parsed++;
		held += holds;
		faulted += faults > 0;
	}
	KUNIT_EXPECT_GT(test, parsed, 20000);
	KUNIT_EXPECT_GT(test, held, 10000);
	KUNIT_EXPECT_GT(test, parsed - held, 3000);
	KUNIT_EXPECT_GT(test, faulted, 3000);
}

static struct kunit_case fetch_cases[] = {
	KUNIT_CASE(programs),
	KUNIT_CASE(refusals),
	KUNIT_CASE(refused_here),
	KUNIT_CASE(random_programs),
	{}
};

static struct kunit_suite jtrace_fetch_suite = {
	.name = "jtrace_fetch_test",
	.test_cases = fetch_cases,
};

kunit_test_suite(jtrace_fetch_suite);
