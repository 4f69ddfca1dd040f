/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/model_diff.h"
#include "core/config/model_json.h"
#include "core/model/model_edit.h"
#include "core/operation/operation_signature.h"
#include "core/schema/schema.h"
#include "views.h"

json_t *generation_object(const struct generation *generation)
{
	return generation_view(generation->number, generation->time, generation->author, generation->cause);
}

static int append_generation(const struct generation *generation, void *list)
{
	json_array_append_new(list, generation_object(generation));
	return 0;
}

int view_generations(struct instance *instance, const struct request *request, json_t **ret,
		     struct refusal *refusal)
{
	json_t *list = json_array();
	int error = store_generations(instance->store, append_generation, list, refusal);

	(void)request;
	if (error) {
		json_decref(list);
		return error;
	}
	*ret = json_pack("{s:o}", "generations", list);
	return *ret ? 0 : -ENOMEM;
}

static int read_generation_number(const char *text, uint32_t *ret, struct refusal *refusal)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*end || !number || number > UINT32_MAX)
		return refuse(refusal, -ENOENT, "%.32s is not the number of a generation", text);
	*ret = number;
	return 0;
}

int view_generation(struct instance *instance, const struct request *request, json_t **ret,
		    struct refusal *refusal)
{
	struct generation generation;
	json_t *model, *json;
	uint32_t number = 0;
	int error = read_generation_number(request->parameters[0], &number, refusal);

	if (!error)
		error = store_generation(instance->store, number, &generation, &model, refusal);
	if (error)
		return error;
	json = generation_object(&generation);
	json_object_set_new(json, "model", model);
	*ret = json;
	return 0;
}

static int read_model(struct instance *instance, uint32_t number, struct model **ret, struct refusal *refusal)
{
	struct generation generation;
	json_t *json;
	int error = store_generation(instance->store, number, &generation, &json, refusal);

	if (error)
		return error;
	error = model_from_json(json, ret, refusal);
	json_decref(json);
	return error;
}

/* From a generation to another, or to the one in force. */
int view_difference(struct instance *instance, const struct request *request, json_t **ret,
		    struct refusal *refusal)
{
	const char *to = request_query(request, "to");
	struct model *before = NULL, *after = NULL;
	uint32_t first = 0, second = instance->generation.number;
	int error = read_generation_number(request->parameters[0], &first, refusal);

	if (!error && to)
		error = read_generation_number(to, &second, refusal);
	if (!error)
		error = read_model(instance, first, &before, refusal);
	if (!error)
		error = read_model(instance, second, &after, refusal);
	if (!error) {
		*ret = json_pack("{s:I, s:I, s:o}", "from", (json_int_t)first, "to", (json_int_t)second,
				 "differences", model_diff(before, after));
		error = *ret ? 0 : -ENOMEM;
	}
	model_free(before);
	model_free(after);
	return error;
}

/* Without state: what one writes into a file, and so without backends that are only here until they are
 * drained. */
static json_t *configuration_json(const struct model *model)
{
	struct model *copy = model_copy(model);
	json_t *json;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < copy->pool_count; i++) {
		struct pool *pool = &copy->pools[i];

		for (size_t j = pool->backend_count; j-- > 0;)
			if (pool->backends[j].removing)
				pool_remove_backend(pool, &pool->backends[j]);
	}
	json = model_write(copy, SCHEMA_STATE);
	model_free(copy);
	return json;
}

/* With all that another balancer, or this one after the loss of its database, needs to go on. */
static json_t *state_json(const struct instance *instance)
{
	struct model *copy = model_copy(instance->model);
	json_t *json;

	if (!copy)
		return NULL;
	facts_write_words(instance->facts, copy);
	json = model_to_json(copy);
	model_free(copy);
	return json;
}

int view_export(struct instance *instance, const struct request *request, json_t **ret,
		struct refusal *refusal)
{
	bool state;
	int error = request_flag(request, "state", &state, refusal);

	if (error)
		return error;
	*ret = json_pack("{s:o}", "configuration",
			 state ? state_json(instance) : configuration_json(instance->model));
	return *ret ? 0 : -ENOMEM;
}

json_t *view_operations(struct instance *instance)
{
	json_t *list = json_array();

	(void)instance;
	for (const struct operation_type *type = operations; type->word; type++) {
		char text[SIGNATURE_TEXT];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "operation", type->word, "arguments",
						      signature_text(type, text), "help", type->help));
	}
	return json_pack("{s:o}", "operations", list);
}
