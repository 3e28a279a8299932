// SPDX-License-Identifier: GPL-2.0
/* The command line of jtrace(1). */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "../../jtrace_version.h"
#include "../doctor/doctor.h"
#include "../export/export.h"
#include "../live/live.h"
#include "../machine/machine.h"
#include "../print/print.h"
#include "../probe/probe.h"
#include "../setup/setup.h"
#include "cli.h"

static const char usage[] =
	"usage: jtrace [--json] [-d] [-m] [-C LIST] [-S TIME] [-U TIME] [-g REGEX] [--tid N]\n"
	"              [--task GLOB] [-n N] [--modules DIR] [-r | FILE [--at OFFSET]]\n"
	"       jtrace [--json] -f [-d] [-C LIST] [-g REGEX] [--tid N] [--task GLOB] [-n N]\n"
	"              [--modules DIR] [FILE [--at OFFSET]]\n"
	"       jtrace [--json] -l [-S TIME] [-U TIME] [-g REGEX] [-n N] [-r | FILE [--at OFFSET]]\n"
	"       jtrace [--json] --frame N|next [--probe NAME] [-r | FILE [--at OFFSET]]\n"
	"       jtrace --ctf DIR | --perfetto OUT | --trace-dat OUT [--force] [-C LIST] [-S TIME]\n"
	"              [-U TIME] [-g REGEX] [--tid N] [--task GLOB] [-n N] [--modules DIR]\n"
	"              [-r | FILE [--at OFFSET]]\n"
	"       jtrace --html PAGE [--force] [-C LIST] [-S TIME] [-U TIME] [-g REGEX] [--tid N]\n"
	"              [--task GLOB] [-n N] [--modules DIR] [-r | FILE... | FILE --at OFFSET]\n"
	"       jtrace save OUT [--force] [--modules DIR] [-r | FILE [--at OFFSET]]\n"
	"       jtrace why [--json] [-U TIME] [--modules DIR] [-r | FILE [--at OFFSET]]\n"
	"       jtrace --cause [--modules DIR] -r | FILE [--at OFFSET]\n"
	"       jtrace -i\n"
	"       jtrace start | stop | clear\n"
	"       jtrace mark NAME [FIELD[:TYPE]=VALUE]...\n"
	"       jtrace event [--list] [--load FILE] [LINE...] | --kernel [GLOB...]\n"
	"       jtrace probe [--list] [--args PLACE] [--delete NAME] [--print] [--module FILE]\n"
	"                    [--load FILE] [p|r|t|w|f[:NAME] PLACE [VALUE...] [CLAUSE...]]\n"
	"       jtrace setup [--size SIZE] [--name NAME] [--watchdog] [--dry-run]\n"
	"       jtrace setup --hangs [--dry-run] | --test [--yes] | --remove [--dry-run]\n"
	"       jtrace doctor\n"
	"       jtrace diff [--json] [--modules DIR] A B\n"
	"       jtrace crashes [list | info N | show N | page N | rm N | top] [-D DIR] [--json]\n"
	"\n"
	"Show the live trace, or the trace in FILE (\"-\": standard input).  FILE is a saved image,\n"
	"or a larger file with an image anywhere in it, such as a memory dump, or the RAM of a virtual\n"
	"machine, also while it runs.\n"
	"\n"
	"  -r, --recovered  show the trace of the previous boot\n"
	"  -f, --follow     show the last events, then new ones as they come, until Ctrl-C\n"
	"  -l, --log        show the kernel log of the crash, not the events\n"
	"  -m, --merge      show both, in the order of time\n"
	"  -d, --decode     show arguments by the names in their tag, addresses by their symbol, and\n"
	"                   the names of numbers and threads\n"
	"  -C, --cpu LIST   only entries of these CPUs, such as 0,2-5\n"
	"  -S, --since TIME only from this time on: seconds as in the trace, or -5s, -200ms before\n"
	"                   its end\n"
	"  -U, --until TIME only up to this time\n"
	"  -g, --grep REGEX only entries whose tag, function or file matches; with -l: lines\n"
	"      --tid N      only entries of this thread\n"
	"      --task GLOB  only entries of tasks with such a name, such as 'kworker/*'\n"
	"  -n, --last N     only the last N of them\n"
	"      --frame N    show hit N of a probe that records $regs, with all registers; next:\n"
	"                   the hit after the one shown last\n"
	"      --probe NAME only hits of this probe\n"
	"      --cause      print a line for scripts: how that boot ended, its id, when, its kernel,\n"
	"                   and the signature of the crash; exit status 0: clean, 3: panicked,\n"
	"                   4: hung or reset, 5: unknown\n"
	"  -i, --info       show the configuration\n"
	"      --json       print one JSON object a line\n"
	"      --ctf DIR    write the events to this new directory, as a CTF trace for babeltrace2\n"
	"      --html PAGE  write one HTML file with the trace, or those of several FILEs by their\n"
	"                   wall clock, to look at in a browser\n"
	"      --perfetto OUT\n"
	"                   write the events and the kernel log to this new file, for ui.perfetto.dev\n"
	"      --trace-dat OUT\n"
	"                   write the events to this new file, for trace-cmd and KernelShark\n"
	"      --force      replace an earlier export\n"
	"      --no-pager   do not let a pager show the output on a terminal\n"
	"      --at OFFSET  choose the image at OFFSET, if FILE has several\n"
	"      --modules DIR\n"
	"                   look for the files of modules here, then in /lib/modules\n"
	"  -h, --help       show this text\n"
	"  -V, --version    show the version, and which format versions jtrace reads\n"
	"  start, stop      turn recording on or off\n"
	"  clear            hide all events recorded so far\n"
	"  mark             record an event with these values: numbers, or texts of up to 16 bytes;\n"
	"                   TYPE: u8 to u64, s8 to s64, x8 to x64 (hex), symbol, string, string8\n"
	"  event            list the kernel's events, or turn them on and off: each LINE names an\n"
	"                   event or a group, as in the file events; !NAME turns it off;\n"
	"                   --kernel: list the kernel's tracepoints with their arguments\n"
	"  save             write the image to this new file, with the names that -d shows\n"
	"  why              tell how the machine ended, and what was unfinished then\n"
	"  probe            list the probes, or define one: at an instruction (p), a return (r), a\n"
	"                   tracepoint (t), of a variable (w), of functions (f); values by the names\n"
	"                   of arguments and members\n"
	"  setup            reserve memory, so that a trace outlives a reset: tries it at the next boot,\n"
	"                   then keeps it; --test crashes this machine to prove it; --hangs lets a\n"
	"                   hang cause a panic, so that the kernel log tells of it\n"
	"  doctor           check whether a trace would survive a reset of this machine\n"
	"  crashes          list the crashes that there are, or show one; top: how often each one\n"
	"                   happened: jtrace crashes --help\n"
	"  diff             show what happened in one of two traces, and not in the other\n";

