/* SPDX-License-Identifier: GPL-2.0 */
/* What jtrace-archive(8) calls of libsystemd, for machines without it: see ../../journal.c. */
#ifndef _JTRACE_SHIM_SD_JOURNAL_H
#define _JTRACE_SHIM_SD_JOURNAL_H

#include <sys/uio.h>

int sd_journal_sendv(const struct iovec *iov, int n);

#endif /* _JTRACE_SHIM_SD_JOURNAL_H */
