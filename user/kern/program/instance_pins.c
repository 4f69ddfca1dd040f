// SPDX-License-Identifier: Apache-2.0
/* The pins of one instance: its maps and programs. */
#include "instance_pins.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "kern/base/object.h"
#include "kern/base/pins.h"
#include "kern/maps/state.h"
#include "load.h"

static const char *map_path(const struct dataplane *dataplane, int map, char path[PIN_PATH])
{
	char what[PIN_NAME];

	snprintf(what, sizeof what, "maps/%s", map_kinds[map].name);
	return instance_path(dataplane->instance, what, path);
}

int instance_pins_open(struct dataplane *dataplane, bool *ret_maps)
{
	char path[PIN_PATH];
	int missing = 0;

	for (int i = 0; i < MAP_COUNT; i++) {
		dataplane->maps[i].fd = pin_get(map_path(dataplane, i, path));
		if (dataplane->maps[i].fd < 0 && dataplane->maps[i].fd != -ENOENT)
			return dataplane->maps[i].fd;
		missing += dataplane->maps[i].fd < 0;
	}
	*ret_maps = !missing;
	dataplane->prog = pin_get(instance_path(dataplane->instance, "prog", path));
	dataplane->prog_frags = pin_get(instance_path(dataplane->instance, "prog_frags", path));
	missing += (dataplane->prog < 0) + (dataplane->prog_frags < 0);
	return missing ? -ENOENT : 0;
}

void instance_pins_close(struct dataplane *dataplane)
{
	maps_close(dataplane);
	descriptor_close(&dataplane->prog);
	descriptor_close(&dataplane->prog_frags);
}

int instance_pins_keep(const struct dataplane *dataplane, int (*keep)(int fd, const char *path),
		       char path[PIN_PATH])
{
	int made = 0, r = pins_make_directory(instance_path(dataplane->instance, "maps", path));

	for (int i = 0; r >= 0 && i < MAP_COUNT; i++) {
		if (dataplane->maps[i].fd < 0)
			continue;
		r = keep(dataplane->maps[i].fd, map_path(dataplane, i, path));
		made += r > 0;
	}
	if (r >= 0) {
		r = keep(dataplane->prog, instance_path(dataplane->instance, "prog", path));
		made += r > 0;
	}
	if (r >= 0) {
		r = keep(dataplane->prog_frags, instance_path(dataplane->instance, "prog_frags", path));
		made += r > 0;
	}
	return r < 0 ? r : made;
}

int instance_pins_put(const struct dataplane *dataplane, struct refusal *refusal)
{
	char path[PIN_PATH];
	int r = instance_pins_keep(dataplane, pin_put, path);

	return r < 0 ? pins_refuse(r, path, refusal) : 0;
}

int control_peek(int fd, struct hf_control *ret)
{
	struct bpf_map_info info;
	uint32_t zero = 0;
	void *value;
	int r = 0;

	if (fd < 0 || object_info(fd, &info, sizeof info))
		return fd < 0 ? -EBADF : -errno;
	value = calloc(1, info.value_size + sizeof *ret);
	if (!value)
		return -ENOMEM;
	if (bpf_map_lookup_elem(fd, &zero, value))
		r = -errno;
	else
		memcpy(ret, value, sizeof *ret);
	free(value);
	return r;
}

int control_stamp(struct dataplane *dataplane)
{
	/* Where clients knew the seed, they could choose which entries of the flow table they fill. */
	while (!dataplane->control->flow_seed) {
		if (getrandom(&dataplane->control->flow_seed, sizeof dataplane->control->flow_seed, 0) < 0)
			return -errno;
	}
	dataplane->control->abi = HF_ABI_VERSION;
	dataplane->control->reserved[CONTROL_DIGEST] = object_digest();
	return 0;
}

int dataplane_refresh(struct dataplane *dataplane)
{
	char path[PIN_PATH];
	int prog, frags;

	prog = pin_get(instance_path(dataplane->instance, "prog", path));
	if (prog < 0)
		return prog;
	frags = pin_get(instance_path(dataplane->instance, "prog_frags", path));
	if (frags < 0) {
		close(prog);
		return frags;
	}
	close(dataplane->prog);
	close(dataplane->prog_frags);
	dataplane->prog = prog;
	dataplane->prog_frags = frags;
	dataplane->changes++; /* packets under way still run the program before */
	programs_describe(dataplane);
	return 0;
}
