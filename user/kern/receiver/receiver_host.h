/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a wrapped packet one for this host: its addresses, and its MAC addresses on the link. */
#ifndef HOLDFAST_RECEIVER_HOST_H
#define HOLDFAST_RECEIVER_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "receiver_attach.h"

/*
 * Makes the map `addresses` (a descriptor) hold every address of this network namespace, on whatever
 * interface, the prefixes that `ip route add local` has made its own, and the addresses of the namespace that
 * is called netns (NULL: none). *ret_changed: whether it held others. 0 or -errno.
 */
int host_addresses_enter(int map, const char *netns, bool *ret_changed);
/* Likewise the map `macs` and what macs_collect() says of the interface. */
int host_macs_enter(int map, uint32_t ifindex, bool *ret_changed);
/*
 * Brings both maps of an attached receiver up to what the host has now. Each is tried, whatever becomes of
 * the other. 0 or the first -errno; what could not be read counts as unchanged.
 */
int host_read_again(const struct receiver_state *state, bool *ret_addresses_changed, bool *ret_macs_changed);

#endif
