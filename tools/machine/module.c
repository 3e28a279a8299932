// SPDX-License-Identifier: GPL-2.0
/* jtrace.ko as it runs. */

#include <errno.h>

#include "machine.h"

static void read_parameter(const char *name, char *to, size_t size)
{
	char path[128];

	scnprintf(path, sizeof(path), "/sys/module/jtrace/parameters/%s", name);
	root_read(path, to, size);
	to[strcspn(to, "\n")] = 0;
	if (!strcmp(to, "(null)"))
		to[0] = 0;
}

/* Returns the value in a line of config; NULL if there is no such line. */
static const char *find_config(const char *config, const char *name)
{
	const char *at = config;

	while (at && strncmp(at, name, strlen(name))) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	at = at ? strchr(at, ':') : NULL;
	return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static u64 read_config_number(const char *config, const char *name)
{
	const char *value = find_config(config, name), *end;

	return value ? parse_size(value, &end) : 0;
}

/* The kernel shows the address only to root. */
static void read_region(struct module *m, const char *config)
{
	const char *type = find_config(config, "Memory type");

	read_parameter("mem_name", m->name, sizeof(m->name));
	if (type)
		scnprintf(m->type, sizeof(m->type), "%.*s", (int)strcspn(type, "\n"), type);
	m->region.start = read_config_number(config, "Physical address");
	if (m->region.start)
		m->region.size = read_config_number(config, "Region size");
	m->used = read_config_number(config, "Allocated Buffer Size");
}

/**
 * module_read() - is jtrace loaded, and where does it record?
 * @m: result
 */
void module_read(struct module *m)
{
	static char config[16384];
	const char *value;

	*m = (struct module){ .loaded = root_exists("/sys/module/jtrace") };
	if (!m->loaded)
		return;
	if (root_read("/sys/kernel/debug/jtrace/config", config, sizeof(config)) < 0) {
		m->err = errno;
		return;
	}
	value = find_config(config, "Persistent");
	m->persistent = value && !strncmp(value, "yes", 3);
	read_region(m, config);
}
