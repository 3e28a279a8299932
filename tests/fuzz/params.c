// SPDX-License-Identifier: GPL-2.0
/*
 * Module parameters with any text: each is refused with one line that names it, or gives a value
 * within the documented limits.
 *
 * The input has a byte for each parameter, which says whether it is given, and how: by the text
 * that follows, up to a NUL, or by a text that is nearly right.
 */

#include "kernel.h"

/* The C library has a function of that name. */
#define clock clock_param
#include "../../jtrace_params.c"

#include "fuzz.h"

#undef pr_fmt

static char said[8192];
static u32 nr_said;

void pr_err(const char *fmt, ...)
{
	va_list args;

	nr_said++;
	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
}

static const struct {
	const char *name;
	char **(*at)(void);
} params[] = {
	{ "enabled", param_enabled },
	{ "target_buffer_size", param_target_buffer_size },
	{ "last_entry_storage", param_last_entry_storage },
	{ "use_large_entries", param_use_large_entries },
	{ "use_mono_timestamps", param_use_mono_timestamps },
	{ "clock", param_clock_param },
	{ "panic_lines", param_panic_lines },
	{ "dump_on_oops", param_dump_on_oops },
	{ "log_size", param_log_size },
	{ "mem_address", param_mem_address },
	{ "mem_size", param_mem_size },
	{ "mem_name", param_mem_name },
	{ "mem_type", param_mem_type },
	{ "keep_on_reboot", param_keep_on_reboot },
	{ "sites", param_sites },
	{ "stop_on", param_stop_on },
	{ "tasks", param_tasks },
	{ "stacks", param_stacks },
};

static const char * const likely_texts[] = {
	"off", "on", "persistent", "auto", "ticks", "fast", "wb", "wc", "uc", "y", "n", "0", "1",
	"-1", "4096", "32k", "1M", "1G", "0x10000000", "268435456", "268435457", "2147483647",
	"2147483648", "-2147483648", "18446744073709551615", "18446744073709551616",
	"17179869183G", "17179869184G", "17179869185G", "18014398509482016K", "+5", "-", "0x",
	"k", "", " 1", "1 ", "1\n", "08", "00000000000000000000001",
	"warn", "oops", "hung_task", "warn,oops,hung_task", "oops,", ",", "yes", "No", "true", "FALSE", "yesterday", "nope", "onward", "y\n",
};

static const u8 *in, *end;

/* A copy of exactly that length, so that a sanitizer sees the end. */
static char *text_of(void)
{
	const char *from;
	size_t len;
	u8 how;

	if (in == end)
		return NULL;
	how = *in++;
	if (how & 1)
		return how & 2 ? NULL : strdup(likely_texts[how / 4 % ARRAY_SIZE(likely_texts)]);
	from = (const char *)in;
	len = strnlen(from, end - in);
	in += len + (in + len < end);
	return strndup(from, len);
}

/* The exact value of a parameter in bytes, by digits and a shift. */
static bool bytes_fit(const char *text, u64 most, u64 value)
{
	u64 v;
	char *suffix;

	errno = 0;
	v = strtoull(text, &suffix, 0);
	if (errno)
		return false;
	switch (tolower(*suffix)) {
	case 'k':
		return v <= most >> 10 && v << 10 == value;
	case 'm':
		return v <= most >> 20 && v << 20 == value;
	case 'g':
		return v <= most >> 30 && v << 30 == value;
	default:
		return v <= most && v == value;
	}
}

/* Compare whole words, in upper or lower case. */
static void judge_bool(const char *text, bool value)
{
	static const char * const yes[] = { "y", "yes", "on", "1", "true" };
	static const char * const no[] = { "n", "no", "off", "0", "false" };
	u32 i, found[2] = { 0 };

	for (i = 0; text && i < ARRAY_SIZE(yes); i++) {
		found[1] += !strcasecmp(text, yes[i]);
		found[0] += !strcasecmp(text, no[i]);
	}
	must(!text || (found[value] == 1 && !found[!value]), "%s is not %u", text, value);
}

