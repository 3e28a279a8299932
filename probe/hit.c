// SPDX-License-Identifier: GPL-2.0
/*
 * A hit of a probe: fetch its values, test its clauses, record it.
 *
 * All of it may run in any context, NMI included, and nothing in it may be probed or traced.  A
 * load that faults runs the kernel's page fault handler, with its tracepoints: a hit inside a hit
 * of the same context is counted as missed.
 *
 * What it reads directly is always there: the probe, its clauses and counters, which live while it
 * is armed; the context, which is the registers that the kernel saved, or on our own stack a copy
 * of them, or the arguments that came in registers; and the name of the task.  All that a
 * definition can lead to beyond that goes through jtrace_probe_load(): it refuses addresses that
 * are not the kernel's, and takes the fault of those that cannot be read.
 */

#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/jtrace.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "hit.h"
#include "probe.h"

/* Of preempt_count(): how deep the context is in interrupts. */
#define CONTEXTS	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

/* The context of the innermost hit; of none, a value that no context has. */
static DEFINE_PER_CPU(u32, active) = ~0U;

/* ---- Too much time ---------------------------------------------------- */

/* Scheduled when a probe gets too slow. */
static struct work_struct *slow_work;

static void queue_slow(struct irq_work *work)
{
	schedule_work(slow_work);
}

static DEFINE_IRQ_WORK(slow_irq_work, queue_slow);

/*
 * What a hit of a watchpoint takes outside of it, in ns: an exception, and some 600 instructions of
 * the kernel's handlers (6.1 to 7.2).
 */
#define WATCH_TRAP_NS	1000

/* A timed hit ends: does the probe take too much of this CPU's time? */
static noinline notrace void judge_time(struct jtrace_probe *p, u64 began)
{
	struct jtrace_spent *spent = &this_cpu_ptr(p->counts)->spent;

	if (p->definition.source == JTRACE_PROBE_WATCHPOINT)
		began -= WATCH_TRAP_NS;
	if (jtrace_spent_add(spent, began, ktime_get_mono_fast_ns()) && !xchg(&p->too_slow, true)) {
		WRITE_ONCE(p->is_special, true);
		irq_work_queue(&slow_irq_work);
	}
}
NOKPROBE_SYMBOL(judge_time);

/* ---- Clauses ---------------------------------------------------------- */

/* Record the registers of hit @nr. */
static __always_inline void record_parts(struct jtrace_probe *p, u32 nr, const void *context)
{
	u32 i, r;

	for (i = 0; i < p->nr_parts; i++) {
		struct jtrace_probe_part *part = &p->parts[i];
		struct jtrace_payload v = { };

		jtrace_payload_put(&v, JTRACE_FIELD_u32, nr);
		for (r = 0; r < part->nr; r++)
			jtrace_payload_put(&v, JTRACE_FIELD_x64,
					   *(const u64 *)(context + part->at[r]));
		jtrace_record(&part->site, v.word[0], v.word[1], v.word[2], v.word[3]);
	}
}

/*
 * Where the stack of a hit begins that the registers do not tell.
 *
 * At an instruction, on x86 the registers are as behind a breakpoint of one byte, in all modes.  If
 * the instruction has one byte and moves the stack pointer, the unwinder would miss a frame.  In a
 * function, ip is where it calls ftrace; the frames on the stack have the address behind the call.
 */
static __always_inline unsigned long stack_begin(const struct jtrace_probe *p, unsigned long ip)
{
#ifdef CONFIG_DYNAMIC_FTRACE
	if (p->definition.source == JTRACE_PROBE_FUNCTION)
		return ip + MCOUNT_INSN_SIZE;
#endif
	return (unsigned long)p->rp.kp.addr;
}

/* The stack of a hit, which has registers, or else arguments in a frame of ours. */
static __always_inline u32 take_stack(const struct jtrace_probe *p, const void *context)
{
	struct jtrace_stack_from from = p->from;
	struct pt_regs regs;
	unsigned long ip;
	u32 number;

	if (p->definition.source == JTRACE_PROBE_TRACEPOINT) {
		JTRACE_STACK_HERE(&from, &regs);
		from.frame = context;
		/* On arm64 it is in a function of ours: the stack begins behind @place instead. */
		from.address = 0;
		return jtrace_stack_take(&from);
	}
	from.regs = (struct pt_regs *)context;
	if (p->definition.source != JTRACE_PROBE_INSTRUCTION &&
	    p->definition.source != JTRACE_PROBE_FUNCTION)
		return jtrace_stack_take(&from);
	ip = instruction_pointer(from.regs);
	instruction_pointer_set(from.regs, stack_begin(p, ip));
	number = jtrace_stack_take(&from);
	instruction_pointer_set(from.regs, ip);
	return number;
}

