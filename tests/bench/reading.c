// SPDX-License-Identifier: GPL-2.0
/*
 * Measure how fast lib/ reads images, natively.
 *
 *   reading rows                  measure, and print a row for each figure
 *   reading file PATH MIB IMAGE   write a file of MIB that contains an image of IMAGE MiB;
 *                                 print how many lines the image's text has
 *
 * lib/image fills each image as in the kernel: four CPUs take turns, for one and a half laps.
 * Each reader must find exactly the entries that the ring holds: a reader that is fast because
 * it loses some fails.
 */

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "../../lib/read/render.h"
#include "../../lib/image/ring.h"
#include "../../lib/image/snapshot.h"
#include "../kunit/random.h"

#define CPUS		4
#define SITES		64
#define IMAGE_ID	0x5a17c0de0ddba11ULL
#define MIB		0x100000ULL

/* 3 GHz: length of a tick in units of 2^-32 ns. */
#define TICKS_PER_NS	3
#define RATE		(0x100000000ULL / TICKS_PER_NS)

/* A figure is the best of at least RUNS_LEAST runs, repeated for RUNS_TIME ns. */
#define RUNS_LEAST	4
#define RUNS_TIME	700000000ULL

/**
 * struct box - an image, its writer and its reader
 * @l: its layout
 * @h: its header
 * @ring: of the writer
 * @sites: of the writer
 * @rc: of the writer, one for each CPU
 * @site: numbers of the sites
 * @now: the clock, in ticks
 * @nr: events so far
 * @shown: entries that the image holds
 * @img: the image
 * @copy: memory for a snapshot
 * @room: memory for lib/read
 * @t: of the reader
 */
struct box {
	struct jtrace_layout l;
	struct jtrace_image_header h;
	struct jtrace_ring ring;
	struct jtrace_sites sites;
	struct jtrace_ring_cpu rc[CPUS];
	u32 site[SITES];
	u64 now;
	u64 nr;
	u64 shown;
	void *img;
	void *copy;
	void *room;
	struct jtrace_trace t;
};

static void die(const char *what)
{
	fprintf(stderr, "reading: %s\n", what);
	exit(1);
}

static void *zalloc(u64 size)
{
	void *p = aligned_alloc(JTRACE_PAGE, ALIGN(size, (u64)JTRACE_PAGE));

	if (!p)
		die("no memory");
	return memset(p, 0, ALIGN(size, (u64)JTRACE_PAGE));
}

/* Map and zero all pages at once, as vmalloc() does. */
static void *map_pages(u64 size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		die("no memory");
	return p;
}

/* ---- Writing ---------------------------------------------------------- */

static struct jtrace_moment moment_of(const struct box *b)
{
	u64 boot = b->now / TICKS_PER_NS;

	return (struct jtrace_moment){ b->now, boot, boot };
}

/* Of the arguments, for jtrace -d: four of 32 bits, then one of 64. */
#define TYPES	(JTRACE_ARGS_TOLD | 0x43333)

static void make_sites(struct box *b)
{
	char tag[64], func[32];
	u32 i;

	jtrace_sites_init(&b->sites, &b->l, b->img, IMAGE_ID,
			  zalloc(jtrace_sites_room(&b->l, 0)), 0, false);
	for (i = 0; i < SITES; i++) {
		snprintf(tag, sizeof(tag), "queue %u (head, tail, flags, status, cookie)", i);
		snprintf(func, sizeof(func), "sample_queue_work_%u", i);
		b->site[i] = jtrace_site_intern(&b->sites, tag, "drivers/sample/sample_queue.c",
						func, 100 + 7 * i, JTRACE_SITE_CALL, TYPES);
	}
}

static void write_header(struct box *b)
{
	struct jtrace_moment m = moment_of(b);

	b->h.stamp.ticks = cpu_to_le64(m.ticks);
	b->h.stamp.mono = cpu_to_le64(m.mono);
	b->h.stamp.boot = cpu_to_le64(m.boot);
	jtrace_header_write(b->img, &b->h);
}

static void record_event(struct box *b, u32 cpu)
{
	struct jtrace_ring_cpu *rc = &b->rc[cpu];
	struct jtrace_moment m = moment_of(b);
	u32 site = b->site[random_hash(b->nr) % SITES];
	u64 cursor = rc->cursor, x = random_hash(~b->nr);

	rc->cpu = cpu;
	if (jtrace_ring_full(&b->ring, cursor)) {
		if (!jtrace_ring_claim(&b->ring, rc, cursor, &m, true))
			die("no chunk to claim");
		cursor = rc->cursor;
	}
	if (!jtrace_ring_reserve(&b->ring, rc, cursor))
		die("no slot to reserve");
	if (b->l.kind == JTRACE_KIND_SMALL)
		jtrace_ring_fill_small(&b->ring, cursor, b->now, site, cpu, x);
	else
		jtrace_ring_fill_large(&b->ring, cursor, b->now, site, 1000 + cpu, cpu, x, ~x,
				       0xffff888000000000ULL | (x >> 32), x * 3);
	/* Events are a microsecond apart, with some pauses of 10 ms. */
	b->now += 100 + x % 6000 + (b->nr % 4096 == 0) * 30000000ULL;
	b->nr++;
}

