/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "view.h"

json_t *generation_view(uint32_t number, int64_t time, const char *author, const char *cause)
{
	return json_pack("{s:I, s:f, s:s, s:s}", "number", (json_int_t)number, "time", time / 1000.0,
			 "author", author, "cause", cause);
}

json_t *flows_view(uint64_t remembered, uint64_t closing, uint64_t limit, const uint64_t *counts)
{
	static const struct {
		enum hf_flow_event event;
		const char *name;
	} events[] = {
		{HF_FLOW_REMEMBERED, "entered"},
		{HF_FLOW_EVICTED_OPENING, "evicted_opening"},
		{HF_FLOW_EVICTED_CLOSING, "evicted_closing"},
		{HF_FLOW_EVICTED_ESTABLISHED, "evicted_established"},
		{HF_FLOW_EVICTED_BASE, "evicted_base"},
		{HF_FLOW_UNFIT, "unfit"},
		{HF_FLOW_UNFIT_PACKETS, "unfit_packets"},
	};
	json_t *view = json_pack("{s:I, s:I, s:I}", "remembered", (json_int_t)remembered, "closing",
				 (json_int_t)closing, "limit", (json_int_t)limit);

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		json_object_set_new(view, events[i].name, json_integer(counts[events[i].event]));
	return view;
}

json_t *status_view(const struct status_state *status)
{
	const char *state = status->state;
	json_t *seed = status->seed ? json_sprintf("%016llx", (unsigned long long)*status->seed) : NULL;

	if (!state)
		state = json_array_size(status->problems) ? "degraded" : "ready";
	return json_pack("{s:o?, s:s, s:s?, s:s, s:o, s:o?, s:o?, s:o, s:o, s:o, s:o, s:o, s:o, s:o?, "
			 "s:{s:I, s:I}, s:o}",
			 "host", json_string(status->host), "instance", status->instance, "version",
			 status->version, "state", state, "problems", status->problems, "generation",
			 status->generation, "seed", seed, "flow_hash", known_integer(status->flow_hash),
			 "clock", known_integer(status->clock), "uptime", known_real(status->uptime / 1000.0),
			 "interfaces", status->interfaces, "services", status->services, "pools",
			 status->pools, "flows", status->flows, "slots", "used",
			 (json_int_t)status->slots_used, "limit", (json_int_t)status->slots_limit, "warnings",
			 status->warnings);
}

json_t *interface_view(const struct interface_state *interface)
{
	return json_pack("{s:s, s:s, s:s, s:s?, s:o, s:o, s:s?}", "name", interface->name, "mode",
			 interface->mode, "state", interface->state, "program", interface->program,
			 "program_id", known_integer(interface->program_id), "link_id",
			 known_integer(interface->link_id), "problem", interface->problem);
}

void interfaces_add_sender(json_t *interfaces, const char *name)
{
	json_t *interface;
	size_t i;

	json_array_foreach (interfaces, i, interface) {
		if (!strcmp(json_string_value(json_object_get(interface, "name")), name))
			return;
	}
	json_array_append_new(interfaces,
			      json_pack("{s:s, s:s, s:s}", "name", name, "mode", "-", "state", "sends"));
}
