/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_TYPES_H
#define _SHIM_LINUX_TYPES_H

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;
typedef u8 __u8;
typedef u16 __le16;
typedef u32 __le32;
typedef u64 __le64;
typedef u64 __be64;
typedef u32 gfp_t;
typedef u64 phys_addr_t;
typedef u64 dma_addr_t;
typedef _Bool bool;
typedef __SIZE_TYPE__ size_t;
typedef long ssize_t;

#endif
