/* SPDX-License-Identifier: Apache-2.0 */
#include "config_place.h"

#include <stdlib.h>
#include <string.h>

/* Only scalars have a mark of their own; a collection starts where its first part does. */
static const struct fy_mark *node_mark(struct fy_node *node)
{
	for (int depth = 0; node && depth < 64; depth++) {
		void *at = NULL;

		if (fy_node_is_scalar(node)) {
			struct fy_token *token = fy_node_get_scalar_token(node);

			return token ? fy_token_start_mark(token) : NULL;
		}
		if (fy_node_is_mapping(node)) {
			struct fy_node_pair *pair = fy_node_mapping_iterate(node, &at);

			node = pair ? fy_node_pair_key(pair) : NULL;
		} else {
			node = fy_node_sequence_iterate(node, &at);
		}
	}
	return NULL;
}

void place_node(struct fy_node *node, const char *path, struct refusal *refusal)
{
	const struct fy_mark *mark = node_mark(node);

	if (mark)
		refusal_where(refusal, "line %d, column %d%s%s", mark->line + 1, mark->column + 1,
			      *path ? ": " : "", path);
	else
		refusal_where(refusal, "%s", path);
}

static struct fy_node_pair *find_pair(struct fy_node *node, const char *name, size_t length)
{
	struct fy_node_pair *pair;
	void *at = NULL;

	if (!fy_node_is_mapping(node))
		return NULL;
	while ((pair = fy_node_mapping_iterate(node, &at))) {
		size_t key_length = 0;
		const char *key = fy_node_get_scalar(fy_node_pair_key(pair), &key_length);

		if (key && key_length == length && memcmp(key, name, length) == 0)
			return pair;
	}
	return NULL;
}

static struct fy_node *find_item(struct fy_node *node, unsigned long index)
{
	struct fy_node *item = NULL;
	void *at = NULL;

	if (!fy_node_is_sequence(node))
		return NULL;
	do {
		item = fy_node_sequence_iterate(node, &at);
	} while (item && index--);
	return item;
}

void place_path(struct fy_node *root, const char *path, struct refusal *refusal)
{
	struct fy_node *node = root, *found = root, *place = root;

	for (const char *step = path; *step && found;) {
		struct fy_node_pair *pair;
		size_t length;

		if (*step == '[') {
			char *end;

			found = find_item(node, strtoul(step + 1, &end, 10));
			step = *end ? end + 1 : end;
			place = found ? found : place;
		} else {
			step += *step == '.';
			/* A key that nobody knows may have dots and brackets of its own. */
			length = strlen(step);
			pair = find_pair(node, step, length);
			if (!pair) {
				length = strcspn(step, ".[");
				pair = find_pair(node, step, length);
			}
			found = pair ? fy_node_pair_value(pair) : NULL;
			place = pair ? fy_node_pair_key(pair) : place;
			step += length;
		}
		node = found;
	}
	place_node(place, path, refusal);
}
