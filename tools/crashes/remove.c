// SPDX-License-Identifier: GPL-2.0
/* Remove a crash from the archive, and from the module if that has it, too. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/base.h"
#include "../live/live.h"
#include "../machine/machine.h"
#include "crashes.h"

/* Else jtrace-archive(8) would keep it again. */
static bool free_copy(void)
{
	int err = 0;

	return live_write("free_recovered", "1", &err) &&
	       (!err || fail("free_recovered: %s", strerror(err)));
}

/* Find a trace in the archive as it is now. */
static const struct kept *find_kept(const struct kept_list *list, const char *path)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->kept[i].path, path))
			return &list->kept[i];
	return NULL;
}

static bool drop(int archive, const struct kept *k, const char *path)
{
	char boot[33];

	if (!k)
		return fail(ARCHIVE "/%s: is gone already", path);
	if (k->others)
		return fail(ARCHIVE "/%s: has files that jtrace-archive did not write: move them first",
			    path);
	if (!kept_drop(archive, k))
		return fail(ARCHIVE "/%s: %s", path, strerror(errno));
	scnprintf(boot, sizeof(boot), "%s", path);
	/* Fails if the boot left other traces. */
	unlinkat(archive, boot, AT_REMOVEDIR);
	return true;
}

static bool remove_kept(const struct listed *l)
{
	int archive = archive_lock();
	struct kept_list list;
	bool ok;

	if (archive < 0)
		return false;
	kept_list_read(&list);
	ok = drop(archive, find_kept(&list, l->kept), l->kept);
	free(list.kept);
	archive_unlock(archive);
	return ok;
}

/**
 * crashes_remove() - remove a crash
 * @l: the crash, of crashes_read()
 *
 * Return: false, after a message, on an error.
 */
bool crashes_remove(const struct listed *l)
{
	if (l->kept[0] && !remove_kept(l))
		return false;
	if ((l->recovered || l->in_module) && !free_copy())
		return false;
	printf("%llu: removed\n", l->number);
	return true;
}