static noinline notrace void record_by_clauses(struct jtrace_probe *p, u64 *payload,
					       const void *context)
{
	const struct jtrace_clauses *c = &p->definition.clauses;
	u32 nr = 0, stack;

	if (!jtrace_clauses_is_turn(&p->run, c->skip, c->every)) {
		this_cpu_inc(p->counts->passed);
		return;
	}
	if (!jtrace_clauses_is_within_rate(&p->run, c->rate)) {
		this_cpu_inc(p->counts->limited);
		return;
	}
	if (p->nr_parts) {
		const struct jtrace_fetch_value *v =
			&p->definition.program.value[p->definition.program.regs - 1];

		nr = atomic_inc_return(&p->recorded);
		payload[v->word[0]] |= (u64)nr << v->shift;
	}
	stack = c->stack ? take_stack(p, context) : 0;
	/* What a clause does follows a recorded hit. */
	if (!jtrace_record_told(&p->site.site, payload[0], payload[1], payload[2], payload[3],
				stack))
		return;
	record_parts(p, nr, context);
	jtrace_clauses_act(&p->run, c, p->definition.name);
}
NOKPROBE_SYMBOL(record_by_clauses);

/* ---- A hit ------------------------------------------------------------ */

/* Fetch the values that jtrace_program_fetch() does not; @all: it fetched none. */
static noinline notrace void fetch_slowly(struct jtrace_probe *p, const void *context,
					  u64 *payload, bool all)
{
	struct jtrace_fetch_hit hit = { .context = context, .comm = current->comm };
	const struct jtrace_program *program = &p->definition.program;
	u32 nr = all ? program->nr_values : program->nr_slow, i;

	for (i = 0; all && i < 4; i++)
		payload[i] = 0;
	for (i = 0; i < nr; i++)
		jtrace_program_value(program, all ? i : program->slow[i], &hit, payload,
				     jtrace_probe_load);
	if (unlikely(hit.faults))
		this_cpu_add(p->counts->faults, hit.faults);
}
NOKPROBE_SYMBOL(fetch_slowly);

static __always_inline void fetch(struct jtrace_probe *p, const void *context, u64 *payload)
{
	const struct jtrace_program *program = &p->definition.program;

	if (unlikely(!jtrace_program_fetch(program, context, payload, jtrace_probe_load)))
		fetch_slowly(p, context, payload, true);
	else if (unlikely(program->nr_slow))
		fetch_slowly(p, context, payload, false);
}

static noinline notrace bool test_slowly(struct jtrace_probe *p, const void *context)
{
	struct jtrace_fetch_hit hit = { .context = context, .comm = current->comm };
	bool holds = jtrace_program_holds(&p->definition.program, &hit, jtrace_probe_load);

	if (unlikely(hit.faults))
		this_cpu_add(p->counts->faults, hit.faults);
	return holds;
}
NOKPROBE_SYMBOL(test_slowly);

/* The hit is over.  Interrupts have left @active as they found it. */
static __always_inline void leave(u32 was)
{
	barrier();
	this_cpu_write(active, was);
}

static noinline notrace void record_hit(struct jtrace_probe *p, const void *context, u32 was)
{
	u64 payload[4] = { 0 };

	fetch(p, context, payload);
	jtrace_record(&p->site.site, payload[0], payload[1], payload[2], payload[3]);
	leave(was);
}
NOKPROBE_SYMBOL(record_hit);

/* A hit that takes more than most of them. */
static noinline notrace void hit_fully(struct jtrace_probe *p, const void *context, u32 was,
				       bool timed)
{
	u64 began = timed ? ktime_get_mono_fast_ns() : 0, payload[4] = { 0 };

	if (!jtrace_clauses_open(&p->run) || !test_slowly(p, context)) {
		this_cpu_inc(p->counts->filtered);
	} else {
		fetch(p, context, payload);
		if (p->has_clauses)
			record_by_clauses(p, payload, context);
		else
			jtrace_record(&p->site.site, payload[0], payload[1], payload[2],
				      payload[3]);
	}
	if (timed)
		judge_time(p, began);
	leave(was);
}
NOKPROBE_SYMBOL(hit_fully);

/* Count a hit: is it one of those that are timed? */
static __always_inline bool count_hit(struct jtrace_probe *p)
{
	return !((this_cpu_inc_return(p->counts->hits) - 1) % JTRACE_SPENT_SAMPLE);
}

