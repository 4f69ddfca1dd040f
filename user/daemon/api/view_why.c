/* SPDX-License-Identifier: Apache-2.0 */
/* why: one frame of a flow through the observing form of the program, and what it met told with names. */
#include <errno.h>
#include <holdfast/slot.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "core/value/frame.h"
#include "kern/base/absent.h"
#include "core/model/service_text.h"
#include "kern/program/observer.h"
#include "reach.h"
#include "views.h"

enum { OUT_ROOM = 512 };

/* What the data plane answered. */
struct answer {
	struct hf_observation seen;
	uint32_t verdict;
	uint8_t out[OUT_ROOM];
	uint32_t length;
};

/* The question ----------------------------------------------------------------- */

static int read_endpoint(const struct request *request, const char *name, struct address *ret_address,
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

static int read_tuple(const struct request *request, struct flow_tuple *ret, struct refusal *refusal)
{
	const char *proto = request_query(request, "proto");
	int error;

	if (!proto || (strcmp(proto, "tcp") && strcmp(proto, "udp"))) {
		refuse(refusal, -EINVAL, "proto is %.16s", proto ? proto : "missing");
		refusal_right(refusal, "tcp or udp");
		return -EINVAL;
	}
	ret->proto = proto[0] == 't' ? IPPROTO_TCP : IPPROTO_UDP;
	error = read_endpoint(request, "src", &ret->source, &ret->source_port, refusal);
	if (!error)
		error = read_endpoint(request, "dst", &ret->destination, &ret->destination_port, refusal);
	if (!error && ret->source.family != ret->destination.family)
		error = refuse(refusal, -EINVAL, "src and dst are not of one address family");
	return error;
}

static int read_interface(const struct request *request, uint32_t *ret, struct refusal *refusal)
{
	const char *name = request_query(request, "interface");

	*ret = name ? if_nametoindex(name) : 0;
	if (name && !*ret)
		return refuse_absent_interface(name, refusal);
	return 0;
}

/* A flow that is remembered has an answer of its own; every other is asked for as a new one. */
static int ask(struct instance *instance, const struct flow_tuple *tuple, uint32_t ifindex,
	       struct answer *ret, struct refusal *refusal)
{
	for (int opening = 0; opening <= 1; opening++) {
		uint8_t frame[FRAME_ROOM];
		size_t length = frame_build(tuple, opening, frame);
		int error;

		ret->length = sizeof ret->out;
		error = dataplane_observe(instance->dataplane, frame, length, ifindex, &ret->seen,
					  &ret->verdict, ret->out, &ret->length, refusal);
		if (error || (!opening && ret->seen.backend && ret->seen.choice == HF_CHOICE_REMEMBERED))
			return error;
	}
	return 0;
}

/* The answer -------------------------------------------------------------------- */

static json_t *reason_json(int reason)
{
	switch (reason) {
#define X(name, number, word, verdict, sentence) \
	case number:                             \
		return json_pack("{s:s, s:s}", "word", word, "sentence", sentence);
		HF_REASONS(X)
#undef X
	}
	return json_null();
}

static const char *verdict_name(uint32_t verdict)
{
	return verdict == XDP_PASS                            ? "pass"
	       : verdict == XDP_TX || verdict == XDP_REDIRECT ? "forward"
							      : "drop";
}

static json_t *service_name(struct instance *instance, uint32_t number)
{
	uint32_t counters, ordinals;
	char text[SERVICE_TEXT];

	for (size_t i = 0; number && i < instance->model->service_count; i++) {
		const struct service *service = &instance->model->services[i];

		if (ledger_service(instance->ledger, service, &counters, &ordinals) == number)
			return json_string(service_text(service, text));
	}
	return json_null();
}

static json_t *backend_name(struct instance *instance, uint32_t number)
{
	char label[BACKEND_TEXT];
	const char *pool, *name;
	struct address address;

	if (!number || !ledger_backend_name(instance->ledger, number, &pool, &name, &address))
		return json_null();
	return json_sprintf("%s/%s", pool, model_label(instance->model, pool, name, &address, label));
}

static json_t *backend_next_hop(struct instance *instance, uint32_t number)
{
	const struct backend_image *image = number ? image_backend(instance->image, number) : NULL;
	struct reach reach;

	if (!image)
		return json_null();
	next_hops_reach(instance->next_hops, &image->address, number, &reach);
	return next_hop_json(instance, &reach, number);
}

static json_t *preferences_json(const struct pool_image *image, uint32_t slot)
{
	const uint16_t *preferences = image->placement ? placement_preferences(image->placement) : NULL;
	json_t *list = json_array();

	if (!preferences || slot >= image->table.size)
		return list;
	preferences += (size_t)slot * PLACEMENT_STORED_PREFERENCES;
	for (int i = 0; i < PLACEMENT_STORED_PREFERENCES && preferences[i] != PLACEMENT_NONE; i++)
		json_array_append_new(list,
				      json_string(placement_member_name(image->placement, preferences[i])));
	return list;
}

/* What is stated of the health of those that the slot prefers: why it may not be the first that has it. */
static json_t *stated_json(struct instance *instance, const struct pool_image *image,
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
			json_array_append_new(list, json_pack("{s:o, s:s, s:s, s:f}", "backend",
							      json_sprintf("%s/%s", fact->pool, fact->name),
							      "health", health_name(fact->state), "author",
							      fact->author, "since", fact->time / 1000.0));
	}
	return list;
}

