/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <holdfast/flowhash.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <version.h>

#include "core/review/warning.h"
#include "daemon/base/clock.h"
#include "core/model/service_text.h"
#include "core/value/age.h"
#include "reach.h"
#include "views.h"
#include "kern/program/load.h"

int view_version(struct instance *instance, const struct request *request, json_t **ret,
		 struct refusal *refusal)
{
	(void)instance;
	(void)request;
	(void)refusal;
	*ret = json_pack("{s:s, s:i, s:i}", "version", HOLDFAST_VERSION, "abi", HF_ABI_VERSION, "flow_hash",
			 HF_FLOWHASH_VERSION);
	return *ret ? 0 : -ENOMEM;
}

/* Interfaces ---------------------------------------------------------------- */

/* What keeps packets from coming in there, or NULL. */
static const char *interface_problem(struct instance *instance, const struct interface *interface,
				     char text[CARRIER_TEXT])
{
	const char *problem = interfaces_problem(instance->interfaces, interface->name);
	struct attachment at;

	if (problem)
		return problem;
	if (!interfaces_attachment(instance->interfaces, interface->name, &at))
		return "it is not attached yet";
	if (at.elsewhere)
		return "it is in another network namespace";
	return carrier_problem(next_hops_link(instance->next_hops, at.ifindex), at.interface, text);
}

static json_t *interface_json(struct instance *instance, const struct interface *interface)
{
	char text[CARRIER_TEXT];
	const char *problem = interface_problem(instance, interface, text);
	struct attachment at;

	if (!interfaces_attachment(instance->interfaces, interface->name, &at) || at.elsewhere)
		return json_pack("{s:s, s:s, s:s, s:n, s:n, s:n, s:s?}", "name", interface->name, "mode",
				 mode_name(interface->mode), "state", "detached", "program", "program_id",
				 "link_id", "problem", problem);
	/* The kernel tells tags of programs by number only to those who may administer all of it. */
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:s?}", "name", interface->name, "mode",
			 at.generic ? "generic" : "native", "state", "attached", "program",
			 at.tag[0] ? at.tag : dataplane_program_tag(instance->dataplane), "program_id",
			 (json_int_t)at.program, "link_id", (json_int_t)at.link, "problem", problem);
}

json_t *interfaces_json(struct instance *instance)
{
	json_t *list = json_array();

	for (size_t i = 0; i < instance->model->interface_count; i++)
		json_array_append_new(list, interface_json(instance, &instance->model->interfaces[i]));
	return list;
}

int view_interfaces(struct instance *instance, const struct request *request, json_t **ret,
		    struct refusal *refusal)
{
	(void)request;
	(void)refusal;
	*ret = json_pack("{s:o}", "interfaces", interfaces_json(instance));
	return *ret ? 0 : -ENOMEM;
}

/* What is wrong -------------------------------------------------------------- */

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
	const struct flow_census *census = census_take(instance->census, CENSUS_SHOWN);
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
	const struct model *model = instance->model;

	for (size_t i = 0; i < model->service_count; i++) {
		const struct pool *pool = model_pool(model, model->services[i].pool);
		char text[SERVICE_TEXT];
		size_t takers, up;

		if (!pool)
			continue;
		pool_count(instance, pool, &takers, &up);
		if (!up)
			append_line(list, "service %s: no backend %s",
				    service_text(&model->services[i], text),
				    takers ? "can be reached" : "takes flows");
	}
}

/* What is known to stop packets or changes. */
static json_t *problems_json(struct instance *instance)
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
static json_t *warnings_json(struct instance *instance)
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

/* The whole ------------------------------------------------------------------ */

