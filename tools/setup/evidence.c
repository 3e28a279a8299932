// SPDX-License-Identifier: GPL-2.0
/*
 * A line about this machine, and what became of the trace of the test crash, made to be sent in.
 * It has no serial number, address, or name of the machine.
 */

#include <glob.h>
#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "../../lib/read/render.h"
#include "../crashes/crashes.h"
#include "setup.h"

/* Append a small file: its first line, escaped; a device tree has a NUL at the end. */
static void put_small_file(struct pen *p, const char *path)
{
	char text[128];
	ssize_t len = root_read(path, text, sizeof(text));
	size_t end = len > 0 ? strcspn(text, "\n\"") : 0;

	while (end && text[end - 1] == ' ')
		end--;
	if (!end)
		return;
	if (p->at[-1] != '"')
		pen_char(p, ' ');
	jtrace_put_escaped(NULL, p, text, end);
}

static void put_board(struct pen *p)
{
	static const char * const files[] = {
		"/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
		"/sys/class/dmi/id/board_name", "/sys/firmware/devicetree/base/model",
	};
	size_t i;

	pen_text(p, "board=\"");
	for (i = 0; i < ARRAY_SIZE(files); i++)
		put_small_file(p, files[i]);
	pen_text(p, "\" firmware=\"");
	put_small_file(p, "/sys/class/dmi/id/bios_vendor");
	put_small_file(p, "/sys/class/dmi/id/bios_version");
	put_small_file(p, "/sys/class/dmi/id/bios_date");
	pen_text(p, root_exists("/sys/firmware/efi") ? " (UEFI)\"" : "\"");
}

static void put_watchdog(struct pen *p)
{
	const size_t skip = strlen(root_path(""));
	char path[256];
	glob_t found;
	size_t i;

	pen_text(p, " watchdog=\"");
	if (!glob(root_path("/sys/class/watchdog/watchdog*"), 0, NULL, &found)) {
		for (i = 0; i < found.gl_pathc; i++) {
			scnprintf(path, sizeof(path), "%s/identity", found.gl_pathv[i] + skip);
			put_small_file(p, path);
		}
		globfree(&found);
	}
	if (p->at[-1] == '"')
		pen_text(p, "none");
	pen_char(p, '"');
}

/* The damage of a trace, by kind, in the words of jtrace --json. */
static void put_losses(struct pen *p, const struct dump *d)
{
	static const char * const names[] = {
		[JTRACE_FAULT_HEADER] = "header",
		[JTRACE_FAULT_COPY] = "backup header",
		[JTRACE_FAULT_CUT] = "end",
		[JTRACE_FAULT_HEADERS] = "headers",
		[JTRACE_FAULT_RESCUED] = "chunk headers",
		[JTRACE_FAULT_CHUNK] = "chunks",
		[JTRACE_FAULT_BLANK] = "blank chunks",
		[JTRACE_FAULT_ENTRY] = "entries",
	};
	const char *comma = "";
	u32 i;

	static_assert(ARRAY_SIZE(names) == JTRACE_NR_FAULTS);
	for (i = 0; i < JTRACE_NR_FAULTS; i++) {
		if (!d->t.damage.nr[i])
			continue;
		pen_format(p, "%s%s %u", comma, names[i], d->t.damage.nr[i]);
		comma = ", ";
	}
	if (!*comma)
		pen_text(p, "nothing");
}

/*
 * Does a crash belong to a boot, whose id has "-"?  A trace whose headers are lost has no id: if the
 * module recovered it just now, it is of the last boot.
 */
static bool is_of_boot(const struct listed *l, const char *boot)
{
	const char *at = l->c.boot;

	if (l->recovered && strspn(at, "0") == strlen(at))
		return true;
	for (; *boot; boot++)
		if (*boot != '-' && *boot != *at++)
			return false;
	return !*at;
}

/* Up to a quotation mark, which would end the value. */
static void put_words(struct pen *p, const char *before, const char *text, size_t size)
{
	const char *quote = memchr(text, '"', size);

	pen_text(p, before);
	jtrace_put_escaped(NULL, p, text, quote ? (size_t)(quote - text) : size);
}

static bool put_remains(struct pen *p, const struct listed *l)
{
	struct dump d = { 0 };
	struct source s;
	bool ok = source_open(&s, l->path) && image_load(&d, &s);

	if (ok) {
		put_words(p, " kernel=\"", (const char *)d.t.header.release,
			  sizeof(d.t.header.release));
		pen_format(p, "\" died=\"%s", crash_end_name(l->c.end));
		put_words(p, ": ", (const char *)d.t.header.reason, sizeof(d.t.header.reason));
		pen_format(p, "\" result=\"%s\" entries=\"%llu\" log_lines=\"%u\" lost=\"",
			   d.t.verdict == JTRACE_DAMAGED ? "damaged" : "survived", d.t.found,
			   d.t.log.nr);
		put_losses(p, &d);
		pen_char(p, '"');
	}
	dump_free(&d);
	return ok;
}

static bool put_result(struct pen *p, const char *boot)
{
	struct crashes all = { 0 };
	bool ok = crashes_read(&all), found = false;
	size_t i;

	for (i = all.nr; ok && i-- && !found; ) {
		found = is_of_boot(&all.crash[i], boot) && all.crash[i].path[0];
		if (found)
			ok = put_remains(p, &all.crash[i]);
	}
	crashes_free(&all);
	if (ok && !found)
		pen_text(p, " result=\"lost\" lost=\"everything\"");
	return ok;
}

/**
 * tell_evidence() - print what became of the trace of the test crash, and on which machine
 * @p: the plan
 *
 * Return: false, after a message, on an error.
 */
bool tell_evidence(const struct plan *p)
{
	static const char * const loaders[] = {
		[BY_HAND] = "by hand", [GRUB] = "grub", [SYSTEMD_BOOT] = "systemd-boot",
	};
	char text[2048];
	struct pen pen = { text, text + sizeof(text) - 1 };

	pen_text(&pen, "jtrace-test: ");
	put_board(&pen);
	pen_format(&pen, " loader=\"%s\" reserved=\"%s %llu\"", loaders[p->loader],
		   p->name[0] ? "reserve_mem" : p->region.start ? "memmap" : "device tree",
		   p->region.size);
	put_watchdog(&pen);
	if (!put_result(&pen, p->tested))
		return false;
	*pen.at = 0;
	puts(text);
	return true;
}
