// SPDX-License-Identifier: GPL-2.0
/* Crashes as tables and as JSON, one object a line. */

#include <stdlib.h>

#include "../base/base.h"
#include "../machine/machine.h"
#include "../print/print.h"
#include "../why/why.h"
#include "crashes.h"

/* Bytes as coredumpctl(1) has them: "16.0M". */
static void put_size(u64 size, char to[16])
{
	static const char units[] = "BKMGT";
	double value = size;
	u32 unit = 0;

	for (; value >= 1024 && unit < strlen(units) - 1; unit++)
		value /= 1024;
	scnprintf(to, 16, size ? "%.*f%c" : "-", unit ? 1 : 0, value, units[unit]);
}

static bool has_machines(const struct crashes *all)
{
	return all->nr && all->crash[0].journal;
}

static void list_json(const struct listed *l)
{
	char when[CRASH_TIME];

	crash_time(l->c.real, when);
	printf("{\"type\":\"crash\",\"number\":%llu", l->number);
	if (l->journal) {
		json_put_string(stdout, "machine", l->machine);
		json_put_string(stdout, "machine_id", l->machine_id);
	}
	json_put_string(stdout, "time", when);
	printf(",\"real_ns\":\"%llu\"", l->c.real);
	json_put_string(stdout, "boot_id", l->c.boot);
	printf(",\"image_id\":\"0x%016llx\"", l->c.image);
	json_put_string(stdout, "release", l->c.release);
	json_put_string(stdout, "cause", crash_end_name(l->c.end));
	json_put_string(stdout, "signature", l->c.signature);
	printf(",\"size\":%llu", l->size);
	json_put_string(stdout, "path", l->path);
	printf(",\"recovered\":%s", l->recovered ? "true" : "false");
}

/**
 * table_list() - print a list of crashes
 * @all: the crashes
 * @json: as JSON
 */
void table_list(const struct crashes *all, bool json)
{
	char when[CRASH_TIME], size[16];
	const struct listed *l;
	int width = 0, host = 0;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		width = max_t(int, width, strlen(all->crash[i].c.release));
		host = max_t(int, host, strlen(all->crash[i].machine));
	}
	if (!json && all->nr)
		printf("%3s %-20s %s%*s%-8s %-*s %-13s %6s %s\n", "N", "TIME",
		       host ? "MACHINE" : "", host ? max(host - 7, 0) + 1 : 0, "", "BOOT", max(width, 6),
		       "KERNEL", "CAUSE", "SIZE", "SIGNATURE");
	for (i = 0; i < all->nr && output_ok(); i++) {
		l = &all->crash[i];
		if (json) {
			list_json(l);
			puts("}");
			continue;
		}
		crash_time(l->c.real, when);
		put_size(l->size, size);
		printf("%3llu %-20s ", l->number, when);
		if (host)
			printf("%-*s ", max(host, 7), l->machine);
		printf("%.8s %-*s %-13s %6s %s\n", l->c.boot, max(width, 6),
		       l->c.release[0] ? l->c.release : "-", crash_end_name(l->c.end), size,
		       l->c.signature[0] ? l->c.signature : "-");
	}
}

static void put_row(const char *name, const char *value)
{
	if (value && *value)
		printf("%14s: %s\n", name, value);
}

/* Rows behind the first line of a text begin where that does. */
static void put_lines(const char *name, const char *text)
{
	const char *end;

	for (; text && *text; text = *end ? end + 1 : end, name = "") {
		end = strchrnul(text, '\n');
		if (*name)
			printf("%14s: %.*s\n", name, (int)(end - text), text);
		else
			printf("%16s%.*s\n", "", (int)(end - text), text);
	}
}

/* What jtrace why says, of an image. */
static bool read_why(const struct listed *l, char **text)
{
	size_t len = 0;
	struct dump d = { 0 };
	struct source s;
	bool found = false, ok;
	FILE *to = open_memstream(text, &len);

	ok = to && source_open(&s, l->path) && image_load(&d, &s);
	if (ok && dump_readable(&d)) {
		decode_open(&d.t);
		ok = why_write(&d, WHY_TEXT, ~0ULL, to, &found);
		decode_close();
	}
	dump_free(&d);
	return to && !fclose(to) && ok;
}

static const char *where(const struct listed *l, char *to, size_t size)
{
	if (l->recovered)
		return "in the module, not yet in the archive";
	if (l->journal && !l->path[0])
		return l->image ? "in the journal" : "";
	if (l->journal)
		scnprintf(to, size, "%s of that machine", l->path);
	else
		scnprintf(to, size, "%s/%s%s", ARCHIVE, l->kept, l->path[0] ? "" : " (no image)");
	return to;
}

/**
 * table_info() - print all that is known of a crash
 * @l: the crash
 * @json: as JSON
 *
 * Return: false, after a message, on an error.
 */
