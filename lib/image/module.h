/* SPDX-License-Identifier: GPL-2.0 */
/* Modules that were loaded: records in the site table. */
#ifndef _JTRACE_MODULE_H
#define _JTRACE_MODULE_H

#include "site.h"

/**
 * struct jtrace_module - a module that was loaded
 * @name: its name; as it is read, the bytes are not checked
 * @has_id: its file has a build id
 * @build_id: see @has_id
 * @module: address of its struct module
 * @from: when it was loaded, raw time; 0: before jtrace
 * @until: when it was unloaded, raw time; ~0 if it was not
 * @base: of each range, see enum jtrace_module_range
 * @size: of each range, bytes; 0 if there is none
 */
struct jtrace_module {
	char name[JTRACE_TAG_MAX + 1];
	bool has_id;
	u8 build_id[JTRACE_BUILD_ID_SIZE];
	u64 module;
	u64 from;
	u64 until;
	u64 base[JTRACE_MODULE_RANGES];
	u32 size[JTRACE_MODULE_RANGES];
};

bool jtrace_module_find_id(const void *data, u32 size, u8 id[JTRACE_BUILD_ID_SIZE]);
void jtrace_module_note(struct jtrace_sites *s, const struct jtrace_module *m, bool late);
void jtrace_module_end(struct jtrace_sites *s, u64 module, u64 until);
u64 jtrace_module_changed(const void *at, u64 len);
u32 jtrace_module_next(const struct jtrace_layout *l, const void *img, u64 image_id, u32 number,
		       struct jtrace_module *m);

#endif /* _JTRACE_MODULE_H */
