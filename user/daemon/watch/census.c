/* SPDX-License-Identifier: Apache-2.0 */
#include "census.h"

#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"

/* Counting takes a fiftieth of the daemon's time at most. */
enum { REST = 50 };

const struct flow_census *census_take(struct census *census, int64_t age)
{
	struct grace grace = dataplane_grace(*census->dataplane);
	int64_t begin = clock_monotonic();
	struct flow_census *fresh;
	int error;

	if (census->last && (begin - census->counted < age || begin - census->counted < census->took * REST))
		return census->last;
	error = flows_count(*census->dataplane, begin / 1000, &fresh);
	if (error) {
		log_line(LOG_LEVEL_WARNING, "remembered flows cannot be counted: %s", strerror(-error));
		return census->last;
	}
	flow_census_free(census->last);
	census->last = fresh;
	census->grace = grace;
	census->began = begin;
	census->counted = clock_monotonic();
	census->took = census->counted - begin;
	return fresh;
}

uint32_t census_remembered(struct census *census, const struct pool_image *image)
{
	const struct flow_census *count = census_take(census, CENSUS_SHOWN);

	return count && image ? count->pools[image->number].remembered : 0;
}

void census_forget(struct census *census)
{
	flow_census_free(census->last);
	census->last = NULL;
	census->grace = (struct grace){0};
}
