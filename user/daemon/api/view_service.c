/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "core/model/service_text.h"
#include "reach.h"
#include "views.h"

json_t *service_json(struct instance *instance, const struct service *service)
{
	const struct pool *pool = model_pool(instance->model, service->pool);
	uint32_t counters, ordinals;
	uint16_t number = ledger_service(instance->ledger, service, &counters, &ordinals);
	const struct tally *tally = rates_service(instance->rates, number);
	char text[SERVICE_TEXT];
	json_t *json = json_object();

	service_text(service, text);
	json_object_set_new(json, "service", json_string(text));
	json_object_set_new(json, "proto", json_string(proto_name(service->proto)));
	json_object_set_new(json, "listen", json_string(strchr(text, ' ') + 1));
	json_object_set_new(json, "pool", json_string(service->pool));
	json_object_set_new(json, "track", json_string(track_name(service->track)));
	json_object_set_new(json, "idle", json_integer(service_idle(service)));
	json_object_set_new(json, "up", json_integer(pool ? pool_up(instance, pool) : 0));
	json_object_set_new(json, "backends", json_integer(pool ? pool->backend_count : 0));
	set_tally(json, tally);
	return json;
}

json_t *services_json(struct instance *instance)
{
	json_t *list = json_array();

	for (size_t i = 0; i < instance->model->service_count; i++)
		json_array_append_new(list, service_json(instance, &instance->model->services[i]));
	return list;
}

int view_services(struct instance *instance, const struct request *request, json_t **ret,
		  struct refusal *refusal)
{
	(void)request;
	(void)refusal;
	rates_sample(instance->rates, clock_monotonic());
	*ret = json_pack("{s:o}", "services", services_json(instance));
	return *ret ? 0 : -ENOMEM;
}

static const struct service *find_service(const struct instance *instance, const char *proto,
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
		find_service(instance, request->parameters[0], request->parameters[1]);

	if (!service) {
		refuse(refusal, -ENOENT, "there is no service %.16s %.100s", request->parameters[0],
		       request->parameters[1]);
		refusal_right(refusal, "a service with just these ports; `holdfast service list` shows them");
		return -ENOENT;
	}
	rates_sample(instance->rates, clock_monotonic());
	*ret = service_json(instance, service);
	return *ret ? 0 : -ENOMEM;
}
