/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_OWN_MACS_H
#define HOLDFAST_OWN_MACS_H

#include "kern/maps/dataplane.h"

/*
 * Tells the data plane the MAC addresses of the interfaces that it is attached to. From then on it leaves
 * frames for other hosts to the stack. Again when they may have changed; what this misses, the program finds.
 */
void dataplane_know_macs(struct dataplane *dataplane);

#endif
