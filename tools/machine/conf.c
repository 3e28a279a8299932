// SPDX-License-Identifier: GPL-2.0
/* What gives jtrace its memory at the next boot: the device tree, modprobe.d, the command line. */

#include <dirent.h>
#include <stdlib.h>

#include "machine.h"

/* ---- the device tree -------------------------------------------------- */

#define RESERVED_MEMORY	"/proc/device-tree/reserved-memory"

static ssize_t read_property(const char *node, const char *name, char *value, size_t size)
{
	char path[512];

	scnprintf(path, sizeof(path), RESERVED_MEMORY "/%s/%s", node, name);
	return root_read(path, value, size);
}

/* Device trees are big-endian. */
static u64 parse_cells(const char *value, u64 bytes)
{
	u64 n = 0;

	while (bytes--)
		n = n << 8 | (u8)*value++;
	return n;
}

/* Returns the bytes of an address or a size in the nodes; 0 if unknown. */
static u64 read_width(const char *name)
{
	char value[8];

	return read_property(".", name, value, sizeof(value)) >= 4 ? 4 * parse_cells(value, 4) : 0;
}

/* Like find_by_node() of the module. */
static bool is_for_jtrace(const char *node)
{
	char value[512];
	ssize_t len = read_property(node, "compatible", value, sizeof(value)), at;
	bool ours = false;

	for (at = 0; at < len && !ours; at += strlen(value + at) + 1)
		ours = !strcasecmp(value + at, "jtrace");
	return ours && (read_property(node, "status", value, sizeof(value)) < 0 ||
			!strcmp(value, "okay") || !strcmp(value, "ok"));
}

static struct range node_range(const char *node)
{
	u64 address = read_width("#address-cells"), size = read_width("#size-cells");
	struct range r = { .size = 0 };
	char value[64];

	if (address && address <= 8 && size && size <= 8 &&
	    read_property(node, "reg", value, sizeof(value)) >= (ssize_t)(address + size)) {
		r.start = parse_cells(value, address);
		r.size = parse_cells(value + address, size);
	}
	return r;
}

/**
 * find_node() - has the device tree reserved memory for jtrace?
 * @used: memory that jtrace uses now, NULL if that does not matter
 * @node: result: memory of the node; size 0 if it has no reg; unchanged without a node
 *
 * jtrace takes the first node in the device tree.  The directory has another order: if there are
 * several nodes, this is the one that is in use, or else any of them.
 */
bool find_node(const struct range *used, struct range *node)
{
	DIR *dir = opendir(root_path(RESERVED_MEMORY));
	const struct dirent *entry;
	bool found = false;

	while (dir && (entry = readdir(dir))) {
		if (!is_for_jtrace(entry->d_name))
			continue;
		found = true;
		*node = node_range(entry->d_name);
		if (used && is_same_range(node, used))
			break;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* ---- parameters ------------------------------------------------------- */

/* "NAME=VALUE"; ignores parameters that do not change where the buffer is. */
static void take_parameter(struct parameters *p, char *value)
{
	const char *name = strsep(&value, "="), *end;

	p->any = true;
	if (!value)
		return;
	if (!strcmp(name, "enabled"))
		p->persistent = !strcmp(value, "persistent");
	else if (!strcmp(name, "mem_address"))
		p->region.start = parse_size(value, &end);
	else if (!strcmp(name, "mem_size"))
		p->region.size = parse_size(value, &end);
	else if (!strcmp(name, "mem_name"))
		scnprintf(p->name, sizeof(p->name), "%s", value);
}

/* modprobe --showconfig prints modprobe.d and the command line. */
static bool read_modprobe(struct parameters *p)
{
	FILE *out = popen("PATH=$PATH:/usr/sbin:/sbin; "
			  "modprobe ${JTRACE_ROOT:+-C \"$JTRACE_ROOT/etc/modprobe.d\"} --showconfig 2>/dev/null",
			  "re");
	char *line = NULL, *word, *rest;
	size_t size = 0;

	while (out && getline(&line, &size, out) > 0) {
		if (!strncmp(line, "install jtrace ", strlen("install jtrace ")))
			scnprintf(p->held, sizeof(p->held), "%.*s", (int)strcspn(line, "\n"), line);
		word = strtok_r(line, " \t\n", &rest);
		if (!word || strcmp(word, "options"))
			continue;
		word = strtok_r(NULL, " \t\n", &rest);
		if (!word || strcmp(word, "jtrace"))
			continue;
		while ((word = strtok_r(NULL, " \t\n", &rest)))
			take_parameter(p, word);
	}
	free(line);
	return out && !pclose(out);
}

static void read_cmdline(struct parameters *p, const char *cmdline)
{
	char text[256];

	while ((cmdline = next_option(cmdline, "jtrace.", text, sizeof(text))))
		take_parameter(p, text);
}

/**
 * read_planned_parameters() - parameters of jtrace in modprobe.d and on the command line
 * @p: result; the caller zeroes it
 *
 * Return: false if modprobe.d cannot be read; then @p has those of the command line only.
 */
bool read_planned_parameters(struct parameters *p)
{
	char cmdline[16384];
	bool ok = read_modprobe(p);

	if (root_read("/proc/cmdline", cmdline, sizeof(cmdline)) > 0)
		read_cmdline(p, cmdline);
	return ok;
}
