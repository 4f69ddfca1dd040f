// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The wrapper around a program under test, and the programs it is measured against.
 *
 * BPF_PROG_TEST_RUN with repeat=N hands the same frame to the program N times and resets nothing, so an
 * encapsulating program would see its own output. The wrapper undoes the growth, rewrites the headers from a
 * template, picks a flow and tail-calls jmp[0] (a constant index: a direct jump).
 *
 * It undoes with one bpf_xdp_adjust_head() a packet whether there was growth or not, so that its own cost is
 * the same for every program, and a program's net time is raw - wrapper without any correction.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "wrap.h"

enum { FIXED, SEQUENTIAL, RANDOM };

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} jmp SEC(".maps");

/*
 * Fences before and after the program. Without them the wrapper alone overlaps its packets with one another,
 * which it cannot with a program between, so that what it costs alone is not what it costs then; and how much
 * it overlaps changes with what else the machine does.
 */
const volatile bool fenced = true;

/* Written by user space before each batch; one processor only. */
__u32 c_len = 64, c_mode, c_nflows = 1, c_base, c_expect, c_syn_mask;
__u32 c_more; /* bytes behind the IP header that ideal*_more clears */
__u64 c_template[9];
/* State, and what is reported back. */
__u64 s_count, s_as_expected, s_random = 88172645463325252ULL, s_fence;
__u32 s_next, s_new;
__u64 s_began, s_ns[MOST_CHUNKS]; /* when the chunk began; what each one took */

static __always_inline void store64(void *at, __u64 value)
{
	*(__u64 *)at = value;
}

static __always_inline void fence(void)
{
	if (fenced)
		__sync_fetch_and_add(&s_fence, 1);
}

static __always_inline __u32 next_flow(bool *syn)
{
	__u64 x = s_random;

	if (c_syn_mask && !(s_count & c_syn_mask)) {
		*syn = true;
		return NEW_FLOWS + s_new++;
	}
	if (c_mode == FIXED)
		return c_base;
	if (c_mode == SEQUENTIAL) {
		__u32 flow = c_base + s_next++;

		if (s_next >= c_nflows)
			s_next = 0;
		return flow;
	}
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	s_random = x;
	return c_base + (__u32)((x >> 32) * c_nflows >> 32);
}

static __always_inline int frame_length(struct xdp_md *ctx)
{
	long length = (long)ctx->data_end - (long)ctx->data;

	asm volatile("" : "+r"(length)); /* in 64 bits, or the verifier sees half a pointer */
	return length;
}

/*
 * The clock is read here and not around the system call, which takes most of a millisecond itself, and not
 * always the same.
 */
static __always_inline void chunk_time(void)
{
	__u64 chunk = s_count / CHUNK, now;

	if (s_count % CHUNK)
		return;
	now = bpf_ktime_get_ns();
	if (chunk && chunk <= MOST_CHUNKS)
		s_ns[chunk - 1] = now - s_began;
	s_began = now;
}

static __always_inline int frame_restore(struct xdp_md *ctx)
{
	int growth = frame_length(ctx) - (int)c_len;

	chunk_time();
	if (s_count++)
		s_as_expected += growth == (int)c_expect;
	return bpf_xdp_adjust_head(ctx, growth);
}

static __always_inline int wrap(struct xdp_md *ctx, int words, int flow_at, int port_at, int flags_at)
{
	bool syn = false;
	__u8 *frame;
	__u32 flow;

	fence();
	if (frame_restore(ctx))
		return XDP_ABORTED;
	frame = (void *)(long)ctx->data;
	if (frame + 8 * words > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
#pragma clang loop unroll(full)
	for (int i = 0; i < words; i++)
		((volatile __u64 *)frame)[i] = c_template[i];
	flow = next_flow(&syn);
	/* 4096 source ports an address */
	*(__u32 *)(frame + flow_at) = bpf_htonl((flow_at == 26 ? 0xc6120000 : 0x00010000) + (flow >> 12));
	*(__u16 *)(frame + port_at) = bpf_htons(1024 + (flow & 0xfff));
	if (syn)
		frame[flags_at] = 0x02;
	fence();
	bpf_tail_call(ctx, &jmp, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int wrap4(struct xdp_md *ctx)
{
	return wrap(ctx, 7, 26, 34, 47);
}

SEC("xdp")
int wrap6(struct xdp_md *ctx)
{
	return wrap(ctx, 9, 34, 54, 67);
}

/* The wrapper alone. */
SEC("xdp")
int nothing(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_TX;
}

/*
 * What no encapsulating program can avoid: room, an Ethernet header, an outer header with its length and
 * checksum. It looks at nothing and decides nothing.
 */
static __always_inline int ideal(struct xdp_md *ctx, int outer, __u32 more)
{
	__u32 length = frame_length(ctx) - ETH_HLEN + more; /* of what is behind the outer header */
	__u8 *at;

	if (bpf_xdp_adjust_head(ctx, -(outer + (int)more)))
		return XDP_ABORTED;
	at = (void *)(long)ctx->data;
	if (at + ETH_HLEN + outer > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	store64(at, 0x00020b0000000002);     /* from 02:00:00:00:00:0a to 02:00:00:00:00:0b */
	if (outer == sizeof(struct iphdr)) { /* from 10.1.0.1 to 10.2.0.2 */
		__u32 total = bpf_htons(length + outer);
		__u32 sum = 0x0045 + 0x0040 + 0x0440 + 0x010a + 0x0100 + 0x020a + 0x0200 + total;

		sum = (sum & 0xffff) + (sum >> 16);
		sum = (sum & 0xffff) + (sum >> 16);
		store64(at + 8, 0x004500080a000000);
		store64(at + 16, 0x0440004000000000 | total);
		store64(at + 24, 0x020a0100010a0000 | (__u16)~sum);
		*(__u16 *)(at + 32) = 0x0200;
	} else { /* from fc00::1 to fc00::2 */
		store64(at + 8, 0x0060dd860a000000);
		store64(at + 16, 0x00fc402900000000 | (__u64)bpf_htons(length) << 16);
		store64(at + 24, 0);
		store64(at + 32, 0x00fc010000000000);
		store64(at + 40, 0);
		*(__u32 *)(at + 48) = 0;
		*(__u16 *)(at + 52) = 0x0200;
	}
	for (__u32 i = 0; i < MOST_MORE / 4 && 4 * i < more; i++) {
		__u32 *word = (__u32 *)(at + ETH_HLEN + outer) + i;

		if ((void *)(word + 1) > (void *)(long)ctx->data_end)
			return XDP_ABORTED;
		*word = 0;
	}
	return XDP_TX;
}

SEC("xdp")
int ideal4(struct xdp_md *ctx)
{
	return ideal(ctx, sizeof(struct iphdr), 0);
}

SEC("xdp")
int ideal6(struct xdp_md *ctx)
{
	return ideal(ctx, sizeof(struct ipv6hdr), 0);
}

SEC("xdp")
int ideal4_more(struct xdp_md *ctx)
{
	return ideal(ctx, sizeof(struct iphdr), c_more);
}

SEC("xdp")
int ideal6_more(struct xdp_md *ctx)
{
	return ideal(ctx, sizeof(struct ipv6hdr), c_more);
}

char _license[] SEC("license") = "GPL";