/* What a packet names of the backends that may have its socket; empty: the pool's packets name none. */
static json_t *hops_json(struct instance *instance, const struct pool_image *image, uint32_t slot)
{
	json_t *list = json_array();

	if (!image->hops || slot >= image->table.size)
		return list;
	for (int i = 0; i < image->hops[slot].count && i < HF_MAX_HOPS; i++)
		json_array_append_new(list, backend_name(instance, image->hops[slot].backend[i]));
	return list;
}

static void set_slot(struct instance *instance, json_t *json, const struct hf_observation *seen)
{
	static const char *const by[HF_CHOICES] = {"owner", "remembered", "base"};
	const struct pool_image *image;
	const char *pool;
	char hash[17];

	if (!seen->pool || !ledger_pool_name(instance->ledger, seen->pool, &pool))
		return;
	json_object_set_new(json, "pool", json_string(pool));
	if (seen->stage <= HF_STAGE_HASH)
		return;
	snprintf(hash, sizeof hash, "%016llx", (unsigned long long)seen->hash);
	json_object_set_new(json, "hash", json_string(hash));
	image = image_pool(instance->image, pool);
	if (!image)
		return;
	json_object_set_new(json, "slot", json_integer(seen->slot));
	json_object_set_new(json, "slots", json_integer(image->table.size));
	json_object_set_new(json, "preferences", preferences_json(image, seen->slot));
	json_object_set_new(json, "stated",
			    stated_json(instance, image, json_object_get(json, "preferences")));
	json_object_set_new(json, "owner", backend_name(instance, hf_slot_owner(seen->slot_word)));
	json_object_set_new(json, "backend", backend_name(instance, seen->backend));
	json_object_set_new(json, "by",
			    seen->backend ? json_string(by[seen->choice % HF_CHOICES]) : json_null());
	json_object_set_new(json, "next_hop", backend_next_hop(instance, seen->backend));
	json_object_set_new(json, "moving", json_boolean(hf_slot_is_moving(seen->slot_word)));
	json_object_set_new(json, "base", backend_name(instance, hf_slot_base(seen->slot_word)));
	json_object_set_new(json, "hops", hops_json(instance, image, seen->slot));
}

static void set_outer(struct instance *instance, json_t *json, const struct answer *answer)
{
	char from[ADDRESS_TEXT], to[ADDRESS_TEXT];
	struct address source, destination;
	struct hf_backend entry;

	if (answer->verdict != XDP_TX && answer->verdict != XDP_REDIRECT)
		return;
	if (!frame_addresses(answer->out, answer->length, &source, &destination) ||
	    dataplane_backend(instance->dataplane, answer->seen.backend, &entry))
		return;
	json_object_set_new(json, "outer",
			    json_pack("{s:s, s:s, s:s}", "source", address_text(&source, from), "destination",
				      address_text(&destination, to), "encap", encap_name(entry.encap)));
}

/* Every member is there, also where the packet did not come so far. */
static json_t *blank(void)
{
	static const char *const members[] = {
		"verdict", "reason",      "service", "pool",     "hash",    "slot",
		"slots",   "preferences", "stated",  "owner",    "backend", "by",
		"moving",  "base",        "hops",    "next_hop", "outer",   "program",
	};
	json_t *json = json_object();

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		json_object_set_new(json, members[i], json_null());
	return json;
}

int view_why(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal)
{
	struct flow_tuple tuple = {0};
	struct answer answer = {0};
	uint32_t ifindex;
	json_t *json;
	int error = read_tuple(request, &tuple, refusal);

	if (!error)
		error = read_interface(request, &ifindex, refusal);
	if (!error)
		error = ask(instance, &tuple, ifindex, &answer, refusal);
	if (error)
		return error;
	json = blank();
	json_object_set_new(json, "verdict", json_string(verdict_name(answer.verdict)));
	json_object_set_new(json, "reason", reason_json(answer.seen.reason));
	json_object_set_new(json, "service", service_name(instance, answer.seen.service));
	set_slot(instance, json, &answer.seen);
	set_outer(instance, json, &answer);
	json_object_set_new(json, "program", json_string(dataplane_program_tag(instance->dataplane)));
	*ret = json;
	return 0;
}
