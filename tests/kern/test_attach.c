// SPDX-License-Identifier: Apache-2.0
/* Attaching to interfaces, and what is refused. */
#include "sample.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <kern/instance/attach.h>
#include <kern/instance/attachments.h>
#include <kern/program/instance_pins.h>
#include <kern/program/program_upgrade.h>
#include <kern/xdp/xdp_attach.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "netns.h"

static void test_attachment_outlives_the_process(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct attachment before, after;
	struct refusal refusal = {};

	(void)state;
	sh("ip link add v.0 type veth peer name v1");
	assert_int_equal(dataplane_attach(dataplane, "v.0", MODE_AUTO, false, &refusal), 0);
	before = only_attachment(dataplane);
	assert_string_equal(before.interface, "v.0");
	assert_false(before.generic);
	assert_string_equal(before.tag, dataplane_program_tag(dataplane));
	dataplane_close(dataplane);

	dataplane = open_instance();
	assert_int_equal(dataplane_attach(dataplane, "v.0", MODE_AUTO, false, &refusal), 0);
	after = only_attachment(dataplane);
	assert_int_equal(before.link, after.link);
	assert_int_equal(before.program, after.program);
	assert_int_equal(dataplane_attach(dataplane, "v.0", MODE_GENERIC, false, &refusal), 0);
	assert_true(only_attachment(dataplane).generic);
	sh("ethtool -k v.0 | grep -q '^generic-receive-offload: off'");
	assert_int_equal(dataplane_detach(dataplane, "v.0", &refusal), 0);
	assert_int_equal(dataplane_detach(dataplane, "v.0", &refusal), -ENOENT);
	assert_int_equal(dataplane_attachments(dataplane, attachment_keep, &after), 0);
	dataplane_close(dataplane);
	sh("ip link del v.0");
}

/* Frames too large for one buffer: the driver takes the form for several, and it is upgraded by its like. */
static void test_large_frames(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct attachment before, after;
	struct refusal refusal = {};

	(void)state;
	sh("ip link add v0 mtu 9000 type veth peer name v1 mtu 9000");
	if (dataplane_attach(dataplane, "v0", MODE_NATIVE, false, &refusal))
		fail_msg("%s", refusal.what);
	before = only_attachment(dataplane);
	assert_int_equal(strlen(before.tag), 16);
	assert_int_equal(dataplane_upgrade(instance, &refusal), 0);
	assert_int_equal(dataplane_refresh(dataplane), 0);
	after = only_attachment(dataplane);
	assert_int_equal(after.link, before.link);
	assert_int_not_equal(after.program, before.program);
	assert_false(after.generic);
	dataplane_close(dataplane);
	sh("ip link del v0");
}

static void test_refused_attachments(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct attachment attachment;
	struct refusal refusal = {};

	(void)state;
	sh("ip link add v0 type veth peer name v1");
	assert_int_equal(dataplane_attach(dataplane, "nosuch", MODE_AUTO, false, &refusal), -ENODEV);
	assert_int_equal(dataplane_attach(dataplane, "lo", MODE_NATIVE, false, &refusal), -EINVAL);
	assert_non_null(strstr(refusal.what, "loopback"));
	/* Where the kernel lets nobody share, it is said, and nothing is attached alone instead. */
	if (dataplane_attach(dataplane, "v0", MODE_NATIVE, true, &refusal)) {
		assert_non_null(strstr(refusal.what, "cannot be shared"));
		assert_non_null(strstr(refusal.right, "without --share"));
		sh("! ip link show v0 | grep -q xdp");
	} else {
		assert_true(only_attachment(dataplane).shared);
		assert_int_equal(dataplane_detach(dataplane, "v0", &refusal), 0);
	}
	sh("ip link set v0 xdpgeneric obj build/lab/pass.bpf.o sec xdp");
	assert_true(dataplane_attach(dataplane, "v0", MODE_AUTO, false, &refusal) < 0);
	assert_non_null(strstr(refusal.right, "ip link set v0 xdpgeneric off"));
	assert_int_equal(dataplane_attachments(dataplane, attachment_keep, &attachment), 0);
	dataplane_close(dataplane);
	sh("ip link del v0");
}

