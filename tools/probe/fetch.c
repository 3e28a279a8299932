// SPDX-License-Identifier: GPL-2.0
/* The FETCH of a path: follow it through the types of the kernel. */

#ifdef JTRACE_LIBBPF

#include <stdlib.h>

#include "../../lib/base/words.h"
#include "btf.h"

/**
 * struct walk - a path that is followed
 * @proto: of the function or tracepoint
 * @text: the definition
 * @from: offset of the path in @text
 * @at: offset of the next character
 * @to: offset of the first byte behind the path
 * @r: filled if it is refused
 * @base: the root as the module takes it
 * @btf: the types
 * @id: type of the value so far
 * @loaded: the value is in memory, at @offset; otherwise it is the root
 * @offset: from the address that the load before gives
 * @bits: of a bit-field; 0: it is none
 * @shift: bits before those of a bit-field in its first byte
 * @load: offsets of the loads before, the first one from the root
 * @nr: how many
 */
struct walk {
	struct prototype proto;
	const char *text;
	u32 from;
	u32 at;
	u32 to;
	struct refusal *r;
	char base[24];
	const struct btf *btf;
	u32 id;
	bool loaded;
	u64 offset;
	u32 bits;
	u32 shift;
	u64 load[JTRACE_FETCH_LOADS];
	u32 nr;
};

/* ---- The root --------------------------------------------------------- */

static bool refuse_argument(struct walk *w, const char *name, u32 n, const struct place *place)
{
	char text[512];
	struct pen pen = { text, text + sizeof(text) - 1 };
	u32 i;

	for (i = 0; i < w->proto.nr; i++)
		pen_format(&pen, ", %s",
			   btf_name(w->btf, prototype_param(&w->proto, i)->name_off));
	*pen.at = 0;
	if (!w->proto.nr)
		return refuse(w->r, w->from, "%s has no arguments",
			      *place->symbol ? place->symbol : "the function");
	return refuse(w->r, w->from, "%s has no argument \"%.*s\": it has %s",
		      *place->symbol ? place->symbol : "the function", (int)n, name, text + 2);
}

/* Begin with an argument; @nr counts from 0. */
static bool begin_argument(struct walk *w, u32 nr)
{
	const char *why;

	if (!prototype_can_fetch(&w->proto, nr, &why))
		return refuse(w->r, w->from, "argument %u cannot be fetched: %s", nr + 1, why);
	w->id = prototype_param(&w->proto, nr)->type;
	scnprintf(w->base, sizeof(w->base), "$arg%u", nr + 1);
	return true;
}

/* Begin with the root of the path: @n bytes. */
static bool begin(struct walk *w, const struct place *place, u32 n)
{
	const char *name = w->text + w->from;
	unsigned long nr;
	u32 i;

	w->btf = w->proto.btf;
	if (words_match(name, n, "$retval")) {
		w->id = btf__type_by_id(w->btf, w->proto.id)->type;
		scnprintf(w->base, sizeof(w->base), "$retval");
		return true;
	}
	if (*name == '$') {
		nr = strtoul(name + 4, NULL, 10);
		if (nr && nr <= w->proto.nr)
			return begin_argument(w, nr - 1);
		return refuse_argument(w, name, n, place);
	}
	for (i = 0; i < w->proto.nr; i++)
		if (words_match(name, n, btf_name(w->btf,
						  prototype_param(&w->proto, i)->name_off)))
			return begin_argument(w, i);
	return refuse_argument(w, name, n, place);
}

/* Refuse a root that a probe at this place does not see. */
static bool check_root(struct walk *w, const struct place *place, u32 n)
{
	bool retval = words_match(w->text + w->from, n, "$retval");

	if (place->source == JTRACE_PROBE_RETURN)
		return retval ||
		       refuse(w->r, w->from, "r has no arguments, only $retval: use p for arguments");
	if (retval)
		return refuse(w->r, w->from, "only r has $retval");
	return !place->offset ||
	       refuse(w->r, w->from, "arguments are known at the first instruction only, without +OFFSET");
}

/* ---- Members ---------------------------------------------------------- */

/* Follow a pointer. */
static bool follow(struct walk *w, const struct btf_type *pointer)
{
	if (w->loaded) {
		if (w->nr + 1 == JTRACE_FETCH_LOADS)
			return refuse(w->r, w->from, "a value takes at most 6 loads");
		w->load[w->nr++] = w->offset;
	}
	w->loaded = true;
	w->offset = 0;
	w->id = pointer->type;
	return true;
}

/* Name the type in a message. */
static const char *describe(const struct walk *w, u32 id)
{
	static char text[256];
	u32 plain = id;
	const struct btf_type *t = btf_plain(w->btf, &plain);

	/* Its text would be all of its members. */
	if (t && btf_is_composite(t) && !t->name_off)
		return btf_is_union(t) ? "union { ... }" : "struct { ... }";
	btf_type_text(w->btf, id, text, sizeof(text));
	return text;
}

