/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of a veth, which decides what arrives there of that XDP sends. */
#ifndef HOLDFAST_VETH_H
#define HOLDFAST_VETH_H

#include <stdbool.h>
#include <stdint.h>

struct veth_peer {
	char name[16];
	bool native; /* it runs an XDP program in native mode */
};

/* Also where it is in another network namespace. Errors: it cannot be looked at from here. */
int veth_peer_read(uint32_t ifindex, struct veth_peer *ret);

#endif
