// SPDX-License-Identifier: GPL-2.0
/*
 * Save an image with the names that "jtrace -d" needs for it: then it shows the same on another
 * machine, and after an update of the kernel or its modules.
 *
 * A stored name counts for all entries.  So an address that had two names in the trace, or at times
 * none, because modules came and went, is stored without one.
 */

#include <err.h>
#include <search.h>
#include <stdlib.h>

#include "../../lib/read/walk.h"
#include "export.h"

#define RECORD		offsetof(struct jtrace_symbol_record, text)
/* Beyond that, names are left out: a million of them. */
#define NAMES_MOST	(64U << 20)
/* In the first bytes of each image. */
#define SIGN		"JTRIMAGE"

/**
 * struct kept_name - a name to be stored
 * @kind: of the value
 * @value: what has the name
 * @next: another one
 * @text: the name, empty if it has none
 */
struct kept_name {
	enum jtrace_symbol_kind kind;
	u64 value;
	struct kept_name *next;
	char text[];
};

/**
 * struct names - the names to be stored
 * @root: tree of struct kept_name
 * @first: list of all of them
 * @size: bytes of the area so far
 * @nr: number of names
 * @full: some found no room
 * @ok: there was memory for all
 */
struct names {
	void *root;
	struct kept_name *first;
	u64 size;
	u32 nr;
	bool full;
	bool ok;
};

static int name_order(const void *a, const void *b)
{
	const struct kept_name *x = a, *y = b;

	return (x->kind > y->kind) - (x->kind < y->kind) ?:
	       (x->value > y->value) - (x->value < y->value);
}

static u64 record_size(size_t len)
{
	return ALIGN(RECORD + len, sizeof(u64));
}

static void add_name(struct names *all, enum jtrace_symbol_kind kind, u64 value, const char *text)
{
	const size_t len = strlen(text);
	struct kept_name *n;

	all->full = all->size + record_size(len) > NAMES_MOST;
	if (all->full)
		return;
	n = malloc(sizeof(*n) + len + 1);
	if (!n) {
		all->ok = false;
		return;
	}
	n->kind = kind;
	n->value = value;
	memcpy(n->text, text, len + 1);
	n->next = all->first;
	all->first = n;
	all->ok = tsearch(n, &all->root, name_order);
	if (!len || !all->ok)
		return;
	all->size += record_size(len);
	all->nr++;
}

/* From now on, the value has no name. */
static void drop_name(struct names *all, struct kept_name *n)
{
	all->size -= record_size(strlen(n->text));
	all->nr--;
	n->text[0] = 0;
}

static bool is_address(enum jtrace_symbol_kind kind)
{
	return kind == JTRACE_SYMBOL_ADDRESS || kind == JTRACE_SYMBOL_RETURN ||
	       kind == JTRACE_SYMBOL_EXACT;
}

/* Does another entry tell nothing more of a value?  @found: what is known of it, or NULL */
static bool is_settled(const struct names *all, enum jtrace_symbol_kind kind, u64 value,
		       struct kept_name **found)
{
	const struct kept_name key = { .kind = kind, .value = value };
	struct kept_name **at = tfind(&key, &all->root, name_order);

	*found = at ? *at : NULL;
	/* Only an address may have had another name before. */
	return !all->ok || (*found ? !is_address(kind) || !(*found)->text[0] : all->full);
}

/* Add the name at the time of an entry; a value without one, which is "", is remembered, too. */
static void add_found(struct names *all, enum jtrace_symbol_kind kind, u64 value,
		      struct kept_name *found, const char *text)
{
	if (!found)
		add_name(all, kind, value, text);
	else if (strcmp(found->text, text))
		drop_name(all, found);
}

/* Look up the name of a value at the time of an entry, and add it. */
static void keep_name(struct names *all, const struct jtrace_decoded *ev,
		      enum jtrace_symbol_kind kind, u64 value)
{
	struct kept_name *found;
	char text[SYMBOL_TEXT];

