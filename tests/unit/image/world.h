/* SPDX-License-Identifier: Apache-2.0 */
/* Balancers without a kernel, and the packets that they forward as the data plane does. */
#pragma once

#include "unit/models.h"

#include "core/model/history.h"
#include "core/image/moves.h"

enum {
	IDLE = 120,
	GRACE = 10,
	SECONDS = 600,
	QUIET = 450, /* no more changes: what moves has time to settle */
	CROWD = 24,
	NAMES = 80,
	FLOWS = 4 * SECONDS,
	BALANCERS = 2,
	NOBODY = -1,
};

struct flow_entry {
	int backend; /* NOBODY: not remembered */
	int seen;
};

struct balancer {
	struct ledger *ledger;
	struct image *image;
	int down[NAMES]; /* since when it believes so; NOBODY: up */
	struct flow_entry flows[FLOWS];
	int loaded; /* when its image last changed: a census from then on counts */
	bool alive;
};

/* How a run is made. */
struct way {
	const char *name;
	const char *scheme;
	uint32_t slots;
	bool receivers, track, lose, disagree;
};

struct world {
	const struct way *way;
	uint64_t random;
	int now;
	struct model *model;
	int dead[NAMES]; /* since when its host is; NOBODY */
	int names;       /* given so far */
	int home[FLOWS]; /* where a connection's socket is; NOBODY: it is over or never was */
	bool slow[FLOWS];
	int opened, broken, lost;
	struct balancer balancers[BALANCERS];
	int asking; /* the balancer whose image is being built */
};

static inline double chance(struct world *world)
{
	return (double)(draw(&world->random) >> 11) / (double)(1ULL << 53);
}

static inline struct backend *backend_of(const struct world *world, int name)
{
	char text[NAME_SIZE];

	snprintf(text, sizeof text, "b%02d", name);
	return pool_backend(&world->model->pools[0], text);
}

static inline int name_of(const struct balancer *balancer, uint16_t number)
{
	const char *name;

	if (!number || !ledger_backend_name(balancer->ledger, number, NULL, &name, NULL))
		return NOBODY;
	return atoi(name + 1);
}

static inline uint8_t flags_of(const struct world *world, const struct balancer *balancer, int name)
{
	const struct backend *backend = backend_of(world, name);
	const struct backend_image *image;

	if (!backend)
		return 0;
	image = image_backend(balancer->image, ledger_backend(balancer->ledger, "p", backend));
	return image ? image->entry.flags : 0;
}

/* The balancer's image ------------------------------------------------------------- */

static inline struct health health_seen(void *context, const char *pool, const struct backend *backend)
{
	const struct world *world = context;
	int since = world->balancers[world->asking].down[atoi(backend->name + 1)];

	(void)pool;
	if (since == NOBODY)
		return (struct health){.state = HEALTH_UP};
	return (struct health){.state = HEALTH_DOWN,
			       .since = (uint32_t)since,
			       .answers = world->dead[atoi(backend->name + 1)] == NOBODY};
}

static inline uint32_t slot_of(const struct world *world, int flow)
{
	return (uint32_t)flow % world->way->slots;
}

static inline bool flow_is_away(void *context, uint32_t pool, uint32_t slot)
{
	const struct world *world = context;
	const struct balancer *balancer = &world->balancers[world->asking];
	int owner = name_of(balancer, (uint16_t)balancer->image->pools[0].words[slot]);

	(void)pool;
	for (int flow = (int)slot; flow < FLOWS; flow += (int)world->way->slots) {
		const struct flow_entry *entry = &balancer->flows[flow];

		if (entry->backend != NOBODY && world->now - entry->seen <= IDLE && entry->backend != owner &&
		    (flags_of(world, balancer, entry->backend) & HF_BACKEND_SERVES_TCP))
			return true;
	}
	return false;
}

static inline void load(struct world *world, int which, bool census)
{
	struct balancer *balancer = &world->balancers[which];
	const struct moment moment = {.now = (uint32_t)world->now,
				      .wall = (int64_t)world->now * 1000,
				      .health = health_seen,
				      .away = census ? flow_is_away : NULL,
				      .counted = (uint32_t)world->now,
				      .context = world};
	struct refusal refusal = {0};
	struct image *image;

	world->asking = which;
	assert_int_equal(ledger_assign(balancer->ledger, world->model, HF_DEFAULT_COUNTERS, &refusal), 0);
	assert_int_equal(
		image_build(world->model, balancer->ledger, balancer->image, &moment, &image, &refusal), 0);
	image_free(balancer->image);
	balancer->image = image;
}

