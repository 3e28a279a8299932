// SPDX-License-Identifier: GPL-2.0
/*
 * Symbolic names of numbers in the kernel's events: "vec=1 <TIMER>", "id=3 <close>".
 *
 * A field has them by its event and its own name; a field of another module's event has none.
 * numbers.h and syscall_names.h name the numbers on which all kernels agree; BTF names the others.
 * A number has no name if there is any doubt.
 */

#include <elf.h>
#include <string.h>

#include "../../lib/base/pen.h"
#include "../machine/machine.h"
#include "entries.h"
#include "numbers.h"
#include "syscall_names.h"

static const struct {
	const char *event;
	const char *field;
	enum symbolic symbolic;
} symbolic_fields[] = {
	{ "softirq_raise", "vec", SYMBOLIC_SOFTIRQ },
	{ "softirq_entry", "vec", SYMBOLIC_SOFTIRQ },
	{ "softirq_exit", "vec", SYMBOLIC_SOFTIRQ },
	{ "irq_handler_exit", "irq", SYMBOLIC_IRQ },
	{ "irq_handler_exit", "ret", SYMBOLIC_IRQ_RETURN },
	{ "sched_switch", "prev_state", SYMBOLIC_STATE },
	{ "task_newtask", "clone_flags", SYMBOLIC_CLONE },
	{ "contention_begin", "flags", SYMBOLIC_CONTENTION },
	{ "contention_begin", "owner", SYMBOLIC_TASK },
	{ "contention_end", "ret", SYMBOLIC_ERRNO },
	{ "sys_enter", "id", SYMBOLIC_SYSCALL },
	{ "sys_enter", "compat", SYMBOLIC_MARK },
	{ "sys_exit", "id", SYMBOLIC_SYSCALL },
	{ "sys_exit", "ret", SYMBOLIC_ERRNO },
	{ "sys_exit", "compat", SYMBOLIC_MARK },
	{ "kmalloc", "gfp_flags", SYMBOLIC_GFP },
	{ "kmalloc_fail", "gfp_flags", SYMBOLIC_GFP },
	{ "kmem_cache_alloc", "gfp_flags", SYMBOLIC_GFP },
	{ "kmem_cache_alloc_fail", "gfp_flags", SYMBOLIC_GFP },
	{ "mm_page_alloc", "gfp_flags", SYMBOLIC_GFP },
	{ "mm_page_alloc_fail", "gfp_flags", SYMBOLIC_GFP },
	{ "mark_victim", "pid", SYMBOLIC_TASK },
	{ "block_rq_issue", "cmd_flags", SYMBOLIC_REQUEST },
	{ "block_rq_complete", "status", SYMBOLIC_BLOCK_STATUS },
	{ "net_dev_start_xmit", "protocol", SYMBOLIC_PROTOCOL },
	{ "kfree_skb", "protocol", SYMBOLIC_PROTOCOL },
	{ "kfree_skb", "reason", SYMBOLIC_DROP_REASON },
	{ "page_fault_kernel", "error_code", SYMBOLIC_PAGE_FAULT },
	{ "cpu_idle", "state", SYMBOLIC_IDLE },
};

/**
 * symbolic_find() - find what the numbers of a field are
 * @event: name of the event, not terminated
 * @len: its length
 * @field: name of the field
 */
enum symbolic symbolic_find(const char *event, u32 len, const char *field)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(symbolic_fields); i++)
		if (strlen(symbolic_fields[i].event) == len &&
		    !memcmp(symbolic_fields[i].event, event, len) &&
		    !strcmp(symbolic_fields[i].field, field))
			return symbolic_fields[i].symbolic;
	return SYMBOLIC_NONE;
}

/* ---- Lists ------------------------------------------------------------ */

struct number_name {
	u32 value;
	const char *name;
};

#define NAME(constant, value, name)	{ value, name },

static const struct number_name softirqs[] = { NUMBERS_SOFTIRQ(NAME) };
static const struct number_name irq_returns[] = { NUMBERS_IRQ_RETURN(NAME) };
static const struct number_name states[] = { NUMBERS_STATE(NAME) };
static const struct number_name requests[] = { NUMBERS_REQUEST(NAME) };
static const struct number_name block_status[] = { NUMBERS_BLOCK_STATUS(NAME) };
static const struct number_name protocols[] = { NUMBERS_PROTOCOL(NAME) };
static const struct number_name idle[] = { NUMBERS_IDLE(NAME) };
static const struct number_name errnos[] = { NUMBERS_ERRNO(NAME) };
static const struct number_name contention[] = { NUMBERS_CONTENTION(NAME) };
static const struct number_name clone_flags[] = { NUMBERS_CLONE(NAME) };
static const struct number_name page_fault[] = { NUMBERS_PAGE_FAULT(NAME) };

