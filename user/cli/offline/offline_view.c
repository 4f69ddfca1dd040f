// SPDX-License-Identifier: Apache-2.0
/* What is known of an instance without its daemon, told in the API's objects. */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/view/view.h"
#include "inventory.h"
#include "kern/base/carrier.h"
#include "kern/instance/attachments.h"

static bool takes_new(const struct backend_image *backend)
{
	return backend->entry.flags & HF_BACKEND_TAKES_NEW;
}

/* Services ------------------------------------------------------------------------ */

static void service_append(const struct offline *offline, const struct inventory *inventory, uint16_t number,
			   json_t *list, json_t *problems)
{
	const struct found_service *found = &inventory->services[number];
	struct service service;
	struct service_state state = {.service = &service, .tally = &found->tally};
	char pool[NUMBER_NAME];

	directory_service(&offline->loaded->directory, number, &service);
	snprintf(service.pool, NAME_SIZE, "%s", pool_number_name(&offline->names, found->entry->pool, pool));
	for (size_t i = 0; i < offline->loaded->backend_count; i++) {
		const struct backend_image *backend = &offline->loaded->backends[i];
		const struct found_backend *member = &inventory->backends[backend->number];

		if (member->pool != found->entry->pool)
			continue;
		state.members++;
		state.takers += takes_new(backend);
		state.up += takes_new(backend) && member->reached;
	}
	json_array_append_new(list, service_view(&state));
	if (problems)
		service_append_problem(&state, problems);
}

/* problems: a line is appended for each that nobody serves; NULL: none. */
static json_t *services_found(const struct offline *offline, const struct inventory *inventory,
			      json_t *problems)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < HF_MAX_SERVICES; i++)
		if (inventory->services[i].entry)
			service_append(offline, inventory, i, list, problems);
	return list;
}

/* Backends ------------------------------------------------------------------------- */

json_t *offline_next_hop(const struct offline *offline, uint16_t number, const struct hf_backend *entry)
{
	bool resolved = entry->next_hop >> 48;
	uint8_t mac[6];
	uint32_t ifindex = dataplane_next_hop(offline->dataplane, number, mac);
	char interface[IF_NAMESIZE];

	return next_hop_view(&(struct next_hop_state){
		.interface = ifindex ? if_indextoname(ifindex, interface) : NULL,
		.mac = resolved ? (const uint8_t *)&entry->next_hop : NULL,
		.mtu = entry->mtu ? (int64_t)entry->mtu : -1,
		.resolved = resolved,
		.problem = resolved ? NULL : "no MAC address yet",
		.held = -1,
	});
}

static json_t *backend_found(const struct offline *offline, const struct inventory *inventory,
			     const struct backend_image *image)
{
	const struct found_backend *found = &inventory->backends[image->number];
	const struct slot_count *slots = &inventory->slots[image->number];
	const struct pool_image *pool = image_pool_numbered(offline->loaded, found->pool);
	const struct backend *stored = found->stored;
	const struct stated *stated = stored ? stored_stated(&offline->stored, stored) : NULL;
	char label[NUMBER_NAME];
	struct backend_state state = {
		.address = image->address,
		.configured = stored,
		.health = stored ? health_stated(stored->health) : HEALTH_UNKNOWN,
		.health_author = stated ? stated->author : NULL,
		.health_since = stated ? stated->time : 0,
		.slots = slots->owned,
		.pool_slots = pool ? pool->table.size : 0,
		.tally = &found->tally,
		.based = slots->based,
		.remembered = -1,
		.closing = -1,
		.counted = -1,
		.heard = -1,
		.number = image->number,
		.next_hop = offline_next_hop(offline, image->number, &image->entry),
		.note = !takes_new(image)             ? "takes no new flows"
			: image->entry.next_hop >> 48 ? ""
						      : "its next hop has no MAC address yet",
	};

	backend_number_names(&offline->names, image->number, &state.pool, &state.name, label);
	return backend_view(&state);
}

static json_t *backends_found(const struct offline *offline, const struct inventory *inventory,
			      const char *only)
{
	json_t *list = json_array();

	for (size_t i = 0; i < offline->loaded->backend_count; i++) {
		const struct backend_image *image = &offline->loaded->backends[i];
		const char *pool, *name;
		char label[NUMBER_NAME];

		backend_number_names(&offline->names, image->number, &pool, &name, label);
		if ((only && strcmp(only, pool)) ||
		    (inventory->backends[image->number].removed && !inventory->slots[image->number].owned))
			continue;
		json_array_append_new(list, backend_found(offline, inventory, image));
	}
	return list;
}

