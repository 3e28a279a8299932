// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: hits of a probe with $regs, put together from their entries.
 *
 * A hit has an entry with its values, among them its number in the field "hit", and parts with its
 * registers.  The CPU records them one after the other, but interrupts may come between.  Numbers
 * begin again if the probe is defined again.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>

#include "../../lib/base/words.h"
#include "entries.h"

/* Frames that interrupts can leave unfinished on all CPUs, and more. */
#define MOST_OPEN	1024

/* ---- Sites ------------------------------------------------------------ */

/**
 * struct frame_site - a site, if its entries belong to frames
 * @probe: name of the probe, empty if it is no site of frames
 * @part: from 1; 0 for the entry with the values
 * @parts: how many a frame has; 0 if @part is
 * @hit: index of the field
 * @text: the site
 * @fields: of its tag
 */
struct frame_site {
	char probe[JTRACE_TAG_MAX + 1];
	u32 part;
	u32 parts;
	int hit;
	struct jtrace_site_text text;
	struct fields fields;
};

/* Parse "NAME" or "NAME $regs PART/PARTS", which has @len bytes. */
static bool parse_probe(struct frame_site *s, u32 len)
{
	const char *tag = s->text.tag, *regs = strstr(tag, " $regs ");
	int end = 0;
	u32 i;

	if (regs && regs < tag + len) {
		if (sscanf(regs, " $regs %2u/%2u%n", &s->part, &s->parts, &end) != 2 ||
		    regs + end != tag + len || !s->part || s->part > s->parts ||
		    s->parts > FRAME_PARTS)
			return false;
		len = regs - tag;
	}
	/* It is printed in messages. */
	for (i = 0; i < len; i++)
		if (!words_is_name(tag[i]))
			return false;
	memcpy(s->probe, tag, len);
	s->probe[len] = 0;
	return true;
}

static bool parse_site(struct frame_site *s, const struct jtrace_trace *t, u32 number)
{
	u32 len;

	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &s->text) ||
	    !jtrace_site_is_probe(s->text.kind))
		return false;
	len = fields_parse(&s->fields, s->text.tag);
	s->hit = len ? fields_find(&s->fields, "hit") : -1;
	return s->hit >= 0 && s->fields.field[s->hit].type == JTRACE_FIELD_u32 &&
	       parse_probe(s, len);
}

/**
 * struct found - a frame that the trace has at least a part of
 * @site: of its first entry
 * @hit: number of the hit
 * @ev: the first entry
 * @seen: bit 0: its values are there; the others: parts
 * @parts: how many there were, 0 if no part is there
 */
struct found {
	const struct frame_site *site;
	u32 hit;
	struct jtrace_decoded ev;
	u64 seen;
	u32 parts;
};

/**
 * struct frames - the frames of a trace
 * @t: the trace
 * @site: sites that were looked at, by number
 * @nr_sites: greater than all numbers
 * @found: in the order of their first entry
 * @nr: how many
 * @failed: no memory
 * @to: fill this one from the entries of @found[@wanted], unless NULL
 * @wanted: see @to
 */
struct frames {
	const struct jtrace_trace *t;
	struct frame_site **site;
	u32 nr_sites;
	struct found *found;
	size_t nr;
	bool failed;
	struct frame *to;
	size_t wanted;
};

/* Returns NULL if the site has none of the entries of frames. */
static const struct frame_site *site_of(struct frames *f, u32 number)
{
	struct frame_site *s = number < f->nr_sites ? f->site[number] : NULL;

	if (!s && number < f->nr_sites) {
		s = calloc(1, sizeof(*s));
		f->site[number] = s;
		f->failed |= !s;
		if (s && !parse_site(s, f->t, number))
			*s->probe = 0;
	}
	return s && *s->probe ? s : NULL;
}

/* ---- Put together ----------------------------------------------------- */

/* Index of the frame that this entry belongs to; @f->nr if it begins one. */
static size_t find_frame(const struct frames *f, const struct frame_site *s, u32 hit, u32 cpu)
{
	size_t i;

	for (i = f->nr; i && f->nr - i < MOST_OPEN; i--) {
		const struct found *fr = &f->found[i - 1];

		if (fr->ev.cpu == cpu && fr->hit == hit && !strcmp(fr->site->probe, s->probe))
			/* They are recorded in order. */
			return fr->seen >> s->part ? f->nr : i - 1;
	}
	return f->nr;
}

