// SPDX-License-Identifier: Apache-2.0
/* An upgrade that fails half-way, and leaves every link with the program that it had. */
#include "sample.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <kern/instance/attach.h>
#include <kern/instance/attachments.h>
#include <kern/instance/lifecycle.h>
#include <kern/program/program_upgrade.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "netns.h"

static struct dataplane *open_attached(void)
{
	struct dataplane *dataplane = NULL;
	struct refusal refusal = {};

	sh("ip link add v0 type veth peer name v1");
	sh("ip link add w0 mtu 9000 type veth peer name w1 mtu 9000");
	if (dataplane_open(instance, &limits, &dataplane, &refusal) ||
	    dataplane_attach(dataplane, "v0", MODE_NATIVE, false, &refusal) ||
	    dataplane_attach(dataplane, "w0", MODE_NATIVE, false, &refusal))
		fail_msg("%s", refusal.what);
	/* The driver would take the other form by now, and must not get it. */
	sh("ip link set w1 mtu 1500 && ip link set w0 mtu 1500");
	return dataplane;
}

struct programs {
	uint32_t linear, frags;
};

static int note_program(const struct attachment *attachment, void *context)
{
	struct programs *programs = context;

	if (!strcmp(attachment->interface, "v0"))
		programs->linear = attachment->program;
	else
		programs->frags = attachment->program;
	return 0;
}

static struct programs programs_of(struct dataplane *dataplane)
{
	struct programs programs = {};

	assert_int_equal(dataplane_attachments(dataplane, note_program, &programs), 0);
	assert_int_not_equal(programs.linear, 0);
	assert_int_not_equal(programs.frags, 0);
	return programs;
}

static void assert_unchanged(struct dataplane *dataplane, struct programs before)
{
	struct programs after = programs_of(dataplane);

	assert_int_equal(after.linear, before.linear);
	assert_int_equal(after.frags, before.frags);
}

/* The next one succeeds, and gives each link its like. */
static void assert_upgrades(struct dataplane *dataplane, struct programs before)
{
	struct refusal refusal = {};
	struct programs after;

	if (dataplane_upgrade(instance, &refusal) < 0)
		fail_msg("%s", refusal.what);
	after = programs_of(dataplane);
	assert_int_not_equal(after.linear, before.linear);
	assert_int_not_equal(after.frags, before.frags);
	assert_int_not_equal(after.frags, after.linear);
}

static void finish(struct dataplane *dataplane)
{
	dataplane_close(dataplane);
	sh("ip link del v0 && ip link del w0");
}

/* A link of another kind among ours, which no balancer's program can be put into. */
static int foreign_link(void)
{
	const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_FLOW_DISSECTOR, "nothing", "GPL", nothing, 2, NULL);
	int namespace = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int link = bpf_link_create(program, namespace, BPF_FLOW_DISSECTOR, NULL);

	assert_true(program >= 0 && namespace >= 0 && link >= 0);
	close(program);
	close(namespace);
	return link;
}

static void test_a_link_that_refuses(void **state)
{
	/* Whichever the kernel lists first and last: some of ours are switched before it, or none. */
	static const char *const names[] = {"links/a", "links/v", "links/vv", "links/x", "links/zz"};
	struct dataplane *dataplane = open_attached();
	struct programs before = programs_of(dataplane);
	struct refusal refusal = {};
	int link = foreign_link();

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_int_equal(bpf_obj_pin(link, pin(names[i])), 0);
		assert_true(dataplane_upgrade(instance, &refusal) < 0);
		assert_non_null(strstr(refusal.what, "cannot be replaced"));
		unlink(pin(names[i]));
		assert_unchanged(dataplane, before);
	}
	close(link);
	assert_upgrades(dataplane, before);
	finish(dataplane);
}

/* Without it even root may not write where the mode forbids it. */
static void override_permissions(bool allowed)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	if (allowed)
		data[0].effective |= 1U << CAP_DAC_OVERRIDE;
	else
		data[0].effective &= ~(1U << CAP_DAC_OVERRIDE);
	assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

static void fail_to_pin(const char *directory)
{
	struct dataplane *dataplane = open_attached();
	struct programs before = programs_of(dataplane);
	struct refusal refusal = {};
	int r;

	assert_int_equal(chmod(pin(directory), 0500), 0);
	override_permissions(false);
	r = dataplane_upgrade(instance, &refusal);
	override_permissions(true);
	assert_int_equal(chmod(pin(directory), 0700), 0);
	assert_true(r < 0);
	assert_non_null(strstr(refusal.what, "cannot be pinned"));
	assert_unchanged(dataplane, before);
	assert_upgrades(dataplane, before);
	finish(dataplane);
}

static void test_maps_that_cannot_be_pinned(void **state)
{
	(void)state;
	fail_to_pin("maps");
}

static void test_programs_that_cannot_be_pinned(void **state)
{
	(void)state;
	fail_to_pin(".");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_link_that_refuses),
		CASE(test_maps_that_cannot_be_pinned),
		CASE(test_programs_that_cannot_be_pinned),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("upgrade undo", tests, NULL, NULL);
}
