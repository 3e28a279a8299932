// SPDX-License-Identifier: GPL-2.0
/* A variable of a loaded module: its file has the symbol, /sys/module where its section is. */

#include "machine.h"

#ifdef JTRACE_LIBELF

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The search for a variable: its module, name, address and size; nftw() passes nothing on. */
static struct {
	const char *module;
	const char *name;
	u64 *address;
	u64 *size;
} search;

/* Where the kernel has put a section; 0: not known. */
static u64 section_address(const char *section)
{
	char path[256], text[32] = "";
	FILE *f;

	scnprintf(path, sizeof(path), "/sys/module/%s/sections/%s", search.module, section);
	f = fopen(root_path(path), "re");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return strtoull(text, NULL, 16);
}

/* Is it the build that is loaded?  One without a build id may be. */
static bool is_loaded_build(Elf *elf)
{
	u8 loaded[JTRACE_BUILD_ID_SIZE];
	char notes[256];
	const void *id;

	scnprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", search.module);
	return !read_build_id(notes, loaded) ||
	       (dwelf_elf_gnu_build_id(elf, &id) == sizeof(loaded) &&
		!memcmp(loaded, id, sizeof(loaded)));
}

/* Take a symbol if it is the variable. */
static bool take_symbol(Elf *elf, size_t names, const GElf_Sym *y, const char *name)
{
	const char *section;
	u64 address;
	GElf_Shdr h;

	if (!name || strcmp(name, search.name) || GELF_ST_TYPE(y->st_info) != STT_OBJECT)
		return false;
	section = gelf_getshdr(elf_getscn(elf, y->st_shndx), &h) ?
		  elf_strptr(elf, names, h.sh_name) : NULL;
	/* That memory is freed after the init function. */
	address = section && strncmp(section, ".init", 5) ? section_address(section) : 0;
	if (!address)
		return false;
	*search.address = address + y->st_value;
	*search.size = y->st_size;
	return true;
}

/* Only one symbol of this name will do. */
static bool find_symbol(Elf *elf)
{
	Elf_Scn *s = NULL;
	Elf_Data *data;
	size_t names;
	GElf_Shdr h;
	GElf_Sym y;
	u32 nr = 0;
	int i;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((s = elf_nextscn(elf, s))) {
		if (!gelf_getshdr(s, &h) || h.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(s, NULL);
		for (i = 0; data && gelf_getsym(data, i, &y); i++)
			nr += take_symbol(elf, names, &y, elf_strptr(elf, h.sh_link, y.st_name));
	}
	return nr == 1;
}

static bool try_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;
	Elf *elf;

	elf_version(EV_CURRENT);
	/* Unpacks it, too. */
	elf = fd < 0 ? NULL : dwelf_elf_begin(fd);
	if (elf)
		found = is_loaded_build(elf) && find_symbol(elf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

static int look_at(const char *path, const struct stat *st, int type, struct FTW *where)
{
	return type == FTW_F && S_ISREG(st->st_mode) &&
	       ko_is_named(path + where->base, search.module) && try_file(path);
}

/**
 * ko_variable() - find a variable of a loaded module by the module's file
 * @module: its name
 * @file: its file; NULL to find it below /lib/modules
 * @name: of the variable
 * @address: result
 * @size: result, in bytes
 *
 * Return: false if there is none, if there are two, or if it is not known where it is.
 */
bool ko_variable(const char *module, const char *file, const char *name, u64 *address, u64 *size)
{
	struct utsname uts;
	char folder[128];

	search.module = module;
	search.name = name;
	search.address = address;
	search.size = size;
	if (file)
		return try_file(file);
	uname(&uts);
	scnprintf(folder, sizeof(folder), "/lib/modules/%s", uts.release);
	return nftw(root_path(folder), look_at, 16, FTW_PHYS) == 1;
}

#else

/* See above. */
bool ko_variable(const char *module, const char *file, const char *name, u64 *address, u64 *size)
{
	(void)module;
	(void)file;
	(void)name;
	(void)address;
	(void)size;
	return false;
}

#endif /* JTRACE_LIBELF */
