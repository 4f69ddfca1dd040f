/* SPDX-License-Identifier: Apache-2.0 */
#include "slot_range.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name.h"

enum { RANGE_TEXT = NAME_SIZE + 32 };

/* Digits from *text on, which moves behind them. */
static bool slot_parse(const char **text, uint32_t *ret)
{
	unsigned long number;
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	number = strtoul(*text, &end, 10);
	*text = end;
	*ret = (uint32_t)number;
	return number < SLOTS_MOST;
}

int slots_parse(const char *text, uint32_t *ret_first, uint32_t *ret_last)
{
	uint32_t first, last;

	if (!slot_parse(&text, &first))
		return -EINVAL;
	last = first;
	if (*text == '-') {
		text++;
		if (!slot_parse(&text, &last))
			return -EINVAL;
	}
	if (*text || last < first)
		return -EINVAL;
	*ret_first = first;
	*ret_last = last;
	return 0;
}

/* "db1=0-8191" or "db1=17", taken apart in place. */
static int range_parse(char *word, struct slot_range *ret)
{
	char *equals = strchr(word, '=');

	if (!equals || equals == word || equals - word >= NAME_SIZE)
		return -EINVAL;
	*equals = '\0';
	for (const char *letter = word; *letter; letter++)
		if (!name_letter(*letter, false))
			return -EINVAL;
	ret->member = word;
	return slots_parse(equals + 1, &ret->first, &ret->last);
}

static int by_first_slot(const void *a, const void *b)
{
	const struct slot_range *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

int slot_ranges_parse(const char *text, struct slot_range **ret_ranges, size_t *ret_count)
{
	size_t most = 1, count = 0, size = strlen(text) + 1;
	struct slot_range *ranges;
	char *rest, *word;
	int error = 0;

	for (const char *at = text; *at; at++)
		most += *at == ',';
	ranges = malloc(most * sizeof *ranges + size);
	if (!ranges)
		return -ENOMEM;
	rest = memcpy(ranges + most, text, size); /* where the names stay */
	while (error == 0 && (word = strsep(&rest, ",")))
		error = range_parse(word, &ranges[count++]);
	if (error == 0)
		qsort(ranges, count, sizeof *ranges, by_first_slot);
	for (size_t i = 1; error == 0 && i < count; i++)
		if (ranges[i].first <= ranges[i - 1].last)
			error = -EINVAL;
	if (error < 0) {
		free(ranges);
		return error;
	}
	*ret_ranges = ranges;
	*ret_count = count;
	return 0;
}

char *slot_ranges_text(const struct slot_range *ranges, size_t count)
{
	char *text = malloc(count * RANGE_TEXT + 1), *at = text;

	for (size_t i = 0; text && i < count;) {
		uint32_t first = ranges[i].first, last = ranges[i].last;
		const char *member = ranges[i++].member;

		while (i < count && ranges[i].first == last + 1 && !strcmp(ranges[i].member, member))
			last = ranges[i++].last;
		at += sprintf(at, "%s%s=%" PRIu32, at == text ? "" : ",", member, first);
		if (last > first)
			at += sprintf(at, "-%" PRIu32, last);
	}
	return text;
}

int slot_ranges_canonical(const char *text, char **ret)
{
	struct slot_range *ranges;
	char *canonical;
	size_t count;
	int error;

	if (strcmp(text, SLOT_RANGES_EVEN) == 0) {
		*ret = NULL;
		return 0;
	}
	error = slot_ranges_parse(text, &ranges, &count);
	if (error < 0)
		return error;
	canonical = slot_ranges_text(ranges, count);
	free(ranges);
	if (!canonical)
		return -ENOMEM;
	*ret = canonical;
	return 0;
}
