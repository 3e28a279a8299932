// SPDX-License-Identifier: GPL-2.0
/* Geometry of an image, and its header. */

#include "image.h"

/* The sizes exclude padding; jtrace_image_test checks each stored byte. */
static_assert(sizeof(struct jtrace_image_header) == 512);
static_assert(sizeof(struct jtrace_area) == 12);
static_assert(sizeof(struct jtrace_site_record) == 32);
static_assert(sizeof(struct jtrace_module_record) == 64);
static_assert(sizeof(struct jtrace_module_end) == 16);
static_assert(sizeof(struct jtrace_task_record) == 32);
static_assert(sizeof(struct jtrace_stack_record) == 32);
static_assert(sizeof(struct jtrace_chunk_header) == 64);
static_assert(sizeof(struct jtrace_large_entry) == 64);
static_assert(sizeof(struct jtrace_small_entry) == 24);

#define HEADER_SIZE	sizeof(struct jtrace_image_header)
#define CRC_FROM	offsetof(struct jtrace_image_header, version)
/* What each version of the header begins with. */
#define LASTING		offsetof(struct jtrace_image_header, image_size)

/**
 * jtrace_layout_chunk() - derive a chunk's geometry from its size and entry kind
 * @l: chunk_shift, kind, form, entry_size, entries and first_off are set
 * @chunk_shift: log2 of the chunk size
 * @kind: enum jtrace_kind
 *
 * Return: false if the size or the kind is not supported.
 */
bool jtrace_layout_chunk(struct jtrace_layout *l, u8 chunk_shift, u8 kind)
{
	u32 room;

	if (chunk_shift < JTRACE_MIN_CHUNK_SHIFT || chunk_shift > JTRACE_MAX_CHUNK_SHIFT)
		return false;
	if (kind == JTRACE_KIND_LARGE)
		l->entry_size = sizeof(struct jtrace_large_entry);
	else if (kind == JTRACE_KIND_SMALL)
		l->entry_size = sizeof(struct jtrace_small_entry);
	else
		return false;

	room = (1U << chunk_shift) - sizeof(struct jtrace_chunk_header);
	l->chunk_shift = chunk_shift;
	l->kind = kind;
	l->form = kind;
	l->entries = room / l->entry_size;
	l->first_off = (1U << chunk_shift) - l->entries * l->entry_size;
	return true;
}

/*
 * Sites get a seventh of a small buffer, at most 4 KiB (about 50 sites, or 40 and some modules);
 * a twentieth of a large one, at most 256 KiB (about 3000); from 8 MiB on a 32nd, at most 1 MiB.
 * A larger buffer never has less.
 */
static u32 sites_share(u64 size)
{
	u64 share = min_t(u64, size / 7, max(size / 20, (u64)4096));

	return max(min_t(u64, share, 256 << 10), min_t(u64, size / 32, 1 << 20));
}

/*
 * Chunks end at the last chunk boundary below the backup header; sites get the rest before
 * them.  All depends on that boundary only, so that more bytes never mean fewer chunks.
 */
static void layout_place(struct jtrace_layout *l, u64 size, u64 sites)
{
	u64 end = ALIGN_DOWN(size - HEADER_SIZE, 1ULL << l->chunk_shift);
	u64 head = HEADER_SIZE + (sites ?: sites_share(end));

	l->size = size;
	l->nr_chunks = end > head ? (end - head) >> l->chunk_shift : 0;
	l->chunks_off = end - ((u64)l->nr_chunks << l->chunk_shift);
	l->sites_off = HEADER_SIZE;
	l->sites_end = l->chunks_off;
	l->log_off = 0;
	l->log_size = 0;
	l->tasks_off = 0;
	l->tasks_size = 0;
	l->stacks_off = 0;
	l->stacks_size = 0;
}

