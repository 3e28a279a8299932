// SPDX-License-Identifier: GPL-2.0
/* Fields of events: places and types; conditions and clauses: parsed, tested, written back. */

#include "helpers.h"
#include "random.h"
#include "../../lib/lang/event.h"

static const struct jtrace_field fields[] = {
	{ "pid", JTRACE_FIELD_s32 },
	{ "len", JTRACE_FIELD_u32 },
	{ "small", JTRACE_FIELD_s8 },
	{ "dev", JTRACE_FIELD_string },
	{ "flags", JTRACE_FIELD_x16 },
};

/* Values of the fields, in their places: a, b, c, the words e and f, d. */
static void fill(struct jtrace_payload *p, s32 pid, u32 len, s8 small, const char *dev, u16 flags)
{
	u64 half[2] = { 0 };
	u32 i;

	for (i = 0; i < 16 && dev[i]; i++)
		half[i / 8] |= (u64)(u8)dev[i] << 8 * (i % 8);
	*p = (struct jtrace_payload) { };
	jtrace_payload_put(p, JTRACE_FIELD_s32, pid);
	jtrace_payload_put(p, JTRACE_FIELD_u32, len);
	jtrace_payload_put(p, JTRACE_FIELD_s8, small);
	jtrace_payload_put(p, JTRACE_FIELD_string, half[0]);
	jtrace_payload_put(p, JTRACE_FIELD_string, half[1]);
	jtrace_payload_put(p, JTRACE_FIELD_x16, flags);
}

static bool hold(const struct jtrace_event_filter *c, const struct jtrace_payload *p)
{
	return jtrace_event_holds(c, p->word[0], p->word[1], p->word[2], p->word[3]);
}

static void places(struct kunit *test)
{
	struct jtrace_payload p;

	fill(&p, -2, 1500, -1, "abcdefghijklmnop", 0xff03);
	KUNIT_EXPECT_EQ(test, p.word[0], 1500ULL << 32 | 0xfffffffe);
	KUNIT_EXPECT_EQ(test, p.word[1], 0xff03ULL << 32 | 0xffffffff);
	KUNIT_EXPECT_EQ(test, p.word[2], 0x6867666564636261ULL);
	KUNIT_EXPECT_EQ(test, p.word[3], 0x706f6e6d6c6b6a69ULL);
	KUNIT_EXPECT_EQ(test, jtrace_payload_put(&p, JTRACE_FIELD_u8, 1), -1);

	/* Narrow values use e and f at last; wide ones use the pairs. */
	p = (struct jtrace_payload) { };
	KUNIT_EXPECT_EQ(test, jtrace_payload_put(&p, JTRACE_FIELD_x64, 1), 4);
	KUNIT_EXPECT_EQ(test, jtrace_payload_put(&p, JTRACE_FIELD_u8, 2), 0);
	KUNIT_EXPECT_EQ(test, jtrace_payload_put(&p, JTRACE_FIELD_symbol, 3), 5);
	KUNIT_EXPECT_EQ(test, jtrace_payload_put(&p, JTRACE_FIELD_s64, -4LL), 2);
	KUNIT_EXPECT_EQ(test, jtrace_payload_put(&p, JTRACE_FIELD_u64, 5), -1);
	KUNIT_EXPECT_EQ(test, jtrace_payload_put(&p, JTRACE_FIELD_s32, -6LL), 1);
	KUNIT_EXPECT_EQ(test, p.word[0], 0xfffffffaULL << 32 | 2);
	KUNIT_EXPECT_EQ(test, p.word[1], (u64)-4LL);
	p = (struct jtrace_payload) { .taken = 0xf };
	KUNIT_EXPECT_EQ(test, jtrace_payload_put(&p, JTRACE_FIELD_s32, -6LL), 4);
	KUNIT_EXPECT_EQ(test, p.word[2], (u64)-6LL);
}

