// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include <netinet/in.h>
#include <string.h>

enum {
	ETHERNET = 14,
	IPV4_HEADER = 20,
	IPV6_HEADER = 40,
	TCP_HEADER = 20,
	UDP_HEADER = 8,
	UDP_PAYLOAD = 8,
	TCP_SYN = 2,
	TCP_ACK = 16,
};

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

/* RFC 1071, over an even number of bytes. */
static uint32_t sum_words(uint32_t sum, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i += 2)
		sum += bytes[i] << 8 | bytes[i + 1];
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return ~((sum & 0xffff) + (sum >> 16));
}

static size_t write_ip(const struct flow_tuple *tuple, uint8_t *at, size_t payload)
{
	if (tuple->destination.family == 4) {
		const uint8_t head[] = {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, tuple->proto};

		memcpy(at, head, sizeof head);
		put16(at + 2, IPV4_HEADER + payload);
		memcpy(at + 12, tuple->source.bytes, 4);
		memcpy(at + 16, tuple->destination.bytes, 4);
		put16(at + 10, fold(sum_words(0, at, IPV4_HEADER)));
		return IPV4_HEADER;
	}
	at[0] = 0x60;
	put16(at + 4, payload);
	at[6] = tuple->proto;
	at[7] = 64;
	memcpy(at + 8, tuple->source.bytes, 16);
	memcpy(at + 24, tuple->destination.bytes, 16);
	return IPV6_HEADER;
}

static size_t write_transport(const struct flow_tuple *tuple, bool opening, uint8_t *at)
{
	size_t length = tuple->proto == IPPROTO_TCP ? TCP_HEADER : UDP_HEADER + UDP_PAYLOAD;
	size_t address = tuple->destination.family == 4 ? 4 : 16;
	uint8_t *checksum = at + (tuple->proto == IPPROTO_TCP ? 16 : 6);
	uint32_t sum = tuple->proto + length;

	put16(at, tuple->source_port);
	put16(at + 2, tuple->destination_port);
	if (tuple->proto == IPPROTO_TCP) {
		at[12] = TCP_HEADER / 4 << 4;
		at[13] = opening ? TCP_SYN : TCP_ACK;
		put16(at + 14, 65535);
	} else {
		put16(at + 4, length);
	}
	sum = sum_words(sum, tuple->source.bytes, address);
	sum = sum_words(sum, tuple->destination.bytes, address);
	put16(checksum, fold(sum_words(sum, at, length)));
	return length;
}

size_t frame_build(const struct flow_tuple *tuple, bool opening, uint8_t frame[FRAME_ROOM])
{
	static const uint8_t ethernet[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
	size_t payload = tuple->proto == IPPROTO_TCP ? TCP_HEADER : UDP_HEADER + UDP_PAYLOAD, header;

	memset(frame, 0, FRAME_ROOM);
	memcpy(frame, ethernet, sizeof ethernet);
	put16(frame + 12, tuple->destination.family == 4 ? 0x0800 : 0x86dd);
	header = write_ip(tuple, frame + ETHERNET, payload);
	return ETHERNET + header + write_transport(tuple, opening, frame + ETHERNET + header);
}

bool frame_addresses(const uint8_t *frame, size_t length, struct address *ret_source,
		     struct address *ret_destination)
{
	const uint8_t *ip = frame + ETHERNET;
	struct address source = {0}, destination = {0};

	if (length >= ETHERNET + IPV4_HEADER && ip[0] >> 4 == 4) {
		source.family = destination.family = 4;
		memcpy(source.bytes, ip + 12, 4);
		memcpy(destination.bytes, ip + 16, 4);
	} else if (length >= ETHERNET + IPV6_HEADER && ip[0] >> 4 == 6) {
		source.family = destination.family = 6;
		memcpy(source.bytes, ip + 8, 16);
		memcpy(destination.bytes, ip + 24, 16);
	} else {
		return false;
	}
	*ret_source = source;
	*ret_destination = destination;
	return true;
}
