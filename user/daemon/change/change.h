/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A change: from an operation to the data plane, in one straight line that a refusal leaves without a trace.
 *
 *   operation -> model -> ledger -> image -> plan -> (interfaces) -> store -> data plane
 *
 * Everything that can be refused is refused before the commit, but for the data plane's room: the data plane
 * reserves it before it writes anything, and where there is none the generation is withdrawn from the store.
 * A daemon that dies between the commit and the data plane finds the generation at its next start and carries
 * it out.
 */
#pragma once

#include "core/operation/operation.h"
#include "core/review/guard.h"
#include "daemon/instance.h"

struct change {
	const char *cause;  /* for the generation: "backend drain db/db2" */
	const char *author; /* "root" */
	bool dry_run;
	bool force;              /* what guard.h would refuse is done */
	uint32_t limit;          /* percent of a pool's slots that may move, or GUARD_NO_LIMIT */
	bool first;              /* the file of a first start: nothing was ever in force, and its words of
				  * health become facts */
	bool whole;              /* a whole configuration: what it does not name would go (guard.h) */
	bool named;              /* it may name what commands removed (removal.h): warn of that */
	bool missing_ok;         /* an interface that is not there yet is no refusal */
	uint32_t expect;         /* the generation that must be in force; 0: any */
	const struct fact *fact; /* what is stated by the way; NULL: nothing */
	const json_t *warnings;  /* said before those of the change; NULL: none */
};

/*
 * Makes `next` (consumed, also on failure) the desired state. *ret is the answer of docs/api.md. -ESTALE:
 * another generation is in force than expected; -EINVAL, -ENOSPC, ... with *refusal filled.
 */
int change_model(struct instance *instance, struct model *next, const struct change *change, json_t **ret,
		 struct refusal *refusal);
/* Whether a change may begin: no other process has the pins, the store is there, and the expected generation
 * is in force. 0, -EBUSY, -EIO or -ESTALE, with *refusal filled. */
int change_check(struct instance *instance, const struct change *change, struct refusal *refusal);
/* The answer to a change (docs/api.md). Takes plan and warnings. New reference; NULL: no memory. */
json_t *change_answer(uint32_t generation, bool changed, bool dry_run, json_t *plan, json_t *warnings);

/* A model as the store holds it, without facts: compact JSON text, to be freed. */
char *model_dump(const struct model *model);
