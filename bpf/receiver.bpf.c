// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The receiver on a backend host: takes the outer header off what the balancers send, and gives the packet to
 * the host's stack as if it had come straight from its client. holdfast/receiver.h says what is in the maps.
 */
#include <linux/pkt_cls.h>
#include "wrapped.bpf.h"
#include "outer.bpf.h"
#include "here.bpf.h"
#include "shim.bpf.h"
#include "inner.bpf.h"
#include "ecn.bpf.h"
#include "socket.bpf.h"
#include "hop.bpf.h"
#include "unwrap.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, HF_RECEIVER_LIMIT);
	__type(key, __u32);
	__type(value, __u64);
} verdicts SEC(".maps");

static __always_inline void verdict_count(__u32 verdict)
{
	__u64 *packets = bpf_map_lookup_elem(&verdicts, &verdict);

	if (packets)
		*packets += 1;
}

static __always_inline int verdict_action(const struct wrapped *packet, enum hf_receiver_verdict verdict)
{
	switch (verdict) {
#define PASS XDP_PASS
#define DROP XDP_DROP
#define TX   packet->action
#define X(name, number, word, action, sentence) \
	case HF_RECEIVER_##name:                \
		return action;
		HF_RECEIVER_VERDICTS(X)
#undef X
#undef TX
#undef DROP
#undef PASS
	default:
		return XDP_DROP;
	}
}

/* What the packet's fate comes to: kept, or sent on. */
static __always_inline __u32 packet_carry_out(struct wrapped *packet, __u32 verdict)
{
	if (verdict == HF_RECEIVER_PASSED_ON)
		return packet_pass_on(packet);
	return ecn_take(packet) ?: packet_unwrap(packet) ? verdict : HF_RECEIVER_BAD_INNER;
}

static __always_inline int receive(struct xdp_md *ctx)
{
	struct wrapped packet = {
		.ctx = ctx,
		.start = (void *)(long)ctx->data,
		.end = (void *)(long)ctx->data_end,
	};
	__u32 verdict;

	(verdict = outer_parse(&packet)) || (verdict = here_check(&packet)) ||
		(verdict = source_check(&packet)) || (verdict = shim_parse(&packet)) ||
		(verdict = inner_parse(&packet)) || (verdict = vip_check(&packet)) ||
		(verdict = packet_carry_out(&packet, socket_check(&packet) ?: HF_RECEIVER_ACCEPTED));
	verdict_count(verdict);
	return verdict_action(&packet, verdict);
}

SEC("xdp")
int receive_linear(struct xdp_md *ctx)
{
	return receive(ctx);
}

SEC("xdp.frags")
int receive_frags(struct xdp_md *ctx)
{
	return receive(ctx);
}

/* Sends packets on which receive() left a note. The kernel looks up the route, unless the note names the
 * neighbour. */
SEC("tc")
int send_on(struct __sk_buff *skb)
{
	struct note note;

	if (!note_read(skb, &note))
		return TC_ACT_UNSPEC; /* the next filter decides */
	verdict_count(HF_RECEIVER_PASSED_ON);
	if (!note.neighbour.nh_family)
		return bpf_redirect_neigh(note.ifindex, NULL, 0, 0);
	return bpf_redirect_neigh(note.ifindex, &note.neighbour, sizeof(note.neighbour), 0);
}

const char LICENSE[] SEC("license") = "Dual BSD/GPL";