static void judge_config(const struct jtrace_config *c)
{
	must(c->mode <= JTRACE_PERSISTENT && c->clock <= JTRACE_USE_FAST &&
	     c->mem_type <= JTRACE_MEM_UC, "%u %u %u", c->mode, c->clock, c->mem_type);
	must(!!c->kind == !!use_large_entries && c->kind <= JTRACE_KIND_LARGE, "%u", c->kind);
	must(c->last >= -1 && c->panic_lines >= -1, "%d %d", c->last, c->panic_lines);
	must(c->size <= JTRACE_LARGEST_SIZE && !!c->size == !!target_buffer_size, "%llu",
	     (unsigned long long)c->size);
	must(!target_buffer_size || bytes_fit(target_buffer_size, JTRACE_LARGEST_SIZE, c->size),
	     "%s is not %llu", target_buffer_size, (unsigned long long)c->size);
	must(c->sites <= 16 << 20 && !!c->sites == !!sites, "%llu", (unsigned long long)c->sites);
	must(!sites || bytes_fit(sites, 16 << 20, c->sites), "%s is not %llu", sites,
	     (unsigned long long)c->sites);
	must(log_size ? !c->log || c->log >= 4096 : c->log == JTRACE_DEFAULT, "%llu",
	     (unsigned long long)c->log);
	must(!log_size || bytes_fit(log_size, JTRACE_LARGEST_SIZE, c->log), "%s is not %llu",
	     log_size, (unsigned long long)c->log);
	must(tasks ? !c->tasks || c->tasks >= 128 : c->tasks == JTRACE_DEFAULT, "%llu",
	     (unsigned long long)c->tasks);
	must(!tasks || bytes_fit(tasks, JTRACE_LARGEST_SIZE, c->tasks), "%s is not %llu", tasks,
	     (unsigned long long)c->tasks);
	must(stacks ? !c->stacks || c->stacks >= 128 : c->stacks == JTRACE_DEFAULT, "%llu",
	     (unsigned long long)c->stacks);
	must(!stacks || bytes_fit(stacks, JTRACE_LARGEST_SIZE, c->stacks), "%s is not %llu", stacks,
	     (unsigned long long)c->stacks);
	must(stop_on ? c->stop_on && c->stop_on <= 7 : !c->stop_on, "%s is %u", stop_on,
	     c->stop_on);
	judge_bool(use_large_entries, c->kind == JTRACE_KIND_LARGE);
	judge_bool(use_mono_timestamps, c->mono);
	judge_bool(dump_on_oops, c->dump_on_oops);
	judge_bool(keep_on_reboot, c->keep_on_reboot);
	must(!mem_size || bytes_fit(mem_size, U64_MAX, c->mem_size), "%s is not %llu", mem_size,
	     (unsigned long long)c->mem_size);
	must(!mem_address || bytes_fit(mem_address, U64_MAX, c->mem_address), "%s is not %llu",
	     mem_address, (unsigned long long)c->mem_address);
	if (c->mode == JTRACE_PERSISTENT)
		must(c->size % JTRACE_SIZE_ALIGN == 0, "%llu", (unsigned long long)c->size);
	else
		must(!mem_address && !mem_size && !mem_name && !mem_type && !keep_on_reboot &&
		     !log_size, "for reserved memory");
}

/* The only line begins with a parameter, as given or as parsed. */
static void judge_refusal(void)
{
	size_t len = strcspn(said, "=");
	u32 i;

	must(nr_said == 1, "%u lines", nr_said);
	must(said[strlen(said) - 1] == '\n', "%s", said);
	for (i = 0; i < ARRAY_SIZE(params); i++)
		if (strlen(params[i].name) == len && !memcmp(said, params[i].name, len) &&
		    *params[i].at())
			return;
	must(!"a parameter that was given", "%s", said);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct jtrace_config c;
	u32 i;
	int err;

	in = data;
	end = data + min_t(size_t, size, 4096);
	nr_said = 0;
	for (i = 0; i < ARRAY_SIZE(params); i++)
		*params[i].at() = text_of();
	err = jtrace_params_parse(&c);
	must(!err || err == -EINVAL, "%d", err);
	if (err) {
		judge_refusal();
	} else {
		must(!nr_said, "%s", said);
		judge_config(&c);
	}
	for (i = 0; i < ARRAY_SIZE(params); i++)
		free(*params[i].at());
	return 0;
}
