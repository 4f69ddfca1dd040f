/* SPDX-License-Identifier: Apache-2.0 */
/* The boot: which of the host's lives this is. */
#ifndef HOLDFAST_BOOT_H
#define HOLDFAST_BOOT_H

#include "core/value/steady.h"

/* The kernel's id of this boot; "" where it gives none. */
void boot_read(char ret[BOOT_ID]);

#endif
