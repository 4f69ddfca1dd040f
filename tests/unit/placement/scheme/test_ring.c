// SPDX-License-Identifier: Apache-2.0
/* The textbook's figures of rings, and rings whose tokens are given by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/placement/figures.h"

static void test_ring_by_name_and_number(void **state)
{
	static const struct {
		enum placement_hash hash;
		unsigned int one[3], hundred[3], joined, modulo;
	} cases[] = {
		{PLACEMENT_MD5, {5976, 1037, 2987}, {3383, 3463, 3154}, 2757, 7466},
		{PLACEMENT_MD5_64, {309, 5614, 4077}, {3232, 3370, 3398}, 2448, 7517},
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct placement_options options = {.hash = cases[i].hash, .virtual_nodes = 1};
		struct placement *placement = build(PLACEMENT_RING, "A", 3, options);
		unsigned int counts[3];

		owned(placement, "user:", 10000, counts);
		assert_memory_equal(counts, cases[i].one, sizeof counts);
		placement_free(placement);
		options.virtual_nodes = 100;
		placement = build(PLACEMENT_RING, "A", 3, options);
		owned(placement, "user:", 10000, counts);
		assert_memory_equal(counts, cases[i].hundred, sizeof counts);
		placement_free(placement);
		assert_int_equal(moved_between(PLACEMENT_RING, "A", 3, 4, options, "user:", 0, 10000),
				 cases[i].joined);
		assert_int_equal(moved_between(PLACEMENT_MODULO, "A", 3, 4, options, "user:", 0, 10000),
				 cases[i].modulo);
	}
}

static void test_ring_of_ten_caches(void **state)
{
	struct placement_options options = {.hash = PLACEMENT_MD5_64, .virtual_nodes = 100};
	struct placement *placement = build(PLACEMENT_RING, "cache", 10, options);
	unsigned int counts[10];

	(void)state;
	owned(placement, "key", 1000000, counts);
	assert_int_equal(lround(1000 * max_over_mean(counts, 10)), 1071);
	placement_free(placement);
	assert_int_equal(
		lround(moved_between(PLACEMENT_RING, "cache", 10, 11, options, "key", 0, 1000000) / 1e3),
		105);
}

static int smaller(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/*
 * Over many sets of names a ring of ten with 100 tokens each has a median max/mean near 1.15, and an eleventh
 * takes 1/11 on the mean, 7.5 to 11 % in a single set. The share of eleven equal members has a standard
 * deviation of about 1/11/sqrt(100) = 0.9 %: the mean of 60 sets has 0.12 %.
 */
static void test_rings_of_many_names(void **state)
{
	double balance[60], mean = 0;

	(void)state;
	for (unsigned int i = 0; i < 60; i++) {
		struct placement_options options = {.virtual_nodes = 100};
		struct placement *before, *after;
		char prefix[16];
		unsigned int counts[10];
		double share;

		snprintf(prefix, sizeof prefix, "set%u", i);
		before = build(PLACEMENT_RING, prefix, 10, options);
		after = build(PLACEMENT_RING, prefix, 11, options);
		owned(before, "key", 20000, counts);
		balance[i] = max_over_mean(counts, 10);
		share = moved(before, after, "key", 0, 20000) / 2e4;
		assert_true(share > 0.06 && share < 0.125);
		mean += share / 60;
		placement_free(before);
		placement_free(after);
	}
	qsort(balance, 60, sizeof *balance, smaller);
	assert_true(balance[30] > 1.12 && balance[30] < 1.19);
	assert_true(fabs(mean - 1.0 / 11) < 0.005);
}

/* The standard deviation of shares, relative to their mean, over ten members and several sets of names, by
 * the ring itself. */
static double ring_imbalance(uint32_t virtual_nodes)
{
	double squares = 0;

	for (unsigned int set = 0; set < 12; set++) {
		struct placement *placement;
		uint64_t position, last = 0, first = 0;
		double shares[10] = {0};
		uint16_t member, first_member = 0;
		char prefix[16];

		snprintf(prefix, sizeof prefix, "s%u", set);
		placement = build(PLACEMENT_RING, prefix, 10,
				  (struct placement_options){.virtual_nodes = virtual_nodes});
		for (size_t i = 0; placement_token(placement, i, &position, &member); i++) {
			if (i > 0)
				shares[member] += (double)(position - last) / 18446744073709551616.0;
			else
				first = position, first_member = member;
			last = position;
		}
		shares[first_member] += (double)(first - last) / 18446744073709551616.0;
		for (int i = 0; i < 10; i++)
			squares += (shares[i] * 10 - 1) * (shares[i] * 10 - 1) / 120;
		placement_free(placement);
	}
	return sqrt(squares);
}

/*
 * With V tokens a member's share is a sum of V nearly exponential arcs: its deviation is sqrt((1 - 1/N) / V)
 * of the mean. 120 shares estimate a deviation within about 1 / sqrt(240) = 6.5 % of it; four of those are
 * allowed.
 */
static void test_imbalance_falls_as_one_over_the_root(void **state)
{
	static const uint32_t nodes[] = {1, 20, 100, 150, 256, 512};

	(void)state;
	for (int i = 0; i < 6; i++) {
		double expected = sqrt(0.9 / nodes[i]);

		assert_true(fabs(ring_imbalance(nodes[i]) / expected - 1) < 0.26);
	}
}

