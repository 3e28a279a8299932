// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of addresses of the kernel that recorded an image, and of its modules.
 *
 * Those of the kernel itself are in /proc/kallsyms, if this boot recorded the image, or an earlier
 * boot of the same build: then the image tells where that boot had the kernel.  Those of a module
 * are in its file, if that is the build that the image names (ko.c); the functions of one that is
 * loaded now are in /proc/kallsyms, too.  Modules come and go, and others come to lie where they
 * were: what counts is which of them was there at the time of the entry.  An address has no symbol
 * if there is any doubt: a wrong name is worse than none.
 */

#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "../../lib/base/words.h"
#include "../machine/machine.h"
#include "entries.h"

/* Code of a module ends with a page. */
#define PAGE		4096

/**
 * enum memory - what a range of addresses has
 * @KERNEL_CODE: functions of the kernel
 * @KERNEL_INIT: functions that it had while it booted: their callers stay on the stacks of its
 *	idle task, but the memory may have other content since
 * @KERNEL_DATA: its variables
 * @MODULE: what a module has
 */
enum memory {
	KERNEL_CODE,
	KERNEL_INIT,
	KERNEL_DATA,
	MODULE,
};

/**
 * struct memory_range - a range of addresses in the boot that recorded
 * @base: its first address
 * @size: bytes
 * @from: when this came to be there, raw time
 * @until: when it went, raw time; ~0 if it did not
 * @has: what is there
 * @module: index of the module, if it is one
 */
struct memory_range {
	u64 base;
	u64 size;
	u64 from;
	u64 until;
	enum memory has;
	size_t module;
};

/**
 * struct noted - a module that the image names
 * @m: what the image tells
 * @odd: its name is none of a module
 * @looked: the members below are set
 * @ko: its file, empty if there is none
 * @running: it is loaded now, in the same build
 * @shift: what to add to find its code in this boot, if @running
 */
struct noted {
	struct jtrace_module m;
	bool odd;
	bool looked;
	struct ko ko;
	bool running;
	u64 shift;
};

static struct {
	const struct jtrace_trace *t;	/* NULL without symbols, or before address_open() */
	bool loaded;
	bool listed;			/* @symbol was filled */
	bool this_boot;
	bool same_build;		/* of the kernel that runs now */
	u64 shift;			/* what to add to find the kernel in this boot */
	struct memory_range *range;
	size_t nr_ranges;
	struct noted *module;
	size_t nr_modules;
	struct symbol_line *symbol;	/* sorted */
	size_t nr_symbols;
} map;

/* ---- Is it the same build? -------------------------------------------- */

static bool is_same_build(const struct jtrace_image_header *h)
{
	u8 now[JTRACE_BUILD_ID_SIZE];

	/* Without one, that of the image is 0. */
	return read_build_id("/sys/kernel/notes", now) &&
	       !memcmp(now, h->build_id, sizeof(h->build_id));
}

/* Read a line of /proc/modules: "NAME SIZE USES USERS STATE 0xADDRESS", and more. */
static bool read_module(FILE *f, char module[MODULE_SIZE], u64 *base)
{
	unsigned long long address;
	bool ok = fscanf(f, "%63s %*s %*s %*s %*s %llx%*[^\n]", module, &address) == 2;

	*base = ok ? address : 0;
	return ok;
}

/* Where is a module loaded now?  0 if it is not, or if the kernel hides that. */
static u64 module_base(const char *name)
{
	FILE *f = fopen(root_path("/proc/modules"), "re");
	u64 base = 0, found = 0;
	char module[MODULE_SIZE];

	while (!found && f && read_module(f, module, &base))
		if (!strcmp(module, name))
			found = base;
	if (f)
		fclose(f);
	return found;
}

/* Is the module loaded now, in the same build, and where? */
static void find_running(struct noted *n)
{
	u64 base = module_base(n->m.name);
	u8 now[JTRACE_BUILD_ID_SIZE];
	char path[128];

	scnprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", n->m.name);
	n->shift = base - n->m.base[JTRACE_MODULE_TEXT];
	/* Kernels without build ids of modules: one that is still in its place is the same. */
	n->running = base && (n->m.has_id ? read_build_id(path, now) &&
			      !memcmp(now, n->m.build_id, sizeof(now)) :
			      map.this_boot && !n->shift);
}

