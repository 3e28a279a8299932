/* SPDX-License-Identifier: GPL-2.0 */
/* What the checks of "jtrace doctor" share. */
#ifndef _JTRACE_DOCTOR_H
#define _JTRACE_DOCTOR_H

#include "tool.h"

/**
 * enum finding - what a check says
 * @FINE: no change needed
 * @WARN: the trace may be lost, or come to light later than need be
 * @LOSS: a reset would lose the trace, or there would be none
 */
enum finding {
	FINE,
	WARN,
	LOSS,
};

#define MAX_RANGES	16

/**
 * struct range - physical memory
 * @start: first byte
 * @size: bytes
 */
struct range {
	u64 start;
	u64 size;
};

/**
 * struct parameters - what the next boot loads jtrace with
 * @any: there are parameters
 * @persistent: enabled=persistent
 * @node: no place is given, and the device tree has a node
 * @region: mem_address and mem_size, or reg of the node; of it what jtrace uses
 * @name: mem_name
 */
struct parameters {
	bool any;
	bool persistent;
	bool node;
	struct range region;
	char name[64];
};

/**
 * struct facts - what several checks look at
 * @loaded: the module is
 * @persistent: and its buffer is
 * @region: that the buffer lies in, or will at the next boot; size 0 if not known
 * @planned: it is that of the next boot
 * @node: the device tree has a node for jtrace
 * @handed: System RAM in @region was reserved for jtrace
 * @type: how it is mapped: wb, wc, uc; empty if not known
 * @name: of a reserve_mem= region; empty if not known
 * @cmdline: of the kernel
 * @reserved: ranges that memmap=nn$ss or nn%ss+2 names
 * @nr_reserved: number of them
 * @reserve_mem: reserve_mem= is given
 */
struct facts {
	bool loaded;
	bool persistent;
	struct range region;
	bool planned;
	bool node;
	bool handed;
	char type[8];
	char name[64];
	char cmdline[16384];
	struct range reserved[MAX_RANGES];
	int nr_reserved;
	bool reserve_mem;
};

/* doctor_facts.c */
void report(enum finding what, const char *check, const char *fmt, ...) __printf(3, 4);
const char *next_option(const char *from, const char *name, char *value, size_t size);
bool has_option(const struct facts *f, const char *name);
u64 parse_size(const char *text, const char **end);
bool loss_reported(void);

/* doctor_conf.c */
void check_parameters(struct facts *f);
bool find_refusal(char *why, size_t size);

/* doctor_mem.c, in this order */
void check_memmap(struct facts *f);
void check_reserve_mem(struct facts *f);
void check_iomem(const struct facts *f);
void check_firmware(void);
void check_encryption(const struct facts *f);

#endif /* _JTRACE_DOCTOR_H */
