/* SPDX-License-Identifier: Apache-2.0 */
/* What addresses are to this host, as its kernel sees them in the network namespace of the caller. */
#ifndef HOLDFAST_HOST_VIEW_H
#define HOLDFAST_HOST_VIEW_H

#include "core/value/address.h"

enum host_part {
	HOST_ELSEWHERE, /* another host's, or not known */
	HOST_OWN,       /* this host's own: the kernel delivers it here */
	HOST_BROADCAST, /* the broadcast address of a network on link */
	HOST_NETWORK,   /* the address of such a network itself (IPv6: of its routers, RFC 4291, 2.6.1) */
};

struct host_view;

/* Sends nothing yet: the first address asks the kernel. NULL: out of memory. */
struct host_view *host_view_new(void);
void host_view_free(struct host_view *view);
/* What the kernel does not answer is HOST_ELSEWHERE. */
enum host_part host_view_part(struct host_view *view, const struct address *address);
/* Whether a route of this host leads by a gateway on link that has the address. Of very many routes only the
 * first are looked at. */
bool host_view_gateway(struct host_view *view, const struct address *address);

#endif