/* ---- Symbols ---------------------------------------------------------- */

static int compare_modules(const struct symbol_line *s, const char *module, u32 len)
{
	int order = memcmp(s->module, module, min(s->module_len, len));

	return order ?: (int)s->module_len - (int)len;
}

/* Of several with one address, functions come last, and of these the first in the file. */
static int compare_symbols(const void *left, const void *right)
{
	const struct symbol_line *l = left, *r = right;
	int order = compare_modules(l, r->module, r->module_len);

	if (order)
		return order;
	if (l->address != r->address)
		return l->address < r->address ? -1 : 1;
	if (l->is_function != r->is_function)
		return l->is_function ? 1 : -1;
	return l->name < r->name ? 1 : -1;
}

static void list_symbols(void)
{
	const char *at = NULL;
	struct symbol_line s;

	map.listed = true;
	while (symbols_next(&at, &s)) {
		if (symbol_is_label(s.name, s.len))
			continue;
		map.symbol = array_grow(map.symbol, map.nr_symbols, sizeof(*map.symbol));
		if (!map.symbol) {
			map.nr_symbols = 0;
			return;
		}
		map.symbol[map.nr_symbols++] = s;
	}
	if (map.nr_symbols)
		qsort(map.symbol, map.nr_symbols, sizeof(*map.symbol), compare_symbols);
}

