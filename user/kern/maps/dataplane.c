// SPDX-License-Identifier: Apache-2.0
/* An instance as this process has it: its descriptors, its memory, and what it knows of itself. */
#include "state.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kern/base/object.h"

int instance_check(const char *instance, struct refusal *refusal)
{
	size_t length = strlen(instance);
	bool good = length && length < NAME_SIZE && isalnum((unsigned char)instance[0]);

	for (const char *c = instance; *c; c++)
		good = good && (isalnum((unsigned char)*c) || strchr("-_.", *c));
	if (good && strcmp(instance, "receiver")) /* whose pins lie beside the instances' */
		return 0;
	refuse(refusal, 0, "\"%.64s\" cannot be the name of an instance", instance);
	refusal_right(
		refusal,
		"letters, digits, '-', '_' and '.', 63 at most, first a letter or digit; not \"receiver\"");
	return -EINVAL;
}

int dataplane_new(const char *instance, bool writable, struct dataplane **ret, struct refusal *refusal)
{
	struct dataplane *dataplane;
	int r = instance_check(instance, refusal);

	if (r)
		return r;
	dataplane = calloc(1, sizeof *dataplane);
	if (!dataplane)
		return -ENOMEM;
	snprintf(dataplane->instance, sizeof dataplane->instance, "%s", instance);
	dataplane->writable = writable;
	dataplane->changes = 1; /* whoever had it before may have changed it just now */
	dataplane->prog = dataplane->prog_frags = -1;
	dataplane->observer = (struct observer){-1, -1};
	maps_init(dataplane);
	*ret = dataplane;
	return 0;
}

void held_link_release(struct held_link *held)
{
	if (held->id)
		close(held->fd);
	*held = (struct held_link){};
}

void dataplane_close(struct dataplane *dataplane)
{
	if (!dataplane)
		return;
	for (size_t i = 0; i < HF_MAX_LINKS; i++)
		held_link_release(&dataplane->held[i]);
	maps_close(dataplane);
	descriptor_close(&dataplane->prog);
	descriptor_close(&dataplane->prog_frags);
	descriptor_close(&dataplane->observer.prog);
	descriptor_close(&dataplane->observer.observation);
	ranges_close(dataplane->slot_ranges);
	ranges_close(dataplane->table_ranges);
	ranges_close(dataplane->service_ranges);
	hops_store_close(dataplane->hops_store);
	free(dataplane);
}

bool dataplane_adopted(const struct dataplane *dataplane)
{
	return dataplane->adopted;
}

const char *dataplane_replaced(const struct dataplane *dataplane)
{
	return dataplane->replaced[0] ? dataplane->replaced : NULL;
}

bool dataplane_is_new(const struct dataplane *dataplane)
{
	return dataplane->new;
}

void dataplane_forgot(struct dataplane *dataplane, uint32_t when)
{
	dataplane->control->reserved[CONTROL_FORGOT] = when;
}

uint32_t dataplane_forgotten(const struct dataplane *dataplane)
{
	return (uint32_t)dataplane->control->reserved[CONTROL_FORGOT];
}

const char *dataplane_program_tag(const struct dataplane *dataplane)
{
	return dataplane->tag;
}
