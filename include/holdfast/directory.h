/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The directory of services: the kind of a key, and control.services, the word that names the live directory.
 * These functions alone know where each part of them lies.
 */
#pragma once

#include <holdfast/abi.h>
#include <stdbool.h>

/* hf_service_key.kind: the family, and how many bits of the port an entry compares. */
enum {
	HF_PORT_BITS = 16, /* an exact port; 0: any port */
	HF_KIND_BITS_MASK = 0x1f,
	HF_KIND_IPV6 = 0x20,
};

static inline __u8 hf_kind(__u8 family, __u8 port_bits)
{
	return (family == HF_IPV6 ? HF_KIND_IPV6 : 0) | port_bits;
}

/* enum hf_family */
static inline __u8 hf_kind_family(__u8 kind)
{
	return kind & HF_KIND_IPV6 ? HF_IPV6 : HF_IPV4;
}

static inline __u8 hf_kind_port_bits(__u8 kind)
{
	return kind & HF_KIND_BITS_MASK;
}

/* The last port, in host order, of an entry of this kind whose first port is first. */
static inline __u16 hf_kind_last_port(__u8 kind, __u16 first)
{
	return first | 0xffffU >> hf_kind_port_bits(kind);
}

/* control.services: its parts, as abi.h explains them. 0: there is no directory. */
enum {
	HF_DIRECTORY_FIRST_BITS = 16,
	HF_DIRECTORY_SEED_SHIFT = 16,
	HF_DIRECTORY_SEED_BITS = 8,
	HF_DIRECTORY_LOG2_SHIFT = 24,
	HF_DIRECTORY_LENGTHS_SHIFT = 32,
	HF_DIRECTORY_LENGTHS_MASK = (1 << (HF_PORT_BITS + 1)) - 1,
	HF_DIRECTORY_GENERATION_SHIFT = 49,
};

static inline __u32 hf_directory_first(__u64 word)
{
	return word & ((1U << HF_DIRECTORY_FIRST_BITS) - 1);
}

static inline __u32 hf_directory_seed(__u64 word)
{
	return word >> HF_DIRECTORY_SEED_SHIFT & ((1U << HF_DIRECTORY_SEED_BITS) - 1);
}

static inline __u32 hf_directory_log2(__u64 word)
{
	return word >> HF_DIRECTORY_LOG2_SHIFT & 0xff;
}

/* Bit n: some entry has n port bits. */
static inline __u32 hf_directory_lengths(__u64 word)
{
	return word >> HF_DIRECTORY_LENGTHS_SHIFT & HF_DIRECTORY_LENGTHS_MASK;
}

static inline bool hf_directory_has_length(__u64 word, __u8 port_bits)
{
	return word >> HF_DIRECTORY_LENGTHS_SHIFT >> port_bits & 1;
}

static inline __u64 hf_directory_word(__u32 first, __u32 seed, __u32 log2, __u32 lengths, __u64 generation)
{
	return first | (__u64)seed << HF_DIRECTORY_SEED_SHIFT | (__u64)log2 << HF_DIRECTORY_LOG2_SHIFT |
	       (__u64)(lengths & HF_DIRECTORY_LENGTHS_MASK) << HF_DIRECTORY_LENGTHS_SHIFT |
	       generation << HF_DIRECTORY_GENERATION_SHIFT;
}