static void types(struct kunit *test)
{
	static const struct jtrace_field two_strings[] = {
		{ "one", JTRACE_FIELD_string },
		{ "two", JTRACE_FIELD_string },
		{ "three", JTRACE_FIELD_u8 },
	};
	char text[80];
	u32 args;

	KUNIT_EXPECT_TRUE(test, jtrace_fields_args(fields, ARRAY_SIZE(fields), &args));
	KUNIT_EXPECT_EQ(test, args, JTRACE_ARGS_TOLD | JTRACE_ARG_S32 | JTRACE_ARG_U32 << 4 |
			JTRACE_ARG_S8 << 8 | JTRACE_ARG_U16 << 12 | JTRACE_ARG_U64 << 16 |
			JTRACE_ARG_U64 << 20);
	KUNIT_EXPECT_TRUE(test, jtrace_fields_args(two_strings, 2, &args));
	KUNIT_EXPECT_EQ(test, args, JTRACE_ARGS_TOLD | JTRACE_ARG_U64 | JTRACE_ARG_U64 << 8 |
			JTRACE_ARG_U64 << 16 | JTRACE_ARG_U64 << 20);
	KUNIT_EXPECT_FALSE(test, jtrace_fields_args(two_strings, 3, &args));
	jtrace_fields_text(fields, ARRAY_SIZE(fields), text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text,
			   " (pid:s32, len:u32, small:s8, dev:string, flags:x16)");
	KUNIT_EXPECT_EQ(test, jtrace_fields_text(fields, ARRAY_SIZE(fields), text, 8), (size_t)7);
	KUNIT_EXPECT_STREQ(test, text, " (pid:s");
	KUNIT_EXPECT_EQ(test, jtrace_fields_text(NULL, 0, text, sizeof(text)), (size_t)0);
}

/* Each is tested with pid -2, len 1500, small -1, dev "lo", flags 0xff03. */
static const struct {
	const char *text;
	bool holds;
	const char *back;	/* NULL: the same */
} valid[] = {
	{ "", true, NULL },
	{ " every=3", true, NULL },
	{ " if pid eq -2", true, NULL },
	{ " if pid ne -2", false, NULL },
	{ " if pid lt 0", true, NULL },
	{ " if pid gt -3 and pid le -2 and pid ge -2", true, NULL },
	{ " if pid gt 4", false, NULL },
	{ " if len ge 1500", true, NULL },
	{ " if len lt 1500", false, NULL },
	{ " if small eq -1", true, NULL },
	{ " if small lt -1", false, NULL },
	{ " if small has 127", true, NULL },
	{ " if flags has 0x3", true, NULL },
	{ " if flags has 0x4", false, NULL },
	{ " if flags eq 0xff03", true, NULL },
	{ " if dev eq \"lo\"", true, NULL },
	{ " if dev ne \"lo\"", false, NULL },
	{ " if dev eq \"l\"", false, NULL },
	{ " if dev eq \"lo0\"", false, NULL },
	{ " if dev ne \"\\\"\\\\ \"", true, NULL },
	{ " if len eq 1500 and dev eq \"lo\" every=7", true, NULL },
	{ " if pid lt 0 skip=3 every=2 rate=9 stop=0 in=a on=b1 off=_c", true, NULL },
	{ "stack", true, " stack" },
	{ "stack=16 if pid lt 0", true, " if pid lt 0 stack" },
	{ " stop=1 stack=32 in=a", true, NULL },
	{ "stack=1", true, " stack=1" },
	{ "off=a if dev eq 'lo' stop=16777215", true, " if dev eq \"lo\" stop=16777215 off=a" },
	{ " if dev ne 'a \"\\' b'", true, " if dev ne \"a \\\"' b\"" },
	{ " if len eq 1500 and dev eq \"eth0\"", false, NULL },
	{ "if dev==lo every=2", true, " if dev eq \"lo\" every=2" },
	{ "\tif len<=0x5dc && flags & 3 && dev != eth0.100", true,
	  " if len le 1500 and flags has 0x3 and dev ne \"eth0.100\"" },
	{ "every=1 if pid<-1", true, " if pid lt -1" },
	{ " if dev eq 0123456789abcdef", false, " if dev eq \"0123456789abcdef\"" },
	{ " if len eq 4294967295", false, NULL },
	{ " if pid ge -2147483648", true, NULL },
	{ " if small ge -128", true, NULL },
};

