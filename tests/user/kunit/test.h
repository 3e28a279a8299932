/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The KUnit macros that tests/kunit uses, in user space: the same suites test lib/ under
 * sanitizers, with 32 bits, and with another compiler.
 */
#ifndef _JTRACE_USER_KUNIT_TEST_H
#define _JTRACE_USER_KUNIT_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct kunit {
	void *priv;
	const char *name;
	/* private: of main.c */
	jmp_buf abort;
	struct kunit_block *blocks;
	bool failed;
	bool skipped;
	char reason[128];
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char name[256];
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
	/* private: of main.c */
	struct kunit_suite *next;
};

void kunit_register(struct kunit_suite *suite);
void kunit_fail(struct kunit *test, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void kunit_abort(struct kunit *test) __attribute__((noreturn));
void *kunit_zalloc(struct kunit *test, size_t size);

#define KUNIT_CASE(test_name)	{ .run_case = test_name, .name = #test_name }

#define kunit_test_suite(suite)						\
static void __attribute__((constructor)) register_##suite(void)		\
{									\
	kunit_register(&(suite));					\
}

#define GFP_KERNEL		0
#define kunit_kzalloc(test, size, gfp)		kunit_zalloc(test, size)
#define kunit_kcalloc(test, n, size, gfp)	kunit_zalloc(test, (size_t)(n) * (size))

#define kunit_info(test, fmt, ...)	printf("# %s: " fmt "\n", (test)->name, ##__VA_ARGS__)

#define kunit_skip(test, fmt, ...)					\
do {									\
	(test)->skipped = true;						\
	snprintf((test)->reason, sizeof((test)->reason), fmt, ##__VA_ARGS__); \
	kunit_abort(test);						\
} while (0)

#define KUNIT_FAIL(test, fmt, ...)	kunit_fail(test, __FILE__, __LINE__, fmt, ##__VA_ARGS__)

/* Report a failure and the caller's message; then go on or not. */
#define __KUNIT_END(test, fatal, fmt, ...)				\
do {									\
	kunit_fail(test, __FILE__, __LINE__, fmt, ##__VA_ARGS__);	\
	if (fatal)							\
		kunit_abort(test);					\
} while (0)

#define __KUNIT_UNARY(test, fatal, cond, text, fmt, ...)		\
do {									\
	if (!(cond))							\
		__KUNIT_END(test, fatal, "expected %s; " fmt, text, ##__VA_ARGS__); \
} while (0)

#define __KUNIT_BINARY(test, fatal, a, op, b, fmt, ...)			\
do {									\
	__typeof__(a) _a = (a);						\
	__typeof__(b) _b = (b);						\
									\
	if (!(_a op _b))						\
		__KUNIT_END(test, fatal,				\
			    "expected %s %s %s, got %lld (%llx) and %lld (%llx); " fmt, \
			    #a, #op, #b, (long long)_a, (long long)_a,	\
			    (long long)_b, (long long)_b, ##__VA_ARGS__); \
} while (0)

#define __KUNIT_PTR(test, fatal, a, op, b)				\
do {									\
	const void *_a = (a), *_b = (b);				\
									\
	if (!(_a op _b))						\
		__KUNIT_END(test, fatal, "expected %s %s %s, got %p and %p", \
			    #a, #op, #b, _a, _b);			\
} while (0)

#define __KUNIT_STR(test, fatal, a, b, fmt, ...)			\
do {									\
	const char *_a = (a), *_b = (b);				\
									\
	if (strcmp(_a, _b))						\
		__KUNIT_END(test, fatal, "expected %s, got\n# \"%s\" and\n# \"%s\"; " fmt, \
			    #a " == " #b, _a, _b, ##__VA_ARGS__);	\
} while (0)

#define KUNIT_EXPECT_TRUE(t, c)			__KUNIT_UNARY(t, 0, c, #c, "%s", "")
#define KUNIT_EXPECT_TRUE_MSG(t, c, ...)	__KUNIT_UNARY(t, 0, c, #c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE(t, c)		__KUNIT_UNARY(t, 0, !(c), "not " #c, "%s", "")
#define KUNIT_EXPECT_FALSE_MSG(t, c, ...)	__KUNIT_UNARY(t, 0, !(c), "not " #c, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE(t, c)			__KUNIT_UNARY(t, 1, c, #c, "%s", "")
#define KUNIT_ASSERT_TRUE_MSG(t, c, ...)	__KUNIT_UNARY(t, 1, c, #c, __VA_ARGS__)
#define KUNIT_ASSERT_FALSE(t, c)		__KUNIT_UNARY(t, 1, !(c), "not " #c, "%s", "")
#define KUNIT_ASSERT_FALSE_MSG(t, c, ...)	__KUNIT_UNARY(t, 1, !(c), "not " #c, __VA_ARGS__)

#define KUNIT_EXPECT_EQ(t, a, b)		__KUNIT_BINARY(t, 0, a, ==, b, "%s", "")
#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 0, a, ==, b, __VA_ARGS__)
#define KUNIT_EXPECT_NE(t, a, b)		__KUNIT_BINARY(t, 0, a, !=, b, "%s", "")
#define KUNIT_EXPECT_NE_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 0, a, !=, b, __VA_ARGS__)
#define KUNIT_EXPECT_LT(t, a, b)		__KUNIT_BINARY(t, 0, a, <, b, "%s", "")
#define KUNIT_EXPECT_LT_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 0, a, <, b, __VA_ARGS__)
#define KUNIT_EXPECT_LE(t, a, b)		__KUNIT_BINARY(t, 0, a, <=, b, "%s", "")
#define KUNIT_EXPECT_LE_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 0, a, <=, b, __VA_ARGS__)
#define KUNIT_EXPECT_GT(t, a, b)		__KUNIT_BINARY(t, 0, a, >, b, "%s", "")
#define KUNIT_EXPECT_GE(t, a, b)		__KUNIT_BINARY(t, 0, a, >=, b, "%s", "")
#define KUNIT_EXPECT_GE_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 0, a, >=, b, __VA_ARGS__)
#define KUNIT_ASSERT_EQ(t, a, b)		__KUNIT_BINARY(t, 1, a, ==, b, "%s", "")
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 1, a, ==, b, __VA_ARGS__)
#define KUNIT_ASSERT_NE(t, a, b)		__KUNIT_BINARY(t, 1, a, !=, b, "%s", "")
#define KUNIT_ASSERT_NE_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 1, a, !=, b, __VA_ARGS__)
#define KUNIT_ASSERT_LT(t, a, b)		__KUNIT_BINARY(t, 1, a, <, b, "%s", "")
#define KUNIT_ASSERT_LT_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 1, a, <, b, __VA_ARGS__)
#define KUNIT_ASSERT_LE(t, a, b)		__KUNIT_BINARY(t, 1, a, <=, b, "%s", "")
#define KUNIT_ASSERT_LE_MSG(t, a, b, ...)	__KUNIT_BINARY(t, 1, a, <=, b, __VA_ARGS__)
#define KUNIT_ASSERT_GT(t, a, b)		__KUNIT_BINARY(t, 1, a, >, b, "%s", "")
#define KUNIT_ASSERT_GE(t, a, b)		__KUNIT_BINARY(t, 1, a, >=, b, "%s", "")

#define KUNIT_EXPECT_PTR_EQ(t, a, b)		__KUNIT_PTR(t, 0, a, ==, b)
#define KUNIT_ASSERT_NOT_NULL(t, p)		__KUNIT_PTR(t, 1, p, !=, NULL)
#define KUNIT_EXPECT_STREQ(t, a, b)		__KUNIT_STR(t, 0, a, b, "%s", "")
#define KUNIT_EXPECT_STREQ_MSG(t, a, b, ...)	__KUNIT_STR(t, 0, a, b, __VA_ARGS__)

#endif /* _JTRACE_USER_KUNIT_TEST_H */
