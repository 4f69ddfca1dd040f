/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * socket: whether this host is the one that a packet is for. Only TCP can tell: a SYN is for whoever gets it,
 * any other packet for the host that has its connection, be it open, half open or in TIME_WAIT, or that sent
 * a SYN cookie for it. Errors of ICMP are told by the packet they quote. UDP has no connections to speak of,
 * and trusts the balancer.
 */
#pragma once

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/tcp.h>
#include "extensions.bpf.h"
#include "wrapped.bpf.h"

/* Where the sockets are: a number of netns_ids(7), or -1: in the interface's own network namespace. */
const volatile __s32 netns = -1;

enum { ICMP_HEADER = 8, QUOTED_PORTS = 4 };

/* What of a packet its socket is found by. */
struct socket_query {
	struct bpf_sock_tuple tuple;
	__u32 size; /* of the tuple: its family */
	void *ip;   /* the header that a SYN cookie is made from; NULL: nothing answers one */
	struct tcphdr *tcp;
};

static __always_inline int cookie_check(struct bpf_sock *socket, const struct wrapped *packet,
					const struct socket_query *query)
{
	struct tcphdr *tcp = query->tcp;

	if (!query->ip || (void *)(tcp + 1) > packet->end)
		return HF_RECEIVER_PASSED_ON;
	if (query->size == sizeof(query->tuple.ipv4)) {
		struct iphdr *ip = query->ip;

		if ((void *)(ip + 1) > packet->end)
			return HF_RECEIVER_PASSED_ON;
		return bpf_tcp_check_syncookie(socket, ip, sizeof(*ip), tcp, sizeof(*tcp))
			       ? HF_RECEIVER_PASSED_ON
			       : HF_RECEIVER_ACCEPTED_COOKIE;
	} else {
		struct ipv6hdr *ip = query->ip;

		if ((void *)(ip + 1) > packet->end)
			return HF_RECEIVER_PASSED_ON;
		return bpf_tcp_check_syncookie(socket, ip, sizeof(*ip), tcp, sizeof(*tcp))
			       ? HF_RECEIVER_PASSED_ON
			       : HF_RECEIVER_ACCEPTED_COOKIE;
	}
}

/* Not bpf_sk_lookup_tcp(), which hides half-open connections and those in TIME_WAIT. */
static __always_inline int socket_find(const struct wrapped *packet, struct socket_query *query)
{
	struct bpf_sock *socket;
	int verdict = HF_RECEIVER_ACCEPTED_SOCKET;

	if (query->size == sizeof(query->tuple.ipv4))
		socket = bpf_skc_lookup_tcp(packet->ctx, &query->tuple, sizeof(query->tuple.ipv4), netns, 0);
	else
		socket = bpf_skc_lookup_tcp(packet->ctx, &query->tuple, sizeof(query->tuple.ipv6), netns, 0);
	if (!socket)
		return HF_RECEIVER_PASSED_ON;
	if (socket->state == BPF_TCP_LISTEN)
		verdict = cookie_check(socket, packet, query);
	bpf_sk_release(socket);
	return verdict;
}

/* at: the TCP header of the packet itself. Returns whether a socket decides. */
static __always_inline bool tcp_ask(const struct wrapped *packet, struct socket_query *query, void *at)
{
	struct tcphdr *tcp = at;

	if ((void *)(tcp + 1) > packet->end || (tcp->syn && !tcp->ack))
		return false;
	query->ip = packet->inner;
	query->tcp = tcp;
	if (query->size == sizeof(query->tuple.ipv4)) {
		query->tuple.ipv4.sport = tcp->source;
		query->tuple.ipv4.dport = tcp->dest;
	} else {
		query->tuple.ipv6.sport = tcp->source;
		query->tuple.ipv6.dport = tcp->dest;
	}
	return true;
}

