/* SPDX-License-Identifier: Apache-2.0 */
/* Shares: how many slots each backend owns and how many slots of each pool are moving, counted when first
 * asked for after a change. */
#ifndef HOLDFAST_SHARES_H
#define HOLDFAST_SHARES_H

#include "../core/image.h"

struct shares;

int shares_open(struct shares **ret);
void shares_close(struct shares *shares);
/* The image has changed: count again when next asked. */
void shares_forget(struct shares *shares);
uint32_t shares_backend(struct shares *shares, const struct image *image, uint16_t backend); /* slots owned */
uint32_t shares_moving(struct shares *shares, const struct image *image, uint32_t pool); /* moving slots */

#endif
