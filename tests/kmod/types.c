// SPDX-License-Identifier: GPL-2.0
/*
 * All types in all fields.
 *
 * Each tag says which arguments the line must show:
 *
 *	count N name	1 to N, then 0
 *	odd V W name	V in fields 1 and 3, W in 5, else 0
 *	even V W name	V in fields 2 and 4, W in 6, else 0
 *	wide W name	W in fields 5 and 6, else 0
 *	same name	the same, not 0, in fields 5 and 6
 */
#include <linux/jtrace.h>

#include "types.h"
#include "kmod.h"

PARAM(uint, records, 0, "number of recorded events with known arguments");
PARAM(uint, evaluated, 0, "number of arguments that fire evaluated");

u32 types_evaluate(void)
{
	return ++evaluated;
}

/* Records an event with six arguments, each of which counts its evaluation. */
static int fire_set(const char *val, const struct kernel_param *kp)
{
	JTRACE("fire", types_evaluate(), types_evaluate(), types_evaluate(), types_evaluate(),
	       types_evaluate(), types_evaluate());
	return 0;
}

PARAM_SET(fire, "any value: record one event with six counted arguments");

static int fire_disabled_set(const char *val, const struct kernel_param *kp)
{
	types_disabled();
	return 0;
}

PARAM_SET(fire_disabled, "the same, compiled with JTRACE_DISABLED");

#define RECORD(...)							\
do {									\
	JTRACE(__VA_ARGS__);						\
	records++;							\
} while (0)

/* A value in fields 1, 3 and 5, then in fields 2, 4 and 6. */
#define RECORD_ODD(text, ...)						\
	RECORD("odd " text, __VA_ARGS__, 0, __VA_ARGS__, 0, __VA_ARGS__, 0)
#define RECORD_EVEN(text, ...)						\
	RECORD("even " text, 0, __VA_ARGS__, 0, __VA_ARGS__, 0, __VA_ARGS__)
#define RECORD_INT(...)							\
do {									\
	RECORD_ODD(__VA_ARGS__);					\
	RECORD_EVEN(__VA_ARGS__);					\
} while (0)

#define RECORD_WIDE(text, ...)						\
	RECORD("wide " text, 0, 0, 0, 0, __VA_ARGS__, __VA_ARGS__)

#define RECORD_SAME(text, x, y)						\
	RECORD("same " text, 0, 0, 0, 0, (x), (y))

enum colour { RED, BLUE = 7 };
enum sign { MINUS = -2, PLUS = 2 };
enum wide { WIDE = 0x123456789abcdef0LL };

struct flags {
	unsigned int one:1;
	unsigned int five:5;
	signed int minus:5;
	unsigned int all:32;
	unsigned long long most:40;
};

static void record_counts(void)
{
	RECORD("count 0 arguments");
	RECORD("count 1 argument", 1);
	RECORD("count 2 arguments", 1, 2);
	RECORD("count 3 arguments", 1, 2, 3);
	RECORD("count 4 arguments", 1, 2, 3, 4);
	RECORD("count 5 arguments", 1, 2, 3, 4, 5);
	RECORD("count 6 arguments", 1, 2, 3, 4, 5, 6);
}

