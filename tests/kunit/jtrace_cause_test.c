// SPDX-License-Identifier: GPL-2.0
/* The lines of a kernel log that name the cause of a panic, and the text of a line. */

#include "helpers.h"
#include "../../lib/read/log.h"

struct machine {
	struct kunit *test;
	struct jtrace_layout l;
	struct jtrace_image_header h;
	struct jtrace_trace t;
	struct jtrace_log log;
	u8 *img;
	void *room;
	u64 seq;
};

static struct machine *machine_new(struct kunit *test, const char *reason)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	KUNIT_ASSERT_LT(test, jtrace_layout_plan(&m->l, 8192, 0, 2, JTRACE_KIND_LARGE),
			JTRACE_FIT_NONE);
	jtrace_layout_add_log(&m->l, 8192);
	m->img = kunit_kzalloc(test, m->l.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->img);
	jtrace_header_init(&m->h, &m->l, FAKE_ID);
	m->h.state = JTRACE_STATE_PANICKED;
	memcpy(m->h.reason, reason, strlen(reason));
	jtrace_header_write(m->img, &m->h);
	jtrace_log_init(&m->log, m->img, FAKE_ID, m->l.log_off, m->l.log_size, false);
	return m;
}

/* Messages of one line each; @copies of each record. */
static void print(struct machine *m, const char * const *text, u32 copies)
{
	for (; *text; text++) {
		struct jtrace_log_line line = {
			.seq = m->seq++,
			.text = *text,
			.len = strlen(*text),
		};
		u32 i;

		for (i = 0; i < copies; i++)
			jtrace_log_store(&m->log, &line);
	}
}

