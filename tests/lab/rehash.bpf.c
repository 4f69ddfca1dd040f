/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Has a router choose its next hop by a packet's own tuple. A packet that crosses a veth brings along the
 * hash that its sender's socket drew at random (and draws again when it must retransmit), which
 * fib_multipath_hash_policy=1 takes instead; a wire would not have carried it. For the router's side of a
 * client's link: tc, ingress.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int rehash(struct __sk_buff *skb)
{
	bpf_set_hash_invalid(skb);
	return TC_ACT_OK;
}

char _license[] SEC("license") = "Dual BSD/GPL";
