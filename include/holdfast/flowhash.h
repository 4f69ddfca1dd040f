/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hashes that the data plane and user space must compute alike: of a flow (which slot is its own), and of
 * a service's key (where the directory keeps it).
 *
 * The flow hash is a protocol constant: balancers that share a VIP must agree on it, and a balancer must
 * agree with itself after an upgrade. It is XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md) over the
 * tuple's fields in network order and without padding. Any change to what is hashed bumps
 * HF_FLOWHASH_VERSION.
 */
#ifndef HOLDFAST_FLOWHASH_H
#define HOLDFAST_FLOWHASH_H

#include <stdbool.h>
#include <holdfast/abi.h>

#define XXH_INLINE_ALL
#ifdef __bpf__
#define XXH_NO_XXH3  /* does not compile there; elsewhere its absence leaves declarations without functions \
		      */
#endif
#define XXH_NO_STREAM
#include <xxhash.h>

#define HF_FLOWHASH_VERSION 1

#define HF_INLINE inline __attribute__((always_inline))

/* XXH64() itself is only a hint to inline; out of line a BPF compiler reads its input byte by byte. */
static HF_INLINE __u64 hf_xxh64(const void *input, __u32 length, __u64 seed)
{
	return XXH64_endian_align(input, length, seed, XXH_unaligned);
}

/* A flow as its client sends it. An IPv4 address is in word 0, and the other words are 0. */
union hf_address {
	__be32 words[4];
	__u64 halves[2]; /* the same bytes */
};

struct hf_tuple {
	union hf_address saddr;
	union hf_address daddr;
	__be16 sport;
	__be16 dport;
	__u8 proto;
	__u8 family; /* enum hf_family */
	__u8 reserved[2];
};
HF_ASSERT_SIZE(struct hf_tuple, 40);

/*
 * The hash of a flow. HF_HASH_5TUPLE: saddr, daddr, sport, dport, the protocol folded into the seed. That is
 * 12 bytes for IPv4 and 28 for IPv6: of an IPv6 destination, a VIP that no client can choose, the two halves
 * are folded by exclusive or, so that one round of XXH64 a word will do. HF_HASH_SOURCE: saddr alone (4 or 16
 * bytes), so that a client has one slot whatever it speaks.
 */
static HF_INLINE __u64 hf_flow_hash(const struct hf_tuple *tuple, __u8 policy, __u64 seed)
{
	const struct {
		__be32 saddr, daddr;
		__be16 sport, dport;
	} ipv4 = {tuple->saddr.words[0], tuple->daddr.words[0], tuple->sport, tuple->dport};
	const struct {
		__u64 saddr[2], daddr;
		__be16 sport, dport;
	} ipv6 = {{tuple->saddr.halves[0], tuple->saddr.halves[1]},
		  tuple->daddr.halves[0] ^ tuple->daddr.halves[1],
		  tuple->sport,
		  tuple->dport};
	bool is_ipv6 = tuple->family == HF_IPV6;

	if (policy == HF_HASH_SOURCE)
		return is_ipv6 ? hf_xxh64(&ipv6, 16, seed) : hf_xxh64(&ipv4, 4, seed);
	seed ^= tuple->proto;
	return is_ipv6 ? hf_xxh64(&ipv6, 28, seed) : hf_xxh64(&ipv4, 12, seed);
}

/* The slot of a hash in a table of size slots: the upper half, scaled without a division (size >= 1). */
static HF_INLINE __u32 hf_slot_index(__u64 hash, __u32 size)
{
	return ((hash >> 32) * size) >> 32;
}

/*
 * Where a directory of services looks first for a key, modulo its size (a power of two): of the key's bytes
 * as two 64-bit words and a 32-bit word. Keys are the operator's, not the clients', so that a cheap mix will
 * do; but the last bytes of an IPv6 address, where VIPs differ, are the highest of a word, and must come
 * down.
 */
static HF_INLINE __u32 hf_service_mix(__u64 low, __u64 high, __u32 tail, bool is_ipv6)
{
	__u64 mix = low * 0x9e3779b97f4a7c15ULL ^ tail * 0xc2b2ae3d27d4eb4fULL;

	if (is_ipv6) {
		mix ^= high * 0xd6e8feb86659fd93ULL;
		mix = (mix ^ mix >> 32) * 0x9e3779b97f4a7c15ULL;
	}
	return mix >> 32;
}

static HF_INLINE __u32 hf_service_hash(const struct hf_service_key *key)
{
	return hf_service_mix(key->addr[0] | (__u64)key->addr[1] << 32,
			      key->addr[2] | (__u64)key->addr[3] << 32,
			      key->port | (__u32)key->proto << 16 | (__u32)key->kind << 24, key->kind & 0x20);
}

#endif
