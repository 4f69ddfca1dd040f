/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to a world by chance: the member set changes, backends fail, probes notice, balancers are
 * lost. */
#pragma once

#include "unit/image/world.h"

static inline void change_model(struct world *world, const char *word, int name, const char *rest)
{
	struct refusal refusal = {0};
	struct model *after;
	char backend[NAME_SIZE];
	json_t *arguments;

	snprintf(backend, sizeof backend, "b%02d", name);
	arguments = json_pack("{ssss}", "pool", "p", "name", backend);
	if (rest)
		json_object_set_new(arguments, "address", json_string(rest));
	if (strcmp(word, "backend.remove") == 0)
		json_object_set_new(arguments, "now", json_true());
	if (operation_apply(world->model, word, arguments, (int64_t)world->now * 1000, &after, &refusal) != 0)
		fail_msg("%s %s: %s", word, backend, refusal.what);
	json_decref(arguments);
	model_free(world->model);
	world->model = after;
}

static inline void add_backend(struct world *world)
{
	char address[ADDRESS_TEXT];

	assert_true(world->names < NAMES);
	snprintf(address, sizeof address, "10.0.0.%d", world->names + 1);
	change_model(world, "backend.add", world->names++, address);
}

/* A random name of those that pass, or NOBODY. */
static inline int pick(struct world *world, bool (*passes)(const struct world *world, int name))
{
	int found = NOBODY, count = 0;

	for (int name = 0; name < world->names; name++)
		if (passes(world, name) && draw(&world->random) % (uint64_t)++count == 0)
			found = name;
	return found;
}

static inline bool is_active(const struct world *world, int name)
{
	const struct backend *backend = backend_of(world, name);

	return backend && backend->admin == ADMIN_ACTIVE && world->dead[name] == NOBODY;
}

static inline bool is_draining(const struct world *world, int name)
{
	const struct backend *backend = backend_of(world, name);

	return backend && backend->admin == ADMIN_DRAINING;
}

static inline bool is_drained(const struct world *world, int name)
{
	for (int flow = 0; flow < FLOWS; flow++)
		if (world->home[flow] == name)
			return false;
	return is_draining(world, name);
}

static inline bool is_dead(const struct world *world, int name)
{
	return world->dead[name] != NOBODY;
}

static inline int count_active(const struct world *world)
{
	int count = 0;

	for (int name = 0; name < world->names; name++)
		count += is_active(world, name);
	return count;
}

static inline void recover(struct world *world, int name)
{
	world->dead[name] = NOBODY;
	for (int flow = 0; flow < FLOWS; flow++)
		if (world->home[flow] == name)
			world->home[flow] = NOBODY;
}

static inline void lose_or_return(struct world *world)
{
	if (world->balancers[0].alive && world->balancers[1].alive) {
		world->balancers[draw(&world->random) % 2].alive = false;
		return;
	}
	for (int i = 0; i < BALANCERS; i++) {
		if (!world->balancers[i].alive)
			reboot(world, i);
		world->balancers[i].alive = true;
	}
}

/* One balancer alone stops believing in a healthy backend, or starts again. */
static inline void disagree(struct world *world)
{
	int *down = world->balancers[0].down, name;

	for (name = 0; name < world->names; name++) {
		if (down[name] != NOBODY && world->dead[name] == NOBODY) {
			down[name] = NOBODY;
			return;
		}
	}
	name = pick(world, is_active);
	if (name != NOBODY)
		down[name] = world->now;
}

static inline void change(struct world *world)
{
	bool enough = count_active(world) > 6;
	int name;

	switch (draw(&world->random) % (world->way->lose ? 7 : 6)) {
	case 0:
		add_backend(world);
		break;
	case 1:
		name = pick(world, is_drained);
		if (name != NOBODY)
			change_model(world, "backend.remove", name, NULL);
		break;
	case 2:
		if (enough)
			change_model(world, "backend.drain", pick(world, is_active), NULL);
		break;
	case 3:
		name = pick(world, is_draining);
		if (name != NOBODY)
			change_model(world, "backend.activate", name, NULL);
		break;
	case 4:
		if (enough)
			world->dead[pick(world, is_active)] = world->now;
		break;
	case 5:
		name = pick(world, is_dead);
		if (name != NOBODY)
			recover(world, name);
		break;
	case 6:
		lose_or_return(world);
		break;
	}
	if (world->way->disagree)
		disagree(world);
}

/* Each balancer sees a failure or a recovery one to three seconds late, at its own moment. */
static inline bool probe(struct world *world, int which)
{
	int *down = world->balancers[which].down;
	bool changed = false;

	for (int name = 0; name < world->names; name++) {
		bool dead = world->dead[name] != NOBODY;

		if (dead && down[name] == NOBODY && world->now - world->dead[name] >= 1 + 2 * which) {
			down[name] = world->now;
			changed = true;
		} else if (!dead && down[name] != NOBODY && !(world->way->disagree && which == 0)) {
			down[name] = NOBODY;
			changed = true;
		}
	}
	return changed;
}
