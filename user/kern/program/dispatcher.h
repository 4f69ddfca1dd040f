/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharing an interface with other XDP programs through libxdp's dispatcher, which calls one after the other.
 * The program in it is pinned as `shared/INTERFACE`; which kernels let a dispatcher call a program that
 * changes packets is for them to say.
 */
#pragma once

#include "core/model/model.h"
#include "kern/maps/dataplane.h"
#include "kern/xdp/attachment.h"

/* Already there: 0, and nothing changes. -EOPNOTSUPP: kernel or libxdp do not share; nothing is attached. */
int dispatcher_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode,
		      struct refusal *refusal);
/* -ENOENT: not shared by this instance. */
int dispatcher_detach(const char *instance, const char *interface);
int dispatcher_detach_all(const char *instance);
/* As dataplane_attachments(), of the shared ones. */
int dispatcher_list(const char *instance, int (*visit)(const struct attachment *, void *), void *context);
/* Puts the embedded program in the place of every shared one: the new joins before the old leaves. */
int dispatcher_upgrade(struct dataplane *dataplane, struct refusal *refusal);
