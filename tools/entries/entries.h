/* SPDX-License-Identifier: GPL-2.0 */
/* Entries of a trace: which of them, their names and values. */
#ifndef _JTRACE_ENTRIES_H
#define _JTRACE_ENTRIES_H

#include <regex.h>

#include "../../lib/image/stack.h"
#include "../../lib/lang/field.h"
#include "../../lib/read/render.h"
#include "../base/base.h"

/* Numbers of CPUs have 16 bits in an entry. */
#define CPU_NUMBERS	65536

/* gaps.c */

/**
 * struct gaps - from when on a trace is complete
 * @all_from: raw time from which on no entry of any CPU is missing, 0 for the beginning
 * @cpu_from: the same of each CPU, ~0 if the trace has no chunk of it
 * @full: raw time of the last entry of the CPU that was the first to fill its newest chunk, ~0 if
 *	none has: later events of that CPU may have been refused, and no header would tell
 */
struct gaps {
	u64 all_from;
	u64 full;
	u64 cpu_from[CPU_NUMBERS];
};

bool gaps_find(struct gaps *g, const struct jtrace_trace *t);

/* merge.c */

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

/* fields.c */

/**
 * enum symbolic - what the numbers of a field are, see symbolic.c
 * @SYMBOLIC_NONE: just numbers
 * @SYMBOLIC_SOFTIRQ: vectors of softirqs
 * @SYMBOLIC_IRQ_RETURN: what a handler returned
 * @SYMBOLIC_STATE: states of tasks
 * @SYMBOLIC_REQUEST: operations of disks, in the lowest 8 bits
 * @SYMBOLIC_BLOCK_STATUS: how they ended
 * @SYMBOLIC_PROTOCOL: protocols of packets
 * @SYMBOLIC_IDLE: depths of idling
 * @SYMBOLIC_ERRNO: what a function returned, an error if it is negative
 * @SYMBOLIC_CONTENTION: flags of a lock
 * @SYMBOLIC_CLONE: flags of a new task
 * @SYMBOLIC_PAGE_FAULT: flags of a page fault on x86
 * @SYMBOLIC_LISTS: those before it have a list in numbers.h
 * @SYMBOLIC_MARK: 0 or 1; not shown by names if it is 0
 * @SYMBOLIC_SYSCALL: a system call
 * @SYMBOLIC_IRQ: an interrupt
 * @SYMBOLIC_TASK: a task
 * @SYMBOLIC_GFP: flags of an allocation
 * @SYMBOLIC_DROP_REASON: why a packet was dropped
 */
enum symbolic {
	SYMBOLIC_NONE,
	SYMBOLIC_SOFTIRQ,
	SYMBOLIC_IRQ_RETURN,
	SYMBOLIC_STATE,
	SYMBOLIC_REQUEST,
	SYMBOLIC_BLOCK_STATUS,
	SYMBOLIC_PROTOCOL,
	SYMBOLIC_IDLE,
	SYMBOLIC_ERRNO,
	SYMBOLIC_CONTENTION,
	SYMBOLIC_CLONE,
	SYMBOLIC_PAGE_FAULT,
	SYMBOLIC_LISTS,
	SYMBOLIC_MARK = SYMBOLIC_LISTS,
	SYMBOLIC_SYSCALL,
	SYMBOLIC_IRQ,
	SYMBOLIC_TASK,
	SYMBOLIC_GFP,
	SYMBOLIC_DROP_REASON,
};

/**
 * enum compat - what the mark of an event says
 * @COMPAT_UNKNOWN: there is none
 * @COMPAT_64: a system call of the kernel's own width
 * @COMPAT_32: one of a 32-bit program
 */
enum compat {
	COMPAT_UNKNOWN,
	COMPAT_64,
	COMPAT_32,
};

/**
 * struct fields - the fields of an entry
 * @nr: how many
 * @field: their names and types
 * @place: first place of each, 0 to 5 for a to f; of a string, also that of its second half
 * @unnamed: the tag gives it no name, so its name is its place
 * @symbolic: what its numbers are
 * @compat: index of the mark of 32-bit system calls, -1 if there is none
 * @names: memory of the names
 */
struct fields {
	u32 nr;
	struct jtrace_field field[JTRACE_FIELDS];
	s8 place[JTRACE_FIELDS][2];
	bool unnamed[JTRACE_FIELDS];
	enum symbolic symbolic[JTRACE_FIELDS];
	int compat;
	char names[JTRACE_TAG_MAX + 1];
};

/* Text of a field, with NUL: a string, or bytes in hex. */
#define FIELD_TEXT		(2 * JTRACE_FIELD_TEXT + 1)

/* Is it shown as text? */
#define field_has_text(type)	(jtrace_field_is_text(type) || (type) == JTRACE_FIELD_bytes)

/**
 * struct field_value - a field of an entry
 * @name: its name
 * @type: its type
 * @value: unless it has text; a signed one is sign-extended
 * @unnamed: as in struct fields
 * @symbolic: as in struct fields
 * @compat: of the system call that its event is of
 * @text: if it has text
 */
struct field_value {
	char name[JTRACE_TAG_MAX + 1];
	enum jtrace_field_type type;
	u64 value;
	bool unnamed;
	enum symbolic symbolic;
	enum compat compat;
	char text[FIELD_TEXT];
};

