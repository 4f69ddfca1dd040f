/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"

enum {
	REST = 50,  /* counting takes a fiftieth of the daemon's time at most */
	AGE = 1000, /* ms: a count that is evidence and younger is not made again */
	MARGIN = 1, /* seconds by which the data plane's clock may be behind, generously */
};

/* Counting ------------------------------------------------------------------------- */

const struct flow_census *census_take(struct census *census, int64_t age)
{
	struct grace grace = dataplane_grace(*census->dataplane);
	int64_t begin = clock_monotonic(), took = census->counted - census->began;
	struct flow_census *fresh;
	int error;

	if (census->last && (begin - census->counted < age || begin - census->counted < took * REST))
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

/* Evidence ------------------------------------------------------------------------- */

/* Whether a count that begins after this grace period is evidence. */
static bool suffices(const struct evidence *evidence, struct grace grace, uint32_t since)
{
	return grace.changes == dataplane_changes(*evidence->census->dataplane) &&
	       (!since || grace.began >= since + MARGIN);
}

/* Asks for a grace period. Of moments to come the first is noted: whoever waits for another asks again. */
static void want_grace(struct evidence *evidence, uint32_t since)
{
	uint32_t moment = since + MARGIN;
	bool has_come = moment <= clock_monotonic() / 1000;

	if (has_come && moment > evidence->wanted)
		evidence->wanted = moment;
	if (!has_come && (!evidence->later || moment < evidence->later))
		evidence->later = moment;
}

const struct flow_census *evidence_take(struct evidence *evidence, uint32_t since)
{
	bool is_good = evidence->census->last && suffices(evidence, evidence->census->grace, since);

	if (!is_good && !suffices(evidence, dataplane_grace(*evidence->census->dataplane), since)) {
		want_grace(evidence, since);
		return NULL;
	}
	census_take(evidence->census, is_good ? AGE : 0);
	return suffices(evidence, evidence->census->grace, since) ? evidence->census->last : NULL;
}

const struct flow_census *evidence_last(const struct evidence *evidence)
{
	return suffices(evidence, evidence->census->grace, 0) ? evidence->census->last : NULL;
}

uint32_t evidence_moment(const struct evidence *evidence)
{
	uint32_t began = evidence->census->grace.began;

	return began > MARGIN ? began - MARGIN : 0;
}

static bool is_grace_due(struct evidence *evidence)
{
	const struct dataplane *dataplane = *evidence->census->dataplane;

	if (evidence->later && evidence->later <= clock_monotonic() / 1000) {
		evidence->wanted = evidence->later;
		evidence->later = 0;
	}
	return dataplane_reclaimable(dataplane) || evidence->wanted > dataplane_grace(dataplane).began;
}

void evidence_reclaim(struct evidence *evidence)
{
	int error = is_grace_due(evidence) ? dataplane_reclaim(*evidence->census->dataplane) : 0;

	if (error)
		log_line(LOG_LEVEL_WARNING, "retired memory is not given back: %s", strerror(-error));
}