/* An earlier version attached where no packet is served. */
static void test_what_is_attached_stays_where_nothing_would_be_attached(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct refusal refusal = {};
	int program = bpf_obj_get(pin("prog"));

	(void)state;
	assert_true(program >= 0);
	sh("mkdir %s", pin("links"));
	assert_int_equal(xdp_attach("lo", program, -1, MODE_GENERIC, pin("links/lo"), &refusal), 0);
	close(program);
	assert_int_equal(dataplane_attach(dataplane, "lo", MODE_AUTO, false, &refusal), 0);
	assert_int_equal(dataplane_attach(dataplane, "lo", MODE_NATIVE, false, &refusal), -EINVAL);
	assert_string_equal(only_attachment(dataplane).interface, "lo");
	assert_int_equal(dataplane_detach(dataplane, "lo", &refusal), 0);
	assert_int_equal(dataplane_attach(dataplane, "lo", MODE_AUTO, false, &refusal), -EINVAL);
	dataplane_close(dataplane);
}

static void test_vanished_interface_is_forgotten(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct attachment attachment;

	(void)state;
	sh("ip link add v0 type veth peer name v1");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	sh("ip link del v0");
	assert_int_equal(dataplane_attachments(dataplane, attachment_keep, &attachment), 0);
	assert_int_not_equal(access(pin("links/v0"), F_OK), 0);
	sh("ip link add v0 type veth peer name v1");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	assert_string_equal(only_attachment(dataplane).interface, "v0");
	dataplane_close(dataplane);
	sh("ip link del v0");
}

/* Reads the control map as the program does. */
static struct hf_link link_now(uint16_t number)
{
	struct hf_control control;
	uint32_t zero = 0;
	int fd = bpf_obj_get(pin("maps/control"));

	assert_true(fd >= 0);
	assert_int_equal(bpf_map_lookup_elem(fd, &zero, &control), 0);
	close(fd);
	return control.links[number];
}

static void test_only_ingress(void **state)
{
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
	struct dataplane *dataplane = open_instance();
	uint16_t first, second, again;
	char name[2][16] = {"v0", "v1"};

	(void)state;
	sh("ip link add v0 type veth peer name v1");
	assert_int_equal(dataplane_link_set(dataplane, if_nametoindex(name[0]), mac, 1500, &first), 0);
	assert_int_equal(dataplane_link_set(dataplane, if_nametoindex(name[1]), mac, 1500, &second), 0);
	assert_int_equal(dataplane_link_set(dataplane, if_nametoindex(name[0]), mac, 1500, &again), 0);
	assert_int_equal(first, again);
	assert_int_not_equal(first, second);
	assert_false(link_now(first).flags & HF_LINK_ONLY_INGRESS);
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	assert_true(link_now(first).flags & HF_LINK_ONLY_INGRESS);
	assert_false(link_now(second).flags & HF_LINK_ONLY_INGRESS);
	assert_int_equal(dataplane_attach(dataplane, "v1", MODE_NATIVE, false, NULL), 0);
	assert_false(link_now(first).flags & HF_LINK_ONLY_INGRESS);
	assert_int_equal(dataplane_detach(dataplane, "v0", NULL), 0);
	assert_true(link_now(second).flags & HF_LINK_ONLY_INGRESS);
	dataplane_close(dataplane);
	sh("ip link del v0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_attachment_outlives_the_process),
		CASE(test_large_frames),
		CASE(test_refused_attachments),
		CASE(test_what_is_attached_stays_where_nothing_would_be_attached),
		CASE(test_vanished_interface_is_forgotten),
		CASE(test_only_ingress),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("attach", tests, NULL, NULL);
}
