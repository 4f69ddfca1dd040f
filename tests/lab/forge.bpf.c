/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a hostile container at the other end of a veth can do: sends each frame that it gets on to that host,
 * with metadata of its choice in front. For the XDP hook of an interface.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct forgery {
	__u32 target; /* the interface to send by */
	__u32 reserved;
	__u8 metadata[32];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct forgery);
} forgeries SEC(".maps");

SEC("xdp")
int forge(struct xdp_md *ctx)
{
	__u32 zero = 0;
	struct forgery *forgery = bpf_map_lookup_elem(&forgeries, &zero);
	void *place;

	if (!forgery || bpf_xdp_adjust_meta(ctx, -(int)sizeof(forgery->metadata)))
		return XDP_DROP;
	place = (void *)(long)ctx->data_meta;
	if (place + sizeof(forgery->metadata) > (void *)(long)ctx->data)
		return XDP_DROP;
	__builtin_memcpy(place, forgery->metadata, sizeof(forgery->metadata));
	return bpf_redirect(forgery->target, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