bool table_info(const struct listed *l, bool json)
{
	char when[CRASH_TIME], size[16], place[4200], *text = NULL;
	const char *why = l->why;
	bool ok = true;

	if (!l->journal && l->path[0]) {
		ok = read_why(l, &text);
		why = text;
	}
	if (json) {
		list_json(l);
		if (l->message)
			json_put_string(stdout, "message", l->message);
		if (why)
			json_put_string(stdout, "why", why);
		puts("}");
	} else {
		crash_time(l->c.real, when);
		put_size(l->size, size);
		printf("%14s: %llu\n", "N", l->number);
		put_row("Machine", l->machine);
		put_row("Time", when);
		put_row("Boot", l->c.boot);
		put_row("Kernel", l->c.release);
		put_row("Cause", crash_end_name(l->c.end));
		put_row("Signature", l->c.signature);
		put_row("Storage", where(l, place, sizeof(place)));
		put_row("Size", size);
		put_lines("Message", l->message);
		put_lines("Why", why);
	}
	free(text);
	return ok;
}

/* ---- Which crash is the most frequent one ----------------------------- */

/**
 * struct group - crashes with one signature
 * @first: the first of them, in a list sorted by signature, then machine
 * @nr: how many
 * @machines: of so many machines
 * @oldest: time of the oldest one, ns
 * @newest: time of the newest one, ns
 */
struct group {
	const struct listed *const *first;
	size_t nr;
	size_t machines;
	u64 oldest;
	u64 newest;
};

static int compare_signature(const void *a, const void *b)
{
	const struct listed *x = *(const struct listed *const *)a;
	const struct listed *y = *(const struct listed *const *)b;

	return strcmp(x->c.signature, y->c.signature) ?: strcmp(x->machine_id, y->machine_id);
}

/* The most frequent first, then the newest. */
static int compare_group(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	if (x->newest != y->newest)
		return x->newest > y->newest ? -1 : 1;
	return strcmp((*x->first)->c.signature, (*y->first)->c.signature);
}

static size_t find_groups(const struct listed *const *by, size_t nr, struct group *to)
{
	struct group *g = to - 1;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct listed *l = by[i];
		bool same = i && !strcmp(by[i - 1]->c.signature, l->c.signature);

		if (!same)
			*++g = (struct group){ .first = by + i, .oldest = ~0ULL };
		g->machines += !same || strcmp(by[i - 1]->machine_id, l->machine_id);
		g->nr++;
		g->oldest = min(g->oldest, l->c.real);
		g->newest = max(g->newest, l->c.real);
	}
	return g + 1 - to;
}

/* How many of a group are of the machine of the first one. */
static size_t count_machine(const struct listed *const *by, size_t nr)
{
	size_t n = 1;

	while (n < nr && !strcmp(by[n]->machine_id, by[0]->machine_id))
		n++;
	return n;
}

static void put_group(const struct group *g, bool machines, bool json)
{
	char oldest[CRASH_TIME], newest[CRASH_TIME];
	const char *signature = (*g->first)->c.signature;
	size_t i, n;

	crash_time(g->oldest, oldest);
	crash_time(g->newest, newest);
	if (json) {
		fputs("{\"type\":\"signature\"", stdout);
		json_put_string(stdout, "signature", signature);
		printf(",\"count\":%zu", g->nr);
		json_put_string(stdout, "first", oldest);
		json_put_string(stdout, "last", newest);
		if (machines)
			fputs(",\"machines\":[", stdout);
	} else {
		printf("%5zu ", g->nr);
		if (machines)
			printf("%8zu ", g->machines);
		printf("%-20s %-20s %s\n", oldest, newest, *signature ? signature : "-");
	}
	for (i = 0; machines && i < g->nr; i += n) {
		const struct listed *l = g->first[i];

		n = count_machine(g->first + i, g->nr - i);
		if (!json) {
			printf("%5zu %s\n", n, l->machine);
			continue;
		}
		printf("%s{\"count\":%zu", i ? "," : "", n);
		json_put_string(stdout, "machine", l->machine);
		json_put_string(stdout, "machine_id", l->machine_id);
		putchar('}');
	}
	if (json)
		puts(machines ? "]}" : "}");
}

/**
 * table_top() - print how often each signature is there
 * @all: the crashes
 * @json: as JSON
 *
 * Return: false, after a message, if there is no memory.
 */
bool table_top(const struct crashes *all, bool json)
{
	const struct listed **by = calloc(all->nr + 1, sizeof(*by));
	struct group *group = calloc(all->nr + 1, sizeof(*group));
	const bool machines = has_machines(all);
	size_t i, nr = 0;

	if (!by || !group) {
		free(by);
		free(group);
		return fail("no memory for %zu crashes", all->nr);
	}
	for (i = 0; i < all->nr; i++)
		if (all->crash[i].c.end != END_CLEAN)
			by[nr++] = &all->crash[i];
	qsort(by, nr, sizeof(*by), compare_signature);
	nr = find_groups(by, nr, group);
	qsort(group, nr, sizeof(*group), compare_group);
	if (nr && !json)
		printf("COUNT %s%-20s %-20s SIGNATURE\n", machines ? "MACHINES " : "", "FIRST", "LAST");
	for (i = 0; i < nr && output_ok(); i++)
		put_group(&group[i], machines, json);
	free(by);
	free(group);
	return true;
}