static void fill_image(struct box *b)
{
	u64 most = jtrace_layout_entries(&b->l) * 3 / 2;
	u32 cpu;

	while (b->nr < most)
		record_event(b, random_hash(b->nr >> 3) % CPUS);
	write_header(b);
	for (cpu = 0; cpu < CPUS; cpu++)
		b->shown += jtrace_ring_recorded(&b->ring, &b->rc[cpu]) -
			    atomic64_read(&b->rc[cpu].overwritten);
	if (b->shown < jtrace_layout_entries(&b->l) * 9 / 10)
		die("the image is not full");
}

static struct box *box_new(u64 size, enum jtrace_kind kind, u8 form)
{
	struct box *b = zalloc(sizeof(*b));

	if (jtrace_layout_plan(&b->l, size, 0, CPUS, kind) != JTRACE_FIT_FULL)
		die("no layout");
	b->l.form |= form | JTRACE_FORM_TICKS;
	b->l.cpus = CPUS;
	b->img = zalloc(b->l.size);
	b->now = 1000000000;
	jtrace_ring_init(&b->ring, &b->l, b->img, IMAGE_ID,
			 zalloc(b->l.nr_chunks * sizeof(struct jtrace_chunk_ctl)),
			 JTRACE_RING_KEEP_PREVIOUS);
	make_sites(b);
	jtrace_header_init(&b->h, &b->l, IMAGE_ID);
	b->h.nr_cpus = cpu_to_le32(CPUS);
	b->h.rate = cpu_to_le64(RATE);
	memcpy(b->h.release, "6.1.0-bench", 11);
	fill_image(b);
	b->copy = zalloc(b->l.size);
	jtrace_recover_open(&b->t, b->img, b->l.size);
	b->room = zalloc(jtrace_recover_room(&b->t));
	return b;
}

static void box_free(struct box *b)
{
	free(b->sites.index);
	free(b->ring.ctl);
	free(b->img);
	free(b->copy);
	free(b->room);
	free(b);
}

/* ---- Reading ---------------------------------------------------------- */

static char line[JTRACE_LINE_MAX];
static struct jtrace_text text;

/* The compiler must not leave out a line. */
static void sink(const char *text)
{
	__asm__ __volatile__("" : : "r"(text) : "memory");
}

/* Find and sort all entries. */
static void scan(struct box *b)
{
	if (jtrace_recover_open(&b->t, b->img, b->l.size) != JTRACE_WHOLE)
		die("the image is not whole");
	jtrace_recover_scan(&b->t, b->room);
	if (b->t.found != b->shown || b->t.verdict != JTRACE_WHOLE)
		die("the image was not read back as it was written");
}

/* Recover and render everything, as jtrace_panic.c does with panic_lines=0. */
static void run_read(struct box *b)
{
	u64 lines = 0;

	scan(b);
	jtrace_text_open(&text, &b->t, b->t.heap);
	for (; jtrace_text_next(&text, line, sizeof(line)) >= 0; lines++)
		sink(line);
	if (lines != jtrace_text_lines(&text) || lines != b->shown + 3)
		die("a line is missing");
}

/* The part of a snapshot during which CPUs record. */
static void run_snapshot(struct box *b)
{
	struct jtrace_image_header h = b->h;
	const struct jtrace_cut cut = { 0 };

	if (jtrace_snapshot(&b->l, b->img, &h, &cut, b->copy) != b->shown)
		die("the snapshot is not all of the image");
}

/* Find an image, copy it, check and sort the copy, as jtrace_persist.c does. */
static void run_load(struct box *b)
{
	struct jtrace_trace *t = &b->t;
	void *img, *room;
	u64 size;

	if (jtrace_recover_open(t, b->img, b->l.size) != JTRACE_WHOLE)
		die("the image is not whole");
	img = map_pages(t->l.size);
	jtrace_copy_words(img, b->img, t->l.size);
	jtrace_recover_open(t, img, b->l.size);
	size = jtrace_recover_room(t);
	room = map_pages(size);
	jtrace_recover_scan(t, room);
	if (t->found != b->shown || t->verdict != JTRACE_WHOLE)
		die("the image was not loaded as it was written");
	munmap(room, size);
	munmap(img, t->l.size);
}

/* Find all entries of a damaged image: each has its claim and CPU. */
static void run_judge(struct box *b)
{
	jtrace_recover_open(&b->t, b->img, b->l.size);
	jtrace_recover_scan(&b->t, b->room);
	if (b->t.found != b->shown)
		die("damage of headers cost entries");
}

