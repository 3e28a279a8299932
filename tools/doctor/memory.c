// SPDX-License-Identifier: GPL-2.0
/* jtrace doctor: is memory reserved, and does its content survive a reset? */

#include <errno.h>
#include <stdlib.h>

#include "doctor.h"

#define MIB2	(2ULL << 20)

/*
 * Is the buffer in a region of reserve_mem=, now or at the next boot?  Yes, with mem_name=.
 * If nothing is known about the buffer, assume that reserve_mem= is for it.
 */
static bool uses_reserve_mem(const struct facts *f)
{
	return f->name[0] || (f->reserve_mem && !f->nr_reserved && !f->module.persistent &&
			       !f->region.size);
}

/* ---- memmap= ---------------------------------------------------------- */

/* The kernel's number of a firmware memory type. */
#define E820_RESERVED	2

/* "nn%ss-OLD+NEW" changes the type of memory; without NEW it removes the memory. */
static bool becomes_reserved(const char *types)
{
	char *end = (char *)types;

	if (*end == '-')
		strtoull(end + 1, &end, 0);
	return *end == '+' && strtoull(end + 1, &end, 0) == E820_RESERVED && !*end;
}

/*
 * Like the kernel: the character after the size selects the meaning.  With any other
 * character, the kernel ignores all memory above the size.
 */
static void check_memmap_option(struct facts *f, const char *text)
{
	const char *end;
	struct range r;
	char sep;

	if (!strcmp(text, "exactmap"))
		return;
	r.size = parse_size(text, &end);
	sep = *end;
	if (!sep || !strchr("$@#!%", sep)) {
		report(LOSS, "memmap",
		       "%s has no $, so the kernel uses no RAM above that size: the boot loader removed the $: write \\\\\\$ in /etc/default/grub",
		       text);
		return;
	}
	r.start = parse_size(end + 1, &end);
	if (sep == '%' && becomes_reserved(end)) {
		end = "";
	} else if (sep != '$') {
		report(sep == '%' ? FINE : WARN, "memmap", "%s reserves nothing: '%c' is not $",
		       text, sep);
		return;
	}
	if (!r.size || !r.start || *end) {
		report(LOSS, "memmap",
		       "%s reserves 0x%llx bytes at 0x%llx: must be SIZE$ADDRESS, both more than 0", text,
		       r.size, r.start);
		return;
	}
	if (f->nr_reserved < MAX_RANGES)
		f->reserved[f->nr_reserved++] = r;
}

static bool is_in_memmap(const struct facts *f)
{
	int i;

	for (i = 0; i < f->nr_reserved; i++)
		if (covers(&f->reserved[i], &f->region))
			return true;
	return false;
}

/**
 * check_memmap() - does memmap= reserve memory?
 * @f: facts; gets the reserved ranges
 */
void check_memmap(struct facts *f)
{
	const char *at = f->cmdline;
	char value[1024], *item, *next;
	int i;

	while ((at = next_option(at, "memmap=", value, sizeof(value)))) {
		for (next = value; (item = strsep(&next, ",")); )
			check_memmap_option(f, item);
	}
	f->reserve_mem = has_option(f->cmdline, "reserve_mem");
	if (f->region.size && f->nr_reserved && !uses_reserve_mem(f) && !is_in_memmap(f))
		report(LOSS, "memmap", "0x%llx bytes at 0x%llx, which jtrace uses%s: memmap= does not reserve them: add memmap=0x%llx$0x%llx to the command line",
		       f->region.size, f->region.start, f->planned ? " at the next boot" : "",
		       f->region.size, f->region.start);
	else if (f->nr_reserved)
		for (i = 0; i < f->nr_reserved; i++)
			report(FINE, "memmap", "reserves 0x%llx bytes at 0x%llx",
			       f->reserved[i].size, f->reserved[i].start);
	else if (!f->reserve_mem && !f->module.persistent && !f->node && f->region.size)
		report(WARN, "memmap",
		       "the command line reserves no memory: add memmap=0x%llx$0x%llx, unless the firmware or the device tree reserves it",
		       f->region.size, f->region.start);
	else if (!f->reserve_mem && !f->module.persistent && !f->node)
		report(WARN, "memmap",
		       "the command line reserves no memory: run jtrace setup, or add memmap=1M$ADDRESS, unless the firmware or the device tree reserves it");
}

