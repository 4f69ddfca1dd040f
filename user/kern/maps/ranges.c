// SPDX-License-Identifier: Apache-2.0
#include "ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/value/list.h"

struct range {
	uint32_t first, count;
	bool retired;
};

struct ranges {
	uint32_t limit;
	size_t count, room;
	struct range *sorted; /* by first; disjoint */
	uint64_t used;
	size_t retired;
};

int ranges_open(uint32_t limit, struct ranges **ret)
{
	struct ranges *ranges = calloc(1, sizeof *ranges);

	if (!ranges)
		return -ENOMEM;
	ranges->limit = limit;
	*ret = ranges;
	return 0;
}

void ranges_close(struct ranges *ranges)
{
	if (!ranges)
		return;
	free(ranges->sorted);
	free(ranges);
}

static int range_insert(struct ranges *ranges, size_t at, uint32_t first, uint32_t count)
{
	struct range *sorted = list_grow(ranges->sorted, ranges->count, &ranges->room, sizeof *sorted);

	if (!sorted)
		return -ENOMEM;
	ranges->sorted = sorted;
	memmove(&ranges->sorted[at + 1], &ranges->sorted[at], (ranges->count - at) * sizeof *ranges->sorted);
	ranges->sorted[at] = (struct range){.first = first, .count = count};
	ranges->count++;
	ranges->used += count;
	return 0;
}

/* The place of the range that starts at first, or where it would stand. */
static size_t range_place(const struct ranges *ranges, uint32_t first)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ranges->sorted[middle].first < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int ranges_claim(struct ranges *ranges, uint32_t first, uint32_t count)
{
	size_t at = range_place(ranges, first);
	const struct range *next = at < ranges->count ? &ranges->sorted[at] : NULL;
	const struct range *before = at ? &ranges->sorted[at - 1] : NULL;

	if (!count || first >= ranges->limit || count > ranges->limit - first)
		return -ERANGE;
	if ((next && next->first < first + count) || (before && before->first + before->count > first))
		return -EEXIST;
	return range_insert(ranges, at, first, count);
}

int ranges_take(struct ranges *ranges, uint32_t count, uint32_t align, uint32_t *ret_first)
{
	uint64_t first = 0;
	int r;

	for (size_t at = 0; at <= ranges->count; at++) {
		uint64_t end = at < ranges->count ? ranges->sorted[at].first : ranges->limit;

		if (first + count <= end) {
			r = range_insert(ranges, at, first, count);
			if (!r)
				*ret_first = first;
			return r;
		}
		if (at < ranges->count) {
			first = (uint64_t)ranges->sorted[at].first + ranges->sorted[at].count;
			first = (first + align - 1) / align * align;
		}
	}
	return -ENOSPC;
}

static struct range *range_find(struct ranges *ranges, uint32_t first)
{
	size_t at = range_place(ranges, first);

	return at < ranges->count && ranges->sorted[at].first == first ? &ranges->sorted[at] : NULL;
}

void ranges_retire(struct ranges *ranges, uint32_t first)
{
	struct range *range = range_find(ranges, first);

	if (!range || range->retired)
		return;
	range->retired = true;
	ranges->retired++;
}

void ranges_release(struct ranges *ranges, uint32_t first)
{
	struct range *range = range_find(ranges, first);

	if (!range)
		return;
	ranges->used -= range->count;
	ranges->retired -= range->retired;
	ranges->count--;
	memmove(range, range + 1, (size_t)(&ranges->sorted[ranges->count] - range) * sizeof *range);
}

void ranges_reclaim(struct ranges *ranges)
{
	size_t kept = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		if (ranges->sorted[i].retired)
			ranges->used -= ranges->sorted[i].count;
		else
			ranges->sorted[kept++] = ranges->sorted[i];
	}
	ranges->count = kept;
	ranges->retired = 0;
}

bool ranges_reclaimable(const struct ranges *ranges)
{
	return ranges->retired;
}

uint64_t ranges_used(const struct ranges *ranges)
{
	return ranges->used;
}

uint32_t ranges_limit(const struct ranges *ranges)
{
	return ranges->limit;
}

bool ranges_next(const struct ranges *ranges, uint32_t from, uint32_t *ret_first, uint32_t *ret_count)
{
	size_t at = range_place(ranges, from);

	if (at == ranges->count)
		return false;
	*ret_first = ranges->sorted[at].first;
	*ret_count = ranges->sorted[at].count;
	return true;
}

bool ranges_hole(const struct ranges *ranges, uint32_t from, uint32_t align, uint32_t *ret_first,
		 uint32_t *ret_count)
{
	size_t at = range_place(ranges, from);
	uint64_t first = from;

	if (at && (uint64_t)ranges->sorted[at - 1].first + ranges->sorted[at - 1].count > first)
		first = (uint64_t)ranges->sorted[at - 1].first + ranges->sorted[at - 1].count;
	for (;; at++) {
		uint64_t end = at < ranges->count ? ranges->sorted[at].first : ranges->limit;

		first = (first + align - 1) / align * align;
		if (first < end) {
			*ret_first = (uint32_t)first;
			*ret_count = (uint32_t)(end - first);
			return true;
		}
		if (at == ranges->count)
			return false;
		first = (uint64_t)ranges->sorted[at].first + ranges->sorted[at].count;
	}
}

int ranges_copy(const struct ranges *ranges, struct ranges **ret)
{
	struct ranges *copy = malloc(sizeof *copy);

	if (!copy)
		return -ENOMEM;
	*copy = *ranges;
	copy->sorted = malloc((ranges->room + 1) * sizeof *copy->sorted);
	if (!copy->sorted) {
		free(copy);
		return -ENOMEM;
	}
	if (ranges->count)
		memcpy(copy->sorted, ranges->sorted, ranges->count * sizeof *copy->sorted);
	*ret = copy;
	return 0;
}
