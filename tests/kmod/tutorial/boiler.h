/* SPDX-License-Identifier: GPL-2.0 */
/* What the drivers of the boiler and of its sensors share. */
#ifndef _BOILER_H
#define _BOILER_H

#include <linux/types.h>

#define SENSORS	8

/**
 * struct boiler - the boiler
 * @measured: what each sensor has measured, in hundredths of a degree
 * @set: degrees to heat to
 */
struct boiler {
	u32 measured[SENSORS];
	u32 set;
};

extern struct boiler boiler;

#endif /* _BOILER_H */
