/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backends that leave: they drain first, and the daemon removes them when they have no flows left.
 *
 * Balancers see that at different times, and must agree all the same. So a leaving backend weighs nothing,
 * owns no slots and is in no member set, and no operation is refused or has another effect because the
 * backend is still leaving or has left.
 *
 * A backend whose name another address takes leaves too. It keeps name and address, is marked as replaced,
 * and is called "db1@10.0.0.11" (backend_label()). A name alone means the member. If that one leaves before
 * the replaced ones of its name, the first of these gets the name alone again.
 */
#pragma once

#include "model.h"

/* Lets a backend begin to leave at now (Unix milliseconds). One that drains already goes on draining, with
 * its deadline. */
void backend_leave(struct backend *backend, int64_t now);

/*
 * Puts *next into the pool in the place of the backend that has its name. That one leaves if it may have
 * flows: if `flows` (pool_has_flows()) and it is not disabled. If a backend at next's address is still
 * leaving under this name, *next takes its place: it comes back. 0, -EINVAL with *refusal filled (gue: the
 * other's address is of another family), -ENOMEM.
 */
int pool_replace_backend(struct pool *pool, const struct backend *next, bool flows, int64_t now,
			 struct refusal *refusal);

/*
 * Puts into `after` the backends that only `before` has, leaving, of each pool of before that
 * pool_has_flows(). 0, -EINVAL with *refusal filled (as pool_replace_backend()), -ENOMEM.
 */
int model_keep_leaving(struct model *after, const struct model *before, int64_t now, struct refusal *refusal);

/*
 * What must hold after every change: slots that leaving backends were assigned go to who prefers them next, a
 * name that has no member is a replaced one's again, and of a pool with encap gue whose members are of one
 * family leaving backends of the other go at once, for one packet's hops cannot name both. So do those
 * whose address is a VIP: what is sent to them comes back.
 * 0, -EINVAL with *refusal filled, -ENOMEM.
 */
int model_settle_leaving(struct model *model, struct refusal *refusal);

/* Whether a backend of this name or label left the pool lately: the pool's history names it. */
bool backend_has_left(const struct model *model, const struct pool *pool, const char *label);

/* [{"pool", "name", "before", "after"}]: backends whose addresses differ, of which the old ones drain. New
 * reference. */
json_t *replaced_to_json(const struct model *before, const struct model *after);
