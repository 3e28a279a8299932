// SPDX-License-Identifier: GPL-2.0
/* What needs the types of the kernel, for a build without libbpf. */

#ifndef JTRACE_LIBBPF

#include "probe.h"

static const char why[] = "names need libbpf, and this jtrace was built without it: use $arg1, $arg2, ..., or install libbpf-dev and build jtrace again";

/* See fetch.c. */
bool path_fetch(const struct path *path, const struct place *place, FILE *to, struct refusal *r)
{
	(void)place;
	(void)to;
	return refuse(r, path->from, "%s", why);
}

/* See fetch.c. */
bool path_place(const struct path *path, const struct place *place, u64 *offset, u64 *size,
		struct refusal *r)
{
	(void)place;
	(void)offset;
	(void)size;
	return refuse(r, path->from, "types need libbpf, and this jtrace was built without it: use VARIABLE+OFFSET:LENGTH, or install libbpf-dev and build jtrace again");
}

/* See btf.c. */
bool prototype_find(struct prototype *p, const char *module, const char *name, bool tracepoint,
		    struct refusal *r)
{
	(void)p;
	(void)module;
	(void)name;
	(void)tracepoint;
	return refuse(r, 0, "%s", why);
}

/* See btf.c. */
void prototype_print(const struct prototype *p, bool tracepoint)
{
	(void)p;
	(void)tracepoint;
}

/* See tracepoints.c. */
bool tracepoints_print(char **glob, u32 globs)
{
	(void)glob;
	(void)globs;
	return fail("arguments of tracepoints need libbpf, and this jtrace was built without it: install libbpf-dev and build jtrace again");
}

#endif /* JTRACE_LIBBPF */
