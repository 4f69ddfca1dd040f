// SPDX-License-Identifier: Apache-2.0
/* The records of hops: equal ones once, and none given away that a packet may read. */
#include "sample.h"

#include <errno.h>
#include <holdfast/slot.h>
#include <kern/instance/lifecycle.h>
#include <kern/maps/hops.h>
#include <string.h>

#include "netns.h"

static void test_hops_are_kept_once(void **state)
{
	struct dataplane *dataplane = open_instance();
	static struct hf_hops hops[1000];
	struct sample sample;
	struct image *image;

	(void)state;
	for (int round = 0; round < 100; round++) { /* of 250 records each, in room for 1023 */
		sample_make(&sample, 1000, 5);
		for (uint16_t i = 0; i < 1000; i++)
			hops[i] = (struct hf_hops){.count = 2, .backend = {5, i % 250 + 1 + round}};
		sample.pool.hops = hops;
		assert_int_equal(dataplane_apply(dataplane, &sample.plan, round, NULL), 0);
	}
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_memory_equal(image->pools[0].hops, hops, sizeof hops);
	assert_memory_equal(image->pools[0].words, sample.words, sizeof sample.words);
	image_free(image);
	dataplane_close(dataplane);

	/* Who adopts them knows which are in use. */
	dataplane = open_instance();
	hops[0].backend[1] = 999;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 100, NULL), 0);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_memory_equal(image->pools[0].hops, hops, sizeof hops);
	image_free(image);
	dataplane_close(dataplane);
}

/* A sweep whose end has not come, for want of memory, may have missed a record that a packet reads. */
static void test_a_sweep_that_failed_gives_no_record_away(void **state)
{
	static struct hf_hops memory[16];
	const struct hf_hops first = {.count = 1, .backend = {5}}, second = {.count = 1, .backend = {6}};
	struct hops_store *store;
	uint32_t index = 0, other = 0;
	uint64_t word;

	(void)state;
	assert_int_equal(hops_store_open(memory, 16, &store), 0);
	hops_sweep_end(store);
	assert_int_equal(hops_intern(store, &first, &index), 0);
	word = hf_slot_with_hops(0, index);
	assert_int_equal(hops_sweep_begin(store), 0);
	assert_int_equal(hops_intern(store, &second, &other), -ENOMEM);
	assert_memory_equal(&memory[index], &first, sizeof first);
	assert_int_equal(hops_sweep_begin(store), 0);
	assert_int_equal(hops_sweep_mark(store, &word, 1), 0);
	hops_sweep_end(store);
	assert_int_equal(hops_intern(store, &second, &other), 0);
	assert_int_not_equal(other, index);
	assert_memory_equal(&memory[index], &first, sizeof first);
	hops_store_close(store);
}

/* The image after a change has the words of the live table itself, which name that table's hops. */
static void test_lent_words_name_the_new_hops(void **state)
{
	struct dataplane *dataplane = open_instance();
	static struct hf_hops hops[1000];
	struct sample sample, next;
	const uint64_t *words;
	struct hf_table table;
	struct image *image;

	(void)state;
	sample_make(&sample, 1000, 5);
	for (uint16_t i = 0; i < 1000; i++)
		hops[i] = (struct hf_hops){.count = 2, .backend = {5, i % 5 + 1}};
	sample.pool.hops = hops;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), 0);
	sample_make(&next, 1000, 5);
	for (uint16_t i = 0; i < 1000; i++) /* others, the same, and none */
		hops[i].backend[1] += i % 2 * 100;
	for (uint16_t i = 0; i < 1000; i += 3)
		hops[i] = (struct hf_hops){.count = 0};
	next.pool.words = words;
	next.pool.hops = hops;
	assert_int_equal(dataplane_apply(dataplane, &next.plan, 2, NULL), 0);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_memory_equal(image->pools[0].hops, hops, sizeof hops);
	assert_memory_equal(image->pools[0].words, sample.words, sizeof sample.words);
	image_free(image);
	dataplane_close(dataplane);
}

static void test_too_many_hops_change_nothing(void **state)
{
	const struct dataplane_limits few = {.slots = 4096, .hops = 500, .flows = 1024, .counters = 64};
	struct refusal refusal = {};
	static struct hf_hops hops[1000];
	struct dataplane *dataplane;
	struct sample sample, many;

	(void)state;
	assert_int_equal(dataplane_open(instance, &few, &dataplane, NULL), 0);
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	sample_make(&many, 1000, 5);
	for (uint16_t i = 0; i < 1000; i++)
		hops[i] = (struct hf_hops){.count = 1, .backend = {i + 1}};
	many.pool.hops = hops;
	assert_int_equal(dataplane_apply(dataplane, &many.plan, 2, &refusal), -ENOSPC);
	assert_non_null(strstr(refusal.what, "hops"));
	assert_loaded(dataplane, &sample);
	dataplane_close(dataplane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_hops_are_kept_once),
		cmocka_unit_test(test_a_sweep_that_failed_gives_no_record_away),
		CASE(test_lent_words_name_the_new_hops),
		CASE(test_too_many_hops_change_nothing),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("hops", tests, NULL, NULL);
}
