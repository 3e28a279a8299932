// SPDX-License-Identifier: GPL-2.0
/* Initial images of all shapes, and the events recorded in them. */

#include "fuzz.h"

int mkimage_main(int argc, char **argv);

#define main mkimage_main
#include "../tool/mkimage.c"
#undef main

static_assert(IMAGE_SITES == NR_SITES);

static struct made made[NR_IMAGES];

FILE *fuzz_err(void)
{
	static FILE *f;

	if (!f) {
		f = fdopen(dup(2), "w");
		setvbuf(f, NULL, _IONBF, 0);
	}
	return f;
}

/*
 * Both kinds, all sizes of chunks, with and without check values.  The second half are the same
 * images at another time.
 */
static void shape(u32 nr)
{
	u32 i = nr % (NR_IMAGES / 2), entries;
	u64 r = random_hash(nr);

	memset(&o, 0, sizeof(o));
	o.seed = i;
	o.kind = JTRACE_KIND_SMALL + i % 2;
	o.checked = i & 2;
	o.shift = JTRACE_MIN_CHUNK_SHIFT + i / 4 % 6;
	o.chunks = 3 + (i / 24 ? 0 : random_hash(i) % 6 >> (o.shift - JTRACE_MIN_CHUNK_SHIFT) / 2);
	o.cpus = 1 + random_hash(i + 7) % 3;
	entries = o.chunks << o.shift >> (o.kind == JTRACE_KIND_SMALL ? 5 : 6);
	o.events = r % 5 ? (r >> 8) % (3 * entries) : (r >> 8) % 4;
	o.last = (r >> 16) % (o.cpus + 1);
	o.state = 1 + (r >> 24) % 6 % 5;
	o.version = JTRACE_IMAGE_VERSION;
	o.real = (r >> 4) % 4 * 1000000007;
	o.release = "6.1.0-fuzz";
	o.boot = (r >> 32) % 3;
	o.bytes = i / 8 % 2;
	o.named = i / 4 % 2;
	o.log = i % 3 ? 0 : 512 << i % 2;
	o.lines = (r >> 40) % 40;
}

/* The times of all events, including events without a slot. */
static u64 *times(void)
{
	u64 *time = malloc((o.events + 1) * sizeof(*time)), at = 5000000000;
	u32 n;

	must(time, "no memory");
	for (n = 0; n < o.events; n++) {
		at += 1000 + random_hash(o.seed + n) % 100000;
		time[n] = at;
	}
	return time;
}

static void image_make(u32 nr)
{
	struct made *m = &made[nr];

	shape(nr);
	must(make(), "image %u", nr);
	m->img = ring.img;
	m->len = l.size;
	m->kind = o.kind;
	m->checked = o.checked;
	m->cpus = o.cpus;
	m->events = o.events;
	m->seed = o.seed;
	m->tags = tags[tags_used()];
	m->id = id;
	m->lines = o.lines;
	m->time = times();
	memcpy(m->site, site, sizeof(m->site));
	free(ring.ctl);
	free(sites.index);
}

/**
 * made_image() - get an undamaged image
 * @nr: any number
 *
 * Return: the same image for the same number.
 */
const struct made *made_image(u32 nr)
{
	struct made *m = &made[nr % NR_IMAGES];

	if (!m->img)
		image_make(nr % NR_IMAGES);
	return m;
}

/**
 * made_large() - make an image of many full chunks, with check values
 * @kind: of the entries
 * @chunks: number, of the smallest size
 * @len: result: bytes
 *
 * Return: the image, which the caller frees.
 */
u8 *made_large(u32 kind, u32 chunks, u32 *len)
{
	shape(0);
	o.kind = kind;
	o.checked = true;
	o.shift = JTRACE_MIN_CHUNK_SHIFT;
	o.chunks = chunks;
	o.events = chunks * 3;
	must(make(), "%u chunks", chunks);
	free(ring.ctl);
	free(sites.index);
	*len = l.size;
	return ring.img;
}

/**
 * made_event() - was this event recorded, with all its fields?
 * @m: the image
 * @ev: the event as read
 */
bool made_event(const struct made *m, const struct jtrace_decoded *ev)
{
	u32 n = ev->arg[0];
	u64 r = random_hash(m->seed + n);

	if (n >= m->events || ev->time != m->time[n] || ev->cpu != r % m->cpus ||
	    ev->site != m->site[n % NR_SITES])
		return false;
	if (m->kind == JTRACE_KIND_SMALL)
		return !ev->tid && !ev->context;
	return ev->tid == 100 + ev->cpu && ev->context == context(n) && ev->arg[1] == (u32)r &&
	       ev->arg[2] == (u32)random_hash(r) && ev->arg[3] == random_hash(r) >> 32 &&
	       ev->wide[0] == random_hash(r + 1) && ev->wide[1] == random_hash(r + 2);
}

/**
 * made_log() - was this line of the kernel log stored, with all its bytes?
 * @m: the image
 * @line: the line as read
 */
bool made_log(const struct made *m, const struct jtrace_log_line *line)
{
	struct jtrace_log_line want;
	char text[400];
	u32 n;

	o.seed = m->seed;
	for (n = 0; n < m->lines; n++) {
		want = log_line(n, text);
		if (want.seq == line->seq)
			return want.time == line->time && want.shift == line->shift &&
			       want.prio == line->prio && !line->part && want.len == line->len &&
			       !memcmp(text, line->text, want.len);
	}
	return false;
}

/**
 * made_site() - is this the site of that number?
 * @m: the image
 * @number: of the site
 * @text: the strings as read
 */
bool made_site(const struct made *m, u32 number, const struct jtrace_site_text *text)
{
	u32 i;

	for (i = 0; i < NR_SITES; i++)
		if (m->site[i] == number)
			return !strcmp(text->tag, m->tags[i]) && text->line == i + 10 &&
			       !strcmp(text->file, "file.c") && !strcmp(text->func, "func");
	return false;
}
