// SPDX-License-Identifier: GPL-2.0
/* lib/, with a count of its accesses to images: the work that an image causes. */

#include "../../lib/env.h"

#include "../user/hook.h"

extern u64 fuzz_steps;
u64 fuzz_steps;

static void hook(void)
{
	fuzz_steps++;
}

/* The code that prints accesses images only through these. */
#include "../../lib/image.c"
#include "../../lib/chunk.c"
#include "../../lib/ring.c"
#include "../../lib/site.c"
#include "../../lib/keys.c"
#include "../../lib/time.c"
#include "../../lib/log.c"
#include "../../lib/cause.c"
#include "../../lib/recover.c"
#include "../../lib/walk.c"
