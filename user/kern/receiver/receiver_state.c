// SPDX-License-Identifier: Apache-2.0
/* What a receiver was told and what it has counted, read back from its pins. */
#include "receiver_attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kern/base/object.h"
#include "kern/base/netns.h"
#include "kern/base/route.h"
#include "kern/xdp/attachment.h"
#include "receiver_keys.h"
#include "receiver_pins.h"
#include "receiver_tc.h"
#include "receiver_ways.h"

enum { STATE_PREFIXES = 64, STATE_VIPS = 256 };

static void state_about(const char *interface, struct receiver_state *state)
{
	struct receiver_about about;

	if (receiver_about_read(interface, &about))
		return;
	memcpy(state->netns, about.netns, sizeof state->netns);
	state->gue_port = about.gue_port;
}

static void tc_read(const char *interface, struct receiver_state *state)
{
	struct bpf_prog_info info;
	uint32_t there;
	int fd = receiver_pin_get(interface, "tc");

	if (fd < 0)
		return;
	state->tc = !object_info(fd, &info, sizeof info) && !tc_program(state->ifindex, &there) &&
		    there == info.id;
	state->tc_first = state->tc && tc_is_first(state->ifindex);
	close(fd);
}

static void ways_read(int fd, struct receiver_state *state)
{
	struct keys ways = {};

	if (ways_collect(state->ifindex, &ways))
		return;
	state->ways_current = fd >= 0 && !ways_differ(fd, &ways);
	state->ways_lead_out = ways_lead_out(&ways);
	free(ways.list);
}

static size_t keys_read(int fd, size_t size, void *keys, size_t room)
{
	uint8_t key[32], next[32];
	size_t count = 0;
	bool more = !bpf_map_get_next_key(fd, NULL, next);

	while (more && count < room) {
		memcpy((char *)keys + count++ * size, next, size);
		memcpy(key, next, size);
		more = !bpf_map_get_next_key(fd, key, next);
	}
	return count;
}

static void prefixes_read(int fd, struct receiver_state *state)
{
	struct hf_receiver_prefix keys[STATE_PREFIXES];

	state->from_count = keys_read(fd, sizeof *keys, keys, STATE_PREFIXES);
	for (size_t i = 0; i < state->from_count; i++)
		state->from[i] = prefix_of_key(&keys[i]);
}

static void vips_read(int fd, struct receiver_state *state)
{
	struct hf_receiver_address keys[STATE_VIPS];

	state->vip_count = keys_read(fd, sizeof *keys, keys, STATE_VIPS);
	for (size_t i = 0; i < state->vip_count; i++)
		state->vips[i] = address_of_key(&keys[i]);
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

/* Counts the TCP connections (every state but listening) whose local address is each of addresses. */
static int sockets_count(const struct address *addresses, size_t count, uint32_t *ret)
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

static void sockets_read(struct receiver_state *state)
{
	int before = netns_enter_named(state->netns[0] ? state->netns : NULL);

	state->sockets_known = before >= 0 && !sockets_count(state->vips, state->vip_count, state->sockets);
	netns_leave(before);
}

static int verdicts_read(int fd, struct receiver_state *state)
{
	int processors = libbpf_num_possible_cpus();
	uint64_t *values = calloc(processors > 0 ? processors : 1, sizeof *values);

	if (!values)
		return -ENOMEM;
	for (uint32_t i = 0; i < HF_RECEIVER_LIMIT; i++) {
		if (bpf_map_lookup_elem(fd, &i, values))
			break;
		for (int j = 0; j < processors; j++)
			state->verdicts[i] += values[j];
	}
	free(values);
	return 0;
}

/* -EPROTO: another version pinned the map, with keys of another layout. */
static int map_get(const char *interface, int map)
{
	static const uint32_t key_sizes[RECEIVER_MAPS] = {
		[RECEIVER_PREFIXES] = sizeof(struct hf_receiver_prefix),
		[RECEIVER_VIPS] = sizeof(struct hf_receiver_address),
		[RECEIVER_VERDICTS] = sizeof(uint32_t),
		[RECEIVER_WAYS] = sizeof(struct hf_receiver_prefix),
		[RECEIVER_SECRET] = sizeof(uint32_t),
		[RECEIVER_ADDRESSES] = sizeof(struct hf_receiver_prefix),
		[RECEIVER_MACS] = sizeof(struct hf_receiver_mac),
	};
	struct bpf_map_info info;
	int fd = receiver_pin_get(interface, receiver_maps[map]);

	if (fd < 0 || (!object_info(fd, &info, sizeof info) && info.key_size == key_sizes[map]))
		return fd;
	close(fd);
	return -EPROTO;
}

static int state_read(const char *interface, struct receiver_state *state)
{
	struct attachment attachment;
	int fds[RECEIVER_MAPS], r = 0;

	r = receiver_attachment(interface, &attachment);
	if (r)
		return r;
	snprintf(state->interface, sizeof state->interface, "%s", attachment.interface);
	snprintf(state->pinned, sizeof state->pinned, "%.15s", interface);
	state->ifindex = attachment.ifindex;
	state->generic = attachment.generic;
	state_about(interface, state);
	tc_read(interface, state);
	state->current = true;
	for (int i = 0; i < RECEIVER_MAPS; i++) {
		fds[i] = map_get(interface, i);
		state->current &= fds[i] >= 0;
		if (fds[i] < 0 && fds[i] != -EPROTO && i <= RECEIVER_VERDICTS)
			r = fds[i];
	}
	if (!r) {
		ways_read(fds[RECEIVER_WAYS], state);
		prefixes_read(fds[RECEIVER_PREFIXES], state);
		vips_read(fds[RECEIVER_VIPS], state);
		sockets_read(state);
		r = verdicts_read(fds[RECEIVER_VERDICTS], state);
	}
	for (int i = 0; i < RECEIVER_MAPS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return r;
}

struct listing {
	int (*visit)(const struct receiver_state *state, void *context);
	void *context;
};

static int list_receiver(const char *pinned, void *context)
{
	const struct listing *listing = context;
	struct receiver_state state = {};
	char name[PIN_NAME];
	int r;

	pin_decode(pinned, name);
	r = state_read(name, &state);
	if (r == -ENODEV)
		receiver_forget(name);
	if (r)
		return r == -ENOENT || r == -EXDEV || r == -ENODEV ? 0 : r;
	return listing->visit(&state, listing->context);
}

int receiver_list(int (*visit)(const struct receiver_state *, void *), void *context)
{
	struct listing listing = {.visit = visit, .context = context};
	char path[PIN_PATH];
	int r = pins_each(receiver_path(NULL, NULL, path), list_receiver, &listing);

	return r == -ENOENT ? 0 : r;
}
