/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include <arpa/inet.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "image_pool.h"

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
	entry.key.kind = hf_kind(service->vip.family, 0);
	entry.track = service->track;
	*ret = entry;
	return 0;
}

static int build_services(const struct model *model, const struct ledger *ledger, const struct image *before,
			  struct image *image, struct refusal *refusal)
{
	struct hf_service *services = calloc(model->service_count + 1, sizeof *services);
	uint16_t *highs = calloc(model->service_count + 1, sizeof *highs);
	int error = services && highs ? 0 : -ENOMEM;

	for (size_t i = 0; error == 0 && i < model->service_count; i++) {
		error = fill_service(ledger, &model->services[i], &services[i]);
		highs[i] = model->services[i].port_high;
	}
	if (error == 0)
		error = directory_build(services, highs, model->service_count,
					before ? &before->directory : NULL, &image->directory);
	if (error == -ENOSPC) {
		refuse(refusal, -ENOSPC,
		       "the services need more than %d entries: one for each service, up to 30 for a range "
		       "of ports, and one for each address",
		       DIRECTORY_MAX_ENTRIES);
		refusal_right(refusal,
			      "fewer services, and ranges of ports that start and end at powers of two");
	}
	free(services);
	free(highs);
	return error;
}

/* Backends ------------------------------------------------------------------------ */

static int build_backends(const struct model *model, const struct ledger *ledger, const struct moment *moment,
			  struct image *image)
{
	size_t count = 0;

	for (size_t i = 0; i < model->pool_count; i++)
		count += model->pools[i].backend_count;
	image->backends = calloc(count + 1, sizeof *image->backends);
	if (!image->backends)
		return -ENOMEM;
	for (size_t i = 0; i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];

		for (size_t j = 0; j < pool->backend_count; j++) {
			struct backend_image *backend = &image->backends[image->backend_count++];

			backend_image_fill(backend, image, ledger, pool, &pool->backends[j], moment);
			if (!backend->number)
				return -EINVAL;
		}
	}
	if (count)
		qsort(image->backends, count, sizeof *image->backends, backend_image_order);
	return 0;
}

/* Pools --------------------------------------------------------------------------- */

static int build_pools(const struct model *model, const struct ledger *ledger, const struct image *before,
		       const struct moment *moment, struct image *image, struct refusal *refusal)
{
	struct pool_job job = {.model = model, .ledger = ledger, .moment = moment, .image = image};
	int error = 0;

	image->pools = calloc(model->pool_count + 1, sizeof *image->pools);
	job.states = calloc(HF_MAX_BACKENDS, sizeof *job.states);
	if (!image->pools || !job.states)
		error = -ENOMEM;
	for (size_t i = 0; error == 0 && i < model->pool_count; i++) {
		uint32_t number = ledger_pool(ledger, model->pools[i].name);

		job.pool = &model->pools[i];
		job.before = before ? image_pool_numbered(before, number) : NULL;
		error = pool_image_build(&image->pools[i], &job, refusal);
		image->pool_count += error == 0;
	}
	free(job.states);
	return error;
}

int image_build(const struct model *model, const struct ledger *ledger, const struct image *before,
		const struct moment *moment, struct image **ret, struct refusal *refusal)
{
	struct image *image = calloc(1, sizeof *image);
	int error;

	if (!image)
		return -ENOMEM;
	error = build_services(model, ledger, before, image, refusal);
	if (error == 0)
		error = build_backends(model, ledger, moment, image);
	if (error == 0)
		error = build_pools(model, ledger, before, moment, image, refusal);
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

void image_lend_words(struct image *image, size_t pool, const uint64_t *words, const uint32_t *since)
{
	shared_words_lend(&image->pools[pool], words, since);
}
