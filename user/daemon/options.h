/* SPDX-License-Identifier: Apache-2.0 */
/* holdfastd's command line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kern/maps/dataplane.h"

struct options {
	const char *instance;
	const char *runtime_directory;
	const char *state_directory;
	const char *config; /* NULL: none */
	bool fresh;         /* begin with an empty database */
	uint64_t seed;      /* 0: none given */
	struct dataplane_limits limits;
	uint32_t keep_generations;
	uint32_t keep_days;
	uint32_t keep_megabytes;
};

/* 0; 1 when --help or --version was answered; -EINVAL after a sentence on standard error. */
int options_parse(int argc, char **argv, struct options *ret);
