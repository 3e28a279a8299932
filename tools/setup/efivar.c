// SPDX-License-Identifier: GPL-2.0
/* jtrace setup: variables of the Boot Loader Interface. */

#include "setup.h"

#define EFIVARS	"/sys/firmware/efi/efivars/"
#define VENDOR	"4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

/**
 * loader_variable() - read a variable of the boot loader
 * @name: of a variable of the Boot Loader Interface
 * @to: result, in ASCII; empty if there is none
 * @size: of @to
 *
 * Return: false, without a message, if there is none.
 */
bool loader_variable(const char *name, char *to, size_t size)
{
	char path[256], value[1024];
	size_t n = 0;
	ssize_t len, i;

	scnprintf(path, sizeof(path), EFIVARS "%s-" VENDOR, name);
	len = root_read(path, value, sizeof(value));
	/* UTF-16 after 4 bytes of attributes. */
	for (i = 4; i < len && value[i] && n + 1 < size; i += 2)
		to[n++] = value[i];
	to[n] = 0;
	return n;
}
