// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

#include "cli/frame/call.h"
#include "cli/frame/complain.h"
#include "nouns.h"

static enum exit_status run_seed(const struct call *call)
{
	struct refusal refusal = {.what = ""};
	uint64_t seed = 0;

	/* 0 stands for no seed. */
	while (!seed) {
		if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
			return complain(STATUS_REFUSED, &refusal, errno);
	}
	printf(call->json ? "{\"seed\": \"%016" PRIx64 "\"}\n" : "%016" PRIx64 "\n", seed);
	return STATUS_DONE;
}

/* clang-format off */
const struct noun seed_noun = {"seed", "a random seed for a configuration", .verbs = VERBS(
	{"",
	 .help = "print a random seed of 64 bits",
	 .run = run_seed})};
/* clang-format on */