static json_t *pool_line(const struct instance *instance, const struct pool *pool)
{
	const struct pool_image *image = image_pool(instance->image, pool->name);
	char table[9], history[9];

	snprintf(table, sizeof table, "%08x", image ? (unsigned)(image->digest >> 32) : 0);
	snprintf(history, sizeof history, "%08x", image ? (unsigned)(image->history_digest >> 32) : 0);
	return json_pack("{s:s, s:s, s:I, s:I, s:o, s:s, s:s}", "name", pool->name, "scheme",
			 placement_scheme_name(pool->scheme), "slots", (json_int_t)pool->slots, "moving",
			 (json_int_t)(image ? image->moving : 0), "settles_in", settles_json(image), "table",
			 table, "history", history);
}

static json_t *pools_lines(struct instance *instance, uint64_t *ret_slots)
{
	json_t *list = json_array();

	*ret_slots = 0;
	for (size_t i = 0; i < instance->model->pool_count; i++) {
		json_array_append_new(list, pool_line(instance, &instance->model->pools[i]));
		*ret_slots += instance->model->pools[i].slots;
	}
	return list;
}

static json_t *flows_json(struct instance *instance)
{
	const struct flow_census *census = census_take(instance->census, CENSUS_SHOWN);
	uint64_t events[HF_FLOW_EVENTS] = {0};
	json_int_t remembered = 0, closing = 0, limit = 0;

	if (census) {
		remembered = (json_int_t)census->opening + census->established + census->closing;
		closing = census->closing;
		limit = census->limit;
	}
	if (flow_events(instance->dataplane, events))
		memset(events, 0, sizeof events);
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "remembered", remembered,
			 "closing", closing, "limit", limit, "entered",
			 (json_int_t)events[HF_FLOW_REMEMBERED], "evicted_opening",
			 (json_int_t)events[HF_FLOW_EVICTED_OPENING], "evicted_closing",
			 (json_int_t)events[HF_FLOW_EVICTED_CLOSING], "evicted_established",
			 (json_int_t)events[HF_FLOW_EVICTED_ESTABLISHED], "evicted_base",
			 (json_int_t)events[HF_FLOW_EVICTED_BASE], "unfit", (json_int_t)events[HF_FLOW_UNFIT],
			 "unfit_packets", (json_int_t)events[HF_FLOW_UNFIT_PACKETS]);
}

static void set_head(struct instance *instance, json_t *status, json_t *problems)
{
	char host[HOST_NAME_MAX + 1] = "", seed[17];

	gethostname(host, sizeof host - 1);
	snprintf(seed, sizeof seed, "%016llx", (unsigned long long)instance->model->seed);
	json_object_set_new(status, "host", json_string(host));
	json_object_set_new(status, "instance", json_string(instance->options->instance));
	json_object_set_new(status, "version", json_string(HOLDFAST_VERSION));
	json_object_set_new(status, "state", json_string(json_array_size(problems) ? "degraded" : "ready"));
	json_object_set_new(status, "problems", problems);
	json_object_set_new(status, "generation", generation_json(&instance->generation));
	json_object_set_new(status, "seed", json_string(seed));
	json_object_set_new(status, "flow_hash", json_integer(HF_FLOWHASH_VERSION));
	json_object_set_new(status, "clock", json_integer(steady_clock_now(&instance->clock)));
	json_object_set_new(status, "uptime", json_real((clock_monotonic() - instance->started) / 1000.0));
}

int view_status(struct instance *instance, const struct request *request, json_t **ret,
		struct refusal *refusal)
{
	json_t *status = json_object();
	uint64_t slots;

	(void)request;
	(void)refusal;
	rates_sample(instance->rates, clock_monotonic());
	set_head(instance, status, problems_json(instance));
	json_object_set_new(status, "interfaces", interfaces_json(instance));
	json_object_set_new(status, "services", services_json(instance));
	json_object_set_new(status, "pools", pools_lines(instance, &slots));
	json_object_set_new(status, "flows", flows_json(instance));
	json_object_set_new(status, "slots",
			    json_pack("{s:I, s:I}", "used", (json_int_t)slots, "limit",
				      (json_int_t)dataplane_slot_limit(instance->dataplane)));
	json_object_set_new(status, "warnings", warnings_json(instance));
	*ret = status;
	return status ? 0 : -ENOMEM;
}
