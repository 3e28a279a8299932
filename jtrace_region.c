// SPDX-License-Identifier: GPL-2.0
/*
 * The region: the memory that the image lies in.
 *
 * Volatile: pages of the kernel's own, gone with the machine.  Persistent: a
 * physical range that somebody reserved for us and that a reset keeps.  A range
 * is tried only when everything speaks for it: writing to memory of the kernel,
 * of a driver or of the firmware would be the end of the machine.
 *
 * The kernel's own map does not prove that there is memory: memmap= adds whatever range it
 * is given.  So ask the firmware before touching anything: on x86 its original map (e820),
 * elsewhere the device tree or the ranges that the kernel leaves alone.  Then write to the
 * memory and read it back.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cache.h>
#include <linux/efi.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/libnvdimm.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/of_reserved_mem.h>
#include <linux/random.h>
#include <linux/security.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "include/jtrace/internal.h"

/* ---- Finding ---------------------------------------------------------- */

/*
 * What root may not do in a kernel that is locked down: choose memory for us when jtrace is
 * loaded.
 *
 * mem_address does that, and the kernel refuses it (jtrace_params.c).  The other two only
 * find what was reserved before root had a say.  A node of /reserved-memory comes from the
 * firmware or the boot loader, which made it for jtrace: "compatible" says so.  A region of
 * reserve_mem= comes from the kernel's command line, but may be meant for somebody else, who
 * does not claim it: the trace buffer of ftrace, say.  So its name must say whose it is.
 */
static bool locked_down(void)
{
	return security_locked_down(LOCKDOWN_MODULE_PARAMETERS);
}

/* A region of reserve_mem=NAME, which is memory of the kernel handed to us. */
static int find_by_name(struct jtrace_region *r, const char *name)
{
	phys_addr_t size;

	if (!JTRACE_HAS_RESERVE_MEM) {
		pr_err("mem_name=%s: Linux %s has no reserve_mem=, it came with 6.12: use mem_address and mem_size\n",
		       name, init_utsname()->release);
		return -EOPNOTSUPP;
	}
	if (strncmp(name, KBUILD_MODNAME, strlen(KBUILD_MODNAME)) && locked_down()) {
		pr_err("mem_name=%s: the kernel is locked down: the name must begin with %s\n",
		       name, KBUILD_MODNAME);
		return -EPERM;
	}
	if (!jtrace_reserve_mem_find(name, &r->phys, &size)) {
		pr_err("mem_name=%s: no such region: boot with reserve_mem=2M:2M:%s\n", name,
		       name);
		return -ENOENT;
	}
	r->size = size;
	r->ram = true;
	return 0;
}

static int find_by_address(struct jtrace_region *r, const struct jtrace_config *c)
{
	if (!c->mem_address) {
		/* Built in, all goes on without a parameter that the kernel refused. */
		if (IS_BUILTIN(CONFIG_JTRACE) && locked_down())
			pr_err("mem_size=%llu: the kernel is locked down and refused mem_address\n",
			       c->mem_size);
		else
			pr_err("mem_size=%llu: needs mem_address\n", c->mem_size);
		return -EINVAL;
	}
	if (!c->mem_size) {
		pr_err("mem_address=0x%llx: needs mem_size\n", c->mem_address);
		return -EINVAL;
	}
	if (c->mem_size % JTRACE_PAGE) {
		pr_err("mem_size=%llu: must be a multiple of %u\n", c->mem_size, JTRACE_PAGE);
		return -EINVAL;
	}
	if (c->mem_address + c->mem_size < c->mem_address) {
		pr_err("mem_size=%llu: must be less than 2^64 - mem_address\n", c->mem_size);
		return -EINVAL;
	}
	r->phys = c->mem_address;
	r->size = c->mem_size;
	return 0;
}

/* The mem-type of a device-tree node, numbered as that of ramoops. */
static int node_mem_type(const struct device_node *np, enum jtrace_mem_type *type)
{
	static const enum jtrace_mem_type types[] = {
		JTRACE_MEM_WC, JTRACE_MEM_UC, JTRACE_MEM_WB,
	};
	u32 nr;
	int err;

	err = of_property_read_u32(np, "mem-type", &nr);
	if (err == -EINVAL)	/* there is none */
		return 0;
	if (err || nr >= ARRAY_SIZE(types)) {
		pr_err("mem-type of %pOF: must be from 0 to %zu\n", np,
		       ARRAY_SIZE(types) - 1);
		return -EINVAL;
	}
	*type = types[nr];
	return 0;
}

