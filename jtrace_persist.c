// SPDX-License-Identifier: GPL-2.0
/*
 * The region: the memory that the image lies in.
 *
 * Volatile: pages of the kernel's own, gone with the machine.
 */

#include "include/jtrace/internal.h"

/**
 * jtrace_region_get() - memory for an image
 * @size: bytes
 *
 * Return: zeroed bytes on a page boundary, or NULL.
 */
void *jtrace_region_get(u64 size)
{
	return jtrace_alloc(size);
}

/**
 * jtrace_region_put() - undo jtrace_region_get()
 * @img: as returned there, or NULL
 */
void jtrace_region_put(void *img)
{
	vfree(img);
}
