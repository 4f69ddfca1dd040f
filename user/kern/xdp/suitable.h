/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces on which neither program makes sense, whatever their drivers take. */
#ifndef HOLDFAST_SUITABLE_H
#define HOLDFAST_SUITABLE_H

#include "core/value/refusal.h"

/* -ENODEV: there is no such interface. -EINVAL: it is the loopback interface, or its packets are not Ethernet
 * frames; then attaching would succeed, and no packet be served. */
int interface_suitable(const char *interface, struct refusal *refusal);

#endif