/* ---- reserve_mem= ----------------------------------------------------- */

/* Returns the name in "SIZE:ALIGN:NAME", or "". */
static const char *parse_reserve_mem(const char *text, u64 *size, u64 *align)
{
	const char *end;

	*size = parse_size(text, &end);
	*align = *end == ':' ? parse_size(end + 1, &end) : 0;
	return *end == ':' ? end + 1 : "";
}

static void check_reserve_mem_option(const struct facts *f, const char *text, bool named)
{
	u64 size, align;
	const char *name = parse_reserve_mem(text, &size, &align);

	if (!size || !name[0])
		report(LOSS, "reserve_mem", "%s: must be SIZE:ALIGN:NAME", text);
	else if (!uses_reserve_mem(f))
		report(FINE, "reserve_mem", "%s: not for jtrace, which has no mem_name=", text);
	else if (f->name[0] && strcmp(f->name, name) && named)
		report(FINE, "reserve_mem", "%s: not for jtrace, which uses mem_name=%s", text,
		       f->name);
	else if (f->name[0] && strcmp(f->name, name))
		report(LOSS, "reserve_mem", "%s is named %s, but jtrace has mem_name=%s: give both the same name", text,
		       name, f->name);
	else if (size < MIB2 || align < MIB2)
		report(WARN, "reserve_mem",
		       "%s: a region with size or alignment below 2M tends to move from boot to boot: use 2M:2M:%s",
		       text, name);
	else
		report(FINE, "reserve_mem", "%s", text);
}

static bool is_name_reserved(const struct facts *f)
{
	const char *at = f->cmdline;
	char value[256];
	u64 size, align;

	while ((at = next_option(at, "reserve_mem=", value, sizeof(value))))
		if (!strcmp(parse_reserve_mem(value, &size, &align), f->name))
			return true;
	return false;
}

/**
 * check_reserve_mem() - does reserve_mem= reserve the same place at each boot?
 * @f: facts
 */
void check_reserve_mem(struct facts *f)
{
	const char *at = f->cmdline;
	char value[256], release[128];
	bool named = is_name_reserved(f);

	if (!f->reserve_mem) {
		if (f->name[0])
			report(LOSS, "reserve_mem",
			       "the command line has no reserve_mem=, but jtrace has mem_name=%s: add reserve_mem=2M:2M:%s",
			       f->name, f->name);
		return;
	}
	if (uses_reserve_mem(f) && !kernel_knows_reserve_mem(release, sizeof(release))) {
		report(LOSS, "reserve_mem", "kernel %s does not know reserve_mem=, which is new in 6.11: use memmap=",
		       release);
		return;
	}
	while ((at = next_option(at, "reserve_mem=", value, sizeof(value))))
		check_reserve_mem_option(f, value, named);
	if (!uses_reserve_mem(f))
		return;
	if (!has_option(f->cmdline, "nokaslr"))
		report(WARN, "reserve_mem",
		       "the next boot may place the kernel there: add nokaslr; a larger initrd moves the region, too");
	else
		report(WARN, "reserve_mem", "a larger initrd moves the region");
}

/* Is a range RAM in the map of the firmware?  Reports it if not. */
static bool check_firmware_ram(const struct range *r)
{
	char type[64];
	u64 at;

	if (!firmware_lacks_ram(r, &at, type, sizeof(type)))
		return true;
	if (!type[0])
		report(LOSS, "iomem",
		       "0x%llx bytes at 0x%llx: the firmware has no memory at 0x%llx: choose a range of System RAM",
		       r->size, r->start, at);
	else
		report(WARN, "iomem",
		       "0x%llx bytes at 0x%llx: the firmware has no RAM at 0x%llx, but \"%s\": choose a range of System RAM",
		       r->size, r->start, at, type);
	return false;
}

/* ---- /proc/iomem ------------------------------------------------------ */

/**
 * struct iomem - /proc/iomem on a range
 * @listed: the file shows addresses
 * @whole: name of the outermost resource that covers the range
 * @ram: a part of the range is System RAM
 */
struct iomem {
	bool listed;
	char whole[64];
	bool ram;
};

