/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "reach.h"
#include "views.h"

void service_fill(const struct instance *instance, const struct service *service, struct service_state *ret)
{
	const struct pool *pool = model_pool(instance->model, service->pool);
	uint32_t counters, ordinals;
	uint16_t number = ledger_service(instance->ledger, service, &counters, &ordinals);

	*ret = (struct service_state){.service = service, .tally = rates_service(instance->rates, number)};
	if (!pool)
		return;
	ret->members = pool->backend_count;
	pool_count(instance, pool, &ret->takers, &ret->up);
}

static json_t *service_object(const struct instance *instance, const struct service *service)
{
	struct service_state state;

	service_fill(instance, service, &state);
	return service_view(&state);
}

json_t *services_list(const struct instance *instance)
{
	json_t *list = json_array();

	for (size_t i = 0; i < instance->model->service_count; i++)
		json_array_append_new(list, service_object(instance, &instance->model->services[i]));
	return list;
}

json_t *view_services(struct instance *instance)
{
	rates_sample(instance->rates, clock_monotonic());
	return json_pack("{s:o}", "services", services_list(instance));
}

static const struct service *requested_service(const struct instance *instance, const char *proto,
					       const char *listen)
{
	uint8_t number = !strcmp(proto, "tcp") ? IPPROTO_TCP : !strcmp(proto, "udp") ? IPPROTO_UDP : 0;
	struct address vip;
	uint16_t low, high;

	if (!number || endpoint_parse(listen, &vip, &low, &high))
		return NULL;
	return model_service(instance->model, number, &vip, low, high);
}

int view_service(struct instance *instance, const struct request *request, json_t **ret,
		 struct refusal *refusal)
{
	const struct service *service =
		requested_service(instance, request->parameters[0], request->parameters[1]);

	if (!service) {
		refuse(refusal, -ENOENT, "there is no service %.16s %.100s", request->parameters[0],
		       request->parameters[1]);
		refusal_right(refusal, "a service with just these ports; `holdfast service list` shows them");
		return -ENOENT;
	}
	rates_sample(instance->rates, clock_monotonic());
	*ret = service_object(instance, service);
	return *ret ? 0 : -ENOMEM;
}
