/* SPDX-License-Identifier: Apache-2.0 */
/* Files that name the backends of the pool db, and what becomes of these. */
#pragma once

#include "unit/models.h"

__attribute__((unused)) static struct pool *pool_of(const struct model *model)
{
	return model_pool(model, "db");
}

__attribute__((unused)) static struct backend *must_find(const struct model *model, const char *label)
{
	struct backend *backend = pool_backend(pool_of(model), label);

	if (!backend)
		fail_msg("there is no %s", label);
	return backend;
}

__attribute__((unused)) static void assert_called(const struct model *model, const char *label, bool leaving)
{
	const struct backend *backend = must_find(model, label);
	char text[BACKEND_TEXT];

	assert_string_equal(backend_label(backend, text), label);
	assert_int_equal(backend->removing, leaving);
	assert_int_equal(placed_weight(backend) == 0, leaving);
}

__attribute__((unused)) static void assert_fresh(const struct backend *backend)
{
	assert_int_equal(backend->admin, ADMIN_ACTIVE);
	assert_int_equal(backend->health, HEALTH_AUTO);
	assert_int_equal(backend->deadline, 0);
	assert_false(backend->removing);
}

/* A configuration that names db1 .. dbN, of which db1 stands at 10.0.HIGH.1. */
__attribute__((unused)) static void apply(struct model **model, int backends, int high)
{
	char text[512], *at = text;

	at += sprintf(at,
		      "{'configuration': {'version': 1, 'seed': '6f1c9a3e5b7d2048', 'services': [{'listen': "
		      "'tcp 203.0.113.10:5432', 'pool': 'db'}], 'pools': [{'name': 'db', 'table_size': 251, "
		      "'backends': [");
	for (int i = 1; i <= backends; i++)
		at += sprintf(at, "%s{'name': 'db%d', 'address': '10.0.%d.%d'}", i > 1 ? ", " : "", i,
			      i == 1 ? high : 0, i);
	strcpy(at, "]}]}}");
	operate(model, "model.apply", "%s", text);
}
