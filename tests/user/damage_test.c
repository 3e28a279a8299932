// SPDX-License-Identifier: GPL-2.0
/*
 * Damage whole images at random, and compare their text with that of the undamaged image.
 *
 * Usage: damage [-n RUNS] [-s SEED] IMAGE...
 *
 * RUNS: of each image (default 72), each with another of the kinds below.  Prints the result as
 * TAP.  An entry of the text must be one of the undamaged text: the same CPU, thread and
 * arguments, the same site unless that is lost, and the same time, or the time interpolated
 * between the stamps that are left.  None may come twice.  Most entries whose bytes are undamaged
 * must be there.
 *
 * An entry that is older than all others of its CPU is not compared if chunks were overwritten or
 * cleared: a chunk without its header may be read as that of one lap before, and only headers
 * name the chunks that were cleared.  Such entries are true, but out of date.
 */

#include <unistd.h>

#include "../../lib/read/render.h"
#include "../damage_named.h"

#define CPUS		16
#define MOST_LINES	65536
#define LIKE		65536	/* the numbers in kinds[] are for an image of that size */

/*
 * Random damage: at most @most times each of @parts.  @share: percent of the undamaged entries
 * that must be shown, 0 for any number.
 */
static const struct kind {
	u32 share;
	u32 most;
	const char *parts[4];
} kinds[] = {
	{ 95, 600, { "flips" } },
	{ 95, 900, { "lines" } },
	{ 95, 15, { "pages" } },
	{ 95, 15, { "noise" } },
	{ 95, 15, { "chunks" } },
	{ 0, 100, { "tail" } },
	{ 0, 1, { "shuffle" } },
	{ 95, 300, { "first", "flips" } },
	{ 95, 300, { "first", "last", "flips" } },
	{ 95, 100, { "first", "last", "lines" } },
	{ 0, 15, { "sites", "noise" } },
	{ 0, 15, { "first", "last", "chunks" } },
};

/* A line of the text: an entry, or the last one of a CPU. */
struct line {
	u64 ns;
	u32 cpu;
	bool last;
	char *what;		/* CPU, thread and arguments */
	char *site;
};

struct text {
	struct line line[MOST_LINES];
	u32 nr;
	u32 entries;
	bool inexact;		/* says that times are */
};

/* The undamaged image, and its text by &line.what. */
static struct {
	const char *name;
	u8 *img;
	u32 len;
	struct text text;
	u32 size;		/* of an entry */
	bool ticks;		/* times are computed from the stamps of chunks */
	u32 place[MOST_LINES];	/* of the entry of each line, in the text */
	u32 shown[MOST_LINES];	/* the last run that showed it */
	u64 oldest[CPUS];	/* entry of each CPU */
	bool older;		/* it has older ones: of chunks that were overwritten or cleared */
} good;

static struct text text;
static u32 run;
static u64 expected, got;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *zalloc(size_t size)
{
	void *at;

	/* Exactly as long, so that a sanitizer sees the end. */
	if (posix_memalign(&at, 64, size ?: 1))
		fail("memory");
	return memset(at, 0, size);
}

/* ---- Reading ---------------------------------------------------------- */

/* Parse "[sec.ns][cpu N ...] : ARGS : (USEC uSec) : SITE"; false if it is another line. */
static bool parse_line(char *s, struct line *l)
{
	unsigned long long sec, ns;
	char *usec = strstr(s, " uSec) : "), *paren;

	if (!usec || sscanf(s, "[%llu.%9llu][cpu %u", &sec, &ns, &l->cpu) != 3 || l->cpu >= CPUS)
		return false;
	*usec = 0;
	paren = strrchr(s, '(');
	if (!paren)
		return false;
	*paren = 0;
	l->ns = sec * 1000000000 + ns;
	l->what = strdup(strchr(s, ']'));
	l->site = strdup(usec + strlen(" uSec) : "));
	return l->what && l->site;
}

static void text_free(struct text *to)
{
	for (; to->nr; to->nr--) {
		free(to->line[to->nr - 1].what);
		free(to->line[to->nr - 1].site);
	}
	to->entries = 0;
	to->inexact = false;
}

