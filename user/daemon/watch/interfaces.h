/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interfaces: attaches the program where the model wants it, and remembers why it could not. An interface
 * that is not there yet is tried again until it appears. One that somebody else detached (holdfast --offline
 * interface detach) is left alone until it is attached by hand, or the daemon starts again.
 */
#pragma once

#include "core/model/model.h"
#include "kern/maps/dataplane.h"
#include "kern/xdp/attachment.h"

struct interfaces;

int interfaces_open(struct dataplane *const *dataplane, struct interfaces **ret);
void interfaces_close(struct interfaces *interfaces);

/* What interfaces_change() refuses before it touches anything, for a dry run. */
int interfaces_check(struct interfaces *interfaces, const struct model *before, const struct model *after,
		     bool missing_ok, struct refusal *refusal);
/*
 * Detaches what `before` has and `after` has not, and attaches what `after` has and `before` has not (or has
 * in another mode). Any refusal takes back what this call did. missing_ok: an interface that does not exist
 * is left for later instead of refused.
 */
int interfaces_change(struct interfaces *interfaces, const struct model *before, const struct model *after,
		      bool missing_ok, struct refusal *refusal);
/* Takes back what interfaces_change() did. */
void interfaces_undo(struct interfaces *interfaces, const struct model *before, const struct model *after);
/* Makes the attachments those of the model: missing ones attached, others detached. What cannot be is a
 * problem. */
void interfaces_settle(struct interfaces *interfaces, const struct model *model);
/*
 * Attaches what the model has already and the kernel has not. 0, -EEXIST (nothing is filled): it is attached;
 * or a negative errno with *refusal filled.
 */
int interfaces_attach_again(struct interfaces *interfaces, const struct interface *interface,
			    struct refusal *refusal);
/* Tries again what has a problem. */
void interfaces_retry(struct interfaces *interfaces, const struct model *model);

/* Whether an interface of the model is attached, or will be attached as soon as it is there. */
bool interfaces_wanted(struct interfaces *interfaces, const struct model *model);

/* Why the interface is not attached; NULL: no problem. */
const char *interfaces_problem(const struct interfaces *interfaces, const char *name);
/* Fills *ret and returns true if the program is attached there. */
bool interfaces_attachment(struct interfaces *interfaces, const char *name, struct attachment *ret);
