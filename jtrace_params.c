// SPDX-License-Identifier: GPL-2.0
/*
 * Parse module parameters into struct jtrace_config.
 *
 * Parameters are strings, so that we log each refusal in one line with parameter, value and limit.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "jtrace_internal.h"

/* None can be changed after jtrace is loaded. */
#define JTRACE_PARAM_OPS(name, ops, type, mode, text)			\
	static char *name;						\
	module_param_cb(name, &(ops), &name, mode);			\
	__MODULE_PARM_TYPE(name, type);					\
	MODULE_PARM_DESC(name, text)

#define JTRACE_PARAM(name, type, text)					\
	JTRACE_PARAM_OPS(name, param_ops_charp, type, 0444, text)

JTRACE_PARAM_OPS(enabled, jtrace_enabled_ops, "string", 0444,
		 "off, on or persistent (default on as a module, off built in)");
JTRACE_PARAM(target_buffer_size, "ulong",
	     "size of the trace buffer in bytes, or with suffix K or M (default 32768, or 12 KiB per CPU if that is more; persistent: the whole region, or 4096 if that is below 64 KiB)");
JTRACE_PARAM(sites, "ulong",
	     "size of the site table in bytes, or with suffix K or M; a call site takes 32 bytes plus its strings (default: a share of the buffer)");
JTRACE_PARAM(log_size, "ulong",
	     "size of the area for the kernel log of the crash in bytes, or with suffix K or M; 0: none (default: none in a buffer below 256 KiB, otherwise a 16th of it, 16 to 256 KiB)");
JTRACE_PARAM(stacks, "ulong",
	     "size of the area for stacks in bytes, or with suffix K or M; each distinct one takes 32 to 160 bytes; 0: none (default: none in a buffer below 64 KiB, otherwise a 32nd of it, from 1 MiB on at least 32 KiB)");
JTRACE_PARAM(tasks, "ulong",
	     "size of the area for the names of tasks in bytes, or with suffix K or M; a name takes 32 bytes; 0: none (default: none in a buffer below 64 KiB, otherwise a 32nd of it, from 1 MiB on at least 32 KiB)");
JTRACE_PARAM(last_entry_storage, "int",
	     "number of CPUs whose last event is shown after the trace; -1: all (default 0)");
JTRACE_PARAM(use_large_entries, "bool",
	     "large (64-byte) or small (24-byte) entries (default y; persistent below 64 KiB: n)");
JTRACE_PARAM(use_mono_timestamps, "bool",
	     "show the monotonic clock instead of the boot-time clock (default n)");
JTRACE_PARAM(clock, "string",
	     "clock of entries: ticks (processor counter), fast (NMI-safe ktime clock) or auto, which takes ticks if the kernel trusts the counter (default auto)");
JTRACE_PARAM(panic_lines, "int",
	     "a dump prints at most this many entries, the newest; 0: all; -1: as many as fit in half the kernel log (default -1)");
JTRACE_PARAM(dump_on_oops, "bool",
	     "dump also on a non-fatal oops (default n)");

JTRACE_PARAM(stop_on, "string",
	     "alarms of the kernel that stop recording: warn, oops, hung_task, or several with commas (default none)");

/*
 * Only root may read a physical address, as in /proc/iomem.
 *
 * jtrace clears and shows the memory at this address.  Otherwise root of a locked-down kernel
 * could use a signed module to read and overwrite any reserved range, the firmware's included.  So
 * the kernel itself refuses this parameter when it is locked down, as mem_address of ramoops.
 * mem_size does nothing without it; for mem_name see jtrace_region.c.
 */
static char *mem_address;
module_param_hw_named(mem_address, mem_address, charp, other, 0400);
MODULE_PARM_DESC(mem_address, "physical address of reserved memory, for enabled=persistent");
JTRACE_PARAM(mem_size, "ullong",
	     "size of the reserved memory in bytes, or with suffix K, M or G");
JTRACE_PARAM(mem_name, "string",
	     "name of a region of reserve_mem=, instead of mem_address and mem_size");
JTRACE_PARAM(mem_type, "string",
	     "how to map reserved memory: wb (cached; each record is written back), wc or uc (default wb)");
JTRACE_PARAM(keep_on_reboot, "bool",
	     "show the trace also after an orderly shutdown (default n)");

