// SPDX-License-Identifier: GPL-2.0
/*
 * The crashes that there are: those of the archive, and the one that the module recovered, if the
 * archive does not have it; or those that journals tell of.
 */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../entries/entries.h"
#include "../live/live.h"
#include "../machine/machine.h"
#include "crashes.h"

/**
 * crashes_add() - add a crash to a list
 * @all: the list
 *
 * Return: the new crash, all zeros; NULL, after a message, if there is no memory.
 */
struct listed *crashes_add(struct crashes *all)
{
	struct listed *more = array_grow(all->crash, all->nr, sizeof(*more));

	if (!more) {
		fail("no memory for a list of %zu crashes", all->nr + 1);
		*all = (struct crashes){ 0 };
		return NULL;
	}
	all->crash = more;
	more += all->nr++;
	memset(more, 0, sizeof(*more));
	return more;
}

/**
 * listed_free() - free what belongs to a crash in a list
 * @l: the crash
 */
void listed_free(struct listed *l)
{
	free(l->message);
	free(l->why);
	free(l->image);
}

/**
 * crashes_free() - free a list
 * @all: the list
 */
void crashes_free(struct crashes *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		listed_free(&all->crash[i]);
	free(all->crash);
	*all = (struct crashes){ 0 };
}

/**
 * image_load() - load an image that is all of a source
 * @d: result; free it with dump_free(), also after an error
 * @s: the source; it is closed
 *
 * Return: false, after a message, on an error.
 */
bool image_load(struct dump *d, struct source *s)
{
	bool ok;

	*d = (struct dump){ .name = s->name };
	if (s->size > IMAGE_MOST) {
		ok = fail("%s: %llu bytes, at most %llu are kept", s->name, s->size, IMAGE_MOST);
	} else {
		d->len = ALIGN_DOWN(s->size, (u64)JTRACE_GRANULE);
		d->img = malloc(d->len + 1);
		ok = d->img ? source_read(s, 0, d->img, d->len) && dump_open(d) :
			      fail("%s: no memory for its %llu bytes", s->name, d->len);
	}
	source_close(s);
	return ok;
}

/* Read what a list shows of an image. */
static bool describe(struct listed *l, struct source *s)
{
	struct dump d;
	bool ok = image_load(&d, s);

	if (ok) {
		decode_open(&d.t);
		ok = crash_read(&l->c, &d);
		decode_close();
	}
	l->size = d.len;
	dump_free(&d);
	return ok;
}

static bool add_kept(struct crashes *all, const struct kept *k)
{
	struct listed *l = crashes_add(all);
	struct source s;

	if (!l)
		return false;
	l->number = k->number;
	scnprintf(l->kept, sizeof(l->kept), "%s", k->path);
	if (!archive_find_image(k->path, l->path, sizeof(l->path))) {
		/* The journal has it, or somebody removed the image. */
		l->path[0] = 0;
		l->c.end = END_UNKNOWN;
		memcpy(l->c.boot, k->path, sizeof(l->c.boot) - 1);
		return true;
	}
	if (source_open(&s, l->path) && describe(l, &s))
		return true;
	/* The others can be shown. */
	l->c.end = END_UNKNOWN;
	return true;
}

/* Find the same trace in the archive; NULL if it is not there, or if it cannot be named. */
static struct listed *find_kept(const struct crashes *all, const struct crash *c)
{
	size_t i;

	for (i = 0; c->image && i < all->nr; i++)
		if (all->crash[i].c.image == c->image && !strcmp(all->crash[i].c.boot, c->boot))
			return &all->crash[i];
	return NULL;
}

/* Is there a recovered trace?  *@ok: false, after a message, if nobody may know. */
static bool has_recovered(const char *path, bool *ok)
{
	FILE *f = fopen(path, "re");
	int c = f ? getc(f) : EOF;

	*ok = f || errno != EACCES || fail("%s: %s%s", path, strerror(errno),
					   geteuid() ? ": run this command with sudo" : "");
	if (f)
		fclose(f);
	/* Else there is none, or it was freed. */
	return c != EOF;
}

/* The trace that the module recovered, under the number that the archive will give it. */
static bool add_recovered(struct crashes *all)
{
	u64 number = all->nr ? all->crash[all->nr - 1].number + 1 : 1;
	struct listed *l, *kept;
	struct source s;
	char path[4096];
	bool ok;

	scnprintf(path, sizeof(path), "%s", root_path("/sys/kernel/debug/jtrace/recovered_raw"));
	if (!has_recovered(path, &ok))
		return ok;
	l = crashes_add(all);
	if (!l)
		return false;
	l->number = number;
	l->recovered = true;
	scnprintf(l->path, sizeof(l->path), "%s", path);
	/* After an error, the others can be shown. */
	ok = source_open(&s, l->path) && describe(l, &s);
	all->nr--;
	kept = ok ? find_kept(all, &l->c) : NULL;
	if (kept)
		kept->in_module = true;
	else if (ok && l->c.end != END_CLEAN)
		all->nr++;
	return true;
}

/**
 * crashes_read() - list the crashes of this machine
 * @all: result, the oldest first; free it with crashes_free(), also after an error
 *
 * Return: false, after a message, on an error.
 */
bool crashes_read(struct crashes *all)
{
	struct kept_list kept;
	bool ok = true;
	size_t i;

	*all = (struct crashes){ 0 };
	if (root_exists(ARCHIVE) && access(root_path(ARCHIVE), R_OK | X_OK))
		return fail("%s: %s%s", ARCHIVE, strerror(errno),
			    geteuid() ? ": run this command with sudo" : "");
	kept_list_read(&kept);
	for (i = 0; i < kept.nr && ok; i++)
		ok = add_kept(all, &kept.kept[i]);
	free(kept.kept);
	return ok && add_recovered(all);
}

/**
 * crashes_find() - find a crash by its number
 * @all: the list
 * @number: the number
 *
 * Return: NULL, after a message, if there is none.
 */
struct listed *crashes_find(const struct crashes *all, u64 number)
{
	struct listed *found = NULL;
	size_t i, nr = 0;

	for (i = 0; i < all->nr; i++)
		if (all->crash[i].number == number && !nr++)
			found = &all->crash[i];
	if (nr == 1)
		return found;
	/* Older versions gave no numbers. */
	if (nr)
		fail("%llu: %zu crashes have this number: take their files in " ARCHIVE, number, nr);
	else if (!all->nr)
		fail("%llu: there is no crash", number);
	else
		fail("%llu: there is no such crash: the newest one is %llu", number,
		     all->crash[all->nr - 1].number);
	return NULL;
}