/* Interfaces and pools --------------------------------------------------------------- */

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
	json_t *view = interface_view(&(struct interface_state){
		.name = attachment->interface,
		.mode = mode_name(attachment->generic ? MODE_GENERIC : MODE_NATIVE),
		.state = "attached",
		.program = attachment->tag,
		.program_id = attachment->program,
		.link_id = attachment->link,
		.problem = attachment_problem(attachment, problem),
	});

	return json_array_append_new(list, view) ? -ENOMEM : 0;
}

json_t *offline_interfaces(const struct offline *offline)
{
	json_t *list = json_array();

	dataplane_attachments(offline->dataplane, attachment_view, list);
	return list;
}

static json_t *pools_found(const struct offline *offline, int64_t *ret_slots)
{
	json_t *list = json_array();

	*ret_slots = 0;
	for (size_t i = 0; i < offline->loaded->pool_count; i++) {
		const struct pool_image *pool = &offline->loaded->pools[i];
		char name[NUMBER_NAME];
		const struct pool *stored;

		pool_number_name(&offline->names, pool->number, name);
		stored = model_pool(offline->stored.model, name);
		json_array_append_new(
			list, pool_line_view(name, stored ? placement_scheme_name(stored->scheme) : NULL,
					     pool->table.size, pool, 0));
		*ret_slots += pool->table.size;
	}
	return list;
}

/* Whole views ------------------------------------------------------------------------- */

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

static json_t *problems_found(const struct offline *offline)
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
	struct inventory *inventory = inventory_take(offline);
	const struct stored *stored = &offline->stored;
	char host[HOST_NAME_MAX + 1] = "";
	struct status_state state = {
		.instance = offline->call->instance,
		.host = host,
		.state = "offline",
		.generation = json_incref(stored->generation),
		.seed = stored->generation ? &stored->model->seed : NULL,
		.flow_hash = -1,
		.clock = -1,
		.uptime = -1,
		.slots_limit = dataplane_slot_limit(offline->dataplane),
	};

	if (!inventory)
		return NULL;
	gethostname(host, sizeof host - 1);
	state.problems = problems_found(offline);
	state.interfaces = offline_interfaces(offline);
	state.services = services_found(offline, inventory, state.problems);
	state.pools = pools_found(offline, &state.slots_used);
	state.warnings = json_array();
	free(inventory);
	return status_view(&state);
}

json_t *offline_backends(const struct offline *offline, const char *pool)
{
	struct inventory *inventory = inventory_take(offline);
	json_t *view;

	if (!inventory)
		return NULL;
	view = json_pack("{s:o}", "backends", backends_found(offline, inventory, pool));
	free(inventory);
	return view;
}

static json_t *reasons_found(const struct offline *offline)
{
	struct hf_reason_counter counts[HF_REASON_LIMIT];
	struct tally tallies[HF_REASON_LIMIT];

	if (dataplane_reasons(offline->dataplane, counts))
		return json_array();
	for (size_t i = 0; i < HF_REASON_LIMIT; i++)
		tallies[i] = (struct tally){.total = {.packets = counts[i].packets, .bytes = counts[i].bytes},
					    .packets = -1};
	return reasons_view(tallies);
}

/* Those that run the program, and those that packets only leave by. */
static json_t *interfaces_found(const struct offline *offline)
{
	json_t *list = offline_interfaces(offline);
	uint32_t leaving[HF_MAX_LINKS];
	size_t count = dataplane_leaving(offline->dataplane, offline->loaded, leaving);
	char name[IF_NAMESIZE];

	for (size_t i = 0; i < count; i++) {
		if (if_indextoname(leaving[i], name))
			interfaces_add_sender(list, name);
	}
	return list;
}

json_t *offline_counters(const struct offline *offline)
{
	struct inventory *inventory = inventory_take(offline);
	json_t *view;

	if (!inventory)
		return NULL;
	view = counters_view(reasons_found(offline), services_found(offline, inventory, NULL),
			     backends_found(offline, inventory, NULL), interfaces_found(offline));
	free(inventory);
	return view;
}
