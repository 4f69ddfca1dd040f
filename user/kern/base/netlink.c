// SPDX-License-Identifier: Apache-2.0
#include "netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

struct netlink {
	struct mnl_socket *socket;
	uint32_t sequence;
	char request[8192], answer[NETLINK_ROOM];
};

int netlink_open(int bus, struct netlink **ret)
{
	const struct timeval patience = {.tv_sec = 2};
	struct netlink *netlink = calloc(1, sizeof *netlink);
	int yes = 1, r;

	if (!netlink)
		return -ENOMEM;
	netlink->socket = mnl_socket_open2(bus, SOCK_CLOEXEC);
	if (!netlink->socket || mnl_socket_bind(netlink->socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		r = -errno;
		netlink_close(netlink);
		return r;
	}
	mnl_socket_setsockopt(netlink->socket, NETLINK_EXT_ACK, &yes, sizeof yes);
	mnl_socket_setsockopt(netlink->socket, NETLINK_GET_STRICT_CHK, &yes, sizeof yes);
	setsockopt(mnl_socket_get_fd(netlink->socket), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	*ret = netlink;
	return 0;
}

void netlink_close(struct netlink *netlink)
{
	if (!netlink)
		return;
	if (netlink->socket)
		mnl_socket_close(netlink->socket);
	free(netlink);
}

struct nlmsghdr *netlink_request(struct netlink *netlink, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *request;

	memset(netlink->request, 0, sizeof netlink->request);
	request = mnl_nlmsg_put_header(netlink->request);
	request->nlmsg_type = type;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	return request;
}

/* The extended acknowledgement stands behind the error, and behind the request it repeats unless capped. */
static void reason_read(const struct nlmsghdr *answer, char reason[NETLINK_REASON])
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(answer);
	size_t offset = sizeof *error;
	const struct nlattr *attribute;

	if (!reason || !(answer->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(answer->nlmsg_flags & NLM_F_CAPPED))
		offset += MNL_ALIGN(error->msg.nlmsg_len) - sizeof error->msg;
	mnl_attr_for_each(attribute, answer, offset)
	{
		if (mnl_attr_get_type(attribute) == NLMSGERR_ATTR_MSG)
			snprintf(reason, NETLINK_REASON, "%s", mnl_attr_get_str(attribute));
	}
}

/* Returns 1 when more is to come. */
static int answers_walk(struct netlink *netlink, int length,
			int (*visit)(const struct nlmsghdr *answer, void *context), void *context,
			char reason[NETLINK_REASON])
{
	const struct nlmsghdr *answer = (const void *)netlink->answer;

	for (; mnl_nlmsg_ok(answer, length); answer = mnl_nlmsg_next(answer, &length)) {
		int r = 0;

		if (answer->nlmsg_seq != netlink->sequence)
			continue; /* late, to a question that was given up */
		if (answer->nlmsg_type == NLMSG_DONE)
			return 0;
		if (answer->nlmsg_type == NLMSG_ERROR) {
			reason_read(answer, reason);
			return ((const struct nlmsgerr *)mnl_nlmsg_get_payload(answer))->error;
		}
		if (visit)
			r = visit(answer, context);
		if (r)
			return r;
	}
	return 1;
}

int netlink_ask(struct netlink *netlink, struct nlmsghdr *request,
		int (*visit)(const struct nlmsghdr *answer, void *context), void *context,
		char reason[NETLINK_REASON])
{
	int r = 1;

	if (reason)
		reason[0] = '\0';
	request->nlmsg_seq = ++netlink->sequence;
	if (mnl_socket_sendto(netlink->socket, request, request->nlmsg_len) < 0)
		return -errno;
	while (r == 1) {
		ssize_t length =
			mnl_socket_recvfrom(netlink->socket, netlink->answer, sizeof netlink->answer);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		r = answers_walk(netlink, length, visit, context, reason);
	}
	return r;
}

int netlink_dump(struct netlink *netlink, uint16_t type, size_t header, uint8_t family,
		 int (*visit)(const struct nlmsghdr *answer, void *context), void *context)
{
	struct nlmsghdr *request = netlink_request(netlink, type, NLM_F_DUMP);

	*(uint8_t *)mnl_nlmsg_put_extra_header(request, header) = family;
	return netlink_ask(netlink, request, visit, context, NULL);
}

int netlink_list(struct netlink *netlink, uint16_t type, size_t header,
		 int (*visit)(const struct nlmsghdr *answer, void *context), void *context)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	int r = 0;

	for (size_t i = 0; !r && i < sizeof families; i++) {
		r = netlink_dump(netlink, type, header, families[i], visit, context);
		if (r == -EAFNOSUPPORT || r == -EOPNOTSUPP)
			r = 0;
	}
	return r;
}

struct attributes {
	const struct nlattr **by_type;
	uint16_t limit;
};

static int attribute_collect(const struct nlattr *attribute, void *context)
{
	const struct attributes *attributes = context;
	uint16_t type = mnl_attr_get_type(attribute);

	if (type < attributes->limit)
		attributes->by_type[type] = attribute;
	return MNL_CB_OK;
}

void attributes_read(const struct nlmsghdr *message, size_t header, const struct nlattr *by_type[],
		     uint16_t limit)
{
	struct attributes attributes = {by_type, limit};

	memset(by_type, 0, limit * sizeof *by_type);
	mnl_attr_parse(message, header, attribute_collect, &attributes);
}

void attributes_read_bytes(const void *bytes, size_t length, const struct nlattr *by_type[], uint16_t limit)
{
	struct attributes attributes = {by_type, limit};

	memset(by_type, 0, limit * sizeof *by_type);
	mnl_attr_parse_payload(bytes, length, attribute_collect, &attributes);
}

void attributes_read_nested(const struct nlattr *nest, const struct nlattr *by_type[], uint16_t limit)
{
	attributes_read_bytes(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), by_type, limit);
}
