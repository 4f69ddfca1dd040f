/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assignment of a pool with scheme slots: which of its backends owns each slot, because an operator said
 * so. As text "db1=0-8191,db2=8192-16383", in the order of slots, ranges as long as they can be.
 *
 * A pool that no service leads to yet is divided evenly by weight, anew with every member. From its first
 * service on the assignment is fixed, as Redis Cluster's is: members that come own nothing until slots are
 * moved to them, and only one that owns nothing, or that is out of service, may leave.
 */
#pragma once

#include "model.h"

/* Refuses an assignment that leaves a slot without an owner, or gives one to nobody who has weight. */
int assignment_check(const struct pool *pool, struct refusal *refusal);
/* Fixes the assignment of every pool with scheme slots that a service leads to. 0 or -ENOMEM. */
int assignment_fix(struct model *model);
/* Gives slots first to last to a backend; from not NULL: those of them alone that it owns. 0, -EINVAL with
 * *refusal filled, -ENOMEM. */
int assignment_move(const struct model *model, struct pool *pool, const struct slot_range *range,
		    const struct backend *from, struct refusal *refusal);
/*
 * Takes the assignment of before over into after, which may lack some of its backends: their slots become
 * those of the backend that each prefers next. Refuses (-EBUSY) where one of these takes flows yet and
 * forced is not set.
 */
int assignment_pass_on(const struct model *model, const struct pool *before, struct pool *after, bool forced,
		       struct refusal *refusal);
/*
 * Gives the slots of leaving backends to the backend that each slot prefers next. It does not wait for the
 * drains: balancers see them end at different times. 0, -EINVAL with *refusal filled, -ENOMEM.
 */
int assignment_leave(const struct model *model, struct pool *pool, struct refusal *refusal);
/* -EBUSY with *refusal filled where the backend owns slots, 0 where it owns none. */
int assignment_refuse_owner(const struct pool *pool, const struct backend *backend, struct refusal *refusal);
