/* SPDX-License-Identifier: GPL-2.0 */
/* The site table: trace points by content, in the image. */
#ifndef _JTRACE_SITE_H
#define _JTRACE_SITE_H

#include "image.h"

/* With what is behind a record, if it is one of a module. */
#define JTRACE_SITE_RECORD_MAX \
	(sizeof(struct jtrace_site_record) + JTRACE_TAG_MAX + JTRACE_FILE_MAX + JTRACE_FUNC_MAX + \
	 sizeof(struct jtrace_module_end))

/* Smallest record: one byte of tag. */
#define JTRACE_SITE_RECORD_MIN	40

/* Bytes of a record with strings of usual lengths. */
#define JTRACE_SITE_RECORD_TYPICAL	80

/* Ordinary memory for sites without room in the image: about 400 of usual length. */
#define JTRACE_SITES_SPARE	32768

/* Largest table that a user can request. */
#define JTRACE_LARGEST_SITES	(16ULL << 20)

/* A table of at least this size has a share for modules: one of so many parts. */
#define JTRACE_MODULES_TABLE	4096
#define JTRACE_MODULES_SHARE	4

/* Most modules whose records a table keeps, and a reader reads. */
#define JTRACE_MODULES_MOST	1024

/* Smallest record of a module: one byte of name, and no build id. */
#define JTRACE_MODULE_RECORD_MIN \
	(ALIGN(sizeof(struct jtrace_site_record) + 1 + sizeof(struct jtrace_module_record), \
	       JTRACE_GRANULE) + sizeof(struct jtrace_module_end))

/*
 * Prefixes of the tags of events that record a start, a stop, that others were switched, and that
 * recording goes on after an oops or a dump.
 */
#define JTRACE_TAG_START	"jtrace: start ("
#define JTRACE_TAG_STOP		"jtrace: stop ("
#define JTRACE_TAG_STOPPED	"jtrace: stopped: "
#define JTRACE_TAG_SWITCHED	"jtrace: events switched ("
#define JTRACE_TAG_THAWED	"jtrace: thawed ("

/**
 * struct jtrace_module_place - the record of a module in the table
 * @module: address of its struct module
 * @until: when it was unloaded, ~0 if it was not
 * @place: of the record
 * @granules: of the record
 * @crc: of the record
 */
struct jtrace_module_place {
	u64 module;
	u64 until;
	u32 place;
	u32 granules;
	u32 crc;
};

/**
 * struct jtrace_sites - the writer's side of the table
 * @img: the image
 * @image_id: of the image
 * @first: place where records begin
 * @next: place where the next record may begin; atomic
 * @end: place after the last granule for records
 * @beyond: sites without room have larger numbers
 * @index: hash of the content to place, open addressing, 0 for free; a slot is set
 *	once, by cmpxchg, and at most once from the spare to the image
 * @mask: slots of @index - 1; there are more slots than records fit
 * @spare: records without room in the image; their places go on from @end
 * @spare_next: place where the next record in the spare may begin; atomic
 * @spare_end: place after the last granule of the spare
 * @module: records of modules, see module.c
 * @modules_most: number of places in @module
 * @nr_modules: of these, used ones
 * @modules_unstored: how many times a module was loaded and found no room
 * @write_back: records are written back to memory
 * @stored: records stored and published
 * @numbered: how many numbers above @beyond are in use
 * @unstored: sites without room in the image; without room in the spare, too, a site
 *	counts at each lookup
 * @early: of @unstored, sites without room in the adopted table
 * @missing: bytes of the records of the others in @unstored
 *
 * Only the records lie in the image: the table decides nothing from what it reads there.
 */
struct jtrace_sites {
	u8 *img;
	u64 image_id;
	u64 next;
	u32 first;
	u32 end;
	u32 beyond;
	u32 *index;
	u32 mask;
	u8 *spare;
	u64 spare_next;
	u32 spare_end;
	struct jtrace_module_place *module;
	u32 modules_most;
	u32 nr_modules;
	u64 modules_unstored;
	bool write_back;
	atomic64_t stored;
	atomic64_t numbered;
	atomic64_t unstored;
	u64 early;
	atomic64_t missing;
};

/**
 * struct jtrace_site_text - a site as it is read
 * @kind: enum jtrace_site_kind, or a kind added later
 * @partial: %JTRACE_ARGS_PARTIAL is set
 * @args: the rest of &jtrace_site_record.args; 0 if the types are unknown
 * @line: in @file
 * @tag: as in the source; the bytes are not checked to be printable
 * @file: basename
 * @func: function
 */
struct jtrace_site_text {
	u8 kind;
	bool partial;
	u32 args;
	u32 line;
	char tag[JTRACE_TAG_MAX + 1];
	char file[JTRACE_FILE_MAX + 1];
	char func[JTRACE_FUNC_MAX + 1];
};

/* A record under construction or copied, large enough for the longest strings, copied by words. */
union jtrace_site_buffer {
	struct {
		struct jtrace_site_record r;
		u8 text[JTRACE_TAG_MAX + JTRACE_FILE_MAX + JTRACE_FUNC_MAX];
	};
	u64 word[JTRACE_SITE_RECORD_MAX / sizeof(u64)];
};

