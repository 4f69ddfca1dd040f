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
#pragma once

#include <stdbool.h>
#include <holdfast/directory.h>

#define XXH_INLINE_ALL
#ifdef __bpf__
#define XXH_NO_XXH3  /* does not compile there; elsewhere its absence leaves declarations without functions \
		      */
#endif
#define XXH_NO_STREAM
#include <xxhash.h>

#define HF_FLOWHASH_VERSION 1

#define HF_INLINE inline __attribute__((always_inline))

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "XXH64 reads its input as little-endian words");

/*
 * XXH64 of less than 32 bytes, a word at a time: the library's own steps, on words that may be in registers.
 * (From memory, a BPF compiler takes the library's input apart byte by byte.)
 */
static HF_INLINE __u64 hf_xxh64_begin(__u64 seed, __u32 length)
{
	return seed + XXH_PRIME64_5 + length;
}

static HF_INLINE __u64 hf_xxh64_add8(__u64 hash, __u64 word)
{
	return XXH_rotl64(hash ^ XXH64_round(0, word), 27) * XXH_PRIME64_1 + XXH_PRIME64_4;
}

static HF_INLINE __u64 hf_xxh64_add4(__u64 hash, __u32 word)
{
	return XXH_rotl64(hash ^ word * XXH_PRIME64_1, 23) * XXH_PRIME64_2 + XXH_PRIME64_3;
}

/* A flow as its client sends it. An IPv4 address is in word 0, and the other words are 0. */
union hf_address {
	__be32 words[4];
	__u64 halves[2]; /* the same bytes */
};

struct hf_tuple {
	union hf_address saddr;
	union hf_address daddr;
	union {
		struct {
			__be16 sport;
			__be16 dport;
		};
		__u32 ports; /* the same bytes */
	};
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
	const __u64 *saddr = tuple->saddr.halves, *daddr = tuple->daddr.halves;
	bool is_ipv6 = tuple->family == HF_IPV6;
	__u64 hash;

	if (policy == HF_HASH_SOURCE) {
		hash = is_ipv6 ? hf_xxh64_add8(hf_xxh64_add8(hf_xxh64_begin(seed, 16), saddr[0]), saddr[1])
			       : hf_xxh64_add4(hf_xxh64_begin(seed, 4), saddr[0]);
		return XXH64_avalanche(hash);
	}
	seed ^= tuple->proto;
	if (is_ipv6) {
		hash = hf_xxh64_add8(hf_xxh64_begin(seed, 28), saddr[0]);
		hash = hf_xxh64_add8(hf_xxh64_add8(hash, saddr[1]), daddr[0] ^ daddr[1]);
	} else {
		hash = hf_xxh64_add8(hf_xxh64_begin(seed, 12), saddr[0] | daddr[0] << 32);
	}
	return XXH64_avalanche(hf_xxh64_add4(hash, tuple->ports));
}

/* The slot of a hash in a table of size slots: the upper half, scaled without a division (size >= 1). */
static HF_INLINE __u32 hf_slot_index(__u64 hash, __u32 size)
{
	return ((hash >> 32) * size) >> 32;
}

/*
 * How layout 1 mixed a service's key. The program finds services so in a directory of such a version, until
 * user space loads another. Here sums of products cancel each other out: many VIPs and ports in steps may
 * fall on one place.
 */
static HF_INLINE __u32 hf_service_mix_unseeded(__u64 low, __u64 high, __u64 tail, bool is_ipv6)
{
	__u64 mix = low * 0x9e3779b97f4a7c15ULL ^ tail * 0xc2b2ae3d27d4eb4fULL;

	if (is_ipv6) {
		mix ^= high * 0xd6e8feb86659fd93ULL;
		mix = (mix ^ mix >> 32) * 0x9e3779b97f4a7c15ULL;
	}
	return mix >> 32;
}

/*
 * Where a directory of services looks first for a key, modulo its size (a power of two): of the key's bytes
 * as two 64-bit words and a 32-bit word. It multiplies the sum of address and salt by the sum of tail and
 * salt. Such products do not cancel each other out, and keys that fall together under one seed fall apart
 * under another. User space tries seeds until all keys find room. IPv6 VIPs differ in the highest bits of the
 * address's words (network order), so these are shifted down, to different places. seed: as it lies in
 * control.services; 0: hf_service_mix_unseeded().
 */
static HF_INLINE __u32 hf_service_mix(__u64 low, __u64 high, __u64 tail, bool is_ipv6, __u64 seed)
{
	__u64 mix = low, salt = seed * 0x9e3779b97f4a7c15ULL;

	if (__builtin_expect(!seed, 0))
		return hf_service_mix_unseeded(low, high, tail, is_ipv6);
	if (is_ipv6) {
		mix = low * 0xc2b2ae3d27d4eb4fULL ^ high * 0xd6e8feb86659fd93ULL >> 40;
		mix ^= mix >> 32;
	}
	return (mix + salt) * (tail + (salt >> 21)) >> 32;
}

static HF_INLINE __u32 hf_service_hash(const struct hf_service_key *key, __u32 seed)
{
	return hf_service_mix(key->addr[0] | (__u64)key->addr[1] << 32,
			      key->addr[2] | (__u64)key->addr[3] << 32,
			      key->port | (__u32)key->proto << 16 | (__u32)key->kind << 24,
			      key->kind & HF_KIND_IPV6, (__u64)seed << HF_DIRECTORY_SEED_SHIFT);
}
