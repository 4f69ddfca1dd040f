/* SPDX-License-Identifier: Apache-2.0 */
/* What every placement verb starts from: members, a change of them, schemes and their options. Needs no
 * daemon. */
#pragma once

#include <stdbool.h>

#include "core/study/crowd.h"
#include "cli/frame/call.h"

enum { STUDY_KEYS = 1000000 };

struct study {
	struct crowd before, after; /* after is a copy of before where nothing changes */
	char *change; /* the change, of --change and of words, with commas between; NULL: none */
	uint64_t seed;
	uint32_t slots; /* 0: each scheme's own default */
	struct placement_options options;
	struct token_position *positions;    /* given with --positions, for both sides */
	struct token_position *allocated[2]; /* --tokens: of before and of after */
	struct slot_range *ranges;
	char *words; /* names that positions and ranges borrow */
};

/* Reads the call's options. It has complained already where it returns anything but STATUS_DONE. */
enum exit_status study_open(const struct call *call, struct study *ret);
void study_close(struct study *study);
/* Builds a placement of the members before or after the change. Complains itself. */
enum exit_status study_build(const struct study *study, enum placement_scheme scheme, bool after,
			     struct placement **ret);
/*
 * The weights of the members before or after the change, by their numbers in placement. The caller frees
 * them; NULL: no memory.
 */
uint32_t *study_weights(const struct study *study, bool after, const struct placement *placement);
/* The option's number, or otherwise. */
uint32_t study_number(const struct call *call, const char *option, uint32_t otherwise);
/* The option's decimal fraction from low up. Complains itself. */
enum exit_status study_fraction(const struct call *call, const char *option, double low, double *value);
/* The scheme of --scheme, or otherwise. */
enum placement_scheme study_scheme(const struct call *call, enum placement_scheme otherwise);
