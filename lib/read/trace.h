/* SPDX-License-Identifier: GPL-2.0 */
/* An image that is being read: its state, its damage, its events in time order. */
#ifndef _JTRACE_TRACE_H
#define _JTRACE_TRACE_H

#include "../base/keys.h"
#include "../image/chunk.h"

/**
 * enum jtrace_verdict - state of an image
 * @JTRACE_WHOLE: readable
 * @JTRACE_CLEAN: readable, and the machine shut down cleanly
 * @JTRACE_DAMAGED: readable, but something is lost
 * @JTRACE_EMPTY: no image and no remains of one
 * @JTRACE_UNREADABLE: an image or remains of one, but nothing can be shown
 */
enum jtrace_verdict {
	JTRACE_WHOLE,
	JTRACE_CLEAN,
	JTRACE_DAMAGED,
	JTRACE_EMPTY,
	JTRACE_UNREADABLE,
};

/**
 * enum jtrace_fault - kinds of damage in an image
 * @JTRACE_FAULT_HEADER: the header is lost, the backup header is used
 * @JTRACE_FAULT_COPY: the backup header is lost
 * @JTRACE_FAULT_CUT: the end is missing, with the backup header
 * @JTRACE_FAULT_HEADERS: both headers are lost, chunk headers are used
 * @JTRACE_FAULT_RESCUED: a chunk's header is lost, its entries are shown
 * @JTRACE_FAULT_CHUNK: a chunk is lost
 * @JTRACE_FAULT_BLANK: a chunk is blank but must have been used
 * @JTRACE_FAULT_ENTRY: an entry's check value is wrong
 * @JTRACE_NR_FAULTS: number of kinds
 */
enum jtrace_fault {
	JTRACE_FAULT_HEADER,
	JTRACE_FAULT_COPY,
	JTRACE_FAULT_CUT,
	JTRACE_FAULT_HEADERS,
	JTRACE_FAULT_RESCUED,
	JTRACE_FAULT_CHUNK,
	JTRACE_FAULT_BLANK,
	JTRACE_FAULT_ENTRY,
	JTRACE_NR_FAULTS,
};

/**
 * struct jtrace_damage - damage of an image
 * @nr: number of faults, by kind
 * @first: offset of the first fault, by kind
 */
struct jtrace_damage {
	u32 nr[JTRACE_NR_FAULTS];
	u64 first[JTRACE_NR_FAULTS];
};

struct jtrace_trace;
struct jtrace_decoded;
struct jtrace_log_line;
struct pen;

/**
 * struct jtrace_filter - which part of a trace readers see
 * @wants: is the entry one of them?
 * @wants_line: is the line of the kernel log one of them?
 *
 * Walks and readers of the log pass over all others.  @wants must give the same answer each time.
 * @wants_line is asked for all lines in order, and may depend on those before.
 */
struct jtrace_filter {
	bool (*wants)(struct jtrace_filter *f, const struct jtrace_trace *t,
		      const struct jtrace_decoded *ev);
	bool (*wants_line)(struct jtrace_filter *f, const struct jtrace_trace *t,
			   const struct jtrace_log_line *line);
};

/* Parts of the text beside the entries: &jtrace_trace.tell. */
#define JTRACE_TELL_BOOT	0x1	/* which kernel recorded, how it ended, what is lost */
#define JTRACE_TELL_THIS_BOOT	0x2	/* the trace is of the present boot */
#define JTRACE_TELL_NOT_CLEAN	0x4	/* no entries after a clean shutdown */
#define JTRACE_TELL_OVER	0x8	/* the recording kernel no longer runs */

/**
 * struct jtrace_named - an entry whose tag names its arguments
 * @values: shown instead of the numbers: the tag's own text, and a value for each name
 * @site: shown instead of place and tag
 *
 * Both are escaped already.
 */
struct jtrace_named {
	const char *values;
	const char *site;
};

