/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include <arpa/inet.h>
#include <errno.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "image_pool.h"
#include "model_edit.h"

/* Services ---------------------------------------------------------------------- */

static int fill_service(const struct ledger *ledger, const struct service *service, struct hf_service *ret)
{
	struct hf_service entry = {.pool = ledger_pool(ledger, service->pool), .idle = service_idle(service)};

	entry.number = ledger_service(ledger, service, &entry.counters, &entry.ordinals);
	if (!entry.number || !entry.pool)
		return -EINVAL;
	memcpy(entry.key.addr, service->vip.bytes, sizeof entry.key.addr);
	entry.key.port = htons(service->port_low);
	entry.key.proto = service->proto;
	entry.key.kind = service->vip.family == 6 ? 0x20 : 0;
	entry.track = service->track;
	*ret = entry;
	return 0;
}

static int build_services(const struct model *model, const struct ledger *ledger, struct image *image,
			  struct refusal *refusal)
{
	struct hf_service *services = calloc(model->service_count + 1, sizeof *services);
	uint16_t *highs = calloc(model->service_count + 1, sizeof *highs);
	int error = services && highs ? 0 : -ENOMEM;

	for (size_t i = 0; error == 0 && i < model->service_count; i++) {
		error = fill_service(ledger, &model->services[i], &services[i]);
		highs[i] = model->services[i].port_high;
	}
	if (error == 0)
		error = directory_build(services, highs, model->service_count, &image->directory);
	if (error == -ENOSPC) {
		refuse(refusal, -ENOSPC, "the services do not fit into a directory of %d entries",
		       HF_MAX_SERVICES / 2);
		refusal_right(refusal,
			      "fewer services, and ranges of ports that start and end at powers of two");
	}
	free(services);
	free(highs);
	return error;
}

/* Backends ------------------------------------------------------------------------ */

static int backend_image_order(const void *a, const void *b)
{
	const struct backend_image *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

static int build_backends(const struct model *model, const struct ledger *ledger, const struct image *before,
			  health_of health, void *context, struct image *image)
{
	size_t count = 0;

	(void)before;
	for (size_t i = 0; i < model->pool_count; i++)
		count += model->pools[i].backend_count;
	image->backends = calloc(count + 1, sizeof *image->backends);
	if (!image->backends)
		return -ENOMEM;
	for (size_t i = 0; i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];

		for (size_t j = 0; j < pool->backend_count; j++) {
			struct backend_image *backend = &image->backends[image->backend_count];
			enum health_state state = HEALTH_UNKNOWN;

			if (health)
				state = health(context, pool->name, pool->backends[j].name);
			backend_image_fill(backend, ledger, pool, &pool->backends[j], state);
			if (!backend->number)
				return -EINVAL;
			image->backend_count++;
		}
	}
	if (count)
		qsort(image->backends, count, sizeof *image->backends, backend_image_order);
	return 0;
}

const struct backend_image *image_backend(const struct image *image, uint16_t number)
{
	struct backend_image key = {.number = number};

	if (!image->backend_count)
		return NULL;
	return bsearch(&key, image->backends, image->backend_count, sizeof key, backend_image_order);
}

/* Pools --------------------------------------------------------------------------- */

static int build_pools(const struct model *model, const struct ledger *ledger, const struct image *before,
		       struct image *image, struct refusal *refusal)
{
	image->pools = calloc(model->pool_count + 1, sizeof *image->pools);
	if (!image->pools)
		return -ENOMEM;
	for (size_t i = 0; i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];
		int error;

		error = pool_image_build(&image->pools[i], model, pool, ledger, image,
					 before ? image_pool_numbered(before, ledger_pool(ledger, pool->name))
						: NULL,
					 refusal);
		if (error < 0)
			return error;
		image->pool_count++;
	}
	return 0;
}

static int pool_image_order(const void *name, const void *image)
{
	return strcmp(name, ((const struct pool_image *)image)->name);
}

const struct pool_image *image_pool(const struct image *image, const char *name)
{
	if (!image->pool_count)
		return NULL;
	return bsearch(name, image->pools, image->pool_count, sizeof *image->pools, pool_image_order);
}

const struct pool_image *image_pool_numbered(const struct image *image, uint32_t number)
{
	for (size_t i = 0; i < image->pool_count; i++)
		if (image->pools[i].number == number)
			return &image->pools[i];
	return NULL;
}

int image_build(const struct model *model, const struct ledger *ledger, const struct image *before,
		health_of health, void *context, uint32_t now, struct image **ret, struct refusal *refusal)
{
	struct image *image = calloc(1, sizeof *image);
	int error;

	(void)now;
	if (!image)
		return -ENOMEM;
	error = build_services(model, ledger, image, refusal);
	if (error == 0)
		error = build_backends(model, ledger, before, health, context, image);
	if (error == 0)
		error = build_pools(model, ledger, before, image, refusal);
	if (error < 0) {
		image_free(image);
		return error;
	}
	*ret = image;
	return 0;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	directory_free(&image->directory);
	for (size_t i = 0; i < image->pool_count; i++)
		pool_image_release(&image->pools[i]);
	free(image->pools);
	free(image->backends);
	free(image);
}

void image_lend_words(struct image *image, size_t pool, const uint64_t *words)
{
	pool_image_lend(&image->pools[pool], words);
}
