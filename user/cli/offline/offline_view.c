// SPDX-License-Identifier: Apache-2.0
/* What is loaded, as the API's objects. */
#include <errno.h>
#include <holdfast/slot.h>
#include <limits.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/model/sender.h"
#include "kern/base/carrier.h"
#include "kern/instance/attachments.h"
#include "offline.h"

/* What is found of each backend. */
struct tally {
	uint32_t pool;  /* number; 0: in no pool's slots */
	uint32_t slots; /* that it owns */
	bool reached;   /* its packets have a next hop, and its interface carries them */
	struct hf_counters counters;
	bool seen, unseen; /* its pool has services whose flows are seen to begin, and others */
};

static void counters_add(struct hf_counters *sum, const struct hf_counters *more)
{
	sum->packets += more->packets;
	sum->bytes += more->bytes;
	sum->flows += more->flows;
}

static void tally_slots(const struct image *loaded, struct tally *tallies)
{
	for (size_t i = 0; i < loaded->pool_count; i++) {
		const struct pool_image *pool = &loaded->pools[i];

		for (uint32_t slot = 0; slot < pool->table.size; slot++) {
			struct tally *tally = &tallies[hf_slot_owner(pool->words[slot])];

			tally->pool = pool->number;
			tally->slots++;
		}
	}
}

static void tally_reached(const struct offline *offline, struct tally *tallies)
{
	uint32_t last = 0;
	bool carries = false;
	uint8_t mac[6];

	for (size_t i = 0; i < offline->loaded->backend_count; i++) {
		uint16_t number = offline->loaded->backends[i].number;
		uint32_t ifindex = dataplane_next_hop(offline->dataplane, number, mac);

		if (ifindex != last)
			carries = carrier_ask(ifindex) == LINK_CARRIES;
		last = ifindex;
		tallies[number].reached = ifindex && carries;
	}
}

/* What one pass over the pins finds. */
struct census {
	const struct hf_service **services; /* one entry a service, also where a range of ports has several */
	size_t service_count;
	struct tally *tallies; /* by backend number */
};

static void census_free(struct census *census)
{
	free(census->services);
	free(census->tallies);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct hf_service *const *first = a, *const *second = b;

	return (int)(*first)->number - (int)(*second)->number;
}

static void census_services(const struct directory *directory, bool *seen, struct census *census)
{
	uint32_t size = directory->entries ? 1u << directory->log2 : 0;

	for (uint32_t i = 0; i < size; i++) {
		const struct hf_service *service = &directory->entries[i];

		if (!service->key.proto || service->key.proto == HF_PROTO_VIP || seen[service->number])
			continue;
		seen[service->number] = true;
		census->services[census->service_count++] = service;
	}
	qsort(census->services, census->service_count, sizeof *census->services, compare_numbers);
}

static void note_beginnings(const struct hf_service *service, struct tally *tally)
{
	if (beginnings_seen(service->key.proto, service->track))
		tally->seen = true;
	else
		tally->unseen = true;
}

/* Reads a service's counters; adds them to its sum, and to its backends' where tallies is not NULL. */
static int service_count(const struct offline *offline, const struct hf_service *service,
			 struct hf_counters *ret, struct tally *tallies)
{
	struct hf_counters *counters = calloc(service->ordinals + 1, sizeof *counters);
	int r = counters ? dataplane_counters(offline->dataplane, service->counters, service->ordinals,
					      counters)
			 : -ENOMEM;

	*ret = (struct hf_counters){.packets = 0};
	for (uint32_t i = 0; !r && i < service->ordinals; i++)
		counters_add(ret, &counters[i]);
	for (size_t i = 0; !r && tallies && i < offline->loaded->backend_count; i++) {
		const struct backend_image *backend = &offline->loaded->backends[i];
		struct tally *tally = &tallies[backend->number];

		if (tally->pool != service->pool || backend->entry.ordinal >= service->ordinals)
			continue;
		counters_add(&tally->counters, &counters[backend->entry.ordinal]);
		note_beginnings(service, tally);
	}
	free(counters);
	return r;
}

/* What the last generation says of it; nothing where there is no database. */
static const struct backend *stored_backend(const struct offline *offline, const char *pool, const char *name)
{
	const struct pool *stored = model_pool(offline->model, pool);

	return stored ? pool_backend(stored, name) : NULL;
}

