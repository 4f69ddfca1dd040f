/* SPDX-License-Identifier: Apache-2.0 */
#include "digest.h"

#include <string.h>

/* 2^32 * |sin(i + 1)| (RFC 1321, 3.4). */
static const uint32_t md5_sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const uint8_t md5_shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t md5_mix(unsigned int round, uint32_t b, uint32_t c, uint32_t d)
{
	switch (round) {
	case 0:
		return (b & c) | (~b & d);
	case 1:
		return (b & d) | (c & ~d);
	case 2:
		return b ^ c ^ d;
	default:
		return c ^ (b | ~d);
	}
}

static void md5_block(uint32_t state[4], const uint8_t *block)
{
	static const uint8_t factors[4] = {1, 5, 3, 7}, offsets[4] = {0, 1, 5, 0};
	uint32_t words[16], a = state[0], b = state[1], c = state[2], d = state[3];

	for (int i = 0; i < 16; i++)
		words[i] = block[4 * i] | (uint32_t)block[4 * i + 1] << 8 | (uint32_t)block[4 * i + 2] << 16 |
			   (uint32_t)block[4 * i + 3] << 24;
	for (unsigned int i = 0; i < 64; i++) {
		unsigned int round = i / 16, shift = md5_shifts[round][i % 4];
		uint32_t sum = a + md5_mix(round, b, c, d) + md5_sines[i] +
			       words[(factors[round] * i + offsets[round]) % 16];

		a = d, d = c, c = b;
		b += sum << shift | sum >> (32 - shift);
	}
	state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

void md5(const void *data, size_t length, uint8_t ret_digest[16])
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	size_t whole = length / 64 * 64, rest = length - whole, padded = rest < 56 ? 64 : 128;
	uint8_t tail[128] = {0};

	for (size_t at = 0; at < whole; at += 64)
		md5_block(state, (const uint8_t *)data + at);
	memcpy(tail, (const uint8_t *)data + whole, rest);
	tail[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		tail[padded - 8 + i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
	for (size_t at = 0; at < padded; at += 64)
		md5_block(state, tail + at);
	for (int i = 0; i < 16; i++)
		ret_digest[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
}

uint32_t crc32_update(uint32_t crc, const void *data, size_t length)
{
	/* Four bits at a time: a table short enough to check by eye, 0xedb88320 folded out of its index. */
	static const uint32_t nibbles[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};

	for (const uint8_t *byte = data; length--; byte++) {
		crc = nibbles[(crc ^ *byte) & 15] ^ crc >> 4;
		crc = nibbles[(crc ^ *byte >> 4) & 15] ^ crc >> 4;
	}
	return crc;
}

uint16_t crc16(const void *data, size_t length)
{
	uint16_t crc = 0;

	for (const uint8_t *byte = data; length--; byte++) {
		crc ^= (uint16_t)(*byte << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	return crc;
}
