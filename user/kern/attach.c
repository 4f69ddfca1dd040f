// SPDX-License-Identifier: Apache-2.0
/* Which interfaces an instance is attached to: one pinned link each. */
#include "attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "pins.h"
#include "share.h"
#include "state.h"

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

struct listing {
	const struct dataplane *dataplane;
	int (*visit)(const struct attachment *attachment, void *context);
	void *context;
};

static int list_one(const char *pinned, void *context)
{
	const struct listing *listing = context;
	const struct dataplane *dataplane = listing->dataplane;
	struct attachment attachment;
	char path[PIN_PATH], name[PIN_NAME];
	int r;

	link_path(dataplane->instance, pin_decode(pinned, name), path);
	r = xdp_attachment(path, &attachment);
	if (r == -ENODEV)
		return unlink(path) && errno != ENOENT ? -errno : 0;
	if (r)
		return r == -EXDEV || r == -ENOENT ? 0 : r;
	/* The kernel tells the tag of a program that is not in hand to CAP_SYS_ADMIN alone. */
	if (attachment.program == dataplane->prog_id)
		memcpy(attachment.tag, dataplane->tag, sizeof attachment.tag);
	else if (attachment.program == dataplane->prog_frags_id)
		memcpy(attachment.tag, dataplane->frags_tag, sizeof attachment.tag);
	return listing->visit(&attachment, listing->context);
}

int dataplane_attachments(struct dataplane *dataplane, int (*visit)(const struct attachment *, void *),
			  void *context)
{
	struct listing listing = {.dataplane = dataplane, .visit = visit, .context = context};
	char path[PIN_PATH];
	int r = pins_each(links_path(dataplane->instance, path), list_one, &listing);

	if (r && r != -ENOENT)
		return r;
	return share_list(dataplane->instance, visit, context);
}

struct census {
	uint32_t ifindex;
	unsigned int count;
};

static int count_one(const struct attachment *attachment, void *context)
{
	struct census *census = context;

	census->ifindex = attachment->ifindex;
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
static int attached_already(const struct dataplane *dataplane, const char *interface, const char *path,
			    enum interface_mode mode, struct refusal *refusal)
{
	struct attachment attachment;
	int r = xdp_attachment(path, &attachment);

	if (r == -EXDEV) {
		refuse(refusal, 0, "instance %s is attached to an interface %s of another network namespace",
		       dataplane->instance, interface);
		refusal_right(refusal, "an instance of its own for each network namespace: --instance NAME");
		return -EBUSY;
	}
	if (r == -ENOENT)
		return 0;
	if (r && r != -ENODEV)
		return refuse(refusal, r, "the attachment of %s cannot be read: %s", interface, strerror(-r));
	if (!r && attachment.ifindex == if_nametoindex(interface) &&
	    (mode == MODE_AUTO || (mode == MODE_GENERIC) == attachment.generic)) {
		if (!is_ours(dataplane, &attachment))
			r = link_take_over(dataplane, path, refusal);
		return r ?: 1;
	}
	r = xdp_detach(path);
	return r && r != -ENOENT ? r : 0;
}

static int attach_alone(struct dataplane *dataplane, const char *interface, enum interface_mode mode,
			struct refusal *refusal)
{
	char path[PIN_PATH];
	int link, r;

	r = attached_already(dataplane, interface, link_path(dataplane->instance, interface, path), mode,
			     refusal);
	if (r)
		return r < 0 ? r : 0;
	r = pins_make_directory(links_path(dataplane->instance, path));
	if (r)
		return refuse(refusal, r, "%s cannot be made: %s", path, strerror(-r));
	r = xdp_attach(interface, dataplane->prog, dataplane->prog_frags, mode, &link, refusal);
	if (r)
		return r;
	r = pin_put(link, link_path(dataplane->instance, interface, path));
	if (r)
		refuse(refusal, 0, "%s cannot be pinned: %s", path, strerror(-r));
	close(link); /* unpinned, it is detached by that */
	return r;
}

int dataplane_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode, bool share,
		     struct refusal *refusal)
{
	uint32_t ifindex = if_nametoindex(interface);
	int r;

	if (!ifindex)
		return refuse(refusal, -ENODEV, "there is no interface %s in this network namespace",
			      interface);
	r = dataplane_refresh(dataplane); /* another process may have upgraded them */
	if (r)
		return refuse(refusal, r, "the pinned programs cannot be opened: %s", strerror(-r));
	/* Until it is known to be the only one, what goes out must look where it came in. */
	if (dataplane->only != ifindex)
		links_mark_only_ingress(dataplane, 0);
	if (share)
		r = share_attach(dataplane, interface, mode, refusal);
	else
		r = attach_alone(dataplane, interface, mode, refusal);
	links_mark_only_ingress(dataplane, attachment_only(dataplane));
	return r;
}

int dataplane_detach(struct dataplane *dataplane, const char *interface, struct refusal *refusal)
{
	char path[PIN_PATH];
	int r = xdp_detach(link_path(dataplane->instance, interface, path));

	if (r == -ENOENT)
		r = share_detach(dataplane->instance, interface);
	if (r == -ENOENT)
		return refuse(refusal, r, "instance %s is not attached to %s", dataplane->instance,
			      interface);
	if (r)
		return refuse(refusal, r, "%s cannot be detached: %s", interface, strerror(-r));
	packets_wait(); /* one that came in there must not be sent back by the interface that is left */
	links_mark_only_ingress(dataplane, attachment_only(dataplane));
	return 0;
}

static int detach_one(const char *pinned, void *context)
{
	char path[PIN_PATH], name[PIN_NAME];
	int r = xdp_detach(link_path(context, pin_decode(pinned, name), path));

	return r == -ENOENT ? 0 : r;
}

int links_detach_all(const char *instance)
{
	char path[PIN_PATH], name[NAME_SIZE];
	int r;

	snprintf(name, sizeof name, "%s", instance);
	r = pins_each(links_path(name, path), detach_one, name);
	return r && r != -ENOENT ? r : share_detach_all(name);
}
