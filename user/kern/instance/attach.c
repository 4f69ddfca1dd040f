// SPDX-License-Identifier: Apache-2.0
#include "attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attachments.h"
#include "kern/base/macs.h"
#include "kern/base/pins.h"
#include "kern/base/route.h"
#include "kern/maps/state.h"
#include "kern/program/dispatcher.h"
#include "kern/program/held_links.h"
#include "kern/program/instance_pins.h"
#include "kern/xdp/holder.h"
#include "kern/xdp/xdp_attach.h"

static bool is_ours(const struct dataplane *dataplane, const struct attachment *attachment)
{
	return attachment->program == dataplane->prog_id || attachment->program == dataplane->prog_frags_id;
}

static bool has_mode(const struct attachment *attachment, enum interface_mode mode)
{
	return mode == MODE_AUTO || (mode == MODE_GENERIC) == attachment->generic;
}

/* The attachment stays, with our program in the place of the one that an earlier set of pins had. */
static int link_take_over(const struct dataplane *dataplane, const char *path, struct refusal *refusal)
{
	int fd = pin_get(path), r = 0;

	if (fd < 0)
		return fd;
	if (bpf_link_update(fd, dataplane->prog, NULL) && bpf_link_update(fd, dataplane->prog_frags, NULL))
		r = refuse(refusal, -errno, "the attached program cannot be replaced: %s", strerror(errno));
	close(fd);
	return r;
}

/* Returns 1 if the interface is attached as wanted, 0 if it is not attached (any more). */
static int attached_already(const struct dataplane *dataplane, const char *interface,
			    enum interface_mode mode, struct refusal *refusal)
{
	struct link_search search = {.interface = interface};
	int r = link_find_pinned(dataplane->instance, &search);

	if (r < 0)
		return refuse(refusal, r, "the attachment of %s cannot be read: %s", interface, strerror(-r));
	if (!r)
		return 0;
	if (search.found.elsewhere) {
		refuse(refusal, 0, "instance %s is attached to an interface %s of another network namespace",
		       dataplane->instance, interface);
		refusal_right(
			refusal,
			"`holdfast interface detach %s` lets go of it; or an instance of its own for each "
			"network namespace: --instance NAME",
			interface);
		return -EBUSY;
	}
	if (has_mode(&search.found, mode)) {
		if (!is_ours(dataplane, &search.found))
			r = link_take_over(dataplane, search.path, refusal);
		return r < 0 ? r : 1;
	}
	return xdp_detach(search.path);
}

/* A pin is called after its interface, unless one that was renamed since has that pin. */
static const char *link_new_path(const char *instance, const char *interface, char path[PIN_PATH])
{
	char number[16];

	if (access(link_path(instance, interface, path), F_OK))
		return path;
	snprintf(number, sizeof number, "#%u", if_nametoindex(interface));
	return link_path(instance, number, path);
}

static int attach_exclusively(struct dataplane *dataplane, const char *interface, enum interface_mode mode,
			      struct refusal *refusal)
{
	char path[PIN_PATH];
	int r = attached_already(dataplane, interface, mode, refusal);

	if (r)
		return r < 0 ? r : 0;
	r = pins_make_directory(instance_path(dataplane->instance, "links", path));
	if (r)
		return pins_refuse(r, path, refusal);
	r = xdp_attach(interface, dataplane->prog, dataplane->prog_frags, mode,
		       link_new_path(dataplane->instance, interface, path), refusal);
	return r ?: links_hold(dataplane);
}

struct wanted_attachment {
	const char *interface;
	enum interface_mode mode;
	bool share;
};

static int match_wanted(const struct attachment *attachment, void *context)
{
	const struct wanted_attachment *wanted = context;

	return !attachment->elsewhere && !strcmp(attachment->interface, wanted->interface) &&
	       attachment->shared == wanted->share && (wanted->share || has_mode(attachment, wanted->mode));
}

int dataplane_check_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode,
			   bool share, struct refusal *refusal)
{
	struct wanted_attachment wanted = {interface, mode, share};

	if (dataplane_attachments(dataplane, match_wanted, &wanted) == 1)
		return 0;
	return interface_suitable(interface, refusal);
}

int dataplane_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode, bool share,
		     struct refusal *refusal)
{
	uint32_t ifindex = if_nametoindex(interface);
	int r = dataplane_check_attach(dataplane, interface, mode, share, refusal);

