// SPDX-License-Identifier: GPL-2.0
/* jtrace.ko as it runs. */

#include <errno.h>

#include "machine.h"

#define STATE	"/sys/kernel/debug/jtrace/state"

static void read_parameter(const char *name, char *to, size_t size)
{
	char path[128];

	scnprintf(path, sizeof(path), "/sys/module/jtrace/parameters/%s", name);
	root_read(path, to, size);
	to[strcspn(to, "\n")] = 0;
	if (!strcmp(to, "(null)"))
		to[0] = 0;
}

/* Return the value of a key in the file state, or NULL. */
static const char *find_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (strncmp(text, key, len) || text[len] != '=') {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	return text + len + 1;
}

static u64 read_number(const char *text, const char *key)
{
	const char *value = find_value(text, key), *end;

	return value ? parse_size(value, &end) : 0;
}

/* The kernel shows the address only to root. */
static void read_region(struct module *m, const char *text)
{
	const char *type = find_value(text, "mem_type");

	read_parameter("mem_name", m->name, sizeof(m->name));
	if (type)
		scnprintf(m->type, sizeof(m->type), "%.*s", (int)strcspn(type, "\n"), type);
	m->region.start = read_number(text, "mem_address");
	if (m->region.start)
		m->region.size = read_number(text, "mem_size");
	m->used = read_number(text, "size");
}

/* Two refused lines may each be as long as a write, 64 KiB. */
static char state[3 << 16];

/**
 * module_state() - read a value of the file state
 * @key: its key
 *
 * Return: the value, valid until the next call of this or module_read(); NULL if there is none.
 */
const char *module_state(const char *key)
{
	char *value;

	root_read(STATE, state, sizeof(state));
	value = (char *)find_value(state, key);
	if (value)
		value[strcspn(value, "\n")] = 0;
	return value;
}

/**
 * module_read() - is jtrace loaded, and where does it record?
 * @m: result
 */
void module_read(struct module *m)
{
	const char *value;

	*m = (struct module){ .loaded = root_exists("/sys/module/jtrace") };
	if (!m->loaded)
		return;
	if (root_read(STATE, state, sizeof(state)) < 0) {
		m->err = errno;
		return;
	}
	value = find_value(state, "persistent");
	m->persistent = value && *value == 'y';
	read_region(m, state);
}
