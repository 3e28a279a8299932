// SPDX-License-Identifier: GPL-2.0
/*
 * How fast images are read: lib/ as it is, natively.
 *
 *   reading rows            measure, and print a row for each figure
 *   reading file PATH MIB   write a file of that size with an image in it; print
 *                           how many lines the image's text has
 *   reading image PATH MIB  write an image of that size
 *
 * Each image is filled by lib/ring as the kernel does it: four CPUs that take
 * turns, once and a half around.  What is read back must be what the ring says it
 * holds, to the entry: a reader that is fast because it loses some fails.
 */

#include <stdlib.h>
#include <sys/mman.h>

#include "../../lib/render.h"
#include "../../lib/ring.h"
#include "../../lib/snapshot.h"

#define CPUS		4
#define SITES		64
#define IMAGE_ID	0x5a17c0de0ddba11ULL
#define MIB		0x100000ULL

/* 3 GHz: length of a tick in units of 2^-32 ns. */
#define TICKS_PER_NS	3
#define RATE		(0x100000000ULL / TICKS_PER_NS)

/* A figure is the best of some runs, which take so long together, ns. */
#define RUNS_LEAST	4
#define RUNS_TIME	700000000ULL

/* As jtrace_panic.c: half of a log buffer of 128 KiB. */
#define LOG_BUDGET	(64 << 10)

/**
 * struct box - an image, and all that is needed to write and to read it
 * @l: its layout
 * @h: its header
 * @ring: the writer
 * @sites: of the writer
 * @rc: of the writer, one for each CPU
 * @site: numbers of the sites
 * @now: the clock, in ticks
 * @nr: events so far
 * @shown: entries that it holds
 * @img: the image
 * @to: room for a copy
 * @room: for lib/recover
 * @t: the image as it is read
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
	void *to;
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

/* As vmalloc() does: all pages at once, zeroed. */
static void *pages(u64 size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		die("no memory");
	return p;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static u64 hash(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* ---- Writing ---------------------------------------------------------- */

static struct jtrace_moment moment(const struct box *b)
{
	u64 boot = b->now / TICKS_PER_NS;

	return (struct jtrace_moment){ b->now, boot, boot };
}

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
						func, 100 + 7 * i, JTRACE_SITE_CALL, 0);
	}
}

static void write_header(struct box *b)
{
	struct jtrace_moment m = moment(b);

	b->h.stamp.ticks = cpu_to_le64(m.ticks);
	b->h.stamp.mono = cpu_to_le64(m.mono);
	b->h.stamp.boot = cpu_to_le64(m.boot);
	jtrace_header_write(b->img, &b->h);
}

static void record(struct box *b, u32 cpu)
{
	struct jtrace_ring_cpu *rc = &b->rc[cpu];
	struct jtrace_moment m = moment(b);
	u32 site = b->site[hash(b->nr) % SITES];
	u64 cursor = rc->cursor, x = hash(~b->nr);

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
	/* A microsecond between two, and some pauses of 10 ms. */
	b->now += 100 + x % 6000 + (b->nr % 4096 == 0) * 30000000ULL;
	b->nr++;
}

static void fill(struct box *b)
{
	u64 most = jtrace_layout_entries(&b->l) * 3 / 2;
	u32 cpu;

	while (b->nr < most)
		record(b, hash(b->nr >> 3) % CPUS);
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

	if (jtrace_layout_plan(&b->l, size, 0, CPUS, kind) != JTRACE_ROOM_FULL)
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
	fill(b);
	b->to = zalloc(b->l.size);
	jtrace_recover_open(&b->t, b->img, b->l.size);
	b->room = zalloc(jtrace_recover_room(&b->t));
	return b;
}

static void box_free(struct box *b)
{
	free(b->sites.index);
	free(b->ring.ctl);
	free(b->img);
	free(b->to);
	free(b->room);
	free(b);
}

/* ---- Reading ---------------------------------------------------------- */

static char line[JTRACE_LINE_MAX];
static struct jtrace_text text;

/* Does not let the compiler leave out the making of a line. */
static void sink(const char *text)
{
	__asm__ __volatile__("" : : "r"(text) : "memory");
}

static void scan(struct box *b)
{
	if (jtrace_recover_open(&b->t, b->img, b->l.size) != JTRACE_WHOLE)
		die("the image is not whole");
	jtrace_recover_scan(&b->t, b->room);
	if (b->t.found != b->shown || b->t.verdict != JTRACE_WHOLE)
		die("the image was not read back as it was written");
}

