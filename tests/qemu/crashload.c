// SPDX-License-Identifier: GPL-2.0
/*
 * crashload - load the kernel that boots when this one panics
 *
 * Usage: crashload KERNEL INITRD CMDLINE
 * Exit: 0 loaded, 1 not, 2 usage.
 *
 * In the guest, without libraries.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/kexec.h>
#include <sys/syscall.h>

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc != 4) {
		fprintf(stderr, "usage: crashload KERNEL INITRD CMDLINE\n");
		return 2;
	}
	kernel = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	if (kernel < 0 || initrd < 0 ||
	    syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1, argv[3],
		    KEXEC_FILE_ON_CRASH)) {
		perror("crashload");
		return 1;
	}
	return 0;
}
