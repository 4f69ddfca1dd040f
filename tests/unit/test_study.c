/* SPDX-License-Identifier: Apache-2.0 */
/* Studies of placements: crowds as written, figures, bounded loads, replays, hot keys, tokens placed for
 * balance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/study/allocation.h"
#include "core/study/comparison.h"
#include "core/study/crowd.h"
#include "core/study/drawing.h"
#include "core/study/hot.h"
#include "core/study/replay.h"

static struct crowd crowd_of(const char *text)
{
	struct refusal refusal = {.what = ""};
	struct crowd crowd = {0};

	if (crowd_add(&crowd, text, &refusal))
		fail_msg("refused: %s", refusal.what);
	return crowd;
}

static struct placement *place(const struct crowd *crowd, enum placement_scheme scheme,
			       struct placement_options options)
{
	struct member_set set = {.scheme = scheme,
				 .slots = scheme == PLACEMENT_SLOTS ? 16384 : 65537,
				 .members = crowd->members,
				 .count = crowd->count,
				 .options = &options};
	struct placement *placement = NULL;
	struct refusal refusal = {.what = ""};

	options.keys_only = true;
	if (placement_build(&set, &placement, &refusal))
		fail_msg("refused: %s", refusal.what);
	return placement;
}

/* A side of a comparison that owns what it is made of. */
struct stage {
	struct crowd crowd;
	struct placement *placement;
	uint16_t *owners;
	uint32_t *weights;
	struct side side;
};

static struct stage stage_make(const char *members, const char *change, enum placement_scheme scheme,
			       struct placement_options options, const struct sample *sample)
{
	struct stage stage = {.crowd = crowd_of(members)};

	assert_int_equal(crowd_change(&stage.crowd, change, NULL), 0);
	stage.placement = place(&stage.crowd, scheme, options);
	stage.owners = calloc(sample_size(stage.placement, sample), sizeof *stage.owners);
	stage.weights = calloc(stage.crowd.count, sizeof *stage.weights);
	assert_true(stage.owners && stage.weights);
	for (size_t i = 0; i < stage.crowd.count; i++)
		stage.weights[placement_member_number(stage.placement, stage.crowd.members[i].name)] =
			stage.crowd.members[i].weight;
	sample_owners(stage.placement, sample, stage.owners);
	stage.side = (struct side){stage.placement, stage.owners, stage.weights};
	return stage;
}

static void stage_end(struct stage *stage)
{
	crowd_free(&stage->crowd);
	placement_free(stage->placement);
	free(stage->owners);
	free(stage->weights);
}

static struct figures figures_of(const char *members, const char *change, enum placement_scheme scheme,
				 struct placement_options options, uint32_t keys, size_t replicas)
{
	struct sample sample = {.prefix = "key", .count = keys};
	struct stage before = stage_make(members, "", scheme, options, &sample);
	struct stage after = stage_make(members, change, scheme, options, &sample);
	struct figures figures = {0};

	assert_int_equal(compare(&sample, &before.side, *change ? &after.side : NULL, &figures), 0);
	if (replicas)
		assert_int_equal(compare_replicas(&sample, &before.side, &after.side, replicas, &figures), 0);
	stage_end(&before);
	stage_end(&after);
	return figures;
}

static void test_crowds_as_written(void **state)
{
	struct crowd crowd = crowd_of("a,b*2,c=250@east,cache-8..11*0.5@west,10.0.0.1:11211,v1.2");
	static const struct member expected[] = {
		{"a", "", 100},           {"b", "", 200},
		{"c", "east", 250},       {"cache-8", "west", 50},
		{"cache-9", "west", 50},  {"cache-10", "west", 50},
		{"cache-11", "west", 50}, {"10.0.0.1:11211", "", 100},
		{"v1.2", "", 100},
	};

	(void)state;
	assert_int_equal(crowd.count, 9);
	for (size_t i = 0; i < 9; i++) {
		assert_string_equal(crowd.members[i].name, expected[i].name);
		assert_string_equal(crowd.members[i].zone, expected[i].zone);
		assert_int_equal(crowd.members[i].weight, expected[i].weight);
	}
	assert_int_equal(crowd_change(&crowd, "-b,+d@north,c*2,a=7,v1.2@south", NULL), 0);
	assert_null(crowd_find(&crowd, "b"));
	assert_string_equal(crowd_find(&crowd, "d")->zone, "north");
	assert_int_equal(crowd_find(&crowd, "c")->weight, 500);
	assert_int_equal(crowd_find(&crowd, "a")->weight, 7);
	assert_string_equal(crowd_find(&crowd, "v1.2")->zone, "south");
	crowd_free(&crowd);
}

