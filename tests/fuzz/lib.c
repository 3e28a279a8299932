// SPDX-License-Identifier: GPL-2.0
/* lib/, with a count of its accesses to images: the work that an image causes. */

#include "../../lib/base/env.h"

#include "../user/hook.h"

extern u64 fuzz_steps;
u64 fuzz_steps;

static void hook(void)
{
	fuzz_steps++;
}

/* The code that prints accesses images only through these. */
#include "../../lib/image/image.c"
#include "../../lib/image/chunk.c"
#include "../../lib/image/ring.c"
#include "../../lib/image/site.c"
#include "../../lib/image/module.c"
#include "../../lib/image/task.c"
#include "../../lib/image/stack.c"
#include "../../lib/base/keys.c"
#include "../../lib/read/time.c"
#include "../../lib/image/log.c"
#include "../../lib/read/log.c"
#include "../../lib/read/cause.c"
#include "../../lib/read/recover.c"
#include "../../lib/read/walk.c"
