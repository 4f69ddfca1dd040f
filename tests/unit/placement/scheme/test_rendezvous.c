// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "unit/placement/figures.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rendezvous_moves_only_to_the_newcomer),
		cmocka_unit_test(test_rendezvous_list),
		cmocka_unit_test(test_rendezvous_lists_in_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
