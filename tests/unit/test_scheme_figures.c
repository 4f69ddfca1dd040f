/* SPDX-License-Identifier: Apache-2.0 */
/* The textbook's figures, and those that others' programs give, for every scheme's lookup of keys. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/placement/placement.h"

enum { CROWD_MAX = 128 };

static struct placement *build(enum placement_scheme scheme, const char *prefix, size_t count,
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

static uint16_t lookup_nth(const struct placement *placement, const char *prefix, unsigned int nth)
{
	char key[48];
	int length = snprintf(key, sizeof key, "%s%u", prefix, nth);

	return placement_lookup(placement, key, (size_t)length);
}

/* Keys PREFIX0, PREFIX1, … whose owner's name differs. */
static unsigned int moved(const struct placement *before, const struct placement *after, const char *prefix,
			  unsigned int first, unsigned int keys)
{
	unsigned int count = 0;

	for (unsigned int i = first; i < first + keys; i++)
		count += strcmp(placement_member_name(before, lookup_nth(before, prefix, i)),
				placement_member_name(after, lookup_nth(after, prefix, i))) != 0;
	return count;
}

static void owned(const struct placement *placement, const char *prefix, unsigned int keys,
		  unsigned int *counts)
{
	memset(counts, 0, placement_members(placement) * sizeof *counts);
	for (unsigned int i = 0; i < keys; i++)
		counts[lookup_nth(placement, prefix, i)]++;
}

static unsigned int moved_between(enum placement_scheme scheme, const char *names, size_t from, size_t to,
				  struct placement_options options, const char *keys, unsigned int first,
				  unsigned int count)
{
	struct placement *before = build(scheme, names, from, options),
			 *after = build(scheme, names, to, options);
	unsigned int result = moved(before, after, keys, first, count);

	placement_free(before);
	placement_free(after);
	return result;
}

/* N of N + 1 keys move; 100,000 keys leave a standard deviation of at most 0.14 %, four of them are allowed.
 */
static void test_modulo_moves_nearly_all(void **state)
{
	static const size_t from[] = {3, 4, 10, 100};

	(void)state;
	for (int i = 0; i < 4; i++) {
		double share = moved_between(PLACEMENT_MODULO, "m", from[i], from[i] + 1,
					     (struct placement_options){0}, "k", 0, 100000) /
			       1e5;
		double expected = (double)from[i] / ((double)from[i] + 1);

		assert_true(fabs(share - expected) < 4 * sqrt(expected * (1 - expected) / 1e5));
	}
}

static void test_modulo_by_hand(void **state)
{
	(void)state;
	assert_int_equal(moved_between(PLACEMENT_MODULO, "m", 3, 4,
				       (struct placement_options){.hash = PLACEMENT_IDENTITY}, "", 1, 12),
			 9);
}

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

