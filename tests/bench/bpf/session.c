// SPDX-License-Identifier: GPL-2.0
/*
 * Run a program while a BPF program records.
 *
 * Usage: bpf_session OBJECT BPF_PROGRAM EVENTS PROGRAM [ARG...]
 * Exit: that of the program; 1 also if the BPF program cannot be attached, or has not recorded
 * EVENTS events, with a line on stderr; 2 usage.
 *
 * Nobody reads the ring meanwhile: EVENTS must fit in it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "../child.h"

static int count(void *nr, void *data, size_t size)
{
	(void)data;
	(void)size;
	++*(unsigned long *)nr;
	return 0;
}

static int fail(const char *what)
{
	fprintf(stderr, "bpf_session: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long events = 0, want;
	struct bpf_program *program;
	struct ring_buffer *ring;
	struct bpf_object *object;
	int status;

	if (argc < 5) {
		fprintf(stderr, "usage: bpf_session OBJECT BPF_PROGRAM EVENTS PROGRAM [ARG...]\n");
		return 2;
	}
	want = strtoul(argv[3], NULL, 10);
	object = bpf_object__open(argv[1]);
	if (!object || bpf_object__load(object))
		return fail(argv[1]);
	program = bpf_object__find_program_by_name(object, argv[2]);
	if (!program || !bpf_program__attach(program))
		return fail(argv[2]);
	ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), count, &events,
				NULL);
	if (!ring)
		return fail("ring");

	status = run_child(argv + 4);

	ring_buffer__consume(ring);
	if (events != want) {
		fprintf(stderr, "bpf_session: %lu of %lu events\n", events, want);
		return 1;
	}
	return status;
}
