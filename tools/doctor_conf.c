// SPDX-License-Identifier: GPL-2.0
/* jtrace doctor: what loads jtrace, with which parameters, and why that did not work. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "doctor.h"

/* ---- parameters ------------------------------------------------------- */

/* "NAME=VALUE" of a parameter that tells where the buffer is. */
static void take_parameter(struct parameters *p, const char *text)
{
	const char *value = strchr(text, '='), *end;
	size_t len = value ? value - text : strlen(text);

	p->any = true;
	if (!value)
		return;
	value++;
	if (len == 7 && !strncmp(text, "enabled", len))
		p->persistent = !strcmp(value, "persistent");
	else if (len == 11 && !strncmp(text, "mem_address", len))
		p->region.start = parse_size(value, &end);
	else if (len == 8 && !strncmp(text, "mem_size", len))
		p->region.size = parse_size(value, &end);
	else if (len == 8 && !strncmp(text, "mem_name", len))
		scnprintf(p->name, sizeof(p->name), "%s", value);
}

/* As modprobe understands its folders, and the command line. */
static bool from_modprobe(struct parameters *p)
{
	FILE *out = popen("PATH=$PATH:/usr/sbin:/sbin; "
			  "modprobe ${JTRACE_ROOT:+-C \"$JTRACE_ROOT/etc/modprobe.d\"} --showconfig 2>/dev/null",
			  "re");
	char *line = NULL, *word, *rest;
	size_t size = 0;

	while (out && getline(&line, &size, out) > 0) {
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

static void from_cmdline(struct parameters *p, const char *cmdline)
{
	char text[256];

	while ((cmdline = cmdline_next(cmdline, "jtrace.", text, sizeof(text))))
		take_parameter(p, text);
}

/* Where a buffer is, in words. */
static const char *place(const struct range *r, const char *name, char *text, size_t size)
{
	if (name[0])
		scnprintf(text, size, "mem_name=%s", name);
	else
		scnprintf(text, size, "0x%llx bytes at 0x%llx", (unsigned long long)r->size,
			  (unsigned long long)r->start);
	return text;
}

static void compare(const struct facts *f, const struct parameters *p)
{
	char now[128], next[128];
	bool named = p->name[0] || f->name[0];
	bool same = named ? !strcmp(p->name, f->name) :
			    !memcmp(&p->region, &f->region, sizeof(f->region));

	if (!p->persistent)
		found(WARN, "parameters",
		      "modprobe.d and the command line have no enabled=persistent: the next boot will not show the trace");
	else if (!named && !f->region.size)
		found(FINE, "parameters", "the next boot uses %s; be root to see whether jtrace does",
		      place(&p->region, p->name, next, sizeof(next)));
	else if (!same)
		found(LOSS, "parameters",
		      "the next boot uses %s, jtrace uses %s now: it may not find the trace",
		      place(&p->region, p->name, next, sizeof(next)),
		      place(&f->region, f->name, now, sizeof(now)));
	else
		found(FINE, "parameters", "the next boot uses the same memory");
}

/**
 * check_parameters() - does the next boot look where this one records?
 * @f: facts; a region that is not known is where the next boot will have it
 */
void check_parameters(struct facts *f)
{
	struct parameters p = { .any = false };

	if (!from_modprobe(&p))
		found(WARN, "parameters", "modprobe --showconfig failed: modprobe.d was not looked at");
	from_cmdline(&p, f->cmdline);
	if (f->persistent && p.any)
		compare(f, &p);
	else if (f->persistent)
		found(WARN, "parameters",
		      "modprobe.d and the command line have none for jtrace: the next boot must load it with the same ones, else it does not show the trace");
	else if (p.any)
		found(FINE, "parameters", "modprobe.d or the command line have %s",
		      p.persistent ? "enabled=persistent" : "no enabled=persistent");
	if (!f->region.size && p.persistent) {
		f->region = p.region;
		f->planned = true;
		if (!f->name[0])
			memcpy(f->name, p.name, sizeof(f->name));
	}
}

/* ---- the kernel log --------------------------------------------------- */

/* A record as /dev/kmsg has it: why jtrace was refused; "" when it was loaded. */
static bool record_tells(char *line, const char **why)
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
	else if ((prefix & 7) == 4)	/* the kernel's own words, as a warning */
		return strstr(text, "Unknown symbol") || strstr(text, "disagrees about");
	else
		return (prefix & 7) < 4;
	return true;
}

/**
 * log_refusal() - why the kernel did not load jtrace, when it was tried last
 * @why: result, "" if it was not refused
 * @size: of @why
 *
 * Return: false if the kernel log cannot be read.
 */
bool log_refusal(char *why, size_t size)
{
	/* It does not end, and gives a record at a time, which must fit the buffer. */
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
			if (record_tells(line, &text))
				scnprintf(why, size, "%s", text);
		} else if (errno == EPIPE) {
			clearerr(log);	/* some were overwritten meanwhile */
		} else {
			break;
		}
	}
	fclose(log);
	return true;
}
