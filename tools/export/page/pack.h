/* SPDX-License-Identifier: GPL-2.0 */
/* The string of bytes with the events of a page; rows.c has its format. */
#ifndef _JTRACE_PACK_H
#define _JTRACE_PACK_H

#include <stdio.h>

#include "../../base/base.h"

struct pack;

struct pack *pack_open(FILE *to);
FILE *pack_definitions(struct pack *p);
void pack_define(struct pack *p);
void pack_event(struct pack *p, u32 site, u32 context, bool stacked, u32 stack);
void pack_value(struct pack *p, u32 place, const char *text, size_t len);
void pack_hex(struct pack *p, u64 value);
void pack_end(struct pack *p, u64 since, u32 cpu, u64 thread);
bool pack_close(struct pack *p);

#endif /* _JTRACE_PACK_H */
