/* SPDX-License-Identifier: GPL-2.0 */
/* From the bytes of an image to events in time order. */
#ifndef _JTRACE_RECOVER_H
#define _JTRACE_RECOVER_H

#include "chunk.h"
#include "site.h"

/**
 * enum jtrace_verdict - what an image is worth
 * @JTRACE_WHOLE: readable
 * @JTRACE_CLEAN: readable, and the machine was shut down in good order
 * @JTRACE_DAMAGED: readable, but something is lost
 * @JTRACE_EMPTY: no image, nor anything that looks like what is left of one
 * @JTRACE_UNREADABLE: an image, or the rest of one, of which nothing can be shown
 */
enum jtrace_verdict {
	JTRACE_WHOLE,
	JTRACE_CLEAN,
	JTRACE_DAMAGED,
	JTRACE_EMPTY,
	JTRACE_UNREADABLE,
};

/**
 * enum jtrace_fault - what can be wrong in an image
 * @JTRACE_FAULT_HEADER: the header is lost, its copy served
 * @JTRACE_FAULT_COPY: the header's copy is lost
 * @JTRACE_FAULT_CUT: the end is missing, and the header's copy with it
 * @JTRACE_FAULT_HEADERS: both are lost, chunks served
 * @JTRACE_FAULT_RESCUED: a chunk's header is lost, its entries are shown
 * @JTRACE_FAULT_CHUNK: a chunk is lost
 * @JTRACE_FAULT_BLANK: a chunk is blank though it must have been used
 * @JTRACE_FAULT_ENTRY: an entry's check value is wrong
 * @JTRACE_NR_FAULTS: how many there are
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
 * struct jtrace_damage - what is wrong in an image
 * @nr: how often, by fault
 * @first: offset in the image of the first one
 */
struct jtrace_damage {
	u32 nr[JTRACE_NR_FAULTS];
	u64 first[JTRACE_NR_FAULTS];
};

/**
 * struct jtrace_key - something to sort
 * @time: first
 * @tie: second
 */
struct jtrace_key {
	u64 time;
	u64 tie;
};

/**
 * struct jtrace_keys - keys in an array
 * @key: the array
 * @nr: how many there are
 */
struct jtrace_keys {
	struct jtrace_key *key;
	u32 nr;
};

static inline bool jtrace_key_less(const struct jtrace_key *a, const struct jtrace_key *b)
{
	return a->time != b->time ? a->time < b->time : a->tie < b->tie;
}

/* What the text of a trace tells beside the entries: &jtrace_trace.tell. */
#define JTRACE_TELL_BOOT	0x1	/* who recorded, how that ended, what is lost */
#define JTRACE_TELL_THIS_BOOT	0x2	/* it was this very boot */
#define JTRACE_TELL_NOT_CLEAN	0x4	/* no entries if it ended in good order */
#define JTRACE_TELL_OVER	0x8	/* it does not run any more */

/**
 * struct jtrace_trace - an image that is being read
 * @img: the image; not trusted, and possibly written to meanwhile
 * @len: bytes that may be read there, not less than the image's
 * @verdict: what it is worth; may become %JTRACE_DAMAGED when it is scanned
 * @fault: what is wrong with the first header
 * @damage: all that is wrong; complete when it was scanned
 * @tell: JTRACE_TELL_*; set by the caller after opening
 * @plain: length of the character that the string begins with, if it may be shown as
 *	it is, or 0; set as @tell is, %NULL to show no byte but those of ASCII
 * @header: copy of a valid header, or what could be found out
 * @l: geometry, within the bounds of the image
 * @image_id: of it
 * @known: recorded by this very kernel, which has it still or took the snapshot: chunks
 *	tell the truth, and check values need not be looked at to count entries
 * @can_sleep: others may run while it is scanned; set as @tell is
 * @runs: newest entry of each chunk; tie is claim, then place, or 0 if it shows none
 * @unsorted: a bit for each chunk: its entries are not in the order of time
 * @heap: for a walk
 * @newest: newest entry of all, 0 if there is none
 * @from: entries up to this one are left out, 0 if none are
 * @stamps: in time order; tie is the ns of the clock that is shown
 * @last: newest entry of each CPU that has one, by CPU
 * @cpus: CPU numbers are less than that
 * @first_claim: smallest of all chunks' headers; ties count from here or before
 * @last_claim: largest
 * @found: entries that could be shown
 * @shown: entries that are shown: the newest, after @from
 * @nameless: of these, entries of sites that found no room in the site table
 * @site_last: largest number of such a site
 * @sites_suffice: bytes of a site table with room for all, if there are any
 * @astray: how far the counter of the time stamps strayed from the clocks that stamps
 *	relate it to, ns; 0 if no further than is normal
 */
struct jtrace_trace {
	const void *img;
	u64 len;
	enum jtrace_verdict verdict;
	enum jtrace_header_fault fault;
	struct jtrace_damage damage;
	u32 tell;
	u32 (*plain)(const char *text, size_t len);
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
	u32 cpus;
	u64 first_claim;
	u64 last_claim;
	u64 found;
	u64 shown;
	u64 nameless;
	u32 site_last;
	u64 sites_suffice;
	u64 astray;
};

enum jtrace_verdict jtrace_recover_open(struct jtrace_trace *t, const void *img, u64 len);
void jtrace_recover_known(struct jtrace_trace *t, const void *img,
			  const struct jtrace_image_header *h, const struct jtrace_layout *l);
u64 jtrace_recover_room(const struct jtrace_trace *t);
void jtrace_recover_scan(struct jtrace_trace *t, void *room);
bool jtrace_recover_chunk(const struct jtrace_trace *t, u32 index, struct jtrace_chunk *c);
u64 jtrace_recover_tie(const struct jtrace_trace *t, const struct jtrace_chunk *c, u32 slot);

/* Are the entries of a chunk in the order of time? */
static inline bool jtrace_recover_sorted(const struct jtrace_trace *t, u32 index)
{
	return !(t->unsorted[index / 64] >> (index % 64) & 1);
}

/* walk.c */
bool jtrace_recover_get(const struct jtrace_trace *t, const struct jtrace_key *key,
			struct jtrace_event *ev);

/* time.c */
void jtrace_stamps_scan(struct jtrace_trace *t);
void jtrace_clock_went_back(struct jtrace_trace *t, u64 ticks);
u64 jtrace_recover_ns(const struct jtrace_trace *t, u64 time);
u64 jtrace_share(u64 ns, u64 since, u64 ticks);

/* keys.c */
void jtrace_keys_sort(struct jtrace_keys *k);
void jtrace_keys_heapify(struct jtrace_keys *k);
void jtrace_keys_sink(struct jtrace_keys *k);

#endif /* _JTRACE_RECOVER_H */
