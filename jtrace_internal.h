/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of the module. */
#ifndef _JTRACE_INTERNAL_H
#define _JTRACE_INTERNAL_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "lib/base/compat.h"
#include "lib/image/log.h"
#include "lib/image/module.h"
#include "lib/image/ring.h"
#include "lib/image/stack.h"
#include "lib/image/task.h"
#include "lib/read/log.h"
#include "lib/read/recover.h"

enum jtrace_mode {
	JTRACE_OFF,
	JTRACE_ON,
	JTRACE_PERSISTENT,
};

/**
 * enum jtrace_mem_type - how a region is mapped
 * @JTRACE_MEM_DEFAULT: parameter not given; of a region: volatile memory
 * @JTRACE_MEM_WB: cached, lines are written back
 * @JTRACE_MEM_WC: write-combined
 * @JTRACE_MEM_UC: uncached
 * @JTRACE_MEM_TYPES: number of types
 */
enum jtrace_mem_type {
	JTRACE_MEM_DEFAULT,
	JTRACE_MEM_WB,
	JTRACE_MEM_WC,
	JTRACE_MEM_UC,
	JTRACE_MEM_TYPES,
};

enum jtrace_clock_choice {
	JTRACE_USE_AUTO,
	JTRACE_USE_TICKS,
	JTRACE_USE_FAST,
};

#define JTRACE_DEFAULT		U64_MAX

/* &jtrace_config.stop_on */
#define JTRACE_STOP_WARN	0x1
#define JTRACE_STOP_OOPS	0x2
#define JTRACE_STOP_HUNG_TASK	0x4

/**
 * struct jtrace_config - module parameters, parsed
 * @mode: enabled: whether to record from the start, and to which memory
 * @size: target_buffer_size in bytes, 0 if not given
 * @sites: bytes of the site table, 0 if not given
 * @log: log_size, bytes for the kernel log, 0 for none, %JTRACE_DEFAULT if not given
 * @tasks: bytes for the names of tasks, 0 for none, %JTRACE_DEFAULT if not given
 * @stacks: bytes for stacks, 0 for none, %JTRACE_DEFAULT if not given
 * @last: last_entry_storage, -1 for all CPUs
 * @kind: use_large_entries, 0 if not given
 * @mono: use_mono_timestamps
 * @clock: clock
 * @panic_lines: maximum entries of a dump, 0 for all, -1 for what the log buffer holds
 * @dump_on_oops: dump also on an oops that does not panic
 * @stop_on: alarms of the kernel that stop recording: JTRACE_STOP_*
 * @mem_address: physical, 0 if not given
 * @mem_size: bytes, 0 if not given
 * @mem_name: of reserve_mem=, NULL if not given
 * @mem_type: type of the mapping
 * @keep_on_reboot: an orderly shutdown does not hide the trace
 */
struct jtrace_config {
	enum jtrace_mode mode;
	u64 size;
	u64 sites;
	u64 log;
	u64 tasks;
	u64 stacks;
	int last;
	enum jtrace_kind kind;
	bool mono;
	enum jtrace_clock_choice clock;
	int panic_lines;
	bool dump_on_oops;
	u32 stop_on;
	u64 mem_address;
	u64 mem_size;
	const char *mem_name;
	enum jtrace_mem_type mem_type;
	bool keep_on_reboot;
};

/**
 * struct jtrace_region - the memory of an image
 * @at: address of the mapping
 * @size: bytes
 * @phys: physical address
 * @type: of the mapping
 * @ram: System RAM that the kernel reserved for us
 * @claimed: entered in the kernel's list of ranges
 */
struct jtrace_region {
	void *at;
	u64 size;
	phys_addr_t phys;
	enum jtrace_mem_type type;
	bool ram;
	bool claimed;
};

/**
 * struct jtrace_clock_state - the clock that entries are stamped with
 * @ticks: a counter; else the fast ktime clocks
 * @mono: show CLOCK_MONOTONIC, else CLOCK_BOOTTIME
 * @offset: added to the counter, so that it continues after a suspend has reset it
 * @rate: length of a tick, in units of 2^-32 ns
 * @khz: rate of the counter, for config
 * @near: most ticks that reading all clocks may take; no limit if entries carry no ticks
 */
struct jtrace_clock_state {
	bool ticks;
	bool mono;
	u64 offset;
	u64 rate;
	u32 khz;
	u32 near;
};

/**
 * struct jtrace_setup - everything that recording needs
 * @config: parameters
 * @clock: the chosen clock
 * @fit: how well the buffer fits the machine's CPUs
 * @l: layout of the image
 * @region: memory; the image is at its start
 * @header: of the image; after jtrace_install() as last written, and changed only under
 *	&jtrace.lock or in a panic
 * @ctl: control state of each chunk
 * @site_room: ordinary memory of the site table
 * @site_spare: bytes of @site_room for sites that do not fit in the image
 * @task_room: ordinary memory of the names of tasks
 * @stack_room: ordinary memory of the stacks
 * @dump_room: memory to read the image in a panic
 */
