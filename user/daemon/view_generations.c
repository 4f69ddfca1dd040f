/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "../core/operation.h"
#include "views.h"

json_t *generation_json(const struct generation *generation)
{
	return json_pack("{s:I, s:f, s:s, s:s}", "number", (json_int_t)generation->number, "time",
			 generation->time / 1000.0, "author", generation->author, "cause", generation->cause);
}

static int append_generation(const struct generation *generation, void *list)
{
	json_array_append_new(list, generation_json(generation));
	return 0;
}

int view_generations(struct instance *instance, const struct request *request, json_t **ret,
		     struct refusal *refusal)
{
	json_t *list = json_array();

	(void)request;
	(void)refusal;
	store_generations(instance->store, append_generation, list);
	*ret = json_pack("{s:o}", "generations", list);
	return *ret ? 0 : -ENOMEM;
}

int view_generation(struct instance *instance, const struct request *request, json_t **ret,
		    struct refusal *refusal)
{
	struct generation generation;
	json_t *model, *json;
	char *end;
	unsigned long number = strtoul(request->parameters[0], &end, 10);
	int error;

	if (*end || !number || number > UINT32_MAX)
		return refuse(refusal, -ENOENT, "%.32s is no generation's number", request->parameters[0]);
	error = store_generation(instance->store, number, &generation, &model, refusal);
	if (error)
		return error;
	json = generation_json(&generation);
	json_object_set_new(json, "model", model);
	*ret = json;
	return 0;
}

int view_export(struct instance *instance, const struct request *request, json_t **ret,
		struct refusal *refusal)
{
	(void)request;
	(void)refusal;
	*ret = json_pack("{s:o}", "configuration", model_to_json(instance->model));
	return *ret ? 0 : -ENOMEM;
}

int view_operations(struct instance *instance, const struct request *request, json_t **ret,
		    struct refusal *refusal)
{
	json_t *list = json_array();

	(void)instance;
	(void)request;
	(void)refusal;
	for (const struct operation_type *type = operations; type->word; type++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "operation", type->word, "arguments",
						      type->arguments, "help", type->help));
	*ret = json_pack("{s:o}", "operations", list);
	return *ret ? 0 : -ENOMEM;
}
