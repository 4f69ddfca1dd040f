/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "core/model/sender.h"
#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "views.h"

static const struct {
	unsigned int number;
	const char *word, *verdict;
} reasons[] = {
#define PASS                                     "pass"
#define DROP                                     "drop"
#define X(name, number, word, verdict, sentence) {number, word, verdict},
	HF_REASONS(X)
#undef X
#undef PASS
#undef DROP
};

static json_t *reasons_json(struct instance *instance)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		const struct tally *tally = rates_reason(instance->rates, reasons[i].number);

		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:f}", "reason", reasons[i].word,
						      "verdict", reasons[i].verdict, "packets",
						      (json_int_t)tally->total.packets, "bytes",
						      (json_int_t)tally->total.bytes, "packets_per_second",
						      tally->packets));
	}
	return list;
}

void set_tally(json_t *json, const struct tally *tally)
{
	bool blind = tally->unseen && !tally->seen;

	json_object_set_new(json, "new_per_second", tally_new_flows(tally, 1));
	json_object_set_new(json, "packets_per_second", json_real(tally->packets));
	json_object_set_new(json, "bits_per_second", json_real(tally->bytes * 8));
	json_object_set_new(json, "packets", json_integer(tally->total.packets));
	json_object_set_new(json, "bytes", json_integer(tally->total.bytes));
	json_object_set_new(json, "flows", blind ? json_null() : json_integer(tally->total.flows));
	json_object_set_new(json, "flows_unseen", json_boolean(tally->unseen));
}

static void set_losses(json_t *interface, const struct loss *loss)
{
	bool counted = loss && loss->counted;

	json_object_set_new(interface, "sent_lost",
			    counted ? json_integer((json_int_t)loss->lost) : json_null());
	json_object_set_new(interface, "sent_lost_per_second",
			    counted ? json_real(loss->a_second) : json_null());
}

/* Those that run the program, and those that packets only leave by. */
static json_t *interfaces_counted(struct instance *instance)
{
	const struct losses *losses = &instance->losses;
	json_t *list = interfaces_json(instance), *interface;
	size_t i;

	for (i = 0; i < losses->count; i++)
		sender_add(list, losses->list[i].interface);
	json_array_foreach (list, i, interface)
		set_losses(interface,
			   losses_of(losses, json_string_value(json_object_get(interface, "name"))));
	return list;
}

int view_counters(struct instance *instance, const struct request *request, json_t **ret,
		  struct refusal *refusal)
{
	(void)request;
	(void)refusal;
	rates_sample(instance->rates, clock_monotonic());
	losses_look(&instance->losses, instance->dataplane, instance->image, clock_monotonic());
	*ret = json_pack("{s:o, s:o, s:o, s:o}", "reasons", reasons_json(instance), "services",
			 services_json(instance), "backends", backends_json(instance, NULL), "interfaces",
			 interfaces_counted(instance));
	return *ret ? 0 : -ENOMEM;
}

/* Events ------------------------------------------------------------------------ */

int view_events(struct instance *instance, const struct request *request, json_t **ret,
		struct refusal *refusal)
{
	int64_t after = 0, limit = 1000;
	int error = request_count(request, "after", INT64_MAX, &after, refusal);

	if (!error)
		error = request_count(request, "limit", 10000, &limit, refusal);
	if (error)
		return error;
	events_flush(instance->store);
	*ret = json_pack("{s:o}", "events", store_events(instance->store, after, limit));
	return *ret ? 0 : -ENOMEM;
}
