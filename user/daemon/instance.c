/* SPDX-License-Identifier: Apache-2.0 */
#include "instance.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "daemon/change/reconcile.h"
#include "daemon/change/refresh.h"
#include "kern/instance/lifecycle.h"
#include "kern/instance/attach.h"
#include "stored_state.h"

static int open_parts(struct instance *instance)
{
	int error = next_hops_open(&instance->dataplane, &instance->ledger, &instance->next_hops);

	if (!error)
		error = interfaces_open(&instance->dataplane, &instance->interfaces);
	if (!error)
		error = rates_open(&instance->dataplane, &instance->rates);
	return error;
}

int instance_open(const struct options *options, struct instance **ret, struct refusal *refusal)
{
	struct instance *instance = calloc(1, sizeof *instance);
	int error;

	if (!instance)
		return -ENOMEM;
	instance->options = options;
	instance->census.dataplane = &instance->dataplane;
	instance->evidence.census = &instance->census;
	instance->started = clock_monotonic();
	error = stored_state_open(instance, refusal);
	if (!error)
		error = stored_state_load(instance, refusal);
	instance->drains_seen = steady_clock_now(&instance->clock);
	if (!error)
		error = open_parts(instance);
	if (!error)
		error = reconcile(instance, true, refusal);
	if (error) {
		instance_close(instance);
		return error;
	}
	/* What is counted from now on is new. */
	overflow_tick(&instance->overflow, instance->dataplane, clock_monotonic());
	losses_tick(&instance->losses, instance->dataplane, instance->image, clock_monotonic());
	rates_sample(instance->rates, clock_monotonic());
	*ret = instance;
	return 0;
}

void instance_close(struct instance *instance)
{
	if (!instance)
		return;
	if (instance->store) {
		store_wait(instance->store, true);
		events_flush(instance->store);
		steady_clock_note(&instance->clock, instance->store);
	}
	probe_close(&instance->probe);
	census_forget(&instance->census);
	rates_close(instance->rates);
	interfaces_close(instance->interfaces);
	next_hops_close(instance->next_hops);
	image_free(instance->image);
	dataplane_close(instance->dataplane);
	ledger_free(instance->ledger);
	model_free(instance->model);
	free(instance->text);
	facts_close(instance->facts);
	store_close(instance->store);
	free(instance);
}

void instance_leave(struct instance *instance)
{
	struct refusal refusal = {0};
	int left;

	if (instance->hold.problem.what[0] || interfaces_wanted(instance->interfaces, instance->model))
		return;
	left = dataplane_leave(instance->options->instance, &refusal);
	if (left < 0)
		log_refusal(LOG_LEVEL_WARNING, "pins are left behind", &refusal);
	else if (left)
		log_line(LOG_LEVEL_NOTICE,
			 "nothing is attached: the daemon removes maps, programs and neighbour entries");
}

void instance_tick(struct instance *instance)
{
	upkeep_tick(instance);
	interfaces_retry(instance->interfaces, instance->model);
	carriers_tick(&instance->carriers, instance->interfaces, instance->next_hops, instance->model);
	dataplane_know_macs(instance->dataplane);
	refresh_tick(instance);
	if (probe_tick(&instance->probe, instance->model, instance->facts))
		refresh_image(instance);
	rates_sample(instance->rates, clock_monotonic());
	overflow_tick(&instance->overflow, instance->dataplane, clock_monotonic());
	losses_tick(&instance->losses, instance->dataplane, instance->image, clock_monotonic());
	events_flush(instance->store);
}