/* no_libbpf.c, line.c, ko.c, kdump.c, zstd.c and perfetto.c have all that needs them. */
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
#ifdef JTRACE_LIBELF
#define LIBELF	"with libelf"
#else
#define LIBELF	"without libelf"
#endif
#ifdef JTRACE_LIBKDUMPFILE
#define LIBKDUMPFILE	"with libkdumpfile"
#else
#define LIBKDUMPFILE	"without libkdumpfile"
#endif
#ifdef JTRACE_LIBSYSTEMD
#define LIBSYSTEMD "with libsystemd"
#else
#define LIBSYSTEMD "without libsystemd"
#endif
#ifdef JTRACE_LIBZSTD
#define LIBZSTD	"with libzstd"
#else
#define LIBZSTD	"without libzstd"
#endif
#ifdef JTRACE_PROTOBUF_C
#define PROTOBUF_C	"with protobuf-c"
#else
#define PROTOBUF_C	"without protobuf-c"
#endif

/* The first format is the default and has no option. */
const struct format formats[] = {
	{
		.show = { show_text, show_text_log, show_text_merged },
		.show_frame = show_text_frame, .show_new = show_text_new, .option = "--text",
	},
	{
		.show = { show_json, show_json_log, show_json_merged },
		.show_frame = show_json_frame, .show_new = show_json_new, .option = "--json",
	},
	{ .export = export_ctf, .option = "--ctf" },
	{ .export = export_html, .finish = finish_html, .content = MERGED, .option = "--html" },
	{ .export = export_perfetto, .content = MERGED, .option = "--perfetto" },
	{ .export = export_dat, .option = "--trace-dat" },
};

/* Its option is a word. */
static const struct format save_format = { .export = export_save, .option = "save" };

const size_t nr_formats = ARRAY_SIZE(formats);

