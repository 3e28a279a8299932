// SPDX-License-Identifier: GPL-2.0
/* The build id of a kernel or of a module, in a file of ELF notes. */

#include "machine.h"

#define NOTE_BUILD_ID	3

/**
 * read_build_id() - find the build id in a file of ELF notes
 * @path: of the file
 * @id: result
 *
 * Return: false if there is none.
 */
bool read_build_id(const char *path, u8 id[JTRACE_BUILD_ID_SIZE])
{
	char notes[4096];
	ssize_t len = root_read(path, notes, sizeof(notes));
	size_t at = 0, name, bytes;
	u32 head[3];

	while ((ssize_t)(at + sizeof(head)) <= len) {
		memcpy(head, notes + at, sizeof(head));
		if (head[0] > sizeof(notes) || head[1] > sizeof(notes))
			return false;
		name = at + sizeof(head);
		bytes = name + ALIGN(head[0], 4);
		at = bytes + ALIGN(head[1], 4);
		if (head[2] != NOTE_BUILD_ID || head[0] != 4 || head[1] != JTRACE_BUILD_ID_SIZE ||
		    (ssize_t)at > len || memcmp(notes + name, "GNU", 4))
			continue;
		memcpy(id, notes + bytes, JTRACE_BUILD_ID_SIZE);
		return true;
	}
	return false;
}
