// SPDX-License-Identifier: GPL-2.0
/* tests/compile/run measures the cost of the call sites in these functions. */
#include <linux/jtrace.h>

/* Ordered so that the compiler cannot load two members at once. */
struct values {
	u64 e;
	u32 d, c, b, a;
	void *f;
};

void call_nothing(u32 a, u32 b, u32 c, u32 d, u64 e, void *f);
void call_parameters(u32 a, u32 b, u32 c, u32 d, u64 e, void *f);
void call_memory(const struct values *v);
void call_tag(void);

void call_nothing(u32 a, u32 b, u32 c, u32 d, u64 e, void *f)
{
}

void call_parameters(u32 a, u32 b, u32 c, u32 d, u64 e, void *f)
{
	JTRACE("six parameters", a, b, c, d, e, f);
}

void call_memory(const struct values *v)
{
	JTRACE("six values from memory", v->a, v->b, v->c, v->d, v->e, v->f);
}

void call_tag(void)
{
	JTRACE("no value");
}
