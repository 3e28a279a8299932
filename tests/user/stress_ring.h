/* SPDX-License-Identifier: GPL-2.0 */
/* State that the threads of stress_ring.c share. */
#ifndef _STRESS_RING_H
#define _STRESS_RING_H

#include <pthread.h>

#include "../../lib/image/ring.h"
#include "stress.h"

#define LEVELS		4
#define READERS		2
#define IMAGE_ID	0xabcdef0123456789ULL

struct writer {
	pthread_t thread;
	struct jtrace_ring_cpu *rc;
	u32 cpu;
	u64 rnd;
	u64 done[LEVELS];	/* records completed, by nesting level */
	u64 tried;
	u32 level;
	u32 closed;		/* the round of clearing of its last close */
	bool began;
	bool ended;
	bool early;
	u64 slots;		/* start value of its counter */
} __attribute__((aligned(64)));

static struct {
	struct config c;
	struct jtrace_layout l;
	struct jtrace_ring ring;
	struct jtrace_image_header h;
	struct writer w[MAX_THREADS];
	u8 *img;
	__le64 floor;
	u32 round;		/* of clearing */
	bool stop;
	bool half;
	u64 accepted;
	u64 bad;
	u64 gone;
	u32 clears;
} s;

#endif /* _STRESS_RING_H */
