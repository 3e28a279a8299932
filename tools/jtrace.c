// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace - show a trace of the flight recorder: the live one, the one of the previous boot,
 * or one in a file
 *
 * Exit: 0 shown, 1 error (with a message), 2 usage.
 */

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

#include "../lib/pen.h"
#include "tool.h"
#include "../include/jtrace/version.h"

static const char usage[] =
	"usage: jtrace [--json] [-l | -m] [-r | FILE [--at OFFSET]]\n"
	"       jtrace [--json] --frame N|next [--probe NAME] [-r | FILE [--at OFFSET]]\n"
	"       jtrace -i\n"
	"       jtrace start | stop | clear\n"
	"       jtrace event [--list] [--load FILE] [LINE...]\n"
	"       jtrace probe [--list] [--args PLACE] [--delete NAME] [--print] [--module FILE]\n"
	"                    [--load FILE] [p|r|t[:NAME] PLACE [VALUE...] [CLAUSE...]]\n"
	"       jtrace probe --mark | --boot | --guard\n"
	"       jtrace doctor\n"
	"\n"
	"Show the live trace, or the trace in FILE (\"-\": standard input).  FILE is a saved image,\n"
	"or a larger file with an image anywhere in it, such as a memory dump.\n"
	"\n"
	"  -r, --recovered  show the trace of the previous boot\n"
	"  -l, --log        show the kernel log of the crash, not the events\n"
	"  -m, --merge      show both, in the order of time\n"
	"      --frame N    show hit N of a probe that records $regs, with all registers; next:\n"
	"                   the hit after the one shown last\n"
	"      --probe NAME only hits of this probe\n"
	"  -i, --info       show the configuration\n"
	"      --json       print one JSON object a line\n"
	"      --at OFFSET  choose the image at OFFSET, if FILE has several\n"
	"  -h, --help       show this text\n"
	"  -V, --version    show the version, and which format versions jtrace reads\n"
	"  start, stop      record from now on, or no longer\n"
	"  clear            hide all events recorded so far\n"
	"  event            list the kernel's events, or turn them on and off: each LINE names an\n"
	"                   event or a group, as in the file events; !NAME turns it off\n"
	"  probe            list the probes, or define one: at an instruction (p), a return (r) or\n"
	"                   a tracepoint (t); values by the names of arguments and members\n"
	"  doctor           check whether a trace would survive a reset of this machine\n";

/* no_libbpf.c and probe_line.c have all that needs them. */
#ifdef JTRACE_LIBBPF
#define LIBBPF	"with libbpf"
#else
#define LIBBPF	"without libbpf"
#endif
#ifdef JTRACE_LIBDW
#define LIBDW	"with libdw"
#else
#define LIBDW	"without libdw"
#endif

/**
 * enum content - what to show of an image
 * @EVENTS: the trace
 * @LOG: the kernel log
 * @MERGED: both, in the order of time
 * @CONTENTS: number of these
 */
enum content {
	EVENTS,
	LOG,
	MERGED,
	CONTENTS,
};

/**
 * struct format - an output
 * @show: write to standard output; stop early if output_ok() returns false
 * @show_frame: the same, for a frame
 * @option: its option
 */
struct format {
	void (*show[CONTENTS])(const struct dump *d);
	void (*show_frame)(const struct dump *d, const struct frame *f);
	const char *option;
};

/* The first format is the default and has no option. */
static const struct format formats[] = {
	{ { show_text, show_text_log, show_text_merged }, show_text_frame, "--text" },
	{ { show_json, show_json_log, show_json_merged }, show_json_frame, "--json" },
};

#define OPT_FORMAT	0x100	/* plus the index of the format */
#define MAX_OPTIONS	16

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

static bool print_config(void)
{
	return live_copy("config", stdout);
}

static const struct verb info = { .name = "-i", .run = print_config };

/* Users name a file like a verb as ./NAME. */
static const struct verb verbs[] = {
	{ .name = "start", .run = run_start },
	{ .name = "stop", .run = run_stop },
	{ .name = "clear", .run = run_clear },
	{ .name = "event", .run_args = run_event },
	{ .name = "probe", .run_args = run_probe },
	{ .name = "doctor", .run = run_doctor },
};

/**
 * struct options - the command line
 * @file: NULL for the live buffer
 * @at: offset of the image in @file
 * @at_set: @at was given
 * @recovered: show the trace of the previous boot
 * @content: what to show, unless a frame
 * @frame: which one
 * @format: the output
 * @verb: NULL to show a trace
 */
