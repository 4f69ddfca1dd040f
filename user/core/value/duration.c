/* SPDX-License-Identifier: Apache-2.0 */
#include "duration.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	char letter;
	uint32_t seconds;
} units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};

enum { UNITS = sizeof units / sizeof units[0] };

int duration_parse(const char *text, uint32_t *ret)
{
	uint64_t total = 0;
	size_t unit = 0;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	while (*text) {
		uint64_t number = 0;
		char *end;

		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		number = strtoull(text, &end, 10);
		if (*end == '\0' && unit == 0 && number == 0) /* the same in every unit */
			break;
		while (unit < UNITS && units[unit].letter != *end)
			unit++;
		if (unit == UNITS || number > UINT32_MAX)
			return -EINVAL;
		total += number * units[unit++].seconds;
		text = end + 1;
	}
	if (total > UINT32_MAX)
		return -EINVAL;
	*ret = (uint32_t)total;
	return 0;
}

const char *duration_text(uint32_t seconds, char text[DURATION_TEXT])
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t unit = 0; unit < UNITS; unit++) {
		uint32_t count = seconds / units[unit].seconds;

		if (count == 0 && !(unit == UNITS - 1 && length == 0))
			continue;
		seconds -= count * units[unit].seconds;
		length += (size_t)snprintf(text + length, DURATION_TEXT - length, "%" PRIu32 "%c", count,
					   units[unit].letter);
	}
	return text;
}

const char *age_text(int64_t seconds, char text[AGE_TEXT])
{
	if (seconds < 120)
		snprintf(text, AGE_TEXT, "%llds", (long long)seconds);
	else if (seconds < 7200)
		snprintf(text, AGE_TEXT, "%lldm", (long long)(seconds / 60));
	else
		snprintf(text, AGE_TEXT, "%lldh", (long long)(seconds / 3600));
	return text;
}