static void filters(struct kunit *test)
{
	struct jtrace_refusal refusal;
	struct jtrace_payload p;
	struct jtrace_event_filter c;
	char text[200];
	u32 i, size;

	fill(&p, -2, 1500, -1, "lo", 0xff03);
	for (i = 0; i < ARRAY_SIZE(valid); i++) {
		const char *back = valid[i].back ?: valid[i].text;

		KUNIT_ASSERT_TRUE_MSG(test,
				      jtrace_event_parse(&c, fields, ARRAY_SIZE(fields),
							 valid[i].text, &refusal),
				      "%s", valid[i].text);
		KUNIT_EXPECT_EQ_MSG(test, hold(&c, &p), valid[i].holds, "%s", valid[i].text);
		jtrace_event_text(&c, fields, text, sizeof(text));
		KUNIT_EXPECT_STREQ(test, text, back);
		for (size = 1; size <= strlen(back); size++)
			KUNIT_EXPECT_EQ(test, jtrace_event_text(&c, fields, text, size),
					(size_t)size - 1);
	}
}

#define NO_CLAUSE \
	"expected the end, or a clause that is not there yet: if, skip=, every=, rate=, stop=, stack, in=, on= or off="
#define NOT_A_WORD \
	"a word has no quote and no \\: put all of it in quotes, in a parameter in single ones"

static const struct {
	const char *text, *why;
	u32 at;
} invalid[] = {
	{ "x", NO_CLAUSE, 0 },
	{ "every=2 every=3", NO_CLAUSE, 8 },
	{ "stack stack", NO_CLAUSE, 6 },
	{ "stack=0", "N is 1 to 32", 6 },
	{ "stack=33", "N is 1 to 32", 6 },
	{ "stack=", "a number is missing", 6 },
	{ "stack5", NO_CLAUSE, 0 },
	{ "if pid eq 1 if pid eq 1", NO_CLAUSE, 12 },
	{ "if pid eq 1 or", NO_CLAUSE, 12 },
	{ "every", "expected =N", 5 },
	{ "skip=0", "N is 1 or more", 5 },
	{ "rate=4294967296", "N is 1 to 4294967295", 5 },
	{ "stop=16777216", "N is 0 to 16777215", 5 },
	{ "in", "expected =SWITCH", 2 },
	{ "on=2", "a name begins with a letter or _", 3 },
	{ "off=a23456789012345678901234567890ab", "a name has at most 31 bytes", 4 },
	{ "in=a in=b", NO_CLAUSE, 5 },
	{ "every=", "a number is missing", 6 },
	{ "every=0", "N is 1 to 4294967295", 6 },
	{ "every=4294967296", "N is 1 to 4294967295", 6 },
	{ "every=99999999999999999999", "the number is larger than 64 bits", 6 },
	{ "every=2x", "this is no digit", 7 },
	{ "every=-1", "a number is missing", 6 },
	{ "if", "the event has no such field", 2 },
	{ "if pi eq 1", "the event has no such field", 3 },
	{ "if pidx eq 1", "the event has no such field", 3 },
	{ "if pid", "expected eq, ne, lt, le, gt, ge or has", 6 },
	{ "if pid = 1", "expected eq, ne, lt, le, gt, ge or has", 7 },
	{ "if pid equals 1", "expected eq, ne, lt, le, gt, ge or has", 7 },
	{ "if pid eq", "a number is missing", 9 },
	{ "if pid eq -", "a number is missing", 11 },
	{ "if pid eq 0x", "a number is missing", 10 },
	{ "if pid eq abc", "a number is missing", 10 },
	{ "if pid eq 2147483648", "the field is never so large", 10 },
	{ "if pid eq -2147483649", "the field is never so large", 10 },
	{ "if small eq 128", "the field is never so large", 12 },
	{ "if flags eq 0x10000", "the field is never so large", 12 },
	{ "if len eq -1", "the field is never negative", 10 },
	{ "if dev lt a", "a string takes eq or ne", 7 },
	{ "if dev eq", "a value is missing", 9 },
	{ "if dev eq 0123456789abcdefg", "the text has more than 16 bytes", 10 },
	{ "if dev eq \"a", "the closing quote is missing", 10 },
	{ "if dev eq 'a", "the closing quote is missing", 10 },
	{ "if dev eq \"a'", "the closing quote is missing", 10 },
	{ "if dev eq \\\"a", NOT_A_WORD, 10 },
	{ "if dev eq a'b", NOT_A_WORD, 11 },
	{ "if dev eq \"a\\n\"", "expected a quote or \\ after \\", 13 },
	{ "if dev eq \"a\"b", "a blank is missing after the quote", 13 },
	{ "if pid eq 1 and", "the event has no such field", 15 },
	{ "if len eq 1 and len eq 2 and len eq 3 and len eq 4 and len eq 5 and len eq 6 and len eq 7",
	  "there are at most 6 conditions", 80 },
};