/* The second line of the text that tells of the image, from the words of the panic on. */
static void expect_end(struct machine *m, const char *want)
{
	static char line[JTRACE_LINE_MAX];
	static struct jtrace_text text;
	const char *got;

	jtrace_recover_open(&m->t, m->img, m->l.size);
	jtrace_log_count(&m->t);
	m->t.tell = JTRACE_TELL_BOOT;
	m->room = kunit_kzalloc(m->test, jtrace_recover_room(&m->t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(m->test, m->room);
	jtrace_recover_scan(&m->t, m->room);
	jtrace_text_open(&text, &m->t, m->t.heap);
	KUNIT_ASSERT_GE(m->test, jtrace_text_next(&text, line, sizeof(line)), 0);
	KUNIT_ASSERT_GE(m->test, jtrace_text_next(&text, line, sizeof(line)), 0);
	got = strstr(line, "It panicked: ");
	KUNIT_ASSERT_NOT_NULL(m->test, got);
	KUNIT_EXPECT_STREQ(m->test, got + strlen("It panicked: "), want);
}

static const char * const x86_oops[] = {
	"BUG: unable to handle page fault for address: 000000000000dead",
	"#PF: supervisor write access in kernel mode",
	"Oops: 0002 [#1] PREEMPT SMP NOPTI",
	"CPU: 0 PID: 108 Comm: insmod Tainted: G           OE",
	"RIP: 0010:f+0x2f/0x1000 [mod]",
	"RIP: 0033:0x47fbe9",
	"---[ end trace 0000000000000000 ]---",
	"RIP: 0010:f+0x2f/0x1000 [mod]",
	NULL
};

static const char * const x86_panic[] = {
	"Kernel panic - not syncing: Fatal exception", "Kernel Offset: disabled", NULL
};

static const char * const wait[] = {
	"wait 1", "wait 2", "wait 3", "wait 4", "wait 5", "wait 6", "wait 7", "wait 8", "wait 9",
	"wait 10", "wait 11", "wait 12", "wait 13", "wait 14", "wait 15", "wait 16", "wait 17",
	"wait 18", "wait 19", "wait 20", "wait 21", "wait 22", "wait 23", "wait 24", NULL
};

static void oops_on_x86(struct kunit *test)
{
	u32 copies;

	for (copies = 1; copies <= 2; copies++) {
		struct machine *m = machine_new(test, "Fatal exception");

		print(m, x86_oops, copies);
		print(m, x86_panic, copies);
		expect_end(m, "BUG: unable to handle page fault for address: 000000000000dead, RIP f+0x2f/0x1000 [mod]; Fatal exception");
	}
}

/* Only the line with the number names it. */
static void oops_without_a_first_line(struct kunit *test)
{
	static const char * const text[] = {
		"Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP",
		"RIP: 0010:g+0x1/0x2", NULL
	};
	struct machine *m = machine_new(test, "Fatal exception in interrupt");

	print(m, text, 1);
	print(m, x86_panic, 1);
	expect_end(m, "Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP, RIP g+0x1/0x2; Fatal exception in interrupt");
}

static void oops_on_arm64(struct kunit *test)
{
	static const char * const text[] = {
		"Unable to handle kernel NULL pointer dereference at virtual address 0000000000000000",
		"Mem abort info:",
		"  ESR = 0x0000000096000045",
		"Internal error: Oops: 0000000096000045 [#1] SMP",
		"pc : f+0x2c/0x40 [mod]",
		"lr : g+0x20/0x40 [mod]",
		"Kernel panic - not syncing: Oops: Fatal exception", NULL
	};
	struct machine *m = machine_new(test, "Oops: Fatal exception");

	print(m, text, 1);
	expect_end(m, "Unable to handle kernel NULL pointer dereference at virtual address 0000000000000000, pc f+0x2c/0x40 [mod]; Oops: Fatal exception");
}

static void bug(struct kunit *test)
{
	static const char * const text[] = {
		"------------[ cut here ]------------",
		"kernel BUG at mydriver.c:70!",
		"invalid opcode: 0000 [#2] PREEMPT SMP NOPTI",
		"RIP: 0010:h+0xa/0x10 [mod]", NULL
	};
	struct machine *m = machine_new(test, "Fatal exception");

	/* An older one, which the machine survived. */
	print(m, x86_oops, 1);
	print(m, wait, 1);
	print(m, text, 1);
	print(m, x86_panic, 1);
	expect_end(m, "kernel BUG at mydriver.c:70!, RIP h+0xa/0x10 [mod]; Fatal exception");
}

static void lockups_and_hung_tasks(struct kunit *test)
{
	static const struct {
		const char *reason, *text[5], *want;
	} all[] = {
		{ "softlockup: hung tasks",
		  { "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [insmod:105]",
		    "RIP: 0010:spin+0x1/0x2 [mod]" },
		  "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [insmod:105], RIP spin+0x1/0x2 [mod]; softlockup: hung tasks" },
		{ "Hard LOCKUP",
		  { "watchdog: Watchdog detected hard LOCKUP on cpu 1", "RIP: 0010:spin+0x1/0x2" },
		  "watchdog: Watchdog detected hard LOCKUP on cpu 1, RIP spin+0x1/0x2; Hard LOCKUP" },
		{ "RCU Stall",
		  { "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
		    "NMI backtrace for cpu 1", "RIP: 0010:spin+0x1/0x2 [mod]" },
		  "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:, RIP spin+0x1/0x2 [mod]; RCU Stall" },
		{ "hung_task: blocked tasks",
		  { "INFO: task a:1 blocked for more than 120 seconds.",
		    "INFO: task b:2 blocked for more than 120 seconds.",
		    "INFO: task b:2 is blocked on a mutex likely owned by task a:1.",
		    "RIP: 0010:halt+0x1/0x2" },
		  "INFO: task b:2 blocked for more than 120 seconds.; hung_task: blocked tasks" },
		{ "kernel: panic_on_warn set ...",
		  { "WARNING: CPU: 0 PID: 1 at d.c:7 check+0x1/0x2 [mod]",
		    "RIP: 0010:check+0x1/0x2 [mod]" },
		  "WARNING: CPU: 0 PID: 1 at d.c:7 check+0x1/0x2 [mod], RIP check+0x1/0x2 [mod]; kernel: panic_on_warn set ..." },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct machine *m = machine_new(test, all[i].reason);

		print(m, x86_oops, 1);
		print(m, all[i].text, 1);
		expect_end(m, all[i].want);
	}
}

/* An oops that the machine survived is not the cause of another panic. */
static void survived_oops_is_no_cause(struct kunit *test)
{
	static const char * const reasons[] = {
		"sysrq triggered crash", "Out of memory: compulsory panic_on_oom is enabled",
		"Attempted to kill init! exitcode=0x0000000b",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		struct machine *m = machine_new(test, reasons[i]);

		print(m, x86_oops, 1);
		expect_end(m, reasons[i]);
	}
}

/* Lines after that of the panic do not count, nor does a BUG too far before the oops. */
static void other_lines_do_not_count(struct kunit *test)
{
	static const char * const far[] = { "BUG: sleeping function called", NULL };
	static const char * const number[] = { "Oops: 0002 [#1] SMP", NULL };
	struct machine *m = machine_new(test, "Fatal exception");

	print(m, far, 1);
	print(m, wait, 1);
	print(m, number, 1);
	print(m, x86_panic, 1);
	print(m, x86_oops, 1);
	expect_end(m, "Oops: 0002 [#1] SMP; Fatal exception");
}

/* If messages are missing, an older oops may be taken for the last one. */
static void nothing_is_named_over_a_gap(struct kunit *test)
{
	struct machine *m = machine_new(test, "Fatal exception");

	print(m, x86_oops, 1);
	m->seq++;
	print(m, x86_panic, 1);
	expect_end(m, "Fatal exception");
}

static void reports_that_are_no_oops(struct kunit *test)
{
	static const char * const text[] = {
		"BUG: sleeping function called from invalid context", "Call Trace:", " f+0x1/0x2",
		"driver: queue 7 [#1] is full", "face [#1]",
		"Oops: general protection fault: 0000 [#1] SMP", "RIP: 0010:g+0x1/0x2", NULL
	};
	struct machine *m = machine_new(test, "Fatal exception");

	print(m, text, 1);
	print(m, x86_panic, 1);
	expect_end(m, "Oops: general protection fault: 0000 [#1] SMP, RIP g+0x1/0x2; Fatal exception");
}

static void no_control_character(struct kunit *test)
{
	static const char * const text[] = { "BUG: \033[31m\r\nred", "Oops: 0001 [#1]", NULL };
	struct machine *m = machine_new(test, "Fatal exception");

	print(m, text, 1);
	expect_end(m, "BUG: \\x1b[31m\\x0d\\x0ared; Fatal exception");
}

static void text_of_a_line(struct kunit *test)
{
	static const struct {
		struct jtrace_log_line line;
		const char *want;
	} all[] = {
		{ { .time = 1234567000, .text = "hello", .len = 5 }, "[    1.234567] hello" },
		{ { .time = 123456000001000, .text = "", .len = 0 }, "[123456.000001] " },
		{ { .time = JTRACE_LOG_NO_TIME, .text = "a\tb", .len = 3 }, "a       b" },
		{ { .time = JTRACE_LOG_NO_TIME, .text = "1234567\t8", .len = 9 }, "1234567 8" },
		{ { .time = JTRACE_LOG_NO_TIME, .text = "12345678\t9", .len = 10 },
		  "12345678        9" },
		{ { .time = JTRACE_LOG_NO_TIME, .text = "\0\033\377~", .len = 4 },
		  "\\x00\\x1b\\xff~" },
	};
	static char buf[64];
	struct jtrace_trace t = { 0 };
	u32 i, size;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		KUNIT_EXPECT_EQ(test, jtrace_log_text(&t, &all[i].line, buf, sizeof(buf)),
				strlen(all[i].want));
		KUNIT_EXPECT_STREQ(test, buf, all[i].want);
		for (size = 1; size < strlen(all[i].want); size++) {
			memset(buf, '!', sizeof(buf));
			KUNIT_EXPECT_LT(test, jtrace_log_text(&t, &all[i].line, buf, size), size);
			KUNIT_EXPECT_EQ(test, buf[size], '!');
		}
	}
}

static struct kunit_case cause_cases[] = {
	KUNIT_CASE(oops_on_x86),
	KUNIT_CASE(oops_without_a_first_line),
	KUNIT_CASE(oops_on_arm64),
	KUNIT_CASE(bug),
	KUNIT_CASE(lockups_and_hung_tasks),
	KUNIT_CASE(survived_oops_is_no_cause),
	KUNIT_CASE(other_lines_do_not_count),
	KUNIT_CASE(nothing_is_named_over_a_gap),
	KUNIT_CASE(reports_that_are_no_oops),
	KUNIT_CASE(no_control_character),
	KUNIT_CASE(text_of_a_line),
	{}
};

static struct kunit_suite jtrace_cause_suite = {
	.name = "jtrace_cause_test",
	.test_cases = cause_cases,
};

kunit_test_suite(jtrace_cause_suite);
