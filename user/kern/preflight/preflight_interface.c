// SPDX-License-Identifier: Apache-2.0
/* The preflight of one interface: driver, XDP, queues, offloads, room for headers; and its counters. */
#include "checks.h"

#include <errno.h>
#include <holdfast/abi.h>
#include <holdfast/gue.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kern/base/ethtool.h"
#include "kern/base/route.h"

/* What is known of drivers: how they take a program, and, for kernels that do not say, what they can. */
static const struct driver {
	const char *name;
	bool native, xmit;  /* xmit: can be redirected to */
	const char *attach; /* what attaching does to the link */
} drivers[] = {
	{"bnxt_en", true, true, "bnxt_en closes and opens its rings: packets are lost for a moment"},
	{"ena", true, true, "ena resets its queues: packets are lost for a moment"},
	{"i40e", true, true, "i40e rebuilds its queues: packets are lost for about a second"},
	{"ice", true, true, "ice rebuilds its queues: packets are lost for a moment"},
	{"igb", true, true, "igb takes its link down and up again"},
	{"igc", true, true, "igc takes its link down and up again"},
	{"ixgbe", true, true, "ixgbe resets the device: its link goes down for a few seconds"},
	{"ixgbevf", true, false, "ixgbevf resets its queues: packets are lost for a moment"},
	{"mlx4_en", true, false, "mlx4 restarts its port: packets are lost for a moment"},
	{"mlx5_core", true, true, "mlx5 opens its channels anew: packets are lost for a moment"},
	{"nfp", true, false, "nfp reconfigures its rings: packets are lost for a moment"},
	{"qede", true, true, "qede reloads: its link goes down for a moment"},
	{"sfc", true, true, NULL},
	{"tun", true, true, NULL},
	{"veth", true, true, NULL},
	{"virtio_net", true, true, "virtio_net resets its queues: packets are lost for a moment"},
	{"vmxnet3", true, true, "vmxnet3 resets the device: its link goes down for a moment"},
};

static const struct driver *driver_of(const char *interface, char name[32])
{
	snprintf(name, 32, "unknown");
	ethtool_driver(interface, name);
	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
		if (!strcmp(drivers[i].name, name))
			return &drivers[i];
	}
	return NULL;
}

const char *attach_warning(const char *interface)
{
	char name[32];
	const struct driver *driver = driver_of(interface, name);

	return driver ? driver->attach : NULL;
}

/* The kernel's word if it has one, else what is known of the driver. */
static uint64_t features_of(const char *interface)
{
	const struct driver *driver;
	uint64_t features;
	char name[32];

	if (!xdp_features(if_nametoindex(interface), &features))
		return features;
	driver = driver_of(interface, name);
	if (!driver)
		return 0;
	return (driver->native ? XDP_FEATURE_BASIC : 0) | (driver->xmit ? XDP_FEATURE_NDO_XMIT : 0);
}

static void check_driver(const char *interface, enum interface_mode mode, struct findings *findings)
{
	uint64_t features = features_of(interface);
	char name[32];

	driver_of(interface, name);
	if (mode == MODE_GENERIC) {
		finding_add(findings, FINDING_NOTE,
			    "driver %s, generic mode: several times slower than native%s", name,
			    features & XDP_FEATURE_BASIC ? "\nmode native: the driver has it" : "");
	} else if (features & XDP_FEATURE_BASIC) {
		finding_add(findings, FINDING_OK, "driver %s, native XDP%s%s", name,
			    features & XDP_FEATURE_NDO_XMIT ? ", can be redirected to" : "",
			    features & XDP_FEATURE_RX_SG ? ", takes large frames" : "");
	} else {
		finding_add(findings, mode == MODE_NATIVE ? FINDING_FAULT : FINDING_NOTE,
			    "driver %s has no native XDP\n"
			    "mode generic, which is several times slower, or another NIC",
			    name);
	}
}

static void check_queues(const char *interface, struct findings *findings)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t queues;

	if (ethtool_queues(interface, &queues) || !queues || queues >= processors)
		return;
	finding_add(findings, FINDING_NOTE,
		    "packets arrive on %u of %ld processors\n"
		    "ethtool -L %s combined %ld (or rx), as far as the NIC has queues",
		    queues, processors, interface, processors);
}

