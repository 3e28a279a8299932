// SPDX-License-Identifier: GPL-2.0
/*
 * The region: the memory that holds the image.
 *
 * A volatile region is vmalloc memory.  A persistent one is a physical range that was reserved for
 * jtrace and survives a reset.  jtrace does not touch a range before all checks have passed:
 * writing to memory of the kernel, a driver or the firmware would crash the machine.
 *
 * The kernel's map does not prove that a range is memory, because memmap= adds any range.  So check
 * the firmware's information first: on x86 the original e820 map, elsewhere the device tree or the
 * ranges that the kernel leaves alone.  Then write to the memory and read it back.
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

#include "jtrace_internal.h"

/* ---- Finding ---------------------------------------------------------- */

/*
 * Root of a locked-down kernel must not choose the memory when loading jtrace.
 *
 * mem_address would do so, and the kernel refuses it (jtrace_params.c).  The other two ways only
 * find memory that was reserved before root could act.  The firmware or the boot loader made a node
 * of /reserved-memory for jtrace, as "compatible" shows.  A region of reserve_mem= comes from the
 * kernel's command line, but may belong to a user that does not claim it, such as the trace buffer
 * of ftrace.  So its name must begin with ours.
 */
static bool locked_down(void)
{
	return security_locked_down(LOCKDOWN_MODULE_PARAMETERS);
}

/* A region of reserve_mem=NAME: memory of the kernel, reserved for us. */
static int find_by_name(struct jtrace_region *r, const char *name)
{
	phys_addr_t size;

	if (!JTRACE_HAS_RESERVE_MEM) {
		pr_err("mem_name=%s: Linux %s has no reserve_mem=, it came with 6.11: use mem_address and mem_size\n",
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
		/* Built in, boot continues without a parameter that the kernel refused. */
		if (IS_BUILTIN(CONFIG_JTRACE) && locked_down())
			pr_err("mem_size=%llu: the kernel is locked down and refused mem_address: use mem_name\n",
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

/* The mem-type of a device-tree node, with the numbers of ramoops. */
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
		pr_err("enabled=persistent: needs mem_address and mem_size, mem_name%s: run jtrace setup\n",
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

/* An address in the middle of the largest range of System RAM, as text. */
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

/* Log why a range is refused, and what to use instead. */
static void refuse_range(u64 start, u64 size, const char *why)
{
	u64 last = start + size - 1;
	char place[24];

	suggest_address(size, place, sizeof(place));
	if (JTRACE_HAS_MEMMAP)
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is %s: run jtrace setup, or reserve System RAM instead, with memmap=%lluK$%s on the kernel's command line\n",
		       start, start, last, why, size >> 10, place);
	else
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is %s: reserve System RAM instead, as at %s, with a no-map node in /reserved-memory of the device tree\n",
		       start, start, last, why, place);
}

/* ---- What the firmware says ------------------------------------------- */

/* Is the range in a memory node of the device tree? */
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

/* Is the range in any node of /reserved-memory? */
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
 * Does the firmware or the kernel know memory in a range that has no System RAM?  This does not
 * access the range: an access to an address without memory may crash the machine.  Return false
 * after one line that says why.
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
	/* Memory that the kernel leaves alone, or a device, for which the claim fails. */
	if (region_intersects(start, size, IORESOURCE_MEM, IORES_DESC_NONE) != REGION_DISJOINT)
		return true;
	if (in_memory_node(start, last) || in_reserved_node(start, last))
		return true;
	refuse_range(start, size, "no memory that the kernel or its device tree knows");
	return false;
}

/* ---- Checking and mapping --------------------------------------------- */

/* Log that the kernel uses the range, and how to reserve it. */
static void refuse_unreserved(u64 start, u64 size)
{
	if (JTRACE_HAS_MEMMAP)
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is memory that the kernel uses: run jtrace setup, or reserve it, with memmap=%lluK$0x%llx on the kernel's command line\n",
		       start, start, start + size - 1, size >> 10, start);
	else
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is memory that the kernel uses: reserve it, with a no-map node in /reserved-memory of the device tree\n",
		       start, start, start + size - 1);
}

