// SPDX-License-Identifier: GPL-2.0
/*
 * The symbols of a module that an earlier boot had loaded, from its file.
 *
 * The image has the module's build id, where its four ranges of memory were, and where its struct
 * module was.  The kernel lays out the sections of the file in these ranges, in the order of the
 * file, by their flags (layout_sections() and its like in kernel/module/main.c).  The rules differ
 * a little between versions.  So each known one is tried: it is right if the section of the struct
 * module comes to lie where that was.  If none does, or if two of them disagree, there is no name:
 * a wrong one is worse.
 */

#include <stdlib.h>

#include "machine.h"

/* --modules: where to look for files of modules first; NULL for nowhere. */
const char *ko_folder;

/**
 * ko_is_named() - is a file named as that of a module, compressed or not?
 * @file: its name, which may have "-" where the module has "_"
 * @module: name of the module
 */
bool ko_is_named(const char *file, const char *module)
{
	for (; *module; file++, module++)
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	return !strcmp(file, ".ko") || !strncmp(file, ".ko.", 4);
}

#ifdef JTRACE_LIBELF

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <limits.h>
#include <unistd.h>

/* Most sections of a file: their numbers have 16 bits. */
#define SECTIONS	0xff00

/* A page of most machines; others have no names where a range is not full. */
#define PAGE_MOST	4096

/* Not in a range. */
#define NO_RANGE	JTRACE_MODULE_RANGES

/**
 * enum rule - how a kernel lays out sections
 * @SINCE_6_1: 6.1, and maybe before
 * @SINCE_7_2: .static_call_sites is read-only after init
 * @RULES: how many
 */
enum rule {
	SINCE_6_1,
	SINCE_7_2,
	RULES,
};

/**
 * struct ko_file - the file of a module
 * @elf: the file
 * @fd: of it
 * @names: index of the section with the names of sections
 * @nr: number of sections
 * @right: these rules are right
 * @address: of each section, by each rule; 0 if it is in no range
 */
struct ko_file {
	Elf *elf;
	int fd;
	size_t names;
	size_t nr;
	bool right[RULES];
	u64 *address[RULES];
};

/* ---- Where sections were ---------------------------------------------- */

static bool is_one_of(const char *name, const char * const *list)
{
	while (*list && strcmp(name, *list))
		list++;
	return *list;
}

/* The range of a section, or NO_RANGE. */
static u32 range_of(const char *name, const GElf_Shdr *h, enum rule rule)
{
	/* The kernel needs them while it loads the module, or keeps them elsewhere. */
	static const char * const dropped[] = {
		".modinfo", "__versions", "__version_ext_crcs", "__version_ext_names",
		".data..percpu", NULL
	};
	static const char * const ro_after_init[] = {
		".data..ro_after_init", "__jump_table", NULL
	};

	if (!(h->sh_flags & SHF_ALLOC) || is_one_of(name, dropped) ||
	    !strncmp(name, ".init", 5) || !strncmp(name, ".codetag.", 9))
		return NO_RANGE;
	if (is_one_of(name, ro_after_init) ||
	    (rule == SINCE_7_2 && !strcmp(name, ".static_call_sites")))
		return JTRACE_MODULE_RO_AFTER_INIT;
	if (h->sh_flags & SHF_EXECINSTR)
		return JTRACE_MODULE_TEXT;
	return h->sh_flags & SHF_WRITE ? JTRACE_MODULE_DATA : JTRACE_MODULE_RODATA;
}

