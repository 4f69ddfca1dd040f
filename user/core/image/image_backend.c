/* SPDX-License-Identifier: Apache-2.0 */
/* A backend's entry: how packets are wrapped for it, and which flows it takes at this moment. */
#include <arpa/inet.h>
#include <holdfast/outer.h>
#include <string.h>

#include "image_pool.h"

/* A prefix over which the flow's hash spreads: its host bits, of an address's last word. */
static void backend_source_fill(struct backend_image *image, const struct prefix *source)
{
	struct hf_backend *entry = &image->entry;
	unsigned int most = source->address.family == 4 ? 32 : 128;
	unsigned int host = most - source->bits;

	image->source_from_route = !source->address.family;
	memcpy(entry->src, source->address.bytes, sizeof entry->src);
	if (source->address.family && host)
		entry->src_mask = htonl(host >= 32 ? UINT32_MAX : (1U << host) - 1);
}

static void backend_entry_fill(struct backend_image *image, const struct pool *pool,
			       const struct backend *backend)
{
	struct hf_backend *entry = &image->entry;

	memcpy(entry->dst, backend->address.bytes, sizeof entry->dst);
	entry->family = backend->address.family;
	entry->encap = pool->encap;
	entry->gue_port = pool->encap == HF_ENCAP_GUE ? htons(pool->gue_port) : 0;
	backend_source_fill(image, backend->address.family == 4 ? &pool->source4 : &pool->source6);
	if (entry->family == HF_IPV4)
		entry->csum = hf_outer_csum(entry->src[0], entry->dst[0]);
}

static struct health health_of(const struct pool *pool, const struct backend *backend,
			       const struct moment *moment)
{
	if (moment->health)
		return moment->health(moment->context, pool->name, backend);
	return (struct health){.state = health_stated(backend->health), .since = moment->now - HEALTH_LONG};
}

static void expect(struct image *image, uint32_t at)
{
	if (!image->next || at < image->next)
		image->next = at;
}

/* Whether flows of a protocol stay on a backend that went down then. */
static bool in_grace(struct image *image, uint32_t since, uint32_t grace, uint32_t now)
{
	uint32_t age = now - since;

	if (age >= grace)
		return false;
	expect(image, now + grace - age);
	return true;
}

static bool is_cut(struct image *image, const struct backend *backend, const struct moment *moment)
{
	if (backend->admin != ADMIN_DRAINING || !backend->deadline)
		return backend->admin == ADMIN_DISABLED;
	if (moment->wall >= backend->deadline)
		return true;
	expect(image, moment->now + (uint32_t)((backend->deadline - moment->wall + 999) / 1000));
	return false;
}

void backend_image_fill(struct backend_image *ret, struct image *image, const struct ledger *ledger,
			const struct pool *pool, const struct backend *backend, const struct moment *moment)
{
	const struct health health = health_of(pool, backend, moment);
	const bool down = health.state == HEALTH_DOWN;

	ret->number = ledger_backend(ledger, pool->name, backend);
	ret->address = backend->address;
	ret->entry.ordinal = ledger_ordinal(ledger, ret->number);
	backend_entry_fill(ret, pool, backend);
	ret->answers = down && health.answers;
	if (backend->admin == ADMIN_ACTIVE && !down && backend->weight)
		ret->entry.flags |= HF_BACKEND_TAKES_NEW;
	if (is_cut(image, backend, moment))
		return;
	if (!down || in_grace(image, health.since, pool->tcp_grace, moment->now))
		ret->entry.flags |= HF_BACKEND_SERVES_TCP;
	if (!down || in_grace(image, health.since, pool->udp_grace, moment->now))
		ret->entry.flags |= HF_BACKEND_SERVES_UDP;
}
