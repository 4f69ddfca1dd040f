// SPDX-License-Identifier: Apache-2.0
/* The end of an instance: what it made on this host is taken away. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "attachments.h"
#include "kern/base/pins.h"
#include "kern/maps/state.h"
#include "kern/neighbour/neighbours.h"
#include "lifecycle.h"

static int pin_seen(const char *name, void *context)
{
	(void)name;
	(void)context;
	return 1;
}

/* A directory that the unit made is not this process's to remove; it stays, empty. */
static int directory_remove(const char *path)
{
	int r = pins_remove(path);

	return r == -EACCES && !pins_each(path, pin_seen, NULL) ? 0 : r;
}

int dataplane_destroy(const char *instance, struct refusal *refusal)
{
	char path[PIN_PATH];
	int r = instance_check(instance, refusal);

	if (r)
		return r;
	r = links_detach_all(instance);
	if (!r)
		r = directory_remove(instance_path(instance, NULL, path));
	if (r)
		return refuse(refusal, r, "instance %s cannot be removed: %s", instance, strerror(-r));
	rmdir(PINS); /* stays while another instance or a receiver has pins */
	return 0;
}

int dataplane_leave(const char *instance, struct refusal *refusal)
{
	int r = attachments_any(instance);

	if (r < 0)
		return refuse(refusal, r, "the attachments of instance %s cannot be read: %s", instance,
			      strerror(-r));
	if (r)
		return 0;
	r = dataplane_destroy(instance, refusal);
	if (!r)
		neighbours_forget(NEIGHBOUR_KEPT);
	return r ?: 1;
}
