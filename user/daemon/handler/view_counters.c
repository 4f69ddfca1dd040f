/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "views.h"

static void set_losses(json_t *interface, const struct loss *loss)
{
	bool counted = loss && loss->counted;

	json_object_set_new(interface, "sent_lost",
			    counted ? json_integer((json_int_t)loss->lost) : json_null());
	json_object_set_new(interface, "sent_lost_per_second",
			    counted ? json_real(loss->a_second) : json_null());
}

/* Those that run the program, and those that packets only leave by. */
static json_t *counted_interfaces(struct instance *instance)
{
	const struct losses *losses = &instance->losses;
	json_t *list = interfaces_list(instance), *interface;
	size_t i;

	for (i = 0; i < losses->count; i++)
		interfaces_add_sender(list, losses->list[i].interface);
	json_array_foreach (list, i, interface)
		set_losses(interface,
			   losses_of(losses, json_string_value(json_object_get(interface, "name"))));
	return list;
}

json_t *view_counters(struct instance *instance)
{
	struct tally reasons[HF_REASON_LIMIT];

	rates_sample(instance->rates, clock_monotonic());
	losses_look(&instance->losses, instance->dataplane, instance->image, clock_monotonic());
	for (unsigned int i = 0; i < HF_REASON_LIMIT; i++)
		reasons[i] = *rates_reason(instance->rates, i);
	return counters_view(reasons_view(reasons), services_list(instance), backends_list(instance, NULL),
			     counted_interfaces(instance));
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
