/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching an instance's programs to interfaces, detaching them, and what the program must know of them. */
#pragma once

#include "core/model/model.h"
#include "kern/maps/dataplane.h"

/*
 * What dataplane_attach() refuses before it touches anything: -ENODEV, there is no such interface; -EINVAL,
 * no packet would be served there. What is attached in the wanted way already stays (0), also where an
 * earlier version attached to what is refused today.
 */
int dataplane_check_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode,
			   bool share, struct refusal *refusal);
/*
 * Attaches to an interface of this network namespace; already attached in the wanted mode is no error and
 * changes nothing. Refusals give the driver's reason (netlink extended ack where the kernel gives one) and
 * the alternative.
 */
int dataplane_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode, bool share,
		     struct refusal *refusal);
/*
 * Lets go of the interface that is called so now; where there is none, of the one that was called so when it
 * was attached; and of one that was called so and is in another network namespace now. 0: none of these runs
 * a program of this instance any more. -ENOENT: none did. -EBUSY: the interface runs one that these pins do
 * not hold, and goes on doing so.
 */
int dataplane_detach(struct dataplane *dataplane, const char *interface, struct refusal *refusal);
/* Detaches every interface, also where the other pins are of another layout or gone. -EBUSY: an interface of
 * this network namespace still runs a program that no pins hold. */
int dataplane_detach_all(const char *instance, struct refusal *refusal);
/*
 * Tells the data plane the MAC addresses of the interfaces that it is attached to. From then on it leaves
 * frames for other hosts to the stack. Again when they may have changed; what this misses, the program finds.
 */
void dataplane_know_macs(struct dataplane *dataplane);
