// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of addresses in the code of the kernel that recorded an image.
 *
 * The symbols are those of the running kernel, so they are the right ones in two cases: this boot
 * recorded the image, or an earlier boot of the same build of the kernel.  Then the image tells
 * where that boot had the kernel and its modules.  An address has no symbol if there is any doubt:
 * a wrong name is worse than none.
 */

#include <stdlib.h>

#include "../../lib/base/words.h"
#include "../machine/machine.h"
#include "entries.h"

/* Code of a module ends with a page. */
#define PAGE		4096

/**
 * struct code - the code of the kernel or of a module, in the boot that recorded
 * @base: its first address
 * @size: bytes
 * @shift: what to add to find it in this boot
 * @known: this boot has the same code
 * @module: its name; empty for the kernel itself
 */
struct code {
	u64 base;
	u64 size;
	u64 shift;
	bool known;
	char module[MODULE_SIZE];
};

static struct {
	const struct jtrace_trace *t;	/* NULL without symbols, or before address_open() */
	bool loaded;
	bool this_boot;
	struct code *code;
	size_t nr_codes;
	struct symbol_line *symbol;	/* sorted */
	size_t nr_symbols;
} map;

/* ---- Is it the same build? -------------------------------------------- */

static bool is_same_build(const struct jtrace_image_header *h)
{
	char now[2 * BUILD_ID_SIZE + 1], then[2 * BUILD_ID_SIZE + 1];
	u32 i, any = 0;

	for (i = 0; i < BUILD_ID_SIZE; i++) {
		sprintf(then + 2 * i, "%02x", h->build_id[i]);
		any |= h->build_id[i];
	}
	read_build_id("/sys/kernel/notes", now);
	return any && !strcmp(now, then);
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

/* Is the module that this record describes loaded now, and where? */
static void find_module(struct code *c, const char *build_id)
{
	char path[128], now[2 * BUILD_ID_SIZE + 1];
	u64 base = module_base(c->module);

	scnprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", c->module);
	read_build_id(path, now);
	c->shift = base - c->base;
	/* Kernels without build ids of modules: one that is still in its place is the same. */
	c->known = base && (*build_id ? !strcmp(now, build_id) : map.this_boot && !c->shift);
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

/* Labels of compilers, not functions. */
static bool is_label(const struct symbol_line *s)
{
	return !s->len || *s->name == '$' || (s->len > 1 && !memcmp(s->name, ".L", 2));
}

static void list_symbols(void)
{
	const char *at = NULL;
	struct symbol_line s;

	while (symbols_next(&at, &s)) {
		/* Data of the kernel lies elsewhere. */
		if (is_label(&s) || (!s.is_function && !s.module_len))
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

/* The function of an address of this boot; NULL if there is none. */
static const struct symbol_line *find_function(const char *module, u64 address)
{
	size_t behind = find_behind(module, address);
	const struct symbol_line *next = &map.symbol[behind], *s;
	u32 len = strlen(module);

	if (!behind)
		return NULL;
	s = next - 1;
	if (compare_modules(s, module, len) || !s->is_function)
		return NULL;
	/* Where data follows, or nothing, the function ends somewhere in its page. */
	if (len && (behind == map.nr_symbols || compare_modules(next, module, len) ||
		    !next->is_function) && address / PAGE != s->address / PAGE)
		return NULL;
	return s;
}

/* ---- Where code was --------------------------------------------------- */

static struct code *add_code(void)
{
	map.code = array_grow(map.code, map.nr_codes, sizeof(*map.code));
	if (!map.code) {
		map.nr_codes = 0;
		return NULL;
	}
	map.code[map.nr_codes] = (struct code) { 0 };
	return &map.code[map.nr_codes++];
}

static bool is_module_name(const char *name)
{
	size_t n = 0;

	while (words_is_name(name[n]))
		n++;
	return n && !name[n] && n < MODULE_SIZE;
}

/* Modules as the image tells. */
static void list_noted(const struct jtrace_trace *t)
{
	unsigned long long base, size;
	struct jtrace_site_text m;
	struct code *c;
	u32 nr = 0;

	while ((nr = jtrace_site_next_module(&t->l, t->img, t->image_id, nr, &m))) {
		if (sscanf(m.func, "%llx+%llx", &base, &size) != 2)
			continue;
		c = add_code();
		if (!c)
			return;
		c->base = base;
		c->size = size;
		/* An odd name: something is there, but unknown. */
		if (is_module_name(m.tag)) {
			scnprintf(c->module, sizeof(c->module), "%s", m.tag);
			find_module(c, m.file);
		}
	}
}

/* Where does the page of a module's last function end? */
static u64 module_end(const char *module)
{
	u32 len = strlen(module);
	size_t i = find_behind(module, ~0ULL);

	while (i && !compare_modules(&map.symbol[i - 1], module, len)) {
		if (map.symbol[--i].is_function)
			return ALIGN(map.symbol[i].address + 1, PAGE);
	}
	return 0;
}

/* Modules of this boot, for an image that does not tell them. */
static void list_loaded(void)
{
	FILE *f = fopen(root_path("/proc/modules"), "re");
	char module[MODULE_SIZE];
	struct code *c;
	u64 base, end;

	while (f && read_module(f, module, &base)) {
		end = module_end(module);
		c = base && end > base ? add_code() : NULL;
		if (!c)
			continue;
		c->base = base;
		c->size = end - base;
		c->known = true;
		scnprintf(c->module, sizeof(c->module), "%s", module);
	}
	if (f)
		fclose(f);
}

/* Address of a symbol of the kernel itself; 0 if there is none.  On arm64, _etext is data. */
static u64 kernel_symbol(const char *name)
{
	const char *at = NULL;
	struct symbol_line s;

	while (symbols_next(&at, &s))
		if (!s.module_len && words_match(s.name, s.len, name))
			return s.address;
	return 0;
}

static void list_kernel(const struct jtrace_trace *t)
{
	u64 from = kernel_symbol("_stext"), to = kernel_symbol("_etext");
	u64 then = le64_to_cpu(t->header.text);
	struct code *c;

	/* This boot may not have told the address. */
	if (!then && map.this_boot)
		then = from;
	if (!from || to <= from || !then || (map.this_boot && then != from))
		return;
	c = add_code();
	if (!c)
		return;
	c->base = then;
	c->size = to - from;
	c->shift = from - then;
	c->known = true;
}

/* The code at an address of the image; NULL if it is unknown, or if there was more than one. */
static const struct code *find_code(u64 address)
{
	const struct code *c = NULL;
	size_t i;

	for (i = 0; i < map.nr_codes; i++) {
		if (address - map.code[i].base >= map.code[i].size)
			continue;
		if (c)
			return NULL;
		c = &map.code[i];
	}
	return c && c->known ? c : NULL;
}

static void load(void)
{
	map.loaded = true;
	map.this_boot = is_this_boot(map.t->header.boot_id);
	if (!map.this_boot && !is_same_build(&map.t->header))
		return;
	list_symbols();
	list_kernel(map.t);
	/* Only an image in reserved memory tells them. */
	if (map.this_boot && !(le32_to_cpu(map.t->header.compat) & JTRACE_COMPAT_PERSISTENT))
		list_loaded();
	else
		list_noted(map.t);
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
 * address_known() - can any address in the image have a symbol?
 *
 * Return: false if the symbols of the kernel that recorded are not known.
 */
bool address_known(void)
{
	size_t i;

	if (!map.t)
		return false;
	if (!map.loaded)
		load();
	for (i = 0; i < map.nr_codes; i++)
		if (map.code[i].known)
			return true;
	return false;
}

/**
 * address_symbol() - find the symbol of an address in code
 * @address: as recorded in the image of address_open()
 * @to: result: "SYMBOL+0xOFFSET", with " [MODULE]" if it is in one; the bytes are not escaped
 * @size: bytes of @to; %SYMBOL_TEXT suffices
 *
 * Reads the symbols of the kernel at the first call with an address of the kernel.
 *
 * Return: false if there is none, or if it is not known.
 */
bool address_symbol(u64 address, char *to, size_t size)
{
	const struct symbol_line *s;
	const struct code *c;

	/* Addresses of 64-bit kernels. */
	if (!map.t || !(address >> 63))
		return false;
	if (!map.loaded)
		load();
	c = find_code(address);
	s = c ? find_function(c->module, address + c->shift) : NULL;
	if (!s)
		return false;
	scnprintf(to, size, "%.*s+0x%llx", (int)s->len, s->name, address + c->shift - s->address);
	if (*c->module)
		scnprintf(to + strlen(to), size - strlen(to), " [%s]", c->module);
	return true;
}

/**
 * address_close() - free what the symbols of an image needed
 */
void address_close(void)
{
	free(map.code);
	free(map.symbol);
	memset(&map, 0, sizeof(map));
}
