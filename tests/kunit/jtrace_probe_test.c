// SPDX-License-Identifier: GPL-2.0
/* Definitions of probes: parsed, written back, refused with a position. */

#include <kunit/test.h>

#include "../../lib/lang/probe.h"
#include "../../lib/lang/spent.h"
#include "../../lib/image/site.h"
#include "random.h"

/* Too large for the stack of a kernel. */
static struct jtrace_probe_definition d;
static struct jtrace_probe_contexts contexts;
static char text[1024], back[2048], twice[2048];

static const struct jtrace_fetch_register registers[] = { { "ax", 0 }, { "bx", 8 } };
static const struct jtrace_fetch_register watched[] = { { "value", 24 }, { "old", 32 } };
static const struct jtrace_fetch_register called[] = { { "function", 24 }, { "caller", 32 } };

/* As a machine: arguments at an entry, a result at an exit, no registers in a tracepoint. */
static void fill(void)
{
	contexts.inside = (struct jtrace_fetch_context) {
		.registers = registers,
		.nr_registers = ARRAY_SIZE(registers),
		.has_stack = true,
		.stack = 16,
	};
	contexts.entry = contexts.inside;
	contexts.entry.nr_args = 3;
	contexts.exit = contexts.inside;
	contexts.exit.has_retval = true;
	contexts.tracepoint = (struct jtrace_fetch_context) { .nr_args = 3 };
	contexts.watchpoint = contexts.inside;
	contexts.watchpoint.variables = watched;
	contexts.watchpoint.nr_variables = ARRAY_SIZE(watched);
	contexts.function = contexts.entry;
	contexts.function.variables = called;
	contexts.function.nr_variables = ARRAY_SIZE(called);
	contexts.function.given = "function=$function:symbol caller=$caller:symbol";
}

static const struct {
	const char *text, *back, *tag, *place;
} valid[] = {
	{ "p f", "p:p_f_0 f", "p_f_0", "f+0x0" },
	{ "p:x f+0x10 %ax", "p:x f+0x10 arg1=%ax:x64", "x (arg1:x64)", "f+0x10" },
	{ "p m:f.isra.0+3", "p:p_f_isra_0_3 m:f.isra.0+0x3", "p_f_isra_0_3", "f.isra.0+0x3[m]" },
	{ "p 0xffffffff81000000 $arg1", "p:p_0xffffffff81000000 0xffffffff81000000 arg1=$arg1:x64",
	  "p_0xffffffff81000000 (arg1:x64)", "0xffffffff81000000" },
	{ "r:back m:f $retval:s32", "r:back m:f arg1=$retval:s32", "back (arg1:s32)", "f[m]" },
	{ "t\tsched_switch p=+8($arg2):u32", "t:sched_switch sched_switch p=+8($arg2):u32",
	  "sched_switch (p:u32)", "sched_switch" },
	{ "t:n m:e $comm", "t:n m:e arg1=$comm:string", "n (arg1:string)", "e[m]" },
	{ "p:x f skip=3 every=4 if $arg1 eq 1 and $arg2 eq 2 rate=5 stop=0 in=a on=b off=a ",
	  "p:x f if $arg1:x64 eq 0x1 and $arg2:x64 eq 0x2 skip=3 every=4 rate=5 stop=0 in=a on=b off=a",
	  "x", "f+0x0" },
	{ "p:x f %bx $regs", "p:x f arg1=%bx:x64 hit=$regs:u32", "x (arg1:x64, hit:u32)", "f+0x0" },
	{ "p:x f $regs %bx", "p:x f hit=$regs:u32 arg2=%bx:x64", "x (hit:u32, arg2:x64)", "f+0x0" },
	{ "w v", "w:w_v_0 v:8", "w_v_0", "v+0x0" },
	{ "w v:4", "w:w_v_0 v:4", "w_v_0", "v+0x0" },
	{ "w:x m:v.0+0x10:2 $value:u16 o=$old", "w:x m:v.0+0x10:2 arg1=$value:u16 o=$old:x64",
	  "x (arg1:u16, o:x64)", "v.0+0x10[m]" },
	{ "w m:v+8 stack", "w:w_v_8 m:v+0x8:8 stack", "w_v_8", "v+0x8[m]" },
	{ "w 0xffff888000001001:1 %ax", "w:w_0xffff888000001001 0xffff888000001001:1 arg1=%ax:x64",
	  "w_0xffff888000001001 (arg1:x64)", "0xffff888000001001" },
	{ "p:x f stack=8 if $arg1 eq 1", "p:x f if $arg1:x64 eq 0x1 stack=8", "x", "f+0x0" },
	{ "f *", "f:f__ *", "f__ (function:symbol, caller:symbol)", "*" },
	{ "f:all m:v?s_[a-z]*.c n=$arg3:u32 if $caller eq 1",
	  "f:all m:v?s_[a-z]*.c n=$arg3:u32 if $caller:x64 eq 0x1",
	  "all (function:symbol, caller:symbol, n:u32)", "v?s_[a-z]*.c[m]" },
	{ "f vfs_* $arg1:s32 stack rate=5", "f:f_vfs__ vfs_* arg1=$arg1:s32 rate=5 stack",
	  "f_vfs__ (function:symbol, caller:symbol, arg1:s32)", "vfs_*" },
	{ "f:x v p=$arg1 q=$arg2", "f:x v p=$arg1:x64 q=$arg2:x64",
	  "x (function:symbol, caller:symbol, p:x64, q:x64)", "v" },
	{ "p:x f $stack1 stack", "p:x f arg1=$stack1:x64 stack", "x (arg1:x64)", "f+0x0" },
	{ "p:x f %ax every=1 stop=16777215 skip=18446744073709551615",
	  "p:x f arg1=%ax:x64 skip=18446744073709551615 stop=16777215", "x (arg1:x64)", "f+0x0" },
};