/* ---- Measuring -------------------------------------------------------- */

/* CPU time of this thread: other load of the machine disturbs less. */
static u64 clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The shortest of some runs, ns. */
static double time_quickest(struct box *b, void (*run)(struct box *))
{
	u64 begun = clock_ns(), least = ~0ULL, i;

	for (i = 0; i < RUNS_LEAST || clock_ns() - begun < RUNS_TIME; i++) {
		u64 from;

		memset(b->copy, 0, b->l.size);
		from = clock_ns();
		run(b);
		least = min(least, clock_ns() - from);
	}
	return least;
}

/* Units of rows; print_row() computes each from the time of a run. */
enum unit {
	US_PER_MIB,
	MS,
	LINES_PER_S,
};

/* reading.NAME: how long @run takes with an image of @mib MiB. */
static void print_row(const char *name, void (*run)(struct box *), enum jtrace_kind kind,
		      u8 form, u64 mib, enum unit unit, const char *note)
{
	static const char * const names[] = { "us", "ms", "lines/s" };
	struct box *b = box_new(mib * MIB, kind, form);
	double ns = time_quickest(b, run), value = ns / 1e6;

	if (unit == US_PER_MIB)
		value = ns / 1e3 / mib;
	else if (unit == LINES_PER_S)
		value = (b->shown + 3) * 1e9 / ns;
	printf("reading.%s\t%.2f\t%s\t%s\n", name, value, names[unit], note);
	fflush(stdout);
	box_free(b);
}

static void print_damage_row(void)
{
	struct box *b = box_new(16 * MIB, JTRACE_KIND_SMALL, JTRACE_FORM_CHECKED);
	double whole = time_quickest(b, run_judge);
	u32 i;

	for (i = 0; i < b->l.nr_chunks; i++)
		memset((void *)jtrace_chunk_at(&b->l, b->img, i), 0,
		       sizeof(struct jtrace_chunk_header));
	printf("reading.ratio.headers_lost\t%.2f\tx\tto find all entries of a persistent 16 MiB image without a chunk header, to with all\n",
	       time_quickest(b, run_judge) / whole);
	box_free(b);
}

static void print_rows(void)
{
	const enum jtrace_kind large = JTRACE_KIND_LARGE, small = JTRACE_KIND_SMALL;

	print_row("snapshot", run_snapshot, large, 0, 1, US_PER_MIB,
		  "copy for a snapshot of 1 MiB, large entries: per MiB");
	print_row("snapshot.64m", run_snapshot, large, 0, 64, US_PER_MIB, "the same, 64 MiB");
	print_row("recover_render.large.1m", run_read, large, 0, 1, LINES_PER_S,
		  "recover, sort and render a volatile image of 1 MiB, large entries");
	print_row("recover_render.checked_small.64m", run_read, small, JTRACE_FORM_CHECKED, 64,
		  LINES_PER_S, "the same of a persistent image of 64 MiB, small entries");
	print_row("recover.open64m", run_load, large, JTRACE_FORM_CHECKED, 64, MS,
		  "persistent 64 MiB, large entries: from insmod to the file recovered");
	print_damage_row();
}

/* ---- A file that contains an image ------------------------------------ */

static void write_file(const char *path, u64 mib, u64 image)
{
	static u64 word[MIB / sizeof(u64)];
	struct box *b = box_new(image * MIB, JTRACE_KIND_LARGE, 0);
	u64 i, k, begin = (mib - image) / 2;
	FILE *f = fopen(path, "wb");

	for (i = 0; f && i < mib; i++) {
		bool in_image = i >= begin && i < begin + image;
		const void *from = word;

		/* Fill the rest with data that is as hard to skip as real memory. */
		for (k = 0; !in_image && k < ARRAY_SIZE(word); k++)
			word[k] = random_hash(i * ARRAY_SIZE(word) + k);
		if (in_image)
			from = (const u8 *)b->img + (i - begin) * MIB;
		if (fwrite(from, sizeof(word), 1, f) != 1)
			break;
	}
	if (!f || i < mib || fclose(f)) {
		perror(path);
		exit(1);
	}
	scan(b);
	jtrace_text_open(&text, &b->t, b->t.heap);
	printf("%llu\n", (unsigned long long)jtrace_text_lines(&text));
	box_free(b);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "rows")) {
		print_rows();
	} else if (argc == 5 && !strcmp(argv[1], "file") && atoi(argv[4]) > 0 &&
		   atoi(argv[3]) >= atoi(argv[4])) {
		write_file(argv[2], atoi(argv[3]), atoi(argv[4]));
	} else {
		fprintf(stderr, "usage: reading rows | file PATH MIB IMAGE\n");
		return 2;
	}
	return 0;
}