#define LIST(list)	{ list, ARRAY_SIZE(list), false }
#define FLAGS(list)	{ list, ARRAY_SIZE(list), true }

static const struct {
	const struct number_name *name;
	u32 nr;
	bool flags;
} lists[SYMBOLIC_LISTS] = {
	[SYMBOLIC_SOFTIRQ] = LIST(softirqs),
	[SYMBOLIC_IRQ_RETURN] = LIST(irq_returns),
	[SYMBOLIC_STATE] = LIST(states),
	[SYMBOLIC_REQUEST] = LIST(requests),
	[SYMBOLIC_BLOCK_STATUS] = LIST(block_status),
	[SYMBOLIC_PROTOCOL] = LIST(protocols),
	[SYMBOLIC_IDLE] = LIST(idle),
	[SYMBOLIC_ERRNO] = LIST(errnos),
	[SYMBOLIC_CONTENTION] = FLAGS(contention),
	[SYMBOLIC_CLONE] = FLAGS(clone_flags),
	[SYMBOLIC_PAGE_FAULT] = FLAGS(page_fault),
};

static const char *list_name(enum symbolic what, u64 value)
{
	u32 i;

	for (i = 0; i < lists[what].nr; i++)
		if (lists[what].name[i].value == value)
			return lists[what].name[i].name;
	return NULL;
}

/* Write "A|B|0x40"; bits without a name are shown in hex. */
static void put_flags(struct pen *p, enum symbolic what, u64 value)
{
	const char *bar = "";
	u32 i;

	for (i = 0; i < lists[what].nr; i++) {
		const struct number_name *n = &lists[what].name[i];

		if (!(value & n->value))
			continue;
		pen_format(p, "%s%s", bar, n->name);
		value &= ~(u64)n->value;
		bar = "|";
	}
	if (value && *bar)
		pen_format(p, "%s0x%llx", bar, value);
}

/* ---- Numbers of one build --------------------------------------------- */

/**
 * symbolic_gfp_bit() - name a flag of allocations
 * @bit: its number
 * @to: result: its name behind __GFP_
 * @size: of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if it has none, or if that is not known.
 */
bool symbolic_gfp_bit(u32 bit, char *to, size_t size)
{
	const char *name;
	u32 len;

	name = address_same_build() ? enum_gfp_bit(bit, &len) : NULL;
	if (!name)
		return stored_find(JTRACE_SYMBOL_GFP, bit, to, size);
	scnprintf(to, size, "%.*s", (int)len, name);
	return true;
}

/**
 * symbolic_drop_reason() - name a reason for which packets are dropped
 * @reason: its number
 * @to: result: its name behind SKB_DROP_REASON_
 * @size: of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if it has none, or if that is not known.
 */
bool symbolic_drop_reason(u32 reason, char *to, size_t size)
{
	const char *name;

	name = address_same_build() ? enum_drop_reason(reason) : NULL;
	if (!name)
		return stored_find(JTRACE_SYMBOL_DROP, reason, to, size);
	scnprintf(to, size, "%s", name);
	return true;
}

static bool is_gfp(u32 bit, const char *name)
{
	char has[SYMBOL_TEXT];

	return symbolic_gfp_bit(bit, has, sizeof(has)) && !strcmp(has, name);
}

/* The mask of the flags with these names; 0 if one is not known. */
static u32 gfp_mask(const char * const *names)
{
	u32 mask = 0, bit;

	for (; *names; names++) {
		for (bit = 0; bit < 32 && !is_gfp(bit, *names); bit++)
			;
		if (bit == 32)
			return 0;
		mask |= 1U << bit;
	}
	return mask;
}

