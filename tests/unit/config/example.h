/* SPDX-License-Identifier: Apache-2.0 */
/* The manual's example, and files that must be read. */
#pragma once

#include "unit/models.h"

#include "core/config/config.h"

static const char example[] = "version: 1\n"
			      "seed: \"6f1c9a3e5b7d2048\"     # equal on every balancer of these services\n"
			      "interfaces:\n"
			      "  - name: eth0\n"
			      "pools:\n"
			      "  - name: db\n"
			      "    backends:\n"
			      "      - {name: db1, address: 10.0.0.11}\n"
			      "      - {name: db2, address: 10.0.0.12, weight: 200}\n"
			      "services:\n"
			      "  - {listen: \"tcp 203.0.113.10:5432\", pool: db}\n";

static struct model *must_parse(const char *text)
{
	struct refusal refusal = {0};
	struct model *model;
	json_t *json;

	if (config_parse(text, strlen(text), &json, &refusal) != 0)
		fail_msg("%s (%s; %s)\n%s", refusal.what, refusal.where, refusal.right, text);
	assert_int_equal(model_from_json(json, &model, &refusal), 0);
	json_decref(json);
	return model;
}