/* Lay out the sections by a rule.  Is it the right one? */
static bool lay_out(struct ko_file *f, const struct jtrace_module *m, enum rule rule)
{
	u64 used[JTRACE_MODULE_RANGES] = { 0 }, align, at;
	bool right = false;
	Elf_Scn *s = NULL;
	const char *name;
	GElf_Ehdr e;
	GElf_Shdr h;
	u32 range, grows;

	if (!gelf_getehdr(f->elf, &e))
		return false;
	/* On arm64 the kernel adds to the text, behind the functions. */
	grows = e.e_machine == EM_AARCH64 ? JTRACE_MODULE_TEXT : JTRACE_MODULE_DATA;
	while ((s = elf_nextscn(f->elf, s))) {
		name = gelf_getshdr(s, &h) ? elf_strptr(f->elf, f->names, h.sh_name) : NULL;
		if (!name)
			return false;
		range = range_of(name, &h, rule);
		if (range == NO_RANGE)
			continue;
		align = h.sh_addralign ?: 1;
		at = (used[range] + align - 1) / align * align;
		if (align > U32_MAX || h.sh_size > m->size[range] ||
		    at > m->size[range] - h.sh_size)
			return false;
		used[range] = at + h.sh_size;
		f->address[rule][elf_ndxscn(s)] = m->base[range] + at;
		if (!strcmp(name, ".gnu.linkonce.this_module"))
			right = m->base[range] + at == m->module;
	}
	/* The address tells of the data; the other ranges have no room for one page more. */
	for (range = 0; right && range < JTRACE_MODULE_RANGES; range++)
		right = range == JTRACE_MODULE_DATA || range == grows ||
			m->size[range] - used[range] < PAGE_MOST;
	return right;
}

/* The address of a section, if it is the same by all rules that are right; else 0. */
static u64 section_address(const struct ko_file *f, size_t section)
{
	u64 address = 0;
	u32 i;

	if (section >= f->nr)
		return 0;
	for (i = 0; i < RULES; i++) {
		if (!f->right[i])
			continue;
		if (address && f->address[i][section] != address)
			return 0;
		address = f->address[i][section];
	}
	return address;
}

/* ---- Symbols ---------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
	const struct ko_symbol *l = left, *r = right;

	if (l->address != r->address)
		return l->address < r->address ? -1 : 1;
	/* Of several for the same bytes, the first one in the file is found. */
	return l->name < r->name ? 1 : -1;
}

static bool add_symbol(struct ko *ko, const struct ko_file *f, const GElf_Sym *y, const char *name)
{
	u64 section = section_address(f, y->st_shndx);
	u32 type = GELF_ST_TYPE(y->st_info);

	if (!section || type > STT_FUNC || !name ||
	    symbol_is_label(name, strlen(name)))
		return true;
	ko->symbol = array_grow(ko->symbol, ko->nr, sizeof(*ko->symbol));
	if (!ko->symbol)
		return false;
	ko->symbol[ko->nr++] = (struct ko_symbol) {
		section + y->st_value, y->st_size, type == STT_FUNC, name,
	};
	ko->longest = max(ko->longest, y->st_size);
	return true;
}

