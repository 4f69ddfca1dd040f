/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching an XDP program to an interface by a pinned bpf_link, for the balancer and for the receiver. */
#ifndef HOLDFAST_ATTACH_H
#define HOLDFAST_ATTACH_H

#include "kern/program/dataplane.h"
#include "kern/base/netlink.h"

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
/*
 * Why the kernel refuses the program there, in the driver's words; empty: it does not say. A bpf_link tells
 * the number of the error alone, so this tries the same attachment by netlink, and undoes it at once if it
 * succeeds.
 */
void xdp_reason(uint32_t ifindex, int program, uint32_t flags, char reason[NETLINK_REASON]);
/* What the pinned link at path is attached to. -ENODEV: its interface is gone; -EXDEV: it is attached in
 * another network namespace (ret is filled as far as it is known). */
int xdp_attachment(const char *path, struct attachment *ret);
int xdp_attachment_of(int link, struct attachment *ret); /* the same, of an open link */
bool interface_is_generic(const char *interface);        /* also a program of others */
/* Detaches what is pinned at path, and unpins it. */
int xdp_detach(const char *path);

/* Says which pin the attachment has or had, and that its interface is in another network namespace. */
void attachment_label(struct attachment *attachment, const char *pinned, bool elsewhere);
/* keep.c: of the links that are held and attached, and whose pins cannot be made again. */
int links_unpinned(struct dataplane *dataplane, int (*visit)(const struct attachment *, void *),
		   void *context);
int links_let_go(struct dataplane *dataplane, const char *interface); /* -ENOENT: none answers to that name */

/* The interface (ifindex) that has the instance's only attachment; 0: none or several. */
uint32_t attachment_only(struct dataplane *dataplane);
int links_detach_all(const char *instance);
int attachments_any(const char *instance); /* 1: there are some */

#endif
