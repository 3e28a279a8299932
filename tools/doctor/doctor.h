/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of "jtrace doctor" share. */
#ifndef _JTRACE_DOCTOR_H
#define _JTRACE_DOCTOR_H

#include "../machine/machine.h"

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
 * struct facts - what several checks need
 * @module: jtrace.ko
 * @region: region of its buffer, now or at the next boot; size 0 if unknown
 * @name: its mem_name; empty if not given
 * @planned: @region is the one of the next boot
 * @node: the device tree has a node for jtrace
 * @handed: System RAM in @region is reserved for jtrace
 * @cmdline: command line of the kernel
 * @reserved: ranges of memmap=nn$ss and memmap=nn%ss+2
 * @nr_reserved: number of ranges
 * @reserve_mem: the command line has reserve_mem=
 */
struct facts {
	struct module module;
	struct range region;
	char name[64];
	bool planned;
	bool node;
	bool handed;
	char cmdline[16384];
	struct range reserved[MAX_RANGES];
	int nr_reserved;
	bool reserve_mem;
};

/* doctor.c */
bool run_doctor(void);

/* report.c */
void report(enum finding what, const char *check, const char *fmt, ...) __printf(3, 4);
bool loss_reported(void);

/* parameters.c */
void check_parameters(struct facts *f);
bool find_refusal(char *why, size_t size);

/* memory.c; call them in this order */
void check_memmap(struct facts *f);
void check_reserve_mem(struct facts *f);
void check_iomem(const struct facts *f);
void check_firmware(void);
void check_encryption(const struct facts *f);

/* history.c */
void check_history(const struct facts *f);

/* setup.c */
void check_setup(const struct facts *f);

#endif /* _JTRACE_DOCTOR_H */