/**
 * struct jtrace_trace - an image that is being read
 * @img: the image, not trusted; writers may change it meanwhile
 * @len: bytes that may be read, at least those of the image
 * @verdict: state of the image; a scan may change it to %JTRACE_DAMAGED
 * @fault: damage of the first header
 * @damage: all damage; complete after a scan
 * @tell: JTRACE_TELL_*; set by the caller after opening
 * @plain: return the length of the first character if it may be shown unescaped, or 0; set
 *	like @tell, %NULL to escape all but ASCII
 * @filter: which entries and lines to show, %NULL for all; set like @tell
 * @decode: return how to show an entry by names, valid until the next call, or %NULL to show
 *	its numbers; set like @tell, %NULL to show the numbers of all entries
 * @put_task: write what follows the tid of an entry; set like @tell, %NULL for nothing
 * @header: copy of a valid header, or a reconstruction
 * @l: geometry, within the bounds of the image
 * @image_id: of the image
 * @known: this kernel recorded the image, or took it as a snapshot: a scan trusts chunks and
 *	skips check values
 * @can_sleep: a scan may reschedule; set like @tell
 * @runs: newest entry of each chunk; tie is claim, then place, or 0 without entries
 * @unsorted: a bit for each chunk: its entries are not in time order
 * @heap: for a walk
 * @newest: newest entry of all, 0 without entries
 * @from: the text leaves out entries up to this one, 0 for none
 * @stamps: in time order; tie is the ns of the clock shown
 * @last: newest entry of each CPU with entries, by CPU
 * @log: log records: number of the message; tie is part, then place
 * @cause: 1 + index in @log of the line that names the cause of the panic, 0 if not known
 * @cause_pc: the same of the line with its program counter
 * @cpus: CPU numbers are less than that
 * @first_claim: smallest in all chunk headers; ties count from here or before
 * @last_claim: largest
 * @found: number of readable entries
 * @shown: number of entries shown: the newest, after @from, or those that @filter wants
 * @nameless: of @found, entries of sites without room in the site table
 * @unnamed: of @shown, entries whose task has no name; set by the caller, with @put_task
 * @site_last: largest number of such a site
 * @sites_suffice: bytes of a table with room for these sites, if there are any
 * @astray: how far the counter strayed from the clocks in the stamps, ns; 0 if normal
 */
struct jtrace_trace {
	const void *img;
	u64 len;
	enum jtrace_verdict verdict;
	enum jtrace_header_fault fault;
	struct jtrace_damage damage;
	u32 tell;
	u32 (*plain)(const char *text, size_t len);
	struct jtrace_filter *filter;
	const struct jtrace_named *(*decode)(const struct jtrace_trace *t,
					     const struct jtrace_decoded *ev);
	void (*put_task)(const struct jtrace_trace *t, struct pen *p,
			 const struct jtrace_decoded *ev);
	struct jtrace_image_header header;
	struct jtrace_layout l;
	u64 image_id;
	bool known;
	bool can_sleep;
	struct jtrace_key *runs;
	u64 *unsorted;
	struct jtrace_key *heap;
	struct jtrace_key newest;
	struct jtrace_key from;
	struct jtrace_keys stamps;
	struct jtrace_keys last;
	struct jtrace_keys log;
	u32 cause;
	u32 cause_pc;
	u32 cpus;
	u64 first_claim;
	u64 last_claim;
	u64 found;
	u64 shown;
	u64 nameless;
	u64 unnamed;
	u32 site_last;
	u64 sites_suffice;
	u64 astray;
};

/* Are the entries of a chunk in time order? */
static inline bool jtrace_recover_sorted(const struct jtrace_trace *t, u32 index)
{
	return !(t->unsorted[index / 64] >> (index % 64) & 1);
}

/* time.c: not time.h, which would hide <time.h> */
void jtrace_stamps_scan(struct jtrace_trace *t);
void jtrace_clock_went_back(struct jtrace_trace *t, u64 ticks);
u64 jtrace_recover_ns(const struct jtrace_trace *t, u64 time);
u64 jtrace_share(u64 ns, u64 since, u64 ticks);

#endif /* _JTRACE_TRACE_H */
