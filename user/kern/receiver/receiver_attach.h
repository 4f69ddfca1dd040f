/* SPDX-License-Identifier: Apache-2.0 */
/* The receiver on a backend host: attached and pinned by the CLI, no daemon. Pins:
 * /sys/fs/bpf/holdfast/receiver/NETNS-INODE/INTERFACE/. */
#pragma once

#include <holdfast/receiver.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/value/address.h"
#include "core/model/model.h"
#include "core/value/refusal.h"

struct receiver_options {
	const char *interface;
	const struct prefix *from; /* outer sources allowed; at least one */
	size_t from_count;
	const struct address *vips; /* NULL: every address of this host's loopback beyond 127/8 and ::1 */
	size_t vip_count;
	enum interface_mode mode;
	uint16_t gue_port; /* where balancers send GUE to; 0: HF_GUE_PORT */
	const char *netns; /* where the VIPs and their sockets are: a name below /run/netns or a path; NULL:
			      in the interface's own namespace */
};

struct receiver_state {
	char interface[16]; /* its present name */
	char pinned[16];    /* what it was called when the receiver was attached: its pins' name */
	char netns[64];     /* as it was given; empty: none */
	uint16_t gue_port;
	uint32_t ifindex;
	bool generic;
	bool current;      /* attached by a version with maps like ours: else prefixes and VIPs are unknown */
	bool tc;           /* its tc program is at the interface's ingress */
	bool tc_first;     /* no filter of another comes before it */
	bool ways_current; /* the program knows the host's routes as they are now */
	bool ways_lead_out; /* a route leads out of the interface */
	struct prefix from[64];
	size_t from_count;
	struct address vips[256];
	uint32_t sockets[256]; /* TCP connections of each VIP, as the host's kernel has them */
	bool sockets_known;    /* the kernel could be asked: it has inet_diag, and the namespace is there */
	size_t vip_count;
	uint64_t verdicts[HF_RECEIVER_LIMIT]; /* packets */
};

/*
 * Attaches an XDP program, and a tc program for the packets that XDP cannot send on: both or, on failure,
 * neither; what was attached before stays then. Attaching again replaces programs, prefixes, VIPs and routes
 * without a gap. No VIP on the host is a warning in *warning (may be NULL), not an error.
 */
int receiver_attach(const struct receiver_options *options, struct refusal *warning, struct refusal *refusal);
/* Takes both programs away, and the clsact qdisc if receiver_attach() made it and nobody else has a filter
 * there. */
int receiver_detach(const char *interface, struct refusal *refusal);
/* The addresses on the host's loopback beyond 127/8 and ::1. The caller frees *ret. */
int loopback_vips(struct address **ret, size_t *ret_count);
int receiver_list(int (*visit)(const struct receiver_state *, void *), void *context);
