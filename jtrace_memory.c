// SPDX-License-Identifier: GPL-2.0
/*
 * Is there memory in a range that somebody reserved?
 *
 * The kernel's own map is no proof: memmap= adds whatever range it is given.  So ask the
 * firmware before touching anything: on x86 its original map (e820), elsewhere the device
 * tree or the ranges that the kernel leaves alone.  Then write to the memory and read it
 * back.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cache.h>
#include <linux/ioport.h>
#include <linux/libnvdimm.h>
#include <linux/log2.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/of_reserved_mem.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "include/jtrace/internal.h"

/* ---- Advice ----------------------------------------------------------- */

static int keep_larger(struct resource *res, void *arg)
{
	struct resource *largest = arg;

	if (resource_size(res) > resource_size(largest))
		*largest = *res;
	return 0;
}

/* A place in the middle of the kernel's memory, as text. */
static void place_in_ram(u64 size, char *text, size_t len)
{
	struct resource ram = { .end = 0 };
	u64 start;

	walk_iomem_res_desc(IORES_DESC_NONE, IORESOURCE_SYSTEM_RAM, 0, -1, &ram, keep_larger);
	start = round_down(ram.start + resource_size(&ram) / 2,
			   max_t(u64, roundup_pow_of_two(size), SZ_1M));
	if (start >= ram.start && start + size - 1 <= ram.end)
		scnprintf(text, len, "0x%llx", start);
	else
		strscpy(text, "ADDRESS", len);
}

/**
 * jtrace_memory_refuse() - one line: why a range is refused, and what to take instead
 * @start: of the range
 * @size: bytes
 * @why: what is wrong with it
 */
void jtrace_memory_refuse(u64 start, u64 size, const char *why)
{
	u64 last = start + size - 1;
	char place[24];

	place_in_ram(size, place, sizeof(place));
	if (JTRACE_HAS_MEMMAP)
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is %s: reserve System RAM instead, with memmap=%lluK$%s on the kernel's command line\n",
		       start, start, last, why, size >> 10, place);
	else
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is %s: reserve System RAM instead, as at %s, with a no-map node in /reserved-memory of the device tree\n",
		       start, start, last, why, place);
}

/* ---- What the firmware says ------------------------------------------- */

/* Is it in a node of the device tree for memory? */
static bool in_memory_node(u64 start, u64 last)
{
	struct device_node *np;
	struct resource res;
	int i;

	for_each_node_by_type(np, "memory")
		for (i = 0; !of_address_to_resource(np, i, &res); i++)
			if (start >= res.start && last <= res.end) {
				of_node_put(np);
				return true;
			}
	return false;
}

/* Is it in a node of /reserved-memory, ours or another? */
static bool in_reserved_node(u64 start, u64 last)
{
	struct device_node *parent = of_find_node_by_path("/reserved-memory");
	const struct reserved_mem *mem;
	struct device_node *np;
	bool found = false;

	for_each_child_of_node(parent, np) {
		mem = of_reserved_mem_lookup(np);
		found = mem && start >= mem->base && last - mem->base < mem->size;
		if (found)
			break;
	}
	of_node_put(np);
	of_node_put(parent);
	return found;
}

/**
 * jtrace_memory_listed() - does the firmware, or the kernel, know of memory in a range?
 * @start: of the range, of which nothing is System RAM
 * @size: bytes
 *
 * Nothing there is touched: an access to nothing may be the end of the machine.
 *
 * Return: false after one line that says what is wrong.
 */
bool jtrace_memory_listed(u64 start, u64 size)
{
	u64 last = start + size - 1, hole;
	char why[96];

	if (JTRACE_HAS_MEMMAP) {
		hole = jtrace_firmware_hole(start, size);
		if (hole > last)
			return true;
		scnprintf(why, sizeof(why), "no memory: the firmware's map has nothing at 0x%llx",
			  hole);
		jtrace_memory_refuse(start, size, why);
		return false;
	}
	/* Memory that the kernel was told to leave alone, or a device: the claim tells. */
	if (region_intersects(start, size, IORESOURCE_MEM, IORES_DESC_NONE) != REGION_DISJOINT)
		return true;
	if (in_memory_node(start, last) || in_reserved_node(start, last))
		return true;
	jtrace_memory_refuse(start, size, "no memory that the kernel or its device tree knows");
	return false;
}

/* ---- What the memory says --------------------------------------------- */

static u64 pattern(u64 seed, u64 at)
{
	return seed + at;
}

/*
 * Write the line back and drop it from the cache, so that memory answers.  Without
 * CONFIG_ARCH_HAS_PMEM_API nothing can drop it: a small wb region then always passes.
 */
static void evict(const struct jtrace_region *r, void *line)
{
	if (r->type == JTRACE_MEM_WB) {
		arch_wb_cache_pmem(line, L1_CACHE_BYTES);
		arch_invalidate_pmem(line, L1_CACHE_BYTES);
	}
	jtrace_write_back_wait();
}

/**
 * jtrace_memory_answers() - is what is written to a region read back?
 * @r: the region
 * @from: what lies before is left alone
 *
 * Overwrites a line in each page.  Writes all lines before it reads the first, so that it
 * detects memory that appears at two addresses.
 *
 * Return: false after one line that says where it is not.
 */
bool jtrace_memory_answers(const struct jtrace_region *r, u64 from)
{
	u64 seed = get_random_u64(), at, i;
	char why[96];

	for (at = from; at + L1_CACHE_BYTES <= r->size; at += JTRACE_PAGE) {
		for (i = at; i < at + L1_CACHE_BYTES; i += sizeof(u64))
			WRITE_ONCE(*(u64 *)(r->at + i), pattern(seed, i));
		evict(r, r->at + at);
	}
	for (at = from; at + L1_CACHE_BYTES <= r->size; at += JTRACE_PAGE)
		for (i = at; i < at + L1_CACHE_BYTES; i += sizeof(u64))
			if (READ_ONCE(*(u64 *)(r->at + i)) != pattern(seed, i)) {
				scnprintf(why, sizeof(why),
					  "no memory: what is written to 0x%llx cannot be read back",
					  r->phys + i);
				jtrace_memory_refuse(r->phys, r->size, why);
				return false;
			}
	return true;
}
