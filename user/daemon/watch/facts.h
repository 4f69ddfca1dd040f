/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts: what somebody stated of backends' health (`backend health`), with author and time. They are stored
 * beside the generations: a statement makes no generation, and no rollback, apply, reload or start changes a
 * fact. A fact is about a server (pool, name and address): another address under an old name is another
 * server.
 *
 * A backend that has left its pool keeps its fact for as long as a kept generation may bring it back.
 */
#pragma once

#include "core/image/image.h"
#include "daemon/store/store.h"

struct facts;

/* Reads what the store holds. 0, or a negative errno with *refusal filled. */
int facts_open(struct store *store, const char *boot, struct facts **ret, struct refusal *refusal);
void facts_close(struct facts *facts);

/* What is stated of a backend; NULL: nothing. Borrowed until a fact changes. */
const struct fact *facts_find(const struct facts *facts, const char *pool, const struct backend *backend);
/* Visits all facts of backends that are there, until visit returns non-zero. */
int facts_each(const struct facts *facts, int (*visit)(const struct fact *, void *), void *context);
/* For image_build(): what is stated, and else HEALTH_UNKNOWN. */
struct health facts_health(const struct facts *facts, const char *pool, const struct backend *backend);
/* Seconds since a fact was stated. */
int64_t fact_age(const struct facts *facts, const struct fact *fact);
/* A fact of this backend as of now. */
void fact_make(const struct facts *facts, const char *pool, const struct backend *backend,
	       enum health_state state, const char *author, struct fact *ret);

/*
 * Puts a fact in the place of what is stated of its backend, for images that are tried; facts_undo() takes it
 * back. The store is the caller's: facts_tried() and facts_before() are what to write there. One fact at a
 * time. *ret_changed: it states something else than before; where it does not, what was stated first stays as
 * it is. 0 or -ENOMEM.
 */
int facts_try(struct facts *facts, const struct fact *fact, bool *ret_changed);
const struct fact *facts_tried(const struct facts *facts);
const struct fact *facts_before(const struct facts *facts);
void facts_undo(struct facts *facts);

/*
 * Makes facts of the words of health that a model states, for a start that has no facts yet. Each was
 * stated when its backend's stamp says, by the instance's clock; where that is NULL, all of them long ago. 0
 * or a negative errno.
 */
int facts_take(struct facts *facts, const struct model *model, const char *author,
	       const struct steady *steady, struct refusal *refusal);
/* Forgets all facts: the configuration that they came with was refused. */
void facts_forget(struct facts *facts);
/*
 * Warns where a configuration's words differ from what is stated, with the command that changes it (warnings
 * NULL: no warning), and takes the words out of the model.
 */
void facts_leave_words(const struct facts *facts, struct model *model, json_t *warnings);
/* Makes a model's words what is stated, for an export. */
void facts_write_words(const struct facts *facts, struct model *model);
/* Warns of facts about backends that a model brings back. */
void facts_warn_returning(const struct facts *facts, const struct model *model, json_t *warnings);
/* Notes which backends have left by a generation, and which are back. */
void facts_follow(struct facts *facts, const struct model *model, uint32_t generation);
/* Forgets facts of backends that no kept generation can bring back. */
void facts_prune(struct facts *facts);
