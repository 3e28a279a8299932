// SPDX-License-Identifier: GPL-2.0
/* Print what happened in one of two traces, and not in the other, as text and as JSON. */

#include <stdlib.h>

#include "../print/print.h"
#include "diff.h"

/* Rates that differ less may be chance; so may those of a few events. */
#define RATE_TIMES	4
#define RATE_LEAST	10

/* Text has at most so many lines of a kind. */
#define LINES_MOST	20

static const char * const side_names[] = { [SIDE_A] = "A", [SIDE_B] = "B" };
static const char * const side_members[] = { [SIDE_A] = "a", [SIDE_B] = "b" };

static u64 span_of(const struct side *s)
{
	return s->last - s->first;
}

/* Events a second. */
static double events_a_second(const struct diff *d, const struct name *n, u32 side)
{
	const u64 span = span_of(&d->side[side]);

	return span ? n->count[side] * 1e9 / span : 0;
}

static bool is_in_one(const struct name *n)
{
	return !n->count[SIDE_A] != !n->count[SIDE_B];
}

/* How many times as often one of them has it; 0 if that may be chance. */
static double times_of(const struct diff *d, const struct name *n)
{
	const double a = events_a_second(d, n, SIDE_A), b = events_a_second(d, n, SIDE_B);
	double times;

	if (!a || !b || n->count[SIDE_A] + n->count[SIDE_B] < RATE_LEAST)
		return 0;
	times = a > b ? a / b : b / a;
	return times >= RATE_TIMES ? times : 0;
}

/**
 * struct rest - the lines of a kind
 * @nr: so many lines there were, those left out included
 * @title: printed before the first one
 */
struct rest {
	u32 nr;
	const char *title;
};

/* Begin a line; false if it is left out. */
static bool next_line(struct rest *r)
{
	if (!r->nr)
		puts(r->title);
	return r->nr++ < LINES_MOST;
}

static void end_lines(const struct rest *r)
{
	if (r->nr > LINES_MOST)
		printf("  %u more are left out; --json has all.\n", r->nr - LINES_MOST);
}

/* ---- Kinds of events -------------------------------------------------- */

