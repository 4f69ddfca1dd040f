/* SPDX-License-Identifier: Apache-2.0 */
/* One pool's part of an image, put together. */
#include "image_pool.h"

#include <errno.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/pool_options.h"

/* Those that were replaced are in the order of their names too, and each follows its name's member. */
static void link_older(const struct pool *pool, struct pool_image *image)
{
	size_t members = pool_members(pool), member = 0;

	for (size_t i = members; i < pool->backend_count; i++) {
		const char *name = pool->backends[i].name;

		if (i > members && strcmp(pool->backends[i - 1].name, name) == 0) {
			image->members[i - 1].older = (uint16_t)(i + 1);
			continue;
		}
		while (member < members && strcmp(pool->backends[member].name, name) < 0)
			member++;
		if (member < members && strcmp(pool->backends[member].name, name) == 0)
			image->members[member].older = (uint16_t)(i + 1);
	}
}

/* Backends and members are both in the order of their names. */
static int fill_members(struct pool_job *job, struct pool_image *image)
{
	const struct pool *pool = job->pool;

	image->members = calloc(pool->backend_count + 1, sizeof *image->members);
	if (!image->members)
		return -ENOMEM;
	image->member_count = pool->backend_count;
	for (size_t i = 0; i < pool->backend_count; i++) {
		uint16_t number = ledger_backend(job->ledger, pool->name, &pool->backends[i]);
		const struct backend_image *backend = image_backend(job->image, number);
		uint8_t flags = backend->entry.flags;
		bool lives = flags & (HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP);

		image->members[i] = (struct pool_member){.number = number,
							 .takes_new = flags & HF_BACKEND_TAKES_NEW,
							 .rests = backend_rests(&pool->backends[i]),
							 .serves = flags & HF_BACKEND_SERVES_TCP,
							 .answers = backend->answers,
							 .weight = placed_weight(&pool->backends[i])};
		job->states[number] =
			(uint8_t)((lives ? BACKEND_LIVES : 0) |
				  (image->members[i].serves ? BACKEND_SERVES : 0) |
				  (image->members[i].serves && image->members[i].weight ? BACKEND_ABLE : 0) |
				  (backend->answers ? BACKEND_ANSWERS : 0));
	}
	link_older(pool, image);
	return 0;
}

static uint64_t pool_digest(const struct pool_image *image, const struct pool *pool)
{
	const uint64_t parts[] = {shared_placement_digest(image->shared_placement), image->table.hash,
				  HF_FLOWHASH_VERSION, pool_options_digest(&pool->options)};

	return XXH64(parts, sizeof parts, 0);
}

/* A service that was removed may come back a moment later, and its silent flows with it. So its moving slots
 * go on moving for as long as those flows may live. Words read back from the maps do not say how long that
 * is.
 */
static uint32_t idle_without_service(const struct pool_image *before)
{
	if (!before || (!before->moving && !before->table.old_size))
		return 0;
	return before->idle ? before->idle : TCP_IDLE_DEFAULT;
}

/* Flows of services that remember none have nothing to wait for. */
static uint32_t pool_idle(const struct pool_job *job)
{
	const struct model *model = job->model;
	bool served = false;
	uint32_t idle = 0;

	for (size_t i = 0; i < model->service_count; i++) {
		const struct service *service = &model->services[i];

		if (strcmp(service->pool, job->pool->name) != 0)
			continue;
		served = true;
		if (service->track != HF_TRACK_NEVER && service_idle(service) > idle)
			idle = service_idle(service);
	}
	return served ? idle : idle_without_service(job->before);
}

static void fill_table(const struct pool_job *job, struct pool_image *image)
{
	strcpy(image->name, job->pool->name);
	image->number = ledger_pool(job->ledger, job->pool->name);
	image->idle = pool_idle(job);
	image->table = (struct hf_table){.size = job->pool->slots,
					 .seed = pool_seed(job->model, job->pool),
					 .pool = image->number,
					 .hash = job->pool->hash};
}

static int build_parts(struct pool_job *job, struct pool_image *image)
{
	int error = fill_members(job, image);

	if (error == 0)
		error = shared_words_get(job, image);
	if (error == 0)
		error = shared_former_get(job, image);
	if (error == 0)
		error = shared_hops_get(job, image);
	/* The walk finds them again; kept, they would be most of what an instance of many pools holds. */
	placement_forget_preferences(image->placement);
	return error;
}

int pool_image_build(struct pool_image *ret, struct pool_job *job, struct refusal *refusal)
{
	int error;

	fill_table(job, ret);
	error = shared_placement_get(job, ret, refusal);
	if (error < 0) {
		refusal_where(refusal, "pool %s", job->pool->name);
		return error;
	}
	ret->digest = pool_digest(ret, job->pool);
	error = build_parts(job, ret);
	for (size_t i = 0; ret->members && i < job->pool->backend_count; i++)
		job->states[ret->members[i].number] = 0; /* the next pool's job starts clean */
	if (error < 0)
		pool_image_release(ret);
	return error;
}

void pool_image_release(struct pool_image *image)
{
	if (!image->shared_words) { /* read back from the maps, or never finished */
		free((void *)image->words);
		free((void *)image->since);
	}
	if (!image->shared_hops)
		free((void *)image->hops);
	shared_words_drop(image->shared_words);
	shared_former_drop(image->shared_former);
	shared_hops_drop(image->shared_hops);
	shared_placement_drop(image->shared_placement);
	free(image->members);
	*image = (struct pool_image){0};
}