/* The first /reserved-memory node with compatible = "jtrace". */
static int find_by_node(struct jtrace_region *r, const struct jtrace_config *c)
{
	struct reserved_mem *mem = NULL;
	struct device_node *np;
	int err = 0;

	for_each_compatible_node(np, NULL, "jtrace") {
		mem = of_device_is_available(np) ? of_reserved_mem_lookup(np) : NULL;
		if (mem && mem->size)
			break;
		mem = NULL;
	}
	if (mem) {
		r->phys = mem->base;
		r->size = mem->size;
		r->ram = !of_property_read_bool(np, "no-map");
		if (c->mem_type == JTRACE_MEM_DEFAULT)
			err = node_mem_type(np, &r->type);
	} else {
		pr_err("enabled=persistent: needs mem_address and mem_size, mem_name%s\n",
		       IS_ENABLED(CONFIG_OF) ? ", or a jtrace node in /reserved-memory" : "");
		err = -EINVAL;
	}
	of_node_put(np);
	return err;
}

static int find_range(struct jtrace_region *r, const struct jtrace_config *c)
{
	r->type = c->mem_type == JTRACE_MEM_DEFAULT ? JTRACE_MEM_WB : c->mem_type;
	if (c->mem_name && (c->mem_address || c->mem_size)) {
		pr_err("mem_name=%s: cannot be combined with mem_address and mem_size\n",
		       c->mem_name);
		return -EINVAL;
	}
	if (c->mem_name)
		return find_by_name(r, c->mem_name);
	if (c->mem_address || c->mem_size)
		return find_by_address(r, c);
	return find_by_node(r, c);
}

/* ---- Advice ----------------------------------------------------------- */

static int keep_larger(struct resource *res, void *arg)
{
	struct resource *largest = arg;

	if (resource_size(res) > resource_size(largest))
		*largest = *res;
	return 0;
}

/* A place in the middle of the kernel's memory, as text. */
static void suggest_address(u64 size, char *text, size_t len)
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

/* One line: why a range is refused, and what to take instead. */
static void refuse_range(u64 start, u64 size, const char *why)
{
	u64 last = start + size - 1;
	char place[24];

	suggest_address(size, place, sizeof(place));
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

/*
 * Does the firmware, or the kernel, know of memory in a range of which nothing is System RAM?
 * Nothing there is touched: an access to nothing may be the end of the machine.  False after
 * one line that says what is wrong.
 */
static bool is_known_memory(u64 start, u64 size)
{
	u64 last = start + size - 1, hole;
	char why[96];

	if (JTRACE_HAS_MEMMAP) {
		hole = jtrace_firmware_hole(start, size);
		if (hole > last)
			return true;
		scnprintf(why, sizeof(why), "no memory: the firmware's map has nothing at 0x%llx",
			  hole);
		refuse_range(start, size, why);
		return false;
	}
	/* Memory that the kernel was told to leave alone, or a device: the claim tells. */
	if (region_intersects(start, size, IORESOURCE_MEM, IORES_DESC_NONE) != REGION_DISJOINT)
		return true;
	if (in_memory_node(start, last) || in_reserved_node(start, last))
		return true;
	refuse_range(start, size, "no memory that the kernel or its device tree knows");
	return false;
}

/* ---- Checking and mapping --------------------------------------------- */

/* One line: the range is the kernel's, and how to reserve it. */
static void refuse_unreserved(u64 start, u64 size)
{
	if (JTRACE_HAS_MEMMAP)
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is memory that the kernel uses: reserve it, with memmap=%lluK$0x%llx on the kernel's command line\n",
		       start, start, start + size - 1, size >> 10, start);
	else
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is memory that the kernel uses: reserve it, with a no-map node in /reserved-memory of the device tree\n",
		       start, start, start + size - 1);
}