#define OPT_FORMAT	0x100	/* plus the index of the format */
#define MAX_OPTIONS	30

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
	{ .name = "mark", .run_args = run_mark },
	{ .name = "event", .run_args = run_event },
	{ .name = "probe", .run_args = run_probe },
	{ .name = "setup", .run_args = run_setup },
	{ .name = "doctor", .run = run_doctor },
	{ .name = "crashes", .run_args = run_crashes },
	{ .name = "diff", .run_args = run_diff },
};

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

/* Exports go to a target of their own, and so do not combine. */
static bool choose_format(const struct format *format, struct options *o)
{
	if (o->target || (format->export && o->format != formats))
		return fail("%s: cannot be combined with %s", format->option, o->format->option);
	if (format->export && !*optarg)
		return fail("%s: needs a name", format->option);
	o->format = format;
	o->target = format->export ? optarg : NULL;
	return true;
}

static bool parse_opt(int opt, struct options *o)
{
	switch (opt) {
	case 'r':
		o->recovered = true;
		return true;
	case 'f':
		o->follow = true;
		return true;
	case 'l':
		o->content = LOG;
		return true;
	case 'm':
		o->content = MERGED;
		return true;
	case 'd':
		o->decode = true;
		return true;
	case 'c':
		o->cause = true;
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
	case 'M':
		return parse_modules(optarg);
	case 'N':
		o->pager = false;
		return true;
	case 'O':
		o->force = true;
		return true;
	case 'h':
		fputs(usage, stdout);
		exit(!output_end());
	case 'V':
		printf("jtrace %s, reads images of format version %u, " LIBBPF ", " LIBDW ", "
		       LIBELF ", " LIBKDUMPFILE ", " LIBSYSTEMD ", " LIBZSTD ", " PROTOBUF_C "\n",
		       JTRACE_VERSION, JTRACE_IMAGE_VERSION);
		exit(!output_end());
	}
	if (opt < OPT_FORMAT)
		return strchr(SELECT_OPTIONS, opt) && select_parse(&o->select, opt, optarg);
	return choose_format(&formats[opt - OPT_FORMAT], o);
}

/* "save OUT": an export of the whole image. */
static bool parse_save(int argc, char **argv, struct options *o)
{
	if (o->format != formats || o->verb || o->decode || o->select.option)
		return fail("save: cannot be combined with %s", o->verb ? o->verb->name :
			    o->format != formats ? o->format->option :
			    o->decode ? "-d" : o->select.option);
	if (optind + 1 >= argc || !*argv[optind + 1])
		return fail("save: needs the name of a file to write");
	o->format = &save_format;
	o->target = argv[optind + 1];
	optind += 2;
	return true;
}

/* What says how a trace is shown, which "why" and --cause do not do; NULL: nothing. */
static const char *find_shown(const struct options *o)
{
	return o->verb ? o->verb->name : o->target ? o->format->option : o->follow ? "-f" :
	       o->content == LOG ? "-l" : o->content == MERGED ? "-m" :
	       o->frame.chosen ? "--frame" : o->decode ? "-d" : NULL;
}

/* "why": not the trace, but what it tells. */
static bool parse_why(struct options *o)
{
	const struct select *s = &o->select;
	const char *other = find_shown(o) ?: (s->since.set || s->nr_ranges || s->has_regex ||
					      s->has_tid || s->task || s->last) ? s->option : NULL;

	o->why = true;
	optind++;
	return !other || fail("why: cannot be combined with %s", other);
}

static bool cause_agrees(const struct options *o)
{
	const char *other = o->why ? "why" : o->format != formats ? o->format->option :
			    find_shown(o) ?: o->select.option;

	if (!o->cause)
		return true;
	return other ? fail("--cause: cannot be combined with %s", other) :
	       o->recovered || o->file || fail("--cause: needs -r or a file: this boot goes on");
}

/* Only the live trace goes on, and one in the memory of a machine. */
static bool follow_agrees(const struct options *o)
{
	const char *other = o->recovered ? "-r" : o->content == LOG ? "-l" :
			    o->content == MERGED ? "-m" : o->frame.chosen ? "--frame" :
			    o->select.since.set ? "--since" : o->select.until.set ? "--until" :
			    !o->format->show_new ? o->format->option :
			    o->verb ? o->verb->name : NULL;

	return !o->follow || !other || fail("-f: cannot be combined with %s", other);
}

