/* SPDX-License-Identifier: Apache-2.0 */
/* What a placement costs: medians of building the owners, and of owners and three preferences. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/placement/placement.h"

enum { ROUNDS = 15 };

struct crowd {
	struct member *members;
	char (*names)[32];
	size_t count;
};

static struct crowd crowd_make(size_t count)
{
	struct crowd crowd = {calloc(count, sizeof *crowd.members), calloc(count, sizeof *crowd.names),
			      count};

	if (!crowd.members || !crowd.names)
		exit(1);
	for (size_t i = 0; i < count; i++) {
		snprintf(crowd.names[i], sizeof crowd.names[i], "backend-%05zu", i);
		crowd.members[i] = (struct member){crowd.names[i], "", 1};
	}
	return crowd;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int shorter(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void bench(enum placement_scheme scheme, size_t count, uint32_t slots)
{
	struct crowd crowd = crowd_make(count);
	struct member_set set = {.scheme = scheme, .slots = slots, .members = crowd.members, .count = count};
	double owners[ROUNDS], preferences[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		struct placement *placement = NULL;
		double start = now_ms();

		set.seed = (uint64_t)round;
		if (placement_build(&set, &placement, NULL))
			exit(1);
		owners[round] = now_ms() - start;
		if (!placement_preferences(placement))
			exit(1);
		preferences[round] = now_ms() - start;
		placement_free(placement);
	}
	qsort(owners, ROUNDS, sizeof *owners, shorter);
	qsort(preferences, ROUNDS, sizeof *preferences, shorter);
	printf("%-10s  %5zu members  %7u slots  owners %8.3f ms  with preferences %8.3f ms\n",
	       placement_scheme_name(scheme), count, slots, owners[ROUNDS / 2], preferences[ROUNDS / 2]);
	free(crowd.members);
	free(crowd.names);
}

/* A change of one member, with what the placement before it knows. */
static void bench_change(size_t count, uint32_t slots)
{
	struct crowd crowd = crowd_make(count);
	struct member_set set = {
		.scheme = PLACEMENT_STABLE, .slots = slots, .members = crowd.members, .count = count};
	double removed[ROUNDS];
	struct placement *before = NULL;

	if (placement_build(&set, &before, NULL))
		exit(1);
	set.count--;
	for (int round = 0; round < ROUNDS; round++) {
		struct placement *after = NULL;
		double start = now_ms();

		if (placement_rebuild(before, &set, &after, NULL))
			exit(1);
		removed[round] = now_ms() - start;
		placement_free(after);
	}
	qsort(removed, ROUNDS, sizeof *removed, shorter);
	printf("stable      %5zu members  %7u slots  one member less %8.3f ms\n", count, slots,
	       removed[ROUNDS / 2]);
	placement_free(before);
	free(crowd.members);
	free(crowd.names);
}

int main(void)
{
	static const uint32_t slots[] = {65537, 655373};
	static const size_t counts[] = {10, 100, 1000, 10000};

	for (size_t s = 0; s < sizeof slots / sizeof *slots; s++)
		for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
			bench(PLACEMENT_MAGLEV, counts[c], slots[s]);
	for (size_t c = 0; c < 3; c++)
		bench(PLACEMENT_STABLE, counts[c], 65537);
	for (size_t c = 0; c < 3; c++)
		bench_change(counts[c], 65537);
	return 0;
}
