// SPDX-License-Identifier: Apache-2.0
/* The entries of backends: how packets are wrapped, and which flows they take. */
#include <arpa/inet.h>
#include <holdfast/outer.h>

#include "unit/image/instance.h"

enum { SERVES = HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP };

/* db4 since before the boot, db6 since now. */
static struct health two_are_down(void *context, const char *pool, const struct backend *backend)
{
	(void)context;
	(void)pool;
	if (strcmp(backend->name, "db4") == 0)
		return (struct health){.state = HEALTH_DOWN, .since = 100U - HEALTH_LONG};
	return (struct health){.state = strcmp(backend->name, "db6") == 0 ? HEALTH_DOWN : HEALTH_UNKNOWN,
			       .since = 100};
}

static void flags_say_who_takes_and_who_serves(void **state)
{
	/* db6 went down this very moment: TCP has a grace, UDP none. */
	static const uint8_t expected[] = {
		HF_BACKEND_TAKES_NEW | SERVES, SERVES, 0, 0, HF_BACKEND_TAKES_NEW | SERVES,
		HF_BACKEND_SERVES_TCP};
	const struct moment moment = {.now = 100, .wall = TEST_NOW, .health = two_are_down};
	struct model *model = small_model(6);
	struct ledger *ledger = ledger_new();
	struct refusal refusal = {0};
	struct image *image;

	(void)state;
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db2'}");
	operate(&model, "backend.disable", "{'pool': 'db', 'name': 'db3'}");
	assert_int_equal(ledger_assign(ledger, model, HF_DEFAULT_COUNTERS, &refusal), 0);
	assert_int_equal(image_build(model, ledger, NULL, &moment, &image, &refusal), 0);
	for (size_t i = 0; i < 6; i++) {
		const struct backend *backend = &model->pools[0].backends[i];

		assert_int_equal(image_backend(image, ledger_backend(ledger, "db", backend))->entry.flags,
				 expected[i]);
	}
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

static void entries_hold_the_outer_header(void **state)
{
	struct model *model = small_model(1);
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "");
	const struct backend_image *backend = &image->backends[0];

	(void)state;
	assert_true(backend->source_from_route);
	assert_int_equal(backend->entry.dst[0], htonl(0x0a000001));
	assert_int_equal(backend->entry.csum, hf_outer_csum(0, htonl(0x0a000001)));
	image_free(image);
	operate(&model, "pool.set", "{'name': 'db', 'source': '192.0.2.0/24', 'encap': 'gue'}");
	image = must_image(model, ledger, NULL, "");
	backend = &image->backends[0];
	assert_false(backend->source_from_route);
	assert_int_equal(backend->entry.src[0], htonl(0xc0000200));
	assert_int_equal(backend->entry.src_mask, htonl(0xff));
	assert_int_equal(backend->entry.csum, hf_outer_csum(htonl(0xc0000200), htonl(0x0a000001)));
	assert_int_equal(backend->entry.gue_port, htons(19523));
	image_free(image);
	operate(&model, "pool.set", "{'name': 'db', 'source': '192.0.2.7', 'encap': 'ipip'}");
	image = must_image(model, ledger, NULL, "");
	assert_int_equal(image->backends[0].entry.src_mask, 0);
	assert_int_equal(image->backends[0].entry.gue_port, 0);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

static void down_is_a_drain_with_a_short_deadline(void **state)
{
	struct instance *instance = begin(5, NULL);
	uint16_t dead = number_of(instance, "db3");

	(void)state;
	instance->down = "db3 ";
	instance->down_since = LATER;
	load(instance, LATER);
	assert_int_equal(flags_of(instance, "db3"), HF_BACKEND_SERVES_TCP); /* UDP has no grace */
	assert_in_range(instance->image->pools[0].moving, 40, 60);
	assert_int_equal(image_next(instance->image), LATER + TCP_GRACE_DEFAULT);
	assert_false(load(instance, LATER + TCP_GRACE_DEFAULT - 1));
	assert_true(load(instance, LATER + TCP_GRACE_DEFAULT));
	assert_int_equal(flags_of(instance, "db3"), 0);
	instance->census = true; /* remembered flows of the dead are no reason to wait */
	assert_true(load(instance, LATER + TCP_GRACE_DEFAULT + 1));
	assert_int_equal(instance->image->pools[0].moving, 0);
	for (uint32_t at = 0; at < 251; at++)
		assert_int_not_equal(slot_at(instance, at).base, dead);
	end(instance);
}

static void a_deadline_cuts_a_drain(void **state)
{
	struct instance *instance = begin(5, NULL);

	(void)state;
	/* Operations of these tests happen at TEST_NOW. */
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3', 'deadline': '30s'}");
	load(instance, TEST_NOW / 1000);
	assert_int_equal(flags_of(instance, "db3"), HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP);
	assert_int_equal(image_next(instance->image), TEST_NOW / 1000 + 30);
	load(instance, TEST_NOW / 1000 + 30);
	assert_int_equal(flags_of(instance, "db3"), 0);
	end(instance);
}

static void the_disabled_and_the_removed_keep_nothing(void **state)
{
	struct instance *instance = begin(5, NULL);

	(void)state;
	operate(&instance->model, "backend.disable", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	assert_int_equal(instance->image->pools[0].moving, 0);
	operate(&instance->model, "backend.remove", "{'pool': 'db', 'name': 'db4', 'now': true}");
	load(instance, LATER + 1);
	for (uint32_t at = 0; at < 251; at++) {
		const char *name;

		assert_true(
			ledger_backend_name(instance->ledger, slot_at(instance, at).base, NULL, &name, NULL));
		assert_string_not_equal(name, "db4");
	}
	end(instance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_say_who_takes_and_who_serves),
		cmocka_unit_test(entries_hold_the_outer_header),
		cmocka_unit_test(down_is_a_drain_with_a_short_deadline),
		cmocka_unit_test(a_deadline_cuts_a_drain),
		cmocka_unit_test(the_disabled_and_the_removed_keep_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