/**
 * jtrace_parse_bool() - parse a word for yes or no
 * @word: user's input
 * @to: result
 *
 * Not kstrtobool(), which only tests the first letters: "yesterday" would be yes.
 *
 * Return: false if the word is neither.
 */
bool jtrace_parse_bool(const char *word, bool *to)
{
	static const char * const words[] = {
		"n", "y", "no", "yes", "off", "on", "0", "1", "false", "true",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcasecmp(word, words[i])) {
			*to = i % 2;
			return true;
		}
	}
	return false;
}

static int parse_bool(const char *name, const char *value, bool *to)
{
	if (!value || jtrace_parse_bool(value, to))
		return 0;
	pr_err("%s=%s: must be y or n, yes or no, on or off, 1 or 0, true or false\n", name,
	       value);
	return -EINVAL;
}

/* An int of @least or more. */
static int parse_int(const char *name, const char *value, int least, int *to)
{
	if (value && (kstrtoint(value, 0, to) || *to < least)) {
		pr_err("%s=%s: must be a number from %d to %d\n", name, value, least, INT_MAX);
		return -EINVAL;
	}
	return 0;
}

/* One of @words, indexed by value; @choice lists them for the message. */
static int parse_word(const char *name, const char *value, const char * const *words, u32 nr,
		      const char *choice, u32 *to)
{
	u32 i;

	if (!value)
		return 0;
	for (i = 0; i < nr; i++) {
		if (words[i] && !strcmp(words[i], value)) {
			*to = i;
			return 0;
		}
	}
	pr_err("%s=%s: must be %s\n", name, value, choice);
	return -EINVAL;
}

/* A number with a suffix.  Not memparse(), which does not detect overflow. */
static bool parse_bytes(const char *value, u64 *to)
{
	static const char suffixes[] = "kmg";
	size_t len = strlen(value);
	const char *suffix;
	char digits[24];
	int shift = 0;

	if (!len || strscpy(digits, value, sizeof(digits)) < 0)
		return false;
	suffix = strchr(suffixes, tolower(value[len - 1]));
	if (suffix) {
		digits[len - 1] = 0;
		shift = 10 * (suffix - suffixes + 1);
	}
	/* kstrtoull() accepts a newline at the end, where a suffix was. */
	if (strchr(digits, '\n') || kstrtoull(digits, 0, to) || *to > U64_MAX >> shift)
		return false;
	*to <<= shift;
	return true;
}

/* @most is 0 if the machine sets the limit. */
static int parse_size(const char *name, const char *value, u64 most, u64 *to)
{
	if (!value || (parse_bytes(value, to) && *to && *to <= (most ?: U64_MAX)))
		return 0;
	if (most)
		pr_err("%s=%s: must be a number of bytes from 1 up to %llu\n", name, value, most);
	else
		pr_err("%s=%s: must be a number of bytes, not 0\n", name, value);
	return -EINVAL;
}

const char * const jtrace_mem_types[JTRACE_MEM_TYPES] = {
	[JTRACE_MEM_WB] = "wb",
	[JTRACE_MEM_WC] = "wc",
	[JTRACE_MEM_UC] = "uc",
};

/* Words with commas between them: one bit for each of @words. */
static int parse_words(const char *name, const char *value, const char * const *words, u32 nr,
		       const char *choice, u32 *to)
{
	const char *word = value;

	while (word) {
		size_t len = strcspn(word, ",");
		u32 i;

		for (i = 0; i < nr; i++)
			if (strlen(words[i]) == len && !memcmp(words[i], word, len))
				break;
		if (i == nr) {
			pr_err("%s=%s: must be %s, or several of these with commas\n", name,
			       value, choice);
			return -EINVAL;
		}
		*to |= 1 << i;
		word = word[len] ? word + len + 1 : NULL;
	}
	return 0;
}

/* A record of the log must fit in a page, and a crash report in the rest of the area. */
#define SMALLEST_LOG	4096

/* Bytes of an area of the image: 0, or @least or more. */
static int parse_area(const char *name, const char *value, u32 least, u64 *to)
{
	if (!value || (parse_bytes(value, to) && (!*to || *to >= least) &&
		       *to <= JTRACE_LARGEST_SIZE))
		return 0;
	pr_err("%s=%s: must be 0, or a number of bytes from %u up to %llu\n", name, value, least,
	       JTRACE_LARGEST_SIZE);
	return -EINVAL;
}

