// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the linked suites and prints the result as TAP.
 *
 * Usage: NAME [FILTER]    FILTER: part of "suite.case"
 */

#include <kunit/test.h>

#include <stdarg.h>
#include <stdlib.h>

/* Memory of a case; freed at its end. */
struct kunit_block {
	struct kunit_block *next;
	void *at;
};

static struct kunit_suite *suites;

void kunit_register(struct kunit_suite *suite)
{
	struct kunit_suite **at = &suites;

	while (*at && strcmp((*at)->name, suite->name) < 0)
		at = &(*at)->next;
	suite->next = *at;
	*at = suite;
}

void kunit_fail(struct kunit *test, const char *file, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("# %s: %s:%d: ", test->name, file, line);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	test->failed = true;
}

void kunit_abort(struct kunit *test)
{
	longjmp(test->abort, 1);
}

/* Exactly the requested size, so that a sanitizer sees the end; aligned to a cache line. */
void *kunit_zalloc(struct kunit *test, size_t size)
{
	struct kunit_block *block = malloc(sizeof(*block));

	if (!block || posix_memalign(&block->at, 64, size ? size : 1)) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	block->next = test->blocks;
	test->blocks = block;
	memset(block->at, 0, size);
	return block->at;
}

static void free_blocks(struct kunit *test)
{
	while (test->blocks) {
		struct kunit_block *block = test->blocks;

		test->blocks = block->next;
		free(block->at);
		free(block);
	}
}

static void run_case(struct kunit_suite *suite, struct kunit_case *c, struct kunit *test)
{
	memset(test, 0, sizeof(*test));
	test->name = c->name;
	if (!setjmp(test->abort)) {
		if (suite->init && suite->init(test))
			kunit_fail(test, suite->name, 0, "init failed");
		else
			c->run_case(test);
	}
	if (suite->exit)
		suite->exit(test);
	free_blocks(test);
}

int main(int argc, char **argv)
{
	static struct kunit test;
	int nr = 0, passed = 0, failed = 0, skipped = 0;
	struct kunit_suite *s;
	struct kunit_case *c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	for (s = suites; s; s = s->next) {
		for (c = s->test_cases; c->run_case; c++) {
			char name[512];

			snprintf(name, sizeof(name), "%s.%s", s->name, c->name);
			if (argc > 1 && !strstr(name, argv[1]))
				continue;
			run_case(s, c, &test);
			passed += !test.failed && !test.skipped;
			failed += test.failed;
			skipped += test.skipped && !test.failed;
			printf("%s %d - %s%s%s\n", test.failed ? "not ok" : "ok", ++nr, name,
			       test.skipped ? " # SKIP " : "", test.reason);
		}
	}
	printf("1..%d\n# %d passed, %d failed, %d skipped\n", nr, passed, failed, skipped);
	return failed || !passed;
}
