// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: kernel log
 *
 * Keeps the end of the kernel log in the image, so that the next boot shows what the kernel said of
 * its death.  lib/image/log.c has the format.  The area has two halves:
 *
 * - The running half follows the kernel log.  A console of ours is called for each line that the
 *   kernel prints; it copies all messages that are new, also those that the console's level hides.
 *   So a hang, a reset and a kdump leave a log, too.  Messages that the level hides are copied with
 *   the next one that it shows.
 * - The report half is written after an oops: all messages since the last one, the newest if
 *   there are too many.  So later messages do not overwrite the report of an oops that the machine
 *   survived.
 *
 * In a panic, the running half gets what is new.  Nothing is printed after that but the trace.
 *
 * An area of less than 32 KiB has no running half, so a panic writes a report, too.  Half of the
 * area is for what goes before; from the line "Kernel panic" on, the report may take all of it.
 *
 * Readers put both halves together by the numbers of the messages.
 *
 * We read the log by kmsg_dump_get_line(), which takes no lock.  One context copies at a time: it
 * sets the owner.  Another context that finds an owner leaves the new messages to it.  A panic
 * takes the log for good.  If a copy itself oopses or panics, nothing is copied any more.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/console.h>
#include <linux/err.h>
#include <linux/kmsg_dump.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>

#include "jtrace_internal.h"

/* A smaller area has no running half. */
#define RUNNING_FROM	(32U << 10)

/* A message has at most 1 KiB, and a prefix before each line. */
#define TEXT_MAX	2048

/* How the kernel's line about a panic begins. */
#define PANIC_WORDS	"Kernel panic - not syncing"

/**
 * struct half - one half of the area
 * @log: its records; of size 0 if there is no such half
 * @next: number of the first message that was not copied
 */
struct half {
	struct jtrace_log log;
	u64 next;
};

/*
 * The task that sets @owner has all other fields but @more and @oops.
 *
 * @on: messages are copied
 * @more: there may be new messages
 * @oops: of these, a report
 * @shift: what the log's clock lags behind CLOCK_BOOTTIME, ns; in a panic the clocks may stop
 */
static struct {
	bool on;
	bool more;
	bool oops;
	struct task_struct *owner;
	struct half running;
	struct half report;
	u64 shift;
	char text[TEXT_MAX];
} klog;

static u64 log_clock(void)
{
	return IS_ENABLED(CONFIG_TRACE_CLOCK) ? trace_clock() : ktime_get_mono_fast_ns();
}

/* Read the message at @iter; return its length, or 0 if there is none. */
static size_t message(struct kmsg_dump_iter *iter)
{
	size_t len;

	if (!kmsg_dump_get_line(iter, true, klog.text, sizeof(klog.text), &len))
		return 0;
	if (!len)
		klog.text[len++] = '\n';
	return len;
}

/* Store the message in klog.text, line by line. */
static void store(struct half *h, u64 seq, size_t len)
{
	struct jtrace_log_line line = { .seq = seq, .shift = klog.shift };
	size_t at = 0;

	while (at < len) {
		at += jtrace_log_parse(klog.text + at, len - at, &line);
		line.part = jtrace_log_store(&h->log, &line);
	}
	WRITE_ONCE(h->next, seq + 1);
}

/* A panic has taken the log from us. */
static bool is_taken(void)
{
	return READ_ONCE(klog.owner) != current;
}

/* Number of the message that comes next. */
static u64 log_end(void)
{
	struct kmsg_dump_iter iter;

	kmsg_dump_rewind(&iter);
	return iter.next_seq;
}

/* Copy what is there now, at most what the kernel's buffer holds.  Later lines call us again. */
static void follow(bool panic)
{
	struct kmsg_dump_iter iter = { .cur_seq = klog.running.next, .next_seq = U64_MAX };
	u64 end = log_end();
	size_t len;

	while (iter.cur_seq < end && (len = message(&iter))) {
		if (!panic && is_taken())
			return;
		store(&klog.running, iter.cur_seq - 1, len);
	}
}

/* Bytes that the message in klog.text takes. */
static u64 message_need(size_t len, bool *panic)
{
	struct jtrace_log_line line;
	size_t at = 0;
	u64 need = 0;

	while (at < len) {
		at += jtrace_log_parse(klog.text + at, len - at, &line);
		need += jtrace_log_need(line.len);
		if (line.len >= strlen(PANIC_WORDS) &&
		    !memcmp(line.text, PANIC_WORDS, strlen(PANIC_WORDS)))
			*panic = true;
	}
	return need;
}

