// SPDX-License-Identifier: GPL-2.0
/* Events from user space: tags, types and values; what is refused, and where. */

#include "helpers.h"
#include "random.h"
#include "../../lib/base/pen.h"
#include "../../lib/lang/field.h"
#include "../../lib/lang/user.h"
#include "../../lib/lang/value.h"

#define LONG_NAME	"n23456789012345678901234567890123456789012345678901234567890123"
#define LONG_FIELD	"f234567890123456789012345678901"

static const struct {
	const char *text, *tag;
	u32 args;
	u64 word[4];
} valid[] = {
	{ "ready", "ready", 0, { 0 } },
	{ "  ready\t ", "ready", 0, { 0 } },
	{ "_1 a=1", "_1 (a:u64)", JTRACE_ARG_U64 << 16, { 0, 0, 1 } },
	{ "exec nr=0x2a prog:u32=7", "exec (nr:u64, prog:u32)",
	  JTRACE_ARG_U64 << 16 | JTRACE_ARG_U32, { 7, 0, 42 } },
	{ "t a:s8=-1 b:u16=65535 c:x32=0xffffffff d:s32=-2147483648",
	  "t (a:s8, b:u16, c:x32, d:s32)",
	  JTRACE_ARG_S8 | JTRACE_ARG_U16 << 4 | JTRACE_ARG_U32 << 8 | JTRACE_ARG_S32 << 12,
	  { 0xffffffffffffULL, 0x80000000ffffffffULL } },
	{ "s who=\"a \\\"b\\\"\"", "s (who:string)",
	  JTRACE_ARG_U64 << 16 | JTRACE_ARG_U64 << 20, { 0, 0, 0x2262222061ULL } },
	{ "s who='0123456789abcdef' x:string8=abc", "s (who:string, x:string8)",
	  JTRACE_ARG_U64 << 16 | JTRACE_ARG_U64 << 20 | JTRACE_ARG_U64,
	  { 0x636261, 0, 0x3736353433323130ULL, 0x6665646362613938ULL } },
	{ "s who:string=", NULL, 0, { 0 } },
	{ "s who=\"\"", "s (who:string)", JTRACE_ARG_U64 << 16 | JTRACE_ARG_U64 << 20, { 0 } },
	{ "w a=1 b=2 c=3 d=18446744073709551615", "w (a:u64, b:u64, c:u64, d:u64)",
	  JTRACE_ARG_U64 << 16 | JTRACE_ARG_U64 << 20 | JTRACE_ARG_U64 | JTRACE_ARG_U64 << 8,
	  { 3, ~0ULL, 1, 2 } },
	{ "f at:symbol=0xffffffff81000000", "f (at:symbol)", JTRACE_ARG_POINTER << 16,
	  { 0, 0, 0xffffffff81000000ULL } },
	{ LONG_NAME " " LONG_FIELD "=1 a23456789012345678901:u64=2",
	  LONG_NAME " (" LONG_FIELD ":u64, a23456789012345678901:u64)",
	  JTRACE_ARG_U64 << 16 | JTRACE_ARG_U64 << 20, { 0, 0, 1, 2 } },
};

static void lines(struct kunit *test)
{
	struct jtrace_refusal refusal;
	struct jtrace_user_event e;
	u32 i, w;

	for (i = 0; i < ARRAY_SIZE(valid); i++) {
		bool ok = jtrace_user_parse(&e, valid[i].text, &refusal);

		KUNIT_EXPECT_EQ_MSG(test, ok, !!valid[i].tag, "%s", valid[i].text);
		if (!ok || !valid[i].tag)
			continue;
		KUNIT_EXPECT_STREQ(test, e.tag, valid[i].tag);
		KUNIT_EXPECT_EQ(test, e.len, (u32)strlen(valid[i].tag));
		KUNIT_EXPECT_EQ_MSG(test, e.args, JTRACE_ARGS_TOLD | valid[i].args, "%s",
				    valid[i].text);
		for (w = 0; w < 4; w++)
			KUNIT_EXPECT_EQ_MSG(test, e.payload.word[w], valid[i].word[w], "%s: %u",
					    valid[i].text, w);
	}
}

#define NO_NAME		"a name begins with a letter or _"
#define NO_ROOM		"the value does not fit: an entry has four of 32 bits and two of 64"
#define NO_TYPE \
	"there is no such type: take u8 to u64, s8 to s64, x8 to x64, symbol, string or string8"
