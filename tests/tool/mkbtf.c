// SPDX-License-Identifier: GPL-2.0
/*
 * mkbtf - make the types of a kernel that does not exist
 *
 * Usage: mkbtf DIR old|new
 *
 * Writes DIR/vmlinux, and DIR/widget: those of a module.  In the two kernels, the members of
 * struct net_device and struct task_struct have other offsets.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

static struct btf *btf;
static bool is_new;

/* Types that others use. */
static int t_int, t_uint, t_char, t_u8, t_u16, t_u64, t_s64, t_bool, t_uchar, t_short;
static int t_device, t_skb, t_task, t_file, t_pair;

static int must(int id)
{
	if (id < 0) {
		fprintf(stderr, "mkbtf: %s\n", strerror(-id));
		exit(1);
	}
	return id;
}

static int ptr(int id)
{
	return must(btf__add_ptr(btf, id));
}

static int number(const char *name, int size, int encoding)
{
	return must(btf__add_int(btf, name, size, encoding));
}

static int array(int id, int nr)
{
	return must(btf__add_array(btf, t_int, id, nr));
}

/**
 * struct field - a member of a struct or union
 * @id: its type
 * @name: NULL for none
 * @at: offset in bytes
 * @bit: bits after it
 * @bits: of a bit-field
 */
struct field {
	int id;
	const char *name;
	int at;
	int bit;
	int bits;
};

/* The list ends with a member of type 0.  Members' types are there before the struct begins. */
static int composite(bool is_union, const char *name, int size, const struct field *f)
{
	int id = is_union ? btf__add_union(btf, name, size) : btf__add_struct(btf, name, size);

	must(id);
	for (; f->id; f++)
		must(btf__add_field(btf, f->name, f->id, 8 * f->at + f->bit, f->bits));
	return id;
}

#define M(id, name, at)			{ id, name, at, 0, 0 }
#define BITS(id, name, at, bit, bits)	{ id, name, at, bit, bits }
#define STRUCT(name, size, ...)						\
	composite(false, name, size, (struct field []){ __VA_ARGS__, M(0, NULL, 0) })
#define UNION(name, size, ...)						\
	composite(true, name, size, (struct field []){ __VA_ARGS__, M(0, NULL, 0) })

/* The list of names ends with NULL. */
static void function(const char *name, int result, const char *const *args, const int *types)
{
	int proto = must(btf__add_func_proto(btf, result));

	for (; *args; args++, types++)
		must(btf__add_func_param(btf, **args ? *args : NULL, *types));
	must(btf__add_func(btf, name, BTF_FUNC_STATIC, proto));
}

#define FUNCTION(name, result, args, ...) \
	function(name, result, (const char *const []){ args, NULL }, (int []){ __VA_ARGS__ })
#define ARGS(...)	__VA_ARGS__

static void add_numbers(void)
{
	t_int = number("int", 4, BTF_INT_SIGNED);
	t_uint = number("unsigned int", 4, 0);
	t_char = number("char", 1, 0);
	t_uchar = number("unsigned char", 1, 0);
	t_short = number("short", 2, BTF_INT_SIGNED);
	t_bool = number("_Bool", 1, BTF_INT_BOOL);
	t_s64 = number("long long", 8, BTF_INT_SIGNED);
	t_u64 = must(btf__add_typedef(btf, "u64", number("unsigned long long", 8, 0)));
	t_u8 = must(btf__add_typedef(btf, "u8", t_uchar));
	t_u16 = number("unsigned short", 2, 0);
}

static void add_device(void)
{
	int address = array(t_u8, 6), alias = ptr(must(btf__add_const(btf, t_char)));

	t_device = STRUCT("net_device", 512,
			  M(t_uint, "mtu", is_new ? 56 : 24),
			  M(address, "addr", 128),
			  M(alias, "alias", 144),
			  M(array(t_char, 16), "name", is_new ? 288 : 0));
}

/* The members of struct sk_buff: one of each kind that a path may end at, or go through. */
static void add_skb(void)
{
	int flavour, signs, op, stamps, lock;

	flavour = must(btf__add_enum(btf, "flavour", 4));
	must(btf__add_enum_value(btf, "SWEET", 1));
	signs = must(btf__add_enum64(btf, "signs", 8, true));
	must(btf__add_enum64_value(btf, "MINUS", -1));
	op = must(btf__add_func_proto(btf, t_int));
	stamps = STRUCT(NULL, 8, M(t_uint, "low", 0), M(t_uint, "high", 4));
	stamps = UNION(NULL, 8, M(t_u64, "stamp", 0), M(stamps, NULL, 0));
	lock = STRUCT(NULL, 8, M(t_int, "owned", 4));

	t_skb = STRUCT("sk_buff", 512,
		       M(ptr(must(btf__add_fwd(btf, "sk_buff", BTF_FWD_STRUCT))), "next", 0),
		       M(ptr(t_device), "dev", 16),
		       M(stamps, NULL, 32),
		       M(array(t_char, 48), "cb", 40),
		       M(t_uint, "len", 112),
		       BITS(t_uchar, "pkt_type", 128, 0, 3),
		       BITS(t_uchar, "cloned", 128, 3, 1),
		       BITS(t_short, "whole", 130, 0, 16),
		       M(array(t_u16, 4), "ports", 136),
		       M(array(ptr(t_device), 3), "devices", 144),
		       M(flavour, "flavour", 168),
		       M(signs, "signs", 176),
		       M(number("__int128", 16, BTF_INT_SIGNED), "wide", 192),
		       M(must(btf__add_float(btf, "double", 8)), "real", 208),
		       M(ptr(t_uchar), "data", 216),
		       M(ptr(must(btf__add_fwd(btf, "nowhere", BTF_FWD_STRUCT))), "lost", 224),
		       M(ptr(must(btf__add_fwd(btf, "file", BTF_FWD_STRUCT))), "owner", 232),
		       M(ptr(op), "destructor", 240),
		       M(ptr(must(btf__add_fwd(btf, "file", BTF_FWD_STRUCT))),
			 "a_pointer_with_a_long_name_here", 296),
		       M(lock, "sk_lock", 248),
		       M(t_bool, "flag", 256),
		       M(t_s64, "delta", 264),
		       M(ptr(0), "opaque", 272),
		       M(t_char, "letter", 280),
		       M(t_int, "an_exceedingly_long_name_of_a_member", 284),
		       M(array(t_u64, 0), "rest", 288));
}

