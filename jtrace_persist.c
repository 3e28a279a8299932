// SPDX-License-Identifier: GPL-2.0
/*
 * The region: the memory that the image lies in.
 *
 * Volatile: pages of the kernel's own, gone with the machine.  Persistent: a
 * physical range that somebody reserved for us and that a reset keeps.  A range
 * is tried only when everything speaks for it: writing to memory of the kernel,
 * of a driver or of the firmware would be the end of the machine.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/of.h>
#include <linux/of_reserved_mem.h>
#include <linux/security.h>
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

static int find(struct jtrace_region *r, const struct jtrace_config *c)
{
	r->type = c->mem_type == JTRACE_MEM_DEFAULT ? JTRACE_MEM_WB : c->mem_type;
	if (c->mem_name && (c->mem_address || c->mem_size)) {
		pr_err("mem_name=%s: cannot be had together with mem_address and mem_size\n",
		       c->mem_name);
		return -EINVAL;
	}
	if (c->mem_name)
		return find_by_name(r, c->mem_name);
	if (c->mem_address || c->mem_size)
		return find_by_address(r, c);
	return find_by_node(r, c);
}

/* ---- Checking and mapping --------------------------------------------- */

/* One line: the range is the kernel's, and how to reserve it. */
static void say_not_reserved(u64 start, u64 size)
{
	if (JTRACE_HAS_MEMMAP)
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is memory that the kernel uses: reserve it, with memmap=%lluK$0x%llx on the kernel's command line\n",
		       start, start, start + size - 1, size >> 10, start);
	else
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx is memory that the kernel uses: reserve it, with a no-map node in /reserved-memory of the device tree\n",
		       start, start, start + size - 1);
}

/* What is in a range that is neither the kernel's nor reserved? */
static const char *contents(u64 start, u64 size)
{
	return region_intersects(start, size, IORESOURCE_MEM, IORES_DESC_NONE) ==
	       REGION_DISJOINT ? "no memory that the kernel knows, see /proc/iomem" :
				 "a device's or the firmware's, see /proc/iomem";
}

/*
 * Who has the range around ours: the kernel, which reserved it, nobody, or else a
 * device without driver or a bus, and then its name.
 */
static const char *around(const struct resource *ours)
{
	const struct resource *parent = ours->parent;

	if (parent == &iomem_resource || !parent->name || !strcasecmp(parent->name, "reserved"))
		return NULL;
	return parent->name;
}

/* Is this range nobody's but ours, and memory?  What nobody may have is not tried. */
static int claim(struct jtrace_region *r)
{
	u64 start = r->phys, last = r->phys + r->size - 1;
	const struct resource *ours;

	if (r->ram)
		return 0;
	if (region_intersects(start, r->size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	    REGION_DISJOINT) {
		say_not_reserved(start, r->size);
		return -EBUSY;
	}
	if (!jtrace_range_reserved(start, r->size)) {
		jtrace_memory_refuse(start, r->size, contents(start, r->size));
		return -ENXIO;
	}
	if (!jtrace_memory_listed(start, r->size))
		return -ENXIO;
	ours = request_mem_region(start, r->size, KBUILD_MODNAME);
	if (!ours) {
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx belongs to a driver, see /proc/iomem\n",
		       start, start, last);
		return -EBUSY;
	}
	r->claimed = true;
	if (around(ours)) {
		pr_err("mem_address=0x%llx: 0x%llx-0x%llx belongs to %s, see /proc/iomem\n",
		       start, start, last, around(ours));
		return -EBUSY;
	}
	return 0;
}

static int map(struct jtrace_region *r)
{
	if (r->ram && r->type != JTRACE_MEM_WB) {
		pr_err("mem_type=%s: this region is memory that the kernel has mapped as cached: must be wb\n",
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

/**
 * jtrace_region_find() - find, check, claim and map reserved memory
 * @r: result, zeroed before
 * @c: parameters
 *
 * Its content is as it was found.
 *
 * Return: 0, or an error after one line that says why; undone by
 * jtrace_region_put() in both cases.
 */
int jtrace_region_find(struct jtrace_region *r, const struct jtrace_config *c)
{
	int err = find(r, c);

	if (err)
		return err;
	if (r->phys % JTRACE_PAGE) {
		pr_err("%s=0x%llx: must be a multiple of %u\n",
		       c->mem_address ? "mem_address" : "region", (u64)r->phys, JTRACE_PAGE);
		return -EINVAL;
	}
	/* What is beyond cannot be used. */
	r->size = min_t(u64, r->size, JTRACE_LARGEST_SIZE);
	return claim(r) ?: map(r);
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
 * jtrace_region_clear() - make all bytes zero
 * @r: a region
 */
void jtrace_region_clear(const struct jtrace_region *r)
{
	jtrace_image_clear(r->at, r->size, r->type == JTRACE_MEM_WB);
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
