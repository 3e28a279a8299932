// SPDX-License-Identifier: GPL-2.0
/*
 * Check what JTRACE() passes to jtrace_record(), in user space with the headers in shim/:
 * values and their extension, and how often arguments are evaluated.
 */
#include <stdio.h>
#include <string.h>

#include <linux/stddef.h>
#include <linux/jtrace.h>

struct static_key_false jtrace_key;

static struct jtrace_site *seen;
static u64 got[4];
static int records, calls, failed;

void jtrace_record(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f)
{
	seen = site;
	got[0] = ab;
	got[1] = cd;
	got[2] = e;
	got[3] = f;
	records++;
}

static int sink(int x)
{
	calls++;
	return x;
}

static void expect(int line, u64 ab, u64 cd, u64 e, u64 f)
{
	const u64 want[4] = { ab, cd, e, f };

	if (records == 1 && !memcmp(got, want, sizeof(got)) && seen->line == (u32)line &&
	    !strcmp(seen->func, "main") && strstr(seen->file, "values.c"))
		return;
	printf("values.c:%d: %d records, last %#llx %#llx %#llx %#llx\n", line, records,
	       got[0], got[1], got[2], got[3]);
	failed = 1;
}

/* Record one event, and check its fields. */
#define EXPECT(ab, cd, e, f, ...)					\
do {									\
	records = 0;							\
	JTRACE("tag", ##__VA_ARGS__);					\
	expect(__LINE__, ab, cd, e, f);					\
} while (0)

/* The types of the arguments, first to last, as letters. */
static const char *types(u32 args)
{
	static const char letter[] = "-bwdqBWDQp??????";
	static char text[JTRACE_ARGS + 1];
	int n, last = 0;

	for (n = 0; n < JTRACE_ARGS; n++, args >>= JTRACE_ARG_BITS) {
		text[n] = letter[args & JTRACE_ARG_MASK];
		if (text[n] != '-')
			last = n + 1;
	}
	text[last] = 0;
	return args == JTRACE_ARGS_TOLD >> JTRACE_ARGS * JTRACE_ARG_BITS ? text : "not told";
}

/* Record one event, and check the types in its site. */
#define TYPES(want, ...)						\
do {									\
	JTRACE("types", ##__VA_ARGS__);					\
	if (strcmp(types(seen->args), want)) {				\
		printf("values.c:%d: types %s, not %s\n", __LINE__,	\
		       types(seen->args), want);			\
		failed = 1;						\
	}								\
} while (0)

/* The same for one value in all fields. */
#define TYPE(t, x)	TYPES(t t t t t t, x, x, x, x, x, x)
#define WIDE_TYPE(t, x)	TYPES("DDDD" t t, 0, 0, 0, 0, x, x)

#ifdef __CHAR_UNSIGNED__
#define CHAR	"b"
#else
#define CHAR	"B"
#endif

enum colour { RED, GREEN };
enum negative { BELOW = -1 };
enum wide { WIDE = 1ULL << 40 };

static void integer_types(void)
{
	const volatile u16 cv = 1;
	volatile s8 v = 1;
	enum colour e = RED;
	enum negative n = BELOW;
	short array[2] = { 0, 0 };

	TYPE("b", (u8)1);
	TYPE("w", (u16)1);
	TYPE("d", (u32)1);
	WIDE_TYPE("q", (u64)1);
	TYPE("B", (s8)1);
	TYPE("W", (s16)1);
	TYPE("D", (s32)1);
	WIDE_TYPE("Q", (s64)1);
	WIDE_TYPE("Q", 1L);
	WIDE_TYPE("q", 1UL);
	WIDE_TYPE("q", sizeof(int));
	WIDE_TYPE("q", (enum wide)WIDE);
	TYPE("w", cv);
	TYPE("B", v);
	TYPE("b", (bool)true);
	TYPE(CHAR, (char)'c');
	TYPE("B", (signed char)'c');
	TYPE("W", array[1]);
	TYPE("d", e);
	TYPE("D", n);
	/* Constants and results of arithmetic are int. */
	TYPE("D", 0);
	TYPE("D", -1);
	TYPE("D", 'c');
	TYPE("D", 1 == 2);
	TYPE("D", !e);
	TYPE("D", (u8)1 + (u8)1);
	TYPE("D", GREEN);
	TYPE("d", 1U);
	TYPE("d", 0xffffffff);
	TYPE("b", ({ u8 t = 1; t; }));
	TYPE("b", (sink(1), (u8)v));
	TYPE("D", v ? 1 : 2);
}

static void bit_field_types(void)
{
	struct {
		u32 five:5, full:32;
		s32 three:3;
		u64 forty:40;
		s64 fifty:50;
	} b = { 0, 0, 0, 0, 0 };

	/* Either way it is not negative. */
	TYPES(types(seen->args)[0] == 'd' ? "d" : "D", b.five);
	TYPE("d", b.full);
	TYPE("D", b.three);
	WIDE_TYPE("q", b.forty);
	WIDE_TYPE("Q", b.fifty);
}

static void other_types(const void *p, const char *const volatile *q)
{
	char array[3] = "";

	WIDE_TYPE("p", NULL);
	WIDE_TYPE("p", p);
	WIDE_TYPE("p", *q);
	WIDE_TYPE("p", q);
	WIDE_TYPE("p", array);
	WIDE_TYPE("p", &array);
	WIDE_TYPE("p", "string");
	WIDE_TYPE("p", other_types);
	WIDE_TYPE("p", &other_types);
	WIDE_TYPE("q", (unsigned long)p);
	/* So many as were written. */
	TYPES("");
	TYPES("d", 1U);
	TYPES("dB", 1U, (s8)1);
	TYPES("dBD", 1U, (s8)1, 0);
	TYPES("dBDb", 1U, (s8)1, 0, (u8)0);
	TYPES("dBDbp", 1U, (s8)1, 0, (u8)0, p);
	TYPES("dBDbpQ", 1U, (s8)1, 0, (u8)0, p, -1L);
	if (seen->kind != JTRACE_SITE_CALL) {
		printf("values.c: kind %d\n", seen->kind);
		failed = 1;
	}
}

#define ONES		0xffffffffffffffffULL
#define PAIR(lo, hi)	((u64)(u32)(hi) << 32 | (u32)(lo))

int main(void)
{
	struct {
		signed int three:3;
		u64 forty:40;
	} bits = { .three = -1, .forty = 1ULL << 39 };
	signed char byte = -128;
	bool yes = true;
	u32 wide = 0xfffffffe;

	JTRACE("off", sink(1), sink(2), sink(3), sink(4), sink(5), sink(6));
	if (records || calls) {
		printf("values.c: off: %d records, %d calls\n", records, calls);
		failed = 1;
	}

	jtrace_key.enabled = 1;
	EXPECT(PAIR(1, 2), PAIR(3, 4), 5, 6,
	       sink(1), sink(2), sink(3), sink(4), sink(5), sink(6));
	if (calls != 6) {
		printf("values.c: on: %d calls\n", calls);
		failed = 1;
	}

	EXPECT(0, 0, 0, 0);
	EXPECT(1, 0, 0, 0, 1);
	EXPECT(PAIR(1, 2), 0, 0, 0, 1, 2);
	EXPECT(PAIR(1, 2), 3, 0, 0, 1, 2, 3);
	EXPECT(PAIR(1, 2), PAIR(3, 4), 0, 0, 1, 2, 3, 4);
	EXPECT(PAIR(1, 2), PAIR(3, 4), 5, 0, 1, 2, 3, 4, 5);
	EXPECT(ONES, ONES, ONES, ONES, -1, -1, -1, -1, -1, -1);
	EXPECT(PAIR(-128, 1), PAIR(-1, 0xfffffffe), -128LL, ONES,
	       byte, yes, bits.three, wide, byte, bits.three);
	EXPECT(0, 0, 0xfffffffe, 1ULL << 39, 0, 0, 0, 0, wide, bits.forty);
	EXPECT(0, 0, (u64)&bits, (u64)main, 0, 0, 0, 0, &bits, main);
	EXPECT(0, 0, 1, 0, 0, 0, 0, 0, yes, NULL);
	if (strcmp(seen->tag, "tag")) {
		printf("values.c: tag '%s'\n", seen->tag);
		failed = 1;
	}
	integer_types();
	bit_field_types();
	other_types(&bits, (const char *const volatile *)&bits);
	return failed;
}