#define NO_EQUALS	"expected FIELD=VALUE or FIELD:TYPE=VALUE"
#define TAG_TOO_LONG	"NAME (FIELD:TYPE, ...) has more than 128 bytes"

static const struct {
	const char *text, *why;
	u32 at;
} invalid[] = {
	{ "", NO_NAME, 0 },
	{ "  ", NO_NAME, 2 },
	{ "1a", NO_NAME, 0 },
	{ "=a", NO_NAME, 0 },
	{ "a-b", "expected a blank and FIELD=VALUE", 1 },
	{ "a:b=1", "expected a blank and FIELD=VALUE", 1 },
	{ "a=1", "expected a blank and FIELD=VALUE", 1 },
	{ "a #b", NO_NAME, 2 },
	{ "a 1=2", NO_NAME, 2 },
	{ "a b", NO_EQUALS, 3 },
	{ "a b 1", NO_EQUALS, 3 },
	{ "a b:u8", NO_EQUALS, 6 },
	{ "a b:=1", NO_TYPE, 4 },
	{ "a b:int=1", NO_TYPE, 4 },
	{ "a b:bytes=1", NO_TYPE, 4 },
	{ "a b=", "a number is missing", 4 },
	{ "a b=c", "a number is missing", 4 },
	{ "a b=-1", "the field is never negative", 4 },
	{ "a b=1x", "this is no digit", 5 },
	{ "a b:u8=256", "the field is never so large", 7 },
	{ "a b:s8=-129", "the field is never so large", 7 },
	{ "a b=18446744073709551616", "the number is larger than 64 bits", 4 },
	{ "a b=\"c", "the closing quote is missing", 4 },
	{ "a b=\"c\"d", "a blank is missing after the quote", 7 },
	{ "a b=\"0123456789abcdefg\"", "the text has more than 16 bytes", 4 },
	{ "a b:string8=123456789", "the text has more than 8 bytes", 12 },
	{ "a b=1 b=2", "two values have this name", 6 },
	{ "a b=1 c=2 d=3 e=4 f:u8=5", NO_ROOM, 23 },
	{ "a b=\"\" c=\"\" d:u8=1", NO_ROOM, 17 },
	{ "a b=\"\" c:u8=1 d=\"\"", NO_ROOM, 16 },
	{ "a b:u8=1 c:u8=1 d:u8=1 e:u8=1 f:u8=1 g:u8=1 h:u8=1", "there are at most 6 values", 44 },
	{ LONG_NAME "4 a=1", "the name of an event has at most 63 bytes", 0 },
	{ "a " LONG_FIELD "2=1", "the name of a field has at most 31 bytes", 2 },
	{ LONG_NAME " " LONG_FIELD "=1 a234567890123456789012:u64=2", TAG_TOO_LONG, 0 },
};

static void refusals(struct kunit *test)
{
	struct jtrace_refusal refusal;
	struct jtrace_user_event e;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(invalid); i++) {
		refusal = (struct jtrace_refusal) { "", ~0U };
		KUNIT_EXPECT_FALSE_MSG(test, jtrace_user_parse(&e, invalid[i].text, &refusal),
				       "%s", invalid[i].text);
		KUNIT_EXPECT_STREQ(test, refusal.why, invalid[i].why);
		KUNIT_EXPECT_EQ_MSG(test, refusal.at, invalid[i].at, "%s", invalid[i].text);
	}
}

/* ---- Random events, against what the fields of a kernel event give ----- */

static const u32 some_types[] = {
	JTRACE_FIELD_u8, JTRACE_FIELD_u16, JTRACE_FIELD_u32, JTRACE_FIELD_u64, JTRACE_FIELD_s8,
	JTRACE_FIELD_s16, JTRACE_FIELD_s32, JTRACE_FIELD_s64, JTRACE_FIELD_x8, JTRACE_FIELD_x16,
	JTRACE_FIELD_x32, JTRACE_FIELD_x64, JTRACE_FIELD_symbol, JTRACE_FIELD_string,
	JTRACE_FIELD_string8,
};

