// SPDX-License-Identifier: GPL-2.0
/*
 * Mutate images by their structure.
 *
 * One in 64 inputs is a fresh image, and libFuzzer itself changes a quarter, byte by byte.  In
 * the others, fields of headers, sites, chunks and entries get interesting values, parts move,
 * and parts of other images are inserted.  Half of all inputs get right check values again, to
 * reach the code behind the checks.
 */

#include "fuzz.h"

#include "../damage.h"

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const u8 *one, size_t one_size, const u8 *other,
				 size_t other_size, u8 *out, size_t most, unsigned int seed);

static u32 most;

/**
 * struct field - a field of a structure
 * @at: offset
 * @size: bytes
 */
struct field {
	u16 at;
	u16 size;
};

#define FIELD(type, member) \
	{ offsetof(struct type, member), sizeof(((struct type *)0)->member) }

static const struct field header_fields[] = {
	FIELD(jtrace_image_header, magic), FIELD(jtrace_image_header, crc),
	FIELD(jtrace_image_header, version), FIELD(jtrace_image_header, header_size),
	FIELD(jtrace_image_header, image_id), FIELD(jtrace_image_header, image_size),
	FIELD(jtrace_image_header, incompat), FIELD(jtrace_image_header, compat),
	FIELD(jtrace_image_header, area[0].kind), FIELD(jtrace_image_header, area[0].off),
	FIELD(jtrace_image_header, area[0].size), FIELD(jtrace_image_header, area[1].kind),
	FIELD(jtrace_image_header, area[1].off), FIELD(jtrace_image_header, area[1].size),
	FIELD(jtrace_image_header, area[2].kind), FIELD(jtrace_image_header, area[2].off),
	FIELD(jtrace_image_header, area[2].size), FIELD(jtrace_image_header, machine),
	FIELD(jtrace_image_header, chunk_shift), FIELD(jtrace_image_header, kind),
	FIELD(jtrace_image_header, clock), FIELD(jtrace_image_header, state),
	FIELD(jtrace_image_header, nr_cpus),
	FIELD(jtrace_image_header, last_cpus), FIELD(jtrace_image_header, rate),
	FIELD(jtrace_image_header, stamp.ticks), FIELD(jtrace_image_header, stamp.mono),
	FIELD(jtrace_image_header, stamp.boot), FIELD(jtrace_image_header, real),
	FIELD(jtrace_image_header, floor), FIELD(jtrace_image_header, boot_id),
	FIELD(jtrace_image_header, release), FIELD(jtrace_image_header, reason),
};

static const struct field site_fields[] = {
	FIELD(jtrace_site_record, magic), FIELD(jtrace_site_record, image_id),
	FIELD(jtrace_site_record, number), FIELD(jtrace_site_record, line),
	FIELD(jtrace_site_record, tag_len), FIELD(jtrace_site_record, file_len),
	FIELD(jtrace_site_record, func_len), FIELD(jtrace_site_record, kind),
	FIELD(jtrace_site_record, args),
	{ sizeof(struct jtrace_site_record), 8 }, { sizeof(struct jtrace_site_record) + 8, 8 },
};

static const struct field chunk_fields[] = {
	FIELD(jtrace_chunk_header, magic), FIELD(jtrace_chunk_header, image_id),
	FIELD(jtrace_chunk_header, claim), FIELD(jtrace_chunk_header, place),
	FIELD(jtrace_chunk_header, previous), FIELD(jtrace_chunk_header, cpu),
	FIELD(jtrace_chunk_header, chunk_shift), FIELD(jtrace_chunk_header, form),
	FIELD(jtrace_chunk_header, lost), FIELD(jtrace_chunk_header, cpus),
	FIELD(jtrace_chunk_header, stamp.ticks), FIELD(jtrace_chunk_header, stamp.mono),
	FIELD(jtrace_chunk_header, stamp.boot),
};

static const struct field log_fields[] = {
	FIELD(jtrace_log_record, magic), FIELD(jtrace_log_record, image_id),
	FIELD(jtrace_log_record, seq), FIELD(jtrace_log_record, time),
	FIELD(jtrace_log_record, shift), FIELD(jtrace_log_record, place),
	FIELD(jtrace_log_record, part), FIELD(jtrace_log_record, len),
	FIELD(jtrace_log_record, prio), { sizeof(struct jtrace_log_record), 8 },
};

static const struct field large_fields[] = {
	FIELD(jtrace_large_entry, time), FIELD(jtrace_large_entry, site),
	FIELD(jtrace_large_entry, tid), FIELD(jtrace_large_entry, arg),
	FIELD(jtrace_large_entry, wide), FIELD(jtrace_large_entry, cpu),
	FIELD(jtrace_large_entry, context), FIELD(jtrace_large_entry, check),
	FIELD(jtrace_large_entry, seq),
};

