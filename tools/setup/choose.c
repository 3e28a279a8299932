// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: which memory to reserve.
 *
 * A range of System RAM below 4 GiB in which the kernel keeps nothing of its own: outside of its
 * code and data, the crash kernel, and all that the firmware keeps.  These are inside of System RAM
 * in /proc/iomem.  The top of that RAM is left alone, because boot loaders put the initrd there,
 * and firmware its own data.  The kernel goes to another place at each boot, but not to a range of
 * memmap=SIZE$ADDRESS (mem_avoid_memmap() in arch/x86/boot/compressed/kaslr.c).  Memory that can be
 * unplugged, and balloons, are no danger: memory below 4 GiB is there at boot, and a range that is
 * reserved at boot never belongs to the page allocator, from which a balloon takes.
 */

#include <stdlib.h>

#include "setup.h"

#define MIB		1048576ULL
#define STEP		(2 * MIB)
#define BELOW		(4096 * MIB)

/* Where the search begins; the kernel is below that, unless physical KASLR moves it. */
#define USUAL_START	(256 * MIB)
#define SMALL_START	(128 * MIB)

#define MAX_MAP		512

/**
 * struct map - what /proc/iomem shows below 4 GiB
 * @nr_ram: number of @ram
 * @ram: System RAM
 * @nr_busy: number of @busy
 * @busy: parts of it with another name
 * @hidden: the file shows no addresses
 */
struct map {
	int nr_ram;
	struct range ram[MAX_MAP];
	int nr_busy;
	struct range busy[MAX_MAP];
	bool hidden;
};

/**
 * is_usable_size() - may setup reserve that many bytes?
 * @size: number of bytes
 */
bool is_usable_size(u64 size)
{
	return size >= 65536 && size <= JTRACE_LARGEST_SIZE && size % 4096 == 0;
}

/**
 * is_usable_range() - could setup have chosen a range, on some machine?
 * @r: the range
 */
bool is_usable_range(const struct range *r)
{
	return is_usable_size(r->size) && r->start >= SMALL_START && r->start % STEP == 0 &&
	       r->start <= BELOW - r->size;
}

static bool add_range(struct range *to, int *nr, u64 from, u64 last)
{
	if (*nr == MAX_MAP)
		return false;
	to[(*nr)++] = (struct range){ from, last - from + 1 };
	return true;
}

static bool read_map(struct map *m)
{
	FILE *file = fopen(root_path("/proc/iomem"), "re");
	unsigned long long from, to;
	char line[256], name[64];
	bool ok = true, in_ram = false;

	*m = (struct map){ .hidden = true };
	while (ok && file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx : %63[^\n]", &from, &to, name) != 3 || to < from)
			continue;
		m->hidden &= !to;
		if (from >= BELOW)
			break;
		if (line[0] != ' ')
			in_ram = !strcmp(name, "System RAM");
		if (in_ram && line[0] != ' ')
			ok = add_range(m->ram, &m->nr_ram, from, to);
		else if (in_ram)
			ok = add_range(m->busy, &m->nr_busy, from, to);
	}
	if (file)
		fclose(file);
	return ok || fail("/proc/iomem: has more than %d ranges below 4 GiB", MAX_MAP);
}

/* ramoops does not claim its memory. */
static bool add_ramoops(struct map *m)
{
	char start[64], size[64];
	const char *end;
	u64 from, bytes;

	if (root_read("/sys/module/ramoops/parameters/mem_address", start, sizeof(start)) < 0 ||
	    root_read("/sys/module/ramoops/parameters/mem_size", size, sizeof(size)) < 0)
		return true;
	from = strtoull(start, NULL, 0);
	bytes = parse_size(size, &end);
	return !bytes || add_range(m->busy, &m->nr_busy, from, from + bytes - 1) ||
	       fail("/proc/iomem: has more than %d ranges below 4 GiB", MAX_MAP);
}

static bool overlaps(const struct range *a, const struct range *b)
{
	return a->start < b->start + b->size && b->start < a->start + a->size;
}

static bool is_ram(const struct map *m, const struct range *r)
{
	int i;

	for (i = 0; i < m->nr_ram; i++)
		if (covers(&m->ram[i], r))
			return true;
	return false;
}

static bool is_busy(const struct map *m, const struct range *r)
{
	int i;

	for (i = 0; i < m->nr_busy; i++)
		if (overlaps(r, &m->busy[i]))
			return true;
	return false;
}

/* The end of what may be taken: a quarter of the RAM below 4 GiB, up to 256 MiB, is left alone. */
static u64 find_limit(const struct map *m)
{
	u64 top = 0, end;
	int i;

	for (i = 0; i < m->nr_ram; i++) {
		end = m->ram[i].start + m->ram[i].size;
		if (end > BELOW)
			end = BELOW;
		if (end > top)
			top = end;
	}
	return top - (top / 4 < USUAL_START ? top / 4 : USUAL_START);
}

static bool find_range(const struct map *m, u64 from, struct range *r)
{
	u64 limit = find_limit(m);

	for (r->start = from; r->start + r->size <= limit; r->start += STEP)
		if (is_ram(m, r) && !is_busy(m, r) && firmware_has_ram(r))
			return true;
	return false;
}

static bool choose_address(struct plan *p, u64 size)
{
	static struct map m;

	if (!read_map(&m) || !add_ramoops(&m))
		return false;
	if (m.hidden)
		return fail("/proc/iomem: shows no addresses: run as root");
	p->region.size = size;
	if (find_range(&m, USUAL_START, &p->region) || find_range(&m, SMALL_START, &p->region))
		return true;
	return fail("--size %llu: /proc/iomem has no free System RAM of that size between 128 MiB and 4 GiB: choose a smaller size",
		    size);
}

/**
 * is_locked_down() - does the kernel refuse an address, and unsigned modules?
 */
bool is_locked_down(void)
{
	char state[128];

	return root_read("/sys/kernel/security/lockdown", state, sizeof(state)) > 0 &&
	       !strstr(state, "[none]");
}

static bool choose_name(struct plan *p, const struct request *r)
{
	char release[128];

	if (!kernel_knows_reserve_mem(release, sizeof(release)))
		return fail("--name %s: kernel %s does not know reserve_mem=, which is new in 6.11",
			    r->name, release);
	p->region.size = r->size ?: DEFAULT_SIZE;
	scnprintf(p->name, sizeof(p->name), "%s", r->name);
	return true;
}

/**
 * choose_memory() - choose the memory, or a way to let the kernel choose it
 * @p: gets region and name
 * @r: size and name that the user wants
 *
 * Return: false, after a message, if this machine has no memory for jtrace.
 */
bool choose_memory(struct plan *p, const struct request *r)
{
	struct request named = *r;
	char release[128];
	struct range node;

	named.name = named.name ?: "jtrace";
	if (r->name)
		return choose_name(p, r);
	if (find_node(NULL, &node))
		return !r->size ||
		       fail("--size %llu: the jtrace node of the device tree sets the size", r->size);
	if (machine_is("x86_64") && !is_locked_down())
		return choose_address(p, r->size ?: DEFAULT_SIZE);
	if (kernel_knows_reserve_mem(release, sizeof(release)))
		return choose_name(p, &named);
	if (machine_is("x86_64"))
		return fail("kernel %s is locked down, and refuses an address: boot Linux 6.11 or later, which has reserve_mem=, or switch off Secure Boot",
			    release);
	return fail("kernel %s has no way to reserve memory by its command line: boot Linux 6.11 or later, or add a jtrace node to the device tree (docs/jtrace.yaml)",
		    release);
}
