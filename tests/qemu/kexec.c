// SPDX-License-Identifier: GPL-2.0
/*
 * kexec - boot another kernel, with the options of kexec(8)
 *
 * Usage: kexec -p|-l KERNEL INITRD CMDLINE
 *        kexec -e
 *
 *	-p	load the kernel that boots when this one panics
 *	-l	load the one that -e boots
 *	-e	boot it, at once: nothing is unmounted or stopped before
 *
 * Exit: 0 loaded, 1 not, 2 usage.
 *
 * In the guest, without libraries.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <sys/reboot.h>
#include <sys/syscall.h>

static int load(char **argv, unsigned long flags)
{
	int kernel = open(argv[0], O_RDONLY);
	int initrd = open(argv[1], O_RDONLY);

	if (kernel < 0 || initrd < 0)
		return -1;
	return syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[2]) + 1, argv[2], flags);
}

int main(int argc, char **argv)
{
	int status;

	if (argc == 5 && !strcmp(argv[1], "-p")) {
		status = load(argv + 2, KEXEC_FILE_ON_CRASH);
	} else if (argc == 5 && !strcmp(argv[1], "-l")) {
		status = load(argv + 2, 0);
	} else if (argc == 2 && !strcmp(argv[1], "-e")) {
		status = reboot(LINUX_REBOOT_CMD_KEXEC);
	} else {
		fprintf(stderr, "usage: kexec -p|-l KERNEL INITRD CMDLINE | -e\n");
		return 2;
	}
	if (status)
		perror("kexec");
	return !!status;
}
