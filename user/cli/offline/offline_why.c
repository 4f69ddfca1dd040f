// SPDX-License-Identifier: Apache-2.0
/* why, asked of the loaded program itself, with names from the database. */
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

#include "cli/frame/complain.h"
#include "core/model/pool_placement.h"
#include "core/view/view.h"
#include "kern/program/observer.h"
#include "kern/xdp/xdp_attach.h"
#include "offline.h"

static int call_ask(const struct offline *offline, struct flow_answer *ret, struct refusal *refusal)
{
	const struct call *call = offline->call;
	const char *interface = call_option(call, "interface");
	uint32_t ifindex = interface ? if_nametoindex(interface) : 0;
	struct flow_tuple tuple = {.proto = strcmp(call->words[0], "tcp") ? IPPROTO_UDP : IPPROTO_TCP};
	uint16_t high;

	if (interface && !ifindex)
		return refuse_absent_interface(interface, refusal);
	endpoint_parse(call->words[1], &tuple.source, &tuple.source_port, &high);
	endpoint_parse(call->words[2], &tuple.destination, &tuple.destination_port, &high);
	return flow_ask(offline->dataplane, &tuple, ifindex, ret, refusal);
}

/* As the last generation places the pool: the pins hold owners alone. */
static json_t *preferences_of(const struct model *model, const struct pool *pool, uint32_t slot)
{
	struct placement *placement = NULL;
	json_t *list;

	if (pool && pool_placement(model, pool, NULL, &placement, NULL))
		placement = NULL;
	list = preferences_view(placement, slot);
	placement_free(placement);
	return list;
}

static json_t *stated_of(const struct stored *stored, const struct pool *pool, const json_t *preferences)
{
	json_t *list = json_array(), *preference;
	size_t i;

	json_array_foreach (preferences, i, preference) {
		const struct backend *backend = pool_backend(pool, json_string_value(preference));
		const struct stated *stated = backend ? stored_stated(stored, backend) : NULL;

		if (stated)
			json_array_append_new(list, stated_view(pool->name, backend->name,
								health_stated(backend->health),
								stated->author, stated->time));
	}
	return list;
}

enum exit_status offline_why(const struct offline *offline, json_t **ret)
{
	struct refusal refusal = {.what = ""};
	struct flow_answer answer;
	struct why_state state = {
		.names = offline->names,
		.image = offline->loaded,
		.answer = &answer,
		.program = dataplane_program_tag(offline->dataplane),
	};
	const struct pool *pool;
	char name[NUMBER_NAME];
	int r = call_ask(offline, &answer, &refusal);

	if (r)
		return complain(STATUS_REFUSED, &refusal, r);
	if (answer_pool(&answer, offline->loaded)) {
		pool = model_pool(offline->stored.model,
				  pool_number_name(&offline->names, answer.seen.pool, name));
		state.preferences = preferences_of(offline->stored.model, pool, answer.seen.slot);
		state.stated = stated_of(&offline->stored, pool, state.preferences);
	}
	if (answer.seen.backend)
		state.next_hop = offline_next_hop(offline, (uint16_t)answer.seen.backend, &answer.entry);
	*ret = why_view(&state);
	return STATUS_DONE;
}
