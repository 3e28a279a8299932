/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of jtrace(1). */
#ifndef _JTRACE_CLI_H
#define _JTRACE_CLI_H

#include "../entries/entries.h"
#include "../image/image.h"
#include "../live/live.h"

/* options.c */

/**
 * struct format - an output
 * @show: write to standard output; stop early if output_ok() returns false
 * @show_frame: the same, for a frame
 * @show_new: the same, for what is new in a trace that is followed; NULL if this output cannot
 * @export: instead of these: write all of the image to the target that the user names; return false
 *	on an error, after a message, with nothing left behind
 * @finish: the target holds several images: @export only adds one, and this ends it, @ok if all
 *	were added; return as @export
 * @content: what an export shows of an image that has a kernel log
 * @option: its option
 */
struct format {
	void (*show[CONTENTS])(const struct dump *d);
	void (*show_frame)(const struct dump *d, const struct frame *f);
	void (*show_new)(const struct dump *d, bool first, const struct gap *gap);
	bool (*export)(const struct dump *d, const char *target, bool force);
	bool (*finish)(bool ok);
	enum content content;
	const char *option;
};

/**
 * struct verb - an action other than showing a trace
 * @name: the word on the command line
 * @run: return false on an error, after a message
 * @run_args: the same, for a verb that is the first word and parses the rest, from itself on
 */
struct verb {
	const char *name;
	bool (*run)(void);
	bool (*run_args)(int argc, char **argv);
};

/**
 * struct options - the command line
 * @file: NULL for the live buffer
 * @more: further files, up to a NULL; NULL if there are none
 * @at: offset of the image in @file
 * @at_set: @at was given
 * @recovered: show the trace of the previous boot
 * @content: what to show, unless a frame
 * @select: which part of it
 * @decode: show arguments by their names
 * @frame: which one
 * @format: the output
 * @follow: go on with new events
 * @target: of an export, else NULL
 * @force: replace the target
 * @why: tell why the machine died, instead of showing its trace
 * @cause: print a line that tells how the boot ended
 * @status: exit status if that works
 * @pager: let a pager show it on a terminal
 * @verb: NULL to show a trace
 */
struct options {
	const char *file;
	char **more;
	u64 at;
	bool at_set;
	bool recovered;
	enum content content;
	struct select select;
	bool decode;
	struct frame_choice frame;
	const struct format *format;
	bool follow;
	const char *target;
	bool force;
	bool why;
	bool cause;
	int status;
	bool pager;
	const struct verb *verb;
};

extern const struct format formats[];
extern const size_t nr_formats;

bool options_parse(int argc, char **argv, struct options *o);

/* crashes.c */
bool run_crashes(int argc, char **argv);
bool crashes_file(const char *number, const char *dir, char *path, size_t size);
bool crashes_translate(int *argc, char ***argv);

/* diff.c */
bool run_diff(int argc, char **argv);

/* load.c */
bool parse_modules(const char *folder);

/**
 * struct opened - a source, and the images in it
 * @s: the source
 * @f: parts of images
 * @list: the images
 * @im: the one that the options choose
 */
struct opened {
	struct source s;
	struct parts f;
	struct images list;
	const struct image *im;
};

bool open_images(struct opened *in, const struct options *o);
void close_images(struct opened *in);
bool load_image(const struct options *o, struct dump *d);

/* show.c */
u32 choose_tell(const struct options *o, const struct jtrace_trace *t);
bool show_source(struct options *o);
bool show_sources(struct options *o);

/* follow.c */
bool follow_source(struct options *o);

#endif /* _JTRACE_CLI_H */