static void definitions(struct kunit *test)
{
	struct jtrace_refusal refusal;
	u32 i, size;

	fill();
	for (i = 0; i < ARRAY_SIZE(valid); i++) {
		KUNIT_ASSERT_TRUE_MSG(test, jtrace_probe_parse(&d, &contexts, valid[i].text,
							       &refusal), "%s", valid[i].text);
		jtrace_probe_text(&d, &contexts, back, sizeof(back));
		KUNIT_EXPECT_STREQ(test, back, valid[i].back);
		for (size = 1; size <= strlen(back); size++)
			KUNIT_EXPECT_EQ(test, jtrace_probe_text(&d, &contexts, twice, size),
					(size_t)size - 1);
		jtrace_probe_tag(&d, back, sizeof(back));
		KUNIT_EXPECT_STREQ(test, back, valid[i].tag);
		jtrace_probe_place(&d, back, sizeof(back));
		KUNIT_EXPECT_STREQ(test, back, valid[i].place);
	}
}

#define LONG_NAME	"a23456789_a23456789_a23456789_a23456789_a23456789_a23456789_abcd"
#define TOO_LONG_A_TAG								\
	"p:a23456789_a23456789_a23456789_a23456789_a23456789_a23456789_ab f "	\
	"a23456789_a23456789_a2345678=%ax:u8 b23456789_b23456789_b2345678=%ax:u8"
#define CLAUSES		"expected the end, or a clause that is not there yet: if, skip=, every=, rate=, stop=, stack, in=, on= or off="

