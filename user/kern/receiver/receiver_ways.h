/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's routes, for the receiver's program. On a host that does not forward, a program cannot ask the
 * kernel for a route. So `receiver attach` writes into a map which destinations lie behind the interface.
 */
#pragma once

#include <holdfast/receiver.h>
#include <stdbool.h>
#include <stdint.h>

#include "receiver_keys.h"

struct way {
	struct hf_receiver_prefix prefix;
	uint8_t to; /* enum hf_receiver_way */
};

/*
 * Reads the main routing table and the host's addresses, as seen from the interface. *ret has a struct way
 * each. The caller frees ret->list. More routes than HF_RECEIVER_MAX_WAYS: -E2BIG. Otherwise 0 or -errno.
 */
int ways_collect(uint32_t ifindex, struct keys *ret);
/*
 * Whether the map holds other routes than these. Only those count that lead out of the interface or refuse:
 * addresses of the host and routes out of other interfaces come and go with VIPs and containers.
 */
bool ways_differ(int map, const struct keys *ways);
/* Whether any route leads out of the interface. */
bool ways_lead_out(const struct keys *ways);
