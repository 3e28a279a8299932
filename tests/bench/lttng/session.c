// SPDX-License-Identifier: GPL-2.0
/*
 * Run a program while LTTng records exact_event as in a snapshot session.
 *
 * Usage: session PROGRAM [ARG...]
 * Exit: that of the program; 1 also if LTTng is missing or has recorded less than one lap,
 * with a line on stderr; 2 usage.
 *
 * The calls are those of lttng-sessiond for a flight recorder of the kernel: a ring of 1 MiB
 * per CPU, memory-mapped, that overwrites its oldest data.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <lttng/abi.h>

#include "../child.h"

#define LAP	0x100000UL

/* From LTTng's include/ringbuffer/vfs.h, which only the kernel can include. */
#define SNAPSHOT_SAMPLE_POSITIONS	_IO(0xF6, 0x0E)
#define SNAPSHOT_GET_PRODUCED		_IOR(0xF6, 0x02, unsigned long)

/* Exit if the ioctl fails. */
static int call(int fd, unsigned long request, void *arg, const char *what)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0) {
		fprintf(stderr, "session: %s: %s\n", what, strerror(errno));
		exit(1);
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct lttng_kernel_abi_channel ring = {
		.subbuf_size = LAP / 4,
		.num_subbuf = 4,
		.output = LTTNG_KERNEL_ABI_MMAP,
		.overwrite = 1,
	};
	struct lttng_kernel_abi_event param = {
		.name = "exact_event",
		.instrumentation = LTTNG_KERNEL_ABI_TRACEPOINT,
	};
	int lttng, session, channel, event, stream, status;
	unsigned long produced = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: session PROGRAM [ARG...]\n");
		return 2;
	}
	lttng = open("/proc/lttng", O_RDWR | O_CLOEXEC);
	if (lttng < 0) {
		fprintf(stderr, "session: /proc/lttng: %s\n", strerror(errno));
		return 1;
	}
	session = call(lttng, LTTNG_KERNEL_ABI_SESSION, NULL, "session");
	channel = call(session, LTTNG_KERNEL_ABI_CHANNEL, &ring, "channel");
	stream = call(channel, LTTNG_KERNEL_ABI_STREAM, NULL, "stream");
	event = call(channel, LTTNG_KERNEL_ABI_EVENT, &param, "event");
	if (ioctl(event, LTTNG_KERNEL_ABI_ENABLE) < 0 && errno != EEXIST) {
		fprintf(stderr, "session: enable: %s\n", strerror(errno));
		return 1;
	}
	call(session, LTTNG_KERNEL_ABI_SESSION_START, NULL, "start");

	status = run_child(argv + 1);

	call(session, LTTNG_KERNEL_ABI_SESSION_STOP, NULL, "stop");
	call(stream, SNAPSHOT_SAMPLE_POSITIONS, NULL, "positions");
	call(stream, SNAPSHOT_GET_PRODUCED, &produced, "produced");
	if (produced < LAP) {
		fprintf(stderr, "session: %lu bytes recorded, less than a lap\n", produced);
		return 1;
	}
	return status;
}