static void test_crowds_refused(void **state)
{
	static const char *const members[] = {"a,,b", "a*x", "b=-1", "*2", "cache-9..3", "n..5", "a*1e9"};
	static const char *const changes[] = {"-z", "z*2", "a", "a,", "+", "-"};

	(void)state;
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		struct refusal refusal = {.what = ""};
		struct crowd crowd = {0};

		if (crowd_add(&crowd, members[i], &refusal) != -22 || !*refusal.what)
			fail_msg("'%s' was taken", members[i]);
		crowd_free(&crowd);
	}
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct refusal refusal = {.what = ""};
		struct crowd crowd = crowd_of("a");

		if (crowd_change(&crowd, changes[i], &refusal) != -22 || !*refusal.what)
			fail_msg("'%s' was taken", changes[i]);
		crowd_free(&crowd);
	}
}

/* Modulo from 3 to 4: three quarters move, a quarter must, so that half is needless. */
static void test_moves_and_needless_moves(void **state)
{
	struct figures modulo =
		figures_of("a,b,c", "+d", PLACEMENT_MODULO, (struct placement_options){0}, 100000, 0);
	struct figures best =
		figures_of("a,b,c", "+d", PLACEMENT_RENDEZVOUS, (struct placement_options){0}, 100000, 0);
	struct figures heavy =
		figures_of("a,b,c", "b*2", PLACEMENT_RENDEZVOUS, (struct placement_options){0}, 100000, 0);

	(void)state;
	assert_true(fabs(modulo.moved - 0.75) < 0.006 && fabs(modulo.needless - 0.5) < 0.007);
	assert_true(fabs(modulo.minimum - 0.25) < 1e-9);
	assert_true(fabs(best.moved - 0.25) < 0.006 && best.needless == 0);
	assert_true(fabs(heavy.minimum - 1.0 / 6) < 1e-9 && fabs(heavy.moved - 1.0 / 6) < 0.005 &&
		    heavy.needless == 0);
	assert_true(best.greatest < 1.02 && best.least > 0.98 && best.deviation < 0.01);
}

/* A member of three that is lost: without virtual nodes one neighbour gets all, with a hundred it splits. */
static void test_where_lost_load_goes(void **state)
{
	struct placement_options one = {.virtual_nodes = 1}, many = {.virtual_nodes = 100};
	struct figures dumped = figures_of("a,b,c", "-b", PLACEMENT_RING, one, 30000, 0);
	struct figures split = figures_of("a,b,c", "-b", PLACEMENT_RING, many, 30000, 0);
	struct figures unasked = figures_of("a,b,c", "", PLACEMENT_MAGLEV, many, 30000, 0);

	(void)state;
	assert_string_equal(dumped.lost, "b");
	assert_true(dumped.worst_neighbour == 1);
	assert_true(split.worst_neighbour < 0.68);
	assert_false(unasked.changed);
	assert_true(unasked.worst_neighbour < 0.53);
}

/*
 * Of two copies on four members every key has one on b with probability 1/2: losing b loses a quarter of all
 * copies. Without the skip of equal servers two neighbouring tokens are the same member's now and then.
 */
static void test_replicas(void **state)
{
	struct placement_options options = {.virtual_nodes = 200};
	struct figures lost = figures_of("a,b,c,d", "-b", PLACEMENT_RENDEZVOUS, options, 40000, 2);
	struct figures same = figures_of("a,b,c,d", "", PLACEMENT_RING, options, 40000, 2);

	(void)state;
	assert_true(fabs(lost.copies_lost - 0.25) < 0.01);
	assert_true(fabs(lost.copies_moved - 0.25) < 0.01);
	assert_true(same.copies_moved == 0 && same.copies_lost == 0);
	assert_true(same.duplicates > 0.2 && same.duplicates < 0.3);
}

/*
 * HAProxy's manual, hash-balance-factor: "if <factor> is 150, then no server will be allowed to have a load
 * more than 1.5 times the average", weights respected. Its slots for a server are ceil(factor * (served + 1)
 * * weight / total).
 */