static void refusals(struct kunit *test)
{
	struct jtrace_refusal refusal;
	struct jtrace_event_filter c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(invalid); i++) {
		refusal = (struct jtrace_refusal) { "", ~0U };
		KUNIT_EXPECT_FALSE_MSG(test,
				       jtrace_event_parse(&c, fields, ARRAY_SIZE(fields),
							  invalid[i].text, &refusal),
				       "%s", invalid[i].text);
		KUNIT_EXPECT_STREQ(test, refusal.why, invalid[i].why);
		KUNIT_EXPECT_EQ_MSG(test, refusal.at, invalid[i].at, "%s", invalid[i].text);
	}
}

/* ---- Conditions on numbers, against an obvious evaluator --------------- */

/* Every type in every kind of place: a to d, e and f, and pairs. */
static const struct jtrace_field numbers[3][6] = {
	{
		{ "a", JTRACE_FIELD_s8 }, { "b", JTRACE_FIELD_u16 }, { "c", JTRACE_FIELD_s32 },
		{ "d", JTRACE_FIELD_x32 }, { "e", JTRACE_FIELD_s64 }, { "f", JTRACE_FIELD_u64 },
	}, {
		{ "a", JTRACE_FIELD_u8 }, { "b", JTRACE_FIELD_s16 }, { "c", JTRACE_FIELD_u32 },
		{ "d", JTRACE_FIELD_x8 }, { "e", JTRACE_FIELD_s32 }, { "f", JTRACE_FIELD_x16 },
	}, {
		{ "a", JTRACE_FIELD_x64 }, { "b", JTRACE_FIELD_symbol }, { "c", JTRACE_FIELD_s64 },
		{ "d", JTRACE_FIELD_u64 },
	},
};

/* A number that the type has, often one at an end of its range. */
static u64 number_of(u32 type, u64 *seed)
{
	u32 bits = 64 - 8 * jtrace_field_width(type);
	u64 least = jtrace_field_signed(type) ? 1ULL << (63 - bits) : 0;
	u64 x[] = { 0, 1, ~0ULL, least, least - 1, least + 1, random_next(seed) };
	u64 value = x[random_below(seed, ARRAY_SIZE(x))] << bits;

	return jtrace_field_signed(type) ? (u64)((s64)value >> bits) : value >> bits;
}

static bool obvious(u32 type, u64 a, u32 op, u64 b)
{
	bool less = jtrace_field_signed(type) ? (s64)a < (s64)b : a < b;

	switch (op) {
	case JTRACE_OP_EQ:
		return a == b;
	case JTRACE_OP_NE:
		return a != b;
	case JTRACE_OP_LT:
		return less;
	case JTRACE_OP_LE:
		return less || a == b;
	case JTRACE_OP_GT:
		return !less && a != b;
	case JTRACE_OP_GE:
		return !less;
	default:
		return (a & b) == b;
	}
}

