// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs that do what the probes of the bench do: record six values of an object, and when,
 * on which CPU and in which thread, if the object has the right name.
 *
 * A name of less than 8 bytes is compared as a number, as jtrace does it.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <asm/ptrace.h>

#include <bpf/bpf_helpers.h>

#define ETH0	0x0000000030687465ULL
#define ETH1	0x0000000031687465ULL
#define NAME	0x000000ffffffffffULL

struct object {
	char name[16];
	__u64 e;
};

struct event {
	__u64 time;
	__u32 cpu;
	__u32 tid;
	__u32 a, b, c, d;
	__u64 object;
	__u64 e;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

static __always_inline int record(__u64 wanted, __u64 object, __u32 a, __u32 b, __u32 c, __u32 d)
{
	const struct object *o = (const void *)object;
	struct event *event;
	__u64 name;

	if (bpf_probe_read_kernel(&name, sizeof(name), o->name) || (name & NAME) != wanted)
		return 0;
	event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);
	if (!event)
		return 0;
	event->time = bpf_ktime_get_ns();
	event->cpu = bpf_get_smp_processor_id();
	event->tid = bpf_get_current_pid_tgid();
	event->a = a;
	event->b = b;
	event->c = c;
	event->d = d;
	event->object = object;
	bpf_probe_read_kernel(&event->e, sizeof(event->e), &o->e);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline int at_tracepoint(__u64 wanted, const struct bpf_raw_tracepoint_args *x)
{
	return record(wanted, x->args[0], x->args[1], x->args[2], x->args[3], x->args[4]);
}

static __always_inline int at_entry(__u64 wanted, const struct pt_regs *r)
{
	return record(wanted, r->rdi, r->rsi, r->rdx, r->rcx, r->r8);
}

SEC("raw_tp/exact_object")
int object(struct bpf_raw_tracepoint_args *x)
{
	return at_tracepoint(ETH0, x);
}

SEC("raw_tp/exact_object")
int object_false(struct bpf_raw_tracepoint_args *x)
{
	return at_tracepoint(ETH1, x);
}

SEC("kprobe/exact_function")
int entry(struct pt_regs *r)
{
	return at_entry(ETH0, r);
}

SEC("kprobe/exact_function")
int entry_false(struct pt_regs *r)
{
	return at_entry(ETH1, r);
}

char _license[] SEC("license") = "GPL";
