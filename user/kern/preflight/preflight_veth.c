// SPDX-License-Identifier: Apache-2.0
/* The preflight of a way out that is a veth. */
#include <net/if.h>
#include "kern/base/ethtool.h"
#include "preflight_interface.h"
#include "veth.h"

/*
 * A program at the other end takes all that is sent. GRO there is enough for what is redirected; for what is
 * sent back by the interface it came in by (XDP_TX) the driver wakes the other end for a program alone.
 */
static void refuse_path(const char *interface, bool returned, const char *peer, const char *subject,
			struct findings *findings)
{
	if (returned)
		finding_add(
			findings, FINDING_FAULT, subject,
			"packets are sent back by %s, a veth, and do not arrive: its other end, %s, runs no "
			"native XDP program",
			interface, peer);
	else
		finding_add(
			findings, FINDING_FAULT, subject,
			"packets leave by %s, a veth, and do not arrive: its other end, %s, has neither a "
			"native XDP program nor GRO on",
			interface, peer);
	if (returned)
		finding_right(findings,
			      "at the other end: ip link set %s xdpdrv obj FILE sec xdp, with a program that "
			      "passes every packet; or here: holdfast interface detach %s, then holdfast "
			      "interface attach %s --mode generic",
			      peer, interface, interface);
	else
		finding_right(findings, "at the other end: ethtool -K %s gro on", peer);
}

void check_veth(const char *interface, bool returned, const char *subject, struct findings *findings)
{
	uint32_t ifindex = if_nametoindex(interface);
	struct veth_peer peer = {.name = "PEER"};
	uint64_t features = 0;
	bool told = !xdp_features(ifindex, &features), takes = features & XDP_FEATURE_NDO_XMIT;
	bool seen = !veth_peer_read(ifindex, &peer);

	if ((seen && peer.native) || (!returned && takes))
		return;
	/* The kernel says of a veth that it takes packets where the other end has a program, or GRO on. */
	if (!seen && (takes || !told)) {
		finding_add(findings, FINDING_NOTE, subject,
			    "packets leave by %s, a veth, whose other end cannot be looked at from here: "
			    "they arrive "
			    "only if it runs a native XDP program",
			    interface);
		finding_right(findings,
			      "where the other end is: ip link show, which says xdp behind its MTU");
		return;
	}
	refuse_path(interface, returned, peer.name, subject, findings);
}