/* A value that fits the type. */
static void random_value(u64 *seed, u32 type, u64 *value)
{
	u32 shift = 64 - 8 * jtrace_field_width(type);

	value[0] = random_next(seed) << 32 ^ random_next(seed);
	value[1] = 0;
	if (jtrace_field_is_text(type)) {
		/* No byte is 0. */
		value[0] = 0x6162636465666768ULL + random_next(seed) % 16;
		value[1] = type & JTRACE_FIELD_STRING ? 0x2122272d5c203132ULL : 0;
	} else if (jtrace_field_signed(type)) {
		value[0] = (u64)((s64)(value[0] << shift) >> shift);
	} else {
		value[0] = value[0] << shift >> shift;
	}
}

static void random_events(struct kunit *test)
{
	static const char * const names[] = { "a", "b", "c", "d", "e", "f" };
	struct jtrace_field fields[JTRACE_FIELDS];
	char text[JTRACE_USER_LINE + 1], tag[JTRACE_TAG_MAX + 1] = "n";
	struct jtrace_refusal refusal;
	struct jtrace_user_event e;
	u32 round, i, nr, args, fit = 0;
	u64 seed = 7, value[2];

	for (round = 0; round < 100000; round++) {
		struct pen p = { text, text + sizeof(text) - 1 };
		struct jtrace_payload expected = { };
		bool fits = true;

		pen_char(&p, 'n');
		nr = 1 + random_next(&seed) % JTRACE_FIELDS;
		for (i = 0; i < nr; i++) {
			u32 type = some_types[random_next(&seed) % ARRAY_SIZE(some_types)];

			fields[i] = (struct jtrace_field) { names[i], type };
			random_value(&seed, type, value);
			pen_format(&p, " %s:%s=", names[i], jtrace_field_type_name(type));
			jtrace_value_text(&p, type, value);
			fits &= jtrace_payload_put(&expected, type, value[0]) >= 0;
			if (jtrace_field_is_double(type))
				fits &= jtrace_payload_put(&expected, type, value[1]) >= 0;
		}
		*p.at = 0;
		KUNIT_ASSERT_EQ_MSG(test, jtrace_user_parse(&e, text, &refusal), fits, "%s", text);
		KUNIT_ASSERT_EQ(test, jtrace_fields_args(fields, nr, &args), fits);
		if (!fits)
			continue;
		fit++;
		jtrace_fields_text(fields, nr, tag + 1, sizeof(tag) - 1);
		KUNIT_EXPECT_STREQ(test, e.tag, tag);
		KUNIT_ASSERT_EQ(test, e.args, args);
		KUNIT_ASSERT_EQ_MSG(test, memcmp(&e.payload, &expected, sizeof(expected)), 0, "%s",
				    text);
	}
	KUNIT_EXPECT_GT(test, fit, 10000u);
}

/* A line "n a:TYPE=VALUE ...", some with types that a line need not have */
static void random_line(u64 *seed, char *text, const u32 *types, u32 typed, u32 nr)
{
	static const char * const names[] = { "a", "b", "c", "d", "e", "f" };
	struct pen p = { text, text + JTRACE_USER_LINE };
	u64 value[2];
	u32 i;

	pen_char(&p, 'n');
	for (i = 0; i < nr; i++) {
		random_value(seed, types[i], value);
		/* Short ones could be strings, too. */
		if (types[i] == JTRACE_FIELD_u64)
			value[0] >>= random_next(seed) % 64;
		pen_format(&p, " %s", names[i]);
		if (typed >> i & 1 ||
		    (types[i] != JTRACE_FIELD_u64 && types[i] != JTRACE_FIELD_string))
			pen_format(&p, ":%s", jtrace_field_type_name(types[i]));
		pen_char(&p, '=');
		jtrace_value_text(&p, types[i], value);
	}
	pen_text(&p, typed & 64 ? " \n" : "\n");
	*p.at = 0;
}

/* Some bytes are changed, come twice, or are missing. */
static void spoil(u64 *seed, char *text)
{
	static const char some[] = "\"' =:0x-9a\n\\";
	u32 len = strlen(text), at = random_next(seed) % len;

	switch (random_next(seed) % 4) {
	case 0:
		text[at] = some[random_next(seed) % (sizeof(some) - 1)];
		break;
	case 1:
		memmove(text + at, text + at + 1, len - at);
		break;
	case 2:
		memmove(text + at + 1, text + at, len - at + 1);
		break;
	default:
		text[at] = 0;
	}
}

