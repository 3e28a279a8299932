// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the images of this directory, always the same ones. README has the rest.
 *
 * Usage: make-golden DIR
 */

#include <stdlib.h>

#include "../../lib/image/ring.h"
#include "../../lib/image/site.h"

#define MOST		16384
#define ID		0x6a7472616365ULL	/* "jtrace" */
#define CPUS		3
#define SITES		6
#define BOOT_NS		5000000000ULL		/* the clock shown, at tick 0 */
#define TICK_NS		40

static struct {
	struct jtrace_layout l;
	struct jtrace_image_header h;
	struct jtrace_ring ring;
	struct jtrace_ring_cpu rc[CPUS];
	struct jtrace_chunk_ctl ctl[MOST / 128];
	struct jtrace_sites sites;
	u32 index[4096];
	u32 site[SITES];
	u64 now;
	u32 n;
	u8 img[MOST] ____cacheline_aligned_in_smp;
} g;

static const char *dir;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void save(const char *name, u32 bytes)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.img", dir, name);
	f = fopen(path, "wb");
	if (!f || fwrite(g.img, 1, bytes, f) != bytes || fclose(f))
		fail(path);
}

static void make_sites(void)
{
	static const char * const tag[SITES] = {
		"open", "read (fd, count)", "a\tb \x1b[1m", "\xc3\xa9", "close", "",
	};
	/* Of all kinds, and one whose types are not known. */
	static const u8 kind[SITES] = {
		JTRACE_SITE_CALL, JTRACE_SITE_CALL, JTRACE_SITE_PROBE, JTRACE_SITE_EVENT,
		JTRACE_SITE_RETURN,
	};
	static const u32 args[SITES] = {
		JTRACE_ARGS_TOLD, JTRACE_ARGS_TOLD | 0x47, 0, JTRACE_ARGS_TOLD | 0x980421,
		JTRACE_ARGS_TOLD | 0x996537,
	};
	u32 i;

	jtrace_sites_init(&g.sites, &g.l, g.img, ID, g.index, 0, false);
	for (i = 0; i < SITES - 1; i++)
		g.site[i] = jtrace_site_intern(&g.sites, tag[i], "drivers/x/sample.c",
					       i & 1 ? "sample_read" : "sample_open", 100 + i,
					       kind[i], args[i]);
	g.site[SITES - 1] = g.l.sites_end / JTRACE_GRANULE + 3;	/* found no room */
}

static struct jtrace_moment moment(void)
{
	bool ticks = g.l.form & JTRACE_FORM_TICKS;
	struct jtrace_moment m = { .ticks = g.now };

	m.boot = ticks ? BOOT_NS + g.now * TICK_NS : g.now;
	m.mono = m.boot - 1000000000;
	return m;
}

static void write_header(u8 state)
{
	struct jtrace_moment m = moment();

	g.h.state = state;
	g.h.real = cpu_to_le64(1795272363000000000ULL + m.boot);
	g.h.stamp.ticks = cpu_to_le64(m.ticks);
	g.h.stamp.mono = cpu_to_le64(m.mono);
	g.h.stamp.boot = cpu_to_le64(m.boot);
	jtrace_header_write(g.img, &g.h);
}

static void begin(u32 size, u8 kind, u8 form)
{
	u32 i;

	memset(&g, 0, sizeof(g));
	g.now = form & JTRACE_FORM_TICKS ? 1000000 : 7000000000ULL;
	if (jtrace_layout_plan(&g.l, size, 0, CPUS, kind) == JTRACE_FIT_NONE)
		fail("layout");
	g.l.form |= form | JTRACE_FORM_CHECKED;
	g.l.cpus = CPUS;
	jtrace_ring_init(&g.ring, &g.l, g.img, ID, g.ctl, JTRACE_RING_KEEP_PREVIOUS);
	make_sites();
	jtrace_header_init(&g.h, &g.l, ID);
	g.h.compat |= cpu_to_le32(JTRACE_COMPAT_PERSISTENT | JTRACE_COMPAT_CACHED);
	g.h.nr_cpus = cpu_to_le32(CPUS);
	g.h.last_cpus = cpu_to_le32(2);
	g.h.rate = cpu_to_le64((u64)TICK_NS << 32);
	for (i = 0; i < sizeof(g.h.boot_id); i++)
		g.h.boot_id[i] = 0x11 * i;
	memcpy(g.h.release, "6.1.0-56-amd64", 14);
	write_header(JTRACE_STATE_RUNNING);
}