/* A daemon that died may have left the entry of a backend that it had just removed. */
static bool was_removed(const struct offline *offline, uint16_t number)
{
	char label[BACKEND_TEXT];
	const char *pool, *name;
	struct address address;

	return ledger_backend_name(offline->ledger, number, &pool, &name, &address) &&
	       !stored_backend(offline, pool, model_label(offline->model, pool, name, &address, label));
}

/* A backend that owns no slot is still in the pool the ledger says. */
static void tally_names(const struct offline *offline, struct tally *tallies)
{
	for (size_t i = 0; i < offline->loaded->backend_count; i++) {
		uint16_t number = offline->loaded->backends[i].number;
		const char *pool, *name;
		struct address address;

		if (!was_removed(offline, number) &&
		    ledger_backend_name(offline->ledger, number, &pool, &name, &address))
			tallies[number].pool = ledger_pool(offline->ledger, pool);
	}
}

static int census_take(const struct offline *offline, struct census *ret)
{
	const struct directory *directory = &offline->loaded->directory;
	bool *seen = calloc(UINT16_MAX + 1, sizeof *seen);
	struct census census = {
		.services = calloc(directory->entries ? (size_t)1 << directory->log2 : 1,
				   sizeof *census.services),
		.tallies = calloc(HF_MAX_BACKENDS, sizeof *census.tallies),
	};
	struct hf_counters sum;
	int r = 0;

	if (!seen || !census.services || !census.tallies)
		r = -ENOMEM;
	if (!r) {
		census_services(directory, seen, &census);
		tally_slots(offline->loaded, census.tallies);
		tally_names(offline, census.tallies);
		tally_reached(offline, census.tallies);
	}
	for (size_t i = 0; !r && i < census.service_count; i++)
		r = service_count(offline, census.services[i], &sum, census.tallies);
	free(seen);
	if (r)
		census_free(&census);
	else
		*ret = census;
	return r;
}

static void set_counters(json_t *object, const struct tally *tally)
{
	const struct hf_counters *counters = &tally->counters;
	bool blind = tally->unseen && !tally->seen;

	json_object_set_new(object, "packets", json_integer((json_int_t)counters->packets));
	json_object_set_new(object, "bytes", json_integer((json_int_t)counters->bytes));
	json_object_set_new(object, "flows", blind ? json_null() : json_integer((json_int_t)counters->flows));
	json_object_set_new(object, "flows_unseen", json_boolean(tally->unseen));
	json_object_set_new(object, "new_per_second", json_null());
	json_object_set_new(object, "packets_per_second", json_null());
	json_object_set_new(object, "bits_per_second", json_null());
}

static bool takes_new(const struct backend_image *backend)
{
	return backend->entry.flags & HF_BACKEND_TAKES_NEW;
}

static json_t *service_view(const struct offline *offline, const struct hf_service *service,
			    const struct tally *tallies)
{
	char name[LABEL_TEXT], pool[LABEL_TEXT];
	struct tally sum = {.pool = service->pool};
	json_int_t up = 0, all = 0;
	json_t *view;

	for (size_t i = 0; i < offline->loaded->backend_count; i++) {
		const struct backend_image *backend = &offline->loaded->backends[i];

		if (tallies[backend->number].pool != service->pool)
			continue;
		all++;
		up += takes_new(backend) && tallies[backend->number].reached;
	}
	service_count(offline, service, &sum.counters, NULL);
	note_beginnings(service, &sum);
	view = json_pack("{s:s, s:s, s:I, s:I}", "service", offline_service_name(offline, service, name),
			 "pool", offline_pool_name(offline, service->pool, pool), "up", up, "backends", all);
	set_counters(view, &sum);
	return view;
}

static json_t *services_view(const struct offline *offline, const struct census *census)
{
	json_t *list = json_array();

	for (size_t i = 0; i < census->service_count; i++)
		json_array_append_new(list, service_view(offline, census->services[i], census->tallies));
	return list;
}