/* By a shape, a line has the values that it has without: other lines do not have it. */
static void shapes(struct kunit *test)
{
	static char text[JTRACE_USER_LINE + 3], other[JTRACE_USER_LINE + 3];
	u32 types[JTRACE_FIELDS] = { 0 }, round, i, nr, typed, taken, matched = 0, refused = 0;
	static struct jtrace_user_event e, same;
	struct jtrace_refusal refusal;
	struct jtrace_user_shape s;
	struct jtrace_payload p;
	u64 seed = 11;

	for (round = 0; round < 50000; round++) {
		bool spoilt = round % 2, parsed, fits;
		u32 *type = &types[random_next(&seed) % JTRACE_FIELDS];

		nr = random_next(&seed) % (JTRACE_FIELDS + 1);
		typed = random_next(&seed) % 128;
		for (i = 0; i < nr; i++)
			types[i] = some_types[random_next(&seed) % ARRAY_SIZE(some_types)];
		random_line(&seed, text, types, typed, nr);
		if (!jtrace_user_parse(&e, text, &refusal) || text[e.taken] != '\n')
			continue;
		jtrace_user_shape(&s, text, &e);
		/* A value that was a string is a number, or the other way round. */
		if (round % 8 == 3 && (*type == JTRACE_FIELD_string || *type == JTRACE_FIELD_u64))
			*type = *type == JTRACE_FIELD_u64 ? JTRACE_FIELD_string : JTRACE_FIELD_u64;
		random_line(&seed, other, types, typed, nr);
		if (spoilt && round % 8 != 3)
			spoil(&seed, other);
		parsed = jtrace_user_parse(&same, other, &refusal) && other[same.taken] == '\n';
		fits = jtrace_user_match(&s, other, strlen(other), &p, &taken);
		KUNIT_ASSERT_TRUE_MSG(test, parsed || !fits, "%s by %s", other, text);
		KUNIT_ASSERT_TRUE_MSG(test, fits || spoilt, "%s by %s", other, text);
		refused += !fits;
		if (!fits)
			continue;
		matched++;
		KUNIT_EXPECT_STREQ(test, same.tag, e.tag);
		KUNIT_ASSERT_EQ(test, same.args, e.args);
		KUNIT_ASSERT_EQ(test, same.taken, taken);
		KUNIT_ASSERT_EQ_MSG(test, memcmp(&same.payload, &p, sizeof(p)), 0, "%s", other);
	}
	KUNIT_EXPECT_GT(test, matched, 5000u);
	KUNIT_EXPECT_GT(test, refused, 1000u);
}

/* A refusal is in the text; nothing is taken that has another form. */
static void random_texts(struct kunit *test)
{
	static const char * const words[] = {
		"a", "b9", " ", "\t", "=", ":", "u8", "string", "\"", "'", "\\", "1", "-", "0x1f",
		"a=1", "b:s8=-1", "c=\"d\"", "#",
	};
	struct jtrace_refusal refusal;
	struct jtrace_user_event e;
	u32 round, i, taken = 0;
	u64 seed = 9;
	char text[200];

	for (round = 0; round < 100000; round++) {
		text[0] = 0;
		for (i = 0; i < round % 12; i++) {
			strcat(text, words[random_next(&seed) % ARRAY_SIZE(words)]);
			if (random_next(&seed) % 2)
				strcat(text, " ");
		}
		refusal.at = ~0U;
		if (!jtrace_user_parse(&e, text, &refusal)) {
			KUNIT_ASSERT_LE(test, refusal.at, (u32)strlen(text));
			continue;
		}
		taken++;
		KUNIT_ASSERT_EQ(test, e.len, (u32)strlen(e.tag));
		KUNIT_ASSERT_EQ(test, strcspn(e.tag, "\"'\\=-#\t"), strlen(e.tag));
	}
	KUNIT_EXPECT_GT(test, taken, 1000u);
}

static struct kunit_case user_cases[] = {
	KUNIT_CASE(lines),
	KUNIT_CASE(refusals),
	KUNIT_CASE(random_events),
	KUNIT_CASE(shapes),
	KUNIT_CASE(random_texts),
	{}
};

static struct kunit_suite jtrace_user_suite = {
	.name = "jtrace_user_test",
	.test_cases = user_cases,
};

kunit_test_suite(jtrace_user_suite);
