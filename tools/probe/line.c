// SPDX-License-Identifier: GPL-2.0
/* A line of a module's source: find the instruction by the debug information of its .ko file. */

#include "probe.h"

#ifdef JTRACE_LIBDW

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>

#include <elfutils/libdwfl.h>
#include <sys/utsname.h>

#include "../../lib/base/pen.h"

/* Most functions of a line that a message shows. */
#define MOST_SHOWN	4

/* What find_file() looks for, and what it has found. */
static const char *wanted;
static char found[4096];

static int find_file(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	if (type != FTW_F || !ko_is_named(path + where->base, wanted))
		return 0;
	scnprintf(found, sizeof(found), "%s", path);
	return 1;
}

/* Find the module below /lib/modules. */
static bool find_module(const struct place *p, struct refusal *r)
{
	char folder[4096], rel[128];
	struct utsname uts;
	const char *suffix;

	uname(&uts);
	scnprintf(rel, sizeof(rel), "/lib/modules/%s", uts.release);
	scnprintf(folder, sizeof(folder), "%s", root_path(rel));
	wanted = p->module;
	if (nftw(folder, find_file, 16, FTW_PHYS) != 1)
		return refuse(r, p->at, "%s has no %s.ko: name it with --module", folder,
			      p->module);
	suffix = strrchr(found, '.');
	return !strcmp(suffix, ".ko") ||
	       refuse(r, p->at, "%s is compressed: unpack it, and name it with --module", found);
}

/**
 * struct spots - the instructions of a line
 * @place: result: function and offset of the first one
 * @functions: how many functions have one: more than one if it is inlined
 * @pen: their names
 */
struct spots {
	struct place *place;
	u32 functions;
	struct pen pen;
};

/* Add the instruction at @address. */
static void add_spot(struct spots *s, Dwfl_Module *module, Dwarf_Addr address)
{
	const char *name;
	GElf_Off offset;
	GElf_Sym symbol;

	name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
	if (!name)
		return;
	if (s->functions && !strcmp(name, s->place->symbol)) {
		s->place->offset = min_t(u64, s->place->offset, offset);
		return;
	}
	if (s->functions < MOST_SHOWN)
		pen_format(&s->pen, " %s+0x%llx", name, (unsigned long long)offset);
	if (s->functions++)
		return;
	scnprintf(s->place->symbol, sizeof(s->place->symbol), "%s", name);
	s->place->offset = offset;
}

static bool find_line(Dwfl_Module *module, struct place *p, const char *path, struct refusal *r)
{
	Dwfl_Line **line = NULL;
	struct spots s = { .place = p };
	char text[1024];
	Dwarf_Addr address, bias;
	size_t nr = 0, i;
	int number = 0;

	if (!dwfl_module_getdwarf(module, &bias))
		return refuse(r, p->at, "%s has no debug information: name one that has it with --module", path);
	s.pen = (struct pen) { text, text + sizeof(text) - 1 };
	dwfl_module_getsrc_file(module, p->file, p->line, 0, &line, &nr);
	for (i = 0; i < nr; i++)
		if (dwfl_lineinfo(line[i], &address, &number, NULL, NULL, NULL) &&
		    number == (int)p->line)
			add_spot(&s, module, address);
	free(line);
	*s.pen.at = 0;
	if (!s.functions && nr)
		return refuse(r, p->at, "%s has no code for line %u; the next line with code is %d",
			      p->file, p->line, number);
	if (!s.functions)
		return refuse(r, p->at, "%s has no code of %s from line %u on", path, p->file,
			      p->line);
	return s.functions == 1 ||
	       refuse(r, p->at, "line %u of %s is in %u functions:%s; name one of these", p->line,
		      p->file, s.functions, text);
}

/* Lines of another build than the loaded module are at other places. */
static bool is_loaded_build(Dwfl_Module *module, const struct place *p, const char *path,
			    struct refusal *r)
{
	u8 loaded[JTRACE_BUILD_ID_SIZE];
	const unsigned char *id;
	char notes[256];
	GElf_Addr address;

	scnprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", p->module);
	return !read_build_id(notes, loaded) ||
	       dwfl_module_build_id(module, &id, &address) != sizeof(loaded) ||
	       !memcmp(loaded, id, sizeof(loaded)) ||
	       refuse(r, p->at, "%s is not the build of %s that is loaded: name that one with --module",
		      path, p->module);
}

/**
 * line_find() - find the instruction of a line
 * @p: has the module, the file and the line; function and offset are filled
 * @path: of the .ko file; NULL to find it below /lib/modules
 * @r: filled on an error
 */
bool line_find(struct place *p, const char *path, struct refusal *r)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl_Module *module;
	Dwfl *dwfl;
	bool ok;

	if (!path) {
		if (!find_module(p, r))
			return false;
		path = found;
	}
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return refuse(r, p->at, "libdw: %s", dwfl_errmsg(-1));
	module = dwfl_report_offline(dwfl, "", path, -1);
	ok = module ? is_loaded_build(module, p, path, r) && find_line(module, p, path, r) :
	     refuse(r, p->at, "%s: %s", path, dwfl_errmsg(-1));
	dwfl_end(dwfl);
	return ok;
}

#else

/* See above. */
bool line_find(struct place *p, const char *path, struct refusal *r)
{
	(void)path;
	return refuse(r, p->at, "lines need libdw, and this jtrace was built without it: install libdw-dev and build jtrace again");
}

#endif /* JTRACE_LIBDW */