/* What is in a range that is neither the kernel's nor reserved? */
static const char *describe_range(u64 start, u64 size)
{
	return region_intersects(start, size, IORESOURCE_MEM, IORES_DESC_NONE) ==
	       REGION_DISJOINT ? "no memory that the kernel knows, see /proc/iomem" :
				 "a device's or the firmware's, see /proc/iomem";
}

/*
 * Who has the range around ours: the kernel, which reserved it, nobody, or else a
 * device without driver or a bus, and then its name.
 */
static const char *owner_around(const struct resource *ours)
{
	const struct resource *parent = ours->parent;

	if (parent == &iomem_resource || !parent->name || !strcasecmp(parent->name, "reserved"))
		return NULL;
	return parent->name;
}

/* Is this range nobody's but ours, and memory?  What nobody may have is not tried. */
static int claim_range(struct jtrace_region *r)
{
	u64 start = r->phys, last = r->phys + r->size - 1;
	const struct resource *ours;
	const char *owner;

	if (r->ram)
		return 0;
	if (region_intersects(start, r->size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	    REGION_DISJOINT) {
		refuse_unreserved(start, r->size);
		return -EBUSY;
	}
	if (!jtrace_range_reserved(start, r->size)) {
		refuse_range(start, r->size, describe_range(start, r->size));
		return -ENXIO;
	}
	if (!is_known_memory(start, r->size))
		return -ENXIO;
	ours = request_mem_region(start, r->size, KBUILD_MODNAME);
	r->claimed = ours;
	owner = ours ? owner_around(ours) : "a driver";
	if (!owner)
		return 0;
	pr_err("mem_address=0x%llx: 0x%llx-0x%llx belongs to %s, see /proc/iomem\n", start, start,
	       last, owner);
	return -EBUSY;
}

static int map_range(struct jtrace_region *r)
{
	if (r->ram && r->type != JTRACE_MEM_WB) {
		pr_err("mem_type=%s: the kernel has mapped this region as cached memory: must be wb\n",
		       jtrace_mem_types[r->type]);
		return -EINVAL;
	}
	if (r->type == JTRACE_MEM_UC)
		r->at = (void __force *)ioremap(r->phys, r->size);
	else
		r->at = memremap(r->phys, r->size,
				 r->type == JTRACE_MEM_WC ? MEMREMAP_WC : MEMREMAP_WB);
	if (r->at)
		return 0;
	pr_err("mem_address=0x%llx: %llu bytes cannot be mapped as %s\n", (u64)r->phys, r->size,
	       jtrace_mem_types[r->type]);
	return -ENOMEM;
}

/*
 * MemoryOverwriteRequestControl: with bit 0 set, firmware clears all memory at
 * the next reset (TCG PC Client Platform Reset Attack Mitigation Specification,
 * 1.10).  The EFI stub of Linux sets it with CONFIG_RESET_ATTACK_MITIGATION.
 */
#define MOR_GUID	EFI_GUID(0xe20939be, 0x32d4, 0x41be, 0xa1, 0x50, 0x89, 0x7f, 0x85, \
				 0xd4, 0x98, 0x29)

static bool firmware_clears_memory(void)
{
#ifdef CONFIG_EFI
	static efi_char16_t name[] = L"MemoryOverwriteRequestControl";
	efi_guid_t guid = MOR_GUID;
	unsigned long size = 1;
	u8 control = 0;

	if (!efi_enabled(EFI_RUNTIME_SERVICES) || !efi.get_variable)
		return false;
	return efi.get_variable(name, &guid, NULL, &size, &control) == EFI_SUCCESS &&
	       size == 1 && control & 1;
#else
	return false;
#endif
}

/*
 * Asked once: a call of the firmware may take long, stops other CPUs on some machines, and
 * anybody may read config, which tells of it.
 */
static bool clears_memory;

/**
 * jtrace_region_find() - find, check, claim and map reserved memory
 * @r: result, zeroed before
 * @c: parameters
 *
 * Its content is as it was found.
 *
 * Context: Process; not before the firmware's variables can be read.
 * Return: 0, or an error after one line that says why; undone by
 * jtrace_region_put() in both cases.
 */
