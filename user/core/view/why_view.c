/* SPDX-License-Identifier: Apache-2.0 */
#include <holdfast/slot.h>
#include <linux/bpf.h>
#include <stdio.h>

#include "view.h"

static json_t *reason_view(int reason)
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

static json_t *service_named(const struct why_state *why, uint16_t number)
{
	char text[LISTEN_TEXT];
	struct service service;

	if (!number || !directory_service(&why->image->directory, number, &service))
		return json_null();
	return json_string(listen_text(&service.listen, text));
}

static json_t *backend_named(const struct why_state *why, uint16_t number)
{
	char text[NUMBER_NAME];

	return number ? json_string(backend_number_name(&why->names, number, text)) : json_null();
}

json_t *preferences_view(const struct placement *placement, uint32_t slot)
{
	uint16_t members[PLACEMENT_STORED_PREFERENCES];
	json_t *list = json_array();
	size_t count = 0;

	if (placement && slot < placement_slots(placement))
		count = placement_walk(placement, slot, members, PLACEMENT_STORED_PREFERENCES);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(placement_member_name(placement, members[i])));
	return list;
}

json_t *stated_view(const char *pool, const char *name, enum health_state state, const char *author,
		    int64_t time)
{
	return json_pack("{s:o, s:s, s:s, s:f}", "backend", json_sprintf("%s/%s", pool, name), "health",
			 health_name(state), "author", author, "since", time / 1000.0);
}

/* What a packet names of the backends that may have its socket; empty: the pool's packets name none. */
static json_t *hops_view(const struct why_state *why, const struct pool_image *pool, uint32_t slot)
{
	json_t *list = json_array();

	if (!pool->hops || slot >= pool->table.size)
		return list;
	for (int i = 0; i < pool->hops[slot].count && i < HF_MAX_HOPS; i++)
		json_array_append_new(list, backend_named(why, pool->hops[slot].backend[i]));
	return list;
}

const struct pool_image *answer_pool(const struct flow_answer *answer, const struct image *image)
{
	return answer->seen.pool && answer->seen.stage > HF_STAGE_HASH
		       ? image_pool_numbered(image, answer->seen.pool)
		       : NULL;
}

static json_t *outer_view(const struct flow_answer *answer)
{
	char from[ADDRESS_TEXT], to[ADDRESS_TEXT];

	if (!answer->wrapped)
		return json_null();
	return json_pack("{s:s, s:s, s:s}", "source", address_text(&answer->source, from), "destination",
			 address_text(&answer->destination, to), "encap", encap_name(answer->entry.encap));
}

static json_t *pool_named(const struct why_state *why, uint32_t number)
{
	char text[NUMBER_NAME];

	return number ? json_string(pool_number_name(&why->names, number, text)) : json_null();
}

/* Every member is there, also where the packet did not come so far. */
json_t *why_view(const struct why_state *why)
{
	static const char *const by[HF_CHOICES] = {"owner", "remembered", "base"};
	const struct hf_observation *seen = &why->answer->seen;
	const struct pool_image *pool = answer_pool(why->answer, why->image);
	uint32_t backend = pool ? seen->backend : 0;
	uint64_t word = pool ? seen->slot_word : 0;
	bool hashed = seen->pool && seen->stage > HF_STAGE_HASH;

	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o?, s:o?, s:o, s:o, s:s?, s:o, s:o, s:o, s:o?, "
		"s:o, s:s}",
		"verdict", verdict_name(why->answer->verdict), "reason", reason_view(seen->reason), "service",
		service_named(why, seen->service), "pool", pool_named(why, seen->pool), "hash",
		hashed ? json_sprintf("%016llx", (unsigned long long)seen->hash) : json_null(), "slot",
		known_integer(pool ? (int64_t)seen->slot : -1), "slots",
		known_integer(pool ? (int64_t)pool->table.size : -1), "preferences", why->preferences,
		"stated", why->stated, "owner", backend_named(why, hf_slot_owner(word)), "backend",
		backend_named(why, (uint16_t)backend), "by", backend ? by[seen->choice % HF_CHOICES] : NULL,
		"moving", pool ? json_boolean(hf_slot_is_moving(word)) : json_null(), "base",
		backend_named(why, hf_slot_base(word)), "hops",
		pool ? hops_view(why, pool, seen->slot) : json_null(), "next_hop", why->next_hop, "outer",
		outer_view(why->answer), "program", why->program);
}
