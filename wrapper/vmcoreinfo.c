// SPDX-License-Identifier: GPL-2.0
/*
 * Address and build id of the kernel, from the note for crash dumps.  A kernel without that note
 * tells the address as that of a symbol, if it has kprobes.
 */

#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../lib/base/compat.h"
#include "wrapper.h"

/* Bytes of a build id. */
#define BUILD_ID	20

/* Find "NAME=VALUE" in the crash dump's note; return VALUE, terminated in place. */
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

/**
 * jtrace_read_kernel() - read where this kernel is, and which one
 * @address: result: of its text, 0 if it is not known
 * @build_id: result: 20 bytes, as they were if they are not known
 *
 * Context: Process.
 */
void jtrace_read_kernel(u64 *address, u8 *build_id)
{
	phys_addr_t phys = jtrace_vmcoreinfo();
	const char *note;
	char *text, *at;
	u8 id[BUILD_ID];

	*address = 0;
	if (!phys) {
		*address = jtrace_kallsyms_find("_stext");
		return;
	}
	/* A header of 24 bytes with NULs, then lines of text; one page in all. */
	note = phys_to_virt(phys);
	text = kmemdup_nul(note + 24, PAGE_SIZE - 24, GFP_KERNEL);
	if (!text)
		return;
	/* The last line first, because note_find() cuts the text after the value. */
	at = note_find(text, NOTE_TEXT);
	if (!at || kstrtoull(at, 16, address))
		*address = 0;
	at = note_find(text, NOTE_BUILD_ID);
	if (at && strlen(at) == 2 * sizeof(id) && !hex2bin(id, at, sizeof(id)))
		memcpy(build_id, id, sizeof(id));
	kfree(text);
}
