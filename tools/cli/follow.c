// SPDX-License-Identifier: GPL-2.0
/* Follow the live buffer, or an image in a file that a machine writes to. */

#include "cli.h"

/* Show an image in a file that a machine writes to, and go on with new events. */
static bool follow_file(struct options *o)
{
	struct watch w = { 0 };
	struct opened in;
	struct feed feed;
	bool ok;

	ok = open_images(&in, o) && watch_open(&w, &in.s, o->file);
	if (o->at_set)
		w.at = o->at;
	if (ok && watch_choose(&w, &in.f, in.im)) {
		feed_file(&feed, &w);
		ok = follow(&feed, &o->select, o->decode, o->format->show_new);
		feed_close(&feed);
	} else {
		ok = false;
	}
	watch_close(&w);
	close_images(&in);
	return ok;
}

/**
 * follow_source() - show the live buffer or an image of a file, and go on with new events
 * @o: which one, and how
 *
 * Return: false on an error, after a message unless nobody reads the output.
 */
bool follow_source(struct options *o)
{
	struct feed feed;
	bool ok;

	if (o->file)
		return follow_file(o);
	feed_live(&feed);
	ok = follow(&feed, &o->select, o->decode, o->format->show_new);
	feed_close(&feed);
	return ok;
}
