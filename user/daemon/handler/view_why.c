/* SPDX-License-Identifier: Apache-2.0 */
/* why: one frame of a flow through the observing form of the program, and what it met told with names. */
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

#include "core/view/view.h"
#include "kern/program/observer.h"
#include "kern/xdp/xdp_attach.h"
#include "reach.h"
#include "views.h"

/* The question ----------------------------------------------------------------- */

static int request_endpoint(const struct request *request, const char *name, struct address *ret_address,
			    uint16_t *ret_port, struct refusal *refusal)
{
	const char *text = request_query(request, name);
	uint16_t high;

	if (text && !endpoint_parse(text, ret_address, ret_port, &high) && *ret_port == high)
		return 0;
	refuse(refusal, -EINVAL, "%s%s%.100s is not an address and port", name, text ? " " : "",
	       text ? text : "");
	refusal_right(refusal, "like 198.51.100.7:40000 or [2001:db8::7]:40000");
	return -EINVAL;
}

static int request_tuple(const struct request *request, struct flow_tuple *ret, struct refusal *refusal)
{
	const char *proto = request_query(request, "proto");
	int error;

	if (!proto || (strcmp(proto, "tcp") && strcmp(proto, "udp"))) {
		refuse(refusal, -EINVAL, "proto is %.16s", proto ? proto : "missing");
		refusal_right(refusal, "tcp or udp");
		return -EINVAL;
	}
	ret->proto = proto[0] == 't' ? IPPROTO_TCP : IPPROTO_UDP;
	error = request_endpoint(request, "src", &ret->source, &ret->source_port, refusal);
	if (!error)
		error = request_endpoint(request, "dst", &ret->destination, &ret->destination_port, refusal);
	if (!error && ret->source.family != ret->destination.family)
		error = refuse(refusal, -EINVAL, "src and dst are not of one address family");
	return error;
}

static int request_interface(const struct request *request, uint32_t *ret, struct refusal *refusal)
{
	const char *name = request_query(request, "interface");

	*ret = name ? if_nametoindex(name) : 0;
	if (name && !*ret)
		return refuse_absent_interface(name, refusal);
	return 0;
}

/* The answer -------------------------------------------------------------------- */

/* What is stated of the health of those that the slot prefers: why it may not be the first that has it. */
static json_t *stated_list(struct instance *instance, const struct pool_image *image,
			   const json_t *preferences)
{
	const struct pool *pool = model_pool(instance->model, image->name);
	json_t *list = json_array();
	const json_t *preference;
	size_t i;

	json_array_foreach (preferences, i, preference) {
		const struct backend *backend =
			pool ? pool_backend(pool, json_string_value(preference)) : NULL;
		const struct fact *fact = backend ? facts_find(instance->facts, pool->name, backend) : NULL;

		if (fact)
			json_array_append_new(list, stated_view(fact->pool, fact->name, fact->state,
								fact->author, fact->time));
	}
	return list;
}

/* Where the packets of the backend that was chosen go. */
static json_t *answer_next_hop(struct instance *instance, uint16_t number)
{
	const struct backend_image *image = number ? image_backend(instance->image, number) : NULL;
	struct reach reach;

	if (!image)
		return NULL;
	next_hops_reach(instance->next_hops, &image->address, number, &reach);
	return reach_view(instance, &reach, number);
}

int view_why(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal)
{
	struct flow_tuple tuple = {0};
	struct flow_answer answer;
	struct why_state state = {
		.names = {instance->ledger, instance->model},
		.image = instance->image,
		.answer = &answer,
		.program = dataplane_program_tag(instance->dataplane),
	};
	const struct pool_image *pool;
	uint32_t ifindex;
	int error = request_tuple(request, &tuple, refusal);

	if (!error)
		error = request_interface(request, &ifindex, refusal);
	if (!error)
		error = flow_ask(instance->dataplane, &tuple, ifindex, &answer, refusal);
	if (error)
		return error;
	pool = answer_pool(&answer, instance->image);
	if (pool) {
		state.preferences = preferences_view(pool->placement, answer.seen.slot);
		state.stated = stated_list(instance, pool, state.preferences);
		state.next_hop = answer_next_hop(instance, answer.seen.backend);
	}
	*ret = why_view(&state);
	return *ret ? 0 : -ENOMEM;
}
