/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon's database holds: the last generation, and what is stated of backends' health. */
#pragma once

#include <jansson.h>

#include "cli/frame/call.h"
#include "core/ledger/ledger.h"

/* A fact. What it states is the backend's health in the model. */
struct stated {
	const struct backend *backend;
	char author[64];
	int64_t time; /* Unix milliseconds */
};

struct stored {
	json_t *generation; /* as the API has it */
	struct model *model;
	struct ledger *ledger;
	struct stated *stated;
	size_t stated_count;
};

/* Opens the database of the call's instance only to read it. 0 or negative errno with *refusal filled. */
int stored_read(const struct call *call, struct stored *ret, struct refusal *refusal);
void stored_release(struct stored *stored);
/* The fact of a backend of the model; NULL: there is none. */
const struct stated *stored_stated(const struct stored *stored, const struct backend *backend);
