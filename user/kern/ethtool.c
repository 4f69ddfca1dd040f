// SPDX-License-Identifier: Apache-2.0
#include "ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
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

int ethtool_gro(const char *interface, bool *ret)
{
	struct ethtool_value value = {.cmd = ETHTOOL_GGRO};
	int r = ethtool(interface, &value);

	if (!r)
		*ret = value.data;
	return r;
}

int ethtool_gro_off(const char *interface)
{
	struct ethtool_value value = {.cmd = ETHTOOL_SGRO, .data = 0};

	return ethtool(interface, &value);
}

int ethtool_lro(const char *interface, bool *ret)
{
	struct ethtool_value value = {.cmd = ETHTOOL_GFLAGS};
	int r = ethtool(interface, &value);

	if (!r)
		*ret = value.data & ETH_FLAG_LRO;
	return r;
}

static int family_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[CTRL_ATTR_MAX + 1] = {};
	struct attributes attributes = {by_type, CTRL_ATTR_MAX + 1};

	mnl_attr_parse(answer, sizeof(struct genlmsghdr), attributes_collect, &attributes);
	if (by_type[CTRL_ATTR_FAMILY_ID])
		*(uint16_t *)context = mnl_attr_get_u16(by_type[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

static int features_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[NETDEV_A_DEV_XDP_FEATURES + 1] = {};
	struct attributes attributes = {by_type, NETDEV_A_DEV_XDP_FEATURES + 1};

	mnl_attr_parse(answer, sizeof(struct genlmsghdr), attributes_collect, &attributes);
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
