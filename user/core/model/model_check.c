/* SPDX-License-Identifier: Apache-2.0 */
/* What every model satisfies. Values of single keys are the schema's business; here is what holds between
 * them. */
#include "model_check.h"

#include <errno.h>
#include <holdfast/abi.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "assignment.h"
#include "model_edit.h"
#include "pool_options.h"
#include "pool_placement.h"

enum {
	/* Each with an address of its own they fill a directory. */
	MAX_SERVICES = HF_MAX_DIRECTORY / 4,
	MAX_BACKENDS = HF_MAX_BACKENDS - 1,
	MAX_POOLS = HF_MAX_POOLS - 1,
	MAX_SLOTS = 1 << 30, /* of any instance; what one has room for, image_check_room() knows */
};

void fault_where(const struct fault *fault, struct refusal *refusal)
{
	const struct service *service = fault->object;
	char text[LISTEN_TEXT], label[BACKEND_TEXT];

	switch (fault->kind) {
	case FAULT_MODEL:
		refusal_where(refusal, "%s", "");
		break;
	case FAULT_INTERFACE:
		refusal_where(refusal, "interface %s", ((const struct interface *)fault->object)->name);
		break;
	case FAULT_POOL:
		refusal_where(refusal, "pool %s", ((const struct pool *)fault->object)->name);
		break;
	case FAULT_BACKEND:
		refusal_where(refusal, "pool %s, backend %s", fault->pool->name,
			      backend_label(fault->object, label));
		break;
	case FAULT_SERVICE:
		refusal_where(refusal, "service %s", listen_text(&service->listen, text));
		break;
	}
}

/* One that was replaced is on its way out, and another address has its name. */
static int check_replaced(const struct pool *pool, const struct backend *backend, struct fault *fault,
			  struct refusal *refusal)
{
	const struct backend *member;

	if (!backend->replaced)
		return 0;
	fault->key = "replaced";
	if (backend->admin != ADMIN_DRAINING || !backend->removing) {
		refuse(refusal, -EINVAL, "a backend that was replaced is leaving");
		refusal_right(refusal, "admin: draining and removing: true with it");
		return -EINVAL;
	}
	member = pool_backend(pool, backend->name);
	if (member && !address_equal(&member->address, &backend->address))
		return 0;
	refuse(refusal, -EINVAL, "no other address has the name %s", backend->name);
	refusal_right(refusal, "replaced: false, or a backend of this name at another address");
	return -EINVAL;
}

static int check_backends(const struct pool *pool, struct fault *fault, struct refusal *refusal)
{
	char label[BACKEND_TEXT];
	uint8_t family = 0;
	int error;

	for (size_t i = 0; i < pool->backend_count; i++) {
		const struct backend *backend = &pool->backends[i];

		*fault = (struct fault){FAULT_BACKEND, backend, pool, "name"};
		if (i > 0 && backend_order(backend, &pool->backends[i - 1]) == 0) {
			refuse(refusal, -EEXIST, "backend %s is there twice", backend_label(backend, label));
			refusal_right(refusal, "a name of its own for each backend of pool %s", pool->name);
			return -EEXIST;
		}
		error = check_replaced(pool, backend, fault, refusal);
		if (error < 0)
			return error;
		fault->key = "address";
		if (pool->encap == HF_ENCAP_GUE && family && backend->address.family != family) {
			refuse(refusal, -EINVAL,
			       "IPv%u cannot be carried beside IPv%u in one pool with encap gue",
			       backend->address.family, family);
			refusal_right(refusal, "backends of one family, or encap ipip: "
					       "the hops that gue names are of one family");
			return -EINVAL;
		}
		family = backend->address.family;
	}
	return 0;
}

/* A source that no backend can be reached from, or a wrap that has no outer source, is a mistake worth a
 * word. */