/* Note where the entries of the undamaged image are, in the order of its text. */
static void note_places(const struct jtrace_trace *t)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u32 n = 0;

	good.size = t->l.entry_size;
	good.ticks = t->l.form & JTRACE_FORM_TICKS;
	good.older = t->last_claim >= t->l.nr_chunks || t->header.floor;
	jtrace_walk_each(&walk, t, ev)
		good.place[n++ % MOST_LINES] = (u32)walk.key.tie * JTRACE_GRANULE;
}

/* The text of &bytes, as a kernel shows what it recovered.  False, if a line is wrong. */
static bool read_text(struct text *to)
{
	static char line[JTRACE_LINE_MAX];
	static struct jtrace_text reader;
	struct jtrace_trace t;
	bool last = false, right = true;
	void *room;

	text_free(to);
	jtrace_recover_open(&t, bytes, len);
	t.tell = JTRACE_TELL_BOOT | JTRACE_TELL_NOT_CLEAN | JTRACE_TELL_OVER;
	jtrace_log_count(&t);
	room = zalloc(jtrace_recover_room(&t));
	jtrace_recover_scan(&t, room);
	if (to == &good.text)
		note_places(&t);
	jtrace_text_open(&reader, &t, t.heap);
	while (jtrace_text_next(&reader, line, sizeof(line)) >= 0 && to->nr < MOST_LINES) {
		last |= !strncmp(line, "JTRACE: Last recorded", 21);
		to->inexact |= !strncmp(line, "JTRACE: Damaged: ", 17) &&
			       strstr(line, ": times may be inexact");
		if (line[0] != '[')
			continue;
		if (!parse_line(line, &to->line[to->nr])) {
			right = false;
			continue;
		}
		to->line[to->nr++].last = last;
		to->entries += !last;
	}
	free(room);
	return right && to->nr < MOST_LINES;
}

/* ---- Judgment --------------------------------------------------------- */

static int by_what(const void *a, const void *b)
{
	return strcmp(good.text.line[*(const u32 *)a].what, good.text.line[*(const u32 *)b].what);
}

static u32 order[MOST_LINES];

