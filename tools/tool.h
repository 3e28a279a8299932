/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of jtrace(1) share. */
#ifndef _JTRACE_TOOL_H
#define _JTRACE_TOOL_H

#include <regex.h>
#include <sys/types.h>

#include "../lib/field.h"
#include "../lib/render.h"
#include "image/source.h"

/* base/say.c */
bool fail(const char *fmt, ...) __printf(1, 2);

/* base/output.c: standard output */
bool output_ok(void);
bool output_end(void);

/* base/colour.c */
bool is_terminal(void);
void colour_open(void);
void colour_line(FILE *to, const char *line);
void colour_log(FILE *to, const char *line, u32 prio);

/* base/pager.c */
void pager_open(void);
bool pager_is_open(void);
void pager_close(void);

/* base/array.c */
void *array_grow(void *array, size_t nr, size_t size);

/* image/scan.c */

/**
 * struct piece - a valid chunk, site or log record
 * @id: image id
 * @pos: offset in the source
 * @claim: claim number of a chunk, 0 for a record
 * @place: offset in the image, in granules
 * @len: bytes in the source; fewer than the chunk has if the source ends
 * @shift: log2 of the chunk size, 0 for a record
 * @kind: kind of the entries, 0 for a record
 */
struct piece {
	u64 id;
	u64 pos;
	u64 claim;
	u32 place;
	u16 len;
	u8 shift;
	u8 kind;
};

/**
 * struct head - a valid image header: the first one, or the backup header
 * @pos: offset in the source
 * @id: image id
 * @h: the header
 * @l: the layout in it
 */
struct head {
	u64 pos;
	u64 id;
	struct jtrace_image_header h;
	struct jtrace_layout l;
};

/**
 * struct parts - all parts of images in a source
 * @head: in the order of @pos; images_list() sorts them by image, the newest header first
 * @nr_heads: number of headers
 * @piece: in the order of @pos; images_list() sorts them with piece_order()
 * @nr_pieces: number of pieces
 * @nr_bad: number of places that begin like a header, but are not valid
 * @bad: offset of the first one
 * @bad_fault: its fault
 * @bad_version: its format version
 */
struct parts {
	struct head *head;
	size_t nr_heads;
	struct piece *piece;
	size_t nr_pieces;
	u64 nr_bad;
	u64 bad;
	enum jtrace_header_fault bad_fault;
	u32 bad_version;
};

bool scan(const struct source *s, struct parts *f);
void parts_free(struct parts *f);

/* image/sort.c */

/**
 * struct image - an image with at least one part in the source
 * @id: image id
 * @base: offset in the source of the image's first byte; may be negative if @raw is false,
 *	or if the beginning is cut off
 * @where: offset of the first byte in the source; users name the image by it
 * @raw: at least half of the parts lie at their offset from @base
 * @whole: all of them do
 * @head: newest header, NULL if all are lost
 * @other: second newest header, NULL if there is no such header
 * @first: first piece
 * @nr: number of pieces, in all copies of the image
 */
struct image {
	u64 id;
	s64 base;
	u64 where;
	bool raw;
	bool whole;
	const struct head *head;
	const struct head *other;
	const struct piece *first;
	size_t nr;
};

struct images {
	struct image *image;
	size_t nr;
};

bool images_list(const struct source *s, struct parts *f, struct images *list);
const struct image *images_find_newest(const struct images *list);
const struct image *images_find(const struct images *list, u64 where);
const char *image_describe(const struct image *im);

/* image/dump.c */

/**
 * struct dump - an image in memory, and its trace
 * @name: name of the source
 * @where: offset of the image in the source
 * @img: the image
 * @len: bytes of the image
 * @room: memory for lib/recover
 * @t: the trace, after dump_open()
 */
struct dump {
	const char *name;
	u64 where;
	u64 *img;
	u64 len;
	void *room;
	struct jtrace_trace t;
};

bool dump_open(struct dump *d);
bool dump_readable(const struct dump *d);
void dump_free(struct dump *d);
const char *state_name(u8 state);
const char *context_name(u32 context);

/* image/gather.c */
bool dump_load(const struct source *s, const struct image *im, struct dump *d);

/* entries/merge.c */

/**
 * struct merge - the lines of the kernel log between events
 * @reader: of the log
 * @line: the next line
 * @ns: its time, on the clock of events
 * @more: there is a next line
 */
struct merge {
	struct jtrace_log_reader reader;
	struct jtrace_log_line line;
	u64 ns;
	bool more;
};

void merge_open(struct merge *m, const struct jtrace_trace *t);
bool merge_before(const struct merge *m, u64 ns);
void merge_next(struct merge *m);

/* entries/fields.c */

/**
 * struct fields - the fields of an entry
 * @nr: how many
 * @field: their names and types
 * @place: first place of each, 0 to 5 for a to f; of a string, also that of its second half
 * @unnamed: the tag gives it no name, so its name is its place
 * @names: memory of the names
 */
