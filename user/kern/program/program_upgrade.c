// SPDX-License-Identifier: Apache-2.0
/*
 * The upgrade: the programs of this build in the place of those that carry traffic, each attachment switched
 * by one bpf_link_update. Maps whose layout is the same stay; one whose entries have grown at their ends, or
 * have become more, is copied; anything else is refused. Nothing that is pinned or attached changes before
 * all that may be refused has been tried.
 */
#include "program_upgrade.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "dispatcher.h"
#include "held_links.h"
#include "instance_pins.h"
#include "kern/base/object.h"
#include "kern/maps/state.h"
#include "load.h"

static int abi_check(const struct dataplane *dataplane, struct refusal *refusal)
{
	struct hf_control control = {};
	int r = control_peek(dataplane->maps[MAP_CONTROL].fd, &control);

	if (r)
		return r;
	if (control.abi >= HF_ABI_OLDEST && control.abi <= HF_ABI_VERSION)
		return 0;
	refuse(refusal, 0, "instance %s has layout %u, and this version knows %u to %u alone",
	       dataplane->instance, control.abi, HF_ABI_OLDEST, HF_ABI_VERSION);
	refusal_right(refusal,
		      "the version that loaded it, or: detach, remove the instance's pins, start again");
	return -EPROTO;
}

/* From the programs of one set of pins to those of another; and back the same way. */
struct switching {
	const struct dataplane *from, *to;
	const struct held_link *links; /* as they were at the beginning: a pin may be removed meanwhile */
	bool back; /* an undo: whatever runs neither of from's programs was not reached, and stays as it is */
	struct refusal *refusal;
};

/* One that an earlier set of pins had, after an upgrade that was cut short, gets the form that its driver
 * takes. */
static int link_update(int link, uint32_t program, const struct switching *switching)
{
	const struct dataplane *from = switching->from, *to = switching->to;
	bool linear = program == from->prog_id, frags = program == from->prog_frags_id;

	if (switching->back && !linear && !frags)
		return 0;
	if (!frags && !bpf_link_update(link, to->prog, NULL))
		return 0;
	if (!linear && !bpf_link_update(link, to->prog_frags, NULL))
		return 0;
	return -errno;
}

/* Links run one of two programs; each is replaced by its like. */
static int link_switch(const struct held_link *link, const struct switching *switching)
{
	struct bpf_link_info info;
	int r = 0;

	if (object_info(link->fd, &info, sizeof info))
		r = -errno;
	else if (info.xdp.ifindex)
		r = link_update(link->fd, info.prog_id, switching);
	if (!r)
		return 0;
	refuse(switching->refusal, r, "the program of link %s cannot be replaced: %s", link->pinned,
	       strerror(-r));
	return switching->back ? 0 : r; /* an undo goes on to the other links */
}

static int links_switch(const struct switching *switching)
{
	int r = 0;

	for (size_t i = 0; !r && i < HF_MAX_LINKS; i++) {
		if (switching->links[i].id)
			r = link_switch(&switching->links[i], switching);
	}
	return r;
}

/*
 * The stamp comes last: who finds it missing does the upgrade again. Whatever fails before is undone, so that
 * links and pins name one set of programs and maps.
 */
static int switch_over(struct dataplane *new, const struct dataplane *old, struct refusal *refusal)
{
	struct switching forth = {.from = old, .to = new, .links = old->held, .refusal = refusal};
	struct switching back = {.from = new, .to = old, .links = old->held, .back = true};
	int r = links_switch(&forth);

	if (!r)
		r = dispatcher_upgrade(new, refusal);
	if (!r)
		r = instance_pins_put(new, refusal);
	if (!r)
		r = control_stamp(new);
	if (!r)
		return 0;
	links_switch(&back);
	instance_pins_put(old, NULL);
	return r;
}

/* All that may be refused, without touching what carries traffic. Returns how many maps were replaced. */
static int upgrade_prepare(struct dataplane *dataplane, struct refusal *refusal)
{
	const struct dataplane_limits as_they_are = {};
	int replaced, r = abi_check(dataplane, refusal);

	if (!r)
		r = selftest_run(refusal);
	if (r)
		return r;
	replaced = maps_migrate(dataplane, refusal);
	if (replaced < 0)
		return replaced;
	r = programs_load(dataplane, &as_they_are, refusal);
	if (!r)
		r = programs_describe(dataplane);
	if (!r)
		r = maps_memory_map(dataplane, refusal);
	return r ?: replaced;
}

/* What is pinned, with descriptors of its own: the way back. */
static int open_pinned(const char *instance, struct dataplane **ret, struct refusal *refusal)
{
	struct dataplane *dataplane;
	bool whole;
	int r = dataplane_new(instance, true, &dataplane, refusal);

	if (r)
		return r;
	r = instance_pins_open(dataplane, &whole);
	if (r == -ENOENT && dataplane->maps[MAP_CONTROL].fd >= 0 && dataplane->prog >= 0 &&
	    dataplane->prog_frags >= 0)
		r = 0;
	if (r == -ENOENT) {
		refuse(refusal, 0, "instance %s is not loaded, or not whole", instance);
		refusal_right(refusal, "start holdfastd: it loads what is missing");
	} else if (r) {
		refuse(refusal, 0, "the pins of instance %s cannot be opened: %s", instance, strerror(-r));
	}
	if (!r)
		r = programs_describe(dataplane);
	if (r)
		dataplane_close(dataplane);
	else
		*ret = dataplane;
	return r;
}

int dataplane_upgrade(const char *instance, struct refusal *refusal)
{
	struct dataplane *old = NULL, *new = NULL;
	int replaced = 0, r = open_pinned(instance, &old, refusal);

	if (!r)
		r = links_hold(old);
	if (!r)
		r = open_pinned(instance, &new, refusal);
	if (!r) {
		descriptor_close(&new->prog);
		descriptor_close(&new->prog_frags);
		replaced = upgrade_prepare(new, refusal);
		r = replaced < 0 ? replaced : switch_over(new, old, refusal);
	}
	dataplane_close(new);
	dataplane_close(old);
	return r ?: replaced > 0;
}