static bool refuse_member(struct walk *w, const struct btf_type *t, u32 n)
{
	const char *name = w->text + w->at;
	char text[512];
	struct pen pen = { text, text + sizeof(text) - 1 };

	btf_members_text(w->btf, w->id, name, n, &pen);
	*pen.at = 0;
	return refuse(w->r, w->at, "%s %s has no member \"%.*s\": it has %s",
		      btf_is_union(t) ? "union" : "struct",
		      t->name_off ? btf_name(w->btf, t->name_off) : "{ ... }", (int)n, name,
		      pen.at > text ? text + 2 : "none");
}

/* Take the name of a member. */
static bool take_member(struct walk *w)
{
	u32 before = w->id, end = w->at, n;
	const struct btf_type *t = btf_plain(w->btf, &w->id);
	struct member m;

	w->at += w->text[w->at] == '.' ? 1 : 2;
	for (n = 0; words_is_name(w->text[w->at + n]); n++)
		;
	if (t && btf_is_ptr(t) && !follow(w, t))
		return false;
	t = btf_complete(w->btf, &w->id);
	if (t && btf_is_fwd(t))
		return refuse(w->r, w->at, "BTF has no members for %s %s",
			      btf_kflag(t) ? "union" : "struct", btf_name(w->btf, t->name_off));
	if (!t || !btf_is_composite(t) || !w->loaded)
		return refuse(w->r, w->at, "%.*s has no members: it is %s", (int)(end - w->from),
			      w->text + w->from, describe(w, before));
	if (!btf_member_find(w->btf, w->id, w->text + w->at, n, &m))
		return refuse_member(w, t, n);
	w->at += n;
	w->id = m.type;
	w->offset += m.at / 8;
	w->bits = m.bits;
	w->shift = m.at % 8;
	return true;
}

/* Take "[N]". */
static bool take_index(struct walk *w)
{
	u64 nr = strtoul(w->text + w->at + 1, NULL, 10);
	u32 before = w->id;
	const struct btf_type *t = btf_plain(w->btf, &w->id);
	s64 size;

	if (t && btf_is_array(t) && w->loaded) {
		const struct btf_array *array = btf_array(t);

		if (array->nelems && nr >= array->nelems)
			return refuse(w->r, w->at + 1, "%.*s has %u elements, from 0",
				      (int)(w->at - w->from), w->text + w->from, array->nelems);
		w->id = array->type;
	} else if (t && btf_is_ptr(t)) {
		if (!follow(w, t))
			return false;
	} else {
		return refuse(w->r, w->at, "%.*s is neither array nor pointer: it is %s",
			      (int)(w->at - w->from), w->text + w->from, describe(w, before));
	}
	size = btf__resolve_size(w->btf, w->id);
	if (size <= 0)
		return refuse(w->r, w->at, "BTF has no size for an element: it is %s",
			      describe(w, w->id));
	w->offset += nr * size;
	w->at += strcspn(w->text + w->at, "]") + 1;
	return true;
}

/* ---- The value -------------------------------------------------------- */

/* Write "+OFFSET(...(ROOT))". */
static void put_fetch(struct pen *pen, const struct walk *w)
{
	u32 i;

	if (w->loaded)
		pen_format(pen, "+%llu(", w->offset);
	for (i = w->nr; i; i--)
		pen_format(pen, "+%llu(", w->load[i - 1]);
	pen_text(pen, w->base);
	for (i = 0; i < w->nr + w->loaded; i++)
		pen_char(pen, ')');
	*pen->at = 0;
}

/* A bit-field of whole bytes is like any other number. */
static bool is_whole(const struct walk *w)
{
	return !w->shift && (w->bits == 8 || w->bits == 16 || w->bits == 32 || w->bits == 64);
}

static bool refuse_bits(struct walk *w)
{
	char text[256];
	struct pen pen = { text, text + sizeof(text) - 1 };

	put_fetch(&pen, w);
	return refuse(w->r, w->from, "%.*s is a bit-field: %u bit%s from bit %u of its first byte, which is %s:u8",
		      (int)(w->to - w->from), w->text + w->from, w->bits, w->bits > 1 ? "s" : "",
		      w->shift, text);
}

/* Put the type of a number; false if it has no such width. */
static bool put_number(char type[8], bool is_signed, u32 bytes)
{
	scnprintf(type, 8, "%c%u", is_signed ? 's' : 'u', 8 * bytes);
	return jtrace_field_type(type, strlen(type));
}

static bool refuse_type(struct walk *w, const char *what)
{
	return refuse(w->r, w->from, "%.*s is %s: %s", (int)(w->to - w->from), w->text + w->from,
		      describe(w, w->id), what);
}

