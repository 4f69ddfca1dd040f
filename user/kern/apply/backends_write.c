// SPDX-License-Identifier: Apache-2.0
/*
 * Backends change while packets read them, by one store a field. A packet reads every field once, so it sees
 * the old or the new value of each, and most mixtures do no harm: the checksum of an outer IPv4 header is
 * made of the source that was read. Two mixtures do harm: a source and a mask of different prefixes, because
 * the hash would fill the wrong bits of the source; and GUE with a port that is gone. A change that would
 * allow one of them is made in two halves, with a grace period between: a packet that has read an old value
 * is through when the second half comes.
 *
 * One mixture is left: an outer IPv6 source is two words, and if both change, a packet may have one old and
 * one new word.
 */
#include "apply_parts.h"

#include <string.h>

#define STORE_ONCE(field, value) (*(volatile typeof(field) *)&(field) = (value))

static bool same_place(const struct hf_backend *a, const struct hf_backend *b)
{
	return a->family == b->family && !memcmp(a->dst, b->dst, sizeof a->dst);
}

/* No packet reads it: its number is named by no slot, or was given up long ago. The next hop that makes it
 * one to send to comes last all the same. */
static void backend_place(struct hf_backend *backend, const struct hf_backend *entry)
{
	__atomic_store_n(&backend->next_hop, 0, __ATOMIC_RELEASE);
	memcpy((char *)backend + sizeof backend->next_hop, (const char *)entry + sizeof entry->next_hop,
	       sizeof *backend - sizeof backend->next_hop);
	__atomic_store_n(&backend->next_hop, entry->next_hop, __ATOMIC_RELEASE);
}

/* The source that the route told stays while the route tells none. */
static bool keeps_source(const struct backend_image *image)
{
	static const __be32 none[4];

	return image->source_from_route && !memcmp(image->entry.src, none, sizeof none);
}

static void source_write(struct hf_backend *backend, const struct backend_image *image)
{
	if (keeps_source(image))
		return;
	for (size_t i = 0; i < sizeof backend->src / sizeof *backend->src; i++)
		STORE_ONCE(backend->src[i], image->entry.src[i]);
	backend->csum = image->entry.csum; /* read by programs of before */
}

/* A mask that loses bits goes before its source, and one that gets more comes after it. Masks are low bits,
 * so that one always has the bits of the other. */
static bool mask_shrinks(const struct hf_backend *backend, const struct hf_backend *entry)
{
	return backend->src_mask & ~entry->src_mask;
}

/* What the entry gets before the grace period. Returns whether there is more, which must wait for it. */
static bool entry_change_first(struct hf_backend *backend, const struct backend_image *image)
{
	const struct hf_backend *entry = &image->entry;
	bool first_mask = mask_shrinks(backend, entry);

	if (first_mask)
		STORE_ONCE(backend->src_mask, entry->src_mask);
	else
		source_write(backend, image);
	if (entry->gue_port)
		STORE_ONCE(backend->gue_port, entry->gue_port);
	/* A packet that sees the encapsulation sees its port. */
	__atomic_store_n(&backend->encap, entry->encap, __ATOMIC_RELEASE);
	if (entry->mtu)
		__atomic_store_n(&backend->mtu, entry->mtu, __ATOMIC_RELAXED);
	__atomic_store_n(&backend->ordinal, entry->ordinal, __ATOMIC_RELAXED);
	__atomic_store_n(&backend->flags, entry->flags, __ATOMIC_RELEASE);
	return first_mask || backend->src_mask != entry->src_mask || backend->gue_port != entry->gue_port;
}

static void backend_finish(struct hf_backend *backend, const struct backend_image *image)
{
	source_write(backend, image);
	STORE_ONCE(backend->src_mask, image->entry.src_mask);
	STORE_ONCE(backend->gue_port, image->entry.gue_port);
}

/* The next hop that was found for a number stays while it leads to the same place. */
static bool backend_write(struct dataplane *dataplane, const struct backend_image *image)
{
	struct hf_backend *backend = &dataplane->backends[image->number];

	bit_clear(dataplane->retired_backends, image->number);
	if (same_place(backend, &image->entry))
		return entry_change_first(backend, image);
	backend_place(backend, &image->entry);
	return false;
}

/* Where the kernel gives no grace period the second half follows at once: that is one packet, not a
 * connection. */
void backends_write(struct dataplane *dataplane, const struct plan *plan)
{
	bool more = false;

	for (size_t i = 0; i < plan->backend_count; i++)
		if (plan->backends[i].image)
			more = backend_write(dataplane, plan->backends[i].image) || more;
	if (!more)
		return;
	packets_wait();
	for (size_t i = 0; i < plan->backend_count; i++) {
		const struct backend_image *image = plan->backends[i].image;

		if (image)
			backend_finish(&dataplane->backends[image->number], image);
	}
}

/* Its flows leave before its entry is cleared; that waits for packets that have read the entry. */
void backends_retire(struct dataplane *dataplane, const struct plan *plan)
{
	for (size_t i = 0; i < plan->backend_count; i++) {
		uint16_t number = plan->backends[i].number;

		if (plan->backends[i].image)
			continue;
		__atomic_store_n(&dataplane->backends[number].flags, 0, __ATOMIC_RELEASE);
		bit_set(dataplane->retired_backends, number);
		dataplane->backends_retired = true;
	}
}
