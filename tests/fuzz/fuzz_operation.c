/* SPDX-License-Identifier: Apache-2.0 */
/* Any operation with any arguments, as the API takes them: a line with its word, then JSON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/model_json.h"
#include "core/model/model_check.h"
#include "core/operation/operation.h"

static const char start[] =
	"{\"version\": 1, \"seed\": \"6f1c9a3e5b7d2048\", \"interfaces\": [{\"name\": "
	"\"eth0\"}], \"pools\": [{\"name\": "
	"\"db\", \"table_size\": 251, \"backends\": [{\"name\": \"db1\", \"address\": "
	"\"10.0.0.1\"}, {\"name\": \"db2\", "
	"\"address\": \"10.0.0.2\", \"admin\": \"draining\"}]}, {\"name\": \"kv\", \"table_size\": 251, "
	"\"scheme\": \"slots\", \"ranges\": \"a=0-99,b=100-249,a=250\", \"backends\": [{\"name\": "
	"\"a\", \"address\": \"10.0.1.1\"}, {\"name\": \"b\", \"address\": \"10.0.1.2\"}, "
	"{\"name\": \"c\", \"address\": \"10.0.1.3\"}]}], \"services\": [{\"listen\": "
	"\"tcp 203.0.113.10:5432\", \"pool\": \"db\"}, {\"listen\": "
	"\"tcp 203.0.113.10:6379\", \"pool\": \"kv\"}]}";

static struct model *make_model(void)
{
	json_t *json = json_loads(start, 0, NULL);
	struct refusal refusal;
	struct model *model;

	if (!json || model_from_json(json, &model, &refusal) != 0)
		abort();
	json_decref(json);
	return model;
}

/* What an operation makes is a model like any other. */
static void check_model(const struct model *model)
{
	json_t *json = model_to_json(model), *again;
	struct refusal refusal;
	struct model *back;

	if (model_check(model, &refusal) != 0 || model_from_json(json, &back, &refusal) != 0)
		abort();
	again = model_to_json(back);
	if (!json_equal(json, again))
		abort();
	json_decref(json);
	json_decref(again);
	model_free(back);
}

static void apply(const char *word, const json_t *arguments)
{
	struct model *model = make_model(), *after = NULL;
	json_t *before = model_to_json(model), *same;
	struct refusal refusal = {0};

	if (operation_apply(model, word, arguments, 1000, &after, &refusal) == 0)
		check_model(after);
	else if (after || !refusal.what[0])
		abort();
	same = model_to_json(model);
	if (!json_equal(before, same))
		abort();
	json_decref(before);
	json_decref(same);
	model_free(model);
	model_free(after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size);
	json_t *arguments;
	char word[80] = "";

	if (!end || (size_t)(end - data) >= sizeof word)
		return 0;
	memcpy(word, data, (size_t)(end - data));
	arguments = json_loadb((const char *)end + 1, size - (size_t)(end - data) - 1, JSON_ALLOW_NUL, NULL);
	if (arguments)
		apply(word, arguments);
	json_decref(arguments);
	return 0;
}
