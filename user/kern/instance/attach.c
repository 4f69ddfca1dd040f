// SPDX-License-Identifier: Apache-2.0
/* Which interfaces an instance is attached to: one pinned link each. */
#include "attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kern/xdp/gro.h"
#include "kern/xdp/orphan.h"
#include "kern/base/pins.h"
#include "kern/program/dispatcher.h"
#include "kern/maps/state.h"

static const char *link_path(const char *instance, const char *interface, char path[PIN_PATH])
{
	char name[PIN_NAME], link[PIN_NAME];

	return pin_path(path, "%s/links/%s", pin_encode(instance, name), pin_encode(interface, link));
}

static const char *links_path(const char *instance, char path[PIN_PATH])
{
	char name[PIN_NAME];

	return pin_path(path, "%s/links", pin_encode(instance, name));
}

/* One pin of a link: visited with what the kernel says of it now. */
struct listing {
	const char *instance;
	int (*visit)(const struct attachment *attachment, const char *path, void *context);
	void *context;
};

void attachment_label(struct attachment *attachment, const char *pinned, bool elsewhere)
{
	attachment->elsewhere = elsewhere;
	snprintf(attachment->pinned, sizeof attachment->pinned, "%.15s", pinned);
	if (elsewhere)
		memcpy(attachment->interface, attachment->pinned, sizeof attachment->interface);
}

static int list_one(const char *pinned, void *context)
{
	const struct listing *listing = context;
	struct attachment attachment;
	char path[PIN_PATH], name[PIN_NAME];
	int r;

	link_path(listing->instance, pin_decode(pinned, name), path);
	r = xdp_attachment(path, &attachment);
	if (r == -ENODEV) {
		gro_give_back(NULL, path);
		return unlink(path) && errno != ENOENT ? -errno : 0;
	}
	if (r == -ENOENT)
		return 0;
	if (r && r != -EXDEV)
		return r;
	attachment_label(&attachment, name, r == -EXDEV);
	return listing->visit(&attachment, path, listing->context);
}

static int links_each(struct listing listing)
{
	char path[PIN_PATH];
	int r = pins_each(links_path(listing.instance, path), list_one, &listing);

	return r == -ENOENT ? 0 : r;
}

struct visitor {
	const struct dataplane *dataplane;
	int (*visit)(const struct attachment *attachment, void *context);
	void *context;
};

/* The kernel tells the tag of a program that is not in hand to CAP_SYS_ADMIN alone. */
static int visit_tagged(const struct attachment *found, const char *path, void *context)
{
	const struct visitor *visitor = context;
	const struct dataplane *dataplane = visitor->dataplane;
	struct attachment attachment = *found;

	(void)path;
	if (attachment.program == dataplane->prog_id)
		memcpy(attachment.tag, dataplane->tag, sizeof attachment.tag);
	else if (attachment.program == dataplane->prog_frags_id)
		memcpy(attachment.tag, dataplane->frags_tag, sizeof attachment.tag);
	return visitor->visit(&attachment, visitor->context);
}

int dataplane_attachments(struct dataplane *dataplane, int (*visit)(const struct attachment *, void *),
			  void *context)
{
	struct visitor visitor = {.dataplane = dataplane, .visit = visit, .context = context};
	int r = links_each((struct listing){dataplane->instance, visit_tagged, &visitor});

	if (!r)
		r = links_unpinned(dataplane, visit, context);
	return r ?: share_list(dataplane->instance, visit, context);
}

bool attachment_answers_to(const struct attachment *attachment, const char *interface)
{
	if (!attachment->elsewhere && !strcmp(attachment->interface, interface))
		return true;
	return !strcmp(attachment->pinned, interface) &&
	       (attachment->elsewhere || !if_nametoindex(interface));
}

struct search {
	const char *interface;
	struct attachment found;
	char path[PIN_PATH];
};

static int match_link(const struct attachment *attachment, const char *path, void *context)
{
	struct search *search = context;

	if (!attachment_answers_to(attachment, search->interface))
		return 0;
	search->found = *attachment;
	memcpy(search->path, path, sizeof search->path);
	return 1;
}

/* 1: found; 0: no pinned link is the interface's; or a negative errno. */
static int link_search(const char *instance, struct search *search)
{
	return links_each((struct listing){instance, match_link, search});
}