	if (r)
		return r;
	r = dataplane_refresh(dataplane); /* another process may have upgraded them */
	if (r)
		return refuse(refusal, r, "the pinned programs cannot be opened: %s", strerror(-r));
	/* Until it is known to be the only one, what goes out must look where it came in. */
	if (dataplane->only != ifindex)
		egress_mark_only_ingress(dataplane, 0);
	if (share)
		r = dispatcher_attach(dataplane, interface, mode, refusal);
	else
		r = attach_exclusively(dataplane, interface, mode, refusal);
	egress_mark_only_ingress(dataplane, attachment_only(dataplane));
	dataplane_know_macs(dataplane);
	return r;
}

/* Every link that answers to the name. */
static int links_detach(const char *instance, const char *interface)
{
	struct link_search search = {.interface = interface};
	int found, r = 0;
	bool any = false;

	while (!r && (found = link_find_pinned(instance, &search)) > 0) {
		any = true;
		r = xdp_detach(search.path);
	}
	return r ?: found < 0 ? found : any ? 0 : -ENOENT;
}

int dataplane_detach(struct dataplane *dataplane, const char *interface, struct refusal *refusal)
{
	const uint32_t own[] = {dataplane->prog_id, dataplane->prog_frags_id};
	int r = links_detach(dataplane->instance, interface);

	if (r == -ENOENT)
		r = links_let_go(dataplane, interface);
	if (r == -ENOENT)
		r = dispatcher_detach(dataplane->instance, interface);
	if (r && r != -ENOENT)
		return refuse(refusal, r, "%s cannot be detached: %s", interface, strerror(-r));
	packets_wait(); /* one that came in there must not be sent back by the interface that is left */
	egress_mark_only_ingress(dataplane, attachment_only(dataplane));
	dataplane_know_macs(dataplane);
	if (orphan_wait(own, interface, refusal))
		return -EBUSY;
	if (r)
		refuse(refusal, r, "instance %s is not attached to %s", dataplane->instance, interface);
	return r;
}

int dataplane_detach_all(const char *instance, struct refusal *refusal)
{
	int r = instance_check(instance, refusal);

	if (r)
		return r;
	r = links_detach_all(instance);
	if (r)
		return refuse(refusal, r, "instance %s cannot be detached: %s", instance, strerror(-r));
	return orphans_check(refusal);
}

/*
 * Which MAC addresses a packet's destination is compared with first: a few words beside what every packet
 * reads anyway. What finds no room there, or came up since, the program asks the kernel about
 * (bpf/mac.bpf.h).
 */

struct known {
	uint64_t words[HF_MAX_MACS];
	size_t count;
};

static void known_add(struct known *known, const uint8_t mac[6])
{
	uint64_t word = 0;

	memcpy(&word, mac, 6);
	for (size_t i = 0; i < known->count; i++) {
		if (known->words[i] == word)
			return;
	}
	if (word && known->count < HF_MAX_MACS)
		known->words[known->count++] = word;
}

struct ingress {
	uint32_t ifindexes[HF_MAX_LINKS];
	size_t count;
};

static int ingress_add(const struct attachment *attachment, void *context)
{
	struct ingress *ingress = context;

	if (!attachment->elsewhere && ingress->count < HF_MAX_LINKS)
		ingress->ifindexes[ingress->count++] = attachment->ifindex;
	return 0;
}

/* An interface's own address is that of most of its packets. */
static void known_collect(struct known *known, const struct ingress *ingress)
{
	struct netlink *netlink;
	struct link link;

	if (netlink_open(NETLINK_ROUTE, &netlink))
		return;
	for (size_t i = 0; i < ingress->count; i++) {
		if (!link_ask(netlink, ingress->ifindexes[i], &link))
			known_add(known, link.mac);
	}
	netlink_close(netlink);
	for (size_t i = 0; i < ingress->count; i++) {
		struct macs macs = {};

		if (macs_collect(ingress->ifindexes[i], &macs))
			continue;
		for (size_t j = 0; j < macs.count; j++)
			known_add(known, macs.list[j].bytes);
		free(macs.list);
	}
}

void dataplane_know_macs(struct dataplane *dataplane)
{
	struct ingress ingress = {};
	struct known known = {};

	if (!dataplane->writable)
		return;
	dataplane_attachments(dataplane, ingress_add, &ingress);
	known_collect(&known, &ingress);
	for (size_t i = 0; i < HF_MAX_MACS; i++) {
		if (dataplane->control->macs[i] != known.words[i])
			__atomic_store_n(&dataplane->control->macs[i], known.words[i], __ATOMIC_RELEASE);
	}
}
