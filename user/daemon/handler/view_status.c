/* SPDX-License-Identifier: Apache-2.0 */
/* The status, and what it says is wrong. */
#include <holdfast/flowhash.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <version.h>

#include "core/review/warning.h"
#include "core/value/duration.h"
#include "daemon/base/clock.h"
#include "kern/program/load.h"
#include "reach.h"
#include "views.h"

/* Problems and warnings ------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void append_line(json_t *list, const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	json_array_append_new(list, json_string(line));
}

/* Drains do not end while draining backends get new connections. */
static void append_overflow(struct instance *instance, json_t *list)
{
	const struct flow_census *census = census_take(&instance->census, CENSUS_SHOWN);
	uint64_t unfit = overflow_unfit(&instance->overflow);

	if (!unfit || !census)
		return;
	append_line(list,
		    "the flow table is full: %" PRIu64
		    " new connections found no room and went to the bases of "
		    "their slots, so that drains take longer: start the instance anew with holdfastd "
		    "--max-flows %u, or use a deadline",
		    unfit, 2 * census->limit);
}

/* Packets that count as forwarded, but that the driver drops. */
static void append_losses(const struct losses *losses, json_t *list)
{
	for (size_t i = 0; i < losses->count; i++) {
		const struct loss *loss = &losses->list[i];

		if (loss->losing)
			append_line(list,
				    "interface %s: its driver lost %" PRIu64
				    " forwarded packets, and may lose more: `ethtool -S %s | grep xdp` "
				    "names the counter, `holdfast check` known causes",
				    loss->interface, loss->lost - loss->began, loss->interface);
	}
}

static void append_services(struct instance *instance, json_t *list)
{
	for (size_t i = 0; i < instance->model->service_count; i++) {
		struct service_state state;

		service_fill(instance, &instance->model->services[i], &state);
		service_append_problem(&state, list);
	}
}

/* What is known to stop packets or changes. */
static json_t *problems_list(struct instance *instance)
{
	const struct model *model = instance->model;
	const struct refusal *broken = store_problem(instance->store), *unheld = &instance->hold.problem;
	json_t *list = json_array();
	char told[REFUSAL_TEXT];

	if (broken->what[0])
		append_line(list, "%s", refusal_text(broken, told));
	if (unheld->what[0])
		append_line(list, "%s", refusal_text(unheld, told));
	if (instance->configuration_problem[0])
		append_line(list, "%s", instance->configuration_problem);
	if (model->service_count && !model->interface_count)
		append_line(list, "no interface is attached, so no traffic is balanced: "
				  "holdfast interface attach NAME");
	append_overflow(instance, list);
	append_losses(&instance->losses, list);
	for (size_t i = 0; i < model->interface_count; i++) {
		char text[CARRIER_TEXT];
		const char *problem = interface_problem(instance, &model->interfaces[i], text);

		if (problem)
			append_line(list, "interface %s: %s", model->interfaces[i].name, problem);
	}
	if (instance->overdue.what[0])
		append_line(list,
			    "deadlines, graces and stated health have no effect yet: %s%s%s; the daemon "
			    "tries again",
			    instance->overdue.what, instance->overdue.right[0] ? ": " : "",
			    instance->overdue.right);
	append_services(instance, list);
	append_drops(instance, list);
	return list;
}

static void warn_of_backend(struct instance *instance, json_t *list, const struct pool *pool,
			    const struct backend *backend)
{
	const struct fact *fact = facts_find(instance->facts, pool->name, backend);
	char since[AGE_TEXT], label[BACKEND_TEXT], text[REACH_TEXT];
	struct reach reach;
	const char *problem;

	backend_label(backend, label);
	backend_reach(instance, pool, backend, &reach);
	problem = reach_text(&reach, text);
	if (fact && fact->state == HEALTH_DOWN)
		append_line(list, "%s/%s down %s, stated by %s%s%s", pool->name, label,
			    age_text(fact_age(instance->facts, fact), since), fact->author,
			    problem ? ": " : "", problem ? problem : "");
	else if (problem && !backend_drops(instance, pool, backend))
		append_line(list, "%s/%s: %s", pool->name, label, problem);
}

/* What a person should look at while the rest goes on. */
static json_t *warnings_list(struct instance *instance)
{
	const struct model *model = instance->model;
	json_t *list = json_array();

	for (size_t i = 0; i < model->pool_count; i++)
		for (size_t j = 0; j < model->pools[i].backend_count; j++)
			warn_of_backend(instance, list, &model->pools[i], &model->pools[i].backends[j]);
	warning_append_standing(model, list);
	if (dataplane_outdated(instance->dataplane))
		append_line(list, "the program that is attached is of another build: holdfast upgrade");
	return list;
}

/* Status ---------------------------------------------------------------------------- */

json_t *view_version(struct instance *instance)
{
	(void)instance;
	return json_pack("{s:s, s:i, s:i}", "version", HOLDFAST_VERSION, "abi", HF_ABI_VERSION, "flow_hash",
			 HF_FLOWHASH_VERSION);
}

static json_t *pools_list(const struct instance *instance, int64_t *ret_slots)
{
	uint32_t now = clock_monotonic() / 1000;
	json_t *list = json_array();

	*ret_slots = 0;
	for (size_t i = 0; i < instance->model->pool_count; i++) {
		const struct pool *pool = &instance->model->pools[i];

		json_array_append_new(list, pool_line_view(pool->name, placement_scheme_name(pool->scheme),
							   pool->slots,
							   image_pool(instance->image, pool->name), now));
		*ret_slots += pool->slots;
	}
	return list;
}

static json_t *flows_object(struct instance *instance)
{
	const struct flow_census *census = census_take(&instance->census, CENSUS_SHOWN);
	uint64_t events[HF_FLOW_EVENTS] = {0}, flows = 0;

	if (census)
		flows = (uint64_t)census->opening + census->established + census->closing;
	if (flow_events(instance->dataplane, events))
		memset(events, 0, sizeof events);
	return flows_view(flows, census ? census->closing : 0, census ? census->limit : 0, events);
}

json_t *view_status(struct instance *instance)
{
	char host[HOST_NAME_MAX + 1] = "";
	struct status_state state = {
		.instance = instance->options->instance,
		.version = HOLDFAST_VERSION,
		.host = host,
		.seed = &instance->model->seed,
		.flow_hash = HF_FLOWHASH_VERSION,
		.slots_limit = dataplane_slot_limit(instance->dataplane),
	};

	rates_sample(instance->rates, clock_monotonic());
	gethostname(host, sizeof host - 1);
	state.problems = problems_list(instance);
	state.generation = generation_object(&instance->generation);
	state.clock = steady_clock_now(&instance->clock);
	state.uptime = clock_monotonic() - instance->started;
	state.interfaces = interfaces_list(instance);
	state.services = services_list(instance);
	state.pools = pools_list(instance, &state.slots_used);
	state.flows = flows_object(instance);
	state.warnings = warnings_list(instance);
	return status_view(&state);
}
