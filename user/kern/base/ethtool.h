/* SPDX-License-Identifier: Apache-2.0 */
/* What an interface's driver says of itself, by the ethtool ioctl and the netdev netlink family. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* netdev family, enum netdev_xdp_act (Linux 6.3) */
enum {
	XDP_FEATURE_BASIC = 1,
	XDP_FEATURE_REDIRECT = 2,
	XDP_FEATURE_NDO_XMIT = 4, /* can be redirected to */
	XDP_FEATURE_ZEROCOPY = 8,
	XDP_FEATURE_OFFLOAD = 16,
	XDP_FEATURE_RX_SG = 32, /* takes programs with frags */
};

int ethtool_driver(const char *interface, char ret[32]);
/* Receive queues that packets arrive on. -EOPNOTSUPP: the driver does not say. */
int ethtool_queues(const char *interface, uint32_t *ret);
int ethtool_gro(const char *interface, bool *ret);
int ethtool_gro_set(const char *interface, bool on);
int ethtool_lro(const char *interface, bool *ret);

/* The driver's own statistics, as `ethtool -S` tells them. */
enum { ETHTOOL_NAME = 33 };
struct ethtool_statistics {
	size_t count;
	char (*names)[ETHTOOL_NAME];
	uint64_t *values;
};
/* The caller frees them with ethtool_statistics_free(). -EOPNOTSUPP: the driver has none. */
int ethtool_statistics(const char *interface, struct ethtool_statistics *ret);
void ethtool_statistics_free(struct ethtool_statistics *statistics);

/* -EOPNOTSUPP: a kernel before 6.3. */
int xdp_features(uint32_t ifindex, uint64_t *ret);
