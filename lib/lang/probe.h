/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _JTRACE_PROBE_H
#define _JTRACE_PROBE_H

#include "clauses.h"
#include "fetch.h"

/* Most bytes of a probe's name, and of its place: MODULE:SYMBOL+OFFSET, or MODULE:GLOB. */
#define JTRACE_PROBE_NAME	63
#define JTRACE_PROBE_PLACE	JTRACE_FUNC_MAX

/* Registers in an entry, beside the number of the hit. */
#define JTRACE_PROBE_PART	3

/* What a probe watches; the letter that its definition begins with. */
enum jtrace_probe_source {
	JTRACE_PROBE_INSTRUCTION = 'p',
	JTRACE_PROBE_RETURN = 'r',
	JTRACE_PROBE_TRACEPOINT = 't',
	JTRACE_PROBE_WATCHPOINT = 'w',
	JTRACE_PROBE_FUNCTION = 'f',
};

/**
 * struct jtrace_probe_definition - a probe
 * @source: enum jtrace_probe_source
 * @name: of the probe
 * @module: of @symbol; empty: any, or the kernel
 * @symbol: function, tracepoint or variable, or which functions; empty: there is an @address
 * @offset: in the function or variable, bytes
 * @address: of the instruction or variable
 * @length: bytes that a watchpoint watches: 1, 2, 4 or 8
 * @program: what it records, and when
 * @clauses: see there
 */
struct jtrace_probe_definition {
	char source;
	char name[JTRACE_PROBE_NAME + 1];
	char module[JTRACE_PROBE_PLACE + 1];
	char symbol[JTRACE_PROBE_PLACE + 1];
	u64 offset;
	u64 address;
	u32 length;
	struct jtrace_program program;
	struct jtrace_clauses clauses;
};

/**
 * struct jtrace_probe_contexts - what the text may name, by source
 * @entry: at the first instruction of a function
 * @inside: at another one
 * @exit: at a return
 * @tracepoint: in a tracepoint
 * @watchpoint: behind a write; without @watchpoint.variables there are none
 * @function: at the first instruction of each of several functions
 */
struct jtrace_probe_contexts {
	struct jtrace_fetch_context entry;
	struct jtrace_fetch_context inside;
	struct jtrace_fetch_context exit;
	struct jtrace_fetch_context tracepoint;
	struct jtrace_fetch_context watchpoint;
	struct jtrace_fetch_context function;
};

bool jtrace_probe_parse(struct jtrace_probe_definition *d,
			const struct jtrace_probe_contexts *contexts, const char *text,
			struct jtrace_refusal *refusal);
size_t jtrace_probe_text(const struct jtrace_probe_definition *d,
			 const struct jtrace_probe_contexts *contexts, char *to, size_t size);
size_t jtrace_probe_tag(const struct jtrace_probe_definition *d, char *to, size_t size);
size_t jtrace_probe_place(const struct jtrace_probe_definition *d, char *to, size_t size);

u32 jtrace_probe_parts(const struct jtrace_probe_definition *d,
		       const struct jtrace_probe_contexts *contexts);
const struct jtrace_fetch_register *
jtrace_probe_part(const struct jtrace_probe_definition *d,
		  const struct jtrace_probe_contexts *contexts, u32 part, u32 *nr);
u32 jtrace_probe_part_site(const struct jtrace_probe_definition *d,
			   const struct jtrace_probe_contexts *contexts, u32 part, char *tag,
			   size_t size);

#endif /* _JTRACE_PROBE_H */
