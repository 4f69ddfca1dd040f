// SPDX-License-Identifier: Apache-2.0
#include "in_force.h"

#include "core/config/config.h"
#include "core/config/model_json.h"
#include "cli/frame/complain.h"

static bool has_stamps(const struct model *model)
{
	bool stamps = model->history_count;

	for (size_t i = 0; !stamps && i < model->pool_count; i++)
		for (size_t j = 0; !stamps && j < model->pools[i].backend_count; j++)
			stamps = model->pools[i].backends[j].since || model->pools[i].backends[j].deadline;
	return stamps;
}

/* The clock of the stamps, so that they can be read elsewhere or later; 0: the daemon does not say. */
static int64_t clock_in_force(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	int64_t clock = 0;

	if (!request_get(call, "/v1/status", NULL, &answer))
		clock = json_integer_value(json_object_get(answer.json, "clock"));
	answer_free(&answer);
	return clock;
}

enum exit_status model_in_force(const struct call *call, bool state, struct model **ret)
{
	struct answer answer = {NULL, NULL};
	struct refusal refusal = {.what = ""};
	enum exit_status status =
		request_get(call, state ? "/v1/export?state=1" : "/v1/export", NULL, &answer);
	int r = 0;

	if (!status)
		r = model_from_json(json_object_get(answer.json, "configuration"), ret, &refusal);
	answer_free(&answer);
	if (!status && !r && has_stamps(*ret))
		(*ret)->clock = clock_in_force(call);
	return r ? complain(STATUS_REFUSED, &refusal, r) : status;
}
