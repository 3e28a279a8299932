// SPDX-License-Identifier: GPL-2.0
/*
 * Crashes that journals tell of, of many machines: systemd-journal-upload(8) sends the entries that
 * jtrace-archive(8) wrote, systemd-journal-remote(8) collects them.
 *
 * A machine may send what it likes, so nothing of an entry is trusted.
 */

#ifdef JTRACE_LIBSYSTEMD

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <systemd/sd-journal.h>

#include "../base/base.h"
#include "../../lib/read/render.h"
#include "crashes.h"

/* A field of an entry, not terminated; NULL if it has none. */
static const char *get_field(sd_journal *j, const char *name, size_t *len)
{
	const size_t skip = strlen(name) + 1;
	const void *data;

	*len = 0;
	if (sd_journal_get_data(j, name, &data, len) < 0 || *len < skip) {
		*len = 0;
		return NULL;
	}
	*len -= skip;
	return (const char *)data + skip;
}

/* The same, escaped; "" if there is none. */
static void copy_field(sd_journal *j, const char *name, char *to, size_t size)
{
	size_t len;
	const char *value = get_field(j, name, &len);

	jtrace_escape(NULL, to, size, value ?: "", len);
}

/* The same, an ID of 32 digits.  jtrace_escape() ends where an escape would not fit any more. */
static void copy_id(sd_journal *j, const char *name, char to[33])
{
	char text[33 + 3];

	copy_field(j, name, text, sizeof(text));
	snprintf(to, 33, "%.32s", text);
}

/* Longer texts are cut. */
#define TEXT_MOST	(64 * 1024)

/* The same, with its lines; NULL if there is none. */
static char *copy_text(sd_journal *j, const char *name)
{
	size_t len, i;
	const char *value = get_field(j, name, &len);
	struct pen p;
	char *text;

	len = min_t(size_t, len, TEXT_MOST);
	text = value ? malloc(4 * len + 1) : NULL;
	if (!text)
		return NULL;
	p = (struct pen){ text, text + 4 * len };
	for (i = 0; i < len && value[i]; )
		if (value[i] == '\n')
			pen_char(&p, value[i++]);
		else
			i += jtrace_put_char(NULL, &p, value + i, len - i);
	*p.at = 0;
	return text;
}

static u64 get_number(sd_journal *j, const char *name, int base)
{
	char text[32];

	copy_field(j, name, text, sizeof(text));
	return strtoull(text, NULL, base);
}

/* "2026-11-29T14:21:26Z" */
static u64 get_time(sd_journal *j)
{
	char text[CRASH_TIME];
	struct tm tm = { 0 };
	time_t s;

	copy_field(j, "JTRACE_TIME", text, sizeof(text));
	if (!strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return 0;
	s = timegm(&tm);
	return s > 0 && s < 18000000000LL ? s * 1000000000ULL : 0;
}

/* An image that the entry has with it. */
static void copy_image(struct listed *l, sd_journal *j)
{
	size_t len;
	const char *value = get_field(j, "JTRACE_IMAGE", &len);

	l->image = value && len && len <= IMAGE_MOST ? malloc(len) : NULL;
	if (!l->image)
		return;
	memcpy(l->image, value, len);
	l->image_len = len;
}

static void read_entry(struct listed *l, sd_journal *j, bool images)
{
	char word[32];
	uint64_t us = 0;

	l->journal = true;
	copy_field(j, "JTRACE_CAUSE", word, sizeof(word));
	l->c.end = crash_end_parse(word);
	copy_id(j, "JTRACE_BOOT_ID", l->c.boot);
	copy_field(j, "JTRACE_RELEASE", l->c.release, sizeof(l->c.release));
	copy_field(j, "JTRACE_SIGNATURE", l->c.signature, sizeof(l->c.signature));
	copy_field(j, "_HOSTNAME", l->machine, sizeof(l->machine));
	copy_id(j, "_MACHINE_ID", l->machine_id);
	copy_field(j, "JTRACE_DIRECTORY", l->path, sizeof(l->path));
	l->c.image = get_number(j, "JTRACE_IMAGE_ID", 16);
	l->size = get_number(j, "JTRACE_SIZE", 10);
	l->message = copy_text(j, "MESSAGE");
	l->why = copy_text(j, "JTRACE_WHY");
	if (images)
		copy_image(l, j);
	l->c.real = get_time(j);
	/* Of an older jtrace-archive: when it was reported. */
	if (!l->c.real && sd_journal_get_realtime_usec(j, &us) >= 0)
		l->c.real = us * 1000;
}

static int compare_crash(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int order;

	if (x->c.real != y->c.real)
		return x->c.real < y->c.real ? -1 : 1;
	order = strcmp(x->machine_id, y->machine_id) ?: strcmp(x->c.boot, y->c.boot);
	if (order)
		return order;
	return x->c.image < y->c.image ? -1 : x->c.image > y->c.image;
}

/* Sort, and leave out entries that were sent twice. */
static void sort_listed(struct crashes *all)
{
	size_t i, nr = 0;

	if (all->nr)
		qsort(all->crash, all->nr, sizeof(*all->crash), compare_crash);
	for (i = 0; i < all->nr; i++) {
		if (nr && !compare_crash(&all->crash[nr - 1], &all->crash[i]))
			listed_free(&all->crash[i]);
		else
			all->crash[nr++] = all->crash[i];
	}
	all->nr = nr;
	for (i = 0; i < nr; i++)
		all->crash[i].number = i + 1;
}

static bool read_all(struct crashes *all, sd_journal *j, const char *dir, bool images)
{
	struct listed *l;
	int err;

	sd_journal_set_data_threshold(j, 0);
	err = sd_journal_add_match(j, "MESSAGE_ID=" CRASH_MESSAGE_ID, 0);
	while (err >= 0 && (err = sd_journal_next(j)) > 0) {
		l = crashes_add(all);
		if (!l)
			return false;
		read_entry(l, j, images);
	}
	if (err < 0)
		return fail("-D %s: %s", dir, strerror(-err));
	sort_listed(all);
	return true;
}

/**
 * crashes_read_journals() - list the crashes that journals tell of
 * @all: result, the oldest first; free it with crashes_free(), also after an error
 * @dir: directory of the journals
 * @images: with the images that entries have
 *
 * Return: false, after a message, on an error.
 */
bool crashes_read_journals(struct crashes *all, const char *dir, bool images)
{
	sd_journal *j;
	bool ok;
	int err = sd_journal_open_directory(&j, dir, 0);

	*all = (struct crashes){ 0 };
	if (err < 0)
		return fail("-D %s: %s", dir, strerror(-err));
	ok = read_all(all, j, dir, images);
	sd_journal_close(j);
	return ok;
}

#endif