static u64 render(struct box *b)
{
	u64 lines = 0;

	jtrace_text_open(&text, &b->t, b->t.heap);
	for (; jtrace_text_next(&text, line, sizeof(line)) >= 0; lines++)
		sink(line);
	if (lines != jtrace_text_lines(&text))
		die("a line is missing");
	return lines;
}

static void run_read(struct box *b)
{
	scan(b);
	if (render(b) != b->shown + 3)
		die("not all lines were rendered");
}

/* What is done while CPUs record. */
static void run_snapshot(struct box *b)
{
	struct jtrace_image_header h = b->h;
	const struct jtrace_cut cut = { 0 };

	if (jtrace_snapshot(&b->l, b->img, &h, &cut, b->to) != b->shown)
		die("the snapshot is not all of the image");
}

/* As jtrace_persist.c: is there one, copy it, what is it, put it in order. */
static void run_load(struct box *b)
{
	struct jtrace_trace *t = &b->t;
	void *img, *room;
	u64 size;

	if (jtrace_recover_open(t, b->img, b->l.size) != JTRACE_WHOLE)
		die("the image is not whole");
	img = pages(t->l.size);
	jtrace_copy_words(img, b->img, t->l.size);
	jtrace_recover_open(t, img, b->l.size);
	size = jtrace_recover_room(t);
	room = pages(size);
	jtrace_recover_scan(t, room);
	if (t->found != b->shown || t->verdict != JTRACE_WHOLE)
		die("the image was not loaded as it was written");
	munmap(room, size);
	munmap(img, t->l.size);
}

/* What damage costs: each entry tells claim and CPU. */
static void run_judge(struct box *b)
{
	jtrace_recover_open(&b->t, b->img, b->l.size);
	jtrace_recover_scan(&b->t, b->room);
	if (b->t.found != b->shown)
		die("damage of headers cost entries");
}

/* As jtrace_panic.c with panic_lines=0: all there is. */
static void run_dump(struct box *b)
{
	scan(b);
	render(b);
}

/* The same with panic_lines=-1: measure from the end what fits, then print it. */
static void run_dump_fit(struct box *b)
{
	scan(b);
	jtrace_text_limit(&text, &b->t, U32_MAX, LOG_BUDGET, line, sizeof(line));
	if (b->t.shown == b->t.found)
		die("the dump fits in the log");
	render(b);
}

/* ---- Measuring -------------------------------------------------------- */

/* Of this thread: what else runs on the machine costs less that way. */
static u64 clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The shortest of some runs, ns. */
static double best(struct box *b, void (*run)(struct box *))
{
	u64 begun = clock_ns(), least = ~0ULL, i;

	for (i = 0; i < RUNS_LEAST || clock_ns() - begun < RUNS_TIME; i++) {
		u64 from;

		memset(b->to, 0, b->l.size);
		from = clock_ns();
		run(b);
		least = min(least, clock_ns() - from);
	}
	return least;
}

static void row(const char *name, double value, const char *unit, const char *note)
{
	printf("reading.%s\t%.*f\t%s\t%s\n", name, value < 1000 ? 2 : 0, value, unit, note);
	fflush(stdout);
}

/**
 * struct kind - a kind of image
 * @name: in rows
 * @kind: of entries
 * @form: JTRACE_FORM_*
 * @what: for people
 */
struct kind {
	const char *name;
	enum jtrace_kind kind;
	u8 form;
	const char *what;
};

static void read_rows(const struct kind *k, u64 size, const char *suffix)
{
	struct box *b = box_new(size, k->kind, k->form);
	double ns = best(b, run_read);
	char name[64], note[96];

	snprintf(name, sizeof(name), "recover_render.%s.%s", k->name, suffix);
	snprintf(note, sizeof(note), "%s: all lines of a %s image, found, sorted, made",
		 suffix, k->what);
	row(name, (b->shown + 3) * 1e9 / ns, "lines/s", note);
	if (k->kind == JTRACE_KIND_LARGE && size > MIB && !k->form) {
		strncat(name, ".mbs", sizeof(name) - strlen(name) - 1);
		row(name, b->l.size * 1e3 / ns, "MB/s", "the same in bytes of the image");
	}
	box_free(b);
}

