// SPDX-License-Identifier: Apache-2.0
#include "frame.h"
#include <arpa/inet.h>
#include <string.h>

enum { ETHERNET = 14, IPV4 = 20, IPV6 = 40 };

static void put16(__u8 *at, __u16 value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static __u16 get16(const __u8 *at)
{
	return at[0] << 8 | at[1];
}

static __u16 checksum(const __u8 *at, int length)
{
	__u32 sum = 0;

	for (int i = 0; i < length; i += 2)
		sum += get16(at + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void ipv4_write(__u8 *ip, int total, int proto, const char *source, const char *destination,
		       int fragment)
{
	memset(ip, 0, IPV4);
	ip[0] = 0x45;
	put16(ip + 2, total);
	put16(ip + 6, fragment);
	ip[8] = 64;
	ip[9] = proto;
	inet_pton(AF_INET, source, ip + 12);
	inet_pton(AF_INET, destination, ip + 16);
	put16(ip + 10, checksum(ip, IPV4));
}

static void ipv6_write(__u8 *ip, int payload, int proto, const char *source, const char *destination)
{
	memset(ip, 0, IPV6);
	ip[0] = 0x60;
	put16(ip + 4, payload);
	ip[6] = proto;
	ip[7] = 64;
	inet_pton(AF_INET6, source, ip + 8);
	inet_pton(AF_INET6, destination, ip + 24);
}

bool scenario_is_ipv6(const struct scenario *scenario)
{
	return strchr(scenario->vip, ':');
}

void frame_make(const struct scenario *s, __u8 *frame)
{
	static const __u8 macs[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0x99};
	bool is_ipv6 = scenario_is_ipv6(s);
	int header = is_ipv6 ? IPV6 : IPV4, rest = s->length - ETHERNET - header;
	__u8 *layer4 = frame + ETHERNET + header;

	memset(frame, 0, s->length);
	memcpy(frame, macs, sizeof macs);
	put16(frame + 12, is_ipv6 ? 0x86dd : 0x0800);
	if (is_ipv6)
		ipv6_write(frame + ETHERNET, rest, s->proto, "fc00:2::1:0:0", s->vip);
	else
		ipv4_write(frame + ETHERNET, s->length - ETHERNET, s->proto, "198.18.0.0", s->vip, 0);
	put16(layer4, 1024);
	put16(layer4 + 2, 80);
	if (s->proto == TCP) {
		layer4[12] = 0x50;
		layer4[13] = s->flags;
		put16(layer4 + 14, 8192);
	} else {
		put16(layer4 + 4, rest);
	}
}

void frame_ideal(const __u8 *frame, int length, bool is_ipv6, int growth, __u8 *out)
{
	static const __u8 macs[12] = {2, 0, 0, 0, 0, 0x0b, 2, 0, 0, 0, 0, 0x0a};
	int header = is_ipv6 ? IPV6 : IPV4, inner = length - ETHERNET;

	memset(out, 0, ETHERNET + growth);
	memcpy(out, macs, sizeof macs);
	put16(out + 12, is_ipv6 ? 0x86dd : 0x0800);
	if (is_ipv6)
		ipv6_write(out + ETHERNET, inner + growth - header, 41, "fc00::1", "fc00::2");
	else
		ipv4_write(out + ETHERNET, inner + growth, 4, "10.1.0.1", "10.2.0.2", 0x4000);
	memcpy(out + ETHERNET + growth, frame + ETHERNET, inner);
}

const char *frame_fault(const __u8 *frame, int length, const __u8 *out, int out_length)
{
	const __u8 *ip = out + ETHERNET;
	int growth = out_length - length, total = out_length - ETHERNET;

	if (growth < IPV4 || memcmp(out + ETHERNET + growth, frame + ETHERNET, length - ETHERNET))
		return "inner packet changed";
	if (get16(out + 12) == 0x0800)
		return ip[0] != 0x45 || get16(ip + 2) != total ? "outer length"
		       : checksum(ip, IPV4)                    ? "outer checksum"
							       : NULL;
	if (get16(out + 12) == 0x86dd)
		return get16(ip + 4) + IPV6 != total ? "outer length" : NULL;
	return "outer header";
}