static const struct field small_fields[] = {
	FIELD(jtrace_small_entry, time), FIELD(jtrace_small_entry, site),
	FIELD(jtrace_small_entry, arg), FIELD(jtrace_small_entry, check),
	FIELD(jtrace_small_entry, seq),
};

/* ---- Values and places ------------------------------------------------ */

static u64 any(void)
{
	return (u64)below(U32_MAX) << 32 | below(U32_MAX);
}

/* An interesting value in place of @old. */
static u64 value(u64 old)
{
	switch (below(10)) {
	case 0:
		return 0;
	case 1:
		return ~0ULL;
	case 2:
		return old + 1;
	case 3:
		return old - 1;
	case 4:
		return old ^ 1ULL << below(64);
	case 5:
		return 1ULL << below(64);
	case 6:
		return (1ULL << below(64)) - 1;
	case 7:
		return below(len + 1);
	case 8:
		return old + 8 * below(64) - 256;
	default:
		return any();
	}
}

/* Change a field of the structure at @at. */
static void change(u32 at, const struct field *fields, u32 nr)
{
	const struct field *f = &fields[below(nr)];
	u32 size = min_t(u32, f->size, sizeof(u64));
	__le64 word = 0;

	at += f->at + (f->size > size ? below(f->size - size + 1) : 0);
	if (at + size > len)
		return;
	memcpy(&word, bytes + at, size);
	word = cpu_to_le64(value(le64_to_cpu(word)));
	memcpy(bytes + at, &word, size);
}

/* Find a random @magic with at least @need bytes from there on; @len if there is none. */
static u32 pick(__le32 magic, u32 need)
{
	u32 words = len / sizeof(u64), i, at;

	for (i = 0, at = words ? below(words) : 0; i < words; i++, at++) {
		if (at == words)
			at = 0;
		if (!memcmp(bytes + at * sizeof(u64), &magic, sizeof(magic)) &&
		    at * sizeof(u64) + need <= len)
			return at * sizeof(u64);
	}
	return len;
}

static u32 pick_chunk(struct jtrace_layout *l)
{
	u32 at = pick(cpu_to_le32(JTRACE_CHUNK_MAGIC), sizeof(struct jtrace_chunk_header));
	const struct jtrace_chunk_header *c = (const void *)(bytes + at);

	memset(l, 0, sizeof(*l));
	if (at == len || !jtrace_layout_chunk(l, c->chunk_shift, c->form & JTRACE_FORM_KIND) ||
	    at + (1U << l->chunk_shift) > len)
		return len;
	return at;
}

/* ---- Changes ---------------------------------------------------------- */

static void change_header(void)
{
	u32 at = pick(cpu_to_le32((u32)JTRACE_IMAGE_MAGIC), HEADER_SIZE), other;

	if (at == len)
		return;
	change(at, header_fields, ARRAY_SIZE(header_fields));
	other = pick(cpu_to_le32((u32)JTRACE_IMAGE_MAGIC), HEADER_SIZE);
	if (below(2) && other != len)
		memmove(bytes + other, bytes + at, HEADER_SIZE);
}

static void change_site(void)
{
	change(pick(cpu_to_le32(JTRACE_SITE_MAGIC), 0), site_fields, ARRAY_SIZE(site_fields));
}

static void change_log(void)
{
	change(pick(cpu_to_le32(JTRACE_LOG_MAGIC), sizeof(struct jtrace_log_record)), log_fields,
	       ARRAY_SIZE(log_fields));
}

static void change_chunk(void)
{
	change(pick(cpu_to_le32(JTRACE_CHUNK_MAGIC), 0), chunk_fields, ARRAY_SIZE(chunk_fields));
}

static void change_entry(void)
{
	struct jtrace_layout l;
	u32 at = pick_chunk(&l), n;

	for (n = 1 + below(3); at != len && n; n--) {
		u32 slot = at + l.first_off + below(l.entries) * l.entry_size;

		if (l.kind == JTRACE_KIND_SMALL)
			change(slot, small_fields, ARRAY_SIZE(small_fields));
		else
			change(slot, large_fields, ARRAY_SIZE(large_fields));
	}
}

