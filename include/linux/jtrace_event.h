/* SPDX-License-Identifier: GPL-2.0 */
/* Events: record tracepoints of the kernel.  For modules on top of jtrace_events.ko. */
#ifndef _LINUX_JTRACE_EVENT_H
#define _LINUX_JTRACE_EVENT_H

#include <linux/compiler.h>
#include <linux/jtrace.h>
#include <linux/jtrace_field.h>
#include <linux/jtrace_site.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <asm/byteorder.h>

/**
 * DOC: events
 *
 * A module that records a tracepoint of the kernel defines an event::
 *
 *	#include <linux/jtrace_event.h>
 *	#include <trace/events/sched.h>
 *
 *	JTRACE_EVENT(sched_migrate_task,
 *		TP_PROTO(struct task_struct *p, int dest_cpu),
 *		(s32, pid, p->pid),
 *		(s32, dest_cpu, dest_cpu),
 *		(string, comm, p->comm));
 *
 * The name is that of the tracepoint, whose header declares the prototype: the compiler compares
 * the two.  Each line is a field: type, name, and an expression of the arguments.  Types are u8 to
 * u64, s8 to s64, x8 to x64 (shown in hex), symbol (an address in code) and string (16 bytes, from
 * an array or a pointer).  An event has at most four fields of up to 32 bits and two wider ones; a
 * string counts as two wide ones.  linux/jtrace_field.h has the exact rule.
 *
 * JTRACE_EVENT_IF() gives the event a name of its own, and a condition on the arguments.
 *
 * The module lists its events in a group, and adds the group when it is loaded.  The file events in
 * debugfs then turns them on and off::
 *
 *	static struct jtrace_event *events[] = { &jtrace_event_sched_migrate_task };
 *	static struct jtrace_event_group group = JTRACE_EVENT_GROUP("migration", events);
 *	module_jtrace_events(group);
 *
 * Context: the expressions run where the kernel calls the tracepoint: any context, NMI included.
 * They must not sleep, take a lock or fault.  Use READ_ONCE() for what another CPU may change.
 */

struct jtrace_event_filter;
struct jtrace_event_state;

/**
 * struct jtrace_event_counts - what one CPU counts for an event
 * @hits: the tracepoint was called while recording was on
 * @filtered: of these, not recorded because of a condition or a clause
 * @lost: of these, not recorded because the ring had no room
 * @turn: hits since every= recorded one
 */
struct jtrace_event_counts {
	u64 hits;
	u64 filtered;
	u64 lost;
	u32 turn;
};

/**
 * struct jtrace_event - an event
 * @name: of the event
 * @tracepoint: name of the tracepoint
 * @probe: what the tracepoint calls; NULL if this kernel has no such tracepoint, or another
 *	prototype
 * @fields: the fields
 * @nr_fields: how many
 * @site: of the entries
 * @counts: of each CPU
 * @filter: which hits are recorded; NULL for all
 * @own: state of jtrace_events.ko
 */
struct jtrace_event {
	const char *name;
	const char *tracepoint;
	void *probe;
	const struct jtrace_field *fields;
	u32 nr_fields;
	struct jtrace_counted_site site;
	struct jtrace_event_counts __percpu *counts;
	const struct jtrace_event_filter *filter;
	struct jtrace_event_state *own;
};

/**
 * struct jtrace_event_group - events that one line turns on
 * @name: of the group
 * @events: the events
 * @nr: how many
 * @within: name of a larger group that turns them on, too; NULL for none
 * @list: private to jtrace_events.ko, as @modules
 * @modules: told of modules that bring tracepoints
 */
struct jtrace_event_group {
	const char *name;
	struct jtrace_event **events;
	u32 nr;
	const char *within;
	struct list_head list;
	struct notifier_block modules;
};

#define JTRACE_EVENT_GROUP(_name, _events)				\
	{ .name = (_name), .events = (_events), .nr = ARRAY_SIZE(_events) }

int jtrace_events_add(struct jtrace_event_group *group);
void jtrace_events_remove(struct jtrace_event_group *group);
void jtrace_event_record_if(struct jtrace_event *event, u64 ab, u64 cd, u64 e, u64 f);