struct jtrace_setup {
	struct jtrace_config config;
	struct jtrace_clock_state clock;
	enum jtrace_fit fit;
	struct jtrace_layout l;
	struct jtrace_region region;
	struct jtrace_image_header header;
	struct jtrace_chunk_ctl *ctl;
	void *site_room;
	u32 site_spare;
	void *task_room;
	void *stack_room;
	void *dump_room;
};

/**
 * struct jtrace - the one recorder
 * @ring: writer's side of the image; read on the hot path
 * @sites: site table
 * @tasks: names of tasks; under the lock of jtrace_tasks.c
 * @stacks: stacks of events
 * @setup: parameters, memory and header in use
 * @lock: held to enable, to clear and to take a snapshot
 * @lost_in_snapshot: entries that the last snapshot lost to writers; under @lock
 * @gone: events of early boot that were overwritten before they could be moved here
 * @unfinished: events whose task died in jtrace_record(), before they got a slot
 * @dumps_died: dumps that died, or printed no line for too long
 * @thaws: events that tell how many were skipped
 */
struct jtrace {
	struct jtrace_ring ring;
	struct jtrace_sites sites;
	struct jtrace_tasks tasks;
	struct jtrace_stacks stacks;
	struct jtrace_setup setup;
	struct mutex lock;
	u64 lost_in_snapshot;
	u64 gone;
	u64 unfinished;
	atomic64_t dumps_died;
	atomic64_t thaws;
};

