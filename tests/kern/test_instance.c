// SPDX-License-Identifier: Apache-2.0
/* Opening an instance: its pins are adopted, made good, or refused; and its end. */
#include "sample.h"

#include <errno.h>
#include <kern/instance/attach.h>
#include <kern/instance/lifecycle.h>
#include <string.h>
#include <unistd.h>

#include "netns.h"

static void test_adoption_changes_nothing(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct sample sample;
	uint32_t slots;
	char tag[17];

	(void)state;
	assert_false(dataplane_adopted(dataplane));
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_loaded(dataplane, &sample);
	slots = map_id("maps/slots");
	snprintf(tag, sizeof tag, "%s", dataplane_program_tag(dataplane));
	dataplane_close(dataplane);

	dataplane = open_instance();
	assert_true(dataplane_adopted(dataplane));
	assert_loaded(dataplane, &sample);
	assert_int_equal(map_id("maps/slots"), slots);
	assert_string_equal(dataplane_program_tag(dataplane), tag);
	dataplane_close(dataplane);
}

static void test_lost_pins_are_made_good(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct sample sample;
	uint32_t slots;

	(void)state;
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	slots = map_id("maps/slots");
	dataplane_close(dataplane);

	/* Without a program the maps still have all that is worth keeping. */
	assert_int_equal(unlink(pin("prog")), 0);
	dataplane = open_instance();
	assert_false(dataplane_adopted(dataplane));
	assert_loaded(dataplane, &sample);
	assert_int_equal(map_id("maps/slots"), slots);
	dataplane_close(dataplane);

	assert_int_equal(unlink(pin("maps/slots")), 0);
	dataplane = open_instance();
	assert_false(dataplane_adopted(dataplane));
	assert_int_not_equal(map_id("maps/slots"), slots);
	dataplane_close(dataplane);
}

static void test_other_layout_is_refused(void **state)
{
	const struct dataplane_limits other = {.slots = 8192};
	struct refusal refusal = {};
	struct dataplane *dataplane;

	(void)state;
	dataplane_close(open_instance());
	assert_int_equal(dataplane_open(instance, &other, &dataplane, &refusal), -EPROTO);
	assert_non_null(strstr(refusal.what, "4096 slots"));
	assert_int_equal(dataplane_open("../x", &other, &dataplane, &refusal), -EINVAL);
}

static void test_destroy_leaves_nothing(void **state)
{
	struct dataplane *dataplane = open_instance();

	(void)state;
	sh("ip link add v0 type veth peer name v1");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	dataplane_close(dataplane);
	assert_int_equal(dataplane_destroy(instance, NULL), 0);
	assert_int_not_equal(access(pin(""), F_OK), 0);
	sh("! ip link show v0 | grep -q xdp");
	assert_int_equal(dataplane_inspect(instance, &dataplane, NULL), -ENOENT);
	sh("ip link del v0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_adoption_changes_nothing),
		CASE(test_lost_pins_are_made_good),
		CASE(test_other_layout_is_refused),
		CASE(test_destroy_leaves_nothing),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("instance", tests, NULL, NULL);
}
