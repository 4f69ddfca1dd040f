// SPDX-License-Identifier: Apache-2.0
/* Whom the packets of a slot name. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "unit/image/instance.h"
#include "core/image/image_pool.h"

static void hops_name_the_owner_the_base_and_who_might_know(void **state)
{
	struct instance *instance = begin(12, "'encap': 'gue'"), *plain = begin(12, NULL);

	(void)state;
	assert_null(plain->image->pools[0].hops);
	end(plain);
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	for (uint32_t at = 0; at < 251; at++) {
		const struct hf_hops *hops = &instance->image->pools[0].hops[at];
		struct slot slot = slot_at(instance, at);

		assert_int_equal(hops->count, HF_MAX_HOPS);
		assert_int_equal(hops->flags, 0);
		assert_int_equal(hops->backend[0], slot.owner);
		if (slot.moving)
			assert_int_equal(hops->backend[1], slot.base);
		for (int i = 0; i < hops->count; i++)
			for (int j = 0; j < i; j++)
				assert_int_not_equal(hops->backend[i], hops->backend[j]);
	}
	end(instance);
}

static void the_dead_are_in_no_hops_but_who_answers_is_the_last(void **state)
{
	struct instance *instance = begin(12, "'encap': 'gue'");
	uint16_t dead = number_of(instance, "db5");
	size_t last = 0;

	(void)state;
	instance->down = "db5 ";
	instance->down_since = LATER;
	load(instance, LATER); /* in its grace it serves */
	for (uint32_t at = 0; at < 251; at++)
		assert_int_equal(instance->image->pools[0].hops[at].flags, 0);
	load(instance, LATER + TCP_GRACE_DEFAULT);
	for (uint32_t at = 0; at < 251; at++)
		assert_false(has_hop(&instance->image->pools[0].hops[at], dead));
	instance->answers = true;
	load(instance, LATER + TCP_GRACE_DEFAULT + 1);
	for (uint32_t at = 0; at < 251; at++) {
		const struct hf_hops *hops = &instance->image->pools[0].hops[at];

		if (!has_hop(hops, dead))
			continue;
		last++;
		assert_int_equal(hops->backend[hops->count - 1], dead);
		assert_int_equal(hops->flags, HF_HOPS_LAST_ANSWERS);
	}
	assert_true(last > 50);
	end(instance);
}

static void few_backends_make_few_hops(void **state)
{
	struct instance *instance = begin(3, "'encap': 'gue'");

	(void)state;
	for (uint32_t at = 0; at < 251; at++)
		assert_int_equal(instance->image->pools[0].hops[at].count, 3);
	end(instance);
}

/* From the definition: by a walk over all members ---------------------------------- */

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

/* Servers that have left their names to others --------------------------------------- */

static uint16_t number_labelled(const struct ledger *ledger, const struct model *model, const char *label)
{
	return ledger_backend(ledger, "db", pool_backend(model_pool(model, "db"), label));
}

/* Where a backend stands in a slot's hops; HF_MAX_HOPS: it does not. */
static unsigned int place_of(const struct hf_hops *hops, uint16_t number)
{
	for (unsigned int i = 0; i < hops->count; i++)
		if (hops->backend[i] == number)
			return i;
	return HF_MAX_HOPS;
}

/* A balancer that was not there knows nothing but the model: its packets name the older server too. */
static void hops_name_the_older_server_of_a_name(void **state)
{
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new();
	uint16_t new, old;
	struct image *image;
	const struct pool_image *pool;
	uint32_t owned = 0, former = 0;

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'encap': 'gue'}");
	operate(&model, "backend.set",
		"{'pool': 'db', 'name': 'db1', 'weight': 25}"); /* it was the owner of more */
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.2.1'}");
	image = must_image(model, ledger, NULL, "");
	pool = image_pool(image, "db");
	new = number_labelled(ledger, model, "db1");
	for (int generation = 0; generation < 2; generation++) {
		old = number_labelled(ledger, model, generation ? "db1@10.0.1.1" : "db1@10.0.0.1");
		for (uint32_t slot = 0; slot < pool->table.size; slot++) {
			const struct hf_hops *hops = &pool->hops[slot];

			assert_int_not_equal(pool->words[slot] & 0xffff, old);
			if ((pool->words[slot] & 0xffff) == new) {
				owned++;
				assert_int_equal(place_of(hops, new), 0);
				assert_in_range(place_of(hops, old), 1, 2);
			} else if (place_of(hops, new) < HF_MAX_HOPS) {
				former++;
				assert_true(place_of(hops, old) < HF_MAX_HOPS);
			}
		}
	}
	assert_true(owned > 20 && former > 50);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

/* The slots of the name move to the new server, and the old one is their base as long as it lives. */
static void the_older_server_is_the_base_of_its_slots(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	struct image *before = must_image(model, ledger, NULL, ""), *after, *later;
	uint16_t old = number_labelled(ledger, model, "db1"), new;
	uint32_t owned, based;

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}");
	after = must_image(model, ledger, before, "");
	new = number_labelled(ledger, model, "db1");
	assert_int_equal(number_labelled(ledger, model, "db1@10.0.0.1"), old);
	count_slots(after, old, &owned, &based);
	assert_int_equal(owned, 0);
	assert_true(based > 60);
	assert_true(image_pool(before, "db")->digest == image_pool(after, "db")->digest);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1@10.0.0.1', 'now': true}");
	later = must_image(model, ledger, after, "");
	assert_true(image_pool(later, "db")->digest == image_pool(after, "db")->digest);
	count_slots(later, new, &owned, &based);
	assert_true(owned > 60);
	image_free(before);
	image_free(after);
	image_free(later);
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hops_name_the_owner_the_base_and_who_might_know),
		cmocka_unit_test(the_dead_are_in_no_hops_but_who_answers_is_the_last),
		cmocka_unit_test(few_backends_make_few_hops),
		cmocka_unit_test(hops_are_those_of_the_whole_walk),
		cmocka_unit_test(hops_name_the_older_server_of_a_name),
		cmocka_unit_test(the_older_server_is_the_base_of_its_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
