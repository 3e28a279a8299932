// SPDX-License-Identifier: GPL-2.0
/*
 * Files in debugfs that tell about the recorder: config and stats for people, state for programs.
 */

#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/jtrace.h>
#include <linux/jtrace_site.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "jtrace_internal.h"
#include "jtrace_lines.h"
#include "lib/read/render.h"

/* Bytes for stacks that are proposed at least. */
#define STACKS_PROPOSED		65536

/* ---- config ----------------------------------------------------------- */

static void show_warnings(struct seq_file *m)
{
	const struct jtrace_config *c = &jtrace.setup.config;
	s64 unstored = atomic64_read(&jtrace.sites.unstored) - jtrace.sites.early;
	s64 stackless = atomic64_read(&jtrace.stacks.unstored);

#ifdef CONFIG_JTRACE_EARLY_SIZE
	if (jtrace.sites.early)
		jtrace_warn(m, "%llu call sites of early boot found no room, so their entries have no name: build the kernel with CONFIG_JTRACE_EARLY_SIZE larger than %d",
			    jtrace.sites.early, CONFIG_JTRACE_EARLY_SIZE);
#endif
	if (unstored)
		jtrace_warn(m, "%lld call sites found no room in the site table, so their entries have no name: load jtrace with sites=%llu",
			    unstored,
			    jtrace_sites_suffice(jtrace_sites_used(&jtrace.sites),
						 atomic64_read(&jtrace.sites.missing)));
	if (stackless && jtrace_stack_refused())
		jtrace_warn(m, "%lld events have no stack: %s", stackless, jtrace_stack_refused());
	else if (stackless)
		jtrace_warn(m, "%lld events have no stack, because there was no room for it: load jtrace with stacks=%u",
			    stackless, max_t(u32, 2 * jtrace.ring.l.stacks_size, STACKS_PROPOSED));
	if (jtrace.setup.fit == JTRACE_FIT_TIGHT)
		jtrace_warn(m, "few chunks for this number of CPUs, events may be dropped");
	if (jtrace.setup.fit == JTRACE_FIT_FEW)
		jtrace_warn(m, "few entries for this number of CPUs, events may be dropped");
	if (jtrace.setup.fit == JTRACE_FIT_POOR)
		jtrace_warn(m, "too small for this number of CPUs, events may be dropped, and the last events of an idle CPU overwritten");
	if (c->last > 0 && c->last != num_possible_cpus())
		jtrace_warn(m, "Per-CPU last entry cnt is %d, but there are %u CPUs", c->last,
			    num_possible_cpus());
	if (jtrace_clock.ticks && !jtrace_ticks_trusted())
		jtrace_warn(m, "the kernel does not trust the counter that stamps entries, so times may be wrong: reload jtrace without clock=ticks");
	jtrace_dumper_warn(m);
	jtrace_region_warn(m);
}

/* Only root may read addresses, as in /proc/iomem. */
static u64 phys_shown(const struct seq_file *m)
{
	bool root = file_ns_capable(m->file, &init_user_ns, CAP_SYS_ADMIN);

	return root ? jtrace.setup.region.phys : 0;
}

static void show_region(struct seq_file *m)
{
	const struct jtrace_region *r = &jtrace.setup.region;

	seq_printf(m, "Physical address       : 0x%llx\n", phys_shown(m));
	seq_printf(m, "Region size            : %llu\n", r->size);
	seq_printf(m, "Memory type            : %s\n", jtrace_mem_types[r->type]);
	seq_printf(m, "Kernel log             : %u\n", jtrace.ring.l.log_size);
	seq_printf(m, "Keep on reboot         : %s\n",
		   jtrace.setup.config.keep_on_reboot ? "yes" : "no");
	seq_printf(m, "Found at load          : %s\n", jtrace_recovered_verdict());
}