/* Memory of settled slots' flows is given back, as the tidying pass does. */
static inline void settle(struct world *world, int which)
{
	struct balancer *balancer = &world->balancers[which];

	load(world, which, true);
	for (int flow = 0; flow < FLOWS; flow++) {
		struct flow_entry *entry = &balancer->flows[flow];

		if (entry->backend != NOBODY &&
		    (!slot_read(balancer->image->pools[0].words[slot_of(world, flow)], 0).moving ||
		     world->now - entry->seen > IDLE))
			entry->backend = NOBODY;
	}
}

static inline void reboot(struct world *world, int which)
{
	struct balancer *balancer = &world->balancers[which];

	image_free(balancer->image);
	ledger_free(balancer->ledger);
	balancer->image = NULL;
	balancer->ledger = ledger_new();
	for (int flow = 0; flow < FLOWS; flow++)
		balancer->flows[flow].backend = NOBODY;
	load(world, which, false);
}

/* Packets ---------------------------------------------------------------------------- */

/* Where a balancer sends a packet of a moving slot: the data plane's rule. */
static inline int choose(const struct world *world, const struct balancer *balancer, int flow, bool syn,
			 struct slot slot)
{
	int known = balancer->flows[flow].backend, owner = name_of(balancer, slot.owner);
	int base = name_of(balancer, slot.base);
	uint8_t flags;

	if (known != NOBODY) {
		flags = flags_of(world, balancer, known);
		if ((flags & HF_BACKEND_SERVES_TCP) && (!syn || (flags & HF_BACKEND_TAKES_NEW)))
			return known;
		return owner;
	}
	if (!syn && base != NOBODY && (uint32_t)world->now - slot.since < IDLE &&
	    (flags_of(world, balancer, base) & HF_BACKEND_SERVES_TCP))
		return base;
	return owner;
}

/* The hops of a packet, first the one it is sent to; how many. */
static inline int route(struct world *world, int which, int flow, bool syn, int hops[HF_MAX_HOPS])
{
	struct balancer *balancer = &world->balancers[which];
	const struct pool_image *pool = &balancer->image->pools[0];
	const struct hf_hops *record = &pool->hops[slot_of(world, flow)];
	struct slot slot = slot_read(pool->words[slot_of(world, flow)],
				     pool->since ? pool->since[slot_of(world, flow)] : 0);
	int first = name_of(balancer, slot.owner), count = 0;
	bool answers = record->flags & HF_HOPS_LAST_ANSWERS;

	if (slot.moving && world->way->track) {
		first = choose(world, balancer, flow, syn, slot);
		balancer->flows[flow] = (struct flow_entry){first, world->now};
	}
	if (first == NOBODY)
		return 0;
	hops[count++] = first;
	for (int i = 0; i < record->count && !syn && world->way->receivers; i++) {
		int hop = name_of(balancer, record->backend[i]);
		bool last = answers && i == record->count - 1;

		if (hop == first || (count == HF_MAX_HOPS - answers && !last) || count == HF_MAX_HOPS)
			continue;
		hops[count++] = hop;
	}
	return count;
}

/* A packet ends at the first hop that has its socket, else at the last; a dead host swallows it. */
static inline int deliver(struct world *world, int flow, bool syn)
{
	int which = flow / 251 % BALANCERS, hops[HF_MAX_HOPS], count;

	if (!world->balancers[which].alive)
		which = !which;
	count = route(world, which, flow, syn, hops);
	for (int i = 0; i < count; i++) {
		if (world->dead[hops[i]] != NOBODY)
			return NOBODY;
		if (world->home[flow] == hops[i] || i == count - 1)
			return hops[i];
	}
	return NOBODY;
}

static inline void speak(struct world *world, int flow)
{
	int home = world->home[flow], arrived;

	if (chance(world) < 0.01) {
		world->home[flow] = NOBODY;
		for (int i = 0; i < BALANCERS; i++)
			world->balancers[i].flows[flow].backend = NOBODY;
		return;
	}
	arrived = deliver(world, flow, false);
	if (arrived == NOBODY) {
		world->lost += world->dead[home] == NOBODY; /* sent again a moment later */
	} else if (arrived != home) {
		world->broken += world->dead[home] == NOBODY && backend_of(world, home);
		world->home[flow] = NOBODY;
	}
}

static inline void step(struct world *world)
{
	for (int i = 0; i < 4; i++) {
		int flow = 4 * world->now + i;

		world->home[flow] = deliver(world, flow, true);
		world->slow[flow] = chance(world) < 0.05;
		world->opened += world->home[flow] != NOBODY;
	}
	for (int flow = 0; flow < 4 * world->now; flow++)
		if (world->home[flow] != NOBODY && chance(world) < (world->slow[flow] ? 0.005 : 0.5))
			speak(world, flow);
}
