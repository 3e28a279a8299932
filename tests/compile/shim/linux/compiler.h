/* SPDX-License-Identifier: GPL-2.0 */
/* As much of the kernel's headers as <linux/jtrace.h> needs, for any compiler. */
#ifndef _SHIM_LINUX_COMPILER_H
#define _SHIM_LINUX_COMPILER_H

#define __aligned(x)	__attribute__((__aligned__(x)))
#define __force
#define __user
#define __iomem
#define __must_check	__attribute__((__warn_unused_result__))
#define noinline	__attribute__((__noinline__))
#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))

#endif
