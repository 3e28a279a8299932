/* SPDX-License-Identifier: GPL-2.0 */
/* The user-space half of env.h: the kernel's names on top of C and GNU C. */
#ifndef _JTRACE_ENV_USER_H
#define _JTRACE_ENV_USER_H

/* Make __u64 unsigned long long on each architecture, as in the kernel. */
#define __SANE_USERSPACE_TYPES__

#include <errno.h>
#include <endian.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s32 s32;
typedef __s64 s64;

#define U16_MAX		((u16)~0U)
#define U32_MAX		UINT32_MAX

/* Sparse checks the types of stored fields. */
#ifdef __CHECKER__
#define __force		__attribute__((force))
/* It supports these builtins for plain numbers only. */
#define __atomic_load_n(p, order)		(*(p))
#define __atomic_store_n(p, v, order)		((void)(*(p) = (v)))
#define __atomic_compare_exchange_n(p, old, new, weak, order, order_failed) \
	(*(p) == *(old) ? (*(p) = (new), true) : (*(old) = *(p), false))
#else
#define __force
#endif

#define cpu_to_le16(x)	((__force __le16)htole16(x))
#define cpu_to_le32(x)	((__force __le32)htole32(x))
#define cpu_to_le64(x)	((__force __le64)htole64(x))
#define le16_to_cpu(x)	le16toh((__force __u16)(__le16)(x))
#define le32_to_cpu(x)	le32toh((__force __u32)(__le32)(x))
#define le64_to_cpu(x)	((u64)le64toh((__force __u64)(__le64)(x)))

#undef __always_inline
#define __always_inline	inline __attribute__((always_inline))
#define __printf(f, a)	__attribute__((format(printf, f, a)))
#define ____cacheline_aligned_in_smp __attribute__((aligned(64)))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define noinline	__attribute__((noinline))
#define notrace
/* No tool looks for races as the kernel does. */
#define data_race(x)	(x)

/* The kernel's variadic form: the message is optional. */
#undef static_assert
#define static_assert(expr, ...) __static_assert(expr, ##__VA_ARGS__, #expr)
#define __static_assert(expr, msg, ...) _Static_assert(expr, msg)

#define ALIGN(x, a)	(((x) + ((__typeof__(x))(a) - 1)) & ~((__typeof__(x))(a) - 1))
#define ALIGN_DOWN(x, a) ((x) & ~((__typeof__(x))(a) - 1))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define min_t(t, a, b)	min((t)(a), (t)(b))
#define max_t(t, a, b)	max((t)(a), (t)(b))
#define swap(a, b)	do { __typeof__(a) _t = (a); (a) = (b); (b) = _t; } while (0)

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

/*
 * Relaxed atomics: the kernel's READ_ONCE() and WRITE_ONCE() race on purpose, and these tell
 * ThreadSanitizer so.
 */
#define READ_ONCE(x)			__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)		__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)		__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_wmb()			__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_rmb()			__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define barrier()			__asm__ __volatile__("" ::: "memory")

#define __cmpxchg_user(p, old, new, order)				\
({									\
	__typeof__(*(p)) _old = (old);					\
	__atomic_compare_exchange_n(p, &_old, new, 0, order, __ATOMIC_RELAXED); \
	_old;								\
})
#define cmpxchg(p, old, new)		__cmpxchg_user(p, old, new, __ATOMIC_SEQ_CST)
#define cmpxchg_local(p, old, new)	__cmpxchg_user(p, old, new, __ATOMIC_RELAXED)

typedef struct { s64 counter; } atomic64_t;

#define atomic64_read(v)		READ_ONCE((v)->counter)
#define atomic64_set(v, i)		WRITE_ONCE((v)->counter, i)
#define atomic64_add(i, v)						\
	((void)__atomic_fetch_add(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic64_inc(v)			atomic64_add(1, v)
#define atomic64_inc_return(v)		__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic64_dec_return_release(v)	__atomic_sub_fetch(&(v)->counter, 1, __ATOMIC_RELEASE)

#define prefetchw(at)	__builtin_prefetch(at, 1)

/* Multiply a by b ^ *key and xor both halves of the product. */
static __always_inline u64 jtrace_mul_fold_keyed(u64 a, u64 b, const u64 *key, const bool fresh)
{
#ifdef __SIZEOF_INT128__
	__uint128_t product = (__uint128_t)a * (b ^ *key);

	(void)fresh;
	return (u64)product ^ (u64)(product >> 64);
#else
	u64 al = (u32)a, ah = a >> 32, bl = (u32)(b ^ *key), bh = (b ^ *key) >> 32;
	u64 low = al * bl, mid = ah * bl + (low >> 32), mid2 = al * bh + (u32)mid;

	(void)fresh;
	return (mid2 << 32 | (u32)low) ^ (ah * bh + (mid >> 32) + (mid2 >> 32));
#endif
}

/* A test that observes write-backs defines this and the function. */
#ifdef JTRACE_LINE_BACK
void jtrace_line_back(const void *at);
#else
static inline void jtrace_line_back(const void *at)
{
	(void)at;
}
#endif

static inline void jtrace_write_back_wait(void)
{
}

static inline void jtrace_write_back_locked(void)
{
}

/* A test that counts calls defines this and the function. */
#ifdef JTRACE_COND_RESCHED
void cond_resched(void);
#else
static inline void cond_resched(void)
{
}
#endif

/* CRC-32C, reflected, like the kernel's; four bits at a time. */
static inline u32 jtrace_crc32c(u32 crc, const void *data, size_t len)
{
	static const u32 table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
		0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};
	const u8 *p = data;

	while (len--) {
		crc ^= *p++;
		crc = (crc >> 4) ^ table[crc & 15];
		crc = (crc >> 4) ^ table[crc & 15];
	}
	return crc;
}

static inline void time64_to_tm(time_t seconds, int offset, struct tm *tm)
{
	(void)offset;
	*tm = (struct tm){ .tm_mday = 1 };
	gmtime_r(&seconds, tm);
}

/* As in the kernel: cut to @size - 1 bytes; the length, or an error if it is cut. */
static inline long strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = 0;
	return from[len] ? -E2BIG : (long)len;
}

/* Like the kernel's: return the length written, not the length needed. */
static inline __printf(3, 4) int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf, size, fmt, args);
	va_end(args);
	if (len < 0 || !size)
		return 0;
	return (size_t)len < size ? len : (int)size - 1;
}

#endif /* _JTRACE_ENV_USER_H */
