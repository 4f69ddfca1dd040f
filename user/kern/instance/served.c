// SPDX-License-Identifier: Apache-2.0
/* What an instance's pins serve, looked at without opening them for a change. */
#include <bpf/bpf.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kern/base/pins.h"
#include "kern/base/object.h"
#include "kern/maps/state.h"
#include "kern/program/instance_pins.h"
#include "lifecycle.h"

/* One service may have many entries, for its prefixes of ports: they bear its number. */
static int services_count(int fd, uint64_t directory, uint32_t *ret)
{
	uint32_t at = hf_directory_first(directory), count = 0;
	uint32_t end = at + (1U << (hf_directory_log2(directory) & 0x1f));
	bool *seen = calloc(UINT16_MAX + 1, sizeof *seen);
	struct hf_service entry;

	if (!seen)
		return -ENOMEM;
	for (; directory && at < end && !bpf_map_lookup_elem(fd, &at, &entry); at++) {
		if (!entry.key.proto || entry.key.proto == HF_PROTO_VIP || seen[entry.number])
			continue;
		seen[entry.number] = true;
		count++;
	}
	free(seen);
	*ret = count;
	return 0;
}

static void pools_look(int fd, struct served *ret)
{
	uint64_t word;

	for (uint32_t i = 0; i < HF_MAX_POOLS && !bpf_map_lookup_elem(fd, &i, &word); i++) {
		uint32_t generation = word >> 32;

		if (!(uint32_t)word)
			continue;
		ret->pools++;
		if (generation > ret->generation)
			ret->generation = generation;
	}
}

static bool has_entries_of(int fd, uint32_t size)
{
	struct bpf_map_info info;

	return fd >= 0 && !object_info(fd, &info, sizeof info) && info.value_size == size;
}

static int count_link(const char *name, void *context)
{
	struct served *served = context;

	(void)name;
	served->interfaces++;
	return 0;
}

static int links_count(const char *instance, struct served *ret)
{
	static const char *const directories[] = {"links", "shared"};
	char path[PIN_PATH];

	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
		int r = pins_each(instance_path(instance, directories[i], path), count_link, ret);

		if (r && r != -ENOENT)
			return r;
	}
	return 0;
}

int dataplane_served(const char *instance, struct served *ret, struct refusal *refusal)
{
	struct served served = {};
	struct dataplane *pins;
	struct hf_control control;
	bool whole;
	int r = dataplane_new(instance, false, &pins, refusal);

	if (r)
		return r;
	r = instance_pins_open(pins, &whole);
	if (r == -ENOENT)
		r = 0;
	if (!r && has_entries_of(pins->maps[MAP_SERVICES].fd, sizeof(struct hf_service)) &&
	    !control_peek(pins->maps[MAP_CONTROL].fd, &control))
		r = services_count(pins->maps[MAP_SERVICES].fd, control.services, &served.services);
	if (has_entries_of(pins->maps[MAP_POOLS].fd, sizeof(uint64_t)))
		pools_look(pins->maps[MAP_POOLS].fd, &served);
	if (!r)
		r = links_count(instance, &served);
	dataplane_close(pins);
	if (r)
		return refuse(refusal, r, "the pins of instance %s cannot be read: %s", instance,
			      strerror(-r));
	*ret = served;
	return 0;
}
