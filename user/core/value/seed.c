/* SPDX-License-Identifier: Apache-2.0 */
#include "seed.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int seed_parse(const char *text, uint64_t *ret)
{
	uint64_t seed = 0;

	if (strlen(text) != SEED_TEXT - 1)
		return -EINVAL;
	for (; *text; text++) {
		if (!isxdigit((unsigned char)*text))
			return -EINVAL;
		seed = seed << 4 |
		       (uint64_t)(isdigit((unsigned char)*text) ? *text - '0'
								: tolower((unsigned char)*text) - 'a' + 10);
	}
	if (seed == 0)
		return -EINVAL;
	*ret = seed;
	return 0;
}

const char *seed_text(uint64_t seed, char text[SEED_TEXT])
{
	snprintf(text, SEED_TEXT, "%016" PRIx64, seed);
	return text;
}
