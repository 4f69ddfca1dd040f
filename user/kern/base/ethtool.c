// SPDX-License-Identifier: Apache-2.0
#include "ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "netlink.h"

/* Of the netdev family, which older headers do not have. */
enum { NETDEV_CMD_DEV_GET = 1, NETDEV_A_DEV_IFINDEX = 1, NETDEV_A_DEV_XDP_FEATURES = 3 };

static int ethtool(const char *interface, void *command)
{
	struct ifreq request = {.ifr_data = command};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r = 0;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
	if (ioctl(fd, SIOCETHTOOL, &request))
		r = -errno;
	close(fd);
	return r;
}

int ethtool_driver(const char *interface, char ret[32])
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	int r = ethtool(interface, &info);

	if (!r)
		snprintf(ret, 32, "%.31s", info.driver);
	return r;
}

int ethtool_queues(const char *interface, uint32_t *ret)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
	int r = ethtool(interface, &channels);

	if (!r)
		*ret = channels.combined_count + channels.rx_count;
	return r;
}

static int feature_read(const char *interface, uint32_t command, uint32_t bits, bool *ret)
{
	struct ethtool_value value = {.cmd = command};
	int r = ethtool(interface, &value);

	if (!r)
		*ret = value.data & bits;
	return r;
}

int ethtool_gro(const char *interface, bool *ret)
{
	return feature_read(interface, ETHTOOL_GGRO, UINT32_MAX, ret);
}

int ethtool_gro_set(const char *interface, bool on)
{
	struct ethtool_value value = {.cmd = ETHTOOL_SGRO, .data = on};

	return ethtool(interface, &value);
}

int ethtool_lro(const char *interface, bool *ret)
{
	return feature_read(interface, ETHTOOL_GFLAGS, ETH_FLAG_LRO, ret);
}

static int statistics_count(const char *interface, uint32_t *ret)
{
	_Alignas(struct ethtool_sset_info) char room[sizeof(struct ethtool_sset_info) + sizeof *ret] = {};
	struct ethtool_sset_info *info = (void *)room;
	int r;

	info->cmd = ETHTOOL_GSSET_INFO;
	info->sset_mask = 1ULL << ETH_SS_STATS;
	r = ethtool(interface, info);
	if (!r && (!info->sset_mask || !info->data[0]))
		r = -EOPNOTSUPP;
	if (!r)
		*ret = info->data[0];
	return r;
}

static int statistics_fill(const char *interface, uint32_t count, struct ethtool_gstrings *names,
			   struct ethtool_stats *values, struct ethtool_statistics *statistics)
{
	int r;

	*names = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = count};
	*values = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = count};
	r = ethtool(interface, names);
	if (!r)
		r = ethtool(interface, values);
	/* The driver's queues may have changed between the questions: then nothing fits together. */
	if (!r && (names->len != count || values->n_stats != count))
		r = -EAGAIN;
	for (uint32_t i = 0; !r && i < count; i++) {
		memcpy(statistics->names[i], names->data + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		statistics->values[i] = values->data[i];
	}
	statistics->count = r ? 0 : count;
	return r;
}

int ethtool_statistics(const char *interface, struct ethtool_statistics *ret)
{
	struct ethtool_statistics statistics = {};
	struct ethtool_gstrings *names = NULL;
	struct ethtool_stats *values = NULL;
	/* The kernel writes as many as there are by then: queues may come meanwhile. */
	enum { SPARE = 1024 };
	uint32_t count = 0;
	int r = statistics_count(interface, &count);

	if (r)
		return r;
	names = calloc(1, sizeof *names + ((size_t)count + SPARE) * ETH_GSTRING_LEN);
	values = calloc(1, sizeof *values + ((size_t)count + SPARE) * sizeof values->data[0]);
	statistics.names = calloc(count, sizeof *statistics.names);
	statistics.values = calloc(count, sizeof *statistics.values);
	if (!names || !values || !statistics.names || !statistics.values)
		r = -ENOMEM;
	if (!r)
		r = statistics_fill(interface, count, names, values, &statistics);
	free(names);
	free(values);
	if (r)
		ethtool_statistics_free(&statistics);
	else
		*ret = statistics;
	return r;
}

void ethtool_statistics_free(struct ethtool_statistics *statistics)
{
	free(statistics->names);
	free(statistics->values);
	*statistics = (struct ethtool_statistics){};
}

static int family_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[CTRL_ATTR_MAX + 1];

	attributes_read(answer, sizeof(struct genlmsghdr), by_type, CTRL_ATTR_MAX + 1);
	if (by_type[CTRL_ATTR_FAMILY_ID])
		*(uint16_t *)context = mnl_attr_get_u16(by_type[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

static int features_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[NETDEV_A_DEV_XDP_FEATURES + 1];

	attributes_read(answer, sizeof(struct genlmsghdr), by_type, NETDEV_A_DEV_XDP_FEATURES + 1);
	if (by_type[NETDEV_A_DEV_XDP_FEATURES])
		*(uint64_t *)context = mnl_attr_get_u64(by_type[NETDEV_A_DEV_XDP_FEATURES]);
	return 0;
}

static struct nlmsghdr *generic_request(struct netlink *netlink, uint16_t family, uint8_t command)
{
	struct nlmsghdr *request = netlink_request(netlink, family, 0);
	struct genlmsghdr *header = mnl_nlmsg_put_extra_header(request, sizeof *header);

	header->cmd = command;
	header->version = 1;
	return request;
}

int xdp_features(uint32_t ifindex, uint64_t *ret)
{
	struct nlmsghdr *request;
	struct netlink *netlink;
	uint16_t family = 0;
	uint64_t features = 0;
	int r = netlink_open(NETLINK_GENERIC, &netlink);

	if (r)
		return r;
	request = generic_request(netlink, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, "netdev");
	r = netlink_ask(netlink, request, family_read, &family, NULL);
	if (!r && family) {
		request = generic_request(netlink, family, NETDEV_CMD_DEV_GET);
		mnl_attr_put_u32(request, NETDEV_A_DEV_IFINDEX, ifindex);
		r = netlink_ask(netlink, request, features_read, &features, NULL);
	}
	netlink_close(netlink);
	if (r == -ENOENT || (!r && !family))
		r = -EOPNOTSUPP;
	if (!r)
		*ret = features;
	return r;
}
