// SPDX-License-Identifier: GPL-2.0
/* jtrace doctor: parameters of the next boot, and why the module was refused. */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "doctor.h"

static const char *describe_range(const struct range *r, const char *name, char *text, size_t size)
{
	if (name[0])
		scnprintf(text, size, "mem_name=%s", name);
	else
		scnprintf(text, size, "0x%llx bytes at 0x%llx", r->size, r->start);
	return text;
}

/* @by_node: only a node of the device tree tells the place. */
static void compare_next_boot(const struct facts *f, const struct parameters *p, bool by_node)
{
	char now[128], next[128];
	bool named = p->name[0] || f->name[0];
	bool same = named ? !strcmp(p->name, f->name) : is_same_range(&p->region, &f->region);

	if (!p->persistent)
		report(WARN, "parameters",
		       "no enabled=persistent in modprobe.d or on the command line: the next boot will not show the trace: run jtrace setup");
	else if (by_node && !p->region.size)
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
	bool by_node;

	if (!read_planned_parameters(&p))
		report(WARN, "parameters", "modprobe --showconfig failed: parameters in modprobe.d are unknown");
	if (p.held[0])
		report(LOSS, "parameters", "modprobe.d runs a command in place of loading jtrace: '%s': remove that line",
		       p.held);
	f->node = find_node(&f->region, &node);
	by_node = f->node && !p.name[0] && !p.region.start && !p.region.size;
	if (by_node)
		p.region = node;
	if (p.region.size > JTRACE_LARGEST_SIZE)
		p.region.size = JTRACE_LARGEST_SIZE;
	if (f->module.persistent && p.any)
		compare_next_boot(f, &p, by_node);
	else if (f->module.persistent)
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
	f->handed = !p.persistent || by_node || p.region.start != f->region.start;
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