static void read_iomem(const struct range *r, struct iomem *m)
{
	FILE *file = fopen(root_path("/proc/iomem"), "re");
	unsigned long long from, to;
	char line[256], name[64];

	memset(m, 0, sizeof(*m));
	while (file && fgets(line, sizeof(line), file)) {
		if (line[0] == ' ' || sscanf(line, "%llx-%llx : %63[^\n]", &from, &to, name) != 3)
			continue;
		m->listed |= to != 0;
		if (covers(&(struct range){ from, to - from + 1 }, r))
			scnprintf(m->whole, sizeof(m->whole), "%s", name);
		if (from < r->start + r->size && to >= r->start && !strcmp(name, "System RAM"))
			m->ram = true;
	}
	if (file)
		fclose(file);
}

static void check_iomem_range(const struct facts *f, const struct range *r)
{
	unsigned long long start = r->start, size = r->size;
	struct iomem m;

	read_iomem(r, &m);
	if (!m.listed)
		report(WARN, "iomem", "addresses are hidden: run sudo jtrace doctor");
	else if (m.ram && uses_reserve_mem(f))
		report(FINE, "iomem", "0x%llx bytes at 0x%llx: System RAM that reserve_mem= reserves",
		       size, start);
	else if (m.ram && r == &f->region && f->handed)
		report(FINE, "iomem",
		       "0x%llx bytes at 0x%llx: System RAM that the kernel reserved for jtrace",
		       size, start);
	else if (m.ram)
		report(LOSS, "iomem",
		       "0x%llx bytes at 0x%llx are System RAM that the kernel uses, not reserved memory: check memmap= in /proc/cmdline",
		       size, start);
	else if (!check_firmware_ram(r))
		return;
	else if (!strncasecmp(m.whole, "reserved", 8))
		report(FINE, "iomem", "0x%llx bytes at 0x%llx are reserved", size, start);
	else if (m.whole[0])
		report(WARN, "iomem", "0x%llx bytes at 0x%llx belong to \"%s\": choose a range of System RAM", size, start,
		       m.whole);
	else
		report(WARN, "iomem", "0x%llx bytes at 0x%llx: the kernel knows of no memory there: choose a range of System RAM",
		       size, start);
}

/**
 * check_iomem() - does the kernel leave the reserved memory alone?
 * @f: facts
 */
void check_iomem(const struct facts *f)
{
	int i;

	if (f->region.size)
		check_iomem_range(f, &f->region);
	else
		for (i = 0; i < f->nr_reserved; i++)
			check_iomem_range(f, &f->reserved[i]);
}

/* ---- memory at a reset ------------------------------------------------ */

#define MOR	"MemoryOverwriteRequestControl-e20939be-32d4-41be-a150-897f85d49829"

/**
 * check_firmware() - will the firmware clear memory at a reset?
 *
 * The TCG Platform Reset Attack Mitigation Specification defines the variable.  efivarfs shows
 * 4 bytes of attributes, then its one byte.
 */
void check_firmware(void)
{
	char mor[16];
	ssize_t len;

	if (!root_exists("/sys/firmware/efi")) {
		report(FINE, "firmware", "no EFI, so there is no request to clear memory at a reset");
		return;
	}
	len = root_read("/sys/firmware/efi/efivars/" MOR, mor, sizeof(mor));
	if (len < 0 && errno == ENOENT && root_exists("/sys/firmware/efi/efivars"))
		report(FINE, "firmware", "EFI supports no request to clear memory at a reset");
	else if (len < 5)
		report(WARN, "firmware", "MemoryOverwriteRequestControl cannot be read: mount efivarfs, and run sudo jtrace doctor");
	else if (mor[4] & 1)
		report(LOSS, "firmware",
		       "EFI clears memory at the next reset (MemoryOverwriteRequestControl is 0x%02x): write 0 to it after each boot, or switch memory overwrite off in the firmware setup",
		       (u8)mor[4]);
	else
		report(FINE, "firmware", "no request to EFI to clear memory at the next reset");
}

/**
 * check_encryption() - is memory readable after a reset?
 * @f: facts
 */
void check_encryption(const struct facts *f)
{
	const char *at = f->cmdline;
	char value[16];
	bool on = false;

	while ((at = next_option(at, "mem_encrypt=", value, sizeof(value))))
		on = !strcmp(value, "on");
	if (on)
		report(LOSS, "encryption",
		       "mem_encrypt=on: the key changes at a reset, and the trace becomes unreadable: boot with mem_encrypt=off");
	else
		report(FINE, "encryption", "the kernel was not told to encrypt memory");
}
