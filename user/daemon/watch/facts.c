/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"

struct facts {
	struct store *store;
	char boot[BOOT_ID];
	struct fact *list; /* by pool, name and address */
	size_t count;
	struct fact before, tried; /* what facts_try() put aside, and what it put there */
};

/* The list ------------------------------------------------------------------------------ */

static int order(const struct fact *fact, const char *pool, const char *name, const struct address *address)
{
	int result = strcmp(fact->pool, pool);

	if (!result)
		result = strcmp(fact->name, name);
	return result ? result : address_compare(&fact->address, address);
}

/* Where a fact is or belongs. */
static size_t fact_place(const struct facts *facts, const char *pool, const char *name,
			 const struct address *address)
{
	size_t low = 0, high = facts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order(&facts->list[middle], pool, name, address) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct fact *fact_find(const struct facts *facts, const char *pool, const char *name,
			      const struct address *address)
{
	size_t at = fact_place(facts, pool, name, address);

	return at < facts->count && !order(&facts->list[at], pool, name, address) ? &facts->list[at] : NULL;
}

static void take_out(struct facts *facts, struct fact *fact)
{
	memmove(fact, fact + 1, (size_t)(facts->list + --facts->count - fact) * sizeof *fact);
}

/* In the place of what is there; HEALTH_UNKNOWN takes it out. */
static int fact_put(struct facts *facts, const struct fact *fact)
{
	struct fact *there = fact_find(facts, fact->pool, fact->name, &fact->address), *grown;
	size_t at = fact_place(facts, fact->pool, fact->name, &fact->address);

	if (there && fact->state == HEALTH_UNKNOWN)
		take_out(facts, there);
	else if (there)
		*there = *fact;
	if (there || fact->state == HEALTH_UNKNOWN)
		return 0;
	grown = realloc(facts->list, (facts->count + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	facts->list = grown;
	memmove(grown + at + 1, grown + at, (facts->count++ - at) * sizeof *grown);
	grown[at] = *fact;
	return 0;
}

static int put_stored(const struct fact *fact, void *facts)
{
	return fact_put(facts, fact);
}

int facts_open(struct store *store, const char *boot, struct facts **ret, struct refusal *refusal)
{
	struct facts *facts = calloc(1, sizeof *facts);
	int error;

	if (!facts)
		return -ENOMEM;
	facts->store = store;
	strcpy(facts->boot, boot);
	error = store_facts(store, put_stored, facts, refusal);
	if (error) {
		facts_close(facts);
		return error;
	}
	*ret = facts;
	return 0;
}

void facts_close(struct facts *facts)
{
	if (!facts)
		return;
	free(facts->list);
	free(facts);
}

/* What they say --------------------------------------------------------------------------- */

const struct fact *facts_find(const struct facts *facts, const char *pool, const struct backend *backend)
{
	return fact_find(facts, pool, backend->name, &backend->address);
}

int facts_each(const struct facts *facts, int (*visit)(const struct fact *, void *), void *context)
{
	int stop = 0;

	for (size_t i = 0; !stop && i < facts->count; i++)
		if (!facts->list[i].gone)
			stop = visit(&facts->list[i], context);
	return stop;
}

static bool is_of_this_boot(const struct facts *facts, const struct fact *fact)
{
	return fact->boot[0] && !strcmp(fact->boot, facts->boot);
}

/* A statement from before a reboot is past every grace: no flow has waited meanwhile. */
struct health facts_health(const struct facts *facts, const char *pool, const struct backend *backend)
{
	const struct fact *fact = facts_find(facts, pool, backend);
	struct health health = {0};

	if (!fact)
		return health;
	health.state = fact->state;
	health.since = is_of_this_boot(facts, fact) ? (uint32_t)(fact->monotonic / 1000)
						    : (uint32_t)(clock_monotonic() / 1000) - HEALTH_LONG;
	return health;
}

int64_t fact_age(const struct facts *facts, const struct fact *fact)
{
	int64_t age = is_of_this_boot(facts, fact) ? clock_monotonic() - fact->monotonic
						   : clock_unix() - fact->time;

	return age > 0 ? age / 1000 : 0;
}

void fact_make(const struct facts *facts, const char *pool, const struct backend *backend,
	       enum health_state state, const char *author, struct fact *ret)
{
	*ret = (struct fact){.address = backend->address,
			     .state = state,
			     .time = clock_unix(),
			     .monotonic = clock_monotonic()};
	snprintf(ret->pool, sizeof ret->pool, "%s", pool);
	snprintf(ret->name, sizeof ret->name, "%s", backend->name);
	snprintf(ret->author, sizeof ret->author, "%s", author);
	snprintf(ret->boot, sizeof ret->boot, "%s", facts->boot);
}

/* Stating one ------------------------------------------------------------------------------ */

int facts_try(struct facts *facts, const struct fact *fact, bool *ret_changed)
{
	const struct fact *there = fact_find(facts, fact->pool, fact->name, &fact->address);

	*ret_changed = (there ? there->state : HEALTH_UNKNOWN) != fact->state;
	facts->tried = *fact;
	if (there) {
		facts->before = *there;
	} else {
		facts->before = *fact;
		facts->before.state = HEALTH_UNKNOWN;
	}
	return *ret_changed ? fact_put(facts, fact) : 0;
}

const struct fact *facts_tried(const struct facts *facts)
{
	return &facts->tried;
}

const struct fact *facts_before(const struct facts *facts)
{
	return &facts->before;
}

/* Its place was made when it was put aside. */
void facts_undo(struct facts *facts)
{
	fact_put(facts, &facts->before);
}

/* Words of configurations ------------------------------------------------------------------- */

static int take_backend(struct facts *facts, const struct pool *pool, const struct backend *backend,
			const char *author, const struct steady *steady)
{
	struct fact fact;

	if (backend->health == HEALTH_AUTO)
		return 0;
	fact_make(facts, pool->name, backend, health_stated(backend->health), author, &fact);
	if (steady && backend->since) {
		fact.monotonic = backend->since - steady->offset;
		fact.time = backend->since;
	} else {
		fact.boot[0] = '\0';
	}
	return fact_put(facts, &fact);
}

int facts_take(struct facts *facts, const struct model *model, const char *author,
	       const struct steady *steady, struct refusal *refusal)
{
	int error = 0;

	for (size_t i = 0; !error && i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];

		for (size_t j = 0; !error && j < pool->backend_count; j++)
			error = take_backend(facts, pool, &pool->backends[j], author, steady);
	}
	return error ? error : store_facts_set(facts->store, facts->list, facts->count, refusal);
}

static void write_all(struct facts *facts, enum log_level level, const char *failed)
{
	struct refusal refusal = {0};

	if (store_facts_set(facts->store, facts->list, facts->count, &refusal))
		log_refusal(level, failed, &refusal);
}

void facts_forget(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		facts->list[i].state = HEALTH_UNKNOWN;
	write_all(facts, LOG_LEVEL_ERROR, "what was refused stays stated in the store");
	facts->count = 0;
}

static void leave_word(const struct facts *facts, const struct pool *pool, struct backend *backend,
		       json_t *warnings)
{
	const struct fact *fact = facts_find(facts, pool->name, backend);
	enum health_state stated = fact ? fact->state : HEALTH_UNKNOWN, word = health_stated(backend->health);

	if (backend->health != HEALTH_AUTO && word != stated)
		json_array_append_new(
			warnings,
			json_sprintf("%s/%s: \"health: %s\" of a configuration states nothing here: "
				     "`holdfast backend health %s/%s %s` does",
				     pool->name, backend->name, health_name(word), pool->name, backend->name,
				     health_name(word)));
	backend->health = HEALTH_AUTO;
}

void facts_leave_words(const struct facts *facts, struct model *model, json_t *warnings)
{
	for (size_t i = 0; i < model->pool_count; i++)
		for (size_t j = 0; j < model->pools[i].backend_count; j++)
			leave_word(facts, &model->pools[i], &model->pools[i].backends[j], warnings);
}

void facts_write_words(const struct facts *facts, struct model *model)
{
	for (size_t i = 0; i < model->pool_count; i++)
		for (size_t j = 0; j < model->pools[i].backend_count; j++) {
			struct backend *backend = &model->pools[i].backends[j];
			const struct fact *fact = facts_find(facts, model->pools[i].name, backend);

			backend->health = !fact                      ? HEALTH_AUTO
					  : fact->state == HEALTH_UP ? HEALTH_FORCED_UP
								     : HEALTH_FORCED_DOWN;
		}
}

/* Backends that come and go ------------------------------------------------------------------- */

static bool is_there(const struct model *model, const struct fact *fact)
{
	const struct pool *pool = model_pool(model, fact->pool);

	return pool && pool_backend_at(pool, fact->name, &fact->address);
}

void facts_warn_returning(const struct facts *facts, const struct model *model, json_t *warnings)
{
	for (size_t i = 0; i < facts->count; i++) {
		const struct fact *fact = &facts->list[i];

		if (fact->gone && is_there(model, fact))
			json_array_append_new(
				warnings, json_sprintf("%s/%s is still stated %s by %s: `holdfast backend "
						       "health %s/%s auto` withdraws that",
						       fact->pool, fact->name, health_name(fact->state),
						       fact->author, fact->pool, fact->name));
	}
}

void facts_follow(struct facts *facts, const struct model *model, uint32_t generation)
{
	bool changed = false;

	for (size_t i = 0; i < facts->count; i++) {
		struct fact *fact = &facts->list[i];
		bool there = is_there(model, fact);

		if (there != !fact->gone) {
			fact->gone = there ? 0 : generation;
			changed = true;
		}
	}
	if (changed)
		write_all(facts, LOG_LEVEL_WARNING, "which backends have left is not noted");
}

void facts_prune(struct facts *facts)
{
	uint32_t oldest = store_oldest(facts->store);
	struct fact *over = calloc(facts->count + 1, sizeof *over);
	size_t count = 0, kept = 0;

	for (size_t i = 0; over && i < facts->count; i++) {
		if (!facts->list[i].gone || facts->list[i].gone > oldest)
			continue;
		over[count] = facts->list[i];
		over[count++].state = HEALTH_UNKNOWN;
	}
	if (count && !store_facts_set(facts->store, over, count, NULL)) {
		for (size_t i = 0; i < facts->count; i++)
			if (!facts->list[i].gone || facts->list[i].gone > oldest)
				facts->list[kept++] = facts->list[i];
		facts->count = kept;
	}
	free(over);
}
