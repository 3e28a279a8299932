/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call hook() before each shared access of the code that is included after this file.  Replaces
 * macros of env_user.h, which must be included before.
 */
#ifndef _JTRACE_HOOK_H
#define _JTRACE_HOOK_H

static void hook(void);

#define HOOKED(expr)	({ hook(); (expr); })

#undef READ_ONCE
#undef WRITE_ONCE
#undef smp_load_acquire
#undef smp_store_release
#undef cmpxchg
#undef cmpxchg_local
#undef atomic64_inc_return
#define READ_ONCE(x)		HOOKED(__atomic_load_n(&(x), __ATOMIC_RELAXED))
#define WRITE_ONCE(x, v)	({ hook(); __atomic_store_n(&(x), v, __ATOMIC_RELAXED); })
/* as env_user.h has it */
#define smp_load_acquire(p)	HOOKED(__atomic_load_n(p, __ATOMIC_ACQUIRE))
/* as env_user.h has it */
#define smp_store_release(p, v)	({ hook(); __atomic_store_n(p, v, __ATOMIC_RELEASE); })
#define cmpxchg(p, old, new)	HOOKED(__cmpxchg_user(p, old, new, __ATOMIC_SEQ_CST))
#define cmpxchg_local(p, old, new) HOOKED(__cmpxchg_user(p, old, new, __ATOMIC_RELAXED))
#define atomic64_inc_return(v)	HOOKED(__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))

#endif /* _JTRACE_HOOK_H */