static noinline notrace void hit_specially(struct jtrace_probe *p, const void *context, u32 was)
{
	if (READ_ONCE(p->too_slow))
		leave(was);
	else
		hit_fully(p, context, was, count_hit(p));
}
NOKPROBE_SYMBOL(hit_specially);

/* A hit begins: false if recording is off, or inside a hit of the same context. */
static __always_inline bool enter(struct jtrace_probe *p, u32 *was)
{
	u32 now = preempt_count() & CONTEXTS;

	*was = this_cpu_read(active);
	if (!static_branch_likely(&jtrace_key))
		return false;
	if (unlikely(*was == now)) {
		this_cpu_inc(p->counts->missed);
		return false;
	}
	this_cpu_write(active, now);
	barrier();
	return true;
}

/*
 * Preemption is disabled.  What few hits need is out of line, and each way ends with a call that
 * leaves: so a hit that is filtered saves no registers.
 */
static __always_inline void hit(struct jtrace_probe *p, const void *context)
{
	u32 was;

	if (!enter(p, &was))
		return;
	/* Only a probe that gets too slow changes it: one hit more does not matter. */
	if (unlikely(data_race(p->is_special))) {
		hit_specially(p, context, was);
		return;
	}
	if (unlikely(count_hit(p))) {
		hit_fully(p, context, was, true);
		return;
	}
	switch (jtrace_program_test(&p->definition.program, context, jtrace_probe_load)) {
	case JTRACE_IS_FALSE:
		this_cpu_inc(p->counts->filtered);
		leave(was);
		break;
	case JTRACE_IS_TRUE:
		record_hit(p, context, was);
		break;
	default:
		hit_fully(p, context, was, false);
	}
}

notrace int jtrace_probe_hit_instruction(struct kprobe *kp, struct pt_regs *regs)
{
	hit(container_of(kp, struct jtrace_probe, rp.kp), regs);
	return 0;
}
NOKPROBE_SYMBOL(jtrace_probe_hit_instruction);

notrace int jtrace_probe_hit_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	/* NULL while it is removed. */
	if (rp)
		hit(container_of(rp, struct jtrace_probe, rp), regs);
	return 0;
}
NOKPROBE_SYMBOL(jtrace_probe_hit_return);

#ifdef JTRACE_ARCH_WATCHES

static __always_inline u64 load_watched(const struct jtrace_probe *p)
{
	u64 value = 0;

	/* It was written just now. */
	jtrace_fetch_number(&value, p->watch.address, p->definition.length, jtrace_probe_load);
	return value;
}

/**
 * jtrace_probe_hit_watchpoint() - a CPU has written what is watched
 * @event: its &perf_event.overflow_handler_context is the &struct jtrace_probe
 * @data: not used
 * @regs: behind the instruction that has written, or at it, if it is repeated (rep)
 *
 * The exception counts as an NMI, but what it records is the writer's: so is the context.  No
 * watchpoint hits meanwhile, and interrupts are disabled.
 */
notrace void jtrace_probe_hit_watchpoint(struct perf_event *event, struct perf_sample_data *data,
					 struct pt_regs *regs)
{
	struct jtrace_probe *p = event->overflow_handler_context;
	struct jtrace_arch_watched context;
	/*
	 * What the exception has added, but for one: preemption stays disabled.  A CPU may write
	 * while user code runs, for example when it pushes a frame: that adds nothing.
	 */
	u32 own = in_nmi() ? NMI_OFFSET + HARDIRQ_OFFSET - PREEMPT_DISABLE_OFFSET : 0;

	context.regs = *regs;
	context.value = load_watched(p);
	/* Two CPUs at once: each value is old once. */
	context.old = xchg(&p->watch.old, context.value);
	__preempt_count_sub(own);
	hit(p, &context);
	__preempt_count_add(own);
}
NOKPROBE_SYMBOL(jtrace_probe_hit_watchpoint);

#endif /* JTRACE_ARCH_WATCHES */

#ifdef CONFIG_DYNAMIC_FTRACE

static __always_inline void record_function(struct jtrace_probe *p, unsigned long function,
					    unsigned long caller)
{
	struct jtrace_payload v = { };

	jtrace_payload_put(&v, JTRACE_FIELD_symbol, function);
	jtrace_payload_put(&v, JTRACE_FIELD_symbol, caller);
	jtrace_record(&p->site.site, v.word[0], v.word[1], v.word[2], v.word[3]);
}

