// SPDX-License-Identifier: GPL-2.0
/* 400 call sites, too many for a small site table. */
#include <linux/jtrace.h>

#include "kmod.h"

/* All in one line of one function: they differ in their tags. */
#define SITE(...)	SITE_NAMED(__VA_ARGS__)
#define SITE_NAMED(x, y, z)	JTRACE("site " #x #y #z, (x) * 100 + (y) * 10 + (z))
#define SITES_10(...)							\
do {									\
	SITE(__VA_ARGS__, 0); SITE(__VA_ARGS__, 1); SITE(__VA_ARGS__, 2); \
	SITE(__VA_ARGS__, 3); SITE(__VA_ARGS__, 4); SITE(__VA_ARGS__, 5); \
	SITE(__VA_ARGS__, 6); SITE(__VA_ARGS__, 7); SITE(__VA_ARGS__, 8); \
	SITE(__VA_ARGS__, 9);						\
} while (0)
#define SITES_100(...)							\
do {									\
	SITES_10(__VA_ARGS__, 0); SITES_10(__VA_ARGS__, 1);		\
	SITES_10(__VA_ARGS__, 2); SITES_10(__VA_ARGS__, 3);		\
	SITES_10(__VA_ARGS__, 4); SITES_10(__VA_ARGS__, 5);		\
	SITES_10(__VA_ARGS__, 6); SITES_10(__VA_ARGS__, 7);		\
	SITES_10(__VA_ARGS__, 8); SITES_10(__VA_ARGS__, 9);		\
} while (0)

PARAM(uint, rounds, 1, "number of events of each site");

static int __init jtrace_sites_init(void)
{
	uint i;

	for (i = 0; i < rounds; i++) {
		SITES_100(0);
		SITES_100(1);
		SITES_100(2);
		SITES_100(3);
	}
	return 0;
}

module_init(jtrace_sites_init);
module_exit(undo_nothing);

TEST_MODULE("many call sites");