/* Copy the messages since the last report: the newest that fit. */
static void report(bool panic)
{
	struct half *h = &klog.report;
	u64 first, end, own = U64_MAX, left = 0;
	struct kmsg_dump_iter iter;
	size_t len;

	kmsg_dump_rewind(&iter);
	end = iter.next_seq;
	first = max(iter.cur_seq, h->next);
	/* More messages do not fit. */
	first = max_t(s64, first, iter.next_seq - h->log.size / jtrace_log_need(0));
	for (iter.cur_seq = first; iter.cur_seq < end && (len = message(&iter)); ) {
		bool is_panic = false;

		left += message_need(len, &is_panic);
		if (panic && is_panic)
			own = iter.cur_seq - 1;
	}
	for (iter.cur_seq = first; iter.cur_seq < end && (len = message(&iter)); ) {
		bool unused;
		u64 seq = iter.cur_seq - 1;

		if (!panic && is_taken())
			return;
		if (left <= (seq < own ? h->log.size / 2 : h->log.size))
			store(h, seq, len);
		left -= min_t(u64, left, message_need(len, &unused));
	}
}

/* Copy what is new, unless another context does so. */
static void copy_new(bool oops)
{
	if (oops)
		WRITE_ONCE(klog.oops, true);
	WRITE_ONCE(klog.more, true);
	/* Pairs with cmpxchg() below: the owner sees both, or we see that there is no owner. */
	smp_mb();
	while (READ_ONCE(klog.on) && READ_ONCE(klog.more) && !cmpxchg(&klog.owner, NULL, current)) {
		/* A full barrier: messages that made @more true are seen below. */
		xchg(&klog.more, false);
		klog.shift = ktime_get_boot_fast_ns() - log_clock();
		if (xchg(&klog.oops, false))
			report(false);
		if (klog.running.log.size)
			follow(false);
		cmpxchg(&klog.owner, current, NULL);
	}
}

/**
 * jtrace_klog_save() - copy the end of the kernel log
 * @reason: an oops, a panic, or a restart without a shutdown
 *
 * Context: Any.  A panic may call this several times.
 */
void jtrace_klog_save(enum kmsg_dump_reason reason)
{
	if (reason == KMSG_DUMP_OOPS) {
		copy_new(true);
		return;
	}
	/* At the restart after a panic: the trace was printed since, which the image has anyway. */
	if (reason == KMSG_DUMP_EMERG && IS_ERR(READ_ONCE(klog.owner)))
		return;
	/* If this panics, the next panic does not try again. */
	if (!READ_ONCE(klog.on))
		return;
	WRITE_ONCE(klog.on, false);
	WRITE_ONCE(klog.owner, ERR_PTR(-EBUSY));
	if (klog.running.log.size)
		follow(true);
	else
		report(true);
	WRITE_ONCE(klog.on, true);
	/* No panic: until the reset, lines may follow. */
	if (reason == KMSG_DUMP_EMERG)
		WRITE_ONCE(klog.owner, NULL);
}

/* The present task oopses; if it was copying the log, nobody does so any more. */
void jtrace_klog_abandon(void)
{
	if (READ_ONCE(klog.owner) == current)
		WRITE_ONCE(klog.on, false);
}

/* Copy nothing from now on. */
void jtrace_klog_off(void)
{
	WRITE_ONCE(klog.on, false);
}

/* The console calls this after each line, with its lock held. */
static void console_write(struct console *con, const char *text, unsigned int len)
{
	copy_new(false);
}

static struct console klog_console = {
	.name = "jtrace",
	.write = console_write,
	.flags = CON_ENABLED | CON_ANYTIME,
	.index = -1,
};

/**
 * jtrace_klog_init() - keep the kernel log in the image from now on
 *
 * Does nothing if the image has no area for it.
 */
void jtrace_klog_init(void)
{
	const struct jtrace_setup *s = &jtrace.setup;
	bool write_back = s->region.type == JTRACE_MEM_WB;
	u64 id = le64_to_cpu(s->header.image_id);
	u32 running = s->l.log_size < RUNNING_FROM ? 0 :
		      ALIGN_DOWN(s->l.log_size / 2, (u32)JTRACE_GRANULE);

	if (!s->l.log_size)
		return;
	jtrace_log_init(&klog.running.log, s->region.at, id, s->l.log_off, running, write_back);
	jtrace_log_init(&klog.report.log, s->region.at, id, s->l.log_off + running,
			s->l.log_size - running, write_back);
	klog.on = true;
	if (!running)
		return;
	copy_new(false);
	register_console(&klog_console);
}

void jtrace_klog_exit(void)
{
	if (klog.running.log.size)
		unregister_console(&klog_console);
	klog.on = false;
}
