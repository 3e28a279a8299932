// SPDX-License-Identifier: GPL-2.0
/* Arrays that grow. */

#include <stdlib.h>

#include "base.h"

/**
 * array_grow() - make room for one more member
 * @array: the array, NULL while @nr is 0
 * @nr: members in use; the array has room for the next power of two
 * @size: bytes of a member
 *
 * Return: the array, which may have moved; NULL, and the array is freed, if there is no memory.
 */
void *array_grow(void *array, size_t nr, size_t size)
{
	void *to;

	if (nr & (nr - 1))
		return array;
	to = reallocarray(array, nr ? 2 * nr : 1, size);
	if (!to)
		free(array);
	return to;
}
