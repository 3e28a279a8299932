// SPDX-License-Identifier: GPL-2.0
/*
 * The image identifies its boot and says where the kernel and its modules lay.  With that, the next
 * boot resolves addresses in the arguments of a recovered trace.
 *
 * The kernel exports little of this to modules (checked: 6.1, 6.12 and 7.2).  So we read the boot
 * id from its file in /proc, and the address of the text from the note for crash dumps.  Unknown
 * values stay 0 or are left out.  The boot id must be the kernel's, because the journal and
 * jtrace(1) use it to tell boots apart.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/buildid.h>
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/notifier.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/uuid.h>

#include "jtrace_internal.h"
#include "lib/read/render.h"

/* ---- This boot -------------------------------------------------------- */

#define BOOT_ID		"sys/kernel/random/boot_id"

/*
 * Use a private mount of proc, as the kernel does to set sysctls of its command line.  It exists
 * before user space, and does not depend on the caller's /proc.
 */
static struct file *open_boot_id(void)
{
	struct file_system_type *type = get_fs_type("proc");
	struct vfsmount *proc;
	struct file *file;

	if (!type)
		return ERR_PTR(-ENODEV);
	proc = kern_mount(type);
	module_put(type->owner);
	if (IS_ERR(proc))
		return ERR_CAST(proc);
	file = file_open_root_mnt(proc, BOOT_ID, O_RDONLY, 0);
	kern_unmount(proc);
	return file;
}

/* Bytes in the order of the text, so that a hex dump shows the id. */
static void read_boot_id(u8 *id)
{
	struct file *file = open_boot_id();
	char text[UUID_STRING_LEN + 1] = "";
	loff_t pos = 0;
	uuid_t uuid;

	if (IS_ERR(file))
		return;
	if (kernel_read(file, text, UUID_STRING_LEN, &pos) == UUID_STRING_LEN &&
	    !uuid_parse(text, &uuid))
		export_uuid(id, &uuid);
	filp_close(file, NULL);
}

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
	/* The last line first, because note_find() cuts the text after the value. */
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
 * jtrace_boot_identify() - identify this boot in a header
 * @h: result: machine, release, boot_id, build_id and text, as far as they are known
 *
 * Context: Process.
 */
void jtrace_boot_identify(struct jtrace_image_header *h)
{
	h->machine = cpu_to_le16(ELF_ARCH);
	strscpy(h->release, init_utsname()->release, sizeof(h->release));
	read_boot_id(h->boot_id);
	read_note(h);
}

/* ---- Modules ----------------------------------------------------------- */

/*
 * A notifier reports modules that are loaded after jtrace, but most are loaded before.  Kernels
 * export no list of these (checked: 6.1, 6.12 and 7.2; 5.12 and 5.13 removed the exports of
 * find_module() and of the list).  /sys/module has all modules: walk its kset once, under its lock.
 */

#ifdef CONFIG_MODULES
/* The build id as the image stores it; "" if the kernel keeps none. */
static void build_id_text(const struct module *mod, char text[2 * BUILD_ID_SIZE_MAX + 1])
{
#ifdef CONFIG_STACKTRACE_BUILD_ID
	bin2hex(text, mod->build_id, sizeof(mod->build_id));
	text[2 * BUILD_ID_SIZE_MAX] = 0;
#else
	text[0] = 0;
#endif
}

static void note_module(const struct module *mod)
{
	char build_id[2 * BUILD_ID_SIZE_MAX + 1], where[40];

	build_id_text(mod, build_id);
	scnprintf(where, sizeof(where), "%lx+%x", (unsigned long)jtrace_module_code(mod)->base,
		  jtrace_module_code(mod)->size);
	jtrace_site_module(&jtrace.sites, mod->name, build_id, where);
}

/* /sys/module: loaded modules, and built-in code that has parameters. */
static struct kset *modules(void)
{
#ifdef MODULE
	return THIS_MODULE->mkobj.kobj.kset;
#else
	return module_kset;
#endif
}

static const struct module *module_of(struct kobject *kobj)
{
	return container_of(kobj, struct module_kobject, kobj)->mod;
}

/* Note the loaded modules, the newest first. */
static void note_modules(void)
{
	struct kset *kset = modules();
	struct kobject *kobj;

	spin_lock(&kset->list_lock);
	list_for_each_entry_reverse(kobj, &kset->list, entry)
		if (module_of(kobj))
			note_module(module_of(kobj));
	spin_unlock(&kset->list_lock);
}

/* Return the address of a loaded module, with its size and build id; 0 if it is not loaded. */
static u64 module_now(const char *name, char build_id[2 * BUILD_ID_SIZE_MAX + 1], u64 *size)
{
	struct kobject *kobj = kset_find_obj(modules(), name);
	const struct module *mod = kobj ? module_of(kobj) : NULL;
	u64 base = 0;

	if (mod) {
		base = (unsigned long)jtrace_module_code(mod)->base;
		*size = jtrace_module_code(mod)->size;
		build_id_text(mod, build_id);
	}
	kobject_put(kobj);
	return base;
}

