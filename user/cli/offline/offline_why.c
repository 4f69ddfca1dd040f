// SPDX-License-Identifier: Apache-2.0
/* why, asked of the loaded program itself, with names from the database. */
#include <errno.h>
#include <holdfast/slot.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/pool_placement.h"
#include "core/value/frame.h"
#include "kern/base/absent.h"
#include "kern/program/observer.h"
#include "cli/frame/complain.h"
#include "offline.h"

enum { OUT_ROOM = 512 };

/* What the data plane answered. */
struct answer {
	struct hf_observation seen;
	uint32_t verdict;
	uint8_t out[OUT_ROOM];
	uint32_t length;
};

static void read_tuple(const struct call *call, struct flow_tuple *ret)
{
	uint16_t high;

	ret->proto = strcmp(call->words[0], "tcp") ? IPPROTO_UDP : IPPROTO_TCP;
	endpoint_parse(call->words[1], &ret->source, &ret->source_port, &high);
	endpoint_parse(call->words[2], &ret->destination, &ret->destination_port, &high);
}

/* A flow that is remembered has an answer of its own; every other is asked for as a new one. */
static int ask(const struct offline *offline, struct answer *ret, struct refusal *refusal)
{
	const char *interface = call_option(offline->call, "interface");
	uint32_t ifindex = interface ? if_nametoindex(interface) : 0;
	struct flow_tuple tuple;

	if (interface && !ifindex)
		return refuse_absent_interface(interface, refusal);
	read_tuple(offline->call, &tuple);
	for (int opening = 0; opening <= 1; opening++) {
		uint8_t frame[FRAME_ROOM];
		size_t length = frame_build(&tuple, opening, frame);
		int r;

		ret->length = sizeof ret->out;
		r = dataplane_observe(offline->dataplane, frame, (uint32_t)length, ifindex, &ret->seen,
				      &ret->verdict, ret->out, &ret->length, refusal);
		if (r || (!opening && ret->seen.backend && ret->seen.choice == HF_CHOICE_REMEMBERED))
			return r;
	}
	return 0;
}

static json_t *reason_view(int reason)
{
	switch (reason < 0 ? -reason : reason) {
#define X(name, number, word, verdict, sentence) \
	case number:                             \
		return json_pack("{s:s, s:s}", "word", word, "sentence", sentence);
		HF_REASONS(X)
#undef X
	}
	return json_null();
}

static bool is_forwarded(const struct answer *answer)
{
	return answer->verdict == XDP_TX || answer->verdict == XDP_REDIRECT;
}

static json_t *service_view(const struct offline *offline, uint32_t number)
{
	const struct directory *directory = &offline->loaded->directory;
	uint32_t size = directory->entries ? 1u << directory->log2 : 0;
	char text[LABEL_TEXT];

	for (uint32_t i = 0; number && i < size; i++) {
		const struct hf_service *service = &directory->entries[i];

		if (service->key.proto && service->key.proto != HF_PROTO_VIP && service->number == number)
			return json_string(offline_service_name(offline, service, text));
	}
	return json_null();
}

static json_t *backend_view(const struct offline *offline, uint16_t number)
{
	const char *pool, *name;
	char text[LABEL_TEXT];

	if (!number)
		return json_null();
	offline_backend_names(offline, number, &pool, &name, text);
	return json_sprintf("%s/%s", pool, name);
}

/* As the last generation places the pool: the pins hold owners alone. NULL where nobody knows. */
static struct placement *placement_of(const struct model *model, const struct pool *pool)
{
	struct placement *placement = NULL;

	if (pool_placement(model, pool, NULL, &placement, NULL))
		placement = NULL;
	return placement;
}

static json_t *preferences_view(const struct offline *offline, const char *name, uint32_t slot)
{
	const struct pool *pool = model_pool(offline->model, name);
	struct placement *placement = pool ? placement_of(offline->model, pool) : NULL;
	uint16_t members[PLACEMENT_STORED_PREFERENCES];
	json_t *list = json_array();
	size_t count = 0;

	if (placement && slot < placement_slots(placement))
		count = placement_walk(placement, slot, members, PLACEMENT_STORED_PREFERENCES);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(placement_member_name(placement, members[i])));
	placement_free(placement);
	return list;
}

static void set_slot(const struct offline *offline, json_t *view, const struct hf_observation *seen)
{
	static const char *const by[HF_CHOICES] = {"owner", "remembered", "base"};
	const struct pool_image *pool = image_pool_numbered(offline->loaded, seen->pool);
	char name[LABEL_TEXT], hash[17];

	if (!seen->pool || !pool)
		return;
	offline_pool_name(offline, seen->pool, name);
	json_object_set_new(view, "pool", json_string(name));
	if (seen->stage <= HF_STAGE_HASH)
		return;
	snprintf(hash, sizeof hash, "%016llx", (unsigned long long)seen->hash);
	json_object_set_new(view, "hash", json_string(hash));
	json_object_set_new(view, "slot", json_integer(seen->slot));
	json_object_set_new(view, "slots", json_integer(pool->table.size));
	json_object_set_new(view, "preferences", preferences_view(offline, name, seen->slot));
	json_object_set_new(view, "owner", backend_view(offline, hf_slot_owner(seen->slot_word)));
	json_object_set_new(view, "backend", backend_view(offline, (uint16_t)seen->backend));
	json_object_set_new(view, "moving", json_boolean(hf_slot_is_moving(seen->slot_word)));
	json_object_set_new(view, "base", backend_view(offline, hf_slot_base(seen->slot_word)));
	if (seen->backend)
		json_object_set_new(view, "by", json_string(by[seen->choice % HF_CHOICES]));
}

static void set_wrapping(const struct offline *offline, json_t *view, const struct answer *answer)
{
	struct address source, destination;
	char from[ADDRESS_TEXT], to[ADDRESS_TEXT];
	struct hf_backend entry;

	if (!answer->seen.backend ||
	    dataplane_backend(offline->dataplane, (uint16_t)answer->seen.backend, &entry))
		return;
	json_object_set_new(view, "next_hop", offline_next_hop(&entry));
	if (!is_forwarded(answer) || !frame_addresses(answer->out, answer->length, &source, &destination))
		return;
	json_object_set_new(view, "outer",
			    json_pack("{s:s, s:s, s:s}", "source", address_text(&source, from), "destination",
				      address_text(&destination, to), "encap", encap_name(entry.encap)));
}

enum exit_status offline_why(const struct offline *offline, json_t **ret)
{
	struct refusal refusal = {.what = ""};
	struct answer answer = {.verdict = 0};
	json_t *view;
	int r = ask(offline, &answer, &refusal);

	if (r)
		return complain(STATUS_REFUSED, &refusal, r);
	view = json_pack("{s:s, s:o, s:o, s:s}", "verdict",
			 is_forwarded(&answer)        ? "forward"
			 : answer.verdict == XDP_PASS ? "pass"
						      : "drop",
			 "reason", reason_view(answer.seen.reason), "service",
			 service_view(offline, answer.seen.service), "program",
			 dataplane_program_tag(offline->dataplane));
	set_slot(offline, view, &answer.seen);
	set_wrapping(offline, view, &answer);
	*ret = view;
	return STATUS_DONE;
}