static void check_offloads(const char *interface, bool generic, struct findings *findings)
{
	bool on;

	if (generic && !ethtool_gro(interface, &on) && on)
		finding_add(findings, FINDING_FAULT,
			    "GRO is on: generic XDP sees frames larger than any MTU, and drops them\n"
			    "ethtool -K %s gro off",
			    interface);
	if (!ethtool_lro(interface, &on) && on)
		finding_add(findings, FINDING_WARN,
			    "LRO is on: the NIC glues packets together\n"
			    "ethtool -K %s lro off",
			    interface);
}

static void check_rp_filter(const char *interface, struct findings *findings)
{
	if (conf_read(interface, "rp_filter") != 1)
		return;
	finding_add(findings, FINDING_WARN,
		    "rp_filter is strict: the host drops what did not come in where its answer would go out\n"
		    "sysctl -w net.ipv4.conf.%s.rp_filter=2 (loose) and net.ipv4.conf.all.rp_filter=0",
		    interface);
}

bool check_interface(const char *interface, enum interface_mode mode, bool generic, struct findings *findings)
{
	uint32_t ifindex = if_nametoindex(interface);
	struct netlink *netlink;
	struct link link = {};

	findings_about(findings, "interface %s", interface);
	if (ifindex && !netlink_open(NETLINK_ROUTE, &netlink)) {
		if (link_ask(netlink, ifindex, &link))
			ifindex = 0;
		netlink_close(netlink);
	}
	if (!ifindex) {
		finding_add(findings, FINDING_FAULT,
			    "is not there\n"
			    "an interface of this network namespace: ip link");
		return false;
	}
	if (!link_carries(&link))
		finding_add(findings, FINDING_FAULT,
			    link.flags & IFF_UP ? "is without carrier\nlook at the cable, or at the other end"
						: "is down\nip link set %s up",
			    interface);
	check_driver(interface, mode, findings);
	check_queues(interface, findings);
	check_offloads(interface, generic, findings);
	check_rp_filter(interface, findings);
	return true;
}

void check_redirect(const char *interface, struct findings *findings)
{
	const struct driver *driver;
	uint64_t features;
	char name[32];
	bool told = !xdp_features(if_nametoindex(interface), &features);

	driver = driver_of(interface, name);
	if (told ? features & XDP_FEATURE_NDO_XMIT : driver && driver->xmit)
		return;
	finding_add(findings, FINDING_FAULT,
		    "packets leave by %s, whose driver %s takes no packets from XDP as it is set up\n"
		    "attach to %s as well (many drivers make queues for XDP only then), or another NIC",
		    interface, name, interface);
}

uint32_t wrap_overhead(uint8_t encap, uint8_t family)
{
	uint32_t outer = family == 6 ? 40 : 20;

	switch (encap) {
	case HF_ENCAP_L2:
		return 0;
	case HF_ENCAP_GRE:
		return outer + 4;
	case HF_ENCAP_GUE:
		return outer + 8 + sizeof(struct hf_gue) + (HF_MAX_HOPS - 1) * (family == 6 ? 16 : 4);
	default:
		return outer;
	}
}

uint32_t segment_headers(uint8_t family)
{
	return (family == 6 ? 40 : 20) + 20;
}

static int stats_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[IFLA_STATS64 + 1];
	struct rtnl_link_stats64 stats = {};

	attributes_read(answer, sizeof(struct ifinfomsg), by_type, IFLA_STATS64 + 1);
	if (!by_type[IFLA_STATS64])
		return 0;
	memcpy(&stats, mnl_attr_get_payload(by_type[IFLA_STATS64]),
	       mnl_attr_get_payload_len(by_type[IFLA_STATS64]) < sizeof stats
		       ? mnl_attr_get_payload_len(by_type[IFLA_STATS64])
		       : sizeof stats);
	*(struct interface_counters *)context = (struct interface_counters){
		.rx_packets = stats.rx_packets,
		.rx_bytes = stats.rx_bytes,
		.rx_dropped = stats.rx_dropped,
		.rx_errors = stats.rx_errors,
		.tx_packets = stats.tx_packets,
		.tx_bytes = stats.tx_bytes,
		.tx_dropped = stats.tx_dropped,
		.tx_errors = stats.tx_errors,
	};
	return 0;
}

int interface_counters(const char *interface, struct interface_counters *ret)
{
	struct interface_counters counters = {};
	uint32_t ifindex = if_nametoindex(interface);
	struct netlink *netlink;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	r = ifindex ? netlink_ask(netlink, link_request(netlink, ifindex), stats_read, &counters, NULL)
		    : -ENODEV;
	netlink_close(netlink);
	if (!r)
		*ret = counters;
	return r;
}
