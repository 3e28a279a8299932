// SPDX-License-Identifier: GPL-2.0
/* The id of this boot, which the kernel tells in a file only. */

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/uuid.h>

#include "wrapper.h"

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

/**
 * jtrace_read_boot_id() - read the id of this boot
 * @id: result: 16 bytes, in the order of the text, so that a hex dump shows the id; as it was if it
 *	cannot be read
 *
 * It must be the kernel's, because the journal and jtrace(1) use it to tell boots apart.
 *
 * Context: Process.
 */
void jtrace_read_boot_id(u8 *id)
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