static void test_bounded_caps(void **state)
{
	(void)state;
	for (uint64_t served = 0; served < 3000; served += 7)
		for (uint64_t percent = 101; percent <= 200; percent += 11)
			for (uint64_t weight = 1; weight <= 5; weight++) {
				uint64_t numerator = (served + 1) * percent * weight, whole = 100 * 12;

				assert_int_equal(bounded_cap(served + 1, (double)percent / 100, weight, 12),
						 (numerator + whole - 1) / whole);
			}
	assert_int_equal(bounded_cap(10, 1.2, 1, 4), 3);
	assert_int_equal(bounded_cap(100, 1.25, 1, 5), 25);
	assert_int_equal(bounded_cap(5, 1.25, 0, 5), 0);
	assert_int_equal(bounded_cap(5, 1.25, 1, 0), 0);
}

static void test_bounded_loads_hold(void **state)
{
	struct sample sample = {.prefix = "key", .count = 20000};
	struct placement_options options = {.virtual_nodes = 1};
	struct stage stage = stage_make("a,b,c,d,e", "", PLACEMENT_RING, options, &sample);
	struct figures figures = {0}, loose = {0};

	(void)state;
	assert_int_equal(compare(&sample, &stage.side, NULL, &figures), 0);
	assert_int_equal(compare_bounded(&sample, &stage.side, 1.1, &figures), 0);
	assert_true(figures.cap == 4400);
	/* Whatever is above the cap must go on; a chain of full members may pass more along, never less. */
	assert_true(figures.overflow >= (figures.greatest - 1.1) / 5 - 1e-9);
	assert_int_equal(compare_bounded(&sample, &stage.side, figures.greatest + 0.01, &loose), 0);
	assert_true(loose.overflow == 0);
	stage_end(&stage);
}

/* A key with 40 % of all on ten servers: 4.0 times the mean at best. Its shards reach those that lookup says.
 */
static void test_hot_key(void **state)
{
	struct crowd crowd = crowd_of("cache-0..9");
	struct placement *placement = place(&crowd, PLACEMENT_RING, (struct placement_options){0});
	struct key_count keys[601];
	char names[601][24];
	bool reached[10] = {false};
	struct heat heat;
	size_t distinct = 0;

	(void)state;
	keys[0] = (struct key_count){"hot", 400};
	for (int i = 1; i <= 600; i++) {
		snprintf(names[i], sizeof names[i], "cold-%d", i);
		keys[i] = (struct key_count){names[i], 1};
	}
	assert_int_equal(heat_measure(placement, keys, 601, 10, 1.25, &heat), 0);
	for (int shard = 0; shard < 10; shard++) {
		char name[16];
		uint16_t owner = placement_lookup(placement, name,
						  (size_t)snprintf(name, sizeof name, "hot#%d", shard));

		distinct += !reached[owner];
		reached[owner] = true;
	}
	assert_int_equal(heat.hottest, 0);
	assert_true(fabs(heat.share - 0.4) < 1e-9 && fabs(heat.best - 4) < 1e-9 && heat.now >= 4);
	assert_int_equal(heat.reached, distinct);
	assert_true(heat.split < heat.best && heat.split >= 1 && heat.bounded == 1.25);
	assert_int_equal(heat_measure(placement, keys, 0, 10, 1.25, &heat), -22);
	placement_free(placement);
	crowd_free(&crowd);
}

static double lowest_after(enum placement_scheme scheme, bool warm, double *ret_before)
{
	struct crowd before = crowd_of("cache-0..9"), after = crowd_of("cache-0..10");
	struct replay replay = {.before = place(&before, scheme, (struct placement_options){0}),
				.after = place(&after, scheme, (struct placement_options){0}),
				.keys = 5000,
				.requests = 5000,
				.steps = 30,
				.change_at = 20,
				.skew = 0.8,
				.warm = warm};
	double rates[30], lowest = 1;

	assert_int_equal(replay_run(&replay, rates, NULL), 0);
	assert_true(rates[0] < rates[19]);
	for (int step = 20; step < 30; step++)
		lowest = fmin(lowest, rates[step]);
	*ret_before = rates[19];
	placement_free((struct placement *)replay.before);
	placement_free((struct placement *)replay.after);
	crowd_free(&before);
	crowd_free(&after);
	return lowest;
}

