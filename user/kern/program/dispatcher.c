// SPDX-License-Identifier: Apache-2.0
#include "dispatcher.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xdp/libxdp.h>
#include "kern/base/object.h"
#include "kern/base/pins.h"
#include "kern/maps/state.h"
#include "lb.skel.h"
#include "load.h"

/* libxdp prints why, and knows no context there: the last warning of the attempt under way. */
static char said[192];

static int overhear(enum libxdp_print_level level, const char *format, va_list args)
{
	if (level != LIBXDP_DEBUG) {
		vsnprintf(said, sizeof said, format, args);
		said[strcspn(said, "\n")] = '\0';
	}
	return 0;
}

static const char *dispatcher_path(const char *instance, const char *interface, char path[PIN_PATH])
{
	char name[PIN_NAME], pinned[PIN_NAME];

	return pin_path(path, "%s/shared%s%s", pin_encode(instance, name), interface ? "/" : "",
			interface ? pin_encode(interface, pinned) : "");
}

static enum xdp_attach_mode libxdp_mode(enum interface_mode mode)
{
	return mode == MODE_GENERIC ? XDP_MODE_SKB : XDP_MODE_NATIVE;
}

/* Where libxdp cannot share it attaches alone, which is not what was asked for. */
static bool is_shared(uint32_t ifindex)
{
	struct xdp_multiprog *all = xdp_multiprog__get_from_ifindex((int)ifindex);
	bool shared = !libxdp_get_error(all) && !xdp_multiprog__is_legacy(all);

	if (!libxdp_get_error(all))
		xdp_multiprog__close(all);
	return shared;
}

static int refuse_sharing(const char *interface, int error, struct refusal *refusal)
{
	refuse(refusal, 0, "%s cannot be shared with other programs: %s", interface,
	       said[0] ? said : strerror(-error));
	refusal_right(refusal,
		      "attach without --share; or a kernel that lets a dispatcher call programs which change "
		      "packets (6.1 does, 6.12 does not)");
	return error == -EPERM || error == -ENODEV ? error : -EOPNOTSUPP;
}

static int dispatcher_join(struct xdp_program *program, const char *interface, enum xdp_attach_mode mode,
			   const char *path, struct refusal *refusal)
{
	uint32_t ifindex = if_nametoindex(interface);
	int r;

	said[0] = '\0';
	r = xdp_program__attach(program, (int)ifindex, mode, 0);
	if (!r && !is_shared(ifindex)) {
		xdp_program__detach(program, (int)ifindex, mode, 0);
		r = -EOPNOTSUPP;
	}
	if (r)
		return refuse_sharing(interface, r, refusal);
	r = pin_put(xdp_program__fd(program), path);
	if (r) {
		xdp_program__detach(program, (int)ifindex, mode, 0);
		refuse(refusal, 0, "%s cannot be pinned: %s", path, strerror(-r));
	}
	return r;
}

/* Loads the program on the instance's maps, as an extension of libxdp's dispatcher, and joins. */
static int load_and_join(struct dataplane *dataplane, const char *interface, const char *path,
			 enum xdp_attach_mode mode, struct refusal *refusal)
{
	struct xdp_program *program;
	struct embedded embedded;
	int r = embedded_open(dataplane, &embedded);

	libxdp_set_print(overhear);
	if (!r)
		r = bpf_program__set_autoload(object_program(embedded.object->obj, "xdp.frags"), false);
	if (!r) {
		program = xdp_program__from_bpf_obj(embedded.object->obj, "xdp");
		r = (int)libxdp_get_error(program);
		if (!r) {
			r = dispatcher_join(program, interface, mode, path, refusal);
			xdp_program__close(program);
		}
	}
	embedded_close(&embedded);
	return r;
}

/* The interface that the program is attached to, by whatever name, or 0. */
static uint32_t attached_to(struct xdp_program *program, enum xdp_attach_mode *ret_mode)
{
	struct if_nameindex *all = if_nameindex();
	enum xdp_attach_mode mode = 0;
	uint32_t ifindex = 0;

	for (struct if_nameindex *each = all; !mode && each && each->if_index; each++) {
		ifindex = each->if_index;
		mode = xdp_program__is_attached(program, (int)ifindex);
	}
	if (all)
		if_freenameindex(all);
	*ret_mode = mode;
	return mode ? ifindex : 0;
}

/* An interface that went away took its dispatcher along. */
static int dispatcher_leave(struct xdp_program *program)
{
	enum xdp_attach_mode mode;
	uint32_t ifindex = attached_to(program, &mode);
	int r = ifindex ? xdp_program__detach(program, (int)ifindex, mode, 0) : 0;

	return r ?: attached_to(program, &mode) ? -EBUSY : 0;
}

struct search {
	const char *instance, *interface;
	char label[PIN_NAME];
};