static const struct {
	const char *text, *why;
	u32 at;
} invalid[] = {
	{ "", "a probe begins with p, r, t, w, f or -:NAME", 0 },
	{ "x f", "a probe begins with p, r, t, w, f or -:NAME", 0 },
	{ "p", "expected a blank and a place", 1 },
	{ "p: f", "a name begins with a letter or _", 2 },
	{ "p:1 f", "a name begins with a letter or _", 2 },
	{ "p:a-b f", "expected a blank and a place", 3 },
	{ "p:" LONG_NAME " f", "a name has at most 63 bytes", 2 },
	{ "p ", "the name of a function, tracepoint or variable is missing", 2 },
	{ "p m:", "expected a name after MODULE:", 4 },
	{ "p f:4", "expected a name after MODULE:", 4 },
	{ "p " LONG_NAME "a", "a place has at most 64 bytes", 2 },
	/* With "+0x0". */
	{ "p a" LONG_NAME, "a place has at most 64 bytes", 2 },
	/* With "[m]". */
	{ "t m:" LONG_NAME, "a place has at most 64 bytes", 2 },
	{ "p f+", "a number is missing", 4 },
	{ "p f-1", "expected a blank", 3 },
	{ "p 0x", "a number is missing", 2 },
	{ "p f+0x100000000", "an offset is less than 4 GiB", 4 },
	{ "r f+1", "only p and w take an offset", 3 },
	{ "t f+1", "only p and w take an offset", 3 },
	{ "w v:3", "a watchpoint has 1, 2, 4 or 8 bytes", 4 },
	{ "w v+1:16", "a watchpoint has 1, 2, 4 or 8 bytes", 6 },
	{ "w v:0", "a watchpoint has 1, 2, 4 or 8 bytes", 4 },
	{ "w v:4:4", "this is no digit", 5 },
	{ "w 0xffff888000001001",
	  "a watchpoint begins at a multiple of its length: add :1, :2 or :4", 2 },
	{ "w 0xffff888000001002:4",
	  "a watchpoint begins at a multiple of its length: add :1, :2 or :4", 2 },
	{ "w v $retval", "there is no return value here", 4 },
	{ "w v $arg1", "there are no arguments here", 4 },
	{ "p f $value", "only w has $value and $old", 4 },
	{ "w v $caller", "only f has $function and $caller", 4 },
	{ "f", "expected a blank and a place", 1 },
	{ "f 1*", "the names of functions are missing", 2 },
	{ "f !v", "the name of a function, tracepoint or variable is missing", 2 },
	{ "f m*:v", "a module is named by its whole name", 2 },
	{ "f v+1", "only p and w take an offset", 3 },
	{ "f v $retval", "there is no return value here", 4 },
	{ "f v $arg1 $arg2 $arg3", "the value does not fit: an entry has four of 32 bits and two of 64", 16 },
	{ "f v caller=$arg1:u8", "two values have this name", 4 },
	{ "t 0x1", "the name of a tracepoint is missing", 2 },
	{ "p f $retval", "there is no return value here", 4 },
	{ "p f+1 $arg1", "there are no arguments here", 6 },
	{ "r f $arg1", "there are no arguments here", 4 },
	{ "t e %ax", "there are no registers here", 5 },
	{ "t e $stack", "there is no stack here", 4 },
	{ "t e $regs", "there are no registers here", 4 },
	{ "p f regs=$regs", "the field of $regs is called hit", 4 },
	{ "p f hit=%ax $regs", "two values have this name", 12 },
	{ "p f $regs $regs", "two values have this name", 10 },
	{ "p f $regs:u64", "$regs is a u32, the number of the hit", 10 },
	{ "p f +0($regs)", "$regs is no address", 4 },
	{ "p f if $regs eq 1", "$regs is no condition", 7 },
	{ "p f $regs2", "expected argN, retval, stack, stackN, value, old, function, caller, comm or regs after $", 4 },
	{ "p f skip", "expected =N", 8 },
	{ "p f skip=0", "N is 1 or more", 9 },
	{ "p f every=4294967296", "N is 1 to 4294967295", 10 },
	{ "p f rate=0", "N is 1 to 4294967295", 9 },
	{ "p f stop=16777216", "N is 0 to 16777215", 9 },
	{ "p f stop=-1", "a number is missing", 9 },
	{ "p f in", "expected =SWITCH", 6 },
	{ "p f on=1", "a name begins with a letter or _", 7 },
	{ "p f off=a23456789_a23456789_a23456789_ab", "a name has at most 31 bytes", 8 },
	{ "p f skip=1 skip=1", CLAUSES, 11 },
	{ "p f if %ax eq 1 if %ax eq 1", CLAUSES, 16 },
	{ "p f every=2 %ax", CLAUSES, 12 },
	{ TOO_LONG_A_TAG,
	  "the names of the probe and its values have more than 128 bytes in all", 0 },
};

static void refusals(struct kunit *test)
{
	struct jtrace_refusal refusal;
	u32 i;

	fill();
	for (i = 0; i < ARRAY_SIZE(invalid); i++) {
		KUNIT_ASSERT_FALSE_MSG(test, jtrace_probe_parse(&d, &contexts, invalid[i].text,
								&refusal), "%s", invalid[i].text);
		KUNIT_EXPECT_STREQ_MSG(test, refusal.why, invalid[i].why, "%s", invalid[i].text);
		KUNIT_EXPECT_EQ_MSG(test, refusal.at, invalid[i].at, "%s", invalid[i].text);
	}
}