static const struct member compass[] = {{"North", "", 100}, {"East", "", 100}, {"West", "", 100}};
static const struct token_position compass_positions[] = {{"North", 10}, {"East", 45}, {"West", 80}};

static const char *compass_owner(const char *key, bool after)
{
	struct placement_options options = {.hash = PLACEMENT_IDENTITY,
					    .ring_size = 100,
					    .positions = compass_positions,
					    .position_count = 3,
					    .after = after,
					    .keys_only = true};
	struct member_set set = {
		.scheme = PLACEMENT_RING, .slots = 251, .members = compass, .count = 3, .options = &options};
	struct placement *placement = NULL;
	const char *owner = NULL;

	assert_int_equal(placement_build(&set, &placement, NULL), 0);
	switch (placement_lookup(placement, key, strlen(key))) {
	case 0:
		owner = "East";
		break;
	case 1:
		owner = "North";
		break;
	case 2:
		owner = "West";
		break;
	}
	placement_free(placement);
	return owner;
}

static void test_ring_by_hand(void **state)
{
	(void)state;
	assert_string_equal(compass_owner("22", false), "East");
	assert_string_equal(compass_owner("61", false), "West");
	assert_string_equal(compass_owner("93", false), "North");
	assert_string_equal(compass_owner("45", false), "East");
	assert_string_equal(compass_owner("45", true), "West");
	assert_string_equal(compass_owner("80", true), "North");
	assert_string_equal(compass_owner("10", false), "North");
	assert_string_equal(compass_owner("110", false), "North");
}

static void test_ring_refuses_positions(void **state)
{
	static const struct token_position beyond[] = {{"North", 10}, {"East", 100}, {"West", 80}};
	struct placement_options options = {
		.hash = PLACEMENT_IDENTITY, .ring_size = 100, .positions = beyond, .position_count = 3};
	struct member_set set = {
		.scheme = PLACEMENT_RING, .slots = 251, .members = compass, .count = 3, .options = &options};
	struct placement *placement = NULL;
	struct refusal refusal;

	(void)state;
	assert_int_equal(placement_build(&set, &placement, &refusal), -22);
	assert_string_equal(refusal.what, "token 100 of member East lies beyond the ring");
	options.position_count = 1;
	assert_int_equal(placement_build(&set, &placement, &refusal), -22);
	assert_string_equal(refusal.what, "member East has no token");
}

/* Two tokens on one position: the first by name owns it, and the other comes next on the walk. */
static void test_ring_collision(void **state)
{
	static const struct token_position same[] = {{"North", 80}, {"East", 45}, {"West", 80}};
	struct placement_options options = {.hash = PLACEMENT_IDENTITY,
					    .ring_size = 100,
					    .positions = same,
					    .position_count = 3,
					    .keys_only = true};
	struct member_set set = {
		.scheme = PLACEMENT_RING, .slots = 251, .members = compass, .count = 3, .options = &options};
	struct placement *placement = NULL;
	uint16_t list[3];

	(void)state;
	assert_int_equal(placement_build(&set, &placement, NULL), 0);
	assert_int_equal(placement_lookup_list(placement, "60", 2, list, 3), 3);
	assert_string_equal(placement_member_name(placement, list[0]), "North");
	assert_string_equal(placement_member_name(placement, list[1]), "West");
	assert_string_equal(placement_member_name(placement, list[2]), "East");
	placement_free(placement);
}

/* Dynamo's list: clockwise a (east), b (east), c (west), d (west); a key before a prefers a, c, then b, d. */
static void test_ring_walks_past_zones(void **state)
{
	static const struct member members[] = {
		{"a", "east", 100}, {"b", "east", 100}, {"c", "west", 100}, {"d", "west", 100}};
	static const struct token_position positions[] = {
		{"a", 10}, {"a", 15}, {"b", 20}, {"c", 30}, {"d", 40}};
	static const uint16_t expected[] = {0, 2, 1, 3};
	struct placement_options options = {.hash = PLACEMENT_IDENTITY,
					    .ring_size = 100,
					    .positions = positions,
					    .position_count = 5,
					    .keys_only = true};
	struct member_set set = {
		.scheme = PLACEMENT_RING, .slots = 251, .members = members, .count = 4, .options = &options};
	struct placement *placement = NULL;
	uint16_t list[4];

	(void)state;
	assert_int_equal(placement_build(&set, &placement, NULL), 0);
	assert_int_equal(placement_lookup_list(placement, "5", 1, list, 4), 4);
	assert_memory_equal(list, expected, sizeof list);
	placement_free(placement);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring_by_name_and_number),
		cmocka_unit_test(test_ring_of_ten_caches),
		cmocka_unit_test(test_rings_of_many_names),
		cmocka_unit_test(test_imbalance_falls_as_one_over_the_root),
		cmocka_unit_test(test_ring_by_hand),
		cmocka_unit_test(test_ring_refuses_positions),
		cmocka_unit_test(test_ring_collision),
		cmocka_unit_test(test_ring_walks_past_zones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
