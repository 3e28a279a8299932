// SPDX-License-Identifier: GPL-2.0
/* Names of a probe's values: made of their paths, if the user gives none. */

#include "../../lib/base/pen.h"
#include "../../lib/base/words.h"
#include "probe.h"

static bool is_taken(const struct jtrace_program *p, const char *name)
{
	u32 i;

	if (jtrace_fetch_is_reserved(name, strlen(name)))
		return true;
	for (i = 0; i < p->nr_values; i++)
		if (!strcmp(p->value[i].name, name))
			return true;
	return false;
}

/* Write a path as a name: "$retval.a[1]->b" becomes "retval_a_1_b". */
static void put_path(struct pen *pen, const char *path, u32 n)
{
	bool gap = false;
	u32 i;

	for (i = 0; i < n; i++) {
		if (!words_is_name(path[i])) {
			gap = true;
			continue;
		}
		if (gap && i > 1)
			pen_char(pen, '_');
		gap = false;
		pen_char(pen, path[i]);
	}
	*pen->at = 0;
}

/* Leave out the first components, as long as the path makes too long a name. */
static const char *shorten(const char *path, const char *end)
{
	char name[JTRACE_FETCH_NAME + 2];
	const char *from = path, *next;

	for (;;) {
		struct pen pen = { name, name + JTRACE_FETCH_NAME + 1 };

		put_path(&pen, from, end - from);
		if (pen.at - name <= JTRACE_FETCH_NAME)
			return from;
		for (next = from; next < end && *next != '.' && *next != '-'; next++)
			;
		if (next == end)
			return from;
		from = next + (*next == '.' ? 1 : 2);
	}
}

/**
 * field_make() - make a name that no value before has
 * @p: these values
 * @path: of the value, not terminated
 * @n: its length
 * @name: result
 */
void field_make(const struct jtrace_program *p, const char *path, u32 n,
		char name[JTRACE_FETCH_NAME + 1])
{
	const char *from = shorten(path, path + n);
	struct pen pen = { name, name + JTRACE_FETCH_NAME };
	char suffix[12];
	u32 i, len;

	put_path(&pen, from, path + n - from);
	len = pen.at - name;
	for (i = 2; is_taken(p, name); i++) {
		u32 more = scnprintf(suffix, sizeof(suffix), "_%u", i);
		u32 keep = min_t(u32, len, JTRACE_FETCH_NAME - more);

		memcpy(name + keep, suffix, more + 1);
	}
}