/* Entries with the registers of a hit; no more registers than these. */
static void parts(struct kunit *test)
{
	static const struct jtrace_fetch_register many[] = {
		{ "r0", 0 }, { "r1", 8 }, { "r2", 16 }, { "r3", 24 }, { "r4", 32 }, { "r5", 40 },
		{ "r6", 48 },
	};
	static const char * const tags[] = {
		"x $regs 1/3 (hit:u32, r0:x64, r1:x64, r2:x64)",
		"x $regs 2/3 (hit:u32, r3:x64, r4:x64, r5:x64)",
		"x $regs 3/3 (hit:u32, r6:x64)",
	};
	const struct jtrace_fetch_register *first;
	struct jtrace_refusal refusal;
	u32 i, nr, args;

	fill();
	contexts.exit.registers = many;
	contexts.exit.nr_registers = ARRAY_SIZE(many);
	KUNIT_ASSERT_TRUE(test, jtrace_probe_parse(&d, &contexts, "r:x f $retval", &refusal));
	KUNIT_EXPECT_EQ(test, jtrace_probe_parts(&d, &contexts), 0u);
	KUNIT_ASSERT_TRUE(test, jtrace_probe_parse(&d, &contexts, "r:x f $regs", &refusal));
	KUNIT_ASSERT_EQ(test, jtrace_probe_parts(&d, &contexts), 3u);
	for (i = 0; i < 3; i++) {
		first = jtrace_probe_part(&d, &contexts, i, &nr);
		KUNIT_EXPECT_PTR_EQ(test, first, &many[3 * i]);
		KUNIT_EXPECT_EQ(test, nr, i < 2 ? 3u : 1u);
		args = jtrace_probe_part_site(&d, &contexts, i, back, sizeof(back));
		KUNIT_EXPECT_STREQ(test, back, tags[i]);
		KUNIT_EXPECT_EQ(test, (int)jtrace_arg_type(args, 0), (int)JTRACE_ARG_U32);
		KUNIT_EXPECT_EQ(test, (int)jtrace_arg_type(args, 4), (int)JTRACE_ARG_U64);
		KUNIT_EXPECT_EQ(test, (int)jtrace_arg_type(args, 2),
				i < 2 ? (int)JTRACE_ARG_U64 : (int)JTRACE_ARG_NONE);
		for (nr = 1; nr <= strlen(tags[i]); nr++) {
			jtrace_probe_part_site(&d, &contexts, i, back, nr);
			KUNIT_EXPECT_EQ(test, strlen(back), (size_t)nr - 1);
		}
	}
}

/* A processor without watchpoints. */
static void no_watchpoints(struct kunit *test)
{
	struct jtrace_refusal refusal;

	fill();
	contexts.watchpoint.nr_variables = 0;
	KUNIT_EXPECT_FALSE(test, jtrace_probe_parse(&d, &contexts, "w v", &refusal));
	KUNIT_EXPECT_STREQ(test, refusal.why, "watchpoints need an x86-64 processor");
	KUNIT_EXPECT_EQ(test, refusal.at, 0u);
}

/* So many texts in the kernel, and more where there is time. */
#ifdef __KERNEL__
#define TEXTS	100000
#else
#define TEXTS	1000000
#endif

