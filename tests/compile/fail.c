// SPDX-License-Identifier: GPL-2.0
/* tests/compile/run compiles this once for each line of fail.cases, which replaces CASE. */
#include <linux/stddef.h>
#include <linux/jtrace.h>

#define TAG		not_a_literal
#define TAG_NUMBER	42
#define X16		"xxxxxxxxxxxxxxxx"
#define X128		X16 X16 X16 X16 X16 X16 X16 X16

struct small {
	int i;
};

union either {
	int i;
	void *p;
};

struct wide {
	u64 forty:40;
};

void not_called(void);
void fail(char *not_a_literal, int i, u64 q, long l, size_t size, void *p, struct small s,
	  union either u, struct wide *w, double d, float f);

static const char const_array[] = "text";
static char array[] = "text";

void fail(char *not_a_literal, int i, u64 q, long l, size_t size, void *p, struct small s,
	  union either u, struct wide *w, double d, float f)
{
	int numbers[4] = { 0 };

	(void)const_array;
	(void)array;
	(void)numbers;
	CASE
}
