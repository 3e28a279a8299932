// SPDX-License-Identifier: GPL-2.0
/* Arrays that grow. */

#include <stdlib.h>

#include "tool.h"

/**
 * array_grow() - make room for one more
 * @array: may be NULL
 * @nr: members used
 * @most: members there is room for
 * @size: of a member
 *
 * Return: where the array is now; NULL if there is no memory, and it is gone.
 */
void *array_grow(void *array, size_t nr, size_t *most, size_t size)
{
	void *to;

	if (nr < *most)
		return array;
	*most = *most ? 2 * *most : 64;
	to = reallocarray(array, *most, size);
	if (!to)
		free(array);
	return to;
}
