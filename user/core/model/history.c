/* SPDX-License-Identifier: Apache-2.0 */
#include "history.h"

#include <errno.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/steady.h"
#include "member_record.h"
#include "schema_table.h"
#include "pool_options.h"

/* Of the sorted records the first of its kind stays. */
static bool is_repeated(const struct member_record *records, size_t first, size_t at)
{
	for (size_t i = first; i < at; i++)
		if (member_record_equal(&records[i], &records[at]))
			return true;
	return false;
}

static int newest_first(const void *left, const void *right)
{
	const struct member_record *a = left, *b = right;

	return (a->until < b->until) - (a->until > b->until);
}

/*
 * The stamp of the oldest record that counts. Ages are measured against the model's newest record, never
 * against a clock, so that equal models give equal hops. A gap that is longer than the window counts as a
 * day: a clock was stepped, or nothing changed for long, and neither may end the sets before it.
 */
static int64_t history_oldest(struct member_record *records, size_t count)
{
	const int64_t day = 24 * 3600 * 1000;
	int64_t age = 0;

	if (count > 1)
		qsort(records, count, sizeof *records, newest_first);
	for (size_t i = 1; i < count; i++) {
		uint64_t gap = (uint64_t)records[i - 1].until - (uint64_t)records[i].until;

		age += gap > HISTORY_WINDOW ? day : (int64_t)gap;
		if (age > HISTORY_WINDOW)
			return records[i - 1].until;
	}
	return INT64_MIN;
}

void history_tidy(struct model *model)
{
	struct member_record *records = model->history;
	int64_t oldest = history_oldest(records, model->history_count);
	size_t kept = 0, first = 0, variants = 0;

	if (model->history_count > 1)
		qsort(records, model->history_count, sizeof *records, member_record_order);
	for (size_t i = 0; i < model->history_count; i++) {
		struct member_record record = records[i];

		bool varies;

		if (kept > first && strcmp(records[first].pool, record.pool) != 0) {
			first = kept;
			variants = 0;
		}
		varies = kept > first && member_record_same_placement(&records[kept - 1], &record);
		records[kept] = record;
		if (record.until < oldest || kept - first >= HISTORY_MOST ||
		    (varies && variants >= HISTORY_VARIANTS) || is_repeated(records, first, kept)) {
			member_record_release(&record);
			continue;
		}
		variants += varies;
		kept++;
	}
	model->history_count = kept;
}

/* Takes record over, also on failure. */
static int history_add(struct model *model, struct member_record *record)
{
	struct member_record *grown;

	grown = realloc(model->history, (model->history_count + 1) * sizeof *grown);
	if (!grown) {
		member_record_release(record);
		return -ENOMEM;
	}
	model->history = grown;
	grown[model->history_count++] = *record;
	return 0;
}

/* Whether pool's set goes on in `after`. */
static int goes_on(const struct model *after, const struct member_record *set, bool *ret)
{
	const struct pool *pool = model_pool(after, set->pool);
	struct member_record now;

	*ret = false;
	if (!pool)
		return 0;
	if (member_record_make(after, pool, 0, &now) < 0)
		return -ENOMEM;
	*ret = member_record_equal(&now, set);
	member_record_release(&now);
	return 0;
}

/* The next member of a pool from *at on; NULL: there is none. */
static const struct backend *next_member(const struct pool *pool, size_t *at)
{
	while (*at < pool->backend_count && pool->backends[*at].removing)
		++*at;
	return *at < pool->backend_count ? &pool->backends[(*at)++] : NULL;
}

/* A backend that drains to leave is no longer a member: that it has left changes nothing. */
static bool same_member_set(const struct pool *a, const struct pool *b)
{
	size_t i = 0, j = 0;

	for (;;) {
		const struct backend *left = next_member(a, &i), *right = next_member(b, &j);

		if (!left || !right)
			return left == right;
		if (backend_rests(left) != backend_rests(right) || left->weight != right->weight ||
		    strcmp(left->name, right->name) != 0 || strcmp(left->zone, right->zone) != 0)
			return false;
	}
}

static bool is_unchanged(const struct model *a_model, const struct pool *a, const struct model *b_model,
			 const struct pool *b)
{
	return a->scheme == b->scheme && a->slots == b->slots && a->hash == b->hash &&
	       pool_options_equal(&a->options, &b->options) &&
	       pool_seed(a_model, a) == pool_seed(b_model, b) && same_member_set(a, b);
}

/* Which pools services lead to: one flag a pool, the caller's to free. */
static bool *list_served(const struct model *model)
{
	bool *served = calloc(model->pool_count + 1, sizeof *served);

	for (size_t i = 0; served && i < model->service_count; i++) {
		const struct pool *pool = model_pool(model, model->services[i].pool);

		if (pool)
			served[pool - model->pools] = true;
	}
	return served;
}

