// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace doctor: would this machine reset after a crash, and would the trace survive that?
 * Prints one line for each check.
 */

#include <errno.h>
#include <glob.h>
#include <stdlib.h>

#include "doctor.h"

/* Returns -1 if there is no such file. */
static int read_number(const char *path)
{
	char buf[64];

	return root_read(path, buf, sizeof(buf)) > 0 ? atoi(buf) : -1;
}

/* ---- the module ------------------------------------------------------- */

static void report_not_loaded(void)
{
	char why[1024];

	if (!find_refusal(why, sizeof(why)))
		report(LOSS, "module", "not loaded: run modprobe jtrace; if it fails, look into dmesg");
	else if (why[0])
		report(LOSS, "module", "not loaded; the kernel log says: %s", why);
	else
		report(LOSS, "module", "not loaded: run modprobe jtrace");
}

static void check_size(const struct module *m)
{
	if (m->used && m->used < m->region.size / 2)
		report(WARN, "size",
		       "jtrace uses %llu of the region's %llu bytes: set target_buffer_size=%lluK to use all",
		       m->used, m->region.size, m->region.size >> 10);
}

static void check_module(struct facts *f)
{
	const struct module *m = &f->module;

	module_read(&f->module);
	f->region = m->region;
	memcpy(f->name, m->name, sizeof(f->name));
	if (!m->loaded) {
		report_not_loaded();
		return;
	}
	report(FINE, "module", "loaded");
	if (m->err) {
		report(LOSS, "debugfs", "the file state cannot be read (%s): run %s", strerror(m->err),
		       is_debugfs_mounted() ? "sudo jtrace doctor" :
		       "mount -t debugfs none /sys/kernel/debug");
		return;
	}
	report(FINE, "debugfs", "readable");
	if (!read_number("/sys/kernel/debug/jtrace/enabled"))
		report(WARN, "recording", "off: run jtrace start");
	if (!m->persistent)
		report(LOSS, "persistent",
		       "no: the buffer is ordinary memory, and a reset loses it: run jtrace setup, or load jtrace with enabled=persistent and mem_address= or mem_name=");
	else if (m->region.size)
		report(FINE, "persistent", "yes, %llu bytes at 0x%llx%s%s",
		       m->region.size, m->region.start, m->type[0] ? ", " : "", m->type);
	else
		report(FINE, "persistent", "yes");
	check_size(m);
}

/* ---- from the hang to the reset --------------------------------------- */

static void check_kdump(const struct facts *f)
{
	char late[8];

	root_read("/sys/module/kernel/parameters/crash_kexec_post_notifiers", late,
		  sizeof(late));
	if (read_number("/sys/kernel/kexec_crash_loaded") != 1)
		report(FINE, "kdump", "not loaded");
	else if (late[0] == 'Y' || has_option(f->cmdline, "crash_kexec_post_notifiers"))
		report(FINE, "kdump", "loaded; jtrace prints the trace before the crash kernel starts");
	else
		report(WARN, "kdump",
		       "loaded: the crash kernel starts before jtrace prints the trace, so the next boot reports a hang or reset, not a panic: boot with crash_kexec_post_notifiers");
}

static void check_pvpanic(void)
{
	if (root_exists("/sys/module/pvpanic"))
		report(WARN, "pvpanic",
		       "loaded: it reports a panic to the hypervisor, which may stop the machine before jtrace prints the trace: start QEMU with -action panic=none");
	else
		report(FINE, "pvpanic", "not loaded");
}

static void check_panic(void)
{
	int timeout = read_number("/proc/sys/kernel/panic");

	if (timeout > 0)
		report(FINE, "panic", "the machine reboots %d s after a panic", timeout);
	else if (timeout < -1 || (timeout == -1 && root_exists("/proc/sys/kernel/panic")))
		report(FINE, "panic", "the machine reboots at once after a panic");
	else
		report(WARN, "panic",
		       "the machine halts after a panic, and switching it off loses the trace: run sysctl kernel.panic=10");
}

/* The hangs that cause no panic: no report of them is sure to outlive the reset. */
static void list_silent(const struct hangs *h, char *to, size_t size)
{
	const struct {
		bool speaks;
		const char *name;
	} kinds[] = {
		{ h->soft, "soft lockups" },
		/* Without an NMI watchdog, as in most virtual machines, RCU finds them. */
		{ h->hard || h->rcu, "hard lockups" },
		{ h->rcu, "RCU stalls" },
		{ h->task, "hung tasks" },
	};
	size_t i, len = 0;

	to[0] = 0;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!kinds[i].speaks)
			len += scnprintf(to + len, size - len, "%s%s", len ? ", " : "", kinds[i].name);
}