struct fields {
	u32 nr;
	struct jtrace_field field[JTRACE_FIELDS];
	s8 place[JTRACE_FIELDS][2];
	bool unnamed[JTRACE_FIELDS];
	char names[JTRACE_TAG_MAX + 1];
};

/**
 * struct field_value - a field of an entry
 * @name: its name
 * @type: its type
 * @value: unless it is a string; a signed one is sign-extended
 * @unnamed: as in struct fields
 * @text: if it is a string
 */
struct field_value {
	char name[JTRACE_TAG_MAX + 1];
	enum jtrace_field_type type;
	u64 value;
	bool unnamed;
	char text[JTRACE_FIELD_TEXT + 1];
};

/* Bytes of a value as text, with NUL: a string, quoted, each byte escaped. */
#define VALUE_TEXT	(3 + 4 * JTRACE_FIELD_TEXT)

u32 fields_parse(struct fields *f, const char *tag);
u32 fields_parse_site(struct fields *f, const struct jtrace_site_text *site);
void fields_keep_small(struct fields *f);
int fields_find(const struct fields *f, const char *name);
u64 fields_value(const struct fields *f, u32 i, const struct jtrace_decoded *ev);
void fields_text(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		 char to[JTRACE_FIELD_TEXT + 1]);
void fields_get(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		struct field_value *to);
void value_text(const struct jtrace_trace *t, const struct field_value *v, bool pad, char *to,
		size_t size);

/* entries/address.c */

/* Bytes of a symbol with offset and module, with NUL. */
#define SYMBOL_TEXT	640

#define BUILD_ID_SIZE	20	/* of Linux, in bytes */

void read_build_id(const char *path, char hex[2 * BUILD_ID_SIZE + 1]);
void address_open(const struct jtrace_trace *t);
bool address_known(void);
bool address_symbol(u64 address, char *to, size_t size);
void address_close(void);

/* entries/decode.c */

/* A value as text, all of an entry, and the longest line with them, with NUL. */
#define DECODED_VALUE_MAX	(4 + VALUE_TEXT + 4 * SYMBOL_TEXT)
#define DECODED_MAX \
	(4 * JTRACE_TAG_MAX + JTRACE_FIELDS * (JTRACE_TAG_MAX + DECODED_VALUE_MAX))
#define DECODED_LINE_MAX	(JTRACE_LINE_MAX + DECODED_MAX)

void decode_open(struct jtrace_trace *t);
const struct jtrace_site_text *decode_site(const struct jtrace_trace *t, u32 number, u32 *len);
u32 decode_values(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		  struct field_value value[JTRACE_FIELDS]);
bool decode_symbol(const struct field_value *v, char *to, size_t size);
void decode_put(const struct jtrace_trace *t, struct pen *p, const struct field_value *v);
void decode_close(void);

/* entries/select.c */

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

/* Most ranges of CPUs, and number of cached sites, a power of two. */
#define SELECT_RANGES	64
#define SELECT_SITES	1024

/* Characters of the options; each has an argument. */
#define SELECT_OPTIONS	"CSUgTn"

/**
 * struct cpu_range - CPUs
 * @from: the first one
 * @to: the last one
 */
struct cpu_range {
	u32 from;
	u32 to;
};

/**
 * struct moment - a time on the clock shown
 * @set: it was given
 * @before_end: it counts back from the newest entry
 * @ns: nanoseconds
 */
struct moment {
	bool set;
	bool before_end;
	u64 ns;
};

/**
 * struct site_match - does a site match the regular expression?
 * @number: of the site
 * @known: the answer is known
 * @matches: the answer
 */
struct site_match {
	u32 number;
	bool known;
	bool matches;
};

/**
 * struct select - which part of a trace to show
 * @option: one of the options that were given, for messages; NULL: all is shown
 * @range: CPUs
 * @nr_ranges: number of these, 0 for all CPUs
 * @since: first time
 * @until: last time
 * @has_regex: there is a regular expression
 * @regex: for tag, function and file, or for the line of the log
 * @has_tid: there is a thread
 * @tid: its number
 * @last: so many of the last ones, 0 for all
 * @filter: for the readers; the members below are set by select_apply()
 * @from_ns: @since of this trace
 * @to_ns: @until of this trace
 * @merged: the log is shown between entries
 * @line_in_time: the last line with a time was between @from_ns and @to_ns
 * @from_line: message and part of the first line
 * @site: cache
 */
struct select {
	const char *option;
	struct cpu_range range[SELECT_RANGES];
	u32 nr_ranges;
	struct moment since;
	struct moment until;
	bool has_regex;
	regex_t regex;
	bool has_tid;
	u32 tid;
	u64 last;
	struct jtrace_filter filter;
	u64 from_ns;
	u64 to_ns;
	bool merged;
	bool line_in_time;
	struct jtrace_key from_line;
	struct site_match site[SELECT_SITES];
};

bool select_parse(struct select *s, int opt, const char *text);
void select_free(struct select *s);
bool select_apply(struct select *s, struct jtrace_trace *t, enum content content,
		  const char *name);

/* entries/frame.c */

/* Most parts of a frame. */
#define FRAME_PARTS	63

