// SPDX-License-Identifier: GPL-2.0
/*
 * steady - read the RAM of a machine whose CPUs record meanwhile: no entry is false
 *
 * Usage: steady SEED ROUNDS
 *
 * Each CPU is a context of its own, which may stop before each of its shared accesses (hook).  A
 * reading copies words in any order, and CPUs go on between two of them, for none, some or very
 * many of their steps.  Arguments have few values, so that halves of two entries may look alike.
 * Each entry that is left was recorded, in this slot, with these values.  Of a machine that stands
 * still, all entries are left.
 */

#include <errno.h>
#include <stdlib.h>
#include <ucontext.h>

#include "../../tools/image/image.h"
#include "../user/hook.h"

#include "../../lib/image/chunk.c"
#include "../../lib/image/image.c"
#include "../../lib/image/ring.c"
#include "../../lib/image/task.c"
#include "../../tools/image/steady.c"

#include "../kunit/random.h"

#define CPUS		3
#define EVENTS		3000
#define IMAGE_ID	7
#define STACK		(256 << 10)

static struct {
	struct jtrace_ring ring;
	struct jtrace_ring_cpu rc[CPUS];
	struct jtrace_layout l;
	void *img;
	void *copy;
	ucontext_t reader;
	ucontext_t cpu[CPUS];
	void *stack[CPUS];
	u32 events;
	u64 cursor[EVENTS];	/* where it is */
	bool done[EVENTS];
	u32 on;			/* the CPU that runs, or CPUS */
	u32 steps;		/* it may go on for so many */
} m;

static u64 state;

bool fail(const char *fmt, ...)
{
	printf("steady: %s\n", fmt);
	exit(1);
}

#define expect(test, fmt, ...) do {					\
	if (!(test)) {							\
		printf("steady: " fmt "\n", ##__VA_ARGS__);		\
		exit(1);						\
	}								\
} while (0)

static void hook(void)
{
	u32 cpu = m.on;

	if (cpu == CPUS || m.steps--)
		return;
	m.on = CPUS;
	swapcontext(&m.cpu[cpu], &m.reader);
}

static u64 arg(u32 n, u32 which)
{
	return random_hash(n * 8 + which) & 1;
}

static void record(u32 cpu)
{
	struct jtrace_ring_cpu *rc = &m.rc[cpu];
	const u32 n = m.events++;
	const struct jtrace_moment now = { n + 1, n + 1, n + 1 };
	u64 cursor = rc->cursor;

	while (jtrace_ring_full(&m.ring, cursor) || !jtrace_ring_reserve(&m.ring, rc, cursor)) {
		if (jtrace_ring_full(&m.ring, cursor) &&
		    !jtrace_ring_claim(&m.ring, rc, cursor, &now, true))
			return;
		cursor = rc->cursor;
	}
	m.cursor[n] = cursor;
	if (m.l.kind == JTRACE_KIND_SMALL)
		jtrace_ring_fill_small(&m.ring, cursor, n + 1, 1 + arg(n, 0), cpu, arg(n, 1));
	else
		jtrace_ring_fill_large(&m.ring, cursor, n + 1, 1 + arg(n, 0), 1, cpu, arg(n, 1),
				       arg(n, 2), arg(n, 3), arg(n, 4));
	m.done[n] = true;
}

static void run_cpu(int cpu)
{
	for (;;) {
		if (m.events < EVENTS)
			record(cpu);
		hook();
	}
}

/* Let a CPU go on. */
static void step(void)
{
	static const u32 most[] = { 2, 2, 20, 20, 200, 2000 };

	m.on = random_below(&state, CPUS);
	m.steps = random_below(&state, most[random_below(&state, ARRAY_SIZE(most))]);
	swapcontext(&m.reader, &m.cpu[m.on]);
}

static bool moving;

