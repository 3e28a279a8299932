/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_STDDEF_H
#define _SHIM_LINUX_STDDEF_H

#undef NULL
#define NULL	((void *)0)
#define true	1
#define false	0

#endif
