/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of verify share. */
#ifndef _VERIFY_H
#define _VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_CPUS	256
#define MOST_SITE	2048
#define NS		1000000000LL

/* The line that is looked at. */
extern char line[8192];
extern unsigned long line_nr;

#define wrong(...)							\
do {									\
	fprintf(stderr, "verify: line %lu: ", line_nr);			\
	fprintf(stderr, __VA_ARGS__);					\
	fprintf(stderr, "\n%s\n", line);				\
	exit(1);							\
} while (0)

struct entry {
	long long ns;
	long long delta;
	unsigned int cpu;
	unsigned int tid;
	unsigned int arg[4];
	unsigned long long wide[2];
	bool large;
	char site[MOST_SITE];
	size_t tag_at;
};

bool begins(const char *s, const char *with);
const char *tag(const struct entry *e);

/* records.c */
extern bool opt_only_hammer;
extern bool opt_bracket;
extern long long opt_tolerance;

/*
 * Records of jtrace_hammer so far; how far times lie outside their brackets, or
 * (negative) within, at the least, and how many brackets there were.
 */
extern unsigned long hammers, brackets;
extern long long early, late;

void records_begin(void);
void check_record(const struct entry *e);
void read_progress(const char *name);
void check_progress(bool went_on);
/* Newest entries of a CPU of which none is missing; of the CPU that has the fewest. */
unsigned long records_unbroken(void);
/* Newest records of all CPUs of which none is missing. */
unsigned long records_since_gap(void);

#endif /* _VERIFY_H */
