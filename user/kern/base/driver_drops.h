/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses: frames that an XDP program sent or redirected, and that a driver then dropped. No reason of the
 * data plane tells of them: its part is done. Drivers count them in their own statistics (`ethtool -S`).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a driver's statistic counts such frames: xdp_tx_errors, xdp_xmit_errors (veth, mvneta, mvpp2,
 * mtk_eth_soc, fec, gve), xdp_redirect_errors (gve), xdp_tx_drops (virtio_net), xdp_tx_full, xdp_tx_err,
 * tx_xdp_full, tx_xdp_err (mlx5), xdp_redirect_fail (mlx4) and what is named after the same pattern. Frames
 * that a program drops on purpose (xdp_drop) are none.
 */
bool counts_losses(const char *name);

/*
 * How many frames of any XDP program the interface's driver has lost since it was loaded, by XDP_TX from
 * there and by redirects to or from there. 0 or -errno; -EOPNOTSUPP: the driver counts none; -ENODEV.
 */
int losses_read(const char *interface, uint64_t *ret);
