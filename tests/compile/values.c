// SPDX-License-Identifier: GPL-2.0
/*
 * What JTRACE() hands to jtrace_record(), run in user space with the headers in
 * shim/: values and their extension, and how often arguments are evaluated.
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

/* One event, and what its fields must be. */
#define EXPECT(ab, cd, e, f, ...)					\
do {									\
	records = 0;							\
	JTRACE("tag", ##__VA_ARGS__);					\
	expect(__LINE__, ab, cd, e, f);					\
} while (0)

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
	return failed;
}
