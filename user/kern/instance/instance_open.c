// SPDX-License-Identifier: Apache-2.0
/* Opening an instance: its pins are adopted, upgraded, or made. */
#include "lifecycle.h"

#include <errno.h>
#include <string.h>
#include "attachments.h"
#include "kern/base/object.h"
#include "kern/base/pins.h"
#include "kern/maps/state.h"
#include "kern/program/held_links.h"
#include "kern/program/instance_pins.h"
#include "kern/program/load.h"
#include "kern/program/program_upgrade.h"

/* oldest: the oldest layout that will do. Who writes needs programs that read what it writes. */
static int layout_check(const struct dataplane *dataplane, const struct dataplane_limits *limits,
			uint32_t oldest, struct refusal *refusal)
{
	const struct {
		int map;
		uint32_t wanted;
	} sizes[] = {
		{MAP_SLOTS, limits->slots},
		{MAP_HOPS, limits->hops},
		{MAP_FLOWS, limits->flows},
		{MAP_COUNTERS, limits->counters},
	};
	uint32_t abi = dataplane->control->abi;

	if (abi < oldest || abi > HF_ABI_VERSION) {
		refuse(refusal, 0, "the pins of instance %s have layout %u, this program knows %u",
		       dataplane->instance, abi, HF_ABI_VERSION);
		refusal_right(refusal, "the version of holdfastd that made them, or remove " PINS "/%s",
			      dataplane->instance);
		return -EPROTO;
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		uint32_t entries = dataplane->maps[sizes[i].map].entries;

		if (!sizes[i].wanted || sizes[i].wanted == entries)
			continue;
		refuse(refusal, 0, "instance %s has room for %u %s, not %u", dataplane->instance, entries,
		       map_kinds[sizes[i].map].name, sizes[i].wanted);
		refusal_right(refusal,
			      "its size is fixed while it is loaded: leave it, or detach and remove " PINS
			      "/%s",
			      dataplane->instance);
		return -EPROTO;
	}
	return 0;
}

/* Loads programs, on the pinned maps if they are all there (whole: they are), and pins everything. */
static int dataplane_load(struct dataplane *dataplane, bool whole, const struct dataplane_limits *limits,
			  struct refusal *refusal)
{
	int r;

	dataplane->new = !whole;
	if (!whole)
		instance_pins_close(dataplane);
	r = programs_load(dataplane, limits, refusal);
	if (!r && !whole)
		r = maps_memory_map(dataplane, refusal);
	if (r)
		return r;
	r = control_stamp(dataplane);
	return r ?: instance_pins_put(dataplane, refusal);
}

/* What every open instance knows, however it came to be. */
static int dataplane_learn(struct dataplane *dataplane, struct refusal *refusal)
{
	int r = programs_describe(dataplane);

	dataplane->only = attachment_only(dataplane);
	if (!r)
		r = links_hold(dataplane);
	return r ?: ranges_derive(dataplane, refusal);
}

/* Pins of another build are upgraded before they are adopted. Where that is refused they may still fit. */
static int pins_open_upgraded(struct dataplane *dataplane, bool *ret_whole)
{
	struct hf_control control;
	char tag[sizeof dataplane->tag] = "";
	uint32_t id;
	int r = instance_pins_open(dataplane, ret_whole);

	if (dataplane->prog < 0 || control_peek(dataplane->maps[MAP_CONTROL].fd, &control) ||
	    control.reserved[CONTROL_DIGEST] == object_digest())
		return r;
	program_describe(dataplane->prog, &id, tag);
	instance_pins_close(dataplane);
	if (dataplane_upgrade(dataplane->instance, NULL) >= 0)
		memcpy(dataplane->replaced, tag, sizeof tag);
	return instance_pins_open(dataplane, ret_whole);
}

static int open_or_load(struct dataplane *dataplane, const struct dataplane_limits *limits,
			struct refusal *refusal)
{
	bool whole = false;
	int r = pins_open_upgraded(dataplane, &whole);

	if (r && r != -ENOENT)
		return refuse(refusal, r, "the pins of instance %s cannot be opened: %s", dataplane->instance,
			      strerror(-r));
	dataplane->adopted = !r;
	if (whole) {
		int fits = maps_memory_map(dataplane, refusal);

		if (fits || (fits = layout_check(dataplane, limits, HF_ABI_VERSION, refusal)))
			return fits;
	}
	return r ? dataplane_load(dataplane, whole, limits, refusal) : 0;
}

int dataplane_open(const char *instance, const struct dataplane_limits *limits, struct dataplane **ret,
		   struct refusal *refusal)
{
	const struct dataplane_limits defaults = {};
	struct dataplane *dataplane;
	int r = dataplane_new(instance, true, &dataplane, refusal);

	if (r)
		return r;
	r = pins_mount(refusal);
	if (!r)
		r = open_or_load(dataplane, limits ?: &defaults, refusal);
	if (!r)
		r = dataplane_learn(dataplane, refusal);
	if (r)
		dataplane_close(dataplane);
	else
		*ret = dataplane;
	return r;
}

int dataplane_inspect(const char *instance, struct dataplane **ret, struct refusal *refusal)
{
	const struct dataplane_limits any = {};
	struct dataplane *dataplane;
	bool whole;
	int r = dataplane_new(instance, false, &dataplane, refusal);

	if (r)
		return r;
	r = instance_pins_open(dataplane, &whole);
	if (r)
		refuse(refusal, 0, "instance %s has no complete set of pins: %s", instance, strerror(-r));
	else
		r = maps_memory_map(dataplane, refusal);
	if (!r)
		r = layout_check(dataplane, &any, HF_ABI_OLDEST, refusal);
	if (!r)
		r = dataplane_learn(dataplane, refusal);
	dataplane->adopted = true;
	if (r)
		dataplane_close(dataplane);
	else
		*ret = dataplane;
	return r;
}
