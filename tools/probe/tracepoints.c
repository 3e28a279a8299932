// SPDX-License-Identifier: GPL-2.0
/* The tracepoints of the running kernel and of its modules, with their arguments, by BTF. */

#ifdef JTRACE_LIBBPF

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#include "btf.h"

/* The function that calls the probes of a tracepoint has its arguments, behind their data. */
#define CALLER	"__traceiter_"

struct line {
	struct line *next;
	char text[];
};

/**
 * struct listing - tracepoints that match
 * @glob: which ones; any of them must match
 * @globs: how many; 0: all
 * @line: a text each, in any order
 * @nr: how many
 * @text: of a tracepoint
 * @pen: writes it
 * @ok: false after an error
 */
struct listing {
	char **glob;
	u32 globs;
	struct line *line;
	u32 nr;
	char text[2048];
	struct pen pen;
	bool ok;
};

static bool glob_matches(const struct listing *l, const char *name)
{
	u32 i;

	for (i = 0; i < l->globs; i++)
		if (!fnmatch(l->glob[i], name, 0))
			return true;
	return !l->globs;
}

/* Write what libbpf prints, on one line. */
static void __printf(2, 0) put_printed(void *data, const char *fmt, va_list args)
{
	struct listing *l = data;
	char text[512], *c;

	vsnprintf(text, sizeof(text), fmt, args);
	for (c = text; *c; c++)
		pen_char(&l->pen, *c < 0x20 || *c > 0x7e ? ' ' : *c);
}

static void put_argument(struct listing *l, const struct btf *btf, struct btf_dump *dump,
			 const struct btf_param *p)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts,
		    .field_name = btf_name(btf, p->name_off));

	if (!p->name_off && !p->type)
		pen_text(&l->pen, "...");
	else if (btf_dump__emit_type_decl(dump, p->type, &opts))
		pen_text(&l->pen, "(not a type)");
	while (l->pen.at[-1] == ' ')
		l->pen.at--;
}

/* Keep the text. */
static void keep(struct listing *l)
{
	const size_t size = l->pen.at - l->text + 1;
	struct line *line = malloc(sizeof(*line) + size);

	if (!line) {
		l->ok = fail("no memory for the list of tracepoints");
		return;
	}
	memcpy(line->text, l->text, size);
	line->next = l->line;
	l->line = line;
	l->nr++;
}

/* Add "[MODULE:]NAME(TYPE ARGUMENT, ...)". */
static void add(struct listing *l, const char *module, const struct btf *btf,
		struct btf_dump *dump, const struct btf_type *t, const char *name)
{
	u32 i;

	l->pen = (struct pen){ l->text, l->text + sizeof(l->text) - 1 };
	pen_format(&l->pen, "%s%s%s(", module, *module ? ":" : "", name);
	for (i = 1; i < btf_vlen(t); i++) {
		if (i > 1)
			pen_text(&l->pen, ", ");
		put_argument(l, btf, dump, &btf_params(t)[i]);
	}
	pen_char(&l->pen, ')');
	*l->pen.at = 0;
	keep(l);
}

/* Add those of the kernel, or of a module, which are not in @base. */
static void list_in(struct listing *l, const char *module, const struct btf *btf,
		    const struct btf *base)
{
	struct btf_dump *dump = btf_dump__new(btf, put_printed, l, NULL);
	const struct btf_type *t;
	const char *name;
	u32 i;

	if (libbpf_get_error(dump)) {
		l->ok = fail("no memory for the types of %s", *module ? module : "the kernel");
		return;
	}
	for (i = base ? btf__type_cnt(base) : 1; l->ok && i < btf__type_cnt(btf); i++) {
		t = btf__type_by_id(btf, i);
		if (!t || !btf_is_func(t))
			continue;
		name = btf_name(btf, t->name_off);
		if (strncmp(name, CALLER, strlen(CALLER)) ||
		    !glob_matches(l, name + strlen(CALLER)))
			continue;
		t = btf__type_by_id(btf, t->type);
		if (t && btf_is_func_proto(t))
			add(l, module, btf, dump, t, name + strlen(CALLER));
	}
	btf_dump__free(dump);
}

/* Those of the modules that are loaded.  One whose types cannot be read is left out. */
static void list_modules(struct listing *l, const struct btf *kernel)
{
	static struct refusal r;
	DIR *dir = opendir(root_path("/sys/kernel/btf"));
	const struct dirent *entry;
	const struct btf *btf;

	while (dir && l->ok && (entry = readdir(dir))) {
		if (*entry->d_name == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		btf = btf_get(entry->d_name, &r);
		if (btf)
			list_in(l, entry->d_name, btf, kernel);
		else
			fail("warning: %s", r.why);
	}
	if (dir)
		closedir(dir);
}

static int by_text(const void *a, const void *b)
{
	return strcmp((*(struct line * const *)a)->text, (*(struct line * const *)b)->text);
}

static bool print_sorted(const struct listing *l)
{
	struct line **sorted = calloc(l->nr, sizeof(*sorted)), *line;
	u32 i = 0;

	if (!sorted)
		return fail("no memory for the list of tracepoints");
	for (line = l->line; line; line = line->next)
		sorted[i++] = line;
	qsort(sorted, l->nr, sizeof(*sorted), by_text);
	for (i = 0; i < l->nr; i++)
		puts(sorted[i]->text);
	free(sorted);
	return true;
}

static void free_lines(struct listing *l)
{
	struct line *line;

	while (l->line) {
		line = l->line;
		l->line = line->next;
		free(line);
	}
}

/**
 * tracepoints_print() - print the tracepoints of the running kernel, with their arguments
 * @glob: names with "*", "?" and "[...]"; those are printed that match one of them
 * @globs: how many; 0: print all
 *
 * Return: false, after a message, on an error, or if there is none.
 */
bool tracepoints_print(char **glob, u32 globs)
{
	struct listing l = { .glob = glob, .globs = globs, .ok = true };
	static struct refusal r;
	const struct btf *kernel = btf_get("", &r);

	if (!kernel)
		return fail("%s", r.why);
	list_in(&l, "", kernel, NULL);
	list_modules(&l, kernel);
	if (l.ok && !l.nr)
		l.ok = globs ? fail("no tracepoint has such a name: %s", glob[0]) :
			       fail("BTF has no tracepoints");
	l.ok = l.ok && print_sorted(&l);
	free_lines(&l);
	return l.ok;
}

#endif /* JTRACE_LIBBPF */