/* Those of the two kernels have other numbers. */
static void add_enums(void)
{
	static const char * const gfp[] = {
		"DMA", "HIGH", "IO", "FS", "ZERO", "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "COMP", "LAST",
	};
	char name[64];
	int i;

	must(btf__add_enum(btf, "skb_drop_reason", 4));
	must(btf__add_enum_value(btf, "SKB_NOT_DROPPED_YET", 0));
	must(btf__add_enum_value(btf, "SKB_DROP_REASON_NO_SOCKET", is_new ? 3 : 2));
	must(btf__add_enum(btf, NULL, 4));
	must(btf__add_enum_value(btf, "ANOTHER_BIT", 0));
	must(btf__add_enum(btf, NULL, 4));
	for (i = 0; i < (int)(sizeof(gfp) / sizeof(*gfp)); i++) {
		snprintf(name, sizeof(name), "___GFP_%s_BIT", gfp[i]);
		must(btf__add_enum_value(btf, name, i + is_new));
	}
}

static void add_task(void)
{
	t_task = STRUCT("task_struct", 4096,
			M(t_int, "pid", is_new ? 1264 : 1256),
			M(array(t_char, 16), "comm", is_new ? 1752 : 1728));
}

static void add_file(void)
{
	int name = ptr(must(btf__add_const(btf, t_uchar)));
	int parent = ptr(must(btf__add_fwd(btf, "dentry", BTF_FWD_STRUCT)));
	int dentry, path;

	name = STRUCT("qstr", 16, M(t_uint, "len", 4), M(name, "name", 8));
	dentry = STRUCT("dentry", 64, M(parent, "d_parent", 0), M(name, "d_name", 32));
	path = STRUCT("path", 16, M(ptr(dentry), "dentry", 8));
	t_file = STRUCT("file", 64, M(t_uint, "f_mode", 0), M(t_uint, "rate", 4),
			M(path, "f_path", 16));
	t_pair = STRUCT("pair", 16, M(t_u64, "a", 0), M(t_u64, "b", 8));
}

static void add_functions(void)
{
	int skb = ptr(t_skb), device = ptr(t_device), task = ptr(t_task), file = ptr(t_file);
	int opaque = ptr(0);

	FUNCTION("ip_rcv", t_int, ARGS("skb", "dev", "pt", "in"), skb, device, opaque, device);
	FUNCTION("do_filp_open", file, ARGS("dfd", "name"), t_int, ptr(t_char));
	FUNCTION("many", 0, ARGS("a", "b", "c", "d", "e", "f", "g"),
		 t_int, t_bool, t_u64, t_s64, t_u8, t_short, t_int);
	FUNCTION("struck", 0, ARGS("hit", "arg1", "arg2"), t_int, t_int, t_int);
	FUNCTION("by_value", t_int, ARGS("before", "pair", "after"), skb, t_pair, skb);
	FUNCTION("nothing", 0, NULL, 0);
	FUNCTION("printk", t_int, ARGS("fmt", ""), ptr(t_char), 0);
	FUNCTION("nameless", t_int, ARGS("", "skb"), skb, skb);
	FUNCTION("twice", t_int, ARGS("skb"), skb);
	FUNCTION("shapes", t_int, ARGS("skb"), skb);
	FUNCTION("shapes", t_int, ARGS("dev"), device);
	FUNCTION("__traceiter_sched_switch", t_int,
		 ARGS("__data", "preempt", "prev", "next", "prev_state"),
		 opaque, t_bool, task, task, t_uint);
}

static void add_module(void)
{
	int pair = STRUCT("widget_pair", 8, M(t_int, "x", 0), M(t_u16, "y", 4));
	int widget = STRUCT("widget", 64, M(ptr(t_skb), "skb", 8), M(t_int, "id", 16),
			    M(array(pair, 3), "pairs", 24), M(t_u64, "total", 48),
			    BITS(t_uint, "flag", 56, 3, 1));

	FUNCTION("widget_poll", t_int, ARGS("w"), ptr(widget));
	FUNCTION("twice", t_int, ARGS("w"), ptr(widget));
	FUNCTION("__traceiter_widget_event", t_int, ARGS("__data", "w"), ptr(0), ptr(widget));
}

static void save(const char *dir, const char *name)
{
	char path[4096];
	const void *data;
	__u32 size;
	FILE *f;

	data = btf__raw_data(btf, &size);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!data || !f || fwrite(data, 1, size, f) != size || fclose(f)) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct btf *kernel;

	if (argc != 3) {
		fputs("usage: mkbtf DIR old|new\n", stderr);
		return 2;
	}
	is_new = !strcmp(argv[2], "new");
	kernel = btf__new_empty();
	btf = kernel;
	add_numbers();
	add_device();
	add_skb();
	add_task();
	add_enums();
	add_file();
	add_functions();
	save(argv[1], "vmlinux");
	btf = btf__new_empty_split(kernel);
	add_module();
	save(argv[1], "widget");
	btf__free(btf);
	btf__free(kernel);
	return 0;
}