static void fill(u64 cursor, u32 cpu, u32 n)
{
	u64 x = n * 0x9e3779b97f4a7c15ULL;
	u32 site = g.site[n % 7 % SITES];

	if (g.l.kind == JTRACE_KIND_SMALL)
		jtrace_ring_fill_small(&g.ring, cursor, g.now, site, cpu, x >> 32);
	else
		jtrace_ring_fill_large(&g.ring, cursor, g.now, site, 100 + n, cpu | n % 3 << 24,
				       x, ~x, x * 3, n % 4 ? 0 : ~0ULL);
}

static void record(u32 cpu)
{
	struct jtrace_ring_cpu *rc = &g.rc[cpu];
	struct jtrace_moment now = moment();

	rc->cpu = cpu;
	while (jtrace_ring_full(&g.ring, rc->cursor))
		if (!jtrace_ring_claim(&g.ring, rc, rc->cursor, &now, true))
			fail("claim");
	fill(rc->cursor, cpu, g.n);
	rc->cursor += g.l.entry_size / JTRACE_GRANULE;
	/* Some at the same time, some long after. */
	g.now += g.n % 5 * 700 + (g.n % 11 == 3) * 1000000;
	g.n++;
}

static void records(u32 nr)
{
	while (nr--)
		record(g.n % 13 % 5 % CPUS);
}

static void clear(void)
{
	u32 i;

	g.h.floor = cpu_to_le64(jtrace_ring_floor_next(&g.ring));
	for (i = 0; i < CPUS; i++)
		jtrace_ring_close(&g.ring, &g.rc[i]);
	write_header(JTRACE_STATE_RUNNING);
}

static u8 *chunk(u32 i)
{
	return g.img + g.l.chunks_off + (i << g.l.chunk_shift);
}

static void small_damaged(void)
{
	u8 header[64];

	begin(12288, JTRACE_KIND_SMALL, JTRACE_FORM_TICKS);
	records(300);
	memcpy(header, chunk(1), sizeof(header));
	records(600);
	memset(g.img, 0, sizeof(g.h));
	memcpy(chunk(1), header, sizeof(header));	/* that of an older claim */
	memset(chunk(2), 0, 64);
	memset(chunk(4), 0xff, 1U << g.l.chunk_shift);
	memset(chunk(6), 0, 1U << g.l.chunk_shift);
	chunk(8)[g.l.first_off + 3 * g.l.entry_size + 13] ^= 0x20;
	save("small-damaged", g.l.size);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make-golden DIR\n");
		return 2;
	}
	dir = argv[1];

	begin(16384, JTRACE_KIND_LARGE, JTRACE_FORM_TICKS);
	records(700);
	fill(g.rc[1].cursor & U32_MAX, 1, g.n);		/* died before its sequence */
	g.now += 25000000;
	memcpy(g.h.reason, "Fatal exception in\ninterrupt", 28);
	write_header(JTRACE_STATE_PANICKED);
	save("large-panicked", g.l.size);
	save("large-cut", 9000);

	begin(8192, JTRACE_KIND_SMALL, JTRACE_FORM_MONO);
	records(250);
	clear();
	records(60);
	save("small-running", g.l.size);

	small_damaged();

	begin(8192, JTRACE_KIND_SMALL, JTRACE_FORM_TICKS);
	records(500);
	memset(g.img, 0xee, sizeof(g.h));
	memset(g.img + g.l.size - sizeof(g.h), 0xee, sizeof(g.h));
	save("small-headless", g.l.size);

	begin(4096, JTRACE_KIND_LARGE, 0);
	records(5);
	write_header(JTRACE_STATE_CLEAN);
	save("clean", g.l.size);
	return 0;
}