/* at: the ports of a packet that this host sent, if it did: source and destination change places. */
static __always_inline bool quote_ask(const struct wrapped *packet, struct socket_query *query, void *at)
{
	__be16 *ports = at;

	if ((void *)(ports + 2) > packet->end)
		return false;
	if (query->size == sizeof(query->tuple.ipv4)) {
		query->tuple.ipv4.sport = ports[1];
		query->tuple.ipv4.dport = ports[0];
	} else {
		query->tuple.ipv6.sport = ports[1];
		query->tuple.ipv6.dport = ports[0];
	}
	return true;
}

static __always_inline bool ipv4_ask(const struct wrapped *packet, struct socket_query *query)
{
	struct iphdr *ip = packet->inner, *quoted;
	struct icmphdr *icmp;

	if ((void *)(ip + 1) > packet->end || ip->frag_off & bpf_htons(ANY_FRAGMENT))
		return false;
	query->size = sizeof(query->tuple.ipv4);
	query->tuple.ipv4.saddr = ip->saddr;
	query->tuple.ipv4.daddr = ip->daddr;
	if (ip->protocol == IPPROTO_TCP)
		return tcp_ask(packet, query, (void *)ip + ip->ihl * 4);
	icmp = (void *)ip + ip->ihl * 4;
	quoted = (void *)icmp + ICMP_HEADER;
	if (ip->protocol != IPPROTO_ICMP || (void *)(quoted + 1) > packet->end ||
	    (icmp->type != ICMP_DEST_UNREACH && icmp->type != ICMP_TIME_EXCEEDED &&
	     icmp->type != ICMP_PARAMETERPROB) ||
	    quoted->protocol != IPPROTO_TCP || quoted->frag_off & bpf_htons(LATER_FRAGMENT))
		return false;
	query->tuple.ipv4.saddr = quoted->daddr;
	return quote_ask(packet, query, (void *)quoted + quoted->ihl * 4);
}

static __always_inline bool ipv6_ask(const struct wrapped *packet, struct socket_query *query)
{
	struct ipv6hdr *ip = packet->inner, *quoted;
	struct icmp6hdr *icmp;
	__u8 proto;
	int header;

	if ((void *)(ip + 1) > packet->end)
		return false;
	header = extensions_skip(ip, packet->end, FRAGMENT_ANY, &proto);
	if (header < 0)
		return false;
	query->size = sizeof(query->tuple.ipv6);
	__builtin_memcpy(query->tuple.ipv6.saddr, &ip->saddr, sizeof(query->tuple.ipv6.saddr));
	__builtin_memcpy(query->tuple.ipv6.daddr, &ip->daddr, sizeof(query->tuple.ipv6.daddr));
	if (proto == IPPROTO_TCP)
		return tcp_ask(packet, query, (void *)ip + header);
	icmp = (void *)ip + header;
	quoted = (void *)icmp + ICMP_HEADER;
	if (proto != IPPROTO_ICMPV6 || (void *)(quoted + 1) > packet->end ||
	    icmp->icmp6_type > ICMPV6_PARAMPROB)
		return false;
	header = extensions_skip(quoted, packet->end, FRAGMENT_OFFSET, &proto);
	if (header < 0 || proto != IPPROTO_TCP)
		return false;
	__builtin_memcpy(query->tuple.ipv6.saddr, &quoted->daddr, sizeof(query->tuple.ipv6.saddr));
	return quote_ask(packet, query, (void *)quoted + header);
}

/* Returns 0: this host keeps it, as it would without hops. */
static __always_inline int socket_check(const struct wrapped *packet)
{
	struct socket_query query = {};
	bool asks;

	if (!packet->count)
		return 0;
	if (packet->next >= packet->count)
		return HF_RECEIVER_ACCEPTED_LAST;
	asks = packet->proto == IPPROTO_IPIP ? ipv4_ask(packet, &query) : ipv6_ask(packet, &query);
	return asks ? socket_find(packet, &query) : 0;
}