static bool list_symbols(struct ko *ko, const struct ko_file *f)
{
	Elf_Scn *s = NULL;
	Elf_Data *data;
	GElf_Shdr h;
	GElf_Sym y;
	int i;

	while ((s = elf_nextscn(f->elf, s))) {
		if (!gelf_getshdr(s, &h) || h.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(s, NULL);
		for (i = 0; data && gelf_getsym(data, i, &y); i++)
			if (!add_symbol(ko, f, &y, elf_strptr(f->elf, h.sh_link, y.st_name)))
				return false;
	}
	if (ko->nr)
		qsort(ko->symbol, ko->nr, sizeof(*ko->symbol), compare);
	return true;
}

/* ---- The file --------------------------------------------------------- */

static void file_close(struct ko_file *f)
{
	u32 i;

	for (i = 0; i < RULES; i++)
		free(f->address[i]);
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

/* Is it the build that the image names?  And lay it out. */
static bool file_suits(struct ko_file *f, const struct jtrace_module *m)
{
	const void *id;
	bool any = false;
	u32 i;

	if (!f->elf || dwelf_elf_gnu_build_id(f->elf, &id) != sizeof(m->build_id) ||
	    memcmp(id, m->build_id, sizeof(m->build_id)) || elf_getshdrstrndx(f->elf, &f->names) ||
	    elf_getshdrnum(f->elf, &f->nr) || f->nr > SECTIONS)
		return false;
	for (i = 0; i < RULES; i++) {
		f->address[i] = calloc(f->nr, sizeof(*f->address[i]));
		f->right[i] = f->address[i] && lay_out(f, m, i);
		any |= f->right[i];
	}
	return any;
}

/* The search for the file of a module; nftw() passes nothing on. */
static struct {
	const struct jtrace_module *m;
	struct ko *ko;
} search;

static bool try_file(const char *path)
{
	struct ko_file *f = calloc(1, sizeof(*f));

	if (!f)
		return false;
	elf_version(EV_CURRENT);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	/* Unpacks it, too. */
	f->elf = f->fd < 0 ? NULL : dwelf_elf_begin(f->fd);
	if (file_suits(f, search.m) && list_symbols(search.ko, f)) {
		search.ko->file = f;
		return true;
	}
	file_close(f);
	ko_free(search.ko);
	return false;
}

static int look_at(const char *path, const struct stat *st, int type, struct FTW *where)
{
	return type == FTW_F && S_ISREG(st->st_mode) &&
	       ko_is_named(path + where->base, search.m->name) && try_file(path);
}

/* A release names a folder; it is from the image. */
static bool is_folder(const char *release)
{
	return *release && *release != '.' && !strchr(release, '/');
}

/**
 * ko_load() - find the file of a module and its symbols
 * @ko: result, to be freed by ko_free()
 * @m: the module, of an image
 * @release: of its kernel
 *
 * Looks in @ko_folder, then in /lib/modules/@release.
 *
 * Return: false if there is no file of this build, or if it does not fit where the module was.
 */
bool ko_load(struct ko *ko, const struct jtrace_module *m, const char *release)
{
	char folder[128], real[PATH_MAX];

	*ko = (struct ko) { 0 };
	if (!m->has_id)
		return false;
	search.m = m;
	search.ko = ko;
	if (ko_folder && realpath(ko_folder, real) && nftw(real, look_at, 16, FTW_PHYS) == 1)
		return true;
	scnprintf(folder, sizeof(folder), "/lib/modules/%s", release);
	return is_folder(release) && nftw(root_path(folder), look_at, 16, FTW_PHYS) == 1;
}

#else

static void file_close(struct ko_file *f)
{
	(void)f;
}

/* See above. */
bool ko_load(struct ko *ko, const struct jtrace_module *m, const char *release)
{
	(void)m;
	(void)release;
	*ko = (struct ko) { 0 };
	return false;
}

#endif /* JTRACE_LIBELF */

/**
 * ko_find() - find the symbol at an address
 * @ko: the symbols
 * @address: as the image has it
 *
 * Return: the symbol, or NULL.
 */
const struct ko_symbol *ko_find(const struct ko *ko, u64 address)
{
	size_t from = 0, to = ko->nr, mid;

	/* The first one behind. */
	while (from < to) {
		mid = (from + to) / 2;
		if (ko->symbol[mid].address <= address)
			from = mid + 1;
		else
			to = mid;
	}
	while (from-- && address - ko->symbol[from].address < ko->longest)
		if (address - ko->symbol[from].address < ko->symbol[from].size)
			return &ko->symbol[from];
	return NULL;
}

/**
 * ko_extent() - find how far it is from a symbol to the next one
 * @ko: the symbols
 * @s: one of them
 * @end: of what follows the last one
 *
 * That is what the kernel takes for its size.
 *
 * Return: bytes.
 */
u64 ko_extent(const struct ko *ko, const struct ko_symbol *s, u64 end)
{
	const struct ko_symbol *next = s, *behind = ko->symbol + ko->nr;

	while (next < behind && next->address == s->address)
		next++;
	/* Data may follow that lies elsewhere. */
	if (s->address < end && (next == behind || next->address > end))
		return end - s->address;
	return next < behind ? next->address - s->address : s->size;
}

/**
 * ko_free() - free the symbols of a module
 * @ko: from ko_load(), also if that failed
 */
void ko_free(struct ko *ko)
{
	free(ko->symbol);
	if (ko->file)
		file_close(ko->file);
	*ko = (struct ko) { 0 };
}
