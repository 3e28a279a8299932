// SPDX-License-Identifier: GPL-2.0
/*
 * Uses of JTRACE() that must compile without a warning, whatever the mode.
 *
 * Only JTRACE() makes data, and only its arguments call sink().  So tests/compile/run can see
 * in the object whether a disabled JTRACE() leaves anything.
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/jtrace.h>

enum colour { RED, GREEN = 7 };
enum negative { BELOW = -1, ABOVE = 0x7fffffff };
struct opaque;

struct bits {
	unsigned int one:1;
	signed int three:3;
	u32 full:32;
	bool flag:1;
	u64 twenty:20;
	u64 forty:40;
	enum colour colour:4;
};

struct inner {
	int array[4];
	struct {
		u16 deep;
	} sub;
};

#define LONGEST_TAG							\
	"----------------" "----------------" "----------------" "----------------" \
	"----------------" "----------------" "----------------" "----------------"

#define TAG		"a tag made by a macro"
#define COMMA_PAIR	1, 2
#define COMMA_SIX	1, 2, 3, 4, 5, 6
#define PICK(x, y)	((x) > (y) ? (x) : (y))
#define ONCE(x, y)	({ typeof(x) __x = (x), __y = (y); __x > __y ? __x : __y; })
#define LOG(a, ...)	JTRACE("LOG (a, ...)", a, ##__VA_ARGS__)
#define LOG2(...)	LOG(__VA_ARGS__)
#define WITH_TAG(tag, ...)	JTRACE("WITH_TAG " tag, ##__VA_ARGS__)

u32 sink(u32 x);

static inline __must_check int checked_int(void)
{
	return sink(8);
}

static inline __must_check u64 checked_u64(void)
{
	return sink(9);
}

static inline __must_check bool checked_bool(void)
{
	return sink(10);
}

static inline __must_check const volatile void *checked_pointer(void)
{
	return ERR_PTR(-12);
}

void pass_count(u32 x);
void pass_integers(void);
void pass_qualified(const int c, volatile int *v);
void pass_bits(struct bits *b, const struct bits *cb, struct inner *in);
void pass_kernel_types(__le32 le, __be64 be, gfp_t gfp, phys_addr_t pa, size_t size, ssize_t n);
void pass_pointers(struct opaque *o, const struct bits *c, volatile int *v,
		   const volatile void *cv, void __user *u, const char __user *cu,
		   void __iomem *io, void (*fn)(int x), int (*row)[3], char **argv, int vla[],
		   void *const last);
void pass_literals(void);
void pass_expressions(u32 x, u64 y, const char *p);
void pass_must_check(u32 x);
void pass_volatile(volatile u32 *v, const volatile u64 *w, volatile void *const volatile *p);
void pass_macros(u32 x);
void pass_tags(u32 x);
u32 pass_if(u32 x);
u32 pass_switch(u32 x);
void pass_loops(u32 x);
u32 pass_inline(u32 x);
u32 pass_nested(u32 x);
void pass_shadow(u32 tag, u32 a, u32 x, u64 number);

void pass_count(u32 x)
{
	JTRACE("none");
	jtrace_stop("found");
	JTRACE("one", x);
	JTRACE("two", x, x);
	JTRACE("three", x, x, x);
	JTRACE("four", x, x, x, x);
	JTRACE("five", x, x, x, x, x);
	JTRACE("six", x, x, x, x, x, x);
	JTRACE("zeros", 0, 0, 0, 0, 0, 0);
}

#define EVERYWHERE32(x)	JTRACE(#x, x, x, x, x, x, x)
#define EVERYWHERE64(x)	JTRACE(#x, 0, 0, 0, 0, x, x)

void pass_integers(void)
{
	char c = 'c';
	signed char sc = -1;
	unsigned char uc = 1;
	short s = -1;
	unsigned short us = 1;
	int i = -1;
	unsigned int ui = 1;
	long l = -1;
	unsigned long ul = 1;
	long long ll = -1;
	unsigned long long ull = 1;
	bool b = true;
	enum colour e = GREEN;
	enum negative n = BELOW;
	s8 s8v = -1;
	u8 u8v = 1;
	s16 s16v = -1;
	u16 u16v = 1;
	s32 s32v = -1;
	u32 u32v = 1;
	s64 s64v = -1;
	u64 u64v = 1;

	EVERYWHERE32(c);
	EVERYWHERE32(sc);
	EVERYWHERE32(uc);
	EVERYWHERE32(s);
	EVERYWHERE32(us);
	EVERYWHERE32(i);
	EVERYWHERE32(ui);
	EVERYWHERE32(b);
	EVERYWHERE32(e);
	EVERYWHERE32(n);
	EVERYWHERE32(RED);
	EVERYWHERE32(BELOW);
	EVERYWHERE32(s8v);
	EVERYWHERE32(u8v);
	EVERYWHERE32(s16v);
	EVERYWHERE32(u16v);
	EVERYWHERE32(s32v);
	EVERYWHERE32(u32v);
	EVERYWHERE64(l);
	EVERYWHERE64(ul);
	EVERYWHERE64(ll);
	EVERYWHERE64(ull);
	EVERYWHERE64(s64v);
	EVERYWHERE64(u64v);
}

void pass_qualified(const int c, volatile int *v)
{
	const volatile u16 cv = 1;
	const bool b = true;
	const enum colour e = RED;
	const u64 wide = 1;

	EVERYWHERE32(c);
	EVERYWHERE32(*v);
	EVERYWHERE32(cv);
	EVERYWHERE32(b);
	EVERYWHERE32(e);
	EVERYWHERE64(wide);
	EVERYWHERE64(*(const volatile u64 *)v);
}

void pass_bits(struct bits *b, const struct bits *cb, struct inner *in)
{
	EVERYWHERE32(b->one);
	EVERYWHERE32(b->three);
	EVERYWHERE32(b->full);
	EVERYWHERE32(b->flag);
	EVERYWHERE32(b->colour);
	EVERYWHERE32(cb->three);
	EVERYWHERE64(b->twenty);
	EVERYWHERE64(b->forty);
	EVERYWHERE32(in->array[1]);
	EVERYWHERE32(in->sub.deep);
	EVERYWHERE64(in->array);
	EVERYWHERE64(&in->sub);
}

void pass_kernel_types(__le32 le, __be64 be, gfp_t gfp, phys_addr_t pa, size_t size, ssize_t n)
{
	EVERYWHERE32(le);
	EVERYWHERE32(gfp);
	EVERYWHERE64(be);
	EVERYWHERE64(pa);
	EVERYWHERE64(size);
	EVERYWHERE64(n);
}

void pass_pointers(struct opaque *o, const struct bits *c, volatile int *v,
		   const volatile void *cv, void __user *u, const char __user *cu,
		   void __iomem *io, void (*fn)(int x), int (*row)[3], char **argv, int vla[],
		   void *const last)
{
	char local[8] = "";
	const u32 table[2] = { 1, 2 };

	EVERYWHERE64(o);
	EVERYWHERE64(c);
	EVERYWHERE64(v);
	EVERYWHERE64(cv);
	EVERYWHERE64(u);
	EVERYWHERE64(cu);
	EVERYWHERE64(io);
	EVERYWHERE64(fn);
	EVERYWHERE64(*fn);
	EVERYWHERE64(row);
	EVERYWHERE64(*row);
	EVERYWHERE64(argv);
	EVERYWHERE64(vla);
	EVERYWHERE64(last);
	EVERYWHERE64(local);
	EVERYWHERE64(table);
	EVERYWHERE64(&table[1]);
	EVERYWHERE64(NULL);
	EVERYWHERE64((void *)8);
	EVERYWHERE64(pass_pointers);
	EVERYWHERE64(&pass_pointers);
	EVERYWHERE64(__builtin_return_address(0));
	JTRACE("a string", 0, 0, 0, 0, "string", __func__);
}

void pass_literals(void)
{
	EVERYWHERE32(0);
	EVERYWHERE32(-1);
	EVERYWHERE32(42U);
	EVERYWHERE32('c');
	EVERYWHERE32(0x7fffffff);
	EVERYWHERE32(0x80000000);
	EVERYWHERE32(0xffffffff);
	EVERYWHERE32(1 == 2);
	EVERYWHERE32(true);
	EVERYWHERE32(__LINE__);
	EVERYWHERE64(0x100000000);
	EVERYWHERE64(1L);
	EVERYWHERE64(1UL << 40);
	EVERYWHERE64(-1LL);
	EVERYWHERE64(0xffffffffffffffffULL);
	EVERYWHERE64(sizeof(int));
}

void pass_expressions(u32 x, u64 y, const char *p)
{
	u32 a = 0, b = 1, c = 2, d = 3;
	u64 e = 4, f = 5;

	JTRACE("effects", a++, --b, c += 2, d = x, e <<= 1, f = ~f);
	JTRACE("calls", sink(1), sink(x), (u32)sink(2), sink(sink(3)), sink(4), sink(5));
	JTRACE("conditional", x ? 1 : 2, x ?: 3, x ? sink(6) : x, !y, x ? y : 0, x ? p : NULL);
	JTRACE("operators", x & 1, x << 3, ~x, -x, y >> 32, y + x);
	JTRACE("casts", (u32)y, (u8)y, (u32)(y >> 32), (unsigned long)p & 0xff ? 1 : 0);
	JTRACE("statement", ({ u32 t = x; t * 2; }), ({ 1; }), 0, 0, ({ u64 t = y; t; }), ({ p; }));
	JTRACE("memory", *p, p[1], p[2] << 8, 0, p + 1, &p);
	JTRACE("comma", (sink(7), x), (x));
	JTRACE("logic", x && y, x || y, x == y, p == NULL, x && p, !p);
}

/* The compiler warns if such a result is ignored.  An argument uses it, recorded or not. */
void pass_must_check(u32 x)
{
	JTRACE("x", 0, 0, 0, 0, ERR_PTR(-12));
	EVERYWHERE64(ERR_PTR(-12));
	EVERYWHERE64(ERR_PTR(x));
	EVERYWHERE64(checked_pointer());
	EVERYWHERE32(checked_int());
	EVERYWHERE32(checked_bool());
	EVERYWHERE64(checked_int());
	EVERYWHERE64(checked_u64());
	EVERYWHERE32((checked_int()));
	EVERYWHERE32(({ checked_int(); }));
	EVERYWHERE64(({ checked_pointer(); }));
	EVERYWHERE64((sink(x), checked_pointer()));
	EVERYWHERE64(x ? ERR_PTR(-22) : NULL);
	EVERYWHERE32((u32)checked_u64());
	EVERYWHERE32(PTR_ERR(ERR_PTR(-12)) == -12);
}

