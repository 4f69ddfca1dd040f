// SPDX-License-Identifier: Apache-2.0
#include "host_objection.h"

#include <errno.h>
#include <netinet/in.h>

#include "core/model/model_check.h"
#include "host_view.h"

enum { SSH = 22 };

struct host_objector {
	struct host_view *view;
	objection_visit *visit;
	void *context;
};

static int raise_mistake(const struct host_objector *objector, const struct fault *fault,
			 struct objection *objection)
{
	objection->weight = OBJECTION_MISTAKE;
	refusal_kind(&objection->refusal, "likely-mistake");
	fault_where(fault, &objection->refusal);
	return objector->visit(objection, objector->context);
}

/* Fills *refusal where no host can have the address. */
static bool is_no_host(enum host_part part, const struct address *address, struct refusal *refusal)
{
	char text[ADDRESS_TEXT];

	if (part != HOST_BROADCAST && part != HOST_NETWORK)
		return false;
	refuse(refusal, -EPERM,
	       "%s is the %s address of a network that this host is in, so no host should have it",
	       address_text(address, text), part == HOST_BROADCAST ? "broadcast" : "first");
	refusal_right(refusal, "the address of one host; --force, if a host has this one");
	return true;
}

/* Backends --------------------------------------------------------------------------- */

static bool is_there_before(const struct model *before, const struct pool *pool,
			    const struct address *address)
{
	const struct pool *old = before ? model_pool(before, pool->name) : NULL;

	for (size_t i = 0; old && i < old->backend_count; i++)
		if (address_equal(&old->backends[i].address, address))
			return true;
	return false;
}

static int visit_backend(const struct host_objector *objector, const struct pool *pool,
			 const struct backend *backend)
{
	const struct fault fault = {FAULT_BACKEND, backend, pool, "address"};
	enum host_part part = host_view_part(objector->view, &backend->address);
	struct objection objection = {0};
	char text[ADDRESS_TEXT];

	if (part == HOST_OWN) {
		refuse(&objection.refusal, -EPERM,
		       "%s is this host's own address, and a balancer sends nothing to itself",
		       address_text(&backend->address, text));
		refusal_right(&objection.refusal,
			      "a backend on another host; --force, if the file is for several "
			      "balancers and others reach it");
	} else if (!is_no_host(part, &backend->address, &objection.refusal)) {
		return 0;
	}
	return raise_mistake(objector, &fault, &objection);
}

static int visit_pool(const struct host_objector *objector, const struct model *before,
		      const struct pool *pool)
{
	int result = 0;

	for (size_t i = 0; !result && i < pool->backend_count; i++) {
		const struct backend *backend = &pool->backends[i];

		if (!backend->removing && !is_there_before(before, pool, &backend->address))
			result = visit_backend(objector, pool, backend);
	}
	return result;
}

int host_visit_backends(const struct model *before, const struct model *after, objection_visit *visit,
			void *context)
{
	const struct host_objector objector = {host_view_new(), visit, context};
	int result = objector.view ? 0 : -ENOMEM;

	for (size_t i = 0; !result && i < after->pool_count; i++)
		result = visit_pool(&objector, before, &after->pools[i]);
	host_view_free(objector.view);
	return result;
}

/* Services --------------------------------------------------------------------------- */

/* What of the host itself a service at its own address takes; NULL: nothing that must be said. */
static const char *takes_of_host(const struct service *service)
{
	bool every = service->port_low == 0 && service->port_high == UINT16_MAX;

	if (service->proto == IPPROTO_UDP)
		return every ? "answers to its own requests, such as DNS," : NULL;
	if (every)
		return "SSH to it and answers to its own connections";
	return service->port_low <= SSH && service->port_high >= SSH ? "SSH to it" : NULL;
}

static int visit_service(const struct host_objector *objector, const struct service *service)
{
	enum host_part part = host_view_part(objector->view, &service->vip);
	const struct fault fault = {FAULT_SERVICE, service, NULL, "listen"};
	const char *taken = part == HOST_OWN ? takes_of_host(service) : NULL;
	struct objection objection = {0};
	char text[ADDRESS_TEXT];

	address_text(&service->vip, text);
	if (taken) {
		refuse(&objection.refusal, -EPERM,
		       "%s is this host's own address, so %s would go to backends", text, taken);
		refusal_right(&objection.refusal,
			      "the ports that clients use; --force, if the host can do without");
	} else if (part == HOST_ELSEWHERE && host_view_gateway(objector->view, &service->vip)) {
		refuse(&objection.refusal, -EPERM, "%s is the gateway of a route of this host", text);
		refusal_right(&objection.refusal,
			      "an address that no host on the link has; --force, if it is meant");
	} else if (!is_no_host(part, &service->vip, &objection.refusal)) {
		return 0;
	}
	return raise_mistake(objector, &fault, &objection);
}

int host_visit_services(const struct model *before, const struct model *after, objection_visit *visit,
			void *context)
{
	const struct host_objector objector = {host_view_new(), visit, context};
	int result = objector.view ? 0 : -ENOMEM;

	for (size_t i = 0; !result && i < after->service_count; i++) {
		const struct service *service = &after->services[i];

		if (!before || !model_service(before, service->proto, &service->vip, service->port_low,
					      service->port_high))
			result = visit_service(&objector, service);
	}
	host_view_free(objector.view);
	return result;
}