static void random_numbers(struct kunit *test)
{
	static const char * const ops[] = { "eq", "ne", "lt", "le", "gt", "ge", "has" };
	struct jtrace_refusal refusal;
	u32 round, i, op, field, true_ones = 0;
	struct jtrace_event_filter c;
	u64 seed = 43, with, value[6];
	char text[64];

	for (round = 0; round < 200000; round++) {
		const struct jtrace_field *of = numbers[round % 3];
		u32 nr = round % 3 == 2 ? 4 : 6, type;
		struct jtrace_payload p = { };
		bool want;

		for (i = 0; i < nr; i++) {
			value[i] = number_of(of[i].type, &seed);
			jtrace_payload_put(&p, of[i].type, value[i]);
		}
		field = random_below(&seed, nr);
		type = of[field].type;
		op = random_below(&seed, ARRAY_SIZE(ops));
		with = random_below(&seed, 4) ? number_of(type, &seed) : value[field];
		snprintf(text, sizeof(text), jtrace_field_signed(type) ? "if %s %s %lld" :
			 "if %s %s %llu", of[field].name, ops[op], with);
		KUNIT_ASSERT_TRUE_MSG(test, jtrace_event_parse(&c, of, nr, text, &refusal),
				      "%s", text);
		want = obvious(type, value[field], op, with);
		KUNIT_ASSERT_EQ_MSG(test, hold(&c, &p), want, "%s, of 0x%llx", text, value[field]);
		true_ones += want;
	}
	KUNIT_EXPECT_GT(test, true_ones, 50000u);
	KUNIT_EXPECT_LT(test, true_ones, 150000u);
}

/* Any text is parsed, or refused within it; what is parsed is written back and parsed the same. */
static void random_texts(struct kunit *test)
{
	static const char * const words[] = {
		" ", "if", "every=", "in=", "stop=", "stack", "and", "&&", "pid", "dev", "flags", "eq", "ne", "has", "<", "==",
		"-", "0x", "12", "99999999999999999999", "lo", "\"", "'", "\\", "\"lo\"", "\377", "\t",
	};
	static char text[200], back[400], again[400];
	struct jtrace_event_filter c, d;
	struct jtrace_refusal refusal;
	u32 round, i, parsed = 0;
	u64 seed = 42;

	for (round = 0; round < 100000; round++) {
		text[0] = 0;
		for (i = 0; i < round % 16; i++) {
			strcat(text, words[random_next(&seed) % ARRAY_SIZE(words)]);
			if (random_next(&seed) % 2)
				strcat(text, " ");
		}
		refusal.at = ~0U;
		if (!jtrace_event_parse(&c, fields, ARRAY_SIZE(fields), text, &refusal)) {
			KUNIT_ASSERT_LE(test, refusal.at, (u32)strlen(text));
			continue;
		}
		parsed++;
		jtrace_event_text(&c, fields, back, sizeof(back));
		KUNIT_ASSERT_TRUE(test, jtrace_event_parse(&d, fields, ARRAY_SIZE(fields), back,
							   &refusal));
		jtrace_event_text(&d, fields, again, sizeof(again));
		KUNIT_EXPECT_STREQ(test, back, again);
	}
	KUNIT_EXPECT_GT(test, parsed, 1000u);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(places),
	KUNIT_CASE(types),
	KUNIT_CASE(filters),
	KUNIT_CASE(refusals),
	KUNIT_CASE(random_numbers),
	KUNIT_CASE(random_texts),
	{}
};

static struct kunit_suite jtrace_event_suite = {
	.name = "jtrace_event_test",
	.test_cases = event_cases,
};

kunit_test_suite(jtrace_event_suite);
