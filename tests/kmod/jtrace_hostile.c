// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a panic difficult: CPUs that are stuck and cannot be stopped, or that dump the trace
 * when another one panics; a console driver that is slow, is interrupted or dies; a panic
 * notifier that dies.
 *
 * A write to the parameter go makes CPUs stuck, and returns when all of them are stuck.
 * Consoles and notifiers act while jtrace prints, or later.
 */

#include <linux/atomic.h>
#include <linux/console.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/jtrace.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/panic_notifier.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysrq.h>
#include <uapi/linux/jtrace.h>
#ifdef CONFIG_X86
#include <asm/nmi.h>
#include <asm/pgtable.h>
#endif

#include "kmod.h"

PARAM_TEXT(stuck, "", "irqs-off, busy (and not preempted), nmi (records and prints once for each line of a dump), console (holds its lock), write (in a console driver), reader (while it copies the trace), dump (in a dump for SysRq), dump-goes-on (until a panic begins, then asks for another dump)");
PARAM(ulong, cpus, 0, "mask of the CPUs that get stuck");
PARAM(ulong, image, 0, "address of an image: destroy its headers, and write-protect its first page");
PARAM(ulong, image_size, 0, "size of that image, bytes");
PARAM_TEXT(console, "", "slow (115200 baud), nmi (interrupted by NMIs that print and record), oops, panic");
PARAM(uint, line, 20, "line of the dump at which the console driver oopses or panics, or the CPU that dumps gets stuck");
PARAM_TEXT(notifier, "", "panic, oops: a later panic notifier does that");

static bool started;
static atomic_t nr_ready;
static bool ready;
static atomic_t nr_stuck;
static atomic_t nr_over;

/* Lines of dumps since the CPUs got stuck. */
static atomic_t nr_lines;

/* Is this one of the CPUs that get stuck? */
static bool is_chosen(void)
{
	return cpus & BIT(raw_smp_processor_id());
}

/* Wait until all these CPUs have counted. */
static void wait_for(const atomic_t *nr)
{
	while (atomic_read(nr) < hweight_long(cpus))
		cpu_relax();
}

/* ---- NMIs, page tables ------------------------------------------------ */

/* Each printed line causes an NMI, which prints another line: limit that. */
#define NMIS_MOST	30

static atomic_t nmis_due;

#ifdef CONFIG_X86

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	int i;

	if (atomic_dec_if_positive(&nmis_due) >= 0) {
		pr_info("an NMI prints\n");
		JTRACE("hostile: nmi");
		return NMI_HANDLED;
	}
	if (strcmp(stuck, "nmi") || !READ_ONCE(started) || !is_chosen())
		return NMI_DONE;
	JTRACE("hostile: stuck (cpu)", raw_smp_processor_id());
	/* One line for each line of the dump, so that they do not fill the log. */
	for (i = 0; ; i++) {
		pr_info("an NMI prints\n");
		JTRACE("hostile: goes on (i)", i);
		if (!i)
			atomic_inc(&nr_stuck);
		while (atomic_read(&nr_lines) <= i)
			cpu_relax();
	}
}

/* The local APIC is off in a panic, so no NMI arrives: call the handler. */
static void nmi(void)
{
	asm volatile("int $2");
}

static int nmis_init(void)
{
	return register_nmi_handler(NMI_LOCAL, on_nmi, 0, "jtrace_hostile");
}

static void nmis_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "jtrace_hostile");
}

/* Write-protect the page at @at, for this CPU. */
static void protect(ulong at)
{
	unsigned int level;
	pte_t *pte = lookup_address(at, &level);

	if (pte && level == PG_LEVEL_4K) {
		set_pte(pte, pte_wrprotect(*pte));
		asm volatile("invlpg (%0)" : : "r" (at) : "memory");
	}
}

#else

static void nmi(void)
{
}

static int nmis_init(void)
{
	if (strcmp(stuck, "nmi") && strcmp(console, "nmi") && !image)
		return 0;
	pr_err("NMIs, and pages that cannot be written, are for x86 only\n");
	return -EOPNOTSUPP;
}

