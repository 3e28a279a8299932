/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _JTRACE_LIB_VALUE_H
#define _JTRACE_LIB_VALUE_H

#include "../base/pen.h"
#include "../base/words.h"

#include <linux/jtrace_field.h>

bool jtrace_value_take(struct words *w, u32 type, u64 *value);
void jtrace_value_text(struct pen *p, u32 type, const u64 *value);

#endif /* _JTRACE_LIB_VALUE_H */
