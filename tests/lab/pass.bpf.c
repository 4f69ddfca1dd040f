/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Passes everything. A veth delivers what its peer sends by XDP_TX only if it runs a native program of its
 * own. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int pass(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