static size_t common_divisor(size_t a, size_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/* Copy words in steps of a random width: one up, one down, or any that reaches all of them. */
bool source_read(const struct source *s, u64 at, void *to, size_t len)
{
	const size_t nr = len / sizeof(u64), from = random_below(&state, nr);
	size_t width = random_below(&state, 2) ? 1 : nr - 1;
	const u32 chance = 4 << random_below(&state, 10);
	size_t i, k;

	(void)s;
	while (random_below(&state, 2) || common_divisor(width, nr) > 1)
		width = 1 + random_below(&state, nr - 1);
	for (i = 0; i < nr; i++) {
		k = (from + i * width) % nr;
		if (moving && m.events < EVENTS && !random_below(&state, chance))
			step();
		((u64 *)to)[k] = ((const u64 *)((const u8 *)m.img + at))[k];
	}
	return true;
}

/* Is an entry as it was recorded? */
static void check(const struct jtrace_decoded *ev, const struct jtrace_chunk *c, u32 slot)
{
	const u32 n = ev->time - 1, place = jtrace_entry_place(&m.l, c->index, slot);

	expect(ev->time && n < m.events, "an entry of time %llu, of %u", ev->time, m.events);
	expect(m.cursor[n] == (c->claim << 32 | place), "entry %u is elsewhere", n);
	expect(ev->site == 1 + arg(n, 0) && ev->arg[0] == arg(n, 1), "entry %u is false", n);
	expect(m.l.kind == JTRACE_KIND_SMALL ||
	       (ev->arg[2] == arg(n, 2) && ev->wide[0] == arg(n, 3) && ev->wide[1] == arg(n, 4)),
	       "entry %u is half of another one", n);
}

/* Return the number of entries that a reading leaves. */
static u32 look(void)
{
	const struct source s = { .name = "ram" };
	struct jtrace_decoded ev;
	struct jtrace_chunk c;
	u32 i, slot, nr = 0;

	source_read(&s, 0, m.copy, m.l.size);
	steady_chunks(&s, &m.l, m.l.chunks_off, (u8 *)m.copy + m.l.chunks_off, m.l.nr_chunks);
	for (i = 0; i < m.l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&m.l, m.copy, IMAGE_ID, i, &c))
			continue;
		for (slot = 0; slot < m.l.entries; slot++)
			if (jtrace_entry_read(&m.l, m.copy, IMAGE_ID, &c, slot, &ev)) {
				check(&ev, &c, slot);
				nr++;
			}
	}
	return nr;
}

/* Entries in the image of a machine that stands still. */
static u32 count(void)
{
	struct jtrace_decoded ev;
	struct jtrace_chunk c;
	u32 i, slot, nr = 0;
	bool is_chunk;

	for (i = 0; i < m.l.nr_chunks; i++) {
		is_chunk = jtrace_chunk_read(&m.l, m.img, IMAGE_ID, i, &c);
		for (slot = 0; is_chunk && slot < m.l.entries; slot++)
			nr += jtrace_entry_read(&m.l, m.img, IMAGE_ID, &c, slot, &ev);
	}
	return nr;
}

static void *zalloc(size_t size)
{
	void *p = aligned_alloc(4096, ALIGN(size, 4096));

	expect(p, "no memory");
	return memset(p, 0, ALIGN(size, 4096));
}

static void make_ring(void)
{
	const u32 kind = random_below(&state, 2) ? JTRACE_KIND_SMALL : JTRACE_KIND_LARGE;
	const u32 shift = 7 + random_below(&state, 3);
	u32 cpu;

	memset(&m, 0, sizeof(m));
	m.on = CPUS;
	expect(jtrace_layout_chunk(&m.l, shift, kind), "no layout");
	m.l.chunks_off = ALIGN(sizeof(struct jtrace_image_header), 1U << shift);
	m.l.nr_chunks = 2 * CPUS + 1 + random_below(&state, 8);
	m.l.size = m.l.chunks_off + ((u64)m.l.nr_chunks << shift);
	m.img = zalloc(m.l.size);
	m.copy = zalloc(m.l.size);
	jtrace_ring_init(&m.ring, &m.l, m.img, IMAGE_ID,
			 zalloc(m.l.nr_chunks * sizeof(struct jtrace_chunk_ctl)),
			 JTRACE_RING_KEEP_PREVIOUS);
	for (cpu = 0; cpu < CPUS; cpu++) {
		m.rc[cpu].cpu = cpu;
		m.stack[cpu] = zalloc(STACK);
		getcontext(&m.cpu[cpu]);
		m.cpu[cpu].uc_stack.ss_sp = m.stack[cpu];
		m.cpu[cpu].uc_stack.ss_size = STACK;
		makecontext(&m.cpu[cpu], (void (*)(void))run_cpu, 1, cpu);
	}
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, found = 0, looks = 0, still = 0;
	u32 rounds = argc > 2 ? atoi(argv[2]) : 1000, i, cpu, nr;

	for (i = 0; i < rounds; i++) {
		state = seed + i;
		make_ring();
		while (m.events < EVENTS) {
			step();
			moving = true;
			found += look();
			moving = false;
			looks++;
			nr = look();
			expect(nr == count(), "%u of %u entries are left", nr, count());
			still += nr;
		}
		for (cpu = 0; cpu < CPUS; cpu++)
			free(m.stack[cpu]);
		free(m.ring.ctl);
		free(m.img);
		free(m.copy);
	}
	printf("%u rounds, %llu looks, %llu entries, %llu while it stood still\n", rounds, looks,
	       found, still);
	return !(looks > rounds && found && found < still);
}