struct census {
	uint32_t ifindex;
	unsigned int count;
};

static int count_one(const struct attachment *attachment, void *context)
{
	struct census *census = context;

	census->ifindex = attachment->elsewhere ? 0 : attachment->ifindex;
	census->count++;
	return 0;
}

uint32_t attachment_only(struct dataplane *dataplane)
{
	struct census census = {};

	if (dataplane_attachments(dataplane, count_one, &census))
		return 0;
	return census.count == 1 ? census.ifindex : 0;
}

static bool is_ours(const struct dataplane *dataplane, const struct attachment *attachment)
{
	return attachment->program == dataplane->prog_id || attachment->program == dataplane->prog_frags_id;
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
	struct search search = {.interface = interface};
	int r = link_search(dataplane->instance, &search);

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
	if (mode == MODE_AUTO || (mode == MODE_GENERIC) == search.found.generic) {
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
	r = pins_make_directory(links_path(dataplane->instance, path));
	if (r)
		return pins_refuse(r, path, refusal);
	r = xdp_attach(interface, dataplane->prog, dataplane->prog_frags, mode,
		       link_new_path(dataplane->instance, interface, path), refusal);
	return r ?: links_hold(dataplane);
}

int dataplane_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode, bool share,
		     struct refusal *refusal)
{
	uint32_t ifindex = if_nametoindex(interface);
	int r = interface_suitable(interface, refusal);

	if (r)
		return r;
	r = dataplane_refresh(dataplane); /* another process may have upgraded them */
	if (r)
		return refuse(refusal, r, "the pinned programs cannot be opened: %s", strerror(-r));
	/* Until it is known to be the only one, what goes out must look where it came in. */
	if (dataplane->only != ifindex)
		links_mark_only_ingress(dataplane, 0);
	if (share)
		r = share_attach(dataplane, interface, mode, refusal);
	else
		r = attach_exclusively(dataplane, interface, mode, refusal);
	links_mark_only_ingress(dataplane, attachment_only(dataplane));
	dataplane_know_macs(dataplane);
	return r;
}

/* Every link that answers to the name. */
static int links_detach(const char *instance, const char *interface)
{
	struct search search = {.interface = interface};
	int found, r = 0;
	bool any = false;

	while (!r && (found = link_search(instance, &search)) > 0) {
		any = true;
		r = xdp_detach(search.path);
	}
	return r ?: found < 0 ? found : any ? 0 : -ENOENT;
}

int dataplane_detach(struct dataplane *dataplane, const char *interface, struct refusal *refusal)
{
	int r = links_detach(dataplane->instance, interface);

	if (r == -ENOENT)
		r = links_let_go(dataplane, interface);
	if (r == -ENOENT)
		r = share_detach(dataplane->instance, interface);
	if (r && r != -ENOENT)
		return refuse(refusal, r, "%s cannot be detached: %s", interface, strerror(-r));
	packets_wait(); /* one that came in there must not be sent back by the interface that is left */
	links_mark_only_ingress(dataplane, attachment_only(dataplane));
	dataplane_know_macs(dataplane);
	if (orphan_wait(dataplane, interface, refusal))
		return -EBUSY;
	if (r)
		refuse(refusal, r, "instance %s is not attached to %s", dataplane->instance, interface);
	return r;
}

static int detach_one(const struct attachment *attachment, const char *path, void *context)
{
	int r = xdp_detach(path);

	(void)attachment;
	(void)context;
	return r == -ENOENT ? 0 : r;
}

int links_detach_all(const char *instance)
{
	char name[NAME_SIZE];
	int r;

	snprintf(name, sizeof name, "%s", instance);
	r = links_each((struct listing){name, detach_one, NULL});
	return r ?: share_detach_all(name);
}

static int any_link(const struct attachment *attachment, const char *path, void *context)
{
	(void)attachment;
	(void)path;
	(void)context;
	return 1;
}

static int any_share(const struct attachment *attachment, void *context)
{
	return any_link(attachment, NULL, context);
}

int attachments_any(const char *instance)
{
	int r = links_each((struct listing){instance, any_link, NULL});

	return r ?: share_list(instance, any_share, NULL);
}