static void test_replay(void **state)
{
	double before, modulo = lowest_after(PLACEMENT_MODULO, false, &before), ring, warm;

	(void)state;
	assert_true(before > 0.98);
	assert_true(modulo < 0.75);
	ring = lowest_after(PLACEMENT_RING, false, &before);
	warm = lowest_after(PLACEMENT_RING, true, &before);
	assert_true(ring > modulo + 0.15 && ring < before - 0.02);
	assert_true(warm > before - 0.01);
}

/* A cache with room for one key, asked for two in turn, never hits; with room for both it misses twice. */
static void test_replay_of_a_small_cache(void **state)
{
	struct crowd crowd = crowd_of("a");
	struct placement *placement = place(&crowd, PLACEMENT_MODULO, (struct placement_options){0});
	struct replay replay = {.before = placement,
				.after = placement,
				.keys = 1000,
				.requests = 4000,
				.steps = 2,
				.change_at = 1,
				.room = 500};
	struct refusal refusal = {.what = ""};
	double rates[2];

	(void)state;
	/* Uniform demand: half of all keys are in, so that half of all requests hit; 4000 leave a deviation
	 * of 0.8 %. */
	assert_int_equal(replay_run(&replay, rates, NULL), 0);
	assert_true(fabs(rates[1] - 0.5) < 0.04);
	replay.keys = 0;
	assert_int_equal(replay_run(&replay, rates, &refusal), -22);
	assert_true(*refusal.what);
	placement_free(placement);
	crowd_free(&crowd);
}

/* Eight tokens placed for balance beat eight hashed ones, after every joining. */
static void test_few_tokens_placed_for_balance(void **state)
{
	struct sample sample = {.prefix = "key", .count = 50000};

	(void)state;
	for (int members = 1; members <= 20; members += 3) {
		struct token_position *positions = NULL;
		struct crowd crowd = {0};
		struct placement_options options = {.position_count = 8 * (size_t)members};
		struct stage placed, hashed;
		struct figures good, poor;
		char text[32];

		snprintf(text, sizeof text, "n-0..%d", members - 1);
		crowd = crowd_of(text);
		assert_int_equal(allocate_tokens(crowd.members, crowd.count, 8, &positions), 0);
		options.positions = positions;
		placed = stage_make(text, "", PLACEMENT_RING, options, &sample);
		hashed = stage_make(text, "", PLACEMENT_RING, (struct placement_options){.virtual_nodes = 8},
				    &sample);
		assert_int_equal(compare(&sample, &placed.side, NULL, &good), 0);
		assert_int_equal(compare(&sample, &hashed.side, NULL, &poor), 0);
		assert_true(good.greatest < 1.15);
		assert_true(members == 1 || good.deviation < poor.deviation / 3);
		stage_end(&placed);
		stage_end(&hashed);
		free(positions);
		crowd_free(&crowd);
	}
}

static void test_drawings_refuse_what_cannot_be_seen(void **state)
{
	struct crowd crowd = crowd_of("n-0..24"), three = crowd_of("a,b,c");
	struct drawing drawing = {.before = place(&crowd, PLACEMENT_RING, (struct placement_options){0}),
				  .title = "t"};
	struct refusal refusal = {.what = ""};
	char *picture = NULL;

	(void)state;
	assert_int_equal(draw_ring(&drawing, &picture, &refusal), -22);
	assert_non_null(strstr(refusal.what, "more than 24 members"));
	placement_free((struct placement *)drawing.before);
	drawing.before = place(&three, PLACEMENT_MAGLEV, (struct placement_options){0});
	assert_int_equal(draw_ring(&drawing, &picture, &refusal), -22);
	assert_non_null(strstr(refusal.what, "no ring"));
	assert_int_equal(draw_bands(&drawing, &picture, &refusal), 0);
	assert_non_null(strstr(picture, "</svg>"));
	free(picture);
	placement_free((struct placement *)drawing.before);
	crowd_free(&crowd);
	crowd_free(&three);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crowds_as_written),
		cmocka_unit_test(test_crowds_refused),
		cmocka_unit_test(test_moves_and_needless_moves),
		cmocka_unit_test(test_where_lost_load_goes),
		cmocka_unit_test(test_replicas),
		cmocka_unit_test(test_bounded_caps),
		cmocka_unit_test(test_bounded_loads_hold),
		cmocka_unit_test(test_hot_key),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_replay_of_a_small_cache),
		cmocka_unit_test(test_few_tokens_placed_for_balance),
		cmocka_unit_test(test_drawings_refuse_what_cannot_be_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
