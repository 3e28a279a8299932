// SPDX-License-Identifier: GPL-2.0
/* jtrace doctor: parameters of the next boot, and why the module was refused. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "doctor.h"

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

static bool is_same_range(const struct range *a, const struct range *b)
{
	return a->start == b->start && a->size == b->size;
}

/*
 * jtrace takes the first node in the device tree.  The directory has another order: if there
 * are several nodes, prefer the one that is in use.
 */
static void find_node(struct facts *f, struct range *r)
{
	DIR *dir = opendir(root_path(RESERVED_MEMORY));
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (!is_for_jtrace(entry->d_name))
			continue;
		f->node = true;
		*r = node_range(entry->d_name);
		if (is_same_range(r, &f->region))
			break;
	}
	if (dir)
		closedir(dir);
}

/**
 * has_node() - has the device tree reserved memory for jtrace?
 */
bool has_node(void)
{
	struct facts f = { .node = false };
	struct range r;

	find_node(&f, &r);
	return f.node;
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

static const char *describe_range(const struct range *r, const char *name, char *text, size_t size)
{
	if (name[0])
		scnprintf(text, size, "mem_name=%s", name);
	else
		scnprintf(text, size, "0x%llx bytes at 0x%llx", r->size, r->start);
	return text;
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

static void compare_next_boot(const struct facts *f, const struct parameters *p)
{
	char now[128], next[128];
	bool named = p->name[0] || f->name[0];
	bool same = named ? !strcmp(p->name, f->name) : is_same_range(&p->region, &f->region);

	if (!p->persistent)
		report(WARN, "parameters",
		       "no enabled=persistent in modprobe.d or on the command line: the next boot will not show the trace: run jtrace setup");
	else if (p->node && !p->region.size)
		report(WARN, "parameters",
		       "the jtrace node in the device tree has no reg: the next boot may place it elsewhere: add reg");
	else if (!p->name[0] && (!p->region.start || !p->region.size))
		report(LOSS, "parameters",
		       "enabled=persistent needs mem_address= and mem_size=, mem_name=, or a jtrace node in the device tree: at the next boot jtrace will not load: add one of these, or remove enabled=persistent and run jtrace setup");
	else if (!named && !f->region.size)
		report(FINE, "parameters", "the next boot uses %s; run sudo jtrace doctor to compare",
		       describe_range(&p->region, p->name, next, sizeof(next)));
	else if (!same)
		report(LOSS, "parameters",
		       "the next boot uses %s, but jtrace uses %s now: the next boot may not find the trace: load jtrace with the parameters of the next boot",
		       describe_range(&p->region, p->name, next, sizeof(next)),
		       describe_range(&f->region, f->name, now, sizeof(now)));
	else
		report(FINE, "parameters", "the next boot uses the same memory");
}

/**
 * check_parameters() - does the next boot look where this boot records?
 * @f: facts; an unknown region becomes the region of the next boot
 */
void check_parameters(struct facts *f)
{
	struct parameters p = { .any = false };
	struct range node = { .size = 0 };

	if (!read_planned_parameters(&p))
		report(WARN, "parameters", "modprobe --showconfig failed: parameters in modprobe.d are unknown");
	if (p.held[0])
		report(LOSS, "parameters", "modprobe.d runs a command in place of loading jtrace: '%s': remove that line",
		       p.held);
	find_node(f, &node);
	p.node = f->node && !p.name[0] && !p.region.start && !p.region.size;
	if (p.node)
		p.region = node;
	if (p.region.size > JTRACE_LARGEST_SIZE)
		p.region.size = JTRACE_LARGEST_SIZE;
	if (f->persistent && p.any)
		compare_next_boot(f, &p);
	else if (f->persistent)
		report(WARN, "parameters",
		       "no parameters for jtrace in modprobe.d or on the command line: run jtrace setup, or load jtrace with the same parameters after the next boot; otherwise it will not show the trace");
	else if (p.any)
		report(FINE, "parameters", "modprobe.d or the command line has %s",
		       p.persistent ? "enabled=persistent" : "no enabled=persistent");
	if (!f->region.size && p.persistent) {
		f->region = p.region;
		f->planned = true;
		if (!f->name[0])
			memcpy(f->name, p.name, sizeof(f->name));
	}
	/* The module refuses System RAM with mem_address=. */
	f->handed = !p.persistent || p.node || p.region.start != f->region.start;
}

/* ---- the kernel log --------------------------------------------------- */

/* A record of /dev/kmsg: sets @why to the reason of a refusal, "" after a successful load. */
static bool parse_log_line(char *line, const char **why)
{
	unsigned int prefix;
	char *text = strchr(line, ';');

	if (!text || sscanf(line, "%u,", &prefix) != 1 || strncmp(++text, "jtrace: ", 8))
		return false;
	text += 8;
	text[strcspn(text, "\n")] = 0;
	*why = text;
	if (strstr(text, " entries, clock "))
		*why = "";
	else if ((prefix & 7) == 4)	/* a warning of the kernel itself */
		return strstr(text, "Unknown symbol") || strstr(text, "disagrees about");
	else
		return (prefix & 7) < 4;
	return true;
}

/**
 * find_refusal() - find out why the kernel refused to load jtrace the last time
 * @why: result; "" if it did not
 * @size: size of @why
 *
 * Return: false if the kernel log cannot be read.
 */
bool find_refusal(char *why, size_t size)
{
	/* The file does not end, and a read returns one record, which must fit the buffer. */
	int fd = open(root_path("/dev/kmsg"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *log = fd < 0 ? NULL : fdopen(fd, "r");
	static char buf[16384], line[16384];
	const char *text;

	why[0] = 0;
	if (!log)
		return false;
	setvbuf(log, buf, _IOFBF, sizeof(buf));
	for (;;) {
		errno = 0;
		if (fgets(line, sizeof(line), log)) {
			if (parse_log_line(line, &text))
				scnprintf(why, size, "%s", text);
		} else if (errno == EPIPE) {
			clearerr(log);	/* records were overwritten */
		} else {
			break;
		}
	}
	fclose(log);
	return true;
}