/**
 * struct frame_choice - which hit of a probe with $regs
 * @chosen: there is a choice
 * @next: the one after the one shown last
 * @hit: else this number
 * @probe: of this probe; NULL: of any
 */
struct frame_choice {
	bool chosen;
	bool next;
	u32 hit;
	const char *probe;
};

/**
 * struct frame - a hit of a probe with $regs
 * @probe: name of the probe
 * @hit: number of the hit
 * @ns: time of its first entry, on the clock shown
 * @cpu: that recorded it
 * @tid: of the task
 * @context: JTRACE_CTX_*
 * @source: kprobe or kretprobe
 * @place: function and offset
 * @has_values: the entry with the values is there
 * @nr_values: how many
 * @value: values that the probe names
 * @parts: entries with registers
 * @parts_there: of these, those that the trace has
 * @nr_regs: registers in each part, 0 if it is not there
 * @reg: registers
 */
struct frame {
	char probe[JTRACE_TAG_MAX + 1];
	u32 hit;
	u64 ns;
	u32 cpu;
	u32 tid;
	u32 context;
	char source[JTRACE_FILE_MAX + 1];
	char place[JTRACE_FUNC_MAX + 1];
	bool has_values;
	u32 nr_values;
	struct field_value value[JTRACE_FIELDS];
	u32 parts;
	u32 parts_there;
	u32 nr_regs[FRAME_PARTS];
	struct field_value reg[FRAME_PARTS][JTRACE_FIELDS];
};

bool frame_load(const struct jtrace_trace *t, const struct frame_choice *c, struct frame *to);

/* print/text.c, print/json.c: outputs, see formats[] in cli/options.c */
bool print_text(const struct jtrace_trace *t, FILE *to);
bool print_log(const struct jtrace_trace *t, FILE *to);
void print_missing(FILE *to, u64 missing);
void show_text(const struct dump *d);
void show_text_log(const struct dump *d);
void show_text_merged(const struct dump *d);
void show_text_new(const struct dump *d, bool first, u64 gap);
void show_text_frame(const struct dump *d, const struct frame *f);
void show_json(const struct dump *d);
void show_json_log(const struct dump *d);
void show_json_merged(const struct dump *d);
void show_json_new(const struct dump *d, bool first, u64 gap);
void show_json_frame(const struct dump *d, const struct frame *f);

/* base/utf8.c */
u32 utf8_decode(const char *text, size_t len, u32 *code);
bool utf8_is_control(u32 code);
u32 utf8_plain(const char *text, size_t len);

/* base/root.c */
const char *root_path(const char *path);
bool root_exists(const char *path);
ssize_t root_read(const char *path, char *buf, size_t size);
void root_release(char *to, size_t size);
bool is_debugfs_mounted(void);
bool is_this_boot(const u8 *boot_id);

/* live/debugfs.c */

/* The archive: a directory for each boot, and in it one for each trace. */
#define ARCHIVE		"/var/lib/jtrace"
/* In the directory of a trace: the newest trace has the largest number. */
#define ARCHIVE_NUMBER	"number"
/* The image there, for glob() with GLOB_BRACE. */
#define ARCHIVE_IMAGE	"recovered_raw{,.zst}"

u64 archive_number(const char *dir);

bool live_open(struct source *s, const char *name);
bool live_fail(const char *name, int err);
bool live_fail_recovered(void);
void live_hint_begin(bool cleared);
int live_read(const char *name, void **to, size_t *room, size_t *len);
bool live_copy(const char *name, FILE *to);
bool live_write(const char *name, const char *text, int *err);

/* live/lines.c */
bool lines_write(const char *file, const char *where, const char *line, bool again);
bool lines_load(const char *path, bool (*take)(const char *where, const char *line));

/* live/verbs.c */
bool run_start(void);
bool run_stop(void);
bool run_clear(void);
bool run_event(int argc, char **argv);

/* probe/boot.c */
bool boot_mark(void);
bool boot_arm(bool mark);
bool boot_guard(void);

/* probe/verb.c */
bool probe_take(const char *where, const char *line);
bool probe_take_again(const char *where, const char *line);
bool run_probe(int argc, char **argv);

/* doctor/doctor.c */
bool run_doctor(void);

/* setup/setup.c */
bool run_setup(int argc, char **argv);

/* cli/options.c */

/**
 * struct format - an output
 * @show: write to standard output; stop early if output_ok() returns false
 * @show_frame: the same, for a frame
 * @show_new: the same, for what is new in a live trace: after a gap of so many entries; NULL if
 *	this output cannot follow one
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
	void (*show_new)(const struct dump *d, bool first, u64 gap);
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
	bool pager;
	const struct verb *verb;
};

extern const struct format formats[];
extern const size_t nr_formats;

bool options_parse(int argc, char **argv, struct options *o);

/* cli/show.c */
u32 choose_tell(const struct options *o, const struct jtrace_trace *t);
bool show_source(struct options *o);
bool show_sources(struct options *o);

/* live/follow.c */
bool follow_live(struct options *o);

#endif /* _JTRACE_TOOL_H */