static struct found *add_frame(struct frames *f, const struct frame_site *s, u32 hit,
			       const struct jtrace_decoded *ev)
{
	f->found = array_grow(f->found, f->nr, sizeof(*f->found));
	if (!f->found) {
		f->failed = true;
		f->nr = 0;
		return NULL;
	}
	f->found[f->nr] = (struct found) { .site = s, .hit = hit, .ev = *ev };
	return &f->found[f->nr++];
}

/* Add what the fields of an entry say. */
static void fill(struct frame *to, const struct frame_site *s, const struct jtrace_decoded *ev)
{
	struct field_value *v;
	u32 i;

	for (i = 0; i < s->fields.nr; i++) {
		if (i == s->hit)
			continue;
		v = s->part ? &to->reg[s->part - 1][to->nr_regs[s->part - 1]++] :
		    &to->value[to->nr_values++];
		fields_get(&s->fields, i, ev, v);
	}
}

static void take_entry(struct frames *f, const struct jtrace_decoded *ev)
{
	const struct frame_site *s = site_of(f, ev->site);
	struct found *fr;
	size_t i;
	u32 hit;

	if (!s)
		return;
	hit = fields_value(&s->fields, s->hit, ev);
	i = find_frame(f, s, hit, ev->cpu);
	fr = i < f->nr ? &f->found[i] : add_frame(f, s, hit, ev);
	if (!fr)
		return;
	fr->seen |= 1ULL << s->part;
	if (s->part)
		fr->parts = s->parts;
	if (f->to && i == f->wanted)
		fill(f->to, s, ev);
}

static void take_all(struct frames *f)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;

	f->nr = 0;
	jtrace_walk_each(&walk, f->t, ev)
		if (!f->failed)
			take_entry(f, ev);
}

/* ---- Choose one ------------------------------------------------------- */

/* Where "next" goes on. */
static const char *cursor_path(void)
{
	static char path[4096];
	const char *dir = getenv("XDG_RUNTIME_DIR");

	scnprintf(path, sizeof(path), "%s/jtrace-frame", dir && *dir ? dir : root_path("/run"));
	return path;
}

/*
 * Do not follow a link, nor wait for a pipe: anyone who can make files there would choose what root
 * overwrites or waits for.
 */