/* Describe a range that is neither System RAM nor reserved. */
static const char *describe_range(u64 start, u64 size)
{
	return region_intersects(start, size, IORESOURCE_MEM, IORES_DESC_NONE) ==
	       REGION_DISJOINT ? "no memory that the kernel knows, see /proc/iomem" :
				 "a device's or the firmware's, see /proc/iomem";
}

/*
 * Return the name of a device without driver, or of a bus, that contains our range.  Return NULL if
 * the kernel reserved the range, or nothing contains it.
 */
static const char *owner_around(const struct resource *ours)
{
	const struct resource *parent = ours->parent;

	if (parent == &iomem_resource || !parent->name || !strcasecmp(parent->name, "reserved"))
		return NULL;
	return parent->name;
}

/* Claim the range exclusively, after checking that it is reserved memory. */
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
	pr_err("mem_address=0x%llx: 0x%llx-0x%llx belongs to %s, see /proc/iomem: choose another range\n", start,
	       start, last, owner);
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
 * MemoryOverwriteRequestControl: with bit 0 set, firmware clears all memory at the next reset (TCG
 * PC Client Platform Reset Attack Mitigation Specification, 1.10).  The EFI stub of Linux sets it
 * with CONFIG_RESET_ATTACK_MITIGATION.
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
 * Read once at load time: a firmware call may take long and stops other CPUs on some machines, and
 * non-root users can read config.
 */
static bool clears_memory;

/**
 * jtrace_region_find() - find, check, claim and map reserved memory
 * @r: result, zeroed before
 * @c: parameters
 *
 * Leaves the content unchanged.
 *
 * Context: Process; the firmware's variables can be read.
 * Return: 0, or an error after one line that says why; jtrace_region_put() undoes both.
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
	/* An image cannot be larger. */
	r->size = min_t(u64, r->size, JTRACE_LARGEST_SIZE);
	err = claim_range(r) ?: map_range(r);
	clears_memory = !err && firmware_clears_memory();
	return err;
}

/**
 * jtrace_region_alloc() - allocate volatile memory for an image
 * @r: result, zeroed before
 * @size: bytes
 *
 * Return: 0 or -ENOMEM, without a line; jtrace_region_put() undoes both.
 */
int jtrace_region_alloc(struct jtrace_region *r, u64 size)
{
	r->size = size;
	r->at = jtrace_alloc(size);
	return r->at ? 0 : -ENOMEM;
}

/**
 * jtrace_region_put() - release a region; persistent memory keeps its content
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
 * Write the line back and drop it from the cache, so that the next read comes from memory.  Without
 * CONFIG_ARCH_HAS_PMEM_API nothing can drop it, so a small wb region always passes.
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
 * jtrace_region_answers() - can a region be written and read back?
 * @r: the region
 * @from: offset of the first byte to test
 *
 * Overwrites a line in each page.  Writes all lines before it reads the first, so that it
 * detects memory that appears at two addresses.
 *
 * Return: false after one line that names the address.
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

/* ---- Warnings --------------------------------------------------------- */

/**
 * jtrace_region_warn() - warn if the trace may be lost
 * @m: config, or NULL for the log
 */
void jtrace_region_warn(struct seq_file *m)
{
	if (!jtrace_region_persistent(&jtrace.setup.region))
		return;
	if (clears_memory)
		jtrace_warn(m, "firmware clears memory at the next reset: EFI MemoryOverwriteRequestControl is set: run jtrace doctor");
	/* Each boot chooses the place of a reserve_mem= region anew, around the kernel. */
	if (jtrace.setup.config.mem_name && IS_ENABLED(CONFIG_RANDOMIZE_BASE))
		jtrace_warn(m, "the next boot may place the kernel over the reserve_mem= region: add nokaslr to its command line");
	if (jtrace.setup.fit > JTRACE_FIT_FULL)
		jtrace_warn(m, "the region is small for this number of CPUs: the last events before a crash may be overwritten: reserve more memory");
}