/* Words in any order: refused with a position in the text, or written back as the same probe. */
static void random_definitions(struct kunit *test)
{
	static const char * const words[] = {
		"p", "r", "t", "w", ":a", ":b.c", " ", " ", " ", "f", "m:f", "+1", "0x10", "%ax", "$arg1",
		"$retval", ":u8", "n=", "if", "eq", "1", "and", "skip", "every", "rate", "stop",
		"in", "on", "off", "=", "=1", "=s", "$comm", "+0(%bx)", "$regs", "\"", ":4", "$value",
	};
	struct jtrace_refusal refusal;
	u32 i, good = 0;
	u64 seed = 1;

	fill();
	for (i = 0; i < TEXTS; i++) {
		struct pen pen = { text, text + sizeof(text) - 1 };
		u32 n = random_next(&seed) % 12;

		pen_text(&pen, words[random_next(&seed) % 4]);
		pen_text(&pen, random_next(&seed) % 8 ? " f" : ":a");
		while (n--) {
			if (random_next(&seed) % 8)
				pen_char(&pen, ' ');
			pen_text(&pen, words[random_next(&seed) % ARRAY_SIZE(words)]);
			if (random_next(&seed) % 2)
				pen_text(&pen, "=1");
		}
		*pen.at = 0;
		if (!jtrace_probe_parse(&d, &contexts, text, &refusal)) {
			KUNIT_ASSERT_LE_MSG(test, refusal.at, (u32)strlen(text), "%s", text);
			continue;
		}
		good++;
		jtrace_probe_text(&d, &contexts, back, sizeof(back));
		KUNIT_ASSERT_TRUE_MSG(test, jtrace_probe_parse(&d, &contexts, back, &refusal),
				      "%s: %s: at %u: %s", text, back, refusal.at, refusal.why);
		jtrace_probe_text(&d, &contexts, twice, sizeof(twice));
		KUNIT_ASSERT_TRUE_MSG(test, !strcmp(back, twice), "%s: %s", back, twice);
	}
	KUNIT_EXPECT_GT(test, good, TEXTS / 100U);
}

/* Add @nr hits of @length ns within a second, the last one at its end. */
static bool spend(struct jtrace_spent *s, u64 length, u32 nr)
{
	u64 end = s->since + JTRACE_SPENT_PERIOD;

	while (--nr)
		if (jtrace_spent_add(s, s->since, s->since + length))
			return true;
	return jtrace_spent_add(s, end - length, end);
}

/* More than 25 % of a second, if each timed hit stands for 256, and for at most 100 us. */
static void time_spent(struct kunit *test)
{
	static const struct {
		u64 length;
		u32 nr;
		bool much;
	} seconds[] = {
		{ 0, 1, false },
		/* 256 * 976 * 1000 ns = 249.856 ms, 256 * 977 * 1000 ns = 250.112 ms */
		{ 1000, 976, false }, { 1000, 977, true },
		/* 9 * 256 * 100 us = 230.4 ms, 10 * 256 * 100 us = 256 ms */
		{ 100000, 9, false }, { 100000, 10, true },
		/* These count as 100 us. */
		{ 100001, 9, false }, { 500000000, 9, false }, { 500000000, 10, true },
		{ 1000000000, 1, false },
		/* One second leaves nothing for the next one. */
		{ 1000, 976, false }, { 1000, 976, false },
	};
	struct jtrace_spent s = { 0 };
	u64 was;
	u32 i;

	/* A clock that has run for a while; the first hit begins the first second. */
	KUNIT_EXPECT_FALSE(test, jtrace_spent_add(&s, 5000000000000ULL, 5000000000000ULL));
	KUNIT_EXPECT_EQ(test, s.since, 5000000000000ULL);
	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		was = s.since;
		KUNIT_EXPECT_EQ_MSG(test, spend(&s, seconds[i].length, seconds[i].nr),
				    seconds[i].much, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, s.since, was + JTRACE_SPENT_PERIOD, "row %u", i);
	}
	/* No verdict before a second is over, however much it is. */
	for (i = 0; i < 1000; i++)
		KUNIT_EXPECT_FALSE(test, jtrace_spent_add(&s, s.since, s.since + 999999999));
	KUNIT_EXPECT_TRUE(test, jtrace_spent_add(&s, s.since, s.since + 1000000000));
	/* In a longer time, 25 % is more. */
	for (i = 0; i < 19; i++)
		KUNIT_EXPECT_FALSE(test, jtrace_spent_add(&s, s.since, s.since + 100000));
	was = s.since;
	KUNIT_EXPECT_FALSE(test, jtrace_spent_add(&s, was + 2000000000, was + 2000000000));
}

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(definitions),
	KUNIT_CASE(refusals),
	KUNIT_CASE(no_watchpoints),
	KUNIT_CASE(parts),
	KUNIT_CASE(time_spent),
	KUNIT_CASE(random_definitions),
	{}
};

static struct kunit_suite jtrace_probe_suite = {
	.name = "jtrace_probe_test",
	.test_cases = probe_cases,
};

kunit_test_suite(jtrace_probe_suite);