static void put_gfp(struct pen *p, u32 value)
{
	static const struct {
		const char *name;
		const char *flag[5];
	} sums[] = {
		{ "GFP_KERNEL", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS" } },
		{ "GFP_NOFS", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO" } },
		{ "GFP_NOIO", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM" } },
		{ "GFP_ATOMIC", { "HIGH", "KSWAPD_RECLAIM" } },
	};
	char name[SYMBOL_TEXT];
	const char *bar = "";
	u32 i, mask;

	for (i = 0; i < ARRAY_SIZE(sums); i++) {
		mask = gfp_mask(sums[i].flag);
		if (!mask || (value & mask) != mask)
			continue;
		pen_text(p, sums[i].name);
		bar = "|";
		value &= ~mask;
		break;
	}
	for (i = 0; i < 32; i++) {
		if (!(value >> i & 1) || !symbolic_gfp_bit(i, name, sizeof(name)))
			continue;
		pen_format(p, "%s__GFP_%s", bar, name);
		bar = "|";
		value &= ~(1U << i);
	}
	if (value && *bar)
		pen_format(p, "%s0x%x", bar, value);
}

/* ---- System calls ----------------------------------------------------- */

#define ARM64_EXECVE	221
#define ARM64_EXECVEAT	281
#define ARM_EXECVE	11
#define ARM_EXECVEAT	387

/*
 * An image without the mark does not tell which call it is.  On arm64, execve returns with its old
 * number and the mark of the new program.
 */
static const char *syscall_name(u32 machine, const struct field_value *v)
{
	static const char * const x86_64_calls[] = { SYSCALLS_X86_64 };
	static const char * const i386_calls[] = { SYSCALLS_I386 };
	static const char * const arm64_calls[] = { SYSCALLS_ARM64 };
	static const char * const arm_calls[] = { SYSCALLS_ARM };
	const bool compat = v->compat == COMPAT_32;
	const char * const *name;
	const u64 number = v->value;
	size_t nr;

	if (v->compat == COMPAT_UNKNOWN)
		return NULL;
	if (machine == EM_X86_64) {
		name = compat ? i386_calls : x86_64_calls;
		nr = compat ? ARRAY_SIZE(i386_calls) : ARRAY_SIZE(x86_64_calls);
	} else if (machine == EM_AARCH64) {
		name = compat ? arm_calls : arm64_calls;
		nr = compat ? ARRAY_SIZE(arm_calls) : ARRAY_SIZE(arm64_calls);
	} else {
		return NULL;
	}
	if (machine == EM_AARCH64 && (number == (compat ? ARM64_EXECVE : ARM_EXECVE) ||
				      number == (compat ? ARM64_EXECVEAT : ARM_EXECVEAT)))
		return NULL;
	return number < nr ? name[number] : NULL;
}

/* A call that failed returns -1 to -4095. */
static const char *errno_name(u64 ret)
{
	const u64 error = -ret;

	if (error - 1 >= 4095)
		return NULL;
	return list_name(SYMBOLIC_ERRNO, error) ?: strerrorname_np(error);
}

/* ---- All -------------------------------------------------------------- */

static const char *name_of(const struct jtrace_trace *t, const struct field_value *v)
{
	const u32 machine = le16_to_cpu(t->header.machine);

	switch (v->symbolic) {
	case SYMBOLIC_SYSCALL:
		return syscall_name(machine, v);
	case SYMBOLIC_ERRNO:
		return errno_name(v->value);
	case SYMBOLIC_REQUEST:
		return list_name(v->symbolic, v->value & 0xff);
	default:
		return v->symbolic < SYMBOLIC_LISTS ? list_name(v->symbolic, v->value) : NULL;
	}
}

/**
 * symbolic_name() - find the name of a number that needs no other entry
 * @t: the trace
 * @v: the number
 * @to: result; the bytes are not escaped
 * @size: of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if it has none, or if that is not known.
 */
bool symbolic_name(const struct jtrace_trace *t, const struct field_value *v, char *to,
		   size_t size)
{
	const u32 machine = le16_to_cpu(t->header.machine);
	struct pen p = { to, to + size - 1 };
	const char *name;

	if (v->symbolic == SYMBOLIC_DROP_REASON)
		return symbolic_drop_reason(v->value, to, size);
	if (v->symbolic == SYMBOLIC_GFP) {
		put_gfp(&p, v->value);
	} else if (v->symbolic < SYMBOLIC_LISTS && lists[v->symbolic].flags) {
		if (v->symbolic != SYMBOLIC_PAGE_FAULT || machine == EM_X86_64)
			put_flags(&p, v->symbolic, v->value);
	} else {
		name = name_of(t, v);
		if (name)
			pen_text(&p, name);
	}
	*p.at = 0;
	return p.at > to;
}
