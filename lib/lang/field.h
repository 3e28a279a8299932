/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _JTRACE_LIB_FIELD_H
#define _JTRACE_LIB_FIELD_H

#include "../base/env.h"

#include <linux/jtrace_field.h>

/* Most fields of an event. */
#define JTRACE_FIELDS		6

/* Why a type is refused. */
#define JTRACE_NO_SUCH_TYPE \
	"there is no such type: take u8 to u64, s8 to s64, x8 to x64, symbol, string, string8 or bytes"

u32 jtrace_field_type(const char *name, u32 n);
const char *jtrace_field_type_name(u32 type);
bool jtrace_field_places(const struct jtrace_field *fields, u32 field, s8 *place);
size_t jtrace_fields_text(const struct jtrace_field *fields, u32 nr, char *to, size_t size);
bool jtrace_fields_args(const struct jtrace_field *fields, u32 nr, u32 *args);

#endif /* _JTRACE_LIB_FIELD_H */
