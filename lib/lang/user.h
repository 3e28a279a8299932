/* SPDX-License-Identifier: GPL-2.0 */
/* An event from user space. */
#ifndef _JTRACE_LIB_USER_H
#define _JTRACE_LIB_USER_H

#include "../base/words.h"

#include <linux/jtrace_field.h>

#include "field.h"

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
 * @nr: number of values
 * @field: each value: type, whether the line has it, and where the value begins and ends
 */
struct jtrace_user_event {
	char tag[JTRACE_TAG_MAX + 2];
	u32 len;
	u32 taken;
	u32 args;
	struct jtrace_payload payload;
	u32 nr;
	struct jtrace_user_value {
		u32 type;
		bool typed;
		u8 begin;
		u8 end;
	} field[JTRACE_FIELDS];
};

/**
 * struct jtrace_user_shape - a line without its values
 * @nr: number of values
 * @value: type of each, and whether the line has it
 * @len: length of the text before each value, and behind the last one
 * @text: these texts, one after the other
 */
struct jtrace_user_shape {
	u32 nr;
	struct {
		u32 type;
		bool typed;
	} value[JTRACE_FIELDS];
	u8 len[JTRACE_FIELDS + 1];
	char text[JTRACE_USER_LINE];
};

bool jtrace_user_parse(struct jtrace_user_event *event, const char *text,
		       struct jtrace_refusal *refusal);
void jtrace_user_shape(struct jtrace_user_shape *shape, const char *text,
		       const struct jtrace_user_event *event);
bool jtrace_user_match(const struct jtrace_user_shape *shape, const char *text, u32 len,
		       struct jtrace_payload *payload, u32 *taken);

#endif /* _JTRACE_LIB_USER_H */