/* Add a group when the module is loaded, remove it when it is unloaded. */
#define module_jtrace_events(group)					\
static int __init group##_init(void)					\
{									\
	return jtrace_events_add(&group);				\
}									\
static void __exit group##_exit(void)					\
{									\
	jtrace_events_remove(&group);					\
}									\
module_init(group##_init);						\
module_exit(group##_exit)

/* ---- What the probe of an event calls --------------------------------- */

static __always_inline void jtrace_event_record(struct jtrace_event *event,
						const struct jtrace_payload *p)
{
	this_cpu_inc(event->counts->hits);
	/* Both calls are the last thing a probe does: so it needs no frame. */
	if (unlikely(event->filter))
		jtrace_event_record_if(event, p->word[0], p->word[1], p->word[2], p->word[3]);
	else
		jtrace_record(&event->site.site, p->word[0], p->word[1], p->word[2], p->word[3]);
}

/* Put an array of 16 bytes or more.  Concurrent changes may mix two texts. */
static __always_inline int jtrace_payload_array(struct jtrace_payload *p, const char *text)
{
	__le64 low, high;
	u64 first;

	memcpy(&low, text, sizeof(low));
	memcpy(&high, text + sizeof(low), sizeof(high));
	first = jtrace_field_cut(le64_to_cpu(low));
	jtrace_payload_put(p, JTRACE_FIELD_string, first);
	/* The text goes on if the last of its first 8 bytes is not 0. */
	return jtrace_payload_put(p, JTRACE_FIELD_string,
				  first >> 56 ? jtrace_field_cut(le64_to_cpu(high)) : 0);
}

/* Put at most @size bytes, up to a NUL. */
static __always_inline int jtrace_payload_text(struct jtrace_payload *p, const char *text,
					       const size_t size)
{
	u64 half[2] = { 0 };
	size_t n;

	for (n = 0; text && n < size && text[n]; n++)
		half[n / 8] |= (u64)(u8)text[n] << 8 * (n % 8);
	jtrace_payload_put(p, JTRACE_FIELD_string, half[0]);
	return jtrace_payload_put(p, JTRACE_FIELD_string, half[1]);
}

#define __jtrace_is_array(x)						\
	(!__builtin_types_compatible_p(typeof(x), typeof(&(x)[0])))

#define __jtrace_put_string(p, x)					\
	(!__jtrace_is_array(x) ? jtrace_payload_text(p, x, JTRACE_FIELD_TEXT) :	\
	 sizeof(x) < JTRACE_FIELD_TEXT ? jtrace_payload_text(p, x, sizeof(x)) : \
					 jtrace_payload_array(p, x))

/* Signed values are extended to 64 bits, and unsigned ones are not. */
#define __jtrace_put_value(p, type, x)					\
({									\
	_Static_assert(sizeof(1 ? (x) : (x)) <= 4 || jtrace_field_width(type) == 8, \
		       "JTRACE_EVENT: the value is wider than its field"); \
	jtrace_payload_put(p, type, (u64)(x));				\
})

#define __jtrace_put_u8(p, x)		__jtrace_put_value(p, JTRACE_FIELD_u8, x)
#define __jtrace_put_u16(p, x)		__jtrace_put_value(p, JTRACE_FIELD_u16, x)
#define __jtrace_put_u32(p, x)		__jtrace_put_value(p, JTRACE_FIELD_u32, x)
#define __jtrace_put_u64(p, x)		__jtrace_put_value(p, JTRACE_FIELD_u64, x)
#define __jtrace_put_s8(p, x)		__jtrace_put_value(p, JTRACE_FIELD_s8, x)
#define __jtrace_put_s16(p, x)		__jtrace_put_value(p, JTRACE_FIELD_s16, x)
#define __jtrace_put_s32(p, x)		__jtrace_put_value(p, JTRACE_FIELD_s32, x)
#define __jtrace_put_s64(p, x)		__jtrace_put_value(p, JTRACE_FIELD_s64, x)
#define __jtrace_put_x8(p, x)		__jtrace_put_value(p, JTRACE_FIELD_x8, x)
#define __jtrace_put_x16(p, x)		__jtrace_put_value(p, JTRACE_FIELD_x16, x)
#define __jtrace_put_x32(p, x)		__jtrace_put_value(p, JTRACE_FIELD_x32, x)
#define __jtrace_put_x64(p, x)		__jtrace_put_value(p, JTRACE_FIELD_x64, x)
#define __jtrace_put_symbol(p, x)	__jtrace_put_value(p, JTRACE_FIELD_symbol, x)

/* The linker reports this if an event has more fields than an entry holds. */
void __jtrace_event_has_too_many_fields(void);

/* ---- JTRACE_EVENT() --------------------------------------------------- */

/* Plain comments: kernel-doc takes a name with "TRACE_EVENT" in it for a tracepoint. */

#define __jtrace_field(type, name, value)	{ #name, JTRACE_FIELD_##type },
#define __jtrace_put(type, name, value)					\
do {									\
	if (__jtrace_put_##type(&__payload, value) < 0)			\
		__jtrace_event_has_too_many_fields();			\
} while (0);

/* Apply macro @m to each field, a list in parentheses. */
#define __jtrace_each_1(m, x)		m x
#define __jtrace_each_2(m, x, ...)	m x __jtrace_each_1(m, __VA_ARGS__)
#define __jtrace_each_3(m, x, ...)	m x __jtrace_each_2(m, __VA_ARGS__)
#define __jtrace_each_4(m, x, ...)	m x __jtrace_each_3(m, __VA_ARGS__)
#define __jtrace_each_5(m, x, ...)	m x __jtrace_each_4(m, __VA_ARGS__)
#define __jtrace_each_6(m, x, ...)	m x __jtrace_each_5(m, __VA_ARGS__)
#define __jtrace_each_n(m, n, ...)	__jtrace_each_##n(m, __VA_ARGS__)
#define __jtrace_each_of(m, n, ...)	__jtrace_each_n(m, n, __VA_ARGS__)
#define __jtrace_each(m, ...)						\
	__jtrace_each_of(m, __jtrace_nr(__VA_ARGS__, 6, 5, 4, 3, 2, 1), __VA_ARGS__)
#define __jtrace_nr(a, b, c, d, e, f, n, ...)	n

/* Does the tracepoint have this prototype? */
#define __jtrace_event_fits(tracepoint, proto)				\
	__builtin_types_compatible_p(typeof(&check_trace_callback_type_##tracepoint), \
				     void (*)(void (*)(void *, proto)))

/*
 * jtrace_events.ko must build for kernels that its tables do not know: there an event with another
 * prototype is missing.
 */
#ifdef JTRACE_EVENT_MAY_BE_MISSING
#define __jtrace_event_check(name, tracepoint, proto)
/* An event whose tracepoint no header of this kernel declares. */
#define JTRACE_EVENT_MISSING(_name)					\
static struct jtrace_event jtrace_event_##_name = { .name = #_name, .tracepoint = #_name }
#else
#define __jtrace_event_check(name, tracepoint, proto)			\
	_Static_assert(__jtrace_event_fits(tracepoint, PARAMS(proto)),	\
		       "JTRACE_EVENT: tracepoint " #tracepoint " has another prototype");
#endif

/*
 * JTRACE_EVENT_IF() - define an event with a condition
 * @_name: name of the event; defines struct jtrace_event jtrace_event_NAME
 * @_tracepoint: name of the tracepoint
 * @_proto: TP_PROTO(), as the tracepoint has it
 * @_condition: expression of the arguments: a call where it is false is no hit
 * @...: one to six fields: (type, name, expression)
 */
#define JTRACE_EVENT_IF(_name, _tracepoint, _proto, _condition, ...)	\
__jtrace_event_check(_name, _tracepoint, PARAMS(_proto))		\
static const struct jtrace_field __jtrace_fields_##_name[] = {		\
	__jtrace_each(__jtrace_field, __VA_ARGS__)			\
};									\
									\
static notrace void __jtrace_probe_##_name(void *__event, _proto)	\
{									\
	struct jtrace_payload __payload = { };				\
									\
	if (!static_branch_likely(&jtrace_key) || !(_condition))	\
		return;							\
	__jtrace_each(__jtrace_put, __VA_ARGS__)			\
	jtrace_event_record(__event, &__payload);			\
}									\
									\
static struct jtrace_event jtrace_event_##_name = {			\
	.name = #_name,							\
	.tracepoint = #_tracepoint,					\
	.probe = __jtrace_event_fits(_tracepoint, PARAMS(_proto)) ?	\
		 __jtrace_probe_##_name : NULL,				\
	.fields = __jtrace_fields_##_name,				\
	.nr_fields = ARRAY_SIZE(__jtrace_fields_##_name),		\
	.site = {							\
		.site = {						\
			.file = "event",				\
			.func = #_tracepoint,				\
			.kind = JTRACE_SITE_EVENT,			\
			.counted = true,				\
		},							\
	},								\
}

/*
 * JTRACE_EVENT() - define an event that records each call of a tracepoint
 * @_tracepoint: name of the tracepoint, and of the event
 * @_proto: TP_PROTO(), as the tracepoint has it
 * @...: one to six fields: (type, name, expression)
 */
#define JTRACE_EVENT(_tracepoint, _proto, ...)				\
	JTRACE_EVENT_IF(_tracepoint, _tracepoint, PARAMS(_proto), true, __VA_ARGS__)

#endif /* _LINUX_JTRACE_EVENT_H */
