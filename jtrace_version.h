/* SPDX-License-Identifier: GPL-2.0 */
/* The version of module, tools, dkms and packages.  debian/rules refuses another in changelog. */
#ifndef _JTRACE_VERSION_H
#define _JTRACE_VERSION_H

#define JTRACE_VERSION	"1.0"

#endif /* _JTRACE_VERSION_H */