/* Copy one or several entries to other slots. */
static void move_entries(void)
{
	struct jtrace_layout l;
	u32 at = pick_chunk(&l), from, to, n;

	if (at == len)
		return;
	from = below(l.entries);
	to = below(l.entries);
	n = 1 + below(l.entries - max(from, to));
	memmove(bytes + at + l.first_off + to * l.entry_size,
		bytes + at + l.first_off + from * l.entry_size, n * l.entry_size);
}

/* Copy a chunk over another one; its place may be adapted. */
static void move_chunk(void)
{
	struct jtrace_layout l, other;
	u32 from = pick_chunk(&l), to = pick_chunk(&other);
	struct jtrace_chunk_header *c = (void *)(bytes + to);
	__le32 place;

	if (from == len || to == len || l.chunk_shift != other.chunk_shift)
		return;
	place = c->place;
	memmove(bytes + to, bytes + from, 1U << l.chunk_shift);
	if (below(2))
		c->place = place;
	if (below(4) == 0)
		c->claim = cpu_to_le64(value(le64_to_cpu(c->claim)));
}

/* Exchange two pages, or smaller blocks. */
static void swap_blocks(void)
{
	static u8 spare[JTRACE_PAGE];
	u32 size = JTRACE_PAGE >> below(6), nr = len / size, a, b;

	if (nr < 2)
		return;
	a = below(nr) * size;
	b = below(nr) * size;
	memcpy(spare, bytes + a, size);
	memmove(bytes + a, bytes + b, size);
	memcpy(bytes + b, spare, size);
}

/* Insert bytes of another image, or of this one at another time, at the same place. */
static void splice(void)
{
	const struct made *m = made_image(below(NR_IMAGES));
	u32 from = below(m->len) & ~7U, n = below(m->len - from + 1) & ~7U, to = from;

	if (!below(4))
		to = below(len) & ~7U;
	if (to < len)
		memcpy(bytes + to, m->img + from, min(n, len - to));
}

/* Put the image somewhere in a larger file. */
static void append(void)
{
	const struct made *m = made_image(below(NR_IMAGES));
	u32 n = min(m->len, most - len);

	memcpy(bytes + len, m->img, n);
	len += n;
}

static void grow(void)
{
	u32 n = 8 * below(256), at = below(len + 1) & ~7U;

	n = min(n, most - len);
	memmove(bytes + at + n, bytes + at, len - at);
	memset(bytes + at, below(2) ? 0 : below(256), n);
	len += n;
}

static void cut(void)
{
	if (len > 1)
		len = below(2) ? len - len / 8 : 1 + below(len - 1);
}

static void spoil(void)
{
	if (len > HEADER_SIZE)
		damage_ways[below(ARRAY_SIZE(damage_ways))]();
}

static void fresh(void)
{
	const struct made *m = made_image(below(NR_IMAGES));
	u32 at = below(8) ? 0 : 8 * below(64);

	if (m->len + at > most)
		return;
	memset(bytes, 0, at);
	memcpy(bytes + at, m->img, m->len);
	len = at + m->len;
}

static void (* const ways[])(void) = {
	change_header, change_header, change_site, change_chunk, change_chunk, change_entry,
	change_entry, change_log, move_entries, move_chunk, swap_blocks, splice, append, grow, cut,
	spoil,
};

/**
 * LLVMFuzzerCustomMutator() - change an input
 * @data: the input
 * @size: bytes
 * @max: size of the buffer
 * @seed: determines the change
 *
 * Return: bytes.
 */
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	u32 n;

	rnd = seed;
	bytes = data;
	most = max;
	len = min(size, max);
	if (len < 64 || !below(64))
		fresh();
	else if (!below(4))
		len = LLVMFuzzerMutate(data, len, most);
	else
		for (n = 1 + below(4); n && len; n--)
			ways[below(ARRAY_SIZE(ways))]();
	if (below(2))
		sign_all();
	return len;
}

/**
 * LLVMFuzzerCustomCrossOver() - copy pages of an input into another one
 * @one: the first
 * @one_size: bytes
 * @other: the second
 * @other_size: bytes
 * @out: result
 * @max: size of @out
 * @seed: determines the change
 *
 * Return: bytes.
 */
size_t LLVMFuzzerCustomCrossOver(const u8 *one, size_t one_size, const u8 *other,
				 size_t other_size, u8 *out, size_t max, unsigned int seed)
{
	u32 at, step;

	rnd = seed;
	bytes = out;
	len = min(one_size, max);
	memcpy(out, one, len);
	step = 128U << below(6);
	for (at = 0; at < min_t(u32, len, other_size); at += step)
		if (!below(3))
			memcpy(out + at, other + at,
			       min_t(u32, step, min_t(u32, len, other_size) - at));
	if (below(2))
		sign_all();
	return len;
}