struct options {
	const char *file;
	u64 at;
	bool at_set;
	bool recovered;
	enum content content;
	struct frame_choice frame;
	const struct format *format;
	const struct verb *verb;
};

/* Say why the source has no image that can be shown. */
static bool fail_empty(const struct source *s, const struct parts *f, const struct options *o)
{
	if (!s->size && o->recovered)
		return fail("%s: no trace of an earlier boot was found", s->name);
	if (!s->size)
		return fail("%s: empty file", s->name);
	if (!f->nr_bad)
		return fail("%s: no jtrace image in its %llu bytes", s->name, s->size);
	if (f->bad_fault == JTRACE_HEADER_VERSION)
		return fail("%s: image at 0x%llx has format version %u, this jtrace reads %u",
			    s->name, f->bad, f->bad_version, JTRACE_IMAGE_VERSION);
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

/*
 * What the text says besides the entries.  The live buffer looks like the file trace, the
 * trace of the previous boot like the file recovered.  The text of a file says how the boot
 * ended, too, unless it is a saved live buffer: that boot had not ended.
 */
static u32 choose_tell(const struct options *o, const struct jtrace_trace *t)
{
	bool same = is_this_boot(t->header.boot_id);
	bool live = t->verdict == JTRACE_WHOLE && t->header.state == JTRACE_STATE_RUNNING &&
		    (same || !(le32_to_cpu(t->header.flags) & JTRACE_F_PERSISTENT));
	u32 tell = JTRACE_TELL_BOOT | (same ? JTRACE_TELL_THIS_BOOT : 0);

	if (o->recovered)
		return tell | JTRACE_TELL_NOT_CLEAN | JTRACE_TELL_OVER;
	return o->file && !live ? tell : 0;
}

static bool show_frame(const struct dump *d, const struct options *o)
{
	static struct frame f;

	if (!frame_load(&d->t, &o->frame, &f))
		return false;
	o->format->show_frame(d, &f);
	return true;
}

static bool show_image(const struct source *s, const struct image *im, const struct options *o)
{
	struct dump d = { 0 };
	bool ok = dump_load(s, im, &d) && dump_open(&d);

	if (ok && !dump_readable(&d))
		ok = fail("%s: cannot read what is left of the image", s->name);
	if (ok && o->content != EVENTS && !d.t.log.nr)
		ok = fail("%s: the image has no line of the kernel log", s->name);
	if (ok) {
		d.t.tell = choose_tell(o, &d.t);
		d.t.plain = strcmp(nl_langinfo(CODESET), "UTF-8") ? NULL : utf8_plain;
		if (o->frame.chosen)
			ok = show_frame(&d, o);
		else
			o->format->show[o->content](&d);
	}
	dump_free(&d);
	return ok;
}

static bool show_source(const struct options *o)
{
	struct images list = { 0 };
	struct parts f = { 0 };
	const struct image *im;
	struct source s;
	bool ok;

	if (o->file)
		ok = source_open(&s, o->file);
	else
		ok = live_open(&s, o->recovered ? "recovered_raw" : "trace_raw");
	ok = ok && scan(&s, &f) && images_list(&s, &f, &list);
	if (ok && !list.nr)
		ok = fail_empty(&s, &f, o);
	if (ok) {
		im = choose_image(&s, &list, o);
		ok = im && show_image(&s, im, o);
	}
	free(list.image);
	parts_free(&f);
	source_close(&s);
	return ok;
}

static bool parse_offset(const char *text, u64 *to)
{
	char *end;

	errno = 0;
	*to = strtoull(text, &end, 0);
	if (text[0] >= '0' && text[0] <= '9' && !*end && !errno)
		return true;
	return fail("--at %s: must be an offset, decimal or 0x...", text);
}

static bool parse_frame(const char *text, struct frame_choice *c)
{
	unsigned long long hit;
	char *end;

	c->chosen = true;
	c->next = !strcmp(text, "next");
	errno = 0;
	hit = strtoull(text, &end, 10);
	c->hit = hit;
	if (c->next || (text[0] >= '0' && text[0] <= '9' && !*end && !errno && hit == c->hit))
		return true;
	return fail("--frame %s: must be the number of a hit, or next", text);
}

static bool parse_opt(int opt, struct options *o)
{
	switch (opt) {
	case 'r':
		o->recovered = true;
		return true;
	case 'l':
		o->content = LOG;
		return true;
	case 'm':
		o->content = MERGED;
		return true;
	case 'i':
		o->verb = &info;
		return true;
	case 'a':
		o->at_set = true;
		return parse_offset(optarg, &o->at);
	case 'F':
		return parse_frame(optarg, &o->frame);
	case 'P':
		o->frame.probe = optarg;
		return true;
	case 'h':
		fputs(usage, stdout);
		exit(!output_end());
	case 'V':
		printf("jtrace %s, reads images of format version %u, " LIBBPF ", " LIBDW "\n",
		       JTRACE_VERSION, JTRACE_IMAGE_VERSION);
		exit(!output_end());
	}
	if (opt < OPT_FORMAT)
		return false;
	o->format = &formats[opt - OPT_FORMAT];
	return true;
}

static bool options_agree(const struct options *o)
{
	const char *other = o->format != formats ? o->format->option :
			    o->recovered ? "-r" : o->content == LOG ? "-l" :
			    o->content == MERGED ? "-m" : o->frame.chosen ? "--frame" :
			    o->at_set ? "--at" : NULL;

	if (o->frame.probe && !o->frame.chosen)
		return fail("--probe: needs --frame");
	if (o->frame.chosen && o->content != EVENTS)
		return fail("--frame: cannot be combined with %s",
			    o->content == LOG ? "-l" : "-m");
	if (o->verb && other)
		return fail("%s: cannot be combined with %s", o->verb->name, other);
	if (o->verb)
		return !o->file || fail("%s: takes no file: %s", o->verb->name, o->file);
	if (o->file)
		return !o->recovered || fail("-r: cannot be combined with a file: %s", o->file);
	return !o->at_set || fail("--at: needs a file");
}

/* The fixed options, and one for each format but the first. */
static void list_options(struct option *to)
{
	static const struct option others[] = {
		{ "recovered", no_argument, NULL, 'r' },
		{ "log", no_argument, NULL, 'l' },
		{ "merge", no_argument, NULL, 'm' },
		{ "info", no_argument, NULL, 'i' },
		{ "at", required_argument, NULL, 'a' },
		{ "frame", required_argument, NULL, 'F' },
		{ "probe", required_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
	};
	size_t i;

	static_assert(ARRAY_SIZE(others) + ARRAY_SIZE(formats) <= MAX_OPTIONS);
	memcpy(to, others, sizeof(others));
	to += ARRAY_SIZE(others);
	for (i = 1; i < ARRAY_SIZE(formats); i++)
		*to++ = (struct option){ formats[i].option + 2, no_argument, NULL, OPT_FORMAT + i };
	*to = (struct option){ 0 };
}

/* Returns NULL if there is none. */
static const struct verb *find_verb(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(word, verbs[i].name))
			return &verbs[i];
	return NULL;
}

static bool parse_command_line(int argc, char **argv, struct options *o)
{
	const struct verb *verb = argc > 1 ? find_verb(argv[1]) : NULL;
	struct option longs[MAX_OPTIONS];
	int opt;

	if (verb && verb->run_args) {
		o->verb = verb;
		return true;
	}

	list_options(longs);
	while ((opt = getopt_long(argc, argv, "rlmihV", longs, NULL)) != -1)
		if (!parse_opt(opt, o))
			return false;
	verb = optind < argc ? find_verb(argv[optind]) : NULL;
	if (verb && verb->run_args)
		return fail("%s: must be the first word", verb->name);
	if (verb && o->verb)
		return fail("%s: cannot be combined with %s", verb->name, o->verb->name);
	if (verb) {
		o->verb = verb;
		optind++;
	}
	if (argc - optind > 1)
		return fail("%s: one file at a time", argv[optind + 1]);
	if (optind < argc)
		o->file = argv[optind];
	return options_agree(o);
}

int main(int argc, char **argv)
{
	struct options o = { .format = formats };
	bool ok;

	/* A closed pipe is an error, like a full disk. */
	signal(SIGPIPE, SIG_IGN);
	setlocale(LC_CTYPE, "");
	if (!parse_command_line(argc, argv, &o)) {
		fputs(usage, stderr);
		return 2;
	}
	if (!o.verb)
		ok = show_source(&o);
	else if (o.verb->run_args)
		ok = o.verb->run_args(argc - 1, argv + 1);
	else
		ok = o.verb->run();
	return !(output_end() && ok);
}
