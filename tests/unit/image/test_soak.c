/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A week in virtual time, a change an hour: slots settle when it was foretold, and the flow table never needs
 * more than was foretold. A flow sends something every minute and ends by chance; what moving slots make the
 * data plane remember is remembered here, forgotten when its slot is settled.
 */
#include "unit/models.h"

#include "core/image/moves.h"

enum {
	MINUTE = 60,
	HOUR = 3600,
	WEEK = 7 * 24 * HOUR,
	CALM = WEEK + 60 * HOUR, /* after the last change everything settles */
	IDLE = TCP_IDLE_DEFAULT,
	SLOTS = 251,
	CROWD = 12,
	OPENED = 6,     /* flows a minute */
	LIFETIME = 180, /* minutes, on the mean */
	MOST = 4096,    /* flows alive at once */
};

struct flow {
	uint32_t slot;
	uint16_t home;
	bool remembered;
};

struct soak {
	struct model *model;
	struct ledger *ledger;
	struct image *image;
	uint64_t random;
	uint32_t now;
	struct flow flows[MOST];
	size_t count;
};

static uint64_t count_remembered(const struct soak *soak)
{
	uint64_t remembered = 0;

	for (size_t i = 0; i < soak->count; i++)
		remembered += soak->flows[i].remembered;
	return remembered;
}

static struct slot slot_at(const struct soak *soak, uint32_t at)
{
	const struct pool_image *pool = &soak->image->pools[0];

	return slot_read(pool->words[at], pool->since ? pool->since[at] : 0);
}

static bool is_away(void *context, uint32_t pool, uint32_t slot)
{
	const struct soak *soak = context;

	(void)pool;
	for (size_t i = 0; i < soak->count; i++)
		if (soak->flows[i].slot == slot && soak->flows[i].home != slot_at(soak, slot).owner)
			return true;
	return false;
}

static void load(struct soak *soak, bool census)
{
	const struct moment moment = {.now = soak->now,
				      .wall = (int64_t)soak->now * 1000,
				      .away = census ? is_away : NULL,
				      .counted = soak->now,
				      .context = soak};
	struct refusal refusal = {0};
	struct image *image;

	assert_int_equal(ledger_assign(soak->ledger, soak->model, HF_DEFAULT_COUNTERS, &refusal), 0);
	assert_int_equal(image_build(soak->model, soak->ledger, soak->image, &moment, &image, &refusal), 0);
	image_free(soak->image);
	soak->image = image;
}

/* Every live flow is heard once a minute, and so remembered where its slot moves. */
static void minute(struct soak *soak)
{
	size_t kept = 0;

	for (size_t i = 0; i < soak->count; i++) {
		struct flow flow = soak->flows[i];
		struct slot slot = slot_at(soak, flow.slot);

		if (draw(&soak->random) % LIFETIME == 0)
			continue;
		/* The promise: what the word and the memory say is where the flow lives. */
		if (!flow.remembered)
			assert_int_equal(flow.home, slot.moving ? slot.base : slot.owner);
		flow.remembered = slot.moving;
		soak->flows[kept++] = flow;
	}
	soak->count = kept;
	for (int i = 0; i < OPENED && soak->count < MOST; i++) {
		uint32_t at = (uint32_t)(draw(&soak->random) % SLOTS);
		struct slot slot = slot_at(soak, at);

		soak->flows[soak->count++] = (struct flow){at, slot.owner, slot.moving};
	}
}

static void change(struct soak *soak)
{
	char name[16];
	struct backend *backend;

	snprintf(name, sizeof name, "b%d", 1 + (int)(draw(&soak->random) % CROWD));
	backend = pool_backend(&soak->model->pools[0], name);
	if (backend->admin == ADMIN_DRAINING)
		operate(&soak->model, "backend.activate", "{'pool': 'p', 'name': '%s'}", name);
	else if (draw(&soak->random) % 2)
		operate(&soak->model, "backend.drain", "{'pool': 'p', 'name': '%s'}", name);
	else
		operate(&soak->model, "backend.set", "{'pool': 'p', 'name': '%s', 'weight': %d}", name,
			50 + (int)(draw(&soak->random) % 100));
	load(soak, false);
}

static struct soak *begin(void)
{
	struct soak *soak = calloc(1, sizeof *soak);

	soak->random = 21;
	soak->now = HOUR;
	soak->model = model_new(3);
	soak->ledger = ledger_new();
	operate(&soak->model, "pool.add", "{'name': 'p', 'table_size': %d}", SLOTS);
	for (int i = 1; i <= CROWD; i++)
		operate(&soak->model, "backend.add", "{'pool': 'p', 'name': 'b%d', 'address': '10.0.0.%d'}",
			i, i);
	operate(&soak->model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.1:80', 'pool': 'p'}");
	load(soak, false);
	return soak;
}

static void end(struct soak *soak)
{
	image_free(soak->image);
	ledger_free(soak->ledger);
	model_free(soak->model);
	free(soak);
}

/* What status would say now. */
struct forecast {
	uint32_t settles;
	uint64_t demand;
};

static struct forecast foretell(const struct soak *soak)
{
	const struct pool_image *pool = &soak->image->pools[0];

	/* Old flows of moving slots are yet to be heard, and then remembered like the new ones. */
	return (struct forecast){pool->settles,
				 pool_image_demand(pool, soak->count, (double)OPENED / MINUTE, soak->now)};
}

static void a_week_of_changes_goes_as_foretold(void **state)
{
	struct soak *soak = begin();
	struct forecast forecast = {0};
	uint64_t most = 0;
	bool moved = false;

	(void)state;
	for (; soak->now < CALM; soak->now += MINUTE) {
		const struct pool_image *pool;
		uint64_t remembered;

		if (soak->now % HOUR == 0 && soak->now < WEEK) {
			change(soak);
			forecast = foretell(soak);
		}
		minute(soak);
		load(soak, true);
		pool = &soak->image->pools[0];
		moved = moved || pool->moving;
		remembered = count_remembered(soak);
		most = remembered > most ? remembered : most;
		assert_true(remembered <= forecast.demand);
		for (uint32_t at = 0; at < SLOTS; at++) {
			struct slot slot = slot_at(soak, at);

			/* Nothing moves for longer than its time but for flows that are away. */
			if (slot.moving && soak->now >= forecast.settles)
				assert_true(is_away(soak, 0, at));
			if (slot.moving && soak->now < WEEK)
				assert_true(slot.since + IDLE > soak->now || is_away(soak, 0, at));
		}
	}
	assert_true(moved && most > 100);
	assert_int_equal(soak->image->pools[0].moving, 0);
	assert_int_equal(count_remembered(soak), 0);
	end(soak);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_week_of_changes_goes_as_foretold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
