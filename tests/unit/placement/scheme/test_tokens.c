// SPDX-License-Identifier: Apache-2.0
/* The walk round a ring, which leaps where a few members have nearly all tokens. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/placement/placement.h"

enum { MEMBERS = 12, SLOTS = 251, DEPTH = MEMBERS };

struct crowd {
	struct member members[MEMBERS];
	char names[MEMBERS][8], zones[MEMBERS][8];
	size_t zone_count;
};

static void crowd_make(struct crowd *crowd, uint32_t heavy, uint32_t light, size_t zones)
{
	for (size_t i = 0; i < MEMBERS; i++) {
		snprintf(crowd->names[i], sizeof crowd->names[i], "b%02zu", i);
		snprintf(crowd->zones[i], sizeof crowd->zones[i], "z%zu", zones ? i % zones : 0);
		crowd->members[i] =
			(struct member){crowd->names[i], zones ? crowd->zones[i] : "", i < 2 ? heavy : light};
	}
	crowd->zone_count = zones ? zones : 1;
}

static bool listed(const struct crowd *crowd, const uint16_t *list, size_t count, uint16_t member, bool zone)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == member ||
		    (zone && !strcmp(crowd->members[list[i]].zone, crowd->members[member].zone)))
			return true;
	return false;
}

/* Token after token, past the zones that were met and then past the members. */
static size_t walk(const struct placement *placement, const struct crowd *crowd, size_t start, uint16_t *list)
{
	size_t count = 0;
	uint64_t position;
	uint16_t member;

	for (int zone = 1; zone >= 0; zone--) {
		size_t most = zone ? crowd->zone_count : DEPTH, at = start;

		do {
			if (!placement_token(placement, at, &position, &member)) {
				at = 0;
				continue;
			}
			if (count < most && !listed(crowd, list, count, member, zone))
				list[count++] = member;
			at++;
		} while (at != start);
	}
	return count;
}

static size_t first_token(const struct placement *placement, uint64_t hash)
{
	uint64_t position;
	uint16_t member;
	size_t at = 0;

	while (placement_token(placement, at, &position, &member) && position < hash)
		at++;
	return placement_token(placement, at, &position, &member) ? at : 0;
}

static void a_list_is_what_a_walk_meets(void **state)
{
	static const struct placement_options options = {.keys_only = true};
	static const struct {
		uint32_t heavy, light;
		size_t zones;
	} cases[] = {{100, 100, 0}, {2000, 1, 0}, {2000, 1, 3}, {3000, 2, 2}, {100, 7, 12}};

	(void)state;
	/* Some of these would own no slot of a small table. */
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct crowd crowd;
		struct member_set set = {.scheme = PLACEMENT_RING,
					 .slots = SLOTS,
					 .members = crowd.members,
					 .count = MEMBERS,
					 .options = &options};
		struct placement *placement;

		crowd_make(&crowd, cases[c].heavy, cases[c].light, cases[c].zones);
		assert_int_equal(placement_build(&set, &placement, NULL), 0);
		for (unsigned int i = 0; i < 40; i++) {
			char key[16];
			size_t length = (size_t)snprintf(key, sizeof key, "k%u", i);
			uint16_t list[DEPTH], wanted[DEPTH];
			size_t start = first_token(placement, placement_key_hash(placement, key, length));

			assert_int_equal(placement_lookup_list(placement, key, length, list, DEPTH), DEPTH);
			assert_int_equal(walk(placement, &crowd, start, wanted), DEPTH);
			assert_memory_equal(list, wanted, sizeof list);
		}
		placement_free(placement);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_what_a_walk_meets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