json_t *offline_next_hop(const struct hf_backend *entry)
{
	const uint8_t *mac = (const uint8_t *)&entry->next_hop;
	char text[18];

	if (!(entry->next_hop >> 48))
		return json_pack("{s:b, s:s}", "resolved", 0, "problem", "no MAC address yet");
	snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		 mac[5]);
	return json_pack("{s:b, s:s, s:I}", "resolved", 1, "mac", text, "mtu", (json_int_t)entry->mtu);
}

static enum health_state stated_health(const struct backend *stored)
{
	static const enum health_state states[] = {[HEALTH_AUTO] = HEALTH_UNKNOWN,
						   [HEALTH_FORCED_UP] = HEALTH_UP,
						   [HEALTH_FORCED_DOWN] = HEALTH_DOWN};

	return stored ? states[stored->health] : HEALTH_UNKNOWN;
}

static json_t *backend_view(const struct offline *offline, const struct backend_image *backend,
			    const struct tally *tally)
{
	const char *pool, *name, *note = "takes no new flows";
	char text[LABEL_TEXT], address[ADDRESS_TEXT];
	const struct backend *stored;
	json_t *view = json_object();

	offline_backend_names(offline, backend->number, &pool, &name, text);
	stored = stored_backend(offline, pool, name);
	if (takes_new(backend))
		note = backend->entry.next_hop >> 48 ? "" : "its next hop has no MAC address yet";
	json_object_set_new(view, "pool", json_string(pool));
	json_object_set_new(view, "name", json_string(name));
	json_object_set_new(view, "address", json_string(address_text(&backend->address, address)));
	json_object_set_new(view, "weight", stored ? json_integer(stored->weight) : json_null());
	json_object_set_new(view, "admin", json_string(stored ? admin_name(stored->admin) : "-"));
	json_object_set_new(view, "health", json_string(health_name(stated_health(stored))));
	json_object_set_new(view, "slots", json_integer(tally->slots));
	json_object_set_new(view, "remembered", json_null());
	json_object_set_new(view, "number", json_integer(backend->number));
	json_object_set_new(view, "next_hop", offline_next_hop(&backend->entry));
	json_object_set_new(view, "note", json_string(note));
	set_counters(view, tally);
	return view;
}

static json_t *backends_view(const struct offline *offline, const struct tally *tallies, const char *only)
{
	json_t *list = json_array();

	for (size_t i = 0; i < offline->loaded->backend_count; i++) {
		const struct backend_image *backend = &offline->loaded->backends[i];
		json_t *view;

		if (was_removed(offline, backend->number) && !tallies[backend->number].slots)
			continue;
		view = backend_view(offline, backend, &tallies[backend->number]);
		if (only && strcmp(only, json_string_value(json_object_get(view, "pool"))))
			json_decref(view);
		else
			json_array_append_new(list, view);
	}
	return list;
}

static const char *attachment_problem(const struct attachment *attachment, char text[64])
{
	if (attachment->elsewhere)
		return "it is in another network namespace";
	if (!strcmp(attachment->interface, attachment->pinned) || attachment->pinned[0] == '#')
		return NULL;
	snprintf(text, 64, "it was attached as %s", attachment->pinned);
	return text;
}

static int attachment_view(const struct attachment *attachment, void *list)
{
	char problem[64];

	return json_array_append_new(
		       list,
		       json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:s?}", "name", attachment->interface,
				 "mode", mode_name(attachment->generic ? MODE_GENERIC : MODE_NATIVE), "state",
				 "attached", "program", attachment->tag, "program_id",
				 (json_int_t)attachment->program, "link_id", (json_int_t)attachment->link,
				 "problem", attachment_problem(attachment, problem)))
		       ? -ENOMEM
		       : 0;
}

json_t *offline_interfaces(const struct offline *offline)
{
	json_t *list = json_array();

	dataplane_attachments(offline->dataplane, attachment_view, list);
	return list;
}

static json_t *pools_view(const struct offline *offline)
{
	json_t *list = json_array();

	for (size_t i = 0; i < offline->loaded->pool_count; i++) {
		const struct pool_image *pool = &offline->loaded->pools[i];
		char name[LABEL_TEXT];
		const struct pool *stored;
		json_int_t moving = 0;

		offline_pool_name(offline, pool->number, name);
		stored = model_pool(offline->model, name);
		for (uint32_t slot = 0; slot < pool->table.size; slot++)
			moving += hf_slot_is_moving(pool->words[slot]);
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:I, s:I, s:n, s:s, s:s}", "name", name, "scheme",
						stored ? placement_scheme_name(stored->scheme) : "-", "slots",
						(json_int_t)pool->table.size, "moving", moving, "settles_in",
						"table", "-", "history", "-"));
	}
	return list;
}