static noinline notrace void record_function_timed(struct jtrace_probe *p, unsigned long function,
						   unsigned long caller)
{
	u64 began = ktime_get_mono_fast_ns();

	record_function(p, function, caller);
	judge_time(p, began);
}
NOKPROBE_SYMBOL(record_function_timed);

/**
 * jtrace_probe_hit_function() - a function is called: record it, and its caller
 * @ip: where it calls ftrace: at its first instruction, or behind what marks it
 * @parent: where it returns to
 * @ops: in the &struct jtrace_probe
 * @fregs: not used
 *
 * As hit(), without a program: functions are called often.
 */
notrace void jtrace_probe_hit_function(unsigned long ip, unsigned long parent,
				       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct jtrace_probe *p = container_of(ops, struct jtrace_probe, functions.ops);
	u32 was;

	preempt_disable_notrace();
	if (enter(p, &was)) {
		/* As in hit(): it has become too slow. */
		if (unlikely(data_race(p->is_special)))
			goto out;
		if (unlikely(count_hit(p)))
			record_function_timed(p, ip, parent);
		else
			record_function(p, ip, parent);
out:
		leave(was);
	}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(jtrace_probe_hit_function);

/**
 * jtrace_probe_hit_function_fully() - a function is called
 * @ip: where it calls ftrace: at its first instruction, or behind what marks it
 * @parent: where it returns to
 * @ops: in the &struct jtrace_probe; they ask for all registers
 * @fregs: has the registers
 */
notrace void jtrace_probe_hit_function_fully(unsigned long ip, unsigned long parent,
					     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct jtrace_probe *p = container_of(ops, struct jtrace_probe, functions.ops);
	struct pt_regs *regs = ftrace_get_regs(fregs);
	unsigned long function, caller;

	if (WARN_ON_ONCE(!regs))
		return;
	preempt_disable_notrace();
	function = jtrace_arch_function(regs);
	caller = jtrace_arch_caller(regs);
	jtrace_arch_function(regs) = ip;
	jtrace_arch_caller(regs) = parent;
	hit(p, regs);
	jtrace_arch_function(regs) = function;
	jtrace_arch_caller(regs) = caller;
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(jtrace_probe_hit_function_fully);

#endif /* CONFIG_DYNAMIC_FTRACE */

/*
 * Tracepoints pass up to 12 arguments, each in a register or in 8 bytes of the stack.  A probe may
 * name more of them than the tracepoint has.  What it finds in registers means nothing then; what
 * would be on the stack may be beyond its end.  So hits load the latter as any other memory.
 */

/* Without a canary, which takes 6 instructions: the array is written once, at constant indices. */
static notrace __no_stack_protector void hit_few(void *data, JTRACE_ARCH_ARGS)
{
	const u64 args[] = { JTRACE_ARCH_LIST };

	BUILD_BUG_ON(ARRAY_SIZE(args) != JTRACE_ARCH_REGISTERS);
	preempt_disable_notrace();
	hit(data, args);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(hit_few);

/* @more: the first one on the stack, which is not read here */
static notrace __no_stack_protector void hit_many(void *data, JTRACE_ARCH_ARGS, u64 more)
{
	const u64 args[] = { JTRACE_ARCH_LIST, (unsigned long)&more };

	preempt_disable_notrace();
	hit(data, args);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(hit_many);

static bool is_on_stack(const struct jtrace_fetch *f)
{
	return f->source == JTRACE_FETCH_ARG && f->nr > JTRACE_ARCH_REGISTERS;
}

/**
 * jtrace_probe_hit_tracepoint() - what a tracepoint shall call
 * @program: of the probe
 *
 * Context: Any.
 * Return: a probe function, whose data is the &struct jtrace_probe.
 */
void *jtrace_probe_hit_tracepoint(const struct jtrace_program *program)
{
	bool many = false;
	u32 i;

	for (i = 0; i < program->nr_values; i++)
		many |= is_on_stack(&program->value[i].fetch);
	for (i = 0; i < program->nr_conditions; i++)
		many |= is_on_stack(&program->condition[i].fetch);
	return many ? (void *)hit_many : (void *)hit_few;
}

/**
 * jtrace_probe_hit_init() - prepare for hits
 * @slow: scheduled when a probe gets too slow
 *
 * Context: Process; no probe is armed yet.
 */
void jtrace_probe_hit_init(struct work_struct *slow)
{
	slow_work = slow;
	jtrace_arch_init();
}

/* No probe is armed any more. */
void jtrace_probe_hit_exit(void)
{
	irq_work_sync(&slow_irq_work);
	cancel_work_sync(slow_work);
}
