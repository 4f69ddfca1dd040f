/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the stages know of the packet in hand. Every stage takes it, adds to it, and returns 0 (go on), a
 * negative reason (reasons.h) or a positive XDP verdict.
 */
#pragma once

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <holdfast/flowhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "headers are put together as little-endian words");

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

struct packet {
	struct xdp_md *ctx;
	void *start; /* of the Ethernet header; stale once wrapped */
	void *end;
	const struct hf_control *control;
	bool observed; /* nothing is counted or remembered */
	bool again;    /* parsed once already, and found to be for a service */

	/* parse */
	struct hf_tuple tuple; /* as the client sends it, even when the packet is an ICMP error about it */
	__u32 frame;           /* bytes as they came, Ethernet header included */
	__u32 length;          /* of the IP packet, header included */
	__u8 tos;              /* or the traffic class */
	__u8 tcp_flags;        /* the byte of CWR .. FIN; 0 if not TCP */
	void *layer4;          /* behind the IP header, set for ICMP alone */
	__s32 room;            /* bytes of the IP packet from there on */

	/* service, hash, slot, backend */
	const struct hf_service *service;
	__u32 table_number;
	const struct hf_table *table;
	const struct hf_backend *backend;
	const struct hf_link *link;
	__u64 hash;
	__u64 slot_word;
	__u64 next_hop;
	__u32 slot;  /* index of slots */
	__u32 stage; /* enum hf_stage, the last that was entered */
	__u32 backend_number;
	__u32 choice; /* enum hf_choice */
};

/* Notes which stage the packet enters; nothing is left of it but in the observing form. */
static __always_inline struct packet *packet_at(struct packet *packet, enum hf_stage stage)
{
	packet->stage = stage;
	return packet;
}

enum { TCP_FIN = 0x01, TCP_SYN = 0x02, TCP_RST = 0x04, TCP_ACK = 0x10 };

/* A TCP connection's first packet: the only one that may choose a backend anew. */
static __always_inline bool packet_opens(const struct packet *packet)
{
	return (packet->tcp_flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
}

/* Packets have no alignment; the verifier lets a wide access pass where the machine does. */
static __always_inline __u64 load64(const void *from)
{
	return *(const volatile __u64 *)from;
}

static __always_inline __u32 load32(const void *from)
{
	return *(const volatile __u32 *)from;
}

static __always_inline __u16 load16(const void *from)
{
	return *(const volatile __u16 *)from;
}

static __always_inline void store64(void *to, __u64 value)
{
	*(volatile __u64 *)to = value;
}

static __always_inline void store32(void *to, __u32 value)
{
	*(volatile __u32 *)to = value;
}

/* An IPv6 address out of a packet. It lies 6 bytes after an aligned word, so these loads are all aligned. */
static __always_inline union hf_address address_load(const void *from)
{
	__u64 middle = load64(from + 2);

	return (union hf_address){
		.halves = {
			load16(from) | middle << 16,
			middle >> 48 | (__u64)load16(from + 10) << 16 | (__u64)load32(from + 12) << 32,
		}};
}

static __always_inline bool hf_address_equal(const union hf_address *a, const union hf_address *b)
{
	return a->halves[0] == b->halves[0] && a->halves[1] == b->halves[1];
}
