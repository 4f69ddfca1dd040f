/* SPDX-License-Identifier: Apache-2.0 */
#include "live_upgrade.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/event_log.h"
#include "kern/program/instance_pins.h"
#include "kern/program/load.h"
#include "kern/program/program_upgrade.h"
#include "reconcile.h"

/* The words of the image lie in the maps that go. */
static int reopen_dataplane(struct instance *instance, struct refusal *refusal)
{
	image_free(instance->image);
	instance->image = NULL;
	dataplane_close(instance->dataplane);
	instance->dataplane = NULL;
	next_hops_unloaded(instance->next_hops);
	census_forget(&instance->census);
	instance->released = 0;
	return reconcile(instance, false, refusal);
}

/* The maps are those that this process has: whichever of the two programs a link runs, it forwards right. */
static int take_programs(struct instance *instance, struct refusal *refusal)
{
	int error = dataplane_refresh(instance->dataplane);

	if (error) {
		refuse(refusal, error, "pins were removed during the upgrade: %s", strerror(-error));
		refusal_right(refusal, "holdfast upgrade, again");
	}
	return error;
}

int upgrade_programs(struct instance *instance, bool *ret_changed, struct refusal *refusal)
{
	enum { MAPS_REPLACED = 1 };
	bool changed = dataplane_outdated(instance->dataplane);
	int done = hold_renew(&instance->hold, instance->dataplane);

	if (done)
		*refusal = instance->hold.problem;
	else
		done = dataplane_upgrade(instance->options->instance, refusal);
	if (done < 0)
		return done;
	if (done != MAPS_REPLACED)
		done = take_programs(instance, refusal);
	if (done < 0)
		return done;
	if (done == MAPS_REPLACED)
		done = reopen_dataplane(instance, refusal);
	/* What forwards is right, but this process has lost its hold on it: the next one takes it up. */
	if (done) {
		log_refusal(LOG_LEVEL_ERROR, "after the upgrade", refusal);
		abort();
	}
	event_note(LOG_LEVEL_NOTICE, "program", "",
		   changed ? "program %s is attached by upgrade"
			   : "upgrade: program %s is this build's already, nothing changed",
		   dataplane_program_tag(instance->dataplane));
	*ret_changed = changed;
	return 0;
}
