// SPDX-License-Identifier: GPL-2.0
/* Records each number that it gets, as a value of 64 bits. */

#include <linux/jtrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmod.h"

static int record_set(const char *val, const struct kernel_param *kp)
{
	char *text = kstrdup(val, GFP_KERNEL), *rest = text, *word;
	u64 value;
	int err = text ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, "\n "))) {
		if (!*word)
			continue;
		err = kstrtou64(word, 0, &value);
		if (!err)
			JTRACE("value (0, 0, 0, 0, at)", 0, 0, 0, 0, (void *)(unsigned long)value);
	}
	kfree(text);
	return err;
}

PARAM_SET(record, "numbers to be recorded, with blanks between them");

static int __init jtrace_values_init(void)
{
	return 0;
}

module_init(jtrace_values_init);
module_exit(undo_nothing);

TEST_MODULE("records numbers");
