/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_ASM_PERCPU_H
#define _SHIM_ASM_PERCPU_H

#define __percpu

#endif /* _SHIM_ASM_PERCPU_H */
