/* SPDX-License-Identifier: Apache-2.0 */
/* What a receiver's maps hold: who may send, the VIPs, the host's routes and addresses, and the secret of its
 * notes. */
#pragma once

#include "receiver_attach.h"
#include "receiver_pins.h"

/*
 * Makes the maps (descriptors, by RECEIVER_PREFIXES and so on) hold what the options and the host say.
 * Packets go on meanwhile: what is wanted is entered before the rest leaves. *ret_vips is the number of VIPs.
 * 0 or -errno.
 */
int receiver_fill(const int maps[RECEIVER_MAPS], const struct receiver_options *options, size_t *ret_vips);
/*
 * Brings both maps of an attached receiver up to what the host has now. Each is tried, whatever becomes of
 * the other. 0 or the first -errno; what could not be read counts as unchanged.
 */
int host_read_again(const struct receiver_state *state, bool *ret_addresses_changed, bool *ret_macs_changed);
