/* SPDX-License-Identifier: Apache-2.0 */
/* A walk for those who look for somebody: what it takes is what the whole walk lists, and it goes no further.
 */
#include "unit/models.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/image/image_pool.h"
#include "core/image/moves.h"

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

/* Hops, from the definition ---------------------------------------------------------- */

static struct health by_chance(void *context, const char *pool, const struct backend *backend)
{
	uint64_t mix = XXH64(backend->name, strlen(backend->name), *(uint64_t *)context);

	(void)pool;
	return (struct health){mix % 10 < mix / 16 % 10 ? HEALTH_DOWN : HEALTH_UP, 0, mix / 256 % 3 == 0};
}

struct reference {
	const struct pool_image *image;
	uint16_t backend[HF_MAX_HOPS], answering;
	unsigned int count;
};

static const struct pool_member *member_numbered(const struct pool_image *image, uint16_t number)
{
	for (size_t i = 0; i < placement_members(image->placement); i++)
		if (image->members[i].number == number)
			return &image->members[i];
	return NULL;
}

static bool is_full(const struct reference *list)
{
	return list->count + (list->answering != 0) == HF_MAX_HOPS;
}

static void name(struct reference *list, uint16_t number)
{
	const struct pool_member *member = member_numbered(list->image, number);

	if (!member || is_full(list))
		return;
	if (!member->serves) {
		if (member->answers && !list->answering)
			list->answering = number;
		return;
	}
	for (unsigned int i = 0; i < list->count; i++)
		if (list->backend[i] == number)
			return;
	list->backend[list->count++] = number;
}

static void name_first(struct reference *list, const uint16_t *members, size_t count, bool taking,
		       size_t most)
{
	for (size_t i = 0, named = 0; i < count && members[i] != PLACEMENT_NONE && named < most; i++) {
		const struct pool_member *member = &list->image->members[members[i]];

		if (taking && member->rests)
			continue;
		name(list, member->number);
		named++;
	}
}

/* Owner, base, and whom the whole walk names; no earlier set says anything. */
static void assert_hops(const struct pool_image *image, uint32_t at)
{
	struct slot slot = slot_read(image->words[at], 0);
	struct reference list = {.image = image};
	static uint16_t whole[1000];
	size_t walked = placement_walk(image->placement, at, whole, 1000);
	size_t near = walked < WALK_DEPTH ? walked : WALK_DEPTH;
	const struct hf_hops *hops = &image->hops[at];

	name(&list, slot.owner);
	name(&list, slot.base);
	name_first(&list, whole, near, true, 1);
	name_first(&list, whole, near, true, CURRENT_RANKS);
	name_first(&list, whole, near, false, 1);
	name_first(&list, whole, near, true, KEPT_RANKS);
	name_first(&list, whole, walked, false, walked);
	assert_int_equal(hops->count, list.count + (list.answering != 0));
	assert_memory_equal(hops->backend, list.backend, list.count * sizeof *list.backend);
	if (list.answering)
		assert_int_equal(hops->backend[list.count], list.answering);
	assert_int_equal(hops->flags, list.answering ? HF_HOPS_LAST_ANSWERS : 0);
}

/* Whoever is down, and whoever of them answers: the hops are those of a walk over all members. */
static void hops_are_those_of_the_whole_walk(void **state)
{
	struct model *model = small_model(60);
	struct ledger *ledger = ledger_new();
	struct refusal refusal = {0};
	uint64_t chance;
	const struct moment moment = {
		.now = 100000, .wall = TEST_NOW, .health = by_chance, .context = &chance};

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'encap': 'gue'}");
	for (int i = 1; i <= 60; i += 7)
		operate(&model, "backend.set", "{'pool': 'db', 'name': 'db%d', 'zone': 'east'}", i);
	free(model->history);
	model->history = NULL;
	model->history_count = 0;
	assert_int_equal(ledger_assign(ledger, model, HF_DEFAULT_COUNTERS, &refusal), 0);
	for (chance = 1; chance <= 20; chance++) {
		struct image *image;

		assert_int_equal(image_build(model, ledger, NULL, &moment, &image, &refusal), 0);
		for (uint32_t at = 0; at < 251; at++)
			assert_hops(&image->pools[0], at);
		image_free(image);
	}
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_visit_takes_what_the_walk_lists),
		cmocka_unit_test(a_visit_goes_no_further_than_it_must),
		cmocka_unit_test(hops_are_those_of_the_whole_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
