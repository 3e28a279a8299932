/* SPDX-License-Identifier: GPL-2.0 */
/* The module that runs: its files in debugfs. */
#ifndef _JTRACE_LIVE_H
#define _JTRACE_LIVE_H

#include "../entries/entries.h"
#include "../image/image.h"
#include "../print/print.h"

/* debugfs.c */
bool live_open(struct source *s, const char *name);
bool live_fail(const char *name, int err);
bool live_fail_recovered(void);
void live_hint_begin(bool cleared);
int live_read(const char *name, void **to, size_t *room, size_t *len);
bool live_copy(const char *name, FILE *to);
bool live_write(const char *name, const char *text, int *err);

/* lines.c */
bool lines_write(const char *file, const char *where, const char *line, bool again);
bool lines_load(const char *path, bool (*take)(const char *where, const char *line));

/* verbs.c */
bool run_start(void);
bool run_stop(void);
bool run_clear(void);

/* mark.c */
bool run_mark(int argc, char **argv);

/* feed.c */

/**
 * struct feed - where a trace that is followed comes from
 * @take: take a snapshot: @d: result, with its image, whose memory is the feed's until the next
 *	call; it is not opened
 * @counted: headers of snapshots count what was recorded
 * @last: look at all that is there, because this look is one of the last
 * @watch: the image in a file; NULL: the live buffer
 * @img: the image of the last snapshot
 * @size: bytes at @img
 * @started: there was a snapshot
 * @image_id: of the live buffer
 * @nr_chunks: of the live buffer
 */
struct feed {
	enum watched (*take)(struct feed *f, struct dump *d);
	bool counted;
	bool last;
	struct watch *watch;
	void *img;
	size_t size;
	bool started;
	u64 image_id;
	u32 nr_chunks;
};

void feed_live(struct feed *f);
void feed_file(struct feed *f, struct watch *w);
void feed_close(struct feed *f);

/* follow.c */

bool follow(struct feed *feed, struct select *select, bool decode,
	    void (*show)(const struct dump *d, bool first, const struct gap *gap));

#endif /* _JTRACE_LIVE_H */
