/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version, for all: module, tools, dkms, packages.  debian/rules refuses a changelog
 * with a different version.
 */
#ifndef _JTRACE_VERSION_H
#define _JTRACE_VERSION_H

#define JTRACE_VERSION	"1.0"

#endif /* _JTRACE_VERSION_H */
