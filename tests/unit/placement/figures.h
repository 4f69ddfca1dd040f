/* SPDX-License-Identifier: Apache-2.0 */
/* Keys by the thousand, and where a scheme puts them. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/placement/placement.h"

enum { CROWD_MAX = 128 };

static inline struct placement *build(enum placement_scheme scheme, const char *prefix, size_t count,
				      struct placement_options options)
{
	static char names[CROWD_MAX][32];
	struct member members[CROWD_MAX];
	struct member_set set = {
		.scheme = scheme, .slots = 65537, .members = members, .count = count, .options = &options};
	struct placement *placement = NULL;
	struct refusal refusal = {0};

	assert_true(count <= CROWD_MAX);
	options.keys_only = true;
	for (size_t i = 0; i < count; i++) {
		/* Prefix "A" counts in letters; any other in two digits, so that numbers follow the count. */
		if (strcmp(prefix, "A") == 0)
			snprintf(names[i], sizeof names[i], "%c", (char)('A' + i));
		else
			snprintf(names[i], sizeof names[i], "%.20s-%u", prefix, (unsigned int)i);
		members[i] = (struct member){names[i], "", 100};
	}
	if (placement_build(&set, &placement, &refusal))
		fail_msg("refused: %s", refusal.what);
	return placement;
}

static inline uint16_t lookup_nth(const struct placement *placement, const char *prefix, unsigned int nth)
{
	char key[48];
	int length = snprintf(key, sizeof key, "%s%u", prefix, nth);

	return placement_lookup(placement, key, (size_t)length);
}

/* Keys PREFIX0, PREFIX1, … whose owner's name differs. */
static inline unsigned int moved(const struct placement *before, const struct placement *after,
				 const char *prefix, unsigned int first, unsigned int keys)
{
	unsigned int count = 0;

	for (unsigned int i = first; i < first + keys; i++)
		count += strcmp(placement_member_name(before, lookup_nth(before, prefix, i)),
				placement_member_name(after, lookup_nth(after, prefix, i))) != 0;
	return count;
}

static inline void owned(const struct placement *placement, const char *prefix, unsigned int keys,
			 unsigned int *counts)
{
	memset(counts, 0, placement_members(placement) * sizeof *counts);
	for (unsigned int i = 0; i < keys; i++)
		counts[lookup_nth(placement, prefix, i)]++;
}

static inline unsigned int moved_between(enum placement_scheme scheme, const char *names, size_t from,
					 size_t to, struct placement_options options, const char *keys,
					 unsigned int first, unsigned int count)
{
	struct placement *before = build(scheme, names, from, options),
			 *after = build(scheme, names, to, options);
	unsigned int result = moved(before, after, keys, first, count);

	placement_free(before);
	placement_free(after);
	return result;
}

static inline double max_over_mean(const unsigned int *counts, size_t count)
{
	unsigned int most = 0, all = 0;

	for (size_t i = 0; i < count; i++) {
		most = counts[i] > most ? counts[i] : most;
		all += counts[i];
	}
	return (double)most * (double)count / all;
}