void pass_volatile(volatile u32 *v, const volatile u64 *w, volatile void *const volatile *p)
{
	volatile u32 local = 1;

	EVERYWHERE32(*v);
	EVERYWHERE32(v[1]);
	EVERYWHERE32((*v)++);
	EVERYWHERE32(*v = 3);
	EVERYWHERE32(*v += local);
	JTRACE("volatile", local++, sink(11), *v, v[1]++, *w, *w);
	EVERYWHERE64(*w);
	EVERYWHERE64(*p);
	EVERYWHERE64(({ *w; }));
	EVERYWHERE64(*(volatile u64 *)0x1000);
}

void pass_macros(u32 x)
{
	u32 y = 2;

	JTRACE("pair", COMMA_PAIR);
	JTRACE("pairs", COMMA_PAIR, COMMA_PAIR, COMMA_PAIR);
	JTRACE("all", COMMA_SIX);
	JTRACE("pick", PICK(x, y), PICK(x, PICK(y, 3)));
	JTRACE("once", ONCE(x, y), ONCE(x, PICK(y, 3U)), 0, 0, ONCE(x, y), ONCE(x, y));
	LOG(x);
	LOG(x, y);
	LOG2(COMMA_PAIR, x);
	LOG(x, x, x, x, x, x);
	WITH_TAG("alone");
	WITH_TAG("and values", x, y);
}

