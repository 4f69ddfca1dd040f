/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flow: which backend a flow of a moving slot stays with. New flows go to the owner, remembered ones to where
 * they live, and those that are neither belong to the base, until the idle time since the slot began to move
 * is over. A settled slot's packet does not come here, unless its service tracks always.
 */
#pragma once

#include <holdfast/slot.h>

#include "flowtable.bpf.h"
#include "icmp.bpf.h"
#include "maps.bpf.h"
#include "packet.bpf.h"
#include "parse.bpf.h"
#include "service.bpf.h"

enum {
	SYN_QUIET = 5,   /* seconds of silence after which a SYN may place a flow anew */
	SHORT_IDLE = 60, /* seconds that a flow is kept which has only opened, or is closing */
	CHOICE_SHIFT = 16,
	OBSERVED_SHIFT = 32,
};

/* What flow_place() is asked about. */
struct flow_query {
	struct hf_tuple tuple;
	__u64 slot_word;
	__u32 slot; /* index of slots */
	__u8 tcp_flags;
	__u8 passive; /* look, but neither remember nor refresh: an ICMP error is not the flow's own packet */
};

static __always_inline bool query_opens(const struct flow_query *query)
{
	return (query->tcp_flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
}

static __always_inline __u32 query_owner(const struct flow_query *query)
{
	return hf_slot_owner(query->slot_word);
}

static __always_inline __u8 backend_flags(__u32 number)
{
	const struct hf_backend *backend = map_at(&backends, number);

	return backend ? *(const volatile __u8 *)&backend->flags : 0;
}

static __always_inline bool backend_serves(__u8 flags, __u8 proto)
{
	return flags & (proto == IPPROTO_UDP ? HF_BACKEND_SERVES_UDP : HF_BACKEND_SERVES_TCP);
}

/* Since when the old flows of a slot are looked for at its base; put_off: from now on, if that is not 0. Out
 * of line, because the stack is short. */
__noinline __u32 slot_since(__u32 slot, __u32 put_off)
{
	struct hf_since *pair = map_at(&since, slot / 2);
	__u32 began;

	if (!pair)
		return 0;
	began = load32(&pair->at[slot & 1]);
	if (put_off && began != put_off)
		store32(&pair->at[slot & 1], put_off);
	return began;
}

/*
 * Where a flow that is not remembered lives, if it is old: where it lived before its slot, or its whole
 * table, began to move. 0: it is too late to ask, or that backend serves no more.
 */
static __always_inline __u32 flow_base(const struct flow_query *query, const struct hf_service *service,
				       const struct hf_table *table, __u32 now)
{
	__u32 began = slot_since(query->slot, 0), base;
	__u64 word = query->slot_word;

	if (table->old_size) {
		__u64 hash = hf_flow_hash(&query->tuple, table->old_hash, table->old_seed);
		const __u64 *old = map_at(&slots, table->old_first + hf_slot_index(hash, table->old_size));

		word = old ? load64(old) : 0;
		if (elapsed(began, table->since) < 0)
			began = table->since;
	} else if (!hf_slot_is_moving(word)) {
		return 0;
	}
	base = hf_slot_base(word);
	if (elapsed(now, began) >= (__s32)service->idle ||
	    !backend_serves(backend_flags(base), query->tuple.proto))
		return 0;
	return base;
}

/*
 * A SYN may be a client's that uses its port again, or stray, or forged: it moves a flow off a backend that
 * takes no new ones only if the flow is over or quiet.
 */
static __always_inline bool flow_stays(const struct flow_query *query, const struct hf_flow *flow,
				       __u32 backend, __u32 now)
{
	__u8 flags = backend_flags(backend);

	if (!backend_serves(flags, query->tuple.proto))
		return false;
	if (!query_opens(query) || flags & HF_BACKEND_TAKES_NEW)
		return true;
	return flow->state != HF_FLOW_CLOSING && elapsed(now, flow->seen) <= SYN_QUIET;
}

static __always_inline __u32 flow_brief(const struct hf_service *service)
{
	return service->idle < SHORT_IDLE ? service->idle : SHORT_IDLE;
}

/* The state of a remembered flow after this packet. moved: it goes to another backend now. */
static __always_inline __u8 flow_state_next(const struct flow_query *query, __u8 state, bool moved)
{
	if (query_opens(query))
		return moved || state == HF_FLOW_CLOSING ? HF_FLOW_OPENING : state;
	if (query->tcp_flags & (TCP_FIN | TCP_RST))
		return HF_FLOW_CLOSING;
	return state == HF_FLOW_OPENING ? HF_FLOW_ESTABLISHED : state;
}

/*
 * What decides about a flow changes under a claim, and the state follows from what it is by then: another
 * packet of the flow may have changed it meanwhile. An entry that was given to another flow has another tag:
 * the claim fails, and the change is left out.
 */
static __always_inline void flow_change(const struct flow_query *query, const struct hf_service *service,
					struct hf_flow *flow, const struct flow_tag *tag,
					const struct hf_flow *next)
{
	__u8 state;

	if (next->state == flow->state && next->backend == flow->backend && next->slot == flow->slot)
		return;
	for (__u32 attempt = 0; !flow_claim(flow, tag->tag); attempt++)
		if (attempt == CLAIM_ATTEMPTS)
			return;
	state = flow_state_next(query, flow->state, next->backend != flow->backend);
	if (state != flow->state || next->backend != flow->backend)
		flow->idle = state == HF_FLOW_ESTABLISHED ? service->idle : flow_brief(service);
	flow->state = state;
	flow->backend = next->backend;
	flow->slot = next->slot;
	flow_publish(flow, tag->tag);
}

static __always_inline struct hf_flow flow_new(const struct flow_query *query,
					       const struct hf_service *service, const struct hf_table *table,
					       __u32 backend, __u32 now)
{
	bool closing = query->tcp_flags & (TCP_FIN | TCP_RST);
	bool brief = (closing || query_opens(query)) && service->idle > SHORT_IDLE;

	return (struct hf_flow){
		.slot = query->slot - table->first,
		.seen = now,
		.backend = backend,
		.service = service->number,
		.state = closing ? HF_FLOW_CLOSING : HF_FLOW_OPENING,
		.proto = query->tuple.proto,
		.pool = service->pool,
		.idle = brief ? SHORT_IDLE : service->idle,
	};
}

/*
 * A flow that was remembered shows another packet. `seen` needs no claim: if another flow has the entry by
 * now, it was seen in this very second, too.
 */
static __always_inline __u32 flow_remembered(const struct flow_query *query, const struct hf_service *service,
					     const struct hf_table *table, const struct flow_tag *tag,
					     struct hf_flow *flow, __u32 backend, __u32 now)
{
	bool stays = flow_stays(query, flow, backend, now);
	struct hf_flow next = {
		.backend = stays ? backend : query_owner(query),
		/* A pool's table may have changed its size: the flow is counted where it belongs now. */
		.slot = query->slot - table->first,
	};

	next.state = flow_state_next(query, flow->state, backend != next.backend);
	if (!query->passive) {
		flow_change(query, service, flow, tag, &next);
		/* A SYN does not show that an established flow is alive. */
		if ((!query_opens(query) || next.state != HF_FLOW_ESTABLISHED) && flow->seen != now)
			flow->seen = now;
	}
	return next.backend | (stays ? HF_CHOICE_REMEMBERED : HF_CHOICE_OWNER) << CHOICE_SHIFT;
}

/*
 * A datagram does not say that it opens a flow. Where every flow is tracked, the first of a flow is one that
 * is not remembered. It counts here, whatever becomes of the packet: the next ones are remembered. Out of
 * line, as what no settled slot's packet needs.
 */
__noinline int flow_begun(const struct hf_service *service, __u32 number)
{
	const struct hf_backend *backend = map_at(&backends, number);
	struct hf_counters *record;

	if (!service || !backend || backend->ordinal >= service->ordinals)
		return 0;
	record = map_at(&counters, service->counters + backend->ordinal);
	if (record)
		record->flows++;
	return 0;
}

/*
 * A flow that finds no room in the table goes, with all its packets, where the program looks for flows
 * without an entry. If that is the base, the slot goes on moving for another idle time, because the flow may
 * live that long.
 */
static __always_inline void flow_unfit(const struct flow_query *query, __u32 base, __u32 now)
{
	flow_event(query_opens(query) ? HF_FLOW_UNFIT : HF_FLOW_UNFIT_PACKETS);
	if (base && base != query_owner(query))
		slot_since(query->slot, now);
}

static __always_inline __u32 flow_place_anew(const struct flow_query *query, const struct hf_service *service,
					     const struct hf_table *table, const struct flow_tag *tag,
					     __u32 now)
{
	__u32 base = flow_base(query, service, table, now), backend;
	bool exception = base && query_opens(query) && base != query_owner(query);
	__u32 place = flowtable_claim(tag, now, exception ? FOR_EXCEPTION : 0, query->passive);

	bool old = base && !(query_opens(query) && place != NO_PLACE);

	backend = old ? base : query_owner(query);
	if (!query->passive && place == NO_PLACE) {
		flow_unfit(query, base, now);
	} else if (!query->passive) {
		struct hf_flow entry = flow_new(query, service, table, backend, now);

		backend = flowtable_enter(tag, place, &entry);
		if (query->tuple.proto == IPPROTO_UDP && service->track == HF_TRACK_ALWAYS)
			flow_begun(service, backend);
	}
	return backend | (old ? HF_CHOICE_BASE : HF_CHOICE_OWNER) << CHOICE_SHIFT;
}

static __always_inline __u32 flow_decide(const struct flow_query *query, const struct hf_service *service,
					 const struct hf_table *table, __u64 seed)
{
	__u32 now = bpf_ktime_get_coarse_ns() / 1000000000;
	struct flow_tag tag = flow_tag(&query->tuple, seed);
	__u32 backend = 0, place = flowtable_find(&tag, &backend);
	struct hf_flow *flow = map_at(&flows, place);

	if (flow && elapsed(now, flow->seen) <= (__s32)flow->idle)
		return flow_remembered(query, service, table, &tag, flow, backend, now);
	/* Its own entry is over, and must not be found again beside the new one. */
	if (flow && !query->passive)
		__sync_val_compare_and_swap(&flow->tag, tag.tag, 0);
	return flow_place_anew(query, service, table, &tag, now);
}

/*
 * Returns the backend's number, and above it why (enum hf_choice). Parses the packet again: to keep its tuple
 * at hand would cost the packets of settled slots, which do not come here. where: the slot, and above it
 * whether the packet is only observed.
 */
__noinline __u32 flow_place(struct xdp_md *ctx, const struct hf_service *service,
			    const struct hf_table *table, __u64 slot_word, __u64 where)
{
	struct packet packet = packet_of(ctx, where >> OBSERVED_SHIFT);
	struct flow_query query;

	if (!service || !table || !packet.control || packet.start + ETH_HLEN > packet.end)
		return 0;
	packet.again = true;
	packet.tuple.family = hf_kind_family(service->key.kind);
	if (packet_parse(&packet) || icmp_parse(&packet))
		return 0;
	query = (struct flow_query){
		.tuple = packet.tuple,
		.slot_word = slot_word,
		.slot = where,
		.tcp_flags = packet.tcp_flags,
		.passive = packet.observed || packet.layer4,
	};
	return flow_decide(&query, service, table, packet.control->flow_seed);
}

static __always_inline int flow_find(struct packet *packet)
{
	const struct hf_service *service = packet->service;
	__u64 where = packet->slot | (__u64)packet->observed << OBSERVED_SHIFT;
	__u32 place;

	if (likely(!(hf_slot_flags(packet->slot_word) | packet->table->old_size | service->track)) ||
	    service->track == HF_TRACK_NEVER)
		return 0;
	place = flow_place(packet->ctx, service, packet->table, packet->slot_word, where);
	packet->backend_number = place & 0xffff;
	packet->choice = place >> CHOICE_SHIFT;
	return 0;
}
