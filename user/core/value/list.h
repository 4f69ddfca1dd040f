/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow by one entry at a time, and double their room when it is full. */
#pragma once

#include <stdlib.h>

/* Makes room for one more of count entries, each of size bytes. Returns the list, which may have moved; NULL:
 * out of memory, and the list is as it was. */
static inline void *list_grow(void *list, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? 2 * *room : 16;
	void *grown;

	if (count < *room)
		return list;
	grown = reallocarray(list, wanted, size);
	if (grown)
		*room = wanted;
	return grown;
}
