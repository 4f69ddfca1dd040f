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

/* A flow as its client sends it. IPv4 addresses are in saddr[0] and daddr[0], the rest is not read. */
struct hf_tuple {
	__be32 saddr[4];
	__be32 daddr[4];
	__be16 sport;
	__be16 dport;
	__u8 proto;
	__u8 family; /* enum hf_family */
	__u8 reserved[2];
} __attribute__((aligned(8)));
HF_ASSERT_SIZE(struct hf_tuple, 40);

/*
 * XXH64 of an IPv6 tuple's 36 bytes, its steps spelt out: older compilers do not see that the library's loop
 * over blocks of 32 bytes runs once, and leave pointer comparisons that the verifier refuses.
 */
static HF_INLINE __u64 hf_xxh64_ipv6(const struct hf_tuple *tuple, __u64 seed)
{
	__u64 v1 = XXH64_round(seed + XXH_PRIME64_1 + XXH_PRIME64_2, XXH_readLE64(&tuple->saddr[0]));
	__u64 v2 = XXH64_round(seed + XXH_PRIME64_2, XXH_readLE64(&tuple->saddr[2]));
	__u64 v3 = XXH64_round(seed, XXH_readLE64(&tuple->daddr[0]));
	__u64 v4 = XXH64_round(seed - XXH_PRIME64_1, XXH_readLE64(&tuple->daddr[2]));
	__u64 hash = XXH_rotl64(v1, 1) + XXH_rotl64(v2, 7) + XXH_rotl64(v3, 12) + XXH_rotl64(v4, 18);

	hash = XXH64_mergeRound(hash, v1);
	hash = XXH64_mergeRound(hash, v2);
	hash = XXH64_mergeRound(hash, v3);
	hash = XXH64_mergeRound(hash, v4) + 36;
	hash ^= XXH_readLE32((const char *)tuple + 32) * XXH_PRIME64_1;
	hash = XXH_rotl64(hash, 23) * XXH_PRIME64_2 + XXH_PRIME64_3;
	return XXH64_avalanche(hash);
}

/*
 * The hash of a flow. HF_HASH_5TUPLE: saddr, daddr, sport, dport (12 bytes for IPv4, 36 for IPv6), the
 * protocol folded into the seed. HF_HASH_SOURCE: saddr alone (4 or 16 bytes), so that a client has one slot
 * whatever it speaks.
 */
static HF_INLINE __u64 hf_flow_hash(const struct hf_tuple *tuple, __u8 policy, __u64 seed)
{
	const struct {
		__be32 saddr, daddr;
		__be16 sport, dport;
	} ipv4 = {tuple->saddr[0], tuple->daddr[0], tuple->sport, tuple->dport};
	const __be32 ipv6[4] = {tuple->saddr[0], tuple->saddr[1], tuple->saddr[2], tuple->saddr[3]};
	bool is_ipv6 = tuple->family == HF_IPV6;

	if (policy == HF_HASH_SOURCE)
		return is_ipv6 ? hf_xxh64(ipv6, sizeof(ipv6), seed) : hf_xxh64(&ipv4.saddr, 4, seed);
	seed ^= tuple->proto;
	return is_ipv6 ? hf_xxh64_ipv6(tuple, seed) : hf_xxh64(&ipv4, sizeof(ipv4), seed);
}

/* The slot of a hash in a table of size slots: the upper half, scaled without a division (size >= 1). */
static HF_INLINE __u32 hf_slot_index(__u64 hash, __u32 size)
{
	return ((hash >> 32) * size) >> 32;
}

/*
 * Where a directory of services looks first for a key, modulo its size (a power of two). Keys are the
 * operator's, not the clients', so that a cheap mix will do. Reads the key as three words: only in memory.
 */
static HF_INLINE __u32 hf_service_hash(const struct hf_service_key *key)
{
	__u64 low = key->addr[0] | (__u64)key->addr[1] << 32;
	__u64 high = key->addr[2] | (__u64)key->addr[3] << 32;
	__u32 tail = key->port | (__u32)key->proto << 16 | (__u32)key->kind << 24;
	__u64 mix = low * 0x9e3779b97f4a7c15ULL ^ high * 0xd6e8feb86659fd93ULL ^ tail * 0xc2b2ae3d27d4eb4fULL;

	mix = (mix ^ mix >> 32) * 0x9e3779b97f4a7c15ULL;
	return mix >> 32;
}

#endif
