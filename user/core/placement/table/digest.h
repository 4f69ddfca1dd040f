/* SPDX-License-Identifier: Apache-2.0 */
/* The hashes of other people's rings and slots. Not for security: MD5 and CRCs decide where things live, no
 * more. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* RFC 1321. */
void md5(const void *data, size_t length, uint8_t ret_digest[16]);

/* CRC-32 of ISO-HDLC (zlib's), in steps: start with ~0, update as often as need be, complement at the end. */
uint32_t crc32_update(uint32_t crc, const void *data, size_t length);
/* CRC-16/XMODEM: polynomial 0x1021, initially 0, not reflected (Redis Cluster specification, appendix A). */
uint16_t crc16(const void *data, size_t length);