void pass_tags(u32 x)
{
	JTRACE("");
	JTRACE("a" "b", x);
	JTRACE(TAG, x);
	JTRACE("prefix " TAG " suffix", x);
	JTRACE(LONGEST_TAG, x);
	JTRACE("100% %s %n \\ \" \n \t \x7f", x);
	JTRACE("commas, (and, parentheses)", x);
	JTRACE("at " __FILE__, x);
	JTRACE(("in parentheses"), x);
}

u32 pass_if(u32 x)
{
	if (x == 1)
		JTRACE("if", x);
	else if (x == 2)
		JTRACE("else if", x);
	else
		JTRACE("else", x);
	if (x)
		if (x > 5)
			JTRACE("inner if", x);
		else
			return 1;
	else
		JTRACE("outer else", x);
	return 0;
}

u32 pass_switch(u32 x)
{
	switch (x) {
	case 1:
		JTRACE("case", x);
		break;
	case 2:
		JTRACE("falls", x);
		return 2;
	default:
		JTRACE("default", x);
	}
	if (x > 100)
		goto out;
	JTRACE("before a label", x);
out:
	JTRACE("after a label", x);
	return x;
}

void pass_loops(u32 x)
{
	u32 i;

	for (i = 0; i < x; i++)
		JTRACE("for", i);
	while (i--)
		JTRACE("while", i);
	do
		JTRACE("do", i);
	while (++i < x);
	for (i = 0; i < x; i++) {
		if (i == 3)
			continue;
		JTRACE("body", i);
	}
}

static inline u32 in_a_header(u32 x)
{
	JTRACE("in a static inline function", x);
	return x + 1;
}

static __always_inline u32 always(u32 x)
{
	JTRACE("in an __always_inline function", x);
	return in_a_header(x);
}

static noinline u32 apart(u32 x)
{
	JTRACE("in a noinline function", x);
	return x;
}

u32 pass_inline(u32 x)
{
	return in_a_header(x) + in_a_header(2) + always(x) + always(3) + apart(x);
}

#define TWO_ON_A_LINE(x)	do { JTRACE("first", x); JTRACE("second", x); } while (0)

/*
 * A JTRACE() in an argument of another one, and in a function that an argument calls.  Only
 * -Wshadow warns, rightly: one site is declared within the other.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
u32 pass_nested(u32 x)
{
	TWO_ON_A_LINE(x);
	JTRACE("outer", ({ JTRACE("inner", x); x; }), in_a_header(x));
	return ({ JTRACE("value", x); x; });
}

#pragma GCC diagnostic pop

/* Variables with the names of the macros' parameters and fields. */
void pass_shadow(u32 tag, u32 a, u32 x, u64 number)
{
	u32 b = 1, c = 2, n = 3, line = 4, lo = 5, hi = 6, file = 7;
	const void *site = NULL, *func = NULL, *e = NULL, *f = NULL;

	JTRACE("names", tag, a, x, n, number, site);
	JTRACE("names", b, c, line, file, func, e);
	JTRACE("names", lo, hi, 0, 0, f);
}
