// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The balancer's data plane: a packet's way from the wire to its backend, a stage a line. Each stage is told
 * in the header of its name; holdfast/abi.h says what user space puts in the maps.
 */
#include "packet.bpf.h"
#include "maps.bpf.h"
#include "mac.bpf.h"
#include "parse.bpf.h"
#include "icmp.bpf.h"
#include "service.bpf.h"
#include "hash.bpf.h"
#include "slot.bpf.h"
#include "flow.bpf.h"
#include "backend.bpf.h"
#include "wrap.bpf.h"
#include "transmit.bpf.h"
#include "count.bpf.h"

/* Inlined once for each family and form, so that every stage knows them when it is compiled. */
static __always_inline int packet_balance(struct packet packet, enum hf_family family)
{
	int outcome;

	packet.tuple.family = family;
	(outcome = packet_parse(packet_at(&packet, HF_STAGE_PARSE))) ||
		(outcome = icmp_parse(packet_at(&packet, HF_STAGE_ICMP))) ||
		(outcome = service_find(packet_at(&packet, HF_STAGE_SERVICE))) ||
		(outcome = flow_hash(packet_at(&packet, HF_STAGE_HASH))) ||
		(outcome = slot_find(packet_at(&packet, HF_STAGE_SLOT))) ||
		(outcome = flow_find(packet_at(&packet, HF_STAGE_FLOW))) ||
		(outcome = backend_find(packet_at(&packet, HF_STAGE_BACKEND))) ||
		(outcome = packet_wrap(packet_at(&packet, HF_STAGE_WRAP))) ||
		(outcome = packet_transmit(packet_at(&packet, HF_STAGE_TRANSMIT)));
	return packet_finish(&packet, outcome);
}

static __always_inline int balance_as(struct xdp_md *ctx, bool observed)
{
	struct packet packet = packet_of(ctx, observed);
	__u16 type;
	int reason;

	if (unlikely(!packet.control))
		return XDP_PASS;
	if (unlikely(packet.start + ETH_HLEN > packet.end))
		return packet_finish(&packet, -HF_REASON_NOT_IP);
	type = load16(packet.start + 2 * ETH_ALEN);
	if (unlikely(type != bpf_htons(ETH_P_IP) && type != bpf_htons(ETH_P_IPV6)))
		return packet_finish(&packet, -HF_REASON_NOT_IP);
	reason = mac_check(&packet);
	if (unlikely(reason))
		return packet_finish(&packet, reason);
	return type == bpf_htons(ETH_P_IP) ? packet_balance(packet, HF_IPV4)
					   : packet_balance(packet, HF_IPV6);
}

/* The verifier knows which form it has, and leaves nothing of the other. */
static __always_inline int balance(struct xdp_md *ctx)
{
	return observing ? balance_as(ctx, true) : balance_as(ctx, false);
}

/* For drivers and MTUs whose packets are always in one buffer, and for test runs. */
SEC("xdp")
int balance_linear(struct xdp_md *ctx)
{
	return balance(ctx);
}

/* For packets in several buffers: large MTUs. */
SEC("xdp.frags")
int balance_frags(struct xdp_md *ctx)
{
	return balance(ctx);
}

const char LICENSE[] SEC("license") = "Dual BSD/GPL";