static void nmis_exit(void)
{
}

static void protect(ulong at)
{
}

#endif

/* ---- Dying ------------------------------------------------------------ */

static void die(const char *how)
{
	if (!strcmp(how, "oops"))
		write_null();
	if (!strcmp(how, "panic"))
		panic("jtrace_hostile\n");
}

/* Once. */
static int notify(struct notifier_block *nb, unsigned long action, void *reason)
{
	static bool done;

	if (!done) {
		done = true;
		die(notifier);
	}
	return NOTIFY_DONE;
}

static struct notifier_block panic_nb = {
	.notifier_call = notify,
};

/* ---- A console driver ------------------------------------------------- */

/* A start bit, eight data bits, a stop bit. */
#define NS_PER_BYTE	(10 * NSEC_PER_SEC / 115200)

/* On a busy host, udelay() may be calibrated wrongly on all CPUs but the first. */
static void wait_ns(u64 ns)
{
	u64 start = ktime_get_mono_fast_ns();

	while (ktime_get_mono_fast_ns() - start < ns)
		cpu_relax();
}

static void get_stuck(void)
{
	JTRACE("hostile: stuck (cpu)", raw_smp_processor_id());
	atomic_inc(&nr_stuck);
	for (;;)
		cpu_relax();
}

/* The kernel calls it for each line of the log, with interrupts disabled. */
static void con_write(struct console *con, const char *text, unsigned int len)
{
	static bool dump;
	static uint nr;

	if (!READ_ONCE(started))
		return;
	if (!strcmp(stuck, "write") && READ_ONCE(ready) && is_chosen())
		get_stuck();
	if (!strcmp(console, "slow"))
		wait_ns(NS_PER_BYTE * len);
	dump = dump || strnstr(text, "JTRACE: Recovered", len);
	if (!dump)
		return;
	nr++;
	if (nr == line)
		die(console);
	if (!strcmp(console, "nmi") && nr <= NMIS_MOST) {
		atomic_set(&nmis_due, 1);
		nmi();
	}
}

static struct console con = {
	.name = "hostile",
	.write = con_write,
	.flags = CON_ENABLED,
	.index = -1,
};

/* ---- The image --------------------------------------------------------- */

static void spoil(void)
{
	const u32 size = sizeof(struct jtrace_image_header);

	if (!image)
		return;
	memset((void *)image, 0xee, size);
	memset((void *)(image + image_size - size), 0xee, size);
	protect(image);
}

/* ---- Dumps, and a reader ------------------------------------------------ */

/*
 * Runs before each line is printed.  At @line the CPU waits for the panic, so that one line
 * follows the panic's first lines, however slow the CPUs are.
 */
static int at_line(struct kprobe *probe, struct pt_regs *regs)
{
	static uint nr;

	if (!READ_ONCE(ready))
		return 0;
	atomic_inc(&nr_lines);
	if (!is_chosen() || ++nr != line)
		return 0;
	if (strcmp(stuck, "dump-goes-on"))
		get_stuck();
	atomic_inc(&nr_stuck);
	while (!READ_ONCE(oops_in_progress))
		cpu_relax();
	return 0;
}

static struct kprobe line_probe = {
	.symbol_name = "jtrace_text_next",
	.pre_handler = at_line,
	.post_handler = stay,
};

/* The reader holds its lock while it copies the image. */
static int in_copy(struct kprobe *probe, struct pt_regs *regs)
{
	if (READ_ONCE(ready) && is_chosen())
		get_stuck();
	return 0;
}

static struct kprobe copy_probe = {
	.symbol_name = "jtrace_snapshot",
	.pre_handler = in_copy,
	.post_handler = stay,
};

/* The panic stops the other CPUs only after dump_thrice() has returned. */
static int stop_late(struct kprobe *probe, struct pt_regs *regs)
{
	wait_for(&nr_over);
	return 0;
}

static struct kprobe stop_probe = {
	.symbol_name = IS_ENABLED(CONFIG_X86) ? "native_stop_other_cpus" : "smp_send_stop",
	.pre_handler = stop_late,
	.post_handler = stay,
};