/* Refuse parameters that cannot be combined. */
static int check_mode(const struct jtrace_config *c)
{
	const struct {
		const char *name, *value;
	} persistent[] = {
		{ "mem_address", mem_address }, { "mem_size", mem_size }, { "mem_name", mem_name },
		{ "mem_type", mem_type }, { "keep_on_reboot", keep_on_reboot },
		{ "log_size", log_size },
	};
	u32 i;

	for (i = 0; c->mode != JTRACE_PERSISTENT && i < ARRAY_SIZE(persistent); i++) {
		if (!persistent[i].value)
			continue;
		pr_err("%s=%s: only with enabled=persistent\n", persistent[i].name,
		       persistent[i].value);
		return -EINVAL;
	}
	if (c->mode == JTRACE_PERSISTENT && c->size % JTRACE_SIZE_ALIGN) {
		pr_err("target_buffer_size=%llu: must be a multiple of %u with enabled=persistent\n",
		       c->size, JTRACE_SIZE_ALIGN);
		return -EINVAL;
	}
	if (mem_name && !*mem_name) {
		pr_err("mem_name=: must not be empty\n");
		return -EINVAL;
	}
	return 0;
}

/**
 * jtrace_params_parse() - parse and check the module parameters
 * @c: result
 *
 * Limits that depend on the machine are checked elsewhere.
 *
 * Return: 0, or an error after one line that says why.
 */
int jtrace_params_parse(struct jtrace_config *c)
{
	static const char * const modes[] = {
		[JTRACE_OFF] = "off",
		[JTRACE_ON] = "on",
		[JTRACE_PERSISTENT] = "persistent",
	};
	static const char * const clocks[] = {
		[JTRACE_USE_AUTO] = "auto",
		[JTRACE_USE_TICKS] = "ticks",
		[JTRACE_USE_FAST] = "fast",
	};
	/* In the order of the bits JTRACE_STOP_*. */
	static const char * const alarms[] = { "warn", "oops", "hung_task" };
	bool large = true;
	int err;

	*c = (struct jtrace_config){
		.mode = IS_BUILTIN(CONFIG_JTRACE) ? JTRACE_OFF : JTRACE_ON,
		.log = JTRACE_DEFAULT,
		.tasks = JTRACE_DEFAULT,
		.stacks = JTRACE_DEFAULT,
		.panic_lines = -1,
		.mem_name = mem_name,
	};
	err = parse_word("enabled", enabled, modes, ARRAY_SIZE(modes), "off, on or persistent",
			 &c->mode) ?:
	      parse_size("target_buffer_size", target_buffer_size, JTRACE_LARGEST_SIZE, &c->size) ?:
	      parse_size("sites", sites, JTRACE_LARGEST_SITES, &c->sites) ?:
	      parse_area("log_size", log_size, SMALLEST_LOG, &c->log) ?:
	      parse_area("tasks", tasks, JTRACE_SIZE_ALIGN, &c->tasks) ?:
	      parse_area("stacks", stacks, JTRACE_SIZE_ALIGN, &c->stacks) ?:
	      parse_int("last_entry_storage", last_entry_storage, -1, &c->last) ?:
	      parse_bool("use_large_entries", use_large_entries, &large) ?:
	      parse_bool("use_mono_timestamps", use_mono_timestamps, &c->mono) ?:
	      parse_word("clock", clock, clocks, ARRAY_SIZE(clocks), "auto, ticks or fast",
			 &c->clock) ?:
	      parse_int("panic_lines", panic_lines, -1, &c->panic_lines) ?:
	      parse_bool("dump_on_oops", dump_on_oops, &c->dump_on_oops) ?:
	      parse_words("stop_on", stop_on, alarms, ARRAY_SIZE(alarms),
			  "warn, oops or hung_task", &c->stop_on) ?:
	      parse_size("mem_address", mem_address, 0, &c->mem_address) ?:
	      parse_size("mem_size", mem_size, 0, &c->mem_size) ?:
	      parse_word("mem_type", mem_type, jtrace_mem_types, JTRACE_MEM_TYPES,
			 "wb, wc or uc", &c->mem_type) ?:
	      parse_bool("keep_on_reboot", keep_on_reboot, &c->keep_on_reboot) ?:
	      check_mode(c);
	if (use_large_entries)
		c->kind = large ? JTRACE_KIND_LARGE : JTRACE_KIND_SMALL;
	return err;
}
