// SPDX-License-Identifier: GPL-2.0
/* Load an image: choose it among those of a source, or say why there is none. */

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../../lib/base/pen.h"
#include "../live/live.h"
#include "../machine/machine.h"
#include "cli.h"

/**
 * parse_modules() - take a folder that has the files of modules
 * @folder: its path
 *
 * Return: false, after a message, if there is none.
 */
bool parse_modules(const char *folder)
{
	struct stat st;

	ko_folder = folder;
	if (stat(folder, &st))
		return fail("--modules %s: %s", folder, strerror(errno));
	return S_ISDIR(st.st_mode) || fail("--modules %s: %s", folder, strerror(ENOTDIR));
}

/* Say why an image of the source cannot be read. */
static const char *describe_foreign(const struct source *s, const struct parts *f)
{
	static char text[512];
	size_t n = scnprintf(text, sizeof(text), "%s: image at 0x%llx has ", s->name, f->bad);

	if (f->bad_fault == JTRACE_HEADER_VERSION)
		n += scnprintf(text + n, sizeof(text) - n,
			       "format version %u, this jtrace reads %u",
			       le16_to_cpu(f->bad_header.version), JTRACE_IMAGE_VERSION);
	else
		n += scnprintf(text + n, sizeof(text) - n,
			       "incompat features 0x%x that this jtrace does not know",
			       jtrace_header_unknown(&f->bad_header));
	scnprintf(text + n, sizeof(text) - n, ": use the jtrace that belongs to the module");
	return text;
}

/* Say why the source has no image that can be shown. */
static bool fail_empty(const struct source *s, const struct parts *f, const struct options *o)
{
	if (!s->size && o->recovered)
		return live_fail_recovered();
	if (!s->size)
		return fail("%s: empty file", s->name);
	if (!f->nr_bad)
		return fail("%s: no jtrace image in its %llu bytes", s->name, s->size);
	if (f->nr_foreign)
		return fail("%s", describe_foreign(s, f));
	return fail("%s: damaged image header at 0x%llx (%s), and no other part of an image",
		    s->name, f->bad,
		    f->bad_fault == JTRACE_HEADER_CRC ? "check value" : "layout");
}

static void warn_images(const struct source *s, const struct images *list,
			const struct image *shown)
{
	char text[4096];
	struct pen p = { text, text + sizeof(text) - 1 };
	size_t i;

	for (i = 0; i < list->nr && i < 20; i++)
		pen_format(&p, "%s at 0x%llx (%s)", i ? "," : "", list->image[i].where,
			   image_describe(&list->image[i]));
	pen_format(&p, i < list->nr ? ", ...: " : ": ");
	if (shown)
		pen_format(&p, "showing the one at 0x%llx, choose another with --at OFFSET",
			   shown->where);
	else
		pen_format(&p, "choose one with --at OFFSET");
	warnx("%s: %zu image%s:%s", s->name, list->nr, list->nr > 1 ? "s" : "", text);
}

/* Returns NULL, after a message, if there is no such image. */
static const struct image *choose_image(const struct source *s, const struct images *list,
					const struct options *o)
{
	const struct image *im = o->at_set ? images_find(list, o->at) : images_find_newest(list);

	if (!im)
		fail("%s: no image at 0x%llx", s->name, o->at);
	if (!im || (list->nr > 1 && !o->at_set))
		warn_images(s, list, im);
	return im;
}

/**
 * close_images() - free what open_images() has found
 * @in: result of open_images(), also after an error
 */
void close_images(struct opened *in)
{
	free(in->list.image);
	parts_free(&in->f);
	source_close(&in->s);
}

/**
 * open_images() - find the images of a file, of the module or of its archive, and choose one
 * @in: result
 * @o: which one
 *
 * Return: false, after a message, on an error; with @o->cause no image is no error.
 */
bool open_images(struct opened *in, const struct options *o)
{
	bool ok;

	*in = (struct opened){ 0 };
	if (o->file)
		ok = source_open(&in->s, o->file) && kdump_open(&in->s);
	else
		ok = live_open(&in->s, o->recovered ? "recovered_raw" : "trace_raw");
	ok = ok && scan(&in->s, &in->f) && images_list(&in->s, &in->f, &in->list);
	if (ok && !in->list.nr)
		return o->cause || fail_empty(&in->s, &in->f, o);
	if (ok && in->f.nr_foreign)
		warnx("%s", describe_foreign(&in->s, &in->f));
	if (ok)
		in->im = choose_image(&in->s, &in->list, o);
	return in->im;
}

/**
 * load_image() - load an image of a file, of the module or of its archive
 * @o: which one
 * @d: result; the caller zeroes it, and frees it even after an error
 *
 * Return: false, after a message, on an error; with @o->cause an empty trace if there is none.
 */
bool load_image(const struct options *o, struct dump *d)
{
	struct opened in;
	bool ok = open_images(&in, o);

	if (ok && !in.im) {
		d->t.verdict = JTRACE_EMPTY;
	} else if (ok) {
		ok = dump_load(&in.s, in.im, d) && dump_open(d);
		if (ok && d->put)
			warnx("%s: image at 0x%llx: put %llu scattered parts in place", in.s.name,
			      d->where, d->put);
	}
	close_images(&in);
	return ok;
}
