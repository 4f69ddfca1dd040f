/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "install.h"
#include "kern/instance/lifecycle.h"
#include "kern/program/load.h"
#include "kern/xdp/holder.h"
#include "kern/program/instance_pins.h"
#include "kern/program/program_upgrade.h"
#include "recovery.h"

enum { SETTLE_AT_START = 100 /* ms */ };

/* Only what differs from what is there is written: a data plane that is right is not touched. */
static int install_latest(struct instance *instance, const struct image *before, struct refusal *refusal)
{
	struct install install = {.before = before, .settle = SETTLE_AT_START};
	struct ahead *ahead = instance->model->ahead;
	int error = ledger_assign(instance->ledger, instance->model,
				  dataplane_counter_limit(instance->dataplane), refusal);

	if (error)
		return error;
	/* The data plane holds no names, so placements are built here, however long that takes. */
	instance->model->ahead = NULL;
	error = install_plan(instance, &install, refusal);
	instance->model->ahead = ahead;
	if (!error && !plan_empty(install.plan))
		log_line(LOG_LEVEL_NOTICE, "the data plane is made what generation %u says",
			 instance->generation.number);
	if (!error)
		error = install_image(instance, &install, refusal);
	install_close(instance, &install);
	return error;
}

static bool has_backends(const struct model *model)
{
	for (size_t i = 0; i < model->pool_count; i++) {
		if (model->pools[i].backend_count)
			return true;
	}
	return false;
}

static void tell_program(const struct dataplane *dataplane)
{
	const char *tag = dataplane_program_tag(dataplane), *replaced = dataplane_replaced(dataplane);

	if (replaced)
		event_note(LOG_LEVEL_NOTICE, "program", "", "program %s replaced %s of another build", tag,
			   replaced);
	else
		event_note(LOG_LEVEL_NOTICE, "program", "", "program %s %s", tag,
			   dataplane_adopted(dataplane) ? "adopted" : "loaded");
}

/* A second set of pins beside a program that balances already would change nothing that packets see. */
static int check_orphans(const struct instance *instance, struct refusal *refusal)
{
	int error = 0;

	for (size_t i = 0; !error && i < instance->model->interface_count; i++)
		error = orphan_wait(NULL, instance->model->interfaces[i].name, refusal);
	return error;
}

int reconcile(struct instance *instance, bool starting, struct refusal *refusal)
{
	struct image *before = NULL;
	int error = check_orphans(instance, refusal);

	if (!error)
		error = dataplane_open(instance->options->instance, &instance->options->limits,
				       &instance->dataplane, refusal);

	/* A database that has backends, and a flow table that has just been made: a reboot. */
	if (!error && dataplane_is_new(instance->dataplane) && has_backends(instance->model))
		dataplane_forgot(instance->dataplane, (uint32_t)(clock_monotonic() / 1000) + 1);
	if (!error)
		error = dataplane_read(instance->dataplane, &before);
	if (!error && starting && !instance->options->fresh)
		error = recovery_check_numbers(instance, instance->database, before, refusal);
	if (!error)
		error = install_latest(instance, before, refusal);
	image_free(before);
	if (error)
		return error;
	tell_program(instance->dataplane);
	interfaces_settle(instance->interfaces, instance->model);
	return 0;
}

/* An upgrade while packets flow ------------------------------------------------------ */

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
