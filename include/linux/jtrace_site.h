/* SPDX-License-Identifier: GPL-2.0 */
/* Sites that are made at run time.  For modules on top of jtrace that record what is not theirs. */
#ifndef _LINUX_JTRACE_SITE_H
#define _LINUX_JTRACE_SITE_H

#include <linux/jtrace.h>

/**
 * struct jtrace_counted_site - a site that counts the events it loses
 * @site: the site; @site.counted is true
 * @lost: events that found no room, of each CPU
 */
struct jtrace_counted_site {
	struct jtrace_site site;
	u64 __percpu *lost;
};

bool jtrace_large_entries(void);

#endif /* _LINUX_JTRACE_SITE_H */
