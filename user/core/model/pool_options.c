/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_options.h"

#include <errno.h>
#include <holdfast/flowhash.h>
#include <string.h>

#include "schema_table.h"

/* The option of a row, which says where in a pool it is. */
static void *option_at(const struct pool_options *options, const struct schema_key *key)
{
	return (char *)options + (key->offset - offsetof(struct pool, options));
}

static bool is_option_of(const struct schema_key *key, enum placement_scheme scheme)
{
	return key->scheme && strcmp(key->scheme, placement_scheme_name(scheme)) == 0;
}

bool pool_options_equal(const struct pool_options *a, const struct pool_options *b)
{
	for (const struct schema_key *key = schema_pool.keys; key->name; key++)
		if (key->scheme && !schema_equal(key, option_at(a, key), option_at(b, key)))
			return false;
	return true;
}

/* Balancers compare digests, also of different versions: where all options that came later are the default,
 * the number is what it was without them. */
uint64_t pool_options_digest(const struct pool_options *options)
{
	enum { MOST = 64 };
	struct pool_options standard = {0};
	uint64_t parts[MOST];
	size_t count = 0;

	for (const struct schema_key *key = schema_pool.keys; key->name; key++) {
		if (!key->scheme)
			continue;
		schema_read_standard(key, option_at(&standard, key));
		if (!(key->flags & SCHEMA_DIGESTED)) {
			if (schema_equal(key, option_at(options, key), option_at(&standard, key)))
				continue;
			parts[count++] = XXH64(key->name, (__u32)strlen(key->name), 0);
		}
		parts[count++] = schema_digest(key, option_at(options, key));
	}
	return pool_options_equal(options, &standard) ? 0 : XXH64(parts, (__u32)(count * sizeof parts[0]), 0);
}

int pool_options_copy(struct pool_options *ret, const struct pool_options *from)
{
	struct pool_options copy = *from;
	int error = 0;

	/* All of them, also after a failure, so that copy shares no text. */
	for (const struct schema_key *key = schema_pool.keys; key->name; key++)
		if (key->scheme && schema_own(key, option_at(&copy, key)) < 0)
			error = -ENOMEM;
	if (error == 0)
		*ret = copy;
	else
		pool_options_release(&copy);
	return error;
}

void pool_options_release(struct pool_options *options)
{
	for (const struct schema_key *key = schema_pool.keys; key->name; key++)
		if (key->scheme)
			schema_release(key, option_at(options, key));
}

int pool_options_check(const struct pool *pool, const char **ret_key, struct refusal *refusal)
{
	for (const struct schema_key *key = schema_pool.keys; key->name; key++) {
		if (!key->scheme || is_option_of(key, pool->scheme) || schema_is_default(key, pool))
			continue;
		*ret_key = key->name;
		refuse(refusal, -EINVAL, "scheme %s has no %s", placement_scheme_name(pool->scheme),
		       key->name);
		refusal_right(refusal, "scheme %s, or no %s", key->scheme, key->name);
		return -EINVAL;
	}
	return 0;
}

void pool_options_forget(struct pool *pool, const json_t *stated)
{
	for (const struct schema_key *key = schema_pool.keys; key->name; key++) {
		if (!key->scheme || is_option_of(key, pool->scheme) || json_object_get(stated, key->name))
			continue;
		schema_release(key, option_at(&pool->options, key));
		schema_read_standard(key, option_at(&pool->options, key));
	}
}

json_t *pool_options_to_json(const struct pool *pool)
{
	json_t *json = json_object();

	for (const struct schema_key *key = schema_pool.keys; key->name; key++)
		if (is_option_of(key, pool->scheme))
			json_object_set_new(json, key->name, schema_write(key, pool));
	return json;
}
