// SPDX-License-Identifier: GPL-2.0
/*
 * Names of numbers that each build of the kernel may have otherwise, from its BTF by libbpf.
 *
 * Only BTF of the running kernel is there, so the caller says whether the trace is of that build.
 */

#include "machine.h"

#ifdef JTRACE_LIBBPF

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#define GFP_PREFIX	"___GFP_"
#define GFP_SUFFIX	"_BIT"

static struct {
	bool read;
	struct btf *btf;
	const struct btf_type *drop;	/* enum skb_drop_reason */
	const char *gfp[32];		/* "___GFP_IO_BIT", by bit */
} types;

static const char *enum_name(const struct btf_type *t, u32 value)
{
	const struct btf_enum *e = btf_enum(t);
	u32 i;

	for (i = 0; i < btf_vlen(t); i++)
		if ((u32)e[i].val == value)
			return btf__name_by_offset(types.btf, e[i].name_off);
	return NULL;
}

/* Since 6.10 the bits are an enum, which has no name. */
static bool is_gfp(const struct btf_type *t)
{
	const char *name;

	if (!btf_vlen(t))
		return false;
	name = btf__name_by_offset(types.btf, btf_enum(t)->name_off);
	return name && !strncmp(name, GFP_PREFIX, strlen(GFP_PREFIX));
}

static void read_types(void)
{
	const struct btf_type *t;
	u32 id, nr, bit;
	s32 drop;

	types.read = true;
	/* Without messages of libbpf: without BTF there are numbers. */
	libbpf_set_print(NULL);
	types.btf = btf__parse(root_path("/sys/kernel/btf/vmlinux"), NULL);
	if (libbpf_get_error(types.btf)) {
		types.btf = NULL;
		return;
	}
	drop = btf__find_by_name_kind(types.btf, "skb_drop_reason", BTF_KIND_ENUM);
	if (drop > 0)
		types.drop = btf__type_by_id(types.btf, drop);
	nr = btf__type_cnt(types.btf);
	for (id = 1; id < nr; id++) {
		t = btf__type_by_id(types.btf, id);
		if (!btf_is_enum(t) || t->name_off || !is_gfp(t))
			continue;
		for (bit = 0; bit < ARRAY_SIZE(types.gfp); bit++)
			types.gfp[bit] = enum_name(t, bit);
	}
}

/**
 * enum_drop_reason() - name a reason for which the running kernel drops packets
 * @reason: number
 *
 * Return: its name without SKB_DROP_REASON_, or NULL.
 */
const char *enum_drop_reason(u32 reason)
{
	static const char prefix[] = "SKB_DROP_REASON_";
	const char *name;

	if (!types.read)
		read_types();
	name = types.drop ? enum_name(types.drop, reason) : NULL;
	return name && !strncmp(name, prefix, strlen(prefix)) ? name + strlen(prefix) : name;
}

/**
 * enum_gfp_bit() - name a flag of allocations in the running kernel
 * @bit: its number
 * @len: result: characters of the name
 *
 * Return: its name behind __GFP_, or NULL.
 */
const char *enum_gfp_bit(u32 bit, u32 *len)
{
	const char *name, *end;

	if (!types.read)
		read_types();
	name = bit < ARRAY_SIZE(types.gfp) ? types.gfp[bit] : NULL;
	end = name ? strstr(name, GFP_SUFFIX) : NULL;
	if (!end || strncmp(name, GFP_PREFIX, strlen(GFP_PREFIX)))
		return NULL;
	name += strlen(GFP_PREFIX);
	*len = end - name;
	/* The last one of the enum is their number. */
	return *len == strlen("LAST") && !memcmp(name, "LAST", *len) ? NULL : name;
}

#else

const char *enum_drop_reason(u32 reason)
{
	(void)reason;
	return NULL;
}

const char *enum_gfp_bit(u32 bit, u32 *len)
{
	(void)bit;
	(void)len;
	return NULL;
}

#endif /* JTRACE_LIBBPF */