static_assert(sizeof(union jtrace_site_buffer) == JTRACE_SITE_RECORD_MAX);
static_assert(offsetof(union jtrace_site_buffer, text) ==
	      offsetof(struct jtrace_site_record, text));

/* Put the next string of a record; return where the one after it goes. */
static inline u8 *jtrace_site_put(u8 *at, u8 *len, const void *from, size_t n)
{
	*len = n;
	memcpy(at, from, n);
	return at + n;
}

/* Type of argument @n, 0 to 5. */
static inline enum jtrace_arg jtrace_arg_type(u32 args, u32 n)
{
	return args >> JTRACE_ARG_BITS * n & JTRACE_ARG_MASK;
}

/* Validate the argument types of a record; 0 if they contradict each other. */
static inline u32 jtrace_args_known(u32 args)
{
	u32 n;

	args &= ~JTRACE_ARGS_PARTIAL;
	if (!(args & JTRACE_ARGS_TOLD) ||
	    (args & ~JTRACE_ARGS_TOLD) >> JTRACE_ARG_BITS * JTRACE_ARGS)
		return 0;
	for (n = 0; n < JTRACE_ARGS; n++) {
		enum jtrace_arg type = jtrace_arg_type(args, n);

		if (type > JTRACE_ARG_POINTER)
			return 0;
		/* Wide in a 32-bit field: only with the one behind it. */
		if (n < 4 && (type == JTRACE_ARG_U64 || type >= JTRACE_ARG_S64) &&
		    (n & 1 || jtrace_arg_type(args, n + 1)))
			return 0;
	}
	return args;
}

/* Most records of modules that a table can have. */
static inline u32 jtrace_modules_most(const struct jtrace_layout *l)
{
	const u32 size = l->sites_end - l->sites_off;

	return size < JTRACE_MODULES_TABLE ? 0 :
	       min_t(u32, size / JTRACE_MODULES_SHARE / JTRACE_MODULE_RECORD_MIN,
		     JTRACE_MODULES_MOST);
}

/* Does the image hold a record of this number? */
static inline bool jtrace_site_stored(const struct jtrace_sites *s, u32 number)
{
	return number < s->end;
}

/* Used bytes of the table. */
static inline u64 jtrace_sites_used(const struct jtrace_sites *s)
{
	return (min_t(u64, READ_ONCE(s->next), s->end) - s->first) * JTRACE_GRANULE;
}

u32 jtrace_sites_room(const struct jtrace_layout *l, u32 spare);
u64 jtrace_sites_suffice(u64 stored, u64 missing);
void jtrace_sites_init(struct jtrace_sites *s, const struct jtrace_layout *l, void *img,
		       u64 image_id, void *room, u32 spare, bool write_back);
void jtrace_sites_adopt(struct jtrace_sites *s, const struct jtrace_sites *from);
u32 jtrace_site_intern(struct jtrace_sites *s, const char *tag, const char *file,
		       const char *func, u32 line, u8 kind, u32 args);
void jtrace_site_begin(union jtrace_site_buffer *rec, const struct jtrace_sites *s, u32 line,
		       u8 kind, u32 args);
u32 jtrace_site_granules(const struct jtrace_site_record *r);
void jtrace_site_sign(union jtrace_site_buffer *rec, u32 number);
void jtrace_site_write(const struct jtrace_sites *s, const union jtrace_site_buffer *rec,
		       u32 place);
bool jtrace_site_copy(const void *at, u64 len, union jtrace_site_buffer *rec);
bool jtrace_site_get(const struct jtrace_layout *l, const void *img, u64 image_id, u32 number,
		     union jtrace_site_buffer *rec);
/* Is it the site of a probe? */
static inline bool jtrace_site_is_probe(u8 kind)
{
	return kind == JTRACE_SITE_PROBE || kind == JTRACE_SITE_RETURN;
}

/* The file of the sites of a probe of functions: their first two values are a call. */
#define JTRACE_SITE_FUNCTION	"function"

static inline bool jtrace_site_is_function(const struct jtrace_site_text *s)
{
	return s->kind == JTRACE_SITE_PROBE && !strcmp(s->file, JTRACE_SITE_FUNCTION);
}

u32 jtrace_site_parse(const void *at, u64 len, u64 *image_id, u32 *number,
		      struct jtrace_site_text *text);

/**
 * jtrace_site_slot() - the slot of a site in a cache
 * @number: of the site
 * @slots: of the cache, a power of two
 *
 * Each cache holds something else: a text, fields, an answer.
 *
 * Return: an index.
 */
static inline u32 jtrace_site_slot(u32 number, u32 slots)
{
	/* Numbers are places in the table: Knuth's multiplicative hash spreads them. */
	return number * 0x9e3779b1U >> 16 & (slots - 1);
}

bool jtrace_site_read(const struct jtrace_layout *l, const void *img, u64 image_id,
		      u32 number, struct jtrace_site_text *text);
u64 jtrace_sites_stored(const struct jtrace_layout *l, const void *img, u64 image_id, u32 *nr);

#endif /* _JTRACE_SITE_H */
