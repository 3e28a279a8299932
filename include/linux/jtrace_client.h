/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a module with JTRACE_OPTIONAL reaches jtrace: by tracepoints of its own, for events, events
 * with stacks, and jtrace_stop().  Included by linux/jtrace.h.
 */
#ifndef _LINUX_JTRACE_CLIENT_H
#define _LINUX_JTRACE_CLIENT_H

#include <linux/jtrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/tracepoint.h>

/**
 * struct jtrace_client_site - a call site of a module that loads without jtrace
 * @site: the site; @site.number is valid in the image @image
 * @image: id of the image that the number is from; jtrace sets it
 *
 * Such a site may outlive an image.
 */
struct jtrace_client_site {
	struct jtrace_site site;
	u64 image;
};

/*
 * The numbers change together, with the arguments of a tracepoint, its meaning, or the structures
 * above.
 */
#define JTRACE_CLIENT_RECORD	"jtrace_client_4"
#define JTRACE_CLIENT_STOP	"jtrace_client_stop_4"
#define JTRACE_CLIENT_STACK	"jtrace_client_stack_4"

#ifdef __JTRACE_BY_TRACEPOINT

/* Since 6.16 DECLARE_TRACE() adds to the name. */
#ifdef DECLARE_TRACE_EVENT
#define __JTRACE_DECLARE	DECLARE_TRACE_EVENT
#else
#define __JTRACE_DECLARE	DECLARE_TRACE
#endif

/* Tracing these functions would lead back into a trace point. */
notrace int __traceiter_jtrace_client_4(void *__data, struct jtrace_client_site *site,
					u64 ab, u64 cd, u64 e, u64 f);
notrace int __traceiter_jtrace_client_stop_4(void *__data, const char *why);
notrace int __traceiter_jtrace_client_stack_4(void *__data, struct jtrace_client_site *site,
					      u64 ab, u64 cd, u64 e, u64 f, unsigned long ip,
					      const void *frame);

__JTRACE_DECLARE(jtrace_client_4,
		 TP_PROTO(struct jtrace_client_site *site, u64 ab, u64 cd, u64 e, u64 f),
		 TP_ARGS(site, ab, cd, e, f));
__JTRACE_DECLARE(jtrace_client_stop_4, TP_PROTO(const char *why), TP_ARGS(why));
/* @ip: in the function that has the trace point; @frame: of the function that it calls */
__JTRACE_DECLARE(jtrace_client_stack_4,
		 TP_PROTO(struct jtrace_client_site *site, u64 ab, u64 cd, u64 e, u64 f,
			  unsigned long ip, const void *frame),
		 TP_ARGS(site, ab, cd, e, f, ip, frame));

/* If the linker reports this as undefined, JTRACE_CLIENT(); is missing in the module. */
void __jtrace_record_needs_JTRACE_CLIENT(struct jtrace_client_site *site, u64 ab, u64 cd,
					 u64 e, u64 f);
void __jtrace_record_stack_needs_JTRACE_CLIENT(struct jtrace_client_site *site, u64 ab, u64 cd,
					       u64 e, u64 f);
void __jtrace_stop_needs_JTRACE_CLIENT(const char *why);

#define __jtrace_on()		tracepoint_enabled(jtrace_client_4)
#define __jtrace_record		__jtrace_record_needs_JTRACE_CLIENT
#define __jtrace_stack_entry	__jtrace_record_stack_needs_JTRACE_CLIENT
#define __jtrace_new_site(tag, args)					\
	static struct jtrace_client_site __aligned(8) __jtrace_site = {	\
		.site = __JTRACE_SITE(tag, args)			\
	}

/* As in jtrace.ko, but nothing while recording is off. */
static inline void jtrace_stop(const char *why)
{
	if (tracepoint_enabled(jtrace_client_stop_4))
		__jtrace_stop_needs_JTRACE_CLIENT(why);
}

#define JTRACE_CLIENT()							\
	DEFINE_TRACE(jtrace_client_4,					\
		     TP_PROTO(struct jtrace_client_site *site,		\
			      u64 ab, u64 cd, u64 e, u64 f),		\
		     TP_ARGS(site, ab, cd, e, f));			\
	DEFINE_TRACE(jtrace_client_stop_4, TP_PROTO(const char *why), TP_ARGS(why)); \
	DEFINE_TRACE(jtrace_client_stack_4,				\
		     TP_PROTO(struct jtrace_client_site *site,		\
			      u64 ab, u64 cd, u64 e, u64 f, unsigned long ip, \
			      const void *frame),			\
		     TP_ARGS(site, ab, cd, e, f, ip, frame));		\
	NOKPROBE_SYMBOL(__traceiter_jtrace_client_4);			\
	NOKPROBE_SYMBOL(__traceiter_jtrace_client_stack_4);		\
	NOKPROBE_SYMBOL(__traceiter_jtrace_client_stop_4);		\
									\
	noinline notrace void						\
	__jtrace_record_needs_JTRACE_CLIENT(struct jtrace_client_site *site, \
					    u64 ab, u64 cd, u64 e, u64 f) \
	{								\
		trace_jtrace_client_4(site, ab, cd, e, f);		\
	}								\
	NOKPROBE_SYMBOL(__jtrace_record_needs_JTRACE_CLIENT);		\
									\
	noinline notrace void						\
	__jtrace_record_stack_needs_JTRACE_CLIENT(struct jtrace_client_site *site, \
						  u64 ab, u64 cd, u64 e, u64 f) \
	{								\
		trace_jtrace_client_stack_4(site, ab, cd, e, f, _RET_IP_, \
					    __builtin_frame_address(0)); \
		barrier();						\
	}								\
	NOKPROBE_SYMBOL(__jtrace_record_stack_needs_JTRACE_CLIENT);	\
									\
	noinline notrace void						\
	__jtrace_stop_needs_JTRACE_CLIENT(const char *why)		\
	{								\
		trace_jtrace_client_stop_4(why);			\
	}								\
	NOKPROBE_SYMBOL(__jtrace_stop_needs_JTRACE_CLIENT);		\
	struct jtrace_client_site

#endif /* __JTRACE_BY_TRACEPOINT */

#endif /* _LINUX_JTRACE_CLIENT_H */