/* Pick the type of a value, and follow a pointer to text. */
static bool pick_type(struct walk *w, char type[8])
{
	const struct btf_type *t = btf_plain(w->btf, &w->id);
	u32 bytes = t && w->bits ? w->bits / 8 : t ? t->size : 0;

	scnprintf(type, 8, "x64");
	if (!t)
		return refuse(w->r, w->from, "%.*s is void: it has no value",
			      (int)(w->to - w->from), w->text + w->from);
	if (btf_is_composite(t))
		return refuse_type(w, "name a member");
	if (btf_is_array(t) && !btf_is_char(w->btf, btf_array(t)->type))
		return refuse_type(w, "name an element, [N], or add :TYPE");
	if (btf_is_array(t) || (btf_is_ptr(t) && btf_is_char(w->btf, t->type))) {
		scnprintf(type, 8, "string");
		return btf_is_array(t) || follow(w, t);
	}
	if (btf_is_ptr(t))
		return true;
	if (btf_is_int(t) && put_number(type, btf_int_encoding(t) & BTF_INT_SIGNED, bytes))
		return true;
	if (btf_is_any_enum(t) && put_number(type, btf_kflag(t), bytes))
		return true;
	return refuse_type(w, "a probe has numbers of 8 to 64 bits, and text");
}

/* Write FETCH:TYPE. */
static bool put_value(struct walk *w, u32 wanted, FILE *to)
{
	const struct btf_type *t = btf_plain(w->btf, &w->id);
	char text[256], type[8];
	struct pen pen = { text, text + sizeof(text) - 1 };

	if (t && btf_is_int(t) && btf_int_bits(t) != 8 * t->size && !w->bits)
		w->bits = btf_int_bits(t);
	if (w->bits && !is_whole(w))
		return refuse_bits(w);
	if (!wanted) {
		if (!pick_type(w, type))
			return false;
	} else {
		scnprintf(type, sizeof(type), "%s", jtrace_field_type_name(wanted));
		/* A pointer's text is what it points to. */
		if (jtrace_field_is_text(wanted) && t && btf_is_ptr(t) && !follow(w, t))
			return false;
	}
	put_fetch(&pen, w);
	fprintf(to, "%s:%s", text, type);
	return true;
}

/**
 * path_fetch() - write the FETCH:TYPE of a path
 * @path: the path
 * @place: of the probe
 * @to: stream
 * @r: filled if it is refused
 *
 * Return: false if it is refused.
 */
bool path_fetch(const struct path *path, const struct place *place, FILE *to, struct refusal *r)
{
	struct walk w = {
		.text = path->text, .from = path->from, .to = path->to, .r = r,
	};
	u32 n = path_root(path->text + path->from);

	if (!check_root(&w, place, n) || !place_prototype(place, &w.proto, r) ||
	    !begin(&w, place, n))
		return false;
	for (w.at = w.from + n; w.at < w.to; )
		if (!(w.text[w.at] == '[' ? take_index(&w) : take_member(&w)))
			return false;
	return put_value(&w, path->type, to);
}

/* ---- The place of a variable ------------------------------------------ */

/* Find "struct NAME", "union NAME", or the name of another type. */
static bool find_type(const struct btf *btf, const char *text, u32 *id)
{
	static const struct {
		const char *prefix;
		u32 kind;
	} kinds[] = {
		{ "struct ", BTF_KIND_STRUCT }, { "union ", BTF_KIND_UNION },
		{ "", BTF_KIND_TYPEDEF }, { "", BTF_KIND_INT },
	};
	s32 found;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)))
			continue;
		found = btf__find_by_name_kind(btf, text + strlen(kinds[i].prefix), kinds[i].kind);
		*id = found > 0 ? found : 0;
		if (found > 0)
			return true;
	}
	return false;
}

/**
 * path_place() - find where in a variable a member is
 * @path: the variable and its members
 * @place: has the module and the type of the variable
 * @offset: result, in bytes
 * @size: result, in bytes
 * @r: filled if it is refused
 *
 * Return: false if it is refused.
 */
bool path_place(const struct path *path, const struct place *place, u64 *offset, u64 *size,
		struct refusal *r)
{
	struct walk w = {
		.text = path->text, .from = path->from, .at = path->members, .to = path->to,
		.r = r, .loaded = true,
	};
	s64 bytes;

	w.btf = btf_get(place->module, r);
	if (!w.btf) {
		r->at = place->at;
		return false;
	}
	if (!find_type(w.btf, place->type, &w.id))
		return refuse(r, place->at + 1, "BTF has no type %s", place->type);
	while (w.at < w.to) {
		if (!(w.text[w.at] == '[' ? take_index(&w) : take_member(&w)))
			return false;
		if (w.nr)
			return refuse(r, w.from, "%.*s is behind a pointer: name its address",
				      (int)(w.at - w.from), w.text + w.from);
	}
	if (w.bits && !is_whole(&w))
		return refuse(r, w.from, "%.*s is a bit-field: %u bit%s from bit %u of byte %llu: name its bytes by +OFFSET:LENGTH",
			      (int)(w.to - w.from), w.text + w.from, w.bits, w.bits > 1 ? "s" : "",
			      w.shift, w.offset);
	bytes = w.bits ? w.bits / 8 : btf__resolve_size(w.btf, w.id);
	if (bytes <= 0)
		return refuse(r, w.from, "BTF has no size for %.*s: it is %s",
			      (int)(w.to - w.from), w.text + w.from, describe(&w, w.id));
	*offset = w.offset;
	*size = bytes;
	return true;
}

#endif /* JTRACE_LIBBPF */