/* Write a warning to config, or to the log if @m is NULL. */
#define jtrace_warn(m, fmt, ...) do {							\
	if (m)										\
		seq_printf(m, "Warning                : " fmt "\n", ##__VA_ARGS__);	\
	else										\
		pr_warn(fmt "\n", ##__VA_ARGS__);					\
} while (0)

/* jtrace_state.c */
extern struct jtrace jtrace;
DECLARE_PER_CPU(struct jtrace_ring_cpu, jtrace_cpus);
extern struct jtrace_moment jtrace_early_began;
#ifdef MODULE
#define jtrace_early_on		false
#else
extern bool jtrace_early_on;
#endif

/* jtrace_budget.c */
bool jtrace_budget_take(u64 *token);
void jtrace_budget_give(u64 token, bool recorded);
void jtrace_budget_set(u32 events, void (*spent)(void));
void jtrace_budget_forget(void);

/* jtrace_record.c */
struct jtrace_site;
void jtrace_record_init(void);
void jtrace_record_count(bool on);
void jtrace_record_uncounted(struct jtrace_site *site);
void jtrace_record_thaw(void);
#ifdef MODULE
#define jtrace_record_is_early()	false
#else
bool jtrace_record_is_early(void);
#endif

/* jtrace_params.c */
int jtrace_params_parse(struct jtrace_config *c);
extern const char * const jtrace_mem_types[JTRACE_MEM_TYPES];
bool jtrace_parse_bool(const char *word, bool *to);

/* jtrace_control.c */
void jtrace_setup_describe(struct jtrace_setup *s, u64 id);
void jtrace_install(const struct jtrace_setup *s);
void jtrace_enable(bool on);
void jtrace_switch(bool on);
int jtrace_clear(void);

/**
 * struct jtrace_stats - counters, summed over all CPUs
 * @recorded: events
 * @overwritten: of these, overwritten by later ones
 * @cleared: of these, hidden by jtrace_clear()
 * @unfinished: of these, never stored, because their task died meanwhile
 * @lost_in_snapshot: of these, overwritten before the last snapshot had copied them
 * @lost: events not recorded, by cause
 */
struct jtrace_stats {
	u64 recorded;
	u64 overwritten;
	u64 cleared;
	u64 unfinished;
	u64 lost_in_snapshot;
	u64 lost[JTRACE_NR_LOSSES];
};

void jtrace_stats_read(struct jtrace_stats *s);

/* jtrace_gate.c */
void jtrace_gate_close(void);
void jtrace_gate_open(void);
s64 jtrace_gate_closers(void);
void jtrace_gate_restore(s64 closers);

/* After an oops, the gate stays closed for so long, because a panic may follow. */
#define JTRACE_FREEZE_TIME	(2 * HZ)

void jtrace_freeze_init(void);
void jtrace_freeze_for_oops(void);
void jtrace_freeze_for_dump(void);
void jtrace_freeze_extend(void);
bool jtrace_thaw_after_dump(void);
void jtrace_dump_died(void);
bool jtrace_freeze_or_thaw(void);
s64 jtrace_gate_skipped(void);
bool jtrace_oops_in_progress(void);
int jtrace_level_at_rest(void);

/* jtrace_clock.c */
extern struct jtrace_clock_state jtrace_clock;

int jtrace_clock_init(struct jtrace_clock_state *clk, const struct jtrace_config *c);
u64 jtrace_clock_fast(struct jtrace_ring_cpu *rc);
u64 jtrace_clock_now(void);
void jtrace_clock_moment(struct jtrace_moment *m);
void jtrace_clock_stamp(struct jtrace_image_header *h);
void jtrace_clock_suspend(void);
void jtrace_clock_resume(void);

/* jtrace_stack.c */
const char *jtrace_stack_lacks(void);
void jtrace_stack_abandon(void);

/* jtrace_tasks.c */
void jtrace_tasks_start(void);
void jtrace_tasks_stop(void);

/* jtrace_suspend.c */
void jtrace_suspend_init(void);
void jtrace_suspend_exit(void);

/* jtrace_hotplug.c */
void jtrace_hotplug_init(void);
void jtrace_hotplug_exit(void);

/* Zeroed memory, without reclaiming the memory of others. */
static inline void *jtrace_alloc(u64 size)
{
	return __vmalloc(size, GFP_KERNEL | __GFP_ZERO | __GFP_NORETRY | __GFP_NOWARN);
}

/* jtrace_region.c */
int jtrace_region_find(struct jtrace_region *r, const struct jtrace_config *c);
int jtrace_region_alloc(struct jtrace_region *r, u64 size);
void jtrace_region_put(struct jtrace_region *r);
bool jtrace_region_answers(const struct jtrace_region *r, u64 from);
void jtrace_region_warn(struct seq_file *m);

static inline bool jtrace_region_persistent(const struct jtrace_region *r)
{
	return r->type != JTRACE_MEM_DEFAULT;
}

/* jtrace_persist.c */

/**
 * struct jtrace_recovered - the recovered trace of an earlier boot
 * @img: copy of the image, or of the whole region; NULL if no image was found
 * @size: bytes
 * @trace: of @img, scanned
 * @room: memory of @trace
 * @users: readers of @img and @room, plus 1 until @freed
 * @freed: no new reader may use @img and @room
 *
 * Set at load time; @trace never changes.
 */
struct jtrace_recovered {
	void *img;
	u64 size;
	struct jtrace_trace trace;
	void *room;
	u32 users;
	bool freed;
};

extern struct jtrace_recovered jtrace_recovered;

int jtrace_recovered_save(const struct jtrace_region *r, const u8 *boot_id);
const char *jtrace_recovered_verdict(void);
bool jtrace_recovered_get(void);
void jtrace_recovered_put(void);
int jtrace_recovered_free(void);
void jtrace_seal(enum jtrace_state state, const char *reason);
void jtrace_seal_init(void);
void jtrace_seal_exit(void);

/* jtrace_lastboot.c */
const u8 *jtrace_recovered_boot(void);
extern const struct seq_operations jtrace_last_boot_sops;

/* jtrace_boot.c */
void jtrace_boot_identify(struct jtrace_image_header *h);
#ifdef CONFIG_MODULES
void jtrace_modules_init(void);
void jtrace_modules_exit(void);
#else
static inline void jtrace_modules_init(void)
{
}

static inline void jtrace_modules_exit(void)
{
}
#endif

/* jtrace_clients.c */
#define JTRACE_HAS_CLIENTS	(IS_ENABLED(CONFIG_MODULES) && IS_ENABLED(CONFIG_TRACEPOINTS))
void jtrace_clients_attach(void);
void jtrace_clients_detach(void);
void jtrace_clients_wait(void);

/* jtrace_panic.c */
void jtrace_panic_hold(void);
void jtrace_panic_release(void);
void jtrace_panic_init(void);
void jtrace_panic_exit(void);
u32 jtrace_panic_most(void);
void jtrace_panic_log_saved(enum kmsg_dump_reason reason, bool last);
void jtrace_panic_set_dumper(bool registered);

/* jtrace_dumper.c */
void jtrace_dumper_warn(struct seq_file *m);
void jtrace_dumper_init(void);
void jtrace_dumper_exit(void);

/* jtrace_stop.c; jtrace_stop() is in <linux/jtrace.h> */
void jtrace_stop_undo(void);
const char *jtrace_stop_reason(void);
void jtrace_stop_init(void);
void jtrace_stop_exit(void);

/* jtrace_klog.c */
void jtrace_klog_init(void);
void jtrace_klog_exit(void);
void jtrace_klog_save(enum kmsg_dump_reason reason);
void jtrace_klog_abandon(void);
void jtrace_klog_off(void);

/* jtrace_early.c: recording begins while the kernel parses its command line. */
#ifdef MODULE
#define jtrace_enabled_ops	param_ops_charp
#else
extern const struct kernel_param_ops jtrace_enabled_ops;
#endif
void jtrace_early_move(const struct jtrace_setup *to);
void jtrace_early_end(void);
void jtrace_early_unknown(void);

/* jtrace_snapshot.c */
struct dentry;
void jtrace_snapshot_files(struct dentry *dir);

/* jtrace_status.c */
void jtrace_status_files(struct dentry *dir);

/* jtrace_user.c */
void jtrace_user_files(struct dentry *dir);
void jtrace_user_exit(void);

/* jtrace_debugfs.c */
void jtrace_debugfs_init(void);
void jtrace_debugfs_exit(void);

#endif /* _JTRACE_INTERNAL_H */
