/* SPDX-License-Identifier: Apache-2.0 */
#include "member_record.h"

#include <errno.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "pool_options.h"
#include "schema_table.h"

int member_record_copy(struct member_record *ret, const struct member_record *from)
{
	if (schema_copy_object(&schema_history, ret, from) == 0)
		return 0;
	member_record_release(ret);
	return -ENOMEM;
}

void member_record_release(struct member_record *record)
{
	schema_release_object(&schema_history, record);
}

static bool same_terms(const struct member_record *a, const struct member_record *b)
{
	return a->scheme == b->scheme && a->slots == b->slots && a->seed == b->seed && a->hash == b->hash &&
	       pool_options_equal(&a->options, &b->options);
}

bool member_record_equal(const struct member_record *a, const struct member_record *b)
{
	return same_terms(a, b) && strcmp(a->members, b->members) == 0;
}

/* Whether two texts name the same members, whoever of them rests. */
static bool same_names(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += *a == '!';
		b += *b == '!';
		if (*a != *b || !*a)
			return *a == *b;
	}
}

bool member_record_same_placement(const struct member_record *a, const struct member_record *b)
{
	return same_terms(a, b) && same_names(a->members, b->members);
}

int member_record_make(const struct model *model, const struct pool *pool, int64_t until,
		       struct member_record *ret)
{
	*ret = (struct member_record){.until = until,
				      .scheme = pool->scheme,
				      .slots = pool->slots,
				      .seed = pool_seed(model, pool),
				      .hash = pool->hash,
				      .members = members_text(pool)};
	strcpy(ret->pool, pool->name);
	if (!ret->members || pool_options_copy(&ret->options, &pool->options) < 0) {
		free(ret->members);
		return -ENOMEM;
	}
	return 0;
}

int member_record_order(const void *left, const void *right)
{
	const struct member_record *a = left, *b = right;
	int order = strcmp(a->pool, b->pool);
	uint64_t a_options, b_options;

	if (order)
		return order;
	if (a->until != b->until)
		return a->until > b->until ? -1 : 1;
	order = strcmp(a->members, b->members);
	if (order || a->scheme != b->scheme)
		return order ? order : (int)a->scheme - (int)b->scheme;
	a_options = pool_options_digest(&a->options);
	b_options = pool_options_digest(&b->options);
	return (a_options > b_options) - (a_options < b_options);
}

uint64_t member_record_digest(const struct member_record *record)
{
	const uint64_t parts[] = {record->scheme,
				  record->slots,
				  record->seed,
				  record->hash,
				  XXH64(record->members, (__u32)strlen(record->members), 0),
				  pool_options_digest(&record->options)};

	return XXH64(parts, sizeof parts, 0);
}
