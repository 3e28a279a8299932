/* SPDX-License-Identifier: GPL-2.0 */
/* Types of the kernel, by libbpf. */
#ifndef _JTRACE_TOOL_BTF_H
#define _JTRACE_TOOL_BTF_H

#include <bpf/btf.h>

#include "../../lib/base/pen.h"
#include "probe.h"

/**
 * struct member - a member of a struct or union
 * @type: its type
 * @at: its offset, in bits
 * @bits: of a bit-field; 0: it is none
 */
struct member {
	u32 type;
	u64 at;
	u32 bits;
};

struct btf *btf_get(const char *module, struct refusal *r);
const char *btf_name(const struct btf *btf, u32 offset);
const struct btf_type *btf_plain(const struct btf *btf, u32 *id);
const struct btf_type *btf_complete(const struct btf *btf, u32 *id);
bool btf_is_char(const struct btf *btf, u32 id);
bool btf_member_find(const struct btf *btf, u32 id, const char *name, u32 n, struct member *m);
void btf_members_text(const struct btf *btf, u32 id, const char *name, u32 n, struct pen *pen);
void btf_type_text(const struct btf *btf, u32 id, char *to, size_t size);

const struct btf_param *prototype_param(const struct prototype *p, u32 nr);
bool prototype_can_fetch(const struct prototype *p, u32 nr, const char **why);

#endif /* _JTRACE_TOOL_BTF_H */