/* softdog is a timer of the kernel, which hangs with it. */
static bool is_active_hardware(const char *watchdog)
{
	char path[256], state[32], identity[64];

	scnprintf(path, sizeof(path), "%s/state", watchdog);
	root_read(path, state, sizeof(state));
	scnprintf(path, sizeof(path), "%s/identity", watchdog);
	root_read(path, identity, sizeof(identity));
	return !strncmp(state, "active", 6) && strncmp(identity, "Software Watchdog", 17);
}

static bool has_active_hardware(void)
{
	size_t skip = strlen(root_path("")), i;
	bool active = false;
	glob_t found;

	if (glob(root_path("/sys/class/watchdog/watchdog*"), 0, NULL, &found))
		return false;
	for (i = 0; i < found.gl_pathc && !active; i++)
		active = is_active_hardware(found.gl_pathv[i] + skip);
	globfree(&found);
	return active;
}

static void check_hang(void)
{
	bool hardware = has_active_hardware();
	struct hangs h;
	char silent[128];

	hangs_read(&h);
	list_silent(&h, silent, sizeof(silent));
	if (!silent[0])
		report(FINE, "hang", "hangs cause a panic, %s",
		       hardware ? "and a hardware watchdog resets the machine" :
		       "but no hardware watchdog runs");
	else if (hardware)
		report(FINE, "hang",
		       "a hardware watchdog resets the machine, but %s cause no panic: run jtrace setup --hangs",
		       silent);
	else if (h.soft && (h.hard || h.rcu))
		report(FINE, "hang",
		       "a CPU that hangs causes a panic, but %s cause none: run jtrace setup --hangs",
		       silent);
	else
		report(WARN, "hang",
		       "nothing resets a machine that hangs: %s cause no panic: run jtrace setup --hangs",
		       silent);
}

/* ---- the processor ---------------------------------------------------- */

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (; (text = strstr(text, word)); text += len)
		if ((text[-1] == ' ' || text[-1] == '\t') &&
		    (text[len] == ' ' || text[len] == '\n' || !text[len]))
			return true;
	return false;
}

static void check_cpu(const struct facts *f)
{
	static char info[16384];
	char *flags;

	root_read("/proc/cpuinfo", info, sizeof(info));
	flags = strstr(info, "\nflags");
	if (flags)
		flags[1 + strcspn(flags + 1, "\n")] = 0;
	if (!strcmp(f->module.type, "wc") || !strcmp(f->module.type, "uc"))
		report(FINE, "cpu", "mem_type=%s: no cache to write back", f->module.type);
	else if (!flags)
		report(FINE, "cpu", "not x86: every such CPU can write back cache lines");
	else if (has_word(flags + 1, "clwb"))
		report(FINE, "cpu", "has clwb");
	else if (has_word(flags + 1, "clflushopt"))
		report(FINE, "cpu", "has clflushopt, not clwb: recording an event takes longer");
	else
		report(WARN, "cpu",
		       "has neither clwb nor clflushopt: writing back to memory is slow, mem_type=wc may be faster");
}

static void check_lockdown(void)
{
	char state[128];

	root_read("/sys/kernel/security/lockdown", state, sizeof(state));
	if (!strstr(state, "[integrity]") && !strstr(state, "[confidentiality]"))
		report(FINE, "lockdown", "none");
	else
		report(FINE, "lockdown",
		       "on: you can read the trace, but not write to the files enabled and clear, nor load jtrace with mem_address=; mem_name=jtrace and device-tree nodes work");
}

/**
 * run_doctor() - run all checks
 *
 * Return: false if the trace would be lost.
 */
bool run_doctor(void)
{
	static struct facts f;

	root_read("/proc/cmdline", f.cmdline, sizeof(f.cmdline));
	check_module(&f);
	check_parameters(&f);
	check_memmap(&f);
	check_reserve_mem(&f);
	check_iomem(&f);
	check_firmware();
	check_encryption(&f);
	check_cpu(&f);
	check_kdump(&f);
	check_pvpanic();
	check_panic();
	check_hang();
	check_history(&f);
	check_lockdown();
	check_setup(&f);
	return !loss_reported();
}
