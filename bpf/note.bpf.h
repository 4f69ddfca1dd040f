/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * note: how the XDP program asks the tc program of the same interface to send a packet. XDP cannot resolve a
 * neighbour, and bpf_fib_lookup() finds no route on a host that does not forward. The tc program can do both
 * with bpf_redirect_neigh(). The note lies in front of the frame, in the packet's metadata.
 *
 * Other programs can leave metadata too, for example one in a container at the other end of a veth. So a note
 * carries a secret: a random number that only root can read.
 */
#pragma once

#include "wrapped.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} secret SEC(".maps");

struct note {
	__u64 secret;
	__u32 ifindex;                    /* to leave by */
	struct bpf_redir_neigh neighbour; /* nh_family 0: as the kernel's route out of ifindex says */
};
_Static_assert(sizeof(struct note) == 32, "Linux 6.1 takes 32 bytes of metadata");

static __always_inline __u64 secret_read(void)
{
	__u32 zero = 0;
	__u64 *value = bpf_map_lookup_elem(&secret, &zero);

	return value ? *value : 0;
}

/* Returns whether the note is there. The driver may have no room for it. Packet pointers are read anew. */
static __always_inline bool note_leave(struct wrapped *packet, const struct note *note)
{
	struct xdp_md *ctx = packet->ctx;
	int refused = bpf_xdp_adjust_meta(ctx, -(int)sizeof(*note));
	struct note *place = (void *)(long)ctx->data_meta;

	packet->start = (void *)(long)ctx->data;
	packet->end = (void *)(long)ctx->data_end;
	if (refused || (void *)(place + 1) > packet->start)
		return false;
	__builtin_memcpy(place, note, sizeof(*place));
	return true;
}

/* Returns whether there is a note that the XDP program left. */
static __always_inline bool note_read(const struct __sk_buff *skb, struct note *ret)
{
	struct note *place = (void *)(long)skb->data_meta;
	__u64 expected;

	if ((void *)(place + 1) > (void *)(long)skb->data)
		return false;
	expected = secret_read();
	if (!expected || place->secret != expected)
		return false;
	__builtin_memcpy(ret, place, sizeof(*ret));
	return true;
}