/* Bytes of a value as text, with NUL: a string, quoted, each byte escaped. */
#define VALUE_TEXT	(3 + 4 * JTRACE_FIELD_TEXT)

u32 fields_parse(struct fields *f, const char *tag);
u32 fields_parse_site(struct fields *f, const struct jtrace_site_text *site);
void fields_keep_small(struct fields *f);
int fields_find(const struct fields *f, const char *name);
u64 fields_value(const struct fields *f, u32 i, const struct jtrace_decoded *ev);
void fields_text(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		 char to[FIELD_TEXT]);
void fields_bytes(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		  u8 to[JTRACE_FIELD_TEXT]);
void fields_get(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		struct field_value *to);
void value_text(const struct jtrace_trace *t, const struct field_value *v, bool pad, char *to,
		size_t size);

/* address.c */

/* Bytes of a symbol with offset and module, with NUL. */
#define SYMBOL_TEXT	(JTRACE_SYMBOL_MAX + 1)

/**
 * struct period - times
 * @from: the first one, raw
 * @until: the first one behind them, raw
 */
struct period {
	u64 from;
	u64 until;
};

void address_open(const struct jtrace_trace *t);
bool address_same_build(void);
bool address_symbol(u64 address, u64 time, char *to, size_t size);
bool address_frame(u64 address, bool exact, u64 time, struct period *same, char *to, size_t size);
void address_close(void);

/* stored.c */

void stored_open(const struct jtrace_trace *t);
bool stored_find(enum jtrace_symbol_kind kind, u64 value, char *to, size_t size);
void stored_close(void);

/* symbolic.c */

enum symbolic symbolic_find(const char *event, u32 len, const char *field);
bool symbolic_name(const struct jtrace_trace *t, const struct field_value *v, char *to,
		   size_t size);
bool symbolic_gfp_bit(u32 bit, char *to, size_t size);
bool symbolic_drop_reason(u32 reason, char *to, size_t size);

/* stack.c */

/* Bytes of a line of a stack, with NUL: each byte of a symbol may be escaped. */
#define STACK_LINE	(4 * SYMBOL_TEXT + 64)

void stack_open(const struct jtrace_trace *t);
bool stack_find(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		struct jtrace_stack *s);
enum jtrace_symbol_kind stack_kind(const struct jtrace_stack *s, u32 i);
bool stack_symbol(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		  const struct jtrace_stack *s, u32 i, char *to, size_t size);
u32 stack_lines(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		struct jtrace_stack *s);
void stack_line(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		const struct jtrace_stack *s, u32 i, struct pen *p);
void stack_close(void);

/* decode.c */

/* A value as text, all of an entry, and the longest line with them, with NUL. */
#define DECODED_VALUE_MAX	(4 + VALUE_TEXT + 4 * SYMBOL_TEXT)
#define DECODED_MAX \
	(4 * JTRACE_TAG_MAX + JTRACE_FIELDS * (JTRACE_TAG_MAX + DECODED_VALUE_MAX))
#define DECODED_LINE_MAX	(JTRACE_LINE_MAX + DECODED_MAX + 4 * JTRACE_COMM_SIZE + 2)

void decode_open(struct jtrace_trace *t);
const struct jtrace_site_text *decode_site(const struct jtrace_trace *t, u32 number, u32 *len);
u32 decode_values(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		  struct field_value value[JTRACE_FIELDS]);
u32 decode_given(const struct jtrace_trace *t, u32 number);
bool decode_is_address(const struct field_value *v);
bool decode_stored(const struct jtrace_decoded *ev, enum jtrace_symbol_kind kind, u64 value,
		   char *to, size_t size);
bool decode_symbol(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		   const struct field_value *v, char *to, size_t size);
void decode_put(const struct jtrace_trace *t, const struct jtrace_decoded *ev, struct pen *p,
		const struct field_value *v);
bool decode_put_values(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		       struct pen *p);
void decode_close(void);

/* task.c */

/* Bytes of a name, with NUL. */
#define TASK_NAME	(JTRACE_COMM_SIZE + 1)

bool task_find(const struct jtrace_trace *t, u32 tid, u64 time, char name[TASK_NAME]);
bool task_name(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
	       char name[TASK_NAME]);
void task_put(const struct jtrace_trace *t, struct pen *p, const struct jtrace_decoded *ev);
u64 task_count_unnamed(const struct jtrace_trace *t);

/* seen.c */

bool seen_tasks(const struct jtrace_trace *t);
bool seen_task(const struct jtrace_trace *t, u32 tid, u64 time, char name[TASK_NAME]);
const char *seen_irq(const struct jtrace_trace *t, u32 irq);
bool seen_waited(const struct jtrace_trace *t, const struct jtrace_decoded *ev, u64 *ns);
void seen_close(void);

/* select.c */

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
#define SELECT_OPTIONS	"CSUgTtn"

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
 * @task: pattern of names of tasks, as of the shell; NULL for all
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
	const char *task;
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
bool select_shows(const struct jtrace_trace *t, const struct jtrace_walk *w,
		  const struct jtrace_decoded *ev);
bool select_apply(struct select *s, struct jtrace_trace *t, enum content content,
		  const char *name);

/* frame.c */

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

#endif /* _JTRACE_ENTRIES_H */
