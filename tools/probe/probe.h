/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of jtrace probe share. */
#ifndef _JTRACE_TOOL_PROBE_H
#define _JTRACE_TOOL_PROBE_H

#include "../../lib/lang/context.h"
#include "../base/base.h"
#include "../machine/machine.h"

/* Most bytes of a source file's name, with NUL. */
#define FILE_SIZE	256

/**
 * struct refusal - why a definition is refused
 * @at: offset in its text, in bytes
 * @why: in words
 */
struct refusal {
	u32 at;
	char why[1024];
};

/* context.c */
const struct jtrace_probe_contexts *machine_contexts(void);

/* refuse.c */
bool refuse(struct refusal *r, u32 at, const char *fmt, ...) __printf(3, 4);

/* btf.c: without libbpf, its functions only say so */

struct btf;

/**
 * struct prototype - arguments and return type of a function or a tracepoint, by BTF
 * @btf: that has it; lives until the end of the program
 * @id: of the BTF_KIND_FUNC_PROTO
 * @first: parameters before the first argument
 * @nr: arguments
 * @most: of them that a probe can fetch
 */
struct prototype {
	const struct btf *btf;
	u32 id;
	u32 first;
	u32 nr;
	u32 most;
};

bool prototype_find(struct prototype *p, const char *module, const char *name, bool tracepoint,
		    struct refusal *r);
void prototype_print(const struct prototype *p, bool tracepoint);

/* tracepoints.c: the same */
bool tracepoints_print(char **glob, u32 globs);

/* place.c */

/**
 * struct place - the first two words of a definition: what it probes
 * @source: enum jtrace_probe_source
 * @at: offset of the second word in the definition, in bytes
 * @end: offset of what follows it
 * @line: of @file; 0: the place is no line
 * @file: of the source, empty if there is no @line
 * @module: given with the symbol; empty if not
 * @symbol: function, tracepoint or variable; empty: there is an @address
 * @offset: in the function or variable, bytes
 * @address: of an instruction or variable
 * @type: of the variable, if the text has one
 * @length: of the watchpoint, in bytes; 0: not known
 */
struct place {
	char source;
	u32 at;
	u32 end;
	u32 line;
	char file[FILE_SIZE];
	char module[MODULE_SIZE];
	char symbol[SYMBOL_SIZE];
	u64 offset;
	u64 address;
	char type[SYMBOL_SIZE];
	u32 length;
};

/* Most addresses of one name that a message shows. */
#define PLACE_MOST_SHOWN	8

extern const char *module_file;

void place_parse(struct place *p, const char *text);
void place_take(struct place *p, const struct jtrace_probe_definition *d);
bool place_resolve(struct place *p, struct refusal *r);
bool place_refuse_ambiguous(const struct place *p, const char *what, const struct symbol *list,
			    u32 nr, struct refusal *r);
bool place_check(const struct place *p, struct refusal *r);
bool place_prototype(const struct place *p, struct prototype *proto, struct refusal *r);
bool place_print(const char *text, struct refusal *r);

/* watch.c */
bool watch_resolve(struct place *p, const char *text, struct refusal *r);

/* line.c */
bool line_find(struct place *p, const char *path, struct refusal *r);

/* path.c */

/**
 * struct path - an argument, a return value or a variable, and members: NAME.MEMBER[N]...
 * @text: the definition
 * @from: offset of the first byte in @text
 * @to: offset of the first byte behind it
 * @members: offset of what follows the name of a variable
 * @type: enum jtrace_field_type, 0 to take the type that BTF tells
 */
struct path {
	const char *text;
	u32 from;
	u32 to;
	u32 members;
	u32 type;
};

u32 path_root(const char *at);
bool path_skip(const char *text, u32 *at, struct refusal *r);
bool path_members(const char *text, u32 *at, struct refusal *r);
bool path_fetch(const struct path *path, const struct place *place, FILE *to, struct refusal *r);
bool path_place(const struct path *path, const struct place *place, u64 *offset, u64 *size,
		struct refusal *r);

/* name.c */

void field_make(const struct jtrace_program *p, const char *path, u32 n,
		char name[JTRACE_FETCH_NAME + 1]);

/* text.c */
char *probe_text(const char *line, struct refusal *r);

/* boot.c */
bool boot_mark(void);
bool boot_arm(bool mark);
bool boot_guard(void);

/* define.c */
extern bool print_only;

bool probe_take(const char *where, const char *line);
bool probe_take_again(const char *where, const char *line);
bool probe_delete(const char *name);

/* verb.c */
bool run_probe(int argc, char **argv);

/* event.c */
bool run_event(int argc, char **argv);

#endif /* _JTRACE_TOOL_PROBE_H */
