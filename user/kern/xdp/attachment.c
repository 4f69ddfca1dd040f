// SPDX-License-Identifier: Apache-2.0
/* What a link is attached to, what that is called, and its end. */
#include "attachment.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gro.h"
#include "kern/base/object.h"
#include "kern/base/pins.h"

void attachment_label(struct attachment *attachment, const char *pinned, bool elsewhere)
{
	attachment->elsewhere = elsewhere;
	snprintf(attachment->pinned, sizeof attachment->pinned, "%.15s", pinned);
	if (elsewhere)
		memcpy(attachment->interface, attachment->pinned, sizeof attachment->interface);
}

bool attachment_answers_to(const struct attachment *attachment, const char *interface)
{
	if (!attachment->elsewhere && !strcmp(attachment->interface, interface))
		return true;
	return !strcmp(attachment->pinned, interface) &&
	       (attachment->elsewhere || !if_nametoindex(interface));
}

static int program_tag(uint32_t id, char tag[17])
{
	int fd = bpf_prog_get_fd_by_id(id), r;

	if (fd < 0)
		return -errno;
	r = program_describe(fd, &id, tag);
	close(fd);
	return r;
}

int xdp_attachment_of(int link, struct attachment *ret)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	struct bpf_link_info info;
	struct attachment attachment = {};
	int r = 0;

	if (object_info(link, &info, sizeof info))
		return -errno;
	attachment.ifindex = info.xdp.ifindex;
	attachment.program = info.prog_id;
	attachment.link = info.id;
	program_tag(info.prog_id, attachment.tag);
	if (!info.xdp.ifindex)
		r = -ENODEV;
	/* In another network namespace the number may be that of another interface. */
	else if (bpf_xdp_query(info.xdp.ifindex, 0, &query) ||
		 !if_indextoname(info.xdp.ifindex, attachment.interface))
		r = -EXDEV;
	else if (query.drv_prog_id != info.prog_id && query.skb_prog_id != info.prog_id &&
		 query.prog_id != info.prog_id)
		r = -EXDEV;
	attachment.generic = query.attach_mode == XDP_ATTACHED_SKB || query.skb_prog_id == info.prog_id;
	*ret = attachment;
	return r;
}

int xdp_attachment(const char *path, struct attachment *ret)
{
	int link = pin_get(path), r;

	if (link < 0)
		return link;
	r = xdp_attachment_of(link, ret);
	close(link);
	return r;
}

/* Unpinning alone would detach some time later. -ENOLINK: its interface is gone already. */
static int link_detach(int link)
{
	struct bpf_link_info info;

	if (bpf_link_detach(link) && errno != ENOLINK)
		return -errno;
	/* The link itself says whether it holds an interface, in whatever network namespace and by whatever
	 * name. */
	if (object_info(link, &info, sizeof info))
		return -errno;
	return info.xdp.ifindex ? -EBUSY : 0;
}

int xdp_detach(const char *path)
{
	struct attachment attachment;
	int fd = pin_get(path), r;
	bool here;

	if (fd < 0)
		return fd;
	here = !xdp_attachment_of(fd, &attachment);
	r = link_detach(fd);
	close(fd);
	if (r)
		return r;
	gro_give_back(here ? attachment.interface : NULL, path);
	return unlink(path) ? -errno : 0;
}
