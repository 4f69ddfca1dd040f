/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching an XDP program to an interface by a pinned bpf_link, for the balancer and for the receiver. */
#pragma once

#include "core/model/model.h"
#include "core/value/refusal.h"

/*
 * Attaches program (or frags, where the driver refuses the other for the interface's MTU; -1: there is none)
 * and pins the link at path, below a directory that is there. Generic mode switches GRO off until the detach.
 * The refusal has the driver's reason and the alternative.
 */
int xdp_attach(const char *interface, int program, int frags, enum interface_mode mode, const char *path,
	       struct refusal *refusal);
/* -ENODEV: there is no such interface. -EINVAL: it is the loopback interface, or its packets are not Ethernet
 * frames; then attaching would succeed, and no packet be served. */
int interface_suitable(const char *interface, struct refusal *refusal);
/* -ENODEV with *refusal filled: the network namespace of this process has no interface of that name; the near
 * miss, or those that there are. */
int refuse_absent_interface(const char *interface, struct refusal *refusal);
