// SPDX-License-Identifier: Apache-2.0
/* What an instance is attached to: one pinned link each, besides what the dispatcher runs. */
#include "attachments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kern/base/pins.h"
#include "kern/maps/state.h"
#include "kern/program/dispatcher.h"
#include "kern/program/held_links.h"
#include "kern/xdp/gro.h"

const char *link_path(const char *instance, const char *interface, char path[PIN_PATH])
{
	char name[PIN_NAME], link[PIN_NAME];

	return pin_path(path, "%s/links/%s", pin_encode(instance, name), pin_encode(interface, link));
}

/* One pin of a link: visited with what the kernel says of it now. */
struct listing {
	const char *instance;
	int (*visit)(const struct attachment *attachment, const char *path, void *context);
	void *context;
};

static int list_link(const char *pinned, void *context)
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
	int r = pins_each(instance_path(listing.instance, "links", path), list_link, &listing);

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
	return r ?: dispatcher_list(dataplane->instance, visit, context);
}

struct only {
	uint32_t ifindex;
	unsigned int count;
};

static int count_one(const struct attachment *attachment, void *context)
{
	struct only *only = context;

	only->ifindex = attachment->elsewhere ? 0 : attachment->ifindex;
	only->count++;
	return 0;
}

uint32_t attachment_only(struct dataplane *dataplane)
{
	struct only only = {};

	if (dataplane_attachments(dataplane, count_one, &only))
		return 0;
	return only.count == 1 ? only.ifindex : 0;
}

static int match_link(const struct attachment *attachment, const char *path, void *context)
{
	struct link_search *search = context;

	if (!attachment_answers_to(attachment, search->interface))
		return 0;
	search->found = *attachment;
	memcpy(search->path, path, sizeof search->path);
	return 1;
}

int link_find_pinned(const char *instance, struct link_search *search)
{
	return links_each((struct listing){instance, match_link, search});
}

static int detach_link(const struct attachment *attachment, const char *path, void *context)
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
	r = links_each((struct listing){name, detach_link, NULL});
	return r ?: dispatcher_detach_all(name);
}

static int any_link(const struct attachment *attachment, const char *path, void *context)
{
	(void)attachment;
	(void)path;
	(void)context;
	return 1;
}

static int any_dispatched(const struct attachment *attachment, void *context)
{
	return any_link(attachment, NULL, context);
}

int attachments_any(const char *instance)
{
	int r = links_each((struct listing){instance, any_link, NULL});

	return r ?: dispatcher_list(instance, any_dispatched, NULL);
}
