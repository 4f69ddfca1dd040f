/* SPDX-License-Identifier: Apache-2.0 */
#include "told.h"

#include <holdfast/slot.h>
#include <linux/bpf.h>

#include "core/view/view.h"

/* A model with its ledger and its image. */
struct instance {
	struct model *model;
	struct ledger *ledger;
	struct image *image;
};

static struct instance instance_of(struct model *model)
{
	struct instance instance = {.model = model, .ledger = ledger_new()};

	instance.image = must_image(model, instance.ledger, NULL, "");
	return instance;
}

static void instance_release(struct instance *instance)
{
	image_free(instance->image);
	ledger_free(instance->ledger);
	model_free(instance->model);
}

static struct why_state why_of(const struct instance *instance, const struct flow_answer *answer)
{
	return (struct why_state){.names = {instance->ledger, instance->model},
				  .image = instance->image,
				  .answer = answer,
				  .program = "9f3a1c0b2d4e5f60"};
}

static void a_flow_is_told_with_names(void **state)
{
	struct instance instance = instance_of(small_model(2));
	const struct pool_image *pool = &instance.image->pools[0];
	uint16_t owner = hf_slot_owner(pool->words[7]);
	struct flow_answer answer = {
		.seen = {.stage = HF_STAGE_TRANSMIT,
			 .hash = 0xabc,
			 .service = 1,
			 .pool = pool->number,
			 .slot = 7,
			 .slot_word = pool->words[7],
			 .backend = owner},
		.verdict = XDP_TX,
		.wrapped = true,
	};
	struct why_state why = why_of(&instance, &answer);
	char expected[2048], name[NUMBER_NAME];

	(void)state;
	assert_ptr_equal(answer_pool(&answer, instance.image), pool);
	address_parse("10.64.0.1", &answer.source);
	address_parse("10.0.0.1", &answer.destination);
	why.preferences = json_array();
	why.stated = json_pack("[o]", stated_view("db", "db2", HEALTH_DOWN, "root", 1500));
	backend_number_name(&why.names, owner, name);
	snprintf(expected, sizeof expected,
		 "{'verdict':'forward','reason':null,'service':'tcp 203.0.113.10:5432','pool':'db',"
		 "'hash':'0000000000000abc','slot':7,'slots':251,'preferences':[],'stated':[{'backend':"
		 "'db/db2','health':'down','author':'root','since':1.5}],'owner':'%s','backend':'%s',"
		 "'by':'owner','moving':false,'base':'%s','hops':[],'next_hop':null,'outer':{'source':"
		 "'10.64.0.1','destination':'10.0.0.1','encap':'ipip'},'program':'9f3a1c0b2d4e5f60'}",
		 name, name, name);
	assert_told(why_view(&why), expected);
	instance_release(&instance);
}

static void a_packet_for_no_service_has_every_member(void **state)
{
	struct instance instance = instance_of(small_model(1));
	struct flow_answer answer = {.seen = {.stage = HF_STAGE_SERVICE, .reason = HF_REASON_NO_SERVICE},
				     .verdict = XDP_PASS};
	struct why_state why = why_of(&instance, &answer);

	(void)state;
	assert_null(answer_pool(&answer, instance.image));
	assert_told(why_view(&why),
		    "{'verdict':'pass','reason':{'word':'no-service','sentence':'for no service'},"
		    "'service':null,'pool':null,'hash':null,'slot':null,'slots':null,'preferences':null,"
		    "'stated':null,'owner':null,'backend':null,'by':null,'moving':null,'base':null,"
		    "'hops':null,'next_hop':null,'outer':null,'program':'9f3a1c0b2d4e5f60'}");
	instance_release(&instance);
}

static void preferences_are_those_that_the_placement_stores(void **state)
{
	struct instance instance = instance_of(small_model(3));
	struct placement *placement = instance.image->pools[0].placement;
	const uint16_t *stored = placement_preferences(placement);

	(void)state;
	for (uint32_t slot = 0; slot < 251; slot++) {
		json_t *list = preferences_view(placement, slot);

		assert_int_equal(json_array_size(list), PLACEMENT_STORED_PREFERENCES);
		for (size_t i = 0; i < PLACEMENT_STORED_PREFERENCES; i++)
			assert_string_equal(json_string_value(json_array_get(list, i)),
					    placement_member_name(placement, *stored++));
		json_decref(list);
	}
	assert_told(preferences_view(placement, 251), "[]");
	assert_told(preferences_view(NULL, 0), "[]");
	instance_release(&instance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_is_told_with_names),
		cmocka_unit_test(a_packet_for_no_service_has_every_member),
		cmocka_unit_test(preferences_are_those_that_the_placement_stores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