/* Index of the first symbol of a module behind an address. */
static size_t find_behind(const char *module, u64 address)
{
	size_t from = 0, to = map.nr_symbols, mid;
	u32 len = strlen(module);

	while (from < to) {
		const struct symbol_line *s = &map.symbol[mid = (from + to) / 2];
		int order = compare_modules(s, module, len);

		if (order < 0 || (!order && s->address <= address))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* The last symbol at or before an address of this boot, if it is a function or not. */
static const struct symbol_line *find_symbol(const char *module, u64 address, bool function)
{
	size_t behind;
	const struct symbol_line *next, *s;
	u32 len = strlen(module);

	if (!map.listed)
		list_symbols();
	behind = find_behind(module, address);
	next = &map.symbol[behind];
	if (!behind)
		return NULL;
	s = next - 1;
	if (compare_modules(s, module, len) || s->is_function != function)
		return NULL;
	/* Where data follows, or nothing, the function ends somewhere in its page. */
	if (len && (behind == map.nr_symbols || compare_modules(next, module, len) ||
		    !next->is_function) && address / PAGE != s->address / PAGE)
		return NULL;
	return s;
}

/* ---- Where code and data were ----------------------------------------- */

static void add_range(const struct memory_range *range)
{
	map.range = array_grow(map.range, map.nr_ranges, sizeof(*map.range));
	if (map.range)
		map.range[map.nr_ranges++] = *range;
	else
		map.nr_ranges = 0;
}

static bool is_module_name(const char *name)
{
	size_t n = 0;

	while (words_is_name(name[n]))
		n++;
	return n && !name[n] && n < MODULE_SIZE;
}

static void list_module(const struct jtrace_module *m)
{
	u32 i;

	if (map.nr_modules == JTRACE_MODULES_MOST)
		return;
	map.module = array_grow(map.module, map.nr_modules, sizeof(*map.module));
	if (!map.module) {
		map.nr_modules = 0;
		return;
	}
	map.module[map.nr_modules] = (struct noted) { .m = *m, .odd = !is_module_name(m->name) };
	for (i = 0; i < JTRACE_MODULE_RANGES; i++)
		if (m->size[i])
			add_range(&(struct memory_range) {
				.base = m->base[i], .size = m->size[i],
				.from = m->from, .until = m->until,
				.has = MODULE, .module = map.nr_modules,
			});
	map.nr_modules++;
}

/* Symbols of the kernel around its code and data.  On arm64, _etext is data. */
enum mark {
	STEXT, ETEXT, INIT_START, INIT_END, SDATA, EDATA, BSS_START, BSS_STOP, MARKS
};

/* Find where they are in this boot; 0 if there is none. */
static void find_marks(u64 at[MARKS])
{
	static const char * const names[MARKS] = {
		"_stext", "_etext", "_sinittext", "_einittext", "_sdata", "_edata", "__bss_start", "__bss_stop",
	};
	const char *next = NULL;
	struct symbol_line s;
	u32 i;

	memset(at, 0, MARKS * sizeof(*at));
	while (symbols_next(&next, &s))
		for (i = 0; i < MARKS && !s.module_len; i++)
			if (!at[i] && words_match(s.name, s.len, names[i]))
				at[i] = s.address;
}

/* The kernel's symbols have no sizes: outside of these ranges, an address may be anything. */
static void list_kernel(const struct jtrace_image_header *h)
{
	u64 then = le64_to_cpu(h->text), at[MARKS];
	u32 i;

	find_marks(at);
	/* This boot may not have told the address. */
	if (!then && map.this_boot)
		then = at[STEXT];
	map.shift = at[STEXT] - then;
	if (!at[STEXT] || !then || (map.this_boot && map.shift))
		return;
	for (i = 0; i < MARKS; i += 2)
		if (at[i] && at[i + 1] > at[i])
			add_range(&(struct memory_range) {
				.base = at[i] - map.shift, .size = at[i + 1] - at[i],
				.until = ~0ULL,
				.has = i == STEXT ? KERNEL_CODE :
				       i == INIT_START ? KERNEL_INIT : KERNEL_DATA,
			});
}

static void load(void)
{
	const struct jtrace_trace *t = map.t;
	struct jtrace_module m;
	u32 nr = 0;

	map.loaded = true;
	map.this_boot = is_this_boot(t->header.boot_id);
	map.same_build = map.this_boot || is_same_build(&t->header);
	if (map.same_build)
		list_kernel(&t->header);
	while ((nr = jtrace_module_next(&t->l, t->img, t->image_id, nr, &m)))
		list_module(&m);
}

/* At @border the answer may change. */
static void narrow(struct period *same, u64 time, u64 border)
{
	if (border <= time)
		same->from = max(same->from, border);
	else
		same->until = min(same->until, border);
}

/*
 * Find what an address was of at a time: what came last.  NULL if that is not known, or if two
 * things came at once.  If the clock jumped, only what was always there is known.
 */
static const struct memory_range *find_range(u64 address, u64 time, struct period *same)
{
	const struct memory_range *last = NULL, *r;
	bool alone = false;
	size_t i;

	if (!map.loaded)
		load();
	for (i = 0; i < map.nr_ranges; i++) {
		r = &map.range[i];
		if (address - r->base >= r->size)
			continue;
		if (map.t->astray && (r->from || r->until != ~0ULL))
			return NULL;
		narrow(same, time, r->from);
		narrow(same, time, r->until);
		if (time < r->from || time >= r->until)
			continue;
		if (last && r->from <= last->from) {
			alone &= r->from < last->from;
			continue;
		}
		last = r;
		alone = true;
	}
	return alone ? last : NULL;
}

/* ---- Names ------------------------------------------------------------ */

/**
 * struct found - the symbol of an address
 * @name: not terminated
 * @len: its length
 * @is_function: it is in code
 * @offset: of the address in it
 * @size: of it, as the kernel counts: up to the next one; 0 if that is not known
 * @module: that has it, empty for the kernel itself
 */
struct found {
	const char *name;
	size_t len;
	bool is_function;
	u64 offset;
	u64 size;
	const char *module;
};

/* @end: where code of the module ends; 0 for the kernel */
static bool find_kernel(struct found *f, const char *module, u64 address, bool function, u64 end)
{
	const struct symbol_line *s = find_symbol(module, address, function), *next;

	if (!s)
		return false;
	next = &map.symbol[find_behind(module, address)];
	if (next < map.symbol + map.nr_symbols && !compare_modules(next, module, strlen(module)) &&
	    (!end || next->address < end))
		end = next->address;
	*f = (struct found) {
		s->name, s->len, function, address - s->address, end ? end - s->address : 0, module,
	};
	return true;
}

static bool find_module(struct found *f, struct noted *n, u64 address)
{
	const u64 end = n->m.base[JTRACE_MODULE_TEXT] + n->m.size[JTRACE_MODULE_TEXT];
	const struct ko_symbol *s;
	char release[sizeof(map.t->header.release) + 1];

	if (n->odd)
		return false;
	if (!n->looked) {
		scnprintf(release, sizeof(release), "%.*s", (int)sizeof(map.t->header.release),
			  map.t->header.release);
		ko_load(&n->ko, &n->m, release);
		find_running(n);
		n->looked = true;
	}
	s = ko_find(&n->ko, address);
	if (s)
		*f = (struct found) {
			s->name, strlen(s->name), s->is_function, address - s->address,
			ko_extent(&n->ko, s, end), n->m.name,
		};
	return s || (!n->ko.nr && n->running &&
		     address - n->m.base[JTRACE_MODULE_TEXT] < n->m.size[JTRACE_MODULE_TEXT] &&
		     find_kernel(f, n->m.name, address + n->shift, true, end + n->shift));
}

/* Find the symbol that an address had at a time.  @init: it may have had it earlier */
static bool find_at(struct found *f, u64 address, u64 time, bool init, struct period *same)
{
	const struct memory_range *r;

	/* Addresses of 64-bit kernels. */
	if (!map.t || !(address >> 63))
		return false;
	r = find_range(address, time, same);
	if (!r || (r->has == KERNEL_INIT && !init))
		return false;
	if (r->has == MODULE)
		return find_module(f, &map.module[r->module], address);
	return find_kernel(f, "", address + map.shift, r->has != KERNEL_DATA, 0);
}

static void put_module(struct pen *p, const struct found *f)
{
	if (*f->module)
		pen_format(p, " [%s]", f->module);
	*p->at = 0;
}

/**
 * address_open() - prepare for the addresses in an image
 * @t: its trace, which stays until address_close()
 */
void address_open(const struct jtrace_trace *t)
{
	map.t = t;
}

/**
 * address_same_build() - did the build of the kernel that runs now record the image?
 *
 * Return: false also without address_open().
 */
bool address_same_build(void)
{
	if (!map.t)
		return false;
	if (!map.loaded)
		load();
	return map.same_build;
}

/**
 * address_symbol() - find the symbol that an address had at a time
 * @address: as recorded in the image of address_open()
 * @time: raw time
 * @to: result: "FUNCTION+0xOFFSET" or "VARIABLE", that with an offset if it is not 0, and
 *	" [MODULE]" if it is in one; the bytes are not escaped
 * @size: bytes of @to; %SYMBOL_TEXT suffices
 *
 * Reads the symbols of the kernel at the first call with an address of the kernel.
 *
 * Return: false if there is none, or if it is not known.
 */
bool address_symbol(u64 address, u64 time, char *to, size_t size)
{
	struct pen p = { to, to + size - 1 };
	struct period any = { .until = ~0ULL };
	struct found f;

	if (!find_at(&f, address, time, false, &any))
		return false;
	pen_bytes(&p, f.name, f.len);
	if (f.is_function || f.offset)
		pen_format(&p, "+0x%llx", f.offset);
	put_module(&p, &f);
	return true;
}

/**
 * address_frame() - find the function that a frame of a stack was in at a time
 * @address: of the frame
 * @exact: it is an instruction; else a return address: a call of a function that does not return
 *	may be the last instruction of its function, and the address that of another one
 * @time: raw time
 * @same: narrowed to the times around @time at which the result is the same
 * @to: result, as an oops writes it: "FUNCTION+0xOFFSET/0xSIZE", and " [MODULE]" if it is in one;
 *	the bytes are not escaped
 * @size: bytes of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if it is not known.
 */
bool address_frame(u64 address, bool exact, u64 time, struct period *same, char *to, size_t size)
{
	struct pen p = { to, to + size - 1 };
	struct found f;

	if (!find_at(&f, address - !exact, time, true, same) || !f.is_function)
		return false;
	pen_bytes(&p, f.name, f.len);
	pen_format(&p, "+0x%llx", f.offset + !exact);
	if (f.size)
		pen_format(&p, "/0x%llx", f.size);
	put_module(&p, &f);
	return true;
}

/**
 * address_close() - free what the symbols of an image needed
 */
void address_close(void)
{
	size_t i;

	for (i = 0; i < map.nr_modules; i++)
		ko_free(&map.module[i].ko);
	free(map.module);
	free(map.range);
	free(map.symbol);
	memset(&map, 0, sizeof(map));
}
