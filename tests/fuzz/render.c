// SPDX-License-Identifier: GPL-2.0
/*
 * Entries, stamps, sites and header with any content, recorded and signed by lib/.  Compare each
 * line of the text with the output of printf() for the documented formats, and times with sums
 * of 128 bits.
 *
 * The input is the content; missing bytes are 0.
 */

#include "fuzz.h"

#include "../../lib/image/ring.h"

#define EVENTS		24
#define CPUS		3
#define ID		0x726564656e7265ULL

static const u8 *in;
static size_t left;

static struct {
	struct jtrace_layout l;
	struct jtrace_image_header h;
	struct jtrace_ring ring;
	struct jtrace_ring_cpu rc[CPUS];
	struct jtrace_chunk_ctl ctl[64];
	struct jtrace_sites sites;
	u32 index[1024];
	u32 site[IMAGE_SITES];
	char tag[IMAGE_SITES][JTRACE_TAG_MAX + 1];
	char file[IMAGE_SITES][JTRACE_FILE_MAX + 1];
	char func[IMAGE_SITES][JTRACE_FUNC_MAX + 1];
	s32 line[IMAGE_SITES];
	struct jtrace_decoded ev[EVENTS];
	u32 nr;
	u8 img[8192] ____cacheline_aligned_in_smp;
} g;

/* ---- The image -------------------------------------------------------- */

static u64 take(u32 bytes)
{
	__le64 word = 0;

	bytes = min_t(size_t, bytes, left);
	memcpy(&word, in, bytes);
	in += bytes;
	left -= bytes;
	return le64_to_cpu(word);
}

/* A number of any magnitude from few bytes. */
static u64 number(void)
{
	u8 how = take(1);

	if (how & 0x80)
		return (how & 0x40 ? ~0ULL : 0) ^ take(1 + how % 8);
	return (take(2) << how % 64) - (how >> 6 & 1);
}

static void string(char *to, size_t most)
{
	size_t len = take(1) % (most + 1);

	len = min(len, left);
	memcpy(to, in, len);
	to[len] = 0;
	in += len;
	left -= len;
}

static void make_sites(void)
{
	u32 i;

	jtrace_sites_init(&g.sites, &g.l, g.img, ID, g.index, 0, false);
	for (i = 0; i < IMAGE_SITES - 1; i++) {
		string(g.tag[i], JTRACE_TAG_MAX);
		string(g.file[i], JTRACE_FILE_MAX);
		string(g.func[i], JTRACE_FUNC_MAX);
		g.line[i] = take(4);
		g.site[i] = jtrace_site_intern(&g.sites, g.tag[i], g.file[i], g.func[i],
					       g.line[i], JTRACE_SITE_CALL, 0);
	}
	g.site[i] = take(4) | 0x80000000U;	/* no record has this number */
}

static struct jtrace_moment moment(void)
{
	struct jtrace_moment m = { .ticks = number() };

	m.mono = number();
	m.boot = number();
	return m;
}

static void begin(void)
{
	u8 form = take(1), shift = JTRACE_MIN_CHUNK_SHIFT + form / 32 % 4;

	memset(&g, 0, sizeof(g));
	jtrace_layout_chunk(&g.l, shift, JTRACE_KIND_SMALL + form % 2);
	g.l.form |= form & (JTRACE_FORM_TICKS | JTRACE_FORM_MONO | JTRACE_FORM_CHECKED);
	g.l.cpus = CPUS;
	g.l.sites_off = sizeof(g.h);
	g.l.sites_end = 2048;
	g.l.chunks_off = 2048;
	g.l.nr_chunks = (sizeof(g.img) - 2048 - sizeof(g.h)) >> shift;
	g.l.size = sizeof(g.img);
	jtrace_ring_init(&g.ring, &g.l, g.img, ID, g.ctl, 0);
	make_sites();
}

static void write_header(void)
{
	struct jtrace_moment m = moment();

	jtrace_header_init(&g.h, &g.l, ID);
	g.h.state = take(1);
	g.h.compat |= cpu_to_le32(take(1) << 4);
	g.h.nr_cpus = cpu_to_le32(CPUS);
	g.h.last_cpus = cpu_to_le32(take(1));
	g.h.rate = cpu_to_le64(number());
	g.h.real = cpu_to_le64(number());
	g.h.stamp = (struct jtrace_stamp){ cpu_to_le64(m.ticks), cpu_to_le64(m.mono),
					   cpu_to_le64(m.boot) };
	memcpy(g.h.boot_id, in, min(left, sizeof(g.h.boot_id)));
	memcpy(g.h.release, in, min(left, sizeof(g.h.release)));
	memcpy(g.h.reason, in, min(left, sizeof(g.h.reason)));
	jtrace_header_write(g.img, &g.h);
}