static int match_present(const char *pinned, void *context)
{
	struct search *search = context;
	struct xdp_program *program;
	enum xdp_attach_mode mode;
	char path[PIN_PATH];
	uint32_t ifindex;

	program = xdp_program__from_pin(
		dispatcher_path(search->instance, pin_decode(pinned, search->label), path));
	if (libxdp_get_error(program))
		return 0;
	ifindex = attached_to(program, &mode);
	xdp_program__close(program);
	return ifindex && ifindex == if_nametoindex(search->interface);
}

/* By its present name, else by the one that it had when it was attached. */
static bool dispatcher_search(const char *instance, const char *interface, char path[PIN_PATH])
{
	struct search search = {.instance = instance, .interface = interface};

	if (pins_each(dispatcher_path(instance, NULL, path), match_present, &search) == 1) {
		dispatcher_path(instance, search.label, path);
		return true;
	}
	return !access(dispatcher_path(instance, interface, path), F_OK);
}

int dispatcher_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode,
		      struct refusal *refusal)
{
	char path[PIN_PATH];
	int r;

	if (dispatcher_search(dataplane->instance, interface, path) && is_shared(if_nametoindex(interface)))
		return 0;
	r = pins_make_directory(dispatcher_path(dataplane->instance, NULL, path));
	if (r)
		return refuse(refusal, r, "%s cannot be made: %s", path, strerror(-r));
	return load_and_join(dataplane, interface, dispatcher_path(dataplane->instance, interface, path),
			     libxdp_mode(mode), refusal);
}

int dispatcher_detach(const char *instance, const char *interface)
{
	char path[PIN_PATH];
	struct xdp_program *program;
	int r;

	if (!dispatcher_search(instance, interface, path))
		return -ENOENT;
	libxdp_set_print(overhear);
	program = xdp_program__from_pin(path);
	r = (int)libxdp_get_error(program);
	if (r)
		return r;
	r = dispatcher_leave(program);
	xdp_program__close(program);
	return r ?: unlink(path) ? -errno : 0;
}

struct walk {
	const char *instance;
	struct dataplane *dataplane;
	int (*visit)(const struct attachment *attachment, void *context);
	void *context;
	struct refusal *refusal;
};

static int detach_dispatched(const char *pinned, void *context)
{
	const struct walk *walk = context;
	char name[PIN_NAME];

	return dispatcher_detach(walk->instance, pin_decode(pinned, name));
}

static int dispatched_each(struct walk *walk, int (*visit)(const char *pinned, void *context))
{
	char path[PIN_PATH];
	int r = pins_each(dispatcher_path(walk->instance, NULL, path), visit, walk);

	return r == -ENOENT ? 0 : r;
}

int dispatcher_detach_all(const char *instance)
{
	return dispatched_each(&(struct walk){.instance = instance}, detach_dispatched);
}

static int list_dispatched(const char *pinned, void *context)
{
	const struct walk *walk = context;
	struct attachment attachment = {.shared = true};
	char path[PIN_PATH], name[PIN_NAME];
	struct xdp_program *program;
	enum xdp_attach_mode mode = 0;

	snprintf(attachment.pinned, sizeof attachment.pinned, "%.15s", pin_decode(pinned, name));
	program = xdp_program__from_pin(dispatcher_path(walk->instance, name, path));
	if (libxdp_get_error(program))
		return 0;
	attachment.program = xdp_program__id(program);
	program_describe(xdp_program__fd(program), &attachment.program, attachment.tag);
	attachment.ifindex = attached_to(program, &mode);
	attachment.generic = mode == XDP_MODE_SKB;
	xdp_program__close(program);
	/* Otherwise the interface is gone, or somebody took it out. */
	if (!mode || !if_indextoname(attachment.ifindex, attachment.interface))
		return unlink(path) && errno != ENOENT ? -errno : 0;
	return walk->visit(&attachment, walk->context);
}

int dispatcher_list(const char *instance, int (*visit)(const struct attachment *, void *), void *context)
{
	return dispatched_each(&(struct walk){.instance = instance, .visit = visit, .context = context},
			       list_dispatched);
}

static int upgrade_dispatched(const char *pinned, void *context)
{
	const struct walk *walk = context;
	char path[PIN_PATH], name[PIN_NAME], present[IF_NAMESIZE];
	struct xdp_program *old;
	enum xdp_attach_mode mode;
	uint32_t ifindex;
	int r;

	old = xdp_program__from_pin(dispatcher_path(walk->instance, pin_decode(pinned, name), path));
	if (libxdp_get_error(old))
		return (int)libxdp_get_error(old);
	ifindex = attached_to(old, &mode);
	r = ifindex && if_indextoname(ifindex, present)
		    ? load_and_join(walk->dataplane, present, path, mode, walk->refusal)
		    : 0;
	if (!r && ifindex)
		r = dispatcher_leave(old);
	xdp_program__close(old);
	return r;
}

int dispatcher_upgrade(struct dataplane *dataplane, struct refusal *refusal)
{
	return dispatched_each(
		&(struct walk){.instance = dataplane->instance, .dataplane = dataplane, .refusal = refusal},
		upgrade_dispatched);
}
