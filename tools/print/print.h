/* SPDX-License-Identifier: GPL-2.0 */
/* Print a trace: text, JSON. */
#ifndef _JTRACE_PRINT_H
#define _JTRACE_PRINT_H

#include "../entries/entries.h"
#include "../image/image.h"

/**
 * struct gap - entries that were lost
 * @nr: how many
 * @most: not more than these
 */
struct gap {
	u64 nr;
	bool most;
};

/* What a line of a stack begins with: the width of a time. */
#define STACK_INDENT	"                 "

/* text.c, merged.c, json.c: outputs, see formats[] in cli/options.c */
void print_stack(const struct jtrace_trace *t, const struct jtrace_decoded *ev, FILE *to);
bool print_text(const struct jtrace_trace *t, FILE *to);
bool print_log(const struct jtrace_trace *t, FILE *to);
void print_missing(FILE *to, u64 missing);
void show_text(const struct dump *d);
void show_text_log(const struct dump *d);
void show_text_merged(const struct dump *d);
void show_text_new(const struct dump *d, bool first, const struct gap *gap);
void show_text_frame(const struct dump *d, const struct frame *f);
void json_put_bytes(FILE *to, const char *name, const char *text, size_t size);
void json_put_string(FILE *to, const char *name, const char *text);
void json_put_stack(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev);
void show_json(const struct dump *d);
void show_json_log(const struct dump *d);
void show_json_merged(const struct dump *d);
void show_json_new(const struct dump *d, bool first, const struct gap *gap);
void show_json_frame(const struct dump *d, const struct frame *f);

#endif /* _JTRACE_PRINT_H */