/* By the number in the side that has it; then by the factor. */
static int compare_names(const void *a, const void *b, void *data)
{
	const struct name *x = *(const struct name *const *)a, *y = *(const struct name *const *)b;
	const struct diff *d = data;
	const double tx = times_of(d, x), ty = times_of(d, y);
	const u64 nx = x->count[SIDE_A] + x->count[SIDE_B];
	const u64 ny = y->count[SIDE_A] + y->count[SIDE_B];

	if (tx != ty)
		return tx > ty ? -1 : 1;
	if (nx != ny)
		return nx > ny ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void name_json(const struct diff *d, const struct name *n)
{
	fputs("{\"type\":\"kind\"", stdout);
	json_put_string(stdout, "name", n->text);
	printf(",\"a\":%llu,\"b\":%llu,\"a_per_s\":%.3f,\"b_per_s\":%.3f}\n", n->count[SIDE_A],
	       n->count[SIDE_B], events_a_second(d, n, SIDE_A), events_a_second(d, n, SIDE_B));
}

static void show_only(struct name *const *by, size_t nr, u32 side)
{
	struct rest r = { .title = side ? "Events in B only:" : "Events in A only:" };
	size_t i;

	for (i = 0; i < nr; i++)
		if (is_in_one(by[i]) && by[i]->count[side] && next_line(&r))
			printf("%10llu  %s\n", by[i]->count[side], by[i]->text);
	end_lines(&r);
}

static void show_rates(const struct diff *d, struct name *const *by, size_t nr)
{
	struct rest r = { .title = "Events whose rate differs by four times or more:" };
	size_t i;

	for (i = 0; i < nr; i++)
		if (times_of(d, by[i]) && next_line(&r))
			printf("  A %10.1f/s  B %10.1f/s  %s\n", events_a_second(d, by[i], SIDE_A),
			       events_a_second(d, by[i], SIDE_B), by[i]->text);
	end_lines(&r);
}

static void show_names(const struct diff *d, bool json)
{
	struct name **by = calloc(d->names + 1, sizeof(*by));
	size_t i;

	if (!by)
		return;
	for (i = 0; i < d->names; i++)
		by[i] = &d->name[i];
	qsort_r(by, d->names, sizeof(*by), compare_names, (void *)d);
	if (json) {
		for (i = 0; i < d->names; i++)
			if (is_in_one(by[i]) || times_of(d, by[i]))
				name_json(d, by[i]);
	} else {
		show_only(by, d->names, SIDE_A);
		show_only(by, d->names, SIDE_B);
		show_rates(d, by, d->names);
	}
	free(by);
}

/* ---- Threads ---------------------------------------------------------- */

/**
 * struct parting - where two threads part
 * @thread: the threads
 * @from: the first step of each that is compared
 * @same: so many steps they have in common
 */
struct parting {
	const struct thread *thread[SIDES];
	size_t from[SIDES];
	size_t same;
};

static const struct step *step_of(const struct parting *p, u32 side)
{
	const size_t i = p->from[side] + p->same;

	return i < p->thread[side]->nr ? &p->thread[side]->step[i] : NULL;
}

static void parting_json(const struct diff *d, const struct parting *p)
{
	const struct step *step;
	u32 side;

	fputs("{\"type\":\"thread\"", stdout);
	json_put_string(stdout, "name", p->thread[SIDE_A]->name);
	printf(",\"same\":%zu", p->same);
	for (side = 0; side < SIDES; side++) {
		step = step_of(p, side);
		printf(",\"%s\":", side_members[side]);
		if (!step) {
			fputs("null", stdout);
			continue;
		}
		printf("{\"tid\":%u,\"time_ns\":%llu", p->thread[side]->tid, step->ns);
		json_put_string(stdout, "name", d->name[step->name].text);
		putchar('}');
	}
	puts("}");
}

static void parting_text(const struct diff *d, const struct parting *p)
{
	const struct step *step;
	u32 side;

	printf("  %s: the same for %zu event%s, then\n", p->thread[SIDE_A]->name, p->same,
	       p->same == 1 ? "" : "s");
	for (side = 0; side < SIDES; side++) {
		step = step_of(p, side);
		if (step)
			printf("    %s %5llu.%06llu  tid %u  %s\n", side_names[side],
			       step->ns / 1000000000, step->ns / 1000 % 1000000,
			       p->thread[side]->tid, d->name[step->name].text);
		else
			printf("    %s nothing more\n", side_names[side]);
	}
}

/* Where a thread of both traces parts: @ended, one of them ends there; else both go on. */
static bool part(const struct diff *d, const struct thread *a, bool ended, struct parting *p)
{
	const struct side *s = &d->side[SIDE_B];
	const struct thread *b = s->threads ? bsearch(a, s->thread, s->threads, sizeof(*a),
						      thread_order) : NULL;

	*p = (struct parting){ .thread = { a, b } };
	if (!b || !thread_align(a, b, &p->from[SIDE_A], &p->from[SIDE_B]))
		return false;
	p->same = thread_same(a, b, p->from[SIDE_A], p->from[SIDE_B]);
	if (!step_of(p, SIDE_A) && !step_of(p, SIDE_B))
		return false;
	return ended == (!step_of(p, SIDE_A) || !step_of(p, SIDE_B));
}

/* Text has the first one of threads with the same name. */
static void show_partings(const struct diff *d, bool ended, bool json)
{
	struct rest r = { .title = ended ? "Threads that end in one of them:" :
				   "First difference of a thread:" };
	const struct side *s = &d->side[SIDE_A];
	const char *shown = "";
	struct parting p;
	size_t i;

	for (i = 0; i < s->threads && output_ok(); i++) {
		if (!part(d, &s->thread[i], ended, &p))
			continue;
		if (json)
			parting_json(d, &p);
		else if (strcmp(shown, s->thread[i].name) && next_line(&r))
			parting_text(d, &p);
		shown = s->thread[i].name;
	}
	if (!json)
		end_lines(&r);
}

static size_t count_namesakes(const struct side *s, size_t i)
{
	size_t n = 1;

	while (i + n < s->threads && !strcmp(s->thread[i].name, s->thread[i + n].name))
		n++;
	return n;
}

/* Threads with a name that the other one does not have. */
static void show_strangers(const struct diff *d, u32 side, bool json)
{
	struct rest r = { .title = side ? "Threads in B only:" : "Threads in A only:" };
	const struct side *s = &d->side[side], *other = &d->side[!side];
	struct thread first;
	size_t i, n;

	for (i = 0; i < s->threads; i += n) {
		n = count_namesakes(s, i);
		first = s->thread[i];
		first.nth = 0;
		if (other->threads && bsearch(&first, other->thread, other->threads,
					      sizeof(first), thread_order))
			continue;
		if (json) {
			printf("{\"type\":\"stranger\",\"in\":\"%s\",\"threads\":%zu",
			       side_members[side], n);
			json_put_string(stdout, "name", first.name);
			puts("}");
		} else if (next_line(&r)) {
			printf("%10zu  %s\n", n, first.name);
		}
	}
	if (!json)
		end_lines(&r);
}

/* ---- Tasks that wait -------------------------------------------------- */

static bool waits(const struct side *s, const struct wait *w)
{
	return s->waits && bsearch(w, s->wait, s->waits, sizeof(*w), wait_order);
}

static void show_waits(const struct diff *d, u32 side, bool json)
{
	struct rest r = { .title = side ? "Tasks in uninterruptible sleep at the end of B only:" :
				   "Tasks in uninterruptible sleep at the end of A only:" };
	const struct side *s = &d->side[side];
	const char *text;
	size_t i;

	for (i = 0; i < s->waits; i++) {
		text = s->wait[i].text;
		if (waits(&d->side[!side], &s->wait[i]) ||
		    (i && !strcmp(text, s->wait[i - 1].text)))
			continue;
		if (json) {
			printf("{\"type\":\"waits\",\"in\":\"%s\"", side_members[side]);
			json_put_string(stdout, "task", text);
			puts("}");
		} else if (next_line(&r)) {
			printf("  %s\n", text);
		}
	}
	if (!json)
		end_lines(&r);
}

/* ---- All of it -------------------------------------------------------- */

static void side_json(const struct side *s, u32 side)
{
	printf(",\"%s\":{\"events\":%llu,\"first_ns\":%llu,\"last_ns\":%llu", side_members[side],
	       s->events, s->first, s->last);
	json_put_string(stdout, "file", s->file);
	json_put_string(stdout, "release", s->release);
	json_put_string(stdout, "boot_id", s->boot);
	putchar('}');
}

static void show_sides(const struct diff *d, bool json)
{
	const struct side *s;
	u32 side;

	if (json)
		fputs("{\"type\":\"diff\"", stdout);
	for (side = 0; side < SIDES; side++) {
		s = &d->side[side];
		if (json)
			side_json(s, side);
		else
			printf("%s: %s: Linux %s, boot %.8s, %llu events in %.3f s\n",
			       side_names[side], s->file, s->release[0] ? s->release : "unknown",
			       s->boot, s->events, span_of(s) / 1e9);
	}
	if (json)
		puts("}");
}

/**
 * diff_show() - print how two traces differ
 * @d: the traces
 * @json: as JSON, one object a line
 */
void diff_show(const struct diff *d, bool json)
{
	show_sides(d, json);
	show_names(d, json);
	show_strangers(d, SIDE_A, json);
	show_strangers(d, SIDE_B, json);
	show_partings(d, false, json);
	show_partings(d, true, json);
	show_waits(d, SIDE_A, json);
	show_waits(d, SIDE_B, json);
}