/* checkpatch warns of volatile, but this tests the type. */
static void record_ints(struct flags fl)
{
	const __volatile__ int cv = -6;
	__volatile__ u16 v = 0x1234;
	const s8 c = -3;

	RECORD_INT("000000ff 00000000000000ff u8", (u8)0xff);
	RECORD_INT("ffffff80 ffffffffffffff80 s8", (s8)-128);
	RECORD_INT("0000ffff 000000000000ffff u16", (u16)0xffff);
	RECORD_INT("ffff8000 ffffffffffff8000 s16", (s16)-32768);
	RECORD_INT("ffffffff 00000000ffffffff u32", (u32)0xffffffff);
	RECORD_INT("80000000 ffffffff80000000 s32", (s32)0x80000000);
	RECORD_INT("0000004a 000000000000004a char", (char)'J');
	RECORD_INT("ffffffff ffffffffffffffff signed char", (signed char)-1);
	RECORD_INT("000000c8 00000000000000c8 unsigned char", (unsigned char)200);
	RECORD_INT("fffffffe fffffffffffffffe short", (short)-2);
	RECORD_INT("0000fffe 000000000000fffe unsigned short", (unsigned short)-2);
	RECORD_INT("ffffffff ffffffffffffffff int", -1);
	RECORD_INT("ffffffff 00000000ffffffff unsigned int", ~0U);
	RECORD_INT("00000001 0000000000000001 bool true", (bool)true);
	RECORD_INT("00000000 0000000000000000 bool false", (bool)false);
	RECORD_INT("00000001 0000000000000001 comparison", fl.five == 21);
	RECORD_INT("00000007 0000000000000007 enum", (enum colour)BLUE);
	RECORD_INT("fffffffe fffffffffffffffe negative enum", (enum sign)MINUS);
	RECORD_INT("00000001 0000000000000001 bit-field of 1", fl.one);
	RECORD_INT("00000015 0000000000000015 bit-field of 5", fl.five);
	RECORD_INT("fffffff0 fffffffffffffff0 signed bit-field", fl.minus);
	RECORD_INT("ffffffff 00000000ffffffff bit-field of 32", fl.all);
	RECORD_INT("fffffffd fffffffffffffffd const s8", c);
	RECORD_INT("00001234 0000000000001234 volatile u16", v);
	RECORD_INT("fffffffa fffffffffffffffa const volatile int", cv);
	RECORD_INT("12345678 0000000012345678 __le32", cpu_to_le32(0x12345678));
	RECORD_INT("00001234 0000000000001234 __le16", cpu_to_le16(0x1234));
	RECORD_INT("00000004 0000000000000004 gfp_t", (__force gfp_t)4);
}

static void record_wides(void)
{
	const __volatile__ s64 cv = -6;

	RECORD_WIDE("fffffffffffffffb long", -5L);
	RECORD_WIDE("fffffffffffffffb unsigned long", -5UL);
	RECORD_WIDE("fffffffffffffffb long long", -5LL);
	RECORD_WIDE("fffffffffffffffb unsigned long long", -5ULL);
	RECORD_WIDE("8000000000000000 s64", S64_MIN);
	RECORD_WIDE("ffffffffffffffff u64", U64_MAX);
	RECORD_WIDE("0000000000000002 size_t", sizeof(u16));
	RECORD_WIDE("ffffffffffffffff ssize_t", (ssize_t)-1);
	RECORD_WIDE("123456789abcdef0 wide enum", WIDE);
	RECORD_WIDE("fffffffffffffffa const volatile s64", cv);
	RECORD_WIDE("123456789abcdef0 __le64", cpu_to_le64(0x123456789abcdef0ULL));
	RECORD_WIDE("00000000000000ff loff_t", (loff_t)0xff);
	RECORD_WIDE("0000000012345000 dma_addr_t", (dma_addr_t)0x12345000);
}

static void record_pointers(const char *name)
{
	static const char text[] = "text";
	static int array[3];
	__volatile__ int *v = (__volatile__ int *)0x1000;
	const __volatile__ void *cv = (const __volatile__ void *)0x2000;
	const int *const c = (const int *)0x3000;
	void __user *user = (void __user *)0x4000;
	void __iomem *io = (void __iomem *)0xffffff0000005000UL;
	struct module *mod = THIS_MODULE;
	int variable[2];

	RECORD_WIDE("0000000000000000 NULL", NULL);
	RECORD_WIDE("0000000000001000 volatile int *", v);
	RECORD_WIDE("0000000000002000 const volatile void *", cv);
	RECORD_WIDE("0000000000003000 const int *const", c);
	RECORD_WIDE("0000000000004000 void __user *", user);
	RECORD_WIDE("ffffff0000005000 void __iomem *", io);
	RECORD_WIDE("fffffffffffffff4 error pointer", ERR_PTR(-ENOMEM));
	RECORD_SAME("array", array, &array[0]);
	RECORD_SAME("const array", text, (unsigned long)text);
	RECORD_SAME("array on the stack", variable, &variable[0]);
	RECORD_SAME("string", name, (uintptr_t)name);
	RECORD_SAME("function", record_pointers, &record_pointers);
	RECORD_SAME("struct *", mod, (const void *)mod);
	RECORD_SAME("pointer to pointer", &mod, (void *)&mod);
}

static int __init jtrace_types_init(void)
{
	const struct flags fl = { .one = 1, .five = 21, .minus = -16, .all = ~0, .most = 1 };

	record_counts();
	record_ints(fl);
	record_wides();
	RECORD_WIDE("0000000000000001 bit-field of 40", fl.most);
	record_pointers("name");
	return 0;
}

module_init(jtrace_types_init);
module_exit(undo_nothing);

TEST_MODULE("all types in all fields");