static double max_over_mean(const unsigned int *counts, size_t count)
{
	unsigned int most = 0, all = 0;

	for (size_t i = 0; i < count; i++) {
		most = counts[i] > most ? counts[i] : most;
		all += counts[i];
	}
	return (double)most * (double)count / all;
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

static struct placement *jump_of(const char *const *names, size_t count)
{
	struct placement_options options = {.keys_only = true};
	struct member members[10];
	struct member_set set = {.scheme = PLACEMENT_JUMP,
				 .slots = 251,
				 .members = members,
				 .count = count,
				 .options = &options};
	struct placement *placement = NULL;

	for (size_t i = 0; i < count; i++)
		members[i] = (struct member){names[i], "", 100};
	assert_int_equal(placement_build(&set, &placement, NULL), 0);
	return placement;
}

/*
 * The last of ten leaves: its tenth moves. The first leaves: 1 - (sum over i of P(i, i + 1)), nearly all. The
 * fifth: about half. Balance is the multinomial's own.
 */
static void test_jump_can_lose_its_last_member_alone(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
	const char *without_middle[9];
	struct placement *ten = jump_of(names, 10), *nine = jump_of(names, 9),
			 *no_first = jump_of(names + 1, 9), *no_middle;
	unsigned int counts[10];
	char text[256];

	(void)state;
	memcpy(without_middle, names, 5 * sizeof *names);
	memcpy(without_middle + 5, names + 6, 4 * sizeof *names);
	no_middle = jump_of(without_middle, 9);
	owned(ten, "k", 100000, counts);
	assert_true(max_over_mean(counts, 10) < 1.04);
	assert_in_range(moved(ten, nine, "k", 0, 100000), 9600, 10400);
	assert_in_range(moved(ten, no_middle, "k", 0, 100000), 40000, 60000);
	assert_in_range(moved(ten, no_first, "k", 0, 100000), 90000, 100000);
	assert_false(placement_move_warning(ten, nine, text, sizeof text));
	assert_true(placement_move_warning(ten, no_middle, text, sizeof text));
	assert_non_null(strstr(text, "only the last"));
	placement_free(ten);
	placement_free(nine);
	placement_free(no_first);
	placement_free(no_middle);
}

/* Buckets of keys 0 to 19 among 100, as the paper's C++ gives them (Guava's tests keep the same list). */
static void test_jump_is_the_papers(void **state)
{
	static const uint16_t golden[] = {0,  55, 62, 8,  45, 59, 86, 97, 82, 59,
					  73, 37, 17, 56, 86, 21, 90, 37, 38, 83};
	struct placement_options options = {.hash = PLACEMENT_IDENTITY};
	struct placement *hundred = build(PLACEMENT_JUMP, "m", 100, options);
	struct placement *eleven = build(PLACEMENT_JUMP, "m", 11, options);

	(void)state;
	for (unsigned int key = 0; key < 20; key++)
		assert_int_equal(lookup_nth(hundred, "", key), golden[key]);
	assert_int_equal(placement_lookup(eleven, "10863919174838991", 17), 6);
	assert_int_equal(placement_lookup(eleven, "2016238256797177309", 19), 3);
	placement_free(hundred);
	placement_free(eleven);
}

static void test_weights_in_every_scheme(void **state)
{
	static const struct member members[] = {{"a", "", 64}, {"b", "", 64}, {"c", "", 16}};
	struct placement_options options = {.virtual_nodes = 4000, .keys_only = true};

	(void)state;
	for (int scheme = 0; scheme < PLACEMENT_SCHEMES; scheme++) {
		struct member_set set = {.scheme = (enum placement_scheme)scheme,
					 .slots = 65537,
					 .members = members,
					 .count = 3,
					 .options = &options};
		/* Rings have weights on the mean only: 4000 tokens, or ketama's few. */
		double slack = scheme == PLACEMENT_KETAMA ? 0.25 : scheme == PLACEMENT_RING ? 0.06 : 0.02;
		struct placement *placement = NULL;
		unsigned int counts[3];

		assert_int_equal(placement_build(&set, &placement, NULL), 0);
		owned(placement, "key", 90000, counts);
		for (int i = 0; i < 3; i++)
			assert_true(fabs(counts[i] / (i < 2 ? 40000.0 : 10000.0) - 1) <
				    slack * (i < 2 ? 1 : 2));
		placement_free(placement);
	}
}

/* Minimal by nature: rendezvous moves the keys that the newcomer takes and no other. */
static void test_rendezvous_moves_only_to_the_newcomer(void **state)
{
	struct placement_options options = {0};
	struct placement *before = build(PLACEMENT_RENDEZVOUS, "m", 10, options);
	struct placement *after = build(PLACEMENT_RENDEZVOUS, "m", 11, options);
	unsigned int taken = 0;

	(void)state;
	for (unsigned int i = 0; i < 50000; i++) {
		const char *new = placement_member_name(after, lookup_nth(after, "k", i));

		if (strcmp(placement_member_name(before, lookup_nth(before, "k", i)), new) == 0)
			continue;
		assert_string_equal(new, "m-10");
		taken++;
	}
	assert_in_range(taken, 50000 / 11 - 260, 50000 / 11 + 260);
	placement_free(before);
	placement_free(after);
}

/* The list begins with the owner, names everybody once, and its second is the owner when the first is gone.
 */
static void test_rendezvous_list(void **state)
{
	struct placement *all = build(PLACEMENT_RENDEZVOUS, "A", 6, (struct placement_options){0});

	(void)state;
	for (unsigned int i = 0; i < 500; i++) {
		char key[16];
		size_t length = (size_t)snprintf(key, sizeof key, "k%u", i);
		uint16_t list[6];
		unsigned int seen = 0;

		assert_int_equal(placement_lookup_list(all, key, length, list, 6), 6);
		assert_int_equal(list[0], placement_lookup(all, key, length));
		for (int rank = 0; rank < 6; rank++)
			seen |= 1u << list[rank];
		assert_int_equal(seen, 63);
		if (list[0] == 5) {
			struct placement *rest =
				build(PLACEMENT_RENDEZVOUS, "A", 5, (struct placement_options){0});

			assert_int_equal(placement_lookup(rest, key, length), list[1]);
			placement_free(rest);
		}
	}
	placement_free(all);
}

/* Members are found in batches of sixteen: a short list begins a long one, and with zones others' members
 * come first. */
static void test_rendezvous_lists_in_batches(void **state)
{
	struct member members[50];
	char names[50][16];
	struct placement_options options = {.keys_only = true};
	struct member_set set = {.scheme = PLACEMENT_RENDEZVOUS,
				 .slots = 251,
				 .members = members,
				 .count = 50,
				 .options = &options};

	(void)state;
	for (int zones = 1; zones <= 2; zones++) {
		struct placement *placement = NULL;

		for (int i = 0; i < 50; i++) {
			snprintf(names[i], sizeof names[i], "m-%d", 10 + i);
			members[i] =
				(struct member){names[i], i % 3 % zones ? "a" : "b", (uint32_t)(1 + i % 4)};
		}
		assert_int_equal(placement_build(&set, &placement, NULL), 0);
		for (int key = 0; key < 60; key++) {
			char text[16];
			size_t length = (size_t)snprintf(text, sizeof text, "k%d", key);
			uint16_t whole[50], part[50];
			int turns = 0;

			assert_int_equal(placement_lookup_list(placement, text, length, whole, 50), 50);
			assert_int_equal(whole[0], placement_lookup(placement, text, length));
			for (size_t most = 1; most < 50; most += 5) {
				assert_int_equal(placement_lookup_list(placement, text, length, part, most),
						 most);
				assert_memory_equal(part, whole, most * sizeof *part);
			}
			for (int rank = 1; rank < 50; rank++)
				turns +=
					strcmp(members[whole[rank]].zone, members[whole[rank - 1]].zone) != 0;
			assert_int_equal(turns, zones == 1 ? 0 : 2);
		}
		placement_free(placement);
	}
}

static void test_slots_as_redis_has_them(void **state)
{
	static const struct member members[] = {{"a", "", 100}, {"b", "", 100}, {"c", "", 100}};
	static const struct slot_range ranges[] = {{0, 5460, "a"}, {5461, 10922, "b"}, {10923, 16000, "c"}};
	static const struct slot_range overlap[] = {{0, 5460, "a"}, {5460, 10922, "b"}};
	struct placement_options options = {.ranges = ranges, .range_count = 3};
	struct member_set set = {.scheme = PLACEMENT_SLOTS,
				 .slots = 16384,
				 .members = members,
				 .count = 3,
				 .options = &options};
	struct placement *placement = NULL;
	struct refusal refusal;

	(void)state;
	assert_int_equal(placement_build(&set, &placement, &refusal), 0);
	/* The specification's check value of CRC-16/XMODEM, and its examples of hash tags. */
	assert_int_equal(placement_key_slot(placement, "123456789", 9), 0x31c3);
	assert_int_equal(placement_key_slot(placement, "foo", 3), 12182);
	assert_int_equal(placement_key_slot(placement, "{user1000}.following", 20),
			 placement_key_slot(placement, "{user1000}.followers", 20));
	assert_int_equal(placement_key_slot(placement, "foo{{bar}}zap", 13),
			 placement_key_slot(placement, "{bar", 4));
	assert_int_equal(placement_lookup(placement, "foo", 3), 2);
	assert_int_equal(placement_owners(placement)[16001], PLACEMENT_NONE);
	assert_int_equal(placement_walk(placement, 16001, (uint16_t[3]){0}, 3), 0);
	placement_free(placement);
	options.ranges = overlap;
	options.range_count = 2;
	assert_int_equal(placement_build(&set, &placement, &refusal), -22);
	assert_non_null(strstr(refusal.what, "assigned already"));
}

/* A million is too few to enumerate forty: the shares say what moves from four members to five. */
static void test_shares_of_forty_million(void **state)
{
	struct member members[] = {{"a", "", 1}, {"b", "", 1}, {"c", "", 1}, {"d", "", 1}, {"e", "", 1}};
	struct member_set set = {.slots = 655373, .members = members, .count = 4};
	struct placement *before = NULL, *after = NULL;
	unsigned int gained = 0;

	(void)state;
	assert_int_equal(placement_build(&set, &before, NULL), 0);
	set.count = 5;
	assert_int_equal(placement_build(&set, &after, NULL), 0);
	for (uint32_t slot = 0; slot < 655373; slot++)
		gained += placement_owners(after)[slot] == 4;
	assert_int_equal(lround(40.0 * gained / 655373), 8);
	placement_free(before);
	placement_free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modulo_moves_nearly_all),
		cmocka_unit_test(test_modulo_by_hand),
		cmocka_unit_test(test_ring_by_name_and_number),
		cmocka_unit_test(test_ring_of_ten_caches),
		cmocka_unit_test(test_rings_of_many_names),
		cmocka_unit_test(test_imbalance_falls_as_one_over_the_root),
		cmocka_unit_test(test_ring_by_hand),
		cmocka_unit_test(test_ring_refuses_positions),
		cmocka_unit_test(test_ring_collision),
		cmocka_unit_test(test_ring_walks_past_zones),
		cmocka_unit_test(test_jump_can_lose_its_last_member_alone),
		cmocka_unit_test(test_jump_is_the_papers),
		cmocka_unit_test(test_weights_in_every_scheme),
		cmocka_unit_test(test_rendezvous_moves_only_to_the_newcomer),
		cmocka_unit_test(test_rendezvous_list),
		cmocka_unit_test(test_rendezvous_lists_in_batches),
		cmocka_unit_test(test_slots_as_redis_has_them),
		cmocka_unit_test(test_shares_of_forty_million),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