static int config_show(struct seq_file *m, void *v)
{
	const struct jtrace_config *c = &jtrace.setup.config;
	const struct jtrace_layout *l = &jtrace.ring.l;
	u64 history = jtrace_ring_history(&jtrace.ring);

	seq_puts(m, "JTRACE configuration\n");
	seq_puts(m, "--------------------\n");
	seq_printf(m, "Requested Buffer Size  : %llu\n", c->size ?: l->size);
	seq_printf(m, "Allocated Buffer Size  : %llu\n", l->size);
	seq_printf(m, "Allocated Buffer Loc   : 0x%pK\n", jtrace.setup.region.at);
	seq_printf(m, "Per-CPU last entry cnt : %u\n", le32_to_cpu(jtrace.setup.header.last_cpus));
	seq_printf(m, "Large entries          : %s\n",
		   l->kind == JTRACE_KIND_LARGE ? "yes" : "no");
	seq_printf(m, "Persistent             : %s\n",
		   c->mode == JTRACE_PERSISTENT ? "yes" : "no");
	if (c->mode == JTRACE_PERSISTENT)
		show_region(m);

	seq_printf(m, "Entries                : %llu\n", jtrace_layout_entries(l));
	seq_printf(m, "Chunks                 : %u of %u bytes, %u entries each\n",
		   l->nr_chunks, 1U << l->chunk_shift, l->entries);
	seq_printf(m, "Site table             : %u bytes, %llu used, for about %u call sites\n",
		   l->sites_end - l->sites_off, jtrace_sites_used(&jtrace.sites),
		   (l->sites_end - l->sites_off) / JTRACE_SITE_RECORD_TYPICAL);
	seq_printf(m, "Names of tasks         : %u bytes, for %u names\n", l->tasks_size,
		   l->tasks_size / (u32)sizeof(struct jtrace_task_record));
	seq_printf(m, "Stacks                 : %u bytes, for about %u stacks\n", l->stacks_size,
		   l->stacks_size / (u32)JTRACE_STACK_RECORD_TYPICAL);
	seq_printf(m, "CPUs                   : %u\n", num_possible_cpus());
	seq_printf(m, "Time stamps            : %s\n", c->mono ? "monotonic" : "boot-time");
	if (jtrace_clock.ticks)
		seq_printf(m, "Clock                  : ticks, %u kHz\n", jtrace_clock.khz);
	else
		seq_puts(m, "Clock                  : fast\n");
	seq_printf(m, "Panic lines            : %d, at most %u entries\n", c->panic_lines,
		   jtrace_panic_most());
	seq_printf(m, "Dump on oops           : %s\n", c->dump_on_oops ? "yes" : "no");
	if (jtrace_stop_reason())
		seq_printf(m, "Stopped                : %s\n", jtrace_stop_reason());
	if (history)
		seq_printf(m, "History                : %llu.%llu s at the present rate\n",
			   history / NSEC_PER_SEC, history % NSEC_PER_SEC / (NSEC_PER_SEC / 10));
	show_warnings(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(config);

/* ---- stats ------------------------------------------------------------ */

static const char * const loss_names[] = {
	[JTRACE_SKIPPED] = "skipped",
	[JTRACE_DROPPED_BUSY] = "dropped_busy",
	[JTRACE_DROPPED_NESTED] = "dropped_nested",
};
static_assert(ARRAY_SIZE(loss_names) == JTRACE_NR_LOSSES);

static int stats_show(struct seq_file *m, void *v)
{
	struct jtrace_stats s;
	int i;

	mutex_lock(&jtrace.lock);
	jtrace_stats_read(&s);
	mutex_unlock(&jtrace.lock);
	seq_printf(m, "recorded %llu\n", s.recorded);
	seq_printf(m, "overwritten %llu\n", s.overwritten);
	seq_printf(m, "cleared %llu\n", s.cleared);
	seq_printf(m, "unfinished %llu\n", s.unfinished);
	seq_printf(m, "lost_in_snapshot %llu\n", s.lost_in_snapshot);
	for (i = 0; i < JTRACE_NR_LOSSES; i++)
		seq_printf(m, "%s %llu\n", loss_names[i], s.lost[i]);
	seq_printf(m, "sites %lld\n", (s64)atomic64_read(&jtrace.sites.stored));
	seq_printf(m, "sites_unstored %lld\n", (s64)atomic64_read(&jtrace.sites.unstored));
	seq_printf(m, "dumps_died %lld\n", (s64)atomic64_read(&jtrace.dumps_died));
	seq_printf(m, "thaws %lld\n", (s64)atomic64_read(&jtrace.thaws));
	seq_printf(m, "chunks_stuck %u\n", jtrace_ring_stuck(&jtrace.ring));
	seq_printf(m, "tasks_evicted %llu\n", READ_ONCE(jtrace.tasks.evicted));
	seq_printf(m, "modules_unstored %llu\n", READ_ONCE(jtrace.sites.modules_unstored));
	seq_printf(m, "stacks %lld\n", (s64)atomic64_read(&jtrace.stacks.stored));
	seq_printf(m, "stacks_unstored %lld\n", (s64)atomic64_read(&jtrace.stacks.unstored));
	seq_printf(m, "stacks_nested %lld\n", (s64)atomic64_read(&jtrace.stacks.nested));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

DEFINE_SEQ_ATTRIBUTE(jtrace_last_boot);

/* ---- state ------------------------------------------------------------ */

/*
 * A line KEY=VALUE each.  Keys are never renamed and values keep their form; keys without a value
 * are left out.  What a user wrote stands last, and has no newline.
 */
static int state_show(struct seq_file *m, void *v)
{
	const struct jtrace_region *r = &jtrace.setup.region;
	const u8 *boot = jtrace_recovered_boot();
	u64 history = jtrace_ring_history(&jtrace.ring);

	seq_printf(m, "size=%llu\n", jtrace.ring.l.size);
	if (jtrace.setup.config.mode == JTRACE_PERSISTENT) {
		seq_printf(m, "persistent=y\nmem_address=0x%llx\nmem_size=%llu\nmem_type=%s\n",
			   phys_shown(m), r->size, jtrace_mem_types[r->type]);
	} else {
		seq_puts(m, "persistent=n\n");
	}
	if (boot)
		seq_printf(m, "recovered_boot=%*phN\n", 16, boot);
	if (history)
		seq_printf(m, "history_ms=%llu\n", history / NSEC_PER_MSEC);
	jtrace_lines_tell(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

/**
 * jtrace_status_files() - create the files that tell about the recorder
 * @dir: where
 *
 * Context: Process.
 */
void jtrace_status_files(struct dentry *dir)
{
	debugfs_create_file("config", 0444, dir, NULL, &config_fops);
	debugfs_create_file("stats", 0444, dir, NULL, &stats_fops);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	debugfs_create_file("last_boot_info", 0400, dir, NULL, &jtrace_last_boot_fops);
}
