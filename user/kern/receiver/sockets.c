// SPDX-License-Identifier: Apache-2.0
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/net_namespace.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "kern/base/netlink.h"
#include "kern/base/route.h"

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

static int number_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[NETNSA_MAX + 1] = {};
	struct attributes attributes = {by_type, NETNSA_MAX + 1};

	mnl_attr_parse(answer, MNL_ALIGN(sizeof(struct rtgenmsg)), attributes_collect, &attributes);
	if (by_type[NETNSA_NSID])
		*(int32_t *)context = (int32_t)mnl_attr_get_u32(by_type[NETNSA_NSID]);
	return 0;
}

static int number_ask(struct netlink *netlink, int fd, uint16_t type, int32_t *number)
{
	struct nlmsghdr *request = netlink_request(netlink, type, 0);
	struct rtgenmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

	message->rtgen_family = AF_UNSPEC;
	mnl_attr_put_u32(request, NETNSA_FD, fd);
	if (type == RTM_NEWNSID)
		mnl_attr_put_u32(request, NETNSA_NSID, (uint32_t)NETNSA_NSID_NOT_ASSIGNED); /* any */
	return netlink_ask(netlink, request, number_read, number, NULL);
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
		r = number_ask(netlink, fd, RTM_GETNSID, &number);
		if (!r && number == NETNSA_NSID_NOT_ASSIGNED) {
			r = number_ask(netlink, fd, RTM_NEWNSID, &number);
			if (!r || r == -EEXIST)
				r = number_ask(netlink, fd, RTM_GETNSID, &number);
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

struct tally {
	const struct address *addresses;
	size_t count;
	uint32_t *counts;
};

static struct address local_of(const struct inet_diag_msg *message)
{
	static const uint8_t mapped[12] = {[10] = 0xff, 0xff};
	const uint8_t *bytes = (const uint8_t *)message->id.idiag_src;

	if (message->idiag_family == AF_INET6 && !memcmp(bytes, mapped, sizeof mapped))
		return address_from(AF_INET, bytes + 12);
	return address_from(message->idiag_family, bytes);
}

static int socket_tally(const struct nlmsghdr *answer, void *context)
{
	const struct inet_diag_msg *message = mnl_nlmsg_get_payload(answer);
	const struct tally *tally = context;
	struct address local = local_of(message);

	for (size_t i = 0; i < tally->count; i++) {
		if (!address_equal(&tally->addresses[i], &local))
			continue;
		tally->counts[i]++;
		break;
	}
	return 0;
}

int sockets_count(const struct address *addresses, size_t count, uint32_t *ret)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	struct tally tally = {.addresses = addresses, .count = count, .counts = ret};
	struct netlink *netlink;
	int r = netlink_open(NETLINK_SOCK_DIAG, &netlink);

	if (r)
		return r;
	memset(ret, 0, count * sizeof *ret);
	for (size_t i = 0; !r && i < sizeof families; i++) {
		struct nlmsghdr *request = netlink_request(netlink, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP);
		struct inet_diag_req_v2 *question = mnl_nlmsg_put_extra_header(request, sizeof *question);

		question->sdiag_family = families[i];
		question->sdiag_protocol = IPPROTO_TCP;
		question->idiag_states = ~(1U << TCP_LISTEN | 1U << TCP_CLOSE);
		r = netlink_ask(netlink, request, socket_tally, &tally, NULL);
	}
	netlink_close(netlink);
	return r;
}
