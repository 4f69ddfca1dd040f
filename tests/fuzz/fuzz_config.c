/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration: refused with words, or a model that survives being written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/model_json.h"

static struct model *read_model(const char *text, size_t length, struct refusal *refusal)
{
	struct model *model = NULL;
	json_t *json = NULL;

	if (config_parse(text, length, &json, refusal) == 0 && model_from_json(json, &model, refusal) != 0)
		abort(); /* what was checked is valid */
	json_decref(json);
	return model;
}

static void check_round(const struct model *model, bool state)
{
	struct refusal refusal = {0};
	json_t *before = model_to_json(model), *after;
	struct model *again;
	char *text;

	if (config_export(model, state, &text) != 0)
		abort();
	again = read_model(text, strlen(text), &refusal);
	if (!again)
		abort();
	after = model_to_json(again);
	if (state && !json_equal(before, after))
		abort();
	json_decref(before);
	json_decref(after);
	model_free(again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct refusal refusal = {0};
	struct model *model = read_model((const char *)data, size, &refusal);

	if (!model && !refusal.what[0])
		abort(); /* nobody is turned away without a word */
	if (model) {
		check_round(model, true);
		check_round(model, false);
	}
	model_free(model);
	return 0;
}