	if (is_settled(all, kind, value, &found))
		return;
	if (!decode_stored(ev, kind, value, text, sizeof(text)))
		text[0] = 0;
	add_found(all, kind, value, found, text);
}

/* The list frees the names. */
static void pass_over(void *name)
{
	(void)name;
}

static void names_free(struct names *all)
{
	struct kept_name *n;

	tdestroy(all->root, pass_over);
	while ((n = all->first)) {
		all->first = n->next;
		free(n);
	}
}

static void keep_value(struct names *all, const struct jtrace_decoded *ev,
		       const struct field_value *v)
{
	u32 bit;

	if (v->symbolic == SYMBOLIC_DROP_REASON)
		keep_name(all, ev, JTRACE_SYMBOL_DROP, v->value);
	for (bit = 0; v->symbolic == SYMBOLIC_GFP && bit < 32; bit++)
		keep_name(all, ev, JTRACE_SYMBOL_GFP, bit);
	if (decode_is_address(v))
		keep_name(all, ev, JTRACE_SYMBOL_ADDRESS, v->value);
}

static void keep_stack(struct names *all, const struct jtrace_trace *t,
		       const struct jtrace_decoded *ev)
{
	struct kept_name *found;
	char text[SYMBOL_TEXT];
	struct jtrace_stack s;
	u64 address;
	u32 i;

	if (!ev->stack || !stack_find(t, ev, &s))
		return;
	for (i = 0; i < s.nr; i++) {
		address = jtrace_frame_address(&t->header, s.frame[i]);
		if (!address || is_settled(all, stack_kind(&s, i), address, &found))
			continue;
		if (!stack_symbol(t, ev, &s, i, text, sizeof(text)))
			text[0] = 0;
		add_found(all, stack_kind(&s, i), address, found, text);
	}
}

static void keep_names(struct names *all, const struct jtrace_trace *t)
{
	static struct field_value value[JTRACE_FIELDS];
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u32 nr, i;

	jtrace_walk_each(&walk, t, ev) {
		nr = decode_values(t, ev, value);
		for (i = 0; i < nr; i++)
			keep_value(all, ev, &value[i]);
		keep_stack(all, t, ev);
	}
}

/* Where the area is written; twalk() takes no argument. */
static u8 *put_at;

static void put_name(const void *node, VISIT visit, int depth)
{
	const struct kept_name *n = *(const struct kept_name * const *)node;
	const size_t len = strlen(n->text);
	struct jtrace_symbol_record r = {
		.value = cpu_to_le64(n->value),
		.kind = cpu_to_le16(n->kind),
		.len = cpu_to_le16(len),
	};

	(void)depth;
	if (!len || (visit != postorder && visit != leaf))
		return;
	memcpy(put_at, &r, RECORD);
	memcpy(put_at + RECORD, n->text, len);
	put_at += ALIGN(RECORD + len, sizeof(u64));
}

/* A place in the header: that of older names, or a free one; JTRACE_AREAS if there is none. */
static u32 area_slot(const struct jtrace_image_header *h)
{
	u32 i;

	for (i = 0; i < JTRACE_AREAS; i++)
		if (h->area[i].kind == cpu_to_le32(JTRACE_AREA_SYMBOLS))
			return i;
	for (i = 0; i < JTRACE_AREAS && h->area[i].kind; i++)
		;
	return i;
}

/* Write the area at @off of the image, and the header at both ends. */
static void put_area(struct saved *to, const struct jtrace_trace *t, const struct names *all,
		     u32 off)
{
	struct jtrace_image_header h = t->header;
	struct jtrace_symbols head = {
		.nr = cpu_to_le32(all->nr),
		.image_id = cpu_to_le64(t->image_id),
	};
	u32 size = to->len - sizeof(h) - off;

	put_at = to->img + off + sizeof(head);
	twalk(all->root, put_name);
	memcpy(to->img + off, &head, sizeof(head));
	head.crc = cpu_to_le32(jtrace_crc32c(~0U, to->img + off + sizeof(head.crc),
					     size - sizeof(head.crc)));
	memcpy(to->img + off, &head.crc, sizeof(head.crc));
	h.area[area_slot(&h)] = (struct jtrace_area){
		cpu_to_le32(JTRACE_AREA_SYMBOLS), cpu_to_le32(off), cpu_to_le32(size),
	};
	h.image_size = cpu_to_le64(to->len);
	/* Nobody but this program sees it now. */
	h.compat &= ~cpu_to_le32(JTRACE_COMPAT_CACHED);
	jtrace_header_write(to->img, &h);
}