static void record(void)
{
	struct jtrace_decoded *ev = &g.ev[g.nr];
	u32 site = take(1) % IMAGE_SITES, cpu = take(1) % CPUS, i;
	struct jtrace_ring_cpu *rc = &g.rc[cpu];
	struct jtrace_moment m;

	rc->cpu = cpu;
	if (jtrace_ring_full(&g.ring, rc->cursor)) {
		m = moment();
		if (!jtrace_ring_claim(&g.ring, rc, rc->cursor, &m, true))
			return;
	}
	ev->time = number();
	ev->site = g.site[site];
	ev->cpu = cpu;
	ev->arg[0] = take(4) << 5 | g.nr;
	if (g.l.kind == JTRACE_KIND_LARGE) {
		ev->tid = take(4);
		ev->context = take(2);
		for (i = 1; i < 4; i++)
			ev->arg[i] = number();
		ev->wide[0] = number();
		ev->wide[1] = number();
		jtrace_ring_fill_large(&g.ring, rc->cursor, ev->time, ev->site, ev->tid,
				       cpu | ev->context << 16,
				       ev->arg[0] | (u64)ev->arg[1] << 32,
				       ev->arg[2] | (u64)ev->arg[3] << 32, ev->wide[0],
				       ev->wide[1]);
	} else {
		jtrace_ring_fill_small(&g.ring, rc->cursor, ev->time, ev->site, cpu, ev->arg[0]);
	}
	must(jtrace_ring_reserve(&g.ring, rc, rc->cursor), "reserve");
	g.nr++;
}

/* ---- The expected text ------------------------------------------------ */

static u64 exact_ns(const struct jtrace_trace *t, u64 time)
{
#ifdef __SIZEOF_INT128__
	const __uint128_t most = ~0ULL;
	const struct jtrace_key *k = t->stamps.key, *end = k + t->stamps.nr;
	__uint128_t ns;
	u64 rate = le64_to_cpu(g.h.rate);

	if (!(g.l.form & JTRACE_FORM_TICKS) || k == end)
		return time;
	while (k != end && k->time <= time)
		k++;
	if (k == t->stamps.key) {
		ns = (__uint128_t)(k->time - time) * rate >> 32;
		return ns < k->tie ? k->tie - ns : 0;
	}
	if (k == end) {
		ns = ((__uint128_t)(time - k[-1].time) * rate >> 32) + k[-1].tie;
		return min(ns, most);
	}
	/* For an extreme length, some low bits are left out. */
	if ((k->time - k[-1].time) >> 62)
		return jtrace_recover_ns(t, time);
	return k[-1].tie + (__uint128_t)(k->tie - k[-1].tie) * (time - k[-1].time) /
	       (k->time - k[-1].time);
#else
	return jtrace_recover_ns(t, time);
#endif
}

static void escaped(char *to, const char *from)
{
	for (; *from; from++)
		to += sprintf(to, *from < 0x20 || *from > 0x7e ? "\\x%02x" : "%c", (u8)*from);
	*to = 0;
}

static void site_text(char *to, u32 number)
{
	char tag[4 * JTRACE_TAG_MAX + 1], file[4 * JTRACE_FILE_MAX + 1];
	char func[4 * JTRACE_FUNC_MAX + 1];
	const char *slash;
	u32 i;

	for (i = 0; i < IMAGE_SITES && g.site[i] != number; i++)
		;
	if (i >= IMAGE_SITES - 1 || !jtrace_site_stored(&g.sites, number)) {
		sprintf(to, g.l.kind == JTRACE_KIND_LARGE ? "?:?:0 (<site %u>)" : "(<site %u>)",
			number);
		return;
	}
	escaped(tag, g.tag[i]);
	slash = strrchr(g.file[i], '/');
	escaped(file, slash ? slash + 1 : g.file[i]);
	escaped(func, g.func[i]);
	if (g.l.kind == JTRACE_KIND_LARGE)
		sprintf(to, "%s:%s:%d (%s)", file, func, g.line[i], tag);
	else
		sprintf(to, "(%s)", tag);
}