static int append_carrier(const struct attachment *attachment, void *list)
{
	char text[CARRIER_TEXT];
	const char *problem = attachment->elsewhere ? NULL
						    : carrier_problem(carrier_ask(attachment->ifindex),
								      attachment->interface, text);

	if (problem)
		json_array_append_new(list, json_sprintf("interface %s: %s", attachment->interface, problem));
	return 0;
}

static json_t *problems_view(const struct offline *offline)
{
	const struct refusal *unknown = &offline->unknown;
	json_t *list = json_array();

	if (unknown->what[0])
		json_array_append_new(
			list, json_sprintf("%s: %s: holdfastd will not start: restore the database, or "
					   "`holdfastd --fresh --config FILE`",
					   unknown->where, unknown->what));
	dataplane_attachments(offline->dataplane, append_carrier, list);
	return list;
}

json_t *offline_status(const struct offline *offline)
{
	char host[HOST_NAME_MAX + 1] = "";
	struct census census;
	json_t *status;

	if (census_take(offline, &census))
		return NULL;
	status = json_object();
	gethostname(host, sizeof host - 1);
	json_object_set_new(status, "host", json_string(host));
	json_object_set_new(status, "instance", json_string(offline->call->instance));
	json_object_set_new(status, "state", json_string("offline"));
	json_object_set_new(status, "problems", problems_view(offline));
	json_object_set(status, "generation", offline->generation ? offline->generation : json_null());
	json_object_set_new(status, "interfaces", offline_interfaces(offline));
	json_object_set_new(status, "services", services_view(offline, &census));
	json_object_set_new(status, "pools", pools_view(offline));
	json_object_set_new(status, "flows", json_null());
	json_object_set_new(status, "warnings", json_array());
	census_free(&census);
	return status;
}

json_t *offline_backends(const struct offline *offline, const char *pool)
{
	struct census census;
	json_t *view;

	if (census_take(offline, &census))
		return NULL;
	view = json_pack("{s:o}", "backends", backends_view(offline, census.tallies, pool));
	census_free(&census);
	return view;
}

static json_t *reasons_view(const struct offline *offline)
{
	static const struct {
		unsigned number;
		const char *word, *verdict;
	} reasons[] = {
#define PASS                                     "pass"
#define DROP                                     "drop"
#define X(name, number, word, verdict, sentence) {number, word, verdict},
		HF_REASONS(X)
#undef X
#undef PASS
#undef DROP
	};
	struct hf_reason_counter counts[HF_REASON_LIMIT];
	json_t *list = json_array();

	if (dataplane_reasons(offline->dataplane, counts))
		return list;
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
		const struct hf_reason_counter *count = &counts[reasons[i].number];

		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:n}", "reason", reasons[i].word,
						      "verdict", reasons[i].verdict, "packets",
						      (json_int_t)count->packets, "bytes",
						      (json_int_t)count->bytes, "packets_per_second"));
	}
	return list;
}

/* Those that run the program, and those that packets only leave by. */
static json_t *interfaces_seen(const struct offline *offline)
{
	json_t *list = offline_interfaces(offline);
	uint32_t leaving[HF_MAX_LINKS];
	size_t count = dataplane_leaving(offline->dataplane, offline->loaded, leaving);
	char name[IF_NAMESIZE];

	for (size_t i = 0; i < count; i++) {
		if (if_indextoname(leaving[i], name))
			sender_add(list, name);
	}
	return list;
}

json_t *offline_counters(const struct offline *offline)
{
	struct census census;
	json_t *view;

	if (census_take(offline, &census))
		return NULL;
	view = json_pack("{s:o, s:o, s:o, s:o}", "reasons", reasons_view(offline), "services",
			 services_view(offline, &census), "backends",
			 backends_view(offline, census.tallies, NULL), "interfaces",
			 interfaces_seen(offline));
	census_free(&census);
	return view;
}