/* The end of all other areas; the image is hostile. */
static u64 others_end(const struct jtrace_image_header *h)
{
	u64 end = sizeof(*h);
	u32 i;

	for (i = 0; i < JTRACE_AREAS; i++)
		if (h->area[i].kind && h->area[i].kind != cpu_to_le32(JTRACE_AREA_SYMBOLS))
			end = max(end, (u64)le32_to_cpu(h->area[i].off) +
				       le32_to_cpu(h->area[i].size));
	return end;
}

/* Where the area of names begins: in the place of an older one, or of the second header. */
static u64 area_place(const struct jtrace_trace *t)
{
	const struct jtrace_area *a = jtrace_header_area(&t->header, JTRACE_AREA_SYMBOLS);
	const u64 end = t->l.size - sizeof(t->header);
	const u64 off = a ? le32_to_cpu(a->off) : 0;

	return a && off + le32_to_cpu(a->size) == end && !(off % sizeof(u64)) &&
	       off >= others_end(&t->header) ? off : end;
}

/* Is there a place for names? */
static bool is_whole(const struct dump *d)
{
	return !d->t.damage.nr[JTRACE_FAULT_CUT] && !d->t.damage.nr[JTRACE_FAULT_HEADERS] &&
	       d->t.l.size <= d->len && area_slot(&d->t.header) < JTRACE_AREAS;
}

/**
 * save_build() - make a copy of an image that has the names it needs
 * @to: result; free it with save_free()
 * @d: the image, after decode_open()
 *
 * An image that is cut or has lost its headers stays as it is, and so does one without names.
 *
 * Return: false, after a message, if there is no memory.
 */
bool save_build(struct saved *to, const struct dump *d)
{
	struct names all = { .size = sizeof(struct jtrace_symbols), .ok = true };
	const struct jtrace_trace *t = &d->t;
	u64 off = d->len;

	*to = (struct saved){ .len = d->len };
	if (is_whole(d))
		keep_names(&all, t);
	if (all.full)
		warnx("%s: saved without some of its names: they have more than %u bytes",
		      d->name, NAMES_MOST);
	if (all.nr && all.ok) {
		off = area_place(t);
		to->len = ALIGN(off + all.size + sizeof(t->header), (u64)JTRACE_SIZE_ALIGN);
		to->names = all.nr;
	}
	to->img = to->len <= U32_MAX ? calloc(1, to->len + 1) : NULL;
	if (to->img) {
		memcpy(to->img, d->img, min_t(u64, off, d->len));
		if (to->names)
			put_area(to, t, &all, off);
	}
	names_free(&all);
	return (to->img && all.ok) || fail("%s: no memory for %llu bytes", d->name, to->len);
}

/**
 * save_free() - free such a copy
 * @s: the copy; save_build() may have failed
 */
void save_free(struct saved *s)
{
	free(s->img);
	s->img = NULL;
}

/**
 * export_save() - write an image with the names it needs
 * @d: the image, after decode_open()
 * @target: the file
 * @force: replace an image, or an empty file
 *
 * Return: false, after a message, on an error; nothing is left behind then.
 */
bool export_save(const struct dump *d, const char *target, bool force)
{
	struct target file;
	struct saved s;
	bool ok = save_build(&s, d) && s.img && target_open(&file, target, force, SIGN);

	if (ok && !is_whole(d))
		warnx("%s: saved without names: the image is cut, its headers are lost, or they have no place",
		      d->name);
	if (ok) {
		fwrite(s.img, 1, s.len, file.out);
		ok = target_close(&file, target_ok(&file));
	}
	save_free(&s);
	return ok;
}
