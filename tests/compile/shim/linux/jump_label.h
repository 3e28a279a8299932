/* SPDX-License-Identifier: GPL-2.0 */
/* A static key that is an ordinary variable. */
#ifndef _SHIM_LINUX_JUMP_LABEL_H
#define _SHIM_LINUX_JUMP_LABEL_H

struct static_key_false {
	int enabled;
};

#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key_false name
#define static_branch_unlikely(key)	__builtin_expect((key)->enabled, 0)

#endif
