/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of "jtrace doctor" share. */
#ifndef _JTRACE_DOCTOR_H
#define _JTRACE_DOCTOR_H

#include "../tool.h"

/**
 * enum finding - result of a check
 * @FINE: nothing to change
 * @WARN: the trace may be lost, or be shown late
 * @LOSS: a reset would lose the trace, or jtrace records none
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
 * struct parameters - parameters of jtrace at the next boot
 * @any: at least one parameter is given
 * @persistent: enabled=persistent
 * @node: no place is given, but the device tree has a node
 * @region: mem_address and mem_size, or reg of the node; at most what jtrace uses
 * @name: mem_name
 * @held: a line of modprobe.d keeps modprobe from loading it; empty if there is none
 */
struct parameters {
	bool any;
	bool persistent;
	bool node;
	struct range region;
	char name[64];
	char held[128];
};

/**
 * struct facts - what several checks need
 * @loaded: the module is loaded
 * @persistent: its buffer is persistent
 * @region: region of the buffer, now or at the next boot; size 0 if unknown
 * @planned: @region is the one of the next boot
 * @node: the device tree has a node for jtrace
 * @handed: System RAM in @region is reserved for jtrace
 * @type: memory type: wb, wc, uc; empty if unknown
 * @name: mem_name; empty if not given
 * @cmdline: command line of the kernel
 * @reserved: ranges of memmap=nn$ss and memmap=nn%ss+2
 * @nr_reserved: number of ranges
 * @reserve_mem: the command line has reserve_mem=
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

/* doctor.c */
void read_module(struct facts *f);

/* facts.c */
void report(enum finding what, const char *check, const char *fmt, ...) __printf(3, 4);
const char *next_option(const char *from, const char *name, char *value, size_t size);
bool has_option(const struct facts *f, const char *name);
u64 parse_size(const char *text, const char **end);
bool loss_reported(void);

/* parameters.c */
bool has_node(void);
bool read_planned_parameters(struct parameters *p);
void check_parameters(struct facts *f);
bool find_refusal(char *why, size_t size);

/* memory.c */
bool covers(const struct range *r, const struct range *what);
bool kernel_knows_reserve_mem(char *release, size_t size);
bool firmware_has_ram(const struct range *r);

/* The same; call them in this order */
void check_memmap(struct facts *f);
void check_reserve_mem(struct facts *f);
void check_iomem(const struct facts *f);
void check_firmware(void);
void check_encryption(const struct facts *f);

/* setup.c */
void check_setup(const struct facts *f);

#endif /* _JTRACE_DOCTOR_H */