static bool layout_fits(const struct jtrace_layout *l, u32 cpus, enum jtrace_fit fit)
{
	static const struct { u32 entries, chunks_each, chunks; } need[] = {
		[JTRACE_FIT_FULL] = { 4, 3, 4 },
		[JTRACE_FIT_TIGHT] = { 4, 2, 2 },
		[JTRACE_FIT_FEW] = { 0, 2, 2 },
		[JTRACE_FIT_POOR] = { 0, 1, 2 },
	};

	return l->entries >= need[fit].entries &&
	       l->nr_chunks >= (u64)need[fit].chunks_each * cpus + need[fit].chunks;
}

/**
 * jtrace_layout_plan() - lay out an image
 * @l: result, undefined if %JTRACE_FIT_NONE is returned
 * @size: bytes to use, rounded down to %JTRACE_SIZE_ALIGN
 * @sites: at least so many of these for the site table; 0 for a share of @size
 * @cpus: possible CPUs; each will own chunks
 * @kind: of the entries
 *
 * Chooses the best possible fit, and the largest chunks with it: large chunks mean fewer claims.
 *
 * Return: the fit of the image.
 */
enum jtrace_fit jtrace_layout_plan(struct jtrace_layout *l, u64 size, u64 sites, u32 cpus,
				   enum jtrace_kind kind)
{
	enum jtrace_fit fit;
	u8 shift;

	size = ALIGN_DOWN(size, (u64)JTRACE_SIZE_ALIGN);
	if (size < 2 * HEADER_SIZE || size > U32_MAX || sites > size)
		return JTRACE_FIT_NONE;
	for (fit = JTRACE_FIT_FULL; fit < JTRACE_FIT_NONE; fit++) {
		for (shift = JTRACE_MAX_CHUNK_SHIFT; shift >= JTRACE_MIN_CHUNK_SHIFT; shift--) {
			if (!jtrace_layout_chunk(l, shift, kind))
				return JTRACE_FIT_NONE;
			layout_place(l, size, sites);
			if (layout_fits(l, cpus, fit))
				return fit;
		}
	}
	return JTRACE_FIT_NONE;
}

/* Append an area, and return where it begins. */
static u32 layout_append(struct jtrace_layout *l, u32 size)
{
	u32 off = l->size - HEADER_SIZE;

	l->size += size;
	return off;
}

/**
 * jtrace_layout_add_log() - append an area for log records
 * @l: layout that was planned; its size grows
 * @size: bytes for log records, a multiple of %JTRACE_SIZE_ALIGN
 */
void jtrace_layout_add_log(struct jtrace_layout *l, u32 size)
{
	l->log_off = layout_append(l, size);
	l->log_size = size;
}

/**
 * jtrace_layout_add_tasks() - append an area for task records
 * @l: layout that was planned; its size grows
 * @size: bytes for task records, a multiple of %JTRACE_SIZE_ALIGN
 */
void jtrace_layout_add_tasks(struct jtrace_layout *l, u32 size)
{
	l->tasks_off = layout_append(l, size);
	l->tasks_size = size;
}

/**
 * jtrace_layout_add_stacks() - append an area for stack records
 * @l: layout that was planned; its size grows
 * @size: bytes for stack records, a multiple of %JTRACE_SIZE_ALIGN
 */
void jtrace_layout_add_stacks(struct jtrace_layout *l, u32 size)
{
	l->stacks_off = layout_append(l, size);
	l->stacks_size = size;
}

/**
 * jtrace_layout_smallest() - compute the smallest image with a given fit
 * @sites: bytes for the site table, or 0
 * @cpus: possible CPUs
 * @kind: of the entries
 * @fit: or better
 *
 * Return: bytes, a multiple of %JTRACE_SIZE_ALIGN; 0 if there is none.
 */
u64 jtrace_layout_smallest(u64 sites, u32 cpus, enum jtrace_kind kind, enum jtrace_fit fit)
{
	struct jtrace_layout l;
	u64 low = 0, high = (u64)U32_MAX / JTRACE_SIZE_ALIGN + 1;

	while (low < high) {
		u64 mid = low + (high - low) / 2;

		if (jtrace_layout_plan(&l, mid * JTRACE_SIZE_ALIGN, sites, cpus, kind) <= fit)
			high = mid;
		else
			low = mid + 1;
	}
	if (jtrace_layout_plan(&l, low * JTRACE_SIZE_ALIGN, sites, cpus, kind) > fit)
		return 0;
	return low * JTRACE_SIZE_ALIGN;
}

