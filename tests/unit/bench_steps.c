/* SPDX-License-Identifier: Apache-2.0 */
/* The longest step of a change, for each scheme at its limits: a pool's placement, with the preferences of
 * all slots. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/placement/placement.h"

enum { MOST = 1000 };

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void step(enum placement_scheme scheme, uint32_t slots, size_t count, uint32_t first, uint32_t others)
{
	static char names[MOST][8];
	struct member members[MOST];
	struct member_set set = {.scheme = scheme, .slots = slots, .members = members, .count = count};
	struct placement *placement = NULL;
	struct refusal refusal = {0};
	double began, ended;

	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "b%zu", i);
		members[i] = (struct member){names[i], "", i ? others : first};
	}
	began = now_ms();
	if (placement_build(&set, &placement, &refusal) == 0)
		placement_digest(placement);
	ended = now_ms();
	printf("%-10s %8u slots %5zu members, weights %5u:%-5u %9.1f ms%s%s\n", placement_scheme_name(scheme),
	       slots, count, first, others, ended - began, placement ? "" : "  refused: ", refusal.what);
	fflush(stdout);
	placement_free(placement);
}

int main(void)
{
	static const struct {
		uint32_t slots;
		size_t count;
		uint32_t first, others;
	} limits[] = {{65537, 3, 1, 65535},
		      {65537, MOST, 100, 100},
		      {655373, MOST, 100, 101},
		      {PLACEMENT_MAX_SLOTS, 3, 1, 65535}};

	for (int scheme = 0; scheme < PLACEMENT_SCHEMES; scheme++)
		for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
			step((enum placement_scheme)scheme, limits[i].slots, limits[i].count, limits[i].first,
			     limits[i].others);
	return 0;
}
