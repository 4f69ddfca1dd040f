// SPDX-License-Identifier: Apache-2.0
#include "sockets.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include "kern/base/netlink.h"
#include "kern/base/route.h"

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
