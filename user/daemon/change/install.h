/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Installing an image: the one way into the data plane, for a change, the passing of time, a start and an
 * upgrade.
 *
 *   image -> next hops -> plan -> (interfaces) -> store -> data plane -> loaded
 *
 * What fails is undone, the last step first: what was in force stays, in the store, in the data plane and in
 * the instance. Only a daemon that dies between the store and the data plane leaves a generation that is not
 * loaded, and its next start carries that out.
 */
#pragma once

#include "core/image/plan.h"
#include "daemon/instance.h"

struct install {
	/* What will rule; all NULL: what rules already. Owned. */
	struct model *model;
	char *text; /* the model as the store holds it */
	struct ledger *ledger;

	/* What the store holds before the data plane does; neither: it holds all of it already. */
	bool makes_generation;
	struct generation generation; /* set if makes_generation, before install_image() */
	bool states_fact;             /* the one that facts_try() put in its place */

	const struct image *before; /* what the data plane holds; NULL: instance->image */
	int settle;                 /* milliseconds that new neighbours have to answer in */
	bool dry;                   /* nothing will be installed: no neighbour is asked for */
	bool missing_ok;            /* an interface that is not there yet is no refusal */

	/* Made by install_plan(). */
	struct image *image;
	struct plan *plan;
	bool followed; /* next hops are those of the image */
};

/*
 * Builds the image as of now, follows its next hops and makes the plan, for those who want to look at it
 * first. 0, or a negative errno, with *refusal filled where there is something to say. -EAGAIN: a placement
 * takes long; it is being computed, if there is a thread for it.
 */
int install_plan(struct instance *instance, struct install *install, struct refusal *refusal);
/*
 * Plans, if that was not done, and puts the image in force with what belongs to it. The same errors; what
 * install_plan() did is undone by install_close().
 */
int install_image(struct instance *instance, struct install *install, struct refusal *refusal);
/* Frees what does not rule. Next hops that were followed for nothing are those of the image in force again.
 */
void install_close(struct instance *instance, struct install *install);
