/* SPDX-License-Identifier: GPL-2.0 */
/* No option is set: an out-of-tree module in a kernel without jtrace. */
#ifndef _SHIM_LINUX_KCONFIG_H
#define _SHIM_LINUX_KCONFIG_H

#define IS_ENABLED(option)	0
#define IS_REACHABLE(option)	0

#endif
