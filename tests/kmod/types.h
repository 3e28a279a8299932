/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TYPES_H
#define _TYPES_H

#include <linux/types.h>

u32 types_evaluate(void);
void types_disabled(void);

#endif /* _TYPES_H */