static int check_source(const struct pool *pool, struct fault *fault, struct refusal *refusal)
{
	bool source4 = pool->source4.address.family, source6 = pool->source6.address.family;

	*fault = (struct fault){FAULT_POOL, pool, NULL, "source"};
	if (!source4 && !source6)
		return 0;
	if (pool->encap == HF_ENCAP_L2) {
		refuse(refusal, -EINVAL, "encap l2 has no outer source address");
		refusal_right(refusal, "no source, or encap ipip, gue or gre");
		return -EINVAL;
	}
	for (size_t i = 0; i < pool->backend_count; i++) {
		const struct backend *backend = &pool->backends[i];

		if (backend->address.family == 4 ? source4 : source6)
			continue;
		refuse(refusal, -EINVAL, "source has no IPv%u address, but backend %s is reached by IPv%u",
		       backend->address.family, backend->name, backend->address.family);
		refusal_right(refusal, "a prefix of each family: 192.0.2.0/24,2001:db8::/64");
		return -EINVAL;
	}
	return 0;
}

/* A weight so small beside the others that it might round to nothing: only the scheme itself can tell. */
static int check_shares(const struct model *model, const struct pool *pool, struct fault *fault,
			struct refusal *refusal)
{
	struct placement *placement = NULL;
	int error = pool_placement(model, pool, NULL, &placement, refusal);

	*fault = (struct fault){FAULT_POOL, pool, NULL, "backends"};
	for (size_t i = 0; error == -EINVAL && i < pool->backend_count; i++) {
		char member[NAME_SIZE + 8];

		snprintf(member, sizeof member, "member %s", pool->backends[i].name);
		if (refusal && strcmp(refusal->where, member) == 0)
			*fault = (struct fault){FAULT_BACKEND, &pool->backends[i], pool, "weight"};
	}
	placement_free(placement);
	return error;
}

static int check_weights(const struct model *model, const struct pool *pool, struct fault *fault,
			 struct refusal *refusal)
{
	uint64_t total = 0, least = UINT64_MAX;
	size_t weighted = 0;

	for (size_t i = 0; i < pool->backend_count; i++) {
		uint32_t weight = placed_weight(&pool->backends[i]);

		total += weight;
		weighted += weight > 0;
		if (weight && weight < least)
			least = weight;
	}
	*fault = (struct fault){FAULT_POOL, pool, NULL, "table_size"};
	if (weighted > pool->slots) {
		refuse(refusal, -EINVAL, "%zu backends with weight do not fit into %" PRIu32 " slots",
		       weighted, pool->slots);
		refusal_right(refusal, "a greater table_size, a hundred times the backends or more");
		return -EINVAL;
	}
	if (weighted == 0 || least * pool->slots >= total)
		return 0;
	return check_shares(model, pool, fault, refusal);
}

static int check_options(const struct pool *pool, struct fault *fault, struct refusal *refusal)
{
	int error;

	*fault = (struct fault){FAULT_POOL, pool, NULL, NULL};
	error = pool_options_check(pool, &fault->key, refusal);
	if (error == 0) {
		fault->key = "ranges";
		error = assignment_check(pool, refusal);
	}
	return error;
}

static int check_pool(const struct model *model, const struct pool *pool, struct fault *fault,
		      struct refusal *refusal)
{
	int error;

	*fault = (struct fault){FAULT_POOL, pool, NULL, "table_size"};
	error = placement_check_slots(pool->scheme, pool->slots, refusal);
	if (error == 0)
		error = check_backends(pool, fault, refusal);
	if (error == 0)
		error = check_options(pool, fault, refusal);
	if (error == 0)
		error = check_source(pool, fault, refusal);
	if (error == 0)
		error = check_weights(model, pool, fault, refusal);
	return error;
}

static int check_pools(const struct model *model, struct fault *fault, struct refusal *refusal)
{
	uint64_t slots = 0, backends = 0;

	for (size_t i = 0; i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];
		int error;

		*fault = (struct fault){FAULT_POOL, pool, NULL, "name"};
		if (i > 0 && strcmp(pool->name, model->pools[i - 1].name) == 0) {
			refuse(refusal, -EEXIST, "pool %s is there twice", pool->name);
			refusal_right(refusal, "a name of its own for each pool");
			return -EEXIST;
		}
		error = check_pool(model, pool, fault, refusal);
		if (error < 0)
			return error;
		slots += pool->slots;
		backends += pool->backend_count;
		*fault = (struct fault){FAULT_POOL, pool, NULL, "table_size"};
		if (slots > MAX_SLOTS) {
			refuse(refusal, -ENOSPC, "the tables of all pools would take more than %d slots",
			       MAX_SLOTS);
			refusal_right(refusal, "smaller tables, or services that share pools");
			return -ENOSPC;
		}
		*fault = (struct fault){FAULT_POOL, pool, NULL, "backends"};
		if (backends > MAX_BACKENDS) {
			refuse(refusal, -ENOSPC, "there are more than %d backends", MAX_BACKENDS);
			return -ENOSPC;
		}
	}
	return 0;
}