/* A pool that loses its last service keeps the mark that services led to it. */
static int mark_served(struct model *after, const struct model *before)
{
	bool *now = list_served(after), *then = list_served(before);
	int error = now && then ? 0 : -ENOMEM;

	for (size_t i = 0; error == 0 && i < after->pool_count; i++) {
		struct pool *pool = &after->pools[i];
		const struct pool *old = model_pool(before, pool->name);

		pool->served =
			!now[i] && (pool->served || (old && (old->served || then[old - before->pools])));
	}
	free(now);
	free(then);
	return error;
}

/* Sets stamps ahead of the clock back to it and keeps their order: what is noted now is the newest. */
static void cut_ahead(struct model *model, size_t count, int64_t now)
{
	int64_t most = now - 1;

	for (size_t i = 0; i < count; i++) {
		struct member_record *record = &model->history[i];

		if (i && strcmp(record[-1].pool, record->pool) != 0)
			most = now - 1;
		if (record->until > most)
			record->until = most > 0 ? most : 0;
		most = record->until - 1;
	}
}

/* Whether a member is left: a set without members has no preferences. */
static bool has_members(const struct pool *pool)
{
	size_t at = 0;

	return next_member(pool, &at);
}

static int note_pool(struct model *after, const struct model *before, const struct pool *pool, int64_t now,
		     bool *ret_ended)
{
	const struct pool *next = model_pool(after, pool->name);
	struct member_record record;

	if (!has_members(pool) || (next && is_unchanged(before, pool, after, next)) ||
	    !pool_has_flows(before, pool)) /* no flows can live by this set */
		return 0;
	if (member_record_make(before, pool, now, &record) < 0)
		return -ENOMEM;
	*ret_ended = true;
	return history_add(after, &record);
}

int history_note(struct model *after, const struct model *before, int64_t now)
{
	size_t known = after->history_count;
	bool ended = false;
	int error = mark_served(after, before);

	for (size_t i = 0; error == 0 && i < before->pool_count; i++)
		error = note_pool(after, before, &before->pools[i], now, &ended);
	if (error < 0 || !ended)
		return error;
	cut_ahead(after, known, now);
	history_tidy(after);
	return 0;
}

/* The same set among the first `count` records, or NULL. */
static const struct member_record *find_set(const struct model *model, size_t count,
					    const struct member_record *record)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(model->history[i].pool, record->pool) == 0 &&
		    member_record_equal(&model->history[i], record))
			return &model->history[i];
	return NULL;
}

static int merge_record(struct model *after, size_t stated, const struct member_record *record)
{
	struct member_record copy;
	bool on;

	if (find_set(after, stated, record))
		return 0;
	if (goes_on(after, record, &on) < 0)
		return -ENOMEM;
	if (on)
		return 0;
	return member_record_copy(&copy, record) < 0 ? -ENOMEM : history_add(after, &copy);
}

int history_merge(struct model *after, const struct model *before, int64_t now)
{
	size_t stated = after->history_count;
	int error = mark_served(after, before);

	cut_ahead(after, stated, now);
	for (size_t i = 0; error == 0 && i < before->history_count; i++)
		error = merge_record(after, stated, &before->history[i]);
	for (size_t i = 0; error == 0 && i < before->pool_count; i++) {
		const struct pool *pool = &before->pools[i];
		struct member_record record;

		if (!has_members(pool) || !pool_has_flows(before, pool))
			continue;
		error = member_record_make(before, pool, now, &record);
		if (error < 0)
			break;
		error = merge_record(after, stated, &record);
		member_record_release(&record);
	}
	if (error == 0)
		history_tidy(after);
	return error;
}

void history_align(struct model *after, const struct model *before, int64_t ahead)
{
	const struct member_record *newest = NULL;

	for (size_t i = 0; i < after->history_count; i++) {
		const struct member_record *known =
			find_set(before, before->history_count, &after->history[i]);

		if (!known || (newest && known->until <= newest->until))
			continue;
		newest = known;
		ahead = known->until - after->history[i].until;
	}
	for (size_t i = 0; i < after->history_count; i++)
		after->history[i].until = stamp_move(after->history[i].until, ahead);
}

int history_keep(struct model *after, const struct model *before, int64_t now)
{
	const struct schema_key *key = schema_find(&schema_root, "history");
	int error;

	schema_release_list(key, after);
	error = schema_copy_list(key, after, before);
	return error < 0 ? error : history_note(after, before, now);
}

const struct member_record *history_of(const struct model *model, const char *pool, size_t *ret_count)
{
	size_t first = 0, end = model->history_count, count = 0;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (strcmp(model->history[middle].pool, pool) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	while (first + count < model->history_count && strcmp(model->history[first + count].pool, pool) == 0)
		count++;
	*ret_count = count;
	return count ? &model->history[first] : NULL;
}

uint64_t history_digest(const struct member_record *records, size_t count)
{
	uint64_t digest = 0;

	/* From the oldest on, so that the digest of a history that grows is one step from what it was. */
	for (size_t i = count; i-- > 0;) {
		const uint64_t parts[] = {digest, member_record_digest(&records[i])};

		digest = XXH64(parts, sizeof parts, 0);
	}
	return digest;
}