/**
 * jtrace_layout_most_sites() - compute the largest site table in an image
 * @size: of the image
 * @cpus: possible CPUs
 * @kind: of the entries
 *
 * Return: bytes, 0 if not even one byte fits.
 */
u64 jtrace_layout_most_sites(u64 size, u32 cpus, enum jtrace_kind kind)
{
	u64 low = 0, high = min_t(u64, size, U32_MAX);
	struct jtrace_layout l;

	while (low < high) {
		u64 mid = high - (high - low) / 2;

		if (jtrace_layout_plan(&l, size, mid, cpus, kind) < JTRACE_FIT_NONE)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

static void area_set(struct jtrace_area *a, enum jtrace_area_kind kind, u32 off, u32 size)
{
	a->kind = cpu_to_le32(kind);
	a->off = cpu_to_le32(off);
	a->size = cpu_to_le32(size);
}

/**
 * jtrace_header_init() - start a header
 * @h: result: fields that follow from the other arguments; the rest is zero
 * @l: geometry
 * @image_id: not 0
 *
 * The caller fills in the other fields before it writes the header.
 */
void jtrace_header_init(struct jtrace_image_header *h, const struct jtrace_layout *l,
			u64 image_id)
{
	memset(h, 0, sizeof(*h));
	h->magic = cpu_to_le64(JTRACE_IMAGE_MAGIC);
	h->version = cpu_to_le16(JTRACE_IMAGE_VERSION);
	h->header_size = cpu_to_le16(HEADER_SIZE);
	h->image_id = cpu_to_le64(image_id);
	h->image_size = cpu_to_le64(l->size);
	area_set(&h->area[0], JTRACE_AREA_SITES, l->sites_off, l->sites_end - l->sites_off);
	area_set(&h->area[1], JTRACE_AREA_CHUNKS, l->chunks_off, l->nr_chunks << l->chunk_shift);
	if (l->log_size)
		area_set(&h->area[2], JTRACE_AREA_LOG, l->log_off, l->log_size);
	if (l->tasks_size)
		area_set(&h->area[3], JTRACE_AREA_TASKS, l->tasks_off, l->tasks_size);
	if (l->stacks_size)
		area_set(&h->area[4], JTRACE_AREA_STACKS, l->stacks_off, l->stacks_size);
	h->chunk_shift = l->chunk_shift;
	h->kind = l->kind;
	h->clock = l->form & JTRACE_FORM_TICKS ? JTRACE_CLOCK_TICKS : JTRACE_CLOCK_NS;
	h->state = JTRACE_STATE_RUNNING;
	h->incompat = cpu_to_le32((l->form & JTRACE_FORM_MONO ? JTRACE_INCOMPAT_MONO : 0) |
				  (l->form & JTRACE_FORM_CHECKED ? JTRACE_INCOMPAT_CHECKED : 0));
}

static void header_copy(void *to, const struct jtrace_image_header *h)
{
	jtrace_copy_words(to, h, HEADER_SIZE);
	if (le32_to_cpu(h->compat) & JTRACE_COMPAT_CACHED) {
		jtrace_write_back(to, HEADER_SIZE);
		jtrace_write_back_wait();
	}
}

/**
 * jtrace_header_write() - store a header at both ends of an image
 * @img: the image
 * @h: the writer's own copy; its crc is set here
 *
 * The caller serializes writers.
 */
void jtrace_header_write(void *img, struct jtrace_image_header *h)
{
	u64 last = le64_to_cpu(h->image_size) - HEADER_SIZE;

	h->crc = cpu_to_le32(jtrace_crc32c(~0U, (const u8 *)h + CRC_FROM,
					   HEADER_SIZE - CRC_FROM));
	header_copy(img, h);
	smp_wmb();	/* the first copy is whole before the second is touched */
	header_copy((u8 *)img + last, h);
}

/* Device memory does not allow memset(). */
static void clear_words(void *at, u64 size, bool write_back)
{
	u64 *word = at;
	u64 i;

	for (i = 0; i < size / sizeof(*word); i++)
		WRITE_ONCE(word[i], 0);
	if (write_back)
		jtrace_write_back(at, size);
	jtrace_write_back_wait();
}

/**
 * jtrace_image_clear() - clear memory for a new image
 * @at: the memory, which may hold an earlier image
 * @size: bytes, a multiple of 8
 * @write_back: the memory is cached and must survive a reset
 *
 * Clear the first header before anything else.  If the machine dies in between, the next
 * reader then reports the rest as damaged, although cleared entries leave no other mark.
 *
 * Context: Process; reschedules.
 */
void jtrace_image_clear(void *at, u64 size, bool write_back)
{
	u64 off, len;

	for (off = 0; off < size; off += len) {
		len = min_t(u64, size - off, off ? JTRACE_PAGE : JTRACE_LINE);
		clear_words((u8 *)at + off, len, write_back);
		cond_resched();
	}
}

static bool ranges_overlap(u64 a, u64 a_end, u64 b, u64 b_end)
{
	return a < b_end && b < a_end;
}

/* The bounds of an area.  Return false if there is none or it is not inside the image. */
static bool area_get(const struct jtrace_image_header *h, enum jtrace_area_kind kind, u64 *off,
		     u64 *end)
{
	const struct jtrace_area *a = jtrace_header_area(h, kind);

	if (!a)
		return false;
	*off = le32_to_cpu(a->off);
	*end = *off + le32_to_cpu(a->size);
	return !(*off % JTRACE_GRANULE) && *off >= HEADER_SIZE &&
	       *end <= le64_to_cpu(h->image_size) - HEADER_SIZE;
}

/* No log is better than no image: an area that overlaps another part does not count. */
static void optional_area(const struct jtrace_image_header *h, const struct jtrace_layout *l,
			  enum jtrace_area_kind kind, u32 *at, u32 *size)
{
	u64 chunks_end = l->chunks_off + ((u64)l->nr_chunks << l->chunk_shift), off, end;

	*at = 0;
	*size = 0;
	if (!area_get(h, kind, &off, &end) ||
	    ranges_overlap(off, end, l->sites_off, l->sites_end) ||
	    ranges_overlap(off, end, l->chunks_off, chunks_end) ||
	    ranges_overlap(off, end, l->log_off, (u64)l->log_off + l->log_size) ||
	    ranges_overlap(off, end, l->tasks_off, (u64)l->tasks_off + l->tasks_size))
		return;
	*at = off;
	*size = end - off;
}

static bool header_layout(const struct jtrace_image_header *h, struct jtrace_layout *l)
{
	u32 incompat = le32_to_cpu(h->incompat);
	u64 off, end;

	if (!jtrace_layout_chunk(l, h->chunk_shift, h->kind))
		return false;
	if (h->clock == JTRACE_CLOCK_TICKS)
		l->form |= JTRACE_FORM_TICKS;
	if (incompat & JTRACE_INCOMPAT_MONO)
		l->form |= JTRACE_FORM_MONO;
	if (incompat & JTRACE_INCOMPAT_CHECKED)
		l->form |= JTRACE_FORM_CHECKED;
	l->size = le64_to_cpu(h->image_size);
	/* The second header must be aligned, too. */
	if (l->size > U32_MAX || l->size < 2 * HEADER_SIZE || l->size % JTRACE_SIZE_ALIGN)
		return false;
	if (!area_get(h, JTRACE_AREA_SITES, &off, &end))
		return false;
	l->sites_off = off;
	l->sites_end = end;
	if (!area_get(h, JTRACE_AREA_CHUNKS, &off, &end) ||
	    ranges_overlap(off, end, l->sites_off, l->sites_end) ||
	    off & ((1U << l->chunk_shift) - 1) || (end - off) & ((1U << l->chunk_shift) - 1))
		return false;
	l->chunks_off = off;
	l->nr_chunks = (end - off) >> l->chunk_shift;
	/* An area is compared with those before it, and with none of an earlier header. */
	l->log_off = 0;
	l->log_size = 0;
	l->tasks_off = 0;
	l->tasks_size = 0;
	optional_area(h, l, JTRACE_AREA_LOG, &l->log_off, &l->log_size);
	optional_area(h, l, JTRACE_AREA_TASKS, &l->tasks_off, &l->tasks_size);
	optional_area(h, l, JTRACE_AREA_STACKS, &l->stacks_off, &l->stacks_size);
	return true;
}

/* Cut the layout to the first @most bytes, which hold at least a header. */
static void layout_cut(struct jtrace_layout *l, u64 most)
{
	u64 chunks = most > l->chunks_off ? (most - l->chunks_off) >> l->chunk_shift : 0;

	l->size = most;
	l->nr_chunks = min_t(u64, l->nr_chunks, chunks);
	l->sites_end = min_t(u64, l->sites_end, ALIGN_DOWN(most, (u64)JTRACE_GRANULE));
	l->sites_off = min(l->sites_off, l->sites_end);
	l->log_size = most > l->log_off ? min_t(u64, l->log_size, most - l->log_off) : 0;
	l->stacks_size = most > l->stacks_off ?
			 min_t(u64, l->stacks_size, most - l->stacks_off) : 0;
	/* The number of sets must be known. */
	if (l->tasks_off + (u64)l->tasks_size > most)
		l->tasks_size = 0;
}

/* Read by words: device memory does not allow unaligned reads. */
static u32 header_crc(const u8 *at, u32 size)
{
	u32 off, skip = CRC_FROM % sizeof(u64), crc = ~0U;
	u64 word;

	for (off = CRC_FROM - skip; off < size; off += sizeof(word)) {
		jtrace_copy_words(&word, at + off, sizeof(word));
		crc = jtrace_crc32c(crc, (const u8 *)&word + skip, sizeof(word) - skip);
		skip = 0;
	}
	return crc;
}

/* A header of another version may have another size; it does not count as damaged. */
static bool crc_right(const void *at, u64 len, const struct jtrace_image_header *h)
{
	u16 size = le16_to_cpu(h->header_size);

	return size >= LASTING && size <= len && size <= JTRACE_PAGE && !(size % sizeof(u64)) &&
	       le32_to_cpu(h->crc) == header_crc(size == HEADER_SIZE ? (const u8 *)h : at, size);
}

/**
 * jtrace_header_read() - read and validate a header
 * @at: bytes that may be a header
 * @len: bytes that may be read from @at
 * @most: largest possible size of the image
 * @h: result: a copy, also of an invalid header, if @len allows
 * @l: result: the geometry, cut to @most
 *
 * Return: why it is not valid, or %JTRACE_HEADER_OK.
 */
enum jtrace_header_fault jtrace_header_read(const void *at, u64 len, u64 most,
					    struct jtrace_image_header *h,
					    struct jtrace_layout *l)
{
	if (len < HEADER_SIZE)
		return JTRACE_HEADER_MAGIC;
	jtrace_copy_words(h, at, HEADER_SIZE);
	if (le64_to_cpu(h->magic) != JTRACE_IMAGE_MAGIC)
		return JTRACE_HEADER_MAGIC;
	if (!crc_right(at, len, h))
		return JTRACE_HEADER_CRC;
	if (le16_to_cpu(h->version) != JTRACE_IMAGE_VERSION ||
	    le16_to_cpu(h->header_size) != HEADER_SIZE)
		return JTRACE_HEADER_VERSION;
	if (jtrace_header_unknown(h))
		return JTRACE_HEADER_INCOMPAT;
	if (!le64_to_cpu(h->image_id) || !header_layout(h, l))
		return JTRACE_HEADER_LAYOUT;
	if (l->size <= most)
		return JTRACE_HEADER_OK;
	layout_cut(l, most);
	return JTRACE_HEADER_CUT;
}