static int module_call(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_COMING)
		note_module(data);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = {
	.notifier_call = module_call,
};

/* From now on, note in the image where modules lie. */
void jtrace_modules_init(void)
{
	/* This order misses no module.  A module noted twice is stored once. */
	register_module_notifier(&module_nb);
	note_modules();
}

void jtrace_modules_exit(void)
{
	unregister_module_notifier(&module_nb);
}
#else
static u64 module_now(const char *name, char build_id[2 * BUILD_ID_SIZE_MAX + 1], u64 *size)
{
	return 0;
}
#endif

/* ---- The earlier boot, compared with this one ------------------------- */

static bool anything_recovered(void)
{
	return jtrace_recovered.trace.verdict != JTRACE_EMPTY &&
	       jtrace_recovered.trace.verdict != JTRACE_UNREADABLE;
}

/**
 * jtrace_recovered_boot() - which boot left the recovered trace?
 *
 * Context: Any.
 * Return: its boot id, 16 bytes, also after the trace was freed, 0 if it died before its id was
 * known; NULL if both headers are lost.
 */
const u8 *jtrace_recovered_boot(void)
{
	const struct jtrace_trace *t = &jtrace_recovered.trace;

	if (!anything_recovered() || t->damage.nr[JTRACE_FAULT_HEADERS])
		return NULL;
	return t->header.boot_id;
}

/* Show the present address and the offset to add to an old one; @now is 0 if not loaded. */
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

static void show_boot(struct seq_file *m, const struct jtrace_trace *t)
{
	const struct jtrace_image_header *h = &t->header, *now = &jtrace.setup.header;
	char release[4 * sizeof(h->release) + 1];
	bool known = memchr_inv(h->build_id, 0, sizeof(h->build_id));

	if (!jtrace_recovered_boot()) {
		seq_puts(m, "# a boot whose name is lost\n");
		return;
	}
	jtrace_escape(NULL, release, sizeof(release), (const char *)h->release, sizeof(h->release));
	seq_printf(m, "# boot %*phN, Linux %s\n", (int)sizeof(h->boot_id), h->boot_id, release);
	if (!h->text)
		return;
	seq_printf(m, "kernel 0x%llx build id %*phN", le64_to_cpu(h->text),
		   (int)sizeof(h->build_id), h->build_id);
	show_now(m, le64_to_cpu(h->text), le64_to_cpu(now->text),
		 known && !memcmp(h->build_id, now->build_id, sizeof(h->build_id)));
}

/* Compare a noted module with the loaded one, by size and by build id if the kernel has it. */
static void show_module(struct seq_file *m, const struct jtrace_site_text *text)
{
	char build_id[2 * BUILD_ID_SIZE_MAX + 1] = "", name[4 * JTRACE_TAG_MAX + 1];
	u64 base, size, now, size_now = 0;

	if (sscanf(text->func, "%llx+%llx", &base, &size) != 2)
		return;
	now = module_now(text->tag, build_id, &size_now);
	jtrace_escape(NULL, name, sizeof(name), text->tag, sizeof(text->tag));
	seq_printf(m, "%s 0x%llx+0x%llx", name, base, size);
	show_now(m, base, now, size == size_now && !strcmp(text->file, build_id));
}

/*
 * Position 0 is the kernel, known from the header.  Other positions are places in the image of
 * modules, unless the image is freed.
 */
static void *boot_start(struct seq_file *m, loff_t *pos)
{
	m->private = jtrace_recovered_get() ? &jtrace_recovered : NULL;
	return *pos <= U32_MAX ? pos : NULL;
}

static void *boot_next(struct seq_file *m, void *v, loff_t *pos)
{
	const struct jtrace_trace *t = &jtrace_recovered.trace;
	struct jtrace_site_text text;
	u32 next = 0;

	if (m->private && anything_recovered())
		next = jtrace_site_next_module(&t->l, t->img, t->image_id, *pos, &text);
	*pos = next ?: 1ULL << 32;
	return next ? pos : NULL;
}

static void boot_stop(struct seq_file *m, void *v)
{
	if (m->private)
		jtrace_recovered_put();
}

static int boot_show(struct seq_file *m, void *v)
{
	const struct jtrace_trace *t = &jtrace_recovered.trace;
	u32 after = *(loff_t *)v;
	struct jtrace_site_text text;

	if (!anything_recovered())
		seq_puts(m, "# no trace of an earlier boot\n");
	else if (!after)
		show_boot(m, t);
	else if (m->private && jtrace_site_read(&t->l, t->img, t->image_id, after - 1, &text))
		show_module(m, &text);
	return 0;
}

/* Kernel and modules of the earlier boot, one line each. */
const struct seq_operations jtrace_last_boot_sops = {
	.start = boot_start,
	.next = boot_next,
	.stop = boot_stop,
	.show = boot_show,
};
