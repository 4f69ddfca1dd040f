/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_options.h"

#include <errno.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "schema_table.h"

/* Which scheme an option is of. */
static const struct {
	const char *key;
	enum placement_scheme scheme;
} known[] = {
	{"virtual_nodes", PLACEMENT_RING}, {"ring_hash", PLACEMENT_RING},   {"ring_owner", PLACEMENT_RING},
	{"ketama", PLACEMENT_KETAMA},      {"tolerance", PLACEMENT_STABLE}, {"ranges", PLACEMENT_SLOTS},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool pool_options_equal(const struct pool_options *a, const struct pool_options *b)
{
	return a->virtual_nodes == b->virtual_nodes && a->ring_hash == b->ring_hash &&
	       a->ring_owner == b->ring_owner && a->ketama == b->ketama && a->tolerance == b->tolerance &&
	       same_text(a->ranges, b->ranges);
}

uint64_t pool_options_digest(const struct pool_options *options)
{
	const char *ranges = options->ranges ? options->ranges : "";
	const uint64_t parts[] = {options->virtual_nodes, options->ring_hash,
				  options->ring_owner,    options->ketama,
				  options->tolerance,     XXH64(ranges, (__u32)strlen(ranges), 0)};
	static const struct pool_options standard = {.virtual_nodes = VIRTUAL_NODES_DEFAULT};

	if (pool_options_equal(options, &standard))
		return 0;
	return XXH64(parts, sizeof parts, 0);
}

int pool_options_copy(struct pool_options *ret, const struct pool_options *from)
{
	struct pool_options copy = *from;

	if (from->ranges) {
		copy.ranges = strdup(from->ranges);
		if (!copy.ranges)
			return -ENOMEM;
	}
	*ret = copy;
	return 0;
}

int pool_options_check(const struct pool *pool, const char **ret_key, struct refusal *refusal)
{
	for (int i = 0; i < KNOWN; i++) {
		const char *key = known[i].key;

		if (known[i].scheme == pool->scheme ||
		    schema_is_default(schema_find(&schema_pool, key), pool))
			continue;
		*ret_key = key;
		refuse(refusal, -EINVAL, "scheme %s has no %s", placement_scheme_name(pool->scheme), key);
		refusal_right(refusal, "scheme %s, or no %s", placement_scheme_name(known[i].scheme), key);
		return -EINVAL;
	}
	return 0;
}

void pool_options_forget(struct pool *pool, const json_t *stated)
{
	for (int i = 0; i < KNOWN; i++) {
		const struct schema_key *key = schema_find(&schema_pool, known[i].key);

		if (known[i].scheme == pool->scheme || json_object_get(stated, key->name))
			continue;
		if (key->type == SCHEMA_RANGES)
			free(pool->options.ranges);
		schema_read_standard(key, (char *)pool + key->offset);
	}
}

json_t *pool_options_to_json(const struct pool *pool)
{
	json_t *json = json_object();

	for (int i = 0; i < KNOWN; i++)
		if (known[i].scheme == pool->scheme)
			json_object_set_new(json, known[i].key,
					    schema_write(schema_find(&schema_pool, known[i].key), pool));
	return json;
}
