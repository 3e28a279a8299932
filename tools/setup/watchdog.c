// SPDX-License-Identifier: GPL-2.0
/* jtrace setup: the hardware watchdog, which resets a machine that hangs if systemd feeds it. */

#include <glob.h>

#include "setup.h"

/* "0", "off" and no value at all turn it off. */
static bool is_time(const char *value)
{
	static const char * const off[] = { "", "0", "0s", "off", "no", "false" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(off); i++)
		if (!strcasecmp(value, off[i]))
			return false;
	return true;
}

/* What a file of systemd's configuration sets for the watchdog: its last line counts. */
static void read_watchdog(const char *path, bool *fed)
{
	static const char key[] = "RuntimeWatchdogSec";
	char text[16384], *rest = text, *line, *value, *end;
	bool ours = false;

	if (root_read(path, text, sizeof(text)) < 0)
		return;
	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " \t");
		if (*line == '[')
			ours = !strncmp(line, "[Manager]", 9);
		value = strchr(line, '=');
		end = line + strcspn(line, " \t=");
		if (!ours || !value || end - line != strlen(key) ||
		    strncmp(line, key, strlen(key)) || end + strspn(end, " \t") != value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, " \t\r")] = 0;
		*fed = is_time(value);
	}
}

/*
 * Did the administrator let systemd feed the watchdog?  Prints what says so, and with @hangs that a
 * short time may come before the panic.
 */
static bool is_watchdog_fed(bool hangs)
{
	static const char * const where[] = {
		"/etc/systemd/system.conf", "/usr/lib/systemd/system.conf.d/*.conf",
		"/run/systemd/system.conf.d/*.conf", "/etc/systemd/system.conf.d/*.conf",
	};
	size_t skip = strlen(root_path("")), i, n;
	const char *path;
	char by[256] = "";
	bool fed = false, before;
	glob_t found;

	for (i = 0; i < ARRAY_SIZE(where); i++) {
		if (glob(root_path(where[i]), 0, NULL, &found))
			continue;
		for (n = 0; n < found.gl_pathc; n++) {
			path = found.gl_pathv[n] + skip;
			before = fed;
			if (strcmp(path, WATCHDOG))
				read_watchdog(path, &fed);
			if (fed && !before)
				scnprintf(by, sizeof(by), "%s", path);
		}
		globfree(&found);
	}
	if (fed)
		printf("Note: systemd feeds the watchdog already: see %s%s.\n", by, hangs ?
		       ": with less than 60 s, it may reset the machine before the kernel finds a hang" : "");
	return fed;
}

/* systemd feeds it twice in this time. */
#define FEED		"[Manager]\nRuntimeWatchdogSec=30\n"
#define FEED_SLOWLY	"[Manager]\nRuntimeWatchdogSec=60\n"

/**
 * write_watchdog() - let systemd feed the hardware watchdog
 * @hangs: the kernel panics when it finds a hang: the watchdog must not come first
 *
 * The kernel finds a CPU that hangs within 24 s.  The watchdog resets the machine up to half of its
 * time sooner than that time says, because the last feed was before the hang.
 *
 * After --remove, systemd feeds the watchdog until it ends: with nowayout, it must.
 *
 * Return: false, after a message, on an error.
 */
bool write_watchdog(bool hangs)
{
	static const char * const reload[] = { "systemctl", "daemon-reexec", NULL };
	const char *text = hangs ? FEED_SLOWLY : FEED;

	if (our_file_has(WATCHDOG, text))
		return true;
	return (!is_our_file(WATCHDOG) && is_watchdog_fed(hangs)) ||
	       (put_our_file(WATCHDOG, text) && run_command(reload));
}
