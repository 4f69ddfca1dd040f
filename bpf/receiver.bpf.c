// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The receiver on a backend host: takes the outer header off what the balancers send, and gives the packet to
 * the host's stack as if it had come straight from its client. holdfast/receiver.h says what is in the maps.
 */
#include "wrapped.bpf.h"
#include "outer.bpf.h"
#include "inner.bpf.h"
#include "unwrap.bpf.h"

/* Where the sockets are: a number of netns_ids(7), or -1: in the interface's own network namespace. */
const volatile __s32 netns = -1;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, HF_RECEIVER_LIMIT);
	__type(key, __u32);
	__type(value, __u64);
} verdicts SEC(".maps");

static __always_inline int verdict_action(enum hf_receiver_verdict verdict)
{
	switch (verdict) {
#define PASS XDP_PASS
#define DROP XDP_DROP
#define X(name, number, word, action, sentence) \
	case HF_RECEIVER_##name:                \
		return action;
		HF_RECEIVER_VERDICTS(X)
#undef X
#undef DROP
#undef PASS
	default:
		return XDP_DROP;
	}
}

static __always_inline int receive(struct xdp_md *ctx)
{
	struct wrapped packet = {
		.ctx = ctx,
		.start = (void *)(long)ctx->data,
		.end = (void *)(long)ctx->data_end,
	};
	__u32 verdict;
	__u64 *packets;

	(verdict = outer_parse(&packet)) || (verdict = source_check(&packet)) ||
		(verdict = inner_parse(&packet)) || (verdict = vip_check(&packet)) ||
		(verdict = packet_unwrap(&packet));
	packets = bpf_map_lookup_elem(&verdicts, &verdict);
	if (packets)
		*packets += 1;
	return verdict_action(verdict);
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

const char LICENSE[] SEC("license") = "Dual BSD/GPL";
