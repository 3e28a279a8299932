// SPDX-License-Identifier: GPL-2.0
/* Physical memory: ranges, and what firmware and kernel do with them. */

#include <stdlib.h>

#include "machine.h"

/**
 * covers() - is a range inside of another one?
 * @r: the other one
 * @what: the range
 */
bool covers(const struct range *r, const struct range *what)
{
	return what->start >= r->start && what->start - r->start <= r->size &&
	       what->size <= r->size - (what->start - r->start);
}

/**
 * is_same_range() - are two ranges the same?
 * @a: one
 * @b: the other one
 */
bool is_same_range(const struct range *a, const struct range *b)
{
	return a->start == b->start && a->size == b->size;
}

/**
 * kernel_knows_reserve_mem() - does the running kernel know reserve_mem=?
 * @release: result: its release
 * @size: size of @release
 */
bool kernel_knows_reserve_mem(char *release, size_t size)
{
	int major = 0, minor = 0;

	root_release(release, size);
	if (sscanf(release, "%d.%d", &major, &minor) != 2)
		return true;
	return major > 6 || (major == 6 && minor >= 11);
}

/* ---- the firmware's map ----------------------------------------------- */

/* Read a file of an entry of the map; false if there is no such entry. */
static bool read_firmware(int nr, const char *name, char *value, size_t size)
{
	char path[64];
	bool ok;

	scnprintf(path, sizeof(path), "/sys/firmware/memmap/%d/%s", nr, name);
	ok = root_read(path, value, size) >= 0;
	value[strcspn(value, "\n")] = 0;
	return ok;
}

/* Find the entry with an address: its last byte and type. */
static bool find_firmware_entry(u64 at, u64 *last, char *type, size_t size)
{
	char start[64], end[64];
	int i;

	for (i = 0; read_firmware(i, "start", start, sizeof(start)); i++) {
		read_firmware(i, "end", end, sizeof(end));
		*last = strtoull(end, NULL, 0);
		if (at >= strtoull(start, NULL, 0) && at <= *last)
			return read_firmware(i, "type", type, size);
	}
	return false;
}

/**
 * firmware_lacks_ram() - does the firmware's map lack RAM in a range?
 * @r: the range
 * @at: result: its first byte that is no RAM
 * @type: result: what it is; empty if the map does not list it
 * @size: size of @type
 *
 * Return: false also if the kernel shows no map.
 */
bool firmware_lacks_ram(const struct range *r, u64 *at, char *type, size_t size)
{
	u64 last, end = r->start + r->size - 1;

	type[0] = 0;
	if (!root_exists("/sys/firmware/memmap/0"))
		return false;
	for (*at = r->start;; *at = last + 1) {
		if (!find_firmware_entry(*at, &last, type, size)) {
			type[0] = 0;
			return true;
		}
		if (strcasecmp(type, "System RAM"))
			return true;
		if (last >= end)
			return false;
	}
}

/**
 * firmware_has_ram() - is all of a range RAM in the firmware's map?
 * @r: the range
 *
 * Return: true also if the kernel shows no map.
 */
bool firmware_has_ram(const struct range *r)
{
	char type[64];
	u64 at;

	return !firmware_lacks_ram(r, &at, type, sizeof(type));
}
