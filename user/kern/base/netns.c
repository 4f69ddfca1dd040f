// SPDX-License-Identifier: Apache-2.0
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net_namespace.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "netlink.h"

static int netns_open(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof path, "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int netns_enter_named(const char *name)
{
	int before = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), fd, r = 0;

	if (before < 0)
		return -errno;
	if (!name)
		return before;
	fd = netns_open(name);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		r = fd < 0 ? fd : -errno;
	if (fd >= 0)
		close(fd);
	if (!r)
		return before;
	close(before);
	return r;
}

void netns_leave(int before)
{
	if (before < 0)
		return;
	setns(before, CLONE_NEWNET);
	close(before);
}

static int netns_number_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[NETNSA_MAX + 1];

	attributes_read(answer, MNL_ALIGN(sizeof(struct rtgenmsg)), by_type, NETNSA_MAX + 1);
	if (by_type[NETNSA_NSID])
		*(int32_t *)context = (int32_t)mnl_attr_get_u32(by_type[NETNSA_NSID]);
	return 0;
}

static int netns_number_ask(struct netlink *netlink, int fd, uint16_t type, int32_t *number)
{
	struct nlmsghdr *request = netlink_request(netlink, type, 0);
	struct rtgenmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

	message->rtgen_family = AF_UNSPEC;
	mnl_attr_put_u32(request, NETNSA_FD, fd);
	if (type == RTM_NEWNSID)
		mnl_attr_put_u32(request, NETNSA_NSID, (uint32_t)NETNSA_NSID_NOT_ASSIGNED); /* any */
	return netlink_ask(netlink, request, netns_number_read, number, NULL);
}

int netns_number(const char *name, int32_t *ret)
{
	int32_t number = NETNSA_NSID_NOT_ASSIGNED;
	struct netlink *netlink;
	int fd = netns_open(name), r;

	if (fd < 0)
		return fd;
	r = netlink_open(NETLINK_ROUTE, &netlink);
	if (!r) {
		r = netns_number_ask(netlink, fd, RTM_GETNSID, &number);
		if (!r && number == NETNSA_NSID_NOT_ASSIGNED) {
			r = netns_number_ask(netlink, fd, RTM_NEWNSID, &number);
			if (!r || r == -EEXIST)
				r = netns_number_ask(netlink, fd, RTM_GETNSID, &number);
		}
		netlink_close(netlink);
	}
	close(fd);
	if (!r && number == NETNSA_NSID_NOT_ASSIGNED)
		r = -ENOENT;
	if (!r)
		*ret = number;
	return r;
}