static void line_text(char *to, const struct jtrace_decoded *ev, u64 ns, u64 before)
{
	long long s = ns / 1000000000, rest = ns % 1000000000, delta = (ns - before) / 1000;
	long long part = (ns - before) % 1000;
	char site[4 * JTRACE_SITE_RECORD_MAX];

	site_text(site, ev->site);
	if (g.l.kind == JTRACE_KIND_SMALL)
		sprintf(to, "[%4lld.%09lld][cpu %u] : %08x : (%5lld.%03lld uSec) : %s", s, rest,
			ev->cpu, ev->arg[0], delta, part, site);
	else
		sprintf(to, "[%4lld.%09lld][cpu %u tid %8u] : %08x %08x %08x %08x %016llx %016llx : (%8lld.%03lld uSec) : %s",
			s, rest, ev->cpu, ev->tid, ev->arg[0], ev->arg[1], ev->arg[2], ev->arg[3],
			(unsigned long long)ev->wide[0], (unsigned long long)ev->wide[1], delta,
			part, site);
}

static const struct jtrace_decoded *event_of(const struct jtrace_decoded *ev)
{
	const struct jtrace_decoded *want = &g.ev[ev->arg[0] % 32];

	must(ev->arg[0] % 32 < g.nr && !memcmp(ev, want, sizeof(*ev)), "event %u", ev->arg[0]);
	return want;
}

static void judge_lines(const struct jtrace_trace *t)
{
	static struct jtrace_text text;
	static char got[JTRACE_LINE_MAX], want[2 * JTRACE_LINE_MAX];
	static struct jtrace_walk walk;
	const struct jtrace_decoded *found;
	u64 i = 0, ns, before = 0;
	u32 seen = 0;
	void *heap;

	/* Independent of the walk of the text. */
	must(!posix_memalign(&heap, 64, jtrace_walk_room(t)), "no memory");
	jtrace_text_open(&text, t, heap);
	text.pos = text.end[JTRACE_TEXT_TITLE];
	jtrace_walk_each(&walk, t, found) {
		const struct jtrace_decoded *ev = event_of(found);

		must(!(seen >> (ev - g.ev) & 1), "twice");
		seen |= 1U << (ev - g.ev);
		ns = exact_ns(t, ev->time);
		must(jtrace_recover_ns(t, ev->time) == ns, "%llu and not %llu",
		     (unsigned long long)jtrace_recover_ns(t, ev->time), (unsigned long long)ns);
		must(!i++ || ns >= before, "time goes back");
		line_text(want, ev, ns, i > 1 ? before : ns);
		must(jtrace_text_next(&text, got, sizeof(got)) > 0, "no line");
		must(!strcmp(got, want), "'%s' and not '%s'", got, want);
		before = ns;
	}
	must(i == t->found, "%llu entries", (unsigned long long)i);
	free(heap);
}

/* Check all lines, with random sizes of the buffer. */
static void judge_text(const struct jtrace_trace *t)
{
	static char text[(EVENTS + CPUS + 16) * (JTRACE_LINE_MAX + 1)];
	u32 small = 1 + jtrace_crc32c(0, g.img, 400) % 200;
	static struct jtrace_text whole, some;
	size_t at = 0;
	void *heap;
	u64 i;

	must(!posix_memalign(&heap, 64, jtrace_walk_room(t)), "no memory");
	jtrace_text_open(&whole, t, t->heap);
	jtrace_text_open(&some, t, heap);
	for (i = 0; i < jtrace_text_lines(&whole); i++) {
		char *cut = malloc(small);
		int len = jtrace_text_next(&whole, text + at, JTRACE_LINE_MAX), n;

		must(len >= 0 && cut, "line %llu", (unsigned long long)i);
		/* A short buffer gets the beginning of the line; an escape may be left out. */
		n = jtrace_text_next(&some, cut, small);
		must(n >= 0 && n < small && n <= len && !cut[n], "%d of %u", n, small);
		must(len + 6 > small || n == len, "%d of %d in %u", n, len, small);
		free(cut);
		at += len;
		text[at++] = '\n';
	}
	text[at] = 0;
	free(heap);
	text_check(text, at);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct jtrace_trace t;
	void *room;

	in = data;
	left = size;
	begin();
	while (left && g.nr < EVENTS)
		record();
	write_header();

	must(jtrace_recover_open(&t, g.img, g.l.size) != JTRACE_DAMAGED, "opened");
	must(t.verdict == JTRACE_WHOLE || t.verdict == JTRACE_CLEAN, "%u", t.verdict);
	must(!posix_memalign(&room, 64, jtrace_recover_room(&t)), "no memory");
	jtrace_recover_scan(&t, room);
	must(t.found == g.nr, "%llu of %u", (unsigned long long)t.found, g.nr);
	t.tell = JTRACE_TELL_BOOT | JTRACE_TELL_OVER;
	if (g.nr)
		judge_lines(&t);
	judge_text(&t);
	free(room);
	return 0;
}