int jtrace_region_find(struct jtrace_region *r, const struct jtrace_config *c)
{
	int err = find_range(r, c);

	if (err)
		return err;
	if (r->phys % JTRACE_PAGE) {
		pr_err("%s=0x%llx: must be a multiple of %u\n",
		       c->mem_address ? "mem_address" : "region", (u64)r->phys, JTRACE_PAGE);
		return -EINVAL;
	}
	/* What is beyond cannot be used. */
	r->size = min_t(u64, r->size, JTRACE_LARGEST_SIZE);
	err = claim_range(r) ?: map_range(r);
	clears_memory = !err && firmware_clears_memory();
	return err;
}

/**
 * jtrace_region_alloc() - ordinary memory for an image
 * @r: result, zeroed before
 * @size: bytes
 *
 * Return: 0 or -ENOMEM, without a line; undone by jtrace_region_put() in both
 * cases.
 */
int jtrace_region_alloc(struct jtrace_region *r, u64 size)
{
	r->size = size;
	r->at = jtrace_alloc(size);
	return r->at ? 0 : -ENOMEM;
}

/**
 * jtrace_region_put() - give a region back; persistent memory keeps its content
 * @r: as left by jtrace_region_find() or jtrace_region_alloc(), or zeroed
 */
void jtrace_region_put(struct jtrace_region *r)
{
	if (r->type == JTRACE_MEM_DEFAULT)
		vfree(r->at);
	else if (r->at && r->type == JTRACE_MEM_UC)
		iounmap((void __iomem __force *)r->at);
	else if (r->at)
		memunmap(r->at);
	if (r->claimed)
		release_mem_region(r->phys, r->size);
	memset(r, 0, sizeof(*r));
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
static void evict_line(const struct jtrace_region *r, void *line)
{
	if (r->type == JTRACE_MEM_WB) {
		arch_wb_cache_pmem(line, L1_CACHE_BYTES);
		arch_invalidate_pmem(line, L1_CACHE_BYTES);
	}
	jtrace_write_back_wait();
}

/**
 * jtrace_region_answers() - is what is written to a region read back?
 * @r: the region
 * @from: what lies before is left alone
 *
 * Overwrites a line in each page.  Writes all lines before it reads the first, so that it
 * detects memory that appears at two addresses.
 *
 * Return: false after one line that says where it is not.
 */
bool jtrace_region_answers(const struct jtrace_region *r, u64 from)
{
	u64 seed = get_random_u64(), at, i;
	char why[96];

	for (at = from; at + L1_CACHE_BYTES <= r->size; at += JTRACE_PAGE) {
		for (i = at; i < at + L1_CACHE_BYTES; i += sizeof(u64))
			WRITE_ONCE(*(u64 *)(r->at + i), pattern(seed, i));
		evict_line(r, r->at + at);
	}
	for (at = from; at + L1_CACHE_BYTES <= r->size; at += JTRACE_PAGE)
		for (i = at; i < at + L1_CACHE_BYTES; i += sizeof(u64))
			if (READ_ONCE(*(u64 *)(r->at + i)) != pattern(seed, i)) {
				scnprintf(why, sizeof(why),
					  "no memory: what is written to 0x%llx cannot be read back",
					  r->phys + i);
				refuse_range(r->phys, r->size, why);
				return false;
			}
	return true;
}

/* ---- What may lose the trace ------------------------------------------ */

/**
 * jtrace_region_warn() - warn of what may lose the trace
 * @m: config, or NULL for the log
 */
void jtrace_region_warn(struct seq_file *m)
{
	if (!jtrace_region_persistent(&jtrace.setup.region))
		return;
	if (clears_memory)
		jtrace_warn(m, "firmware clears memory at the next reset: EFI MemoryOverwriteRequestControl is set");
	/* A region of reserve_mem= is found by each boot anew, around the kernel. */
	if (jtrace.setup.config.mem_name && IS_ENABLED(CONFIG_RANDOMIZE_BASE))
		jtrace_warn(m, "the next boot may place the kernel over the reserve_mem= region: add nokaslr to its command line");
	if (jtrace.setup.room > JTRACE_ROOM_FULL)
		jtrace_warn(m, "the region is small for this number of CPUs: the last events before a crash may be overwritten");
}
