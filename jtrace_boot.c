// SPDX-License-Identifier: GPL-2.0
/*
 * Which boot this is and where its kernel lies: for the next boot to tell, and to
 * resolve addresses in the arguments of a recovered trace.
 *
 * The kernel exports little of that to modules: the boot id is read from where
 * people read it, the place of the text from the note for crash dumps.  What
 * cannot be had stays 0 or is left out.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/uuid.h>

#include "include/jtrace/internal.h"

/* ---- This boot -------------------------------------------------------- */

static void read_boot_id(u8 *id)
{
	struct file *file = filp_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
	char text[UUID_STRING_LEN + 1] = "";
	loff_t pos = 0;
	u32 i, n = 0;

	if (IS_ERR(file))
		return;
	if (kernel_read(file, text, UUID_STRING_LEN, &pos) == UUID_STRING_LEN) {
		/* In the order of the text, so that it can be read in a hex dump. */
		for (i = 0; i < UUID_STRING_LEN && n < 16; i++)
			if (isxdigit(text[i]) && !hex2bin(id + n, text + i, 1)) {
				n++;
				i++;
			}
	}
	filp_close(file, NULL);
}

/* "NAME=VALUE" on a line of the crash dump's note: VALUE, cut off there. */
static char *note_find(char *note, const char *name)
{
	char *at = strstr(note, name);

	if (!at)
		return NULL;
	at += strlen(name);
	at[strcspn(at, "\n")] = 0;
	return at;
}

#define NOTE_TEXT	"SYMBOL(_stext)="
#define NOTE_BUILD_ID	"BUILD-ID="

/* Address of the kernel's text, and its build id. */
static void read_note(struct jtrace_image_header *h)
{
	phys_addr_t phys = jtrace_vmcoreinfo();
	const char *note;
	char *text, *at;
	u64 address;

	if (!phys)
		return;
	/* A header of 24 bytes with NULs, then lines of text; one page in all. */
	note = phys_to_virt(phys);
	text = kmemdup_nul(note + 24, PAGE_SIZE - 24, GFP_KERNEL);
	if (!text)
		return;
	/* From the end to the beginning, as what is found is cut off. */
	at = note_find(text, NOTE_TEXT);
	if (at && !kstrtoull(at, 16, &address))
		h->text = cpu_to_le64(address);
	at = note_find(text, NOTE_BUILD_ID);
	if (at && strlen(at) == 2 * sizeof(h->build_id) &&
	    hex2bin(h->build_id, at, sizeof(h->build_id)))
		memset(h->build_id, 0, sizeof(h->build_id));
	kfree(text);
}

/**
 * jtrace_boot_identify() - put into a header which boot this is
 * @h: release, boot_id, build_id and text are set, as far as they are known
 *
 * Context: Process.
 */
void jtrace_boot_identify(struct jtrace_image_header *h)
{
	strscpy(h->release, init_utsname()->release, sizeof(h->release));
	read_boot_id(h->boot_id);
	read_note(h);
}

/* ---- The earlier boot, compared with this one ------------------------- */

/* Where it lies now and what to add to an address of then; @now is 0 if not known. */
static void show_now(struct seq_file *m, u64 then, u64 now, bool same)
{
	u64 less = then > now ? then - now : now - then;

	if (!now)
		seq_puts(m, "; not there now\n");
	else if (!same)
		seq_printf(m, "; another build now, at 0x%llx\n", now);
	else
		seq_printf(m, "; now 0x%llx: add %c0x%llx\n", now, then > now ? '-' : '+', less);
}

static void show_kernel(struct seq_file *m, const struct jtrace_image_header *h)
{
	const struct jtrace_image_header *now = &jtrace.header;

	if (!h->text)
		return;
	seq_printf(m, "kernel 0x%llx build id %*phN", le64_to_cpu(h->text),
		   (int)sizeof(h->build_id), h->build_id);
	show_now(m, le64_to_cpu(h->text), le64_to_cpu(now->text),
		 !memcmp(h->build_id, now->build_id, sizeof(h->build_id)));
}

/* Base of a module, as it was noted; 0 if what stands there is no such text. */
static u64 module_base(const struct jtrace_site_text *text, u64 *size)
{
	u64 base;

	return sscanf(text->func, "%llx+%llx", &base, size) == 2 ? base : 0;
}

/*
 * The newest note on that module in the live image.  Where kernels do not keep
 * build ids its size must do.
 */
static u64 find_now(const struct jtrace_site_text *then, u64 size_then, bool *same)
{
	struct jtrace_site_text text;
	u64 base = 0, size;
	u32 at = 0;

	while ((at = jtrace_site_next_module(&jtrace.ring.l, jtrace.region.at,
					     jtrace.ring.image_id, at, &text))) {
		if (strcmp(text.tag, then->tag))
			continue;
		base = module_base(&text, &size);
		*same = !strcmp(text.file, then->file) && size == size_then;
	}
	return base;
}

/**
 * jtrace_last_boot_show() - tell where kernel and modules of the earlier boot were
 * @m: to write to
 */
void jtrace_last_boot_show(struct seq_file *m)
{
	const struct jtrace_trace *t = &jtrace_recovered.trace;
	struct jtrace_site_text text;
	u64 base, size, now;
	bool same = false;
	u32 at = 0;

	if (!jtrace_recovered.img || t->verdict == JTRACE_UNREADABLE) {
		seq_puts(m, "# no trace of an earlier boot\n");
		return;
	}
	seq_printf(m, "# boot %*phN, Linux %.*s\n", (int)sizeof(t->header.boot_id),
		   t->header.boot_id, (int)sizeof(t->header.release), t->header.release);
	show_kernel(m, &t->header);
	while ((at = jtrace_site_next_module(&t->l, t->img, t->image_id, at, &text))) {
		base = module_base(&text, &size);
		if (!base)
			continue;
		seq_printf(m, "%s 0x%llx+0x%llx", text.tag, base, size);
		now = find_now(&text, size, &same);
		show_now(m, base, now, same);
	}
}
