// SPDX-License-Identifier: GPL-2.0
/* Without libsystemd. */

#ifndef JTRACE_LIBSYSTEMD

#include "../base/base.h"
#include "crashes.h"

bool crashes_read_journals(struct crashes *all, const char *dir, bool images)
{
	(void)images;
	*all = (struct crashes){ 0 };
	return fail("-D %s: this jtrace was built without libsystemd, which reads journals", dir);
}

#endif
