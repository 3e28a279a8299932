// SPDX-License-Identifier: GPL-2.0
/* A copy of a live image that is as good as one that was stopped. */

#include "snapshot.h"

/**
 * jtrace_snapshot() - copy a live image
 * @l: geometry of the image
 * @img: the image; its gate is closed, or chunks may be missing in the copy
 * @h: header for the copy, with the stamp of this moment; its crc is set
 * @to: l->size zeroed bytes
 *
 * Entries that are not whole and chunks that are being claimed are left out, so
 * the copy can be read as an image that nobody writes to.
 *
 * Context: Any; takes time linear in the size of the image.
 * Return: number of entries copied.
 */
u64 jtrace_snapshot(const struct jtrace_layout *l, const void *img,
		    struct jtrace_image_header *h, void *to)
{
	u64 image_id = le64_to_cpu(h->image_id);
	u64 copied = 0;
	u32 i;

	/* A site record that is being written has no valid CRC, here or there. */
	jtrace_copy_words((u8 *)to + l->sites_off, (const u8 *)img + l->sites_off,
			  l->sites_end - l->sites_off);
	for (i = 0; i < l->nr_chunks; i++)
		copied += jtrace_chunk_copy(l, img, image_id, i,
					    (void *)jtrace_chunk_at(l, to, i));
	jtrace_header_write(to, h);
	return copied;
}