static bool options_agree(const struct options *o)
{
	const char *other = o->format != formats ? o->format->option :
			    o->recovered ? "-r" : o->content == LOG ? "-l" :
			    o->content == MERGED ? "-m" : o->frame.chosen ? "--frame" :
			    o->decode ? "-d" : o->at_set ? "--at" :
			    ko_folder ? "--modules" : o->select.option;

	if (o->force && !o->target)
		return fail("--force: needs an export");
	if (o->target && (o->content != EVENTS || o->frame.chosen))
		return fail("%s: cannot be combined with %s", o->format->option,
			    o->frame.chosen ? "--frame" : o->content == LOG ? "-l" : "-m");
	if (o->frame.probe && !o->frame.chosen)
		return fail("--probe: needs --frame");
	if (o->frame.chosen && o->content != EVENTS)
		return fail("--frame: cannot be combined with %s",
			    o->content == LOG ? "-l" : "-m");
	if (o->frame.chosen && o->select.option)
		return fail("--frame: cannot be combined with %s", o->select.option);
	if (o->decode && (o->frame.chosen || o->content == LOG))
		return fail("-d: cannot be combined with %s, which shows no events",
			    o->frame.chosen ? "--frame" : "-l");
	if (o->content == LOG && (o->select.has_tid || o->select.task || o->select.nr_ranges))
		return fail("-l: cannot be combined with %s", o->select.has_tid ? "--tid" :
			    o->select.task ? "--task" : "--cpu");
	if (!follow_agrees(o) || !cause_agrees(o))
		return false;
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
		{ "follow", no_argument, NULL, 'f' },
		{ "log", no_argument, NULL, 'l' },
		{ "merge", no_argument, NULL, 'm' },
		{ "decode", no_argument, NULL, 'd' },
		{ "cause", no_argument, NULL, 'c' },
		{ "info", no_argument, NULL, 'i' },
		{ "at", required_argument, NULL, 'a' },
		{ "cpu", required_argument, NULL, 'C' },
		{ "since", required_argument, NULL, 'S' },
		{ "until", required_argument, NULL, 'U' },
		{ "grep", required_argument, NULL, 'g' },
		{ "tid", required_argument, NULL, 'T' },
		{ "task", required_argument, NULL, 't' },
		{ "last", required_argument, NULL, 'n' },
		{ "frame", required_argument, NULL, 'F' },
		{ "probe", required_argument, NULL, 'P' },
		{ "modules", required_argument, NULL, 'M' },
		{ "no-pager", no_argument, NULL, 'N' },
		{ "force", no_argument, NULL, 'O' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
	};
	size_t i;

	static_assert(ARRAY_SIZE(others) + ARRAY_SIZE(formats) <= MAX_OPTIONS);
	memcpy(to, others, sizeof(others));
	to += ARRAY_SIZE(others);
	for (i = 1; i < ARRAY_SIZE(formats); i++)
		*to++ = (struct option){
			formats[i].option + 2,
			formats[i].export ? required_argument : no_argument, NULL, OPT_FORMAT + i,
		};
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
	while ((opt = getopt_long(argc, argv, "rflmdiC:S:U:g:n:hV", longs, NULL)) != -1)
		if (!parse_opt(opt, o))
			return false;
	if (optind < argc && !strcmp(argv[optind], save_format.option)) {
		if (!parse_save(argc, argv, o))
			return false;
		verb = NULL;
	} else if (optind < argc && !strcmp(argv[optind], "why")) {
		if (!parse_why(o))
			return false;
		verb = NULL;
	} else {
		verb = optind < argc ? find_verb(argv[optind]) : NULL;
	}
	if (verb && verb->run_args)
		return fail("%s: must be the first word", verb->name);
	if (verb && o->verb)
		return fail("%s: cannot be combined with %s", verb->name, o->verb->name);
	if (verb) {
		o->verb = verb;
		optind++;
	}
	if (argc - optind > 1 && (o->verb || !o->format->finish))
		return fail("%s: one file at a time", argv[optind + 1]);
	if (argc - optind > 1 && o->at_set)
		return fail("--at: needs one file, not %d", argc - optind);
	if (optind < argc) {
		o->file = argv[optind];
		o->more = argv + optind + 1;
	}
	return options_agree(o);
}

/**
 * options_parse() - parse the command line
 * @argc: as for main()
 * @argv: as for main()
 * @o: result; the caller zeroes it
 *
 * Exits after --help and --version.
 *
 * Return: false, after a message and the usage, on an error.
 */
bool options_parse(int argc, char **argv, struct options *o)
{
	o->format = formats;
	o->pager = true;
	if (parse_command_line(argc, argv, o))
		return true;
	fputs(usage, stderr);
	return false;
}
