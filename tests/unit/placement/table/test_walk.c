// SPDX-License-Identifier: Apache-2.0
/* A walk for those who look for somebody: what it takes is what the whole walk lists, and it goes no further.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "unit/models.h"

enum { MEMBERS = 120, SLOTS = 8191 };

/* Looks for members by chance. */
struct looker {
	bool wanted[1000];
	uint16_t taken[1000];
	size_t count, most;
	uint64_t asked;
};

static bool looks_for(void *context, uint16_t member)
{
	struct looker *looker = context;

	looker->asked++;
	return looker->wanted[member];
}

static bool take(void *context, uint16_t member)
{
	struct looker *looker = context;

	if (!looker->wanted[member])
		return false;
	looker->wanted[member] = false;
	looker->taken[looker->count++] = member;
	return looker->count == looker->most;
}

static struct placement *make(enum placement_scheme scheme, uint32_t slots, size_t count, int zones,
			      bool weights)
{
	struct member *members = calloc(count, sizeof *members);
	char(*names)[16] = calloc(count, sizeof *names), zone[8][4];
	struct member_set set = {
		.scheme = scheme, .slots = slots, .seed = 17, .members = members, .count = count};
	struct placement *placement = NULL;
	struct refusal refusal = {0};

	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "m%03zu", i);
		snprintf(zone[i % 8], sizeof zone[0], "z%zu", i % 8);
		members[i] = (struct member){names[i], zones ? zone[i % (size_t)zones] : "",
					     weights ? (uint32_t)(i % 4) * 50 : 100};
	}
	if (placement_build(&set, &placement, &refusal))
		fail_msg("%s", refusal.what);
	free(members);
	free(names);
	return placement;
}

/* What the whole walk lists of those who are wanted, up to most. */
static void assert_visit(const struct placement *placement, uint32_t slot, int share, size_t most,
			 uint64_t *random)
{
	static uint16_t whole[1000];
	struct looker looker = {.most = most};
	bool wanted[1000];
	uint64_t *marks;
	struct placement_visitor visitor = {NULL, looks_for, take, &looker};
	size_t count, at = 0;

	for (size_t i = 0; i < placement_members(placement); i++)
		looker.wanted[i] = draw(random) % 100 < (uint64_t)share;
	memcpy(wanted, looker.wanted, sizeof wanted);
	visitor.marks = marks = most == 7 ? placement_mark(placement, wanted) : NULL;
	placement_visit(placement, slot, &visitor);
	free(marks);
	count = placement_walk(placement, slot, whole, placement_members(placement));
	for (size_t i = 0; i < count && at < most; i++) {
		if (!wanted[whole[i]])
			continue;
		assert_true(at < looker.count);
		assert_int_equal(looker.taken[at++], whole[i]);
	}
	assert_int_equal(looker.count, at);
}

static void a_visit_takes_what_the_walk_lists(void **state)
{
	static const int shares[] = {100, 50, 10, 3, 0};
	uint64_t random = 11;

	(void)state;
	for (int scheme = 0; scheme < PLACEMENT_SCHEMES; scheme++)
		for (int zones = 0; zones <= 3; zones += 3)
			for (int weights = 0; weights <= 1; weights++) {
				struct placement *placement =
					make((enum placement_scheme)scheme, SLOTS, MEMBERS, zones, weights);

				for (uint32_t slot = 0; slot < SLOTS; slot += 163)
					for (size_t i = 0; i < 5; i++)
						assert_visit(placement, slot, shares[i], i % 2 ? 7 : MEMBERS,
							     &random);
				placement_free(placement);
			}
}

/* Of a thousand members nine in ten are passed by. What the way to the others costs does not depend on how
 * many there are in all. */
static void a_visit_goes_no_further_than_it_must(void **state)
{
	struct placement *placement = make(PLACEMENT_MAGLEV, 65537, 1000, 0, false);
	uint64_t random = 3, asked = 0, slots = 0;

	(void)state;
	for (uint32_t slot = 0; slot < 65537; slot += 100, slots++) {
		struct looker looker = {.most = 7};
		const struct placement_visitor visitor = {NULL, looks_for, take, &looker};

		for (size_t i = 0; i < 1000; i++)
			looker.wanted[i] = draw(&random) % 10 == 0;
		placement_visit(placement, slot, &visitor);
		assert_int_equal(looker.count, 7);
		asked += looker.asked;
	}
	assert_in_range(asked / slots, 60, 160); /* 70 steps, and each taken one is asked for twice */
	placement_free(placement);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_visit_takes_what_the_walk_lists),
		cmocka_unit_test(a_visit_goes_no_further_than_it_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