static void snapshot_rows(void)
{
	static const char * const notes[] = {
		"copy for a snapshot of 1 MiB, large entries: per MiB",
		"the same, 64 MiB",
		"the same, 1 MiB of small entries",
	};
	static const char * const names[] = { "snapshot", "snapshot.64m", "snapshot.small" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		u64 mib = i == 1 ? 64 : 1;
		struct box *b = box_new(mib * MIB, i == 2 ? JTRACE_KIND_SMALL : JTRACE_KIND_LARGE,
					0);

		row(names[i], best(b, run_snapshot) / 1e3 / mib, "us", notes[i]);
		box_free(b);
	}
}

static void load_rows(void)
{
	struct box *b = box_new(64 * MIB, JTRACE_KIND_LARGE, JTRACE_FORM_CHECKED);

	row("recover.open64m", best(b, run_load) / 1e6, "ms",
	    "persistent 64 MiB, large entries: from insmod to the file recovered");
	box_free(b);
	b = box_new(64 * MIB, JTRACE_KIND_SMALL, JTRACE_FORM_CHECKED);
	row("recover.open64m.small", best(b, run_load) / 1e6, "ms", "the same, small entries");
	box_free(b);
}

static void damage_rows(void)
{
	struct box *b = box_new(16 * MIB, JTRACE_KIND_SMALL, JTRACE_FORM_CHECKED);
	double whole = best(b, run_judge);
	u32 i;

	for (i = 0; i < b->l.nr_chunks; i++)
		memset((void *)jtrace_chunk_at(&b->l, b->img, i), 0,
		       sizeof(struct jtrace_chunk_header));
	row("ratio.headers_lost", best(b, run_judge) / whole, "x",
	    "to find all entries of a persistent 16 MiB image without a chunk header, to with all");
	box_free(b);
}

static void dump_rows(void)
{
	struct box *b = box_new(MIB, JTRACE_KIND_LARGE, 0);

	row("dump", (b->shown + 3) * 1e9 / best(b, run_dump), "lines/s",
	    "panic dump of all of 1 MiB at a console that costs nothing");
	row("dump.fit", best(b, run_dump_fit) / 1e6, "ms",
	    "panic dump of 1 MiB by default: what fits in half the log");
	box_free(b);
}

static void rows(void)
{
	static const struct kind kinds[] = {
		{ "large", JTRACE_KIND_LARGE, 0, "volatile large" },
		{ "small", JTRACE_KIND_SMALL, 0, "volatile small" },
		{ "checked", JTRACE_KIND_LARGE, JTRACE_FORM_CHECKED, "persistent large" },
		{ "checked_small", JTRACE_KIND_SMALL, JTRACE_FORM_CHECKED, "persistent small" },
	};
	u32 i;

	snapshot_rows();
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		read_rows(&kinds[i], MIB, "1m");
		read_rows(&kinds[i], 64 * MIB, "64m");
	}
	load_rows();
	damage_rows();
	dump_rows();
}

/* ---- A file to look for an image in ----------------------------------- */

static void file(const char *path, u64 mib)
{
	static u64 word[MIB / sizeof(u64)];
	struct box *b = box_new(MIB, JTRACE_KIND_LARGE, 0);
	FILE *f = fopen(path, "wb");
	u64 i, k;

	for (i = 0; f && i < mib; i++) {
		const void *from = b->img;

		/* Nothing in the rest is easier to pass over than in real memory. */
		for (k = 0; i != mib / 2 && k < ARRAY_SIZE(word); k++)
			word[k] = hash(i * ARRAY_SIZE(word) + k);
		if (i != mib / 2)
			from = word;
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

static void image(const char *path, u64 mib)
{
	struct box *b = box_new(mib * MIB, JTRACE_KIND_LARGE, 0);
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(b->img, b->l.size, 1, f) != 1 || fclose(f)) {
		perror(path);
		exit(1);
	}
	box_free(b);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "rows")) {
		rows();
	} else if (argc == 4 && !strcmp(argv[1], "file") && atoi(argv[3]) > 0) {
		file(argv[2], atoi(argv[3]));
	} else if (argc == 4 && !strcmp(argv[1], "image") && atoi(argv[3]) > 0) {
		image(argv[2], atoi(argv[3]));
	} else {
		fprintf(stderr, "usage: reading rows | file PATH MIB | image PATH MIB\n");
		return 2;
	}
	return 0;
}