static int check_overlap(const struct service *a, const struct service *b, struct refusal *refusal)
{
	char a_text[LISTEN_TEXT], b_text[ENDPOINT_TEXT];

	if (a->proto != b->proto || !address_equal(&a->vip, &b->vip) || b->port_low > a->port_high)
		return 0;
	listen_text(&a->listen, a_text);
	if (service_order(a, b) == 0) {
		refuse(refusal, -EEXIST, "service %s is there twice", a_text);
		refusal_right(refusal, "one service for each protocol, address and port");
		return -EEXIST;
	}
	refuse(refusal, -EINVAL, "the ports of %s and %s overlap", a_text,
	       endpoint_text(&b->vip, b->port_low, b->port_high, b_text));
	refusal_right(refusal, "ports that belong to one service");
	return -EINVAL;
}

static int check_services(const struct model *model, struct fault *fault, struct refusal *refusal)
{
	for (size_t i = 0; i < model->service_count; i++) {
		const struct service *service = &model->services[i];
		int error;

		*fault = (struct fault){FAULT_SERVICE, service, NULL, "listen"};
		if (!address_unicast(&service->vip)) {
			refuse(refusal, -EINVAL, "a service cannot listen on this address");
			refusal_right(refusal, "a unicast address that clients can reach");
			return -EINVAL;
		}
		/* Sorted by lowest port and never overlapping so far: the neighbour alone can overlap. */
		error = i > 0 ? check_overlap(&model->services[i - 1], service, refusal) : 0;
		if (error < 0)
			return error;
		fault->key = "pool";
		if (!named_pool(model, service->pool, refusal))
			return -ENOENT;
	}
	return 0;
}

static int check_interfaces(const struct model *model, struct fault *fault, struct refusal *refusal)
{
	for (size_t i = 0; i < model->interface_count; i++) {
		const struct interface *interface = &model->interfaces[i];

		*fault = (struct fault){FAULT_INTERFACE, interface, NULL, "name"};
		if (i > 0 && strcmp(interface->name, model->interfaces[i - 1].name) == 0) {
			refuse(refusal, -EEXIST, "interface %s is there twice", interface->name);
			refusal_right(refusal, "one entry for each interface");
			return -EEXIST;
		}
		fault->key = "share";
		if (interface->share && interface->mode == MODE_GENERIC) {
			refuse(refusal, -EINVAL, "share does not go with mode generic");
			refusal_right(refusal, "mode native or auto, or no share");
			return -EINVAL;
		}
	}
	return 0;
}

static int check_count(size_t count, size_t limit, const char *key, struct fault *fault,
		       struct refusal *refusal)
{
	if (count <= limit)
		return 0;
	*fault = (struct fault){FAULT_MODEL, NULL, NULL, key};
	refuse(refusal, -ENOSPC, "%zu %s are more than an instance holds", count, key);
	refusal_right(refusal, "%zu at most", limit);
	return -ENOSPC;
}

int model_check_fault(const struct model *model, struct fault *ret_fault, struct refusal *refusal)
{
	struct fault fault = {0};
	int error;

	error = check_count(model->interface_count, HF_MAX_LINKS - 1, "interfaces", &fault, refusal);
	if (error == 0)
		error = check_count(model->pool_count, MAX_POOLS, "pools", &fault, refusal);
	if (error == 0)
		error = check_count(model->service_count, MAX_SERVICES, "services", &fault, refusal);
	if (error == 0)
		error = check_interfaces(model, &fault, refusal);
	if (error == 0)
		error = check_pools(model, &fault, refusal);
	if (error == 0)
		error = check_services(model, &fault, refusal);
	if (error < 0) {
		fault_where(&fault, refusal);
		*ret_fault = fault;
	}
	return error;
}

int model_check(const struct model *model, struct refusal *refusal)
{
	struct fault fault;

	return model_check_fault(model, &fault, refusal);
}
