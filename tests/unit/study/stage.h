/* SPDX-License-Identifier: Apache-2.0 */
/* Crowds, their placements before and after a change, and the figures of these. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "core/study/comparison.h"
#include "core/study/crowd.h"

static inline struct crowd crowd_of(const char *text)
{
	struct refusal refusal = {.what = ""};
	struct crowd crowd = {0};

	if (crowd_add(&crowd, text, &refusal))
		fail_msg("refused: %s", refusal.what);
	return crowd;
}

static inline struct placement *place(const struct crowd *crowd, enum placement_scheme scheme,
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

static inline struct stage stage_make(const char *members, const char *change, enum placement_scheme scheme,
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

static inline void stage_end(struct stage *stage)
{
	crowd_free(&stage->crowd);
	placement_free(stage->placement);
	free(stage->owners);
	free(stage->weights);
}

static inline struct figures figures_of(const char *members, const char *change, enum placement_scheme scheme,
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