static struct kprobe *probes[2];
static int nr_probes;

static int probes_init(void)
{
	if (!strcmp(stuck, "nmi") || !strncmp(stuck, "dump", 4))
		probes[nr_probes++] = &line_probe;
	if (!strcmp(stuck, "dump-goes-on"))
		probes[nr_probes++] = &stop_probe;
	if (!strcmp(stuck, "reader"))
		probes[nr_probes++] = &copy_probe;
	return nr_probes ? register_kprobes(probes, nr_probes) : 0;
}

/* The panic cuts the first dump short; the others come too late. */
static void dump_thrice(void)
{
	handle_sysrq('y');
	handle_sysrq('y');
	handle_sysrq('y');
	atomic_inc(&nr_over);
}

/* ---- CPUs ------------------------------------------------------------- */

static int stuck_thread(void *arg)
{
	while (!READ_ONCE(started))
		msleep(20);
	preempt_disable();
	atomic_inc(&nr_ready);
	while (!READ_ONCE(ready))
		cpu_relax();
	if (!strcmp(stuck, "irqs-off")) {
		local_irq_disable();
		get_stuck();
	} else if (!strcmp(stuck, "busy")) {
		get_stuck();
	} else if (!strcmp(stuck, "nmi")) {
		local_irq_disable();
		nmi();
	} else if (!strcmp(stuck, "write")) {
		/* Until this CPU writes to the consoles. */
		for (;;)
			pr_info("stuck in a console driver\n");
	} else if (!strncmp(stuck, "dump", 4)) {
		dump_thrice();
		for (;;)
			cpu_relax();
	} else if (!strcmp(stuck, "reader")) {
		preempt_enable();
		if (IS_ERR(filp_open("/sys/kernel/debug/jtrace/trace", O_RDONLY, 0)))
			pr_err("cannot read the trace\n");
	} else {
		preempt_enable();
		console_lock();
		JTRACE("hostile: stuck (cpu)", raw_smp_processor_id());
		atomic_inc(&nr_stuck);
	}
	for (;;)
		ssleep(1);
}

static int threads_start(void)
{
	struct task_struct *task;
	int cpu;

	for_each_online_cpu(cpu) {
		if (!(cpus & BIT(cpu)))
			continue;
		task = kthread_run_on_cpu(stuck_thread, NULL, cpu, "jtrace_hostile");
		if (IS_ERR(task))
			return PTR_ERR(task);
	}
	return 0;
}

/*
 * All CPUs arrive before the first one gets stuck, and none is preempted.  Otherwise a task
 * there could wait forever for a stuck CPU's answer to an IPI, such as a TLB flush.
 */
static int go_set(const char *value, const struct kernel_param *kp)
{
	preempt_disable();
	WRITE_ONCE(started, true);
	wait_for(&nr_ready);
	WRITE_ONCE(ready, true);
	wait_for(&nr_stuck);
	JTRACE("hostile: go");
	/* Print nothing before: the printing CPU may be stuck. */
	local_irq_disable();
	spoil();
	if (sysfs_streq(value, "panic"))
		die("panic");
	local_irq_enable();
	preempt_enable();
	return 0;
}

PARAM_SET(go, "1: make the CPUs stuck; panic: then panic");

static int __init jtrace_hostile_init(void)
{
	int err = nmis_init();

	if (err)
		return err;
	err = probes_init();
	if (err) {
		nmis_exit();
		return err;
	}
	atomic_notifier_chain_register(&panic_notifier_list, &panic_nb);
	register_console(&con);
	/* Nothing can be undone: stay loaded. */
	__module_get(THIS_MODULE);
	return threads_start();
}

static void __exit jtrace_hostile_exit(void)
{
	unregister_kprobes(probes, nr_probes);
	unregister_console(&con);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_nb);
	nmis_exit();
}

module_init(jtrace_hostile_init);
module_exit(jtrace_hostile_exit);

TEST_MODULE("the surroundings of a panic");