/* The first one in &order that is not before @what. */
static u32 find(const char *what)
{
	u32 low = 0, high = good.text.entries;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (strcmp(good.text.line[order[mid]].what, what) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Nanoseconds that the time of an entry may be off. */
static u64 tolerance(void)
{
	if (text.inexact)
		return 1000000;
	return good.ticks ? 10000 : 0;
}

/* Is this line one of the undamaged text, that was not there yet? */
static bool is_true(const struct line *l)
{
	const bool lost = strstr(l->site, "(<site ");
	const u64 off = tolerance();
	u32 i;

	for (i = find(l->what); i < good.text.entries; i++) {
		const u32 n = order[i];
		const struct line *was = &good.text.line[n];

		if (strcmp(was->what, l->what))
			break;
		if ((l->ns > was->ns ? l->ns - was->ns : was->ns - l->ns) > off ||
		    (!lost && strcmp(was->site, l->site)))
			continue;
		if (l->last)
			return true;
		if (good.shown[n] == run)
			continue;
		good.shown[n] = run;
		return true;
	}
	return good.older && l->ns < good.oldest[l->cpu];
}

static bool same(u32 at, u32 size)
{
	return !memcmp(bytes + at, good.img + at, size);
}

/* Without any header, of the image or of a chunk, nothing tells what the bytes are. */
static bool any_header(void)
{
	u32 i;

	if (same(0, HEADER_SIZE) || same(len - HEADER_SIZE, HEADER_SIZE))
		return true;
	for (i = 0; i < nr_chunks(); i++)
		if (!memcmp(good.img + chunk_at(i), "JTCK", 4) &&
		    same(chunk_at(i), sizeof(struct jtrace_chunk_header)))
			return true;
	return false;
}

static bool enough(u32 share)
{
	u32 all = 0, there = 0, i;

	if (!any_header())
		return true;
	for (i = 0; i < good.text.entries; i++) {
		if (!same(good.place[i], good.size))
			continue;
		all++;
		there += good.shown[i] == run;
	}
	expected += all;
	got += there;
	if ((u64)there * 100 >= (u64)all * share)
		return true;
	printf("# %u of %u undamaged entries shown\n", there, all);
	return false;
}

static bool judge(u32 share)
{
	bool right = read_text(&text);
	u32 i;

	if (!right)
		printf("# a line of another form, or too many\n");
	for (i = 0; i < text.nr; i++) {
		const struct line *l = &text.line[i];

		if (is_true(l))
			continue;
		printf("# false%s: %llu ns %s %s\n", l->last ? ", last" : "",
		       (unsigned long long)l->ns, l->what, l->site);
		right = false;
	}
	return enough(share) && right;
}

/* ---- Runs ------------------------------------------------------------- */

/* Damage a copy of the image in the @nr-th way, and judge it. */
static bool run_one(u32 nr, u64 seed)
{
	const struct kind *k = &kinds[nr % ARRAY_SIZE(kinds)];
	u64 most = k->most, n;
	char what[64] = "";
	bool right;
	u32 i;

	run++;
	rnd = random_hash(seed) + nr;
	if (most > 1 && strcmp(k->parts[0], "tail"))
		most = most * good.len / LIKE ?: 1;
	n = 1 + below(most);
	bytes = zalloc(good.len);
	len = good.len;
	memcpy(bytes, good.img, len);
	for (i = 0; i < ARRAY_SIZE(k->parts) && k->parts[i]; i++) {
		if (!damage_named(k->parts[i], n))
			exit(2);
		snprintf(what + strlen(what), sizeof(what) - strlen(what), " %s", k->parts[i]);
	}
	right = judge(k->share);
	if (!right)
		printf("# that was %s, run %u: %llu:%s\n", good.name, nr, (unsigned long long)n,
		       what);
	free(bytes);
	return right;
}

/* Read an image, and what an undamaged one shows. */
static void load(const char *path)
{
	const char *base = strrchr(path, '/');
	FILE *f = fopen(path, "rb");
	u32 i;

	free(good.img);
	memset(good.shown, 0, sizeof(good.shown));
	memset(good.oldest, 0, sizeof(good.oldest));
	good.name = base ? base + 1 : path;
	if (!f || fseek(f, 0, SEEK_END) || ftell(f) < (long)sizeof(*h))
		fail(path);
	good.len = ftell(f);
	good.img = zalloc(good.len);
	rewind(f);
	if (fread(good.img, 1, good.len, f) != good.len)
		fail(path);
	fclose(f);
	h = (const void *)good.img;
	bytes = good.img;
	len = good.len;
	if (!read_text(&good.text) || good.text.inexact || !good.text.entries ||
	    le64_to_cpu(h->magic) != JTRACE_IMAGE_MAGIC || le64_to_cpu(h->image_size) != len) {
		fprintf(stderr, "%s: not an undamaged image with entries\n", path);
		exit(1);
	}
	for (i = 0; i < good.text.entries; i++)
		order[i] = i;
	qsort(order, good.text.entries, sizeof(*order), by_what);
	/* They are in the order of time. */
	for (i = good.text.entries; i--; )
		good.oldest[good.text.line[i].cpu] = good.text.line[i].ns;
}

int main(int argc, char **argv)
{
	u64 seed = time(NULL);
	u32 runs = 72, nr = 0, failed = 0, i;
	int opt;

	while ((opt = getopt(argc, argv, "n:s:")) > 0) {
		if (opt == 'n') {
			runs = atoi(optarg);
		} else if (opt == 's') {
			seed = strtoull(optarg, NULL, 0);
		} else {
			fprintf(stderr, "usage: damage [-n RUNS] [-s SEED] IMAGE...\n");
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n# seed %llu\n", (unsigned long long)seed);
	for (; optind < argc; optind++) {
		u32 bad = 0;

		load(argv[optind]);
		expected = 0;
		got = 0;
		for (i = 0; i < runs; i++)
			bad += !run_one(i, seed + nr);
		/* Most damage leaves some entries. */
		bad += expected < runs;
		failed += !!bad;
		printf("%s %u - damage %s: %u times; %llu of %llu undamaged entries shown\n",
		       bad ? "not ok" : "ok", ++nr, good.name, runs, (unsigned long long)got,
		       (unsigned long long)expected);
	}
	printf("1..%u\n", nr);
	return failed || !nr || !runs;
}
