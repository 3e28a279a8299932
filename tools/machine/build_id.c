// SPDX-License-Identifier: GPL-2.0
/* The build id of a kernel or of a module, in a file of ELF notes. */

#include "machine.h"

#define NOTE_BUILD_ID	3

/**
 * read_build_id() - find the build id in a file of ELF notes
 * @path: of the file
 * @hex: result, in hex; empty if there is none
 */
void read_build_id(const char *path, char hex[2 * BUILD_ID_SIZE + 1])
{
	char notes[4096];
	ssize_t len = root_read(path, notes, sizeof(notes));
	size_t at = 0, name, id;
	u32 head[3], i;

	hex[0] = 0;
	while ((ssize_t)(at + sizeof(head)) <= len) {
		memcpy(head, notes + at, sizeof(head));
		if (head[0] > sizeof(notes) || head[1] > sizeof(notes))
			return;
		name = at + sizeof(head);
		id = name + ALIGN(head[0], 4);
		at = id + ALIGN(head[1], 4);
		if (head[2] != NOTE_BUILD_ID || head[0] != 4 || head[1] != BUILD_ID_SIZE ||
		    (ssize_t)at > len || memcmp(notes + name, "GNU", 4))
			continue;
		for (i = 0; i < BUILD_ID_SIZE; i++)
			sprintf(hex + 2 * i, "%02x", (u8)notes[id + i]);
		return;
	}
}
