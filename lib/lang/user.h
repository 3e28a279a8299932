/* SPDX-License-Identifier: GPL-2.0 */
/* An event from user space. */
#ifndef _JTRACE_LIB_USER_H
#define _JTRACE_LIB_USER_H

#include "../base/words.h"

#include <linux/jtrace_field.h>

/* Most bytes of a line, without its newline. */
#define JTRACE_USER_LINE	255

/* Most bytes of the name of an event, and of a field. */
#define JTRACE_USER_NAME	63
#define JTRACE_USER_FIELD	31

/**
 * struct jtrace_user_event - an event from user space
 * @tag: name, fields and their types, as those of an event of the kernel; ends with NUL.  One more
 *	byte shows that it is too long
 * @len: length of @tag
 * @taken: bytes of the line, without its newline
 * @args: &jtrace_site_record.args
 * @payload: the values
 */
struct jtrace_user_event {
	char tag[JTRACE_TAG_MAX + 2];
	u32 len;
	u32 taken;
	u32 args;
	struct jtrace_payload payload;
};

bool jtrace_user_parse(struct jtrace_user_event *event, const char *text,
		       struct jtrace_refusal *refusal);

#endif /* _JTRACE_LIB_USER_H */