static FILE *open_cursor(int flags, const char *mode)
{
	int fd = open(cursor_path(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat st;
	FILE *f = NULL;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    !(flags & O_CREAT && ftruncate(fd, 0)))
		f = fdopen(fd, mode);
	if (fd >= 0 && !f) {
		close(fd);
		errno = EINVAL;
	}
	return f;
}

/* Index of the frame after the one shown last; 0 if that one was of another image. */
static size_t read_cursor(const struct frames *f)
{
	FILE *from = open_cursor(O_RDONLY, "r");
	unsigned long long id, time;
	size_t first = 0, i;
	u32 cpu, hit;
	bool known;

	known = from && fscanf(from, "%llx %llx %u %u", &id, &time, &cpu, &hit) == 4 &&
		id == f->t->image_id;
	if (from)
		fclose(from);
	if (!known)
		return 0;
	while (first < f->nr && f->found[first].ev.time < time)
		first++;
	/* Others may have the same time. */
	for (i = first; i < f->nr && f->found[i].ev.time == time; i++)
		if (f->found[i].ev.cpu == cpu && f->found[i].hit == hit)
			return i + 1;
	return first;
}

static void write_cursor(const struct frames *f, const struct found *fr)
{
	FILE *to = open_cursor(O_WRONLY | O_CREAT, "w");

	if (to)
		fprintf(to, "%llx %llx %u %u\n", f->t->image_id, fr->ev.time, fr->ev.cpu,
			fr->hit);
	if (!to && errno == ELOOP)
		warnx("%s: a symbolic link, which is not followed, so \"--frame next\" will not go on here: remove it",
		      cursor_path());
	else if (!to || fclose(to))
		warn("%s: \"--frame next\" will not go on here", cursor_path());
}

/* A probe may have a field "hit" without $regs: no part tells then how many there are. */
static bool suits(const struct found *fr, const char *probe)
{
	return fr->parts && (!probe || !strcmp(fr->site->probe, probe));
}

/* Returns @f->nr, after a message, if there is none. */
static size_t find_next(const struct frames *f, const char *probe)
{
	size_t from = read_cursor(f), i;

	i = from;
	while (i < f->nr && !suits(&f->found[i], probe))
		i++;
	if (i == f->nr && from)
		fail("--frame next: that was the last one; --frame N shows hit N again");
	else if (i == f->nr)
		fail("--frame next: no hit of %s with $regs is in the trace: add $regs to its definition",
		     probe ?: "a probe");
	return i;
}

/* Say which hits there are. */
static bool fail_missing(const struct frames *f, u32 hit, const char *probe)
{
	const struct found *first = NULL, *last = NULL;
	size_t i;

	for (i = 0; i < f->nr; i++) {
		if (!suits(&f->found[i], probe))
			continue;
		first = first ?: &f->found[i];
		last = &f->found[i];
	}
	if (!first)
		return fail("--frame %u: no hit of %s with $regs is in the trace: add $regs to its definition",
			    hit, probe ?: "a probe");
	return fail("--frame %u: not in the trace; the first one is hit %u of %s, the last one hit %u of %s",
		    hit, first->hit, first->site->probe, last->hit, last->site->probe);
}

/* The newest one with this number.  Returns @f->nr, after a message, if there is none. */
static size_t find_hit(const struct frames *f, u32 hit, const char *probe)
{
	size_t i, at = f->nr;

	for (i = 0; i < f->nr; i++) {
		if (f->found[i].hit != hit || !suits(&f->found[i], probe))
			continue;
		if (at < f->nr && strcmp(f->found[at].site->probe, f->found[i].site->probe)) {
			fail("--frame %u: %s and %s have such a hit: add --probe NAME", hit,
			     f->found[at].site->probe, f->found[i].site->probe);
			return f->nr;
		}
		at = i;
	}
	if (at == f->nr)
		fail_missing(f, hit, probe);
	return at;
}

/* Fill in what the first entry says; the strings stay as long as @f. */
static void begin(struct frame *to, const struct frames *f, const struct found *fr)
{
	const struct jtrace_site_text *text = &fr->site->text;
	u32 part;

	*to = (struct frame) {
		.hit = fr->hit,
		.ns = jtrace_recover_ns(f->t, fr->ev.time),
		.cpu = fr->ev.cpu,
		.tid = fr->ev.tid,
		.context = fr->ev.context,
		.parts = fr->parts,
		.has_values = fr->seen & 1,
	};
	scnprintf(to->probe, sizeof(to->probe), "%s", fr->site->probe);
	scnprintf(to->source, sizeof(to->source), "%s", text->file);
	scnprintf(to->place, sizeof(to->place), "%s", text->func);
	for (part = 1; part <= fr->parts; part++)
		to->parts_there += fr->seen >> part & 1;
}

static bool load(struct frames *f, const struct frame_choice *c, struct frame *to)
{
	size_t at;

	take_all(f);
	if (f->failed)
		return fail("no memory for the hits in the trace");
	at = c->next ? find_next(f, c->probe) : find_hit(f, c->hit, c->probe);
	if (at == f->nr)
		return false;
	begin(to, f, &f->found[at]);
	write_cursor(f, &f->found[at]);
	f->to = to;
	f->wanted = at;
	take_all(f);
	return !f->failed || fail("no memory for the hits in the trace");
}

/**
 * frame_load() - find a frame
 * @t: the trace
 * @c: which one
 * @to: result
 *
 * Return: false, after a message, if there is none.
 */
bool frame_load(const struct jtrace_trace *t, const struct frame_choice *c, struct frame *to)
{
	struct frames f = { .t = t, .nr_sites = t->l.sites_end / JTRACE_GRANULE };
	bool ok;
	u32 i;

	f.site = calloc(f.nr_sites + 1, sizeof(*f.site));
	ok = f.site ? load(&f, c, to) : fail("no memory for the sites of the trace");
	for (i = 0; f.site && i < f.nr_sites; i++)
		free(f.site[i]);
	free(f.site);
	free(f.found);
	return ok;
}
