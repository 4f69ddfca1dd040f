// SPDX-License-Identifier: Apache-2.0
/* The upgrade of programs and maps. */
#include "sample.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <holdfast/flowhash.h>
#include <kern/instance/attach.h>
#include <kern/instance/lifecycle.h>
#include <kern/maps/flows.h>
#include <kern/maps/state.h>
#include <kern/program/load.h>
#include <kern/program/observer.h>
#include <kern/program/program_upgrade.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "netns.h"

/* What the links run, and the maps that run on. */
static void test_upgrade_keeps_everything(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct attachment before, after;
	struct refusal refusal = {};
	struct sample sample;
	uint32_t slots;

	(void)state;
	sh("ip link add v0 type veth peer name v1");
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, &refusal), 0);
	before = only_attachment(dataplane);
	slots = map_id("maps/slots");
	assert_false(dataplane_outdated(dataplane));
	if (dataplane_upgrade(instance, &refusal))
		fail_msg("%s", refusal.what);
	after = only_attachment(dataplane);
	assert_int_equal(after.link, before.link);
	assert_int_not_equal(after.program, before.program);
	assert_string_equal(after.tag, before.tag);
	assert_int_equal(map_id("maps/slots"), slots);
	assert_loaded(dataplane, &sample);

	/* Who had it open all the while attaches the new program, too. */
	sh("ip link add w0 type veth peer name w1");
	assert_int_equal(dataplane_attach(dataplane, "w0", MODE_NATIVE, false, &refusal), 0);
	assert_int_equal(dataplane_detach(dataplane, "v0", &refusal), 0);
	assert_int_equal(only_attachment(dataplane).program, after.program);
	dataplane_close(dataplane);
	sh("ip link del v0 && ip link del w0");
}

/* Puts a map with smaller entries in the place of a pinned one, as an earlier version may have had it. */
static void shrink(const char *what, uint32_t size)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	struct hf_backend entry = {.family = HF_IPV4, .dst = {0x77}};
	uint32_t key = 9;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "backends", 4, size, HF_MAX_BACKENDS, &options);

	assert_true(fd >= 0);
	assert_int_equal(bpf_map_update_elem(fd, &key, &entry, BPF_ANY), 0);
	assert_int_equal(unlink(pin(what)), 0);
	assert_int_equal(bpf_obj_pin(fd, pin(what)), 0);
	close(fd);
}

static void test_upgrade_migrates_what_has_grown(void **state)
{
	struct dataplane *dataplane;
	struct hf_backend entry;
	struct refusal refusal = {};
	uint64_t events[HF_FLOW_EVENTS];

	(void)state;
	dataplane_close(open_instance());
	shrink("maps/backends", 56);
	assert_int_equal(dataplane_upgrade(instance, &refusal), 1);
	dataplane = open_instance();
	assert_true(dataplane_adopted(dataplane));
	assert_int_equal(dataplane_backend(dataplane, 9, &entry), 0);
	assert_int_equal(entry.dst[0], 0x77);
	dataplane_close(dataplane);

	/* A map that the earlier version did not have. */
	assert_int_equal(unlink(pin("maps/flow_events")), 0);
	assert_int_equal(dataplane_upgrade(instance, &refusal), 1);
	dataplane = open_instance();
	assert_true(dataplane_adopted(dataplane));
	assert_int_equal(dataplane_backend(dataplane, 9, &entry), 0);
	assert_int_equal(flow_events(dataplane, events), 0);
	assert_int_equal(events[HF_FLOW_REMEMBERED], 0);
	dataplane_close(dataplane);
}

/* An instance as layout 1 had it: 32768 services, and a directory of one that no seed laid out. */
static void make_layout_1(struct dataplane *dataplane, const struct hf_service *service)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	uint32_t key = 8 + (hf_service_hash(&service->key, 0) & 63);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "services", 4, sizeof *service, HF_MAX_DIRECTORY,
				&options);

	assert_true(fd >= 0);
	assert_int_equal(bpf_map_update_elem(fd, &key, service, BPF_ANY), 0);
	assert_int_equal(unlink(pin("maps/services")), 0);
	assert_int_equal(bpf_obj_pin(fd, pin("maps/services")), 0);
	close(fd);
	dataplane->control->services = hf_directory_word(8, 0, 6, 1 << HF_PORT_BITS, 123);
	dataplane->control->abi = 1;
	dataplane->control->reserved[CONTROL_DIGEST] ^= 1;
}

/* Programs are replaced first: they find services where the earlier version put them. */
static void test_a_directory_of_layout_1_is_taken_over(void **state)
{
	static const uint8_t frame[60] = {[12] = 0x08, [14] = 0x45, [17] = 46,  [22] = 64,   [23] = 6,
					  [26] = 192,  [29] = 7,    [30] = 203, [32] = 113,  [33] = 10,
					  [34] = 0x10, [36] = 0,    [37] = 80,  [46] = 0x50, [47] = 0x10};
	struct hf_service service = {.key = {.port = htons(80), .proto = 6, .kind = 16}, .number = 77};
	struct dataplane *dataplane = open_instance();
	struct hf_observation found = {};
	struct refusal refusal = {};
	struct image *image;
	uint32_t verdict;

	(void)state;
	memcpy(service.key.addr, &frame[30], 4);
	make_layout_1(dataplane, &service);
	dataplane_close(dataplane);
	dataplane = open_instance();
	assert_true(dataplane_adopted(dataplane));
	assert_int_equal(dataplane->maps[MAP_SERVICES].entries, SERVICES_ENTRIES);
	assert_int_equal(dataplane->control->abi, HF_ABI_VERSION);
	if (dataplane_observe(dataplane, frame, sizeof frame, 0, &found, &verdict, NULL, NULL, &refusal))
		fail_msg("%s", refusal.what);
	assert_int_equal(found.service, 77);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_int_equal(image->directory.seed, 0);
	assert_non_null(directory_find(&image->directory, HF_IPV4, service.key.addr, 6, 80));
	image_free(image);
	dataplane_close(dataplane);
}

/* Programs of an earlier version would not find what this one laid out: they are kept away. */
static void test_a_later_layout_is_refused(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct refusal refusal = {};

	(void)state;
	dataplane->control->abi = HF_ABI_VERSION + 1;
	dataplane->control->reserved[CONTROL_DIGEST] ^= 1;
	assert_int_equal(dataplane_upgrade(instance, &refusal), -EPROTO);
	assert_non_null(strstr(refusal.what, "has layout 3"));
	dataplane_close(dataplane);
	assert_int_equal(dataplane_open(instance, NULL, &dataplane, &refusal), -EPROTO);
}

/* The version before counted fewer kinds of events: its counts go on, and the new kinds begin at none. */
static void test_upgrade_counts_new_kinds_of_events(void **state)
{
	uint64_t events[HF_FLOW_EVENTS], *counts;
	struct refusal refusal = {};
	struct dataplane *dataplane;
	uint32_t key = HF_FLOW_EVICTED_OPENING;
	int fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "flow_events", 4, 8, 4, NULL);

	(void)state;
	counts = calloc(libbpf_num_possible_cpus(), sizeof *counts);
	assert_non_null(counts);
	counts[0] = 7;
	assert_true(fd >= 0);
	assert_int_equal(bpf_map_update_elem(fd, &key, counts, BPF_ANY), 0);
	free(counts);
	dataplane_close(open_instance());
	assert_int_equal(unlink(pin("maps/flow_events")), 0);
	assert_int_equal(bpf_obj_pin(fd, pin("maps/flow_events")), 0);
	close(fd);
	dataplane = open_instance();
	assert_int_equal(flow_events(dataplane, events), 0);
	assert_int_equal(events[HF_FLOW_EVICTED_OPENING], 7);
	assert_int_equal(events[HF_FLOW_UNFIT], 0);
	dataplane_close(dataplane);
	assert_int_equal(dataplane_upgrade(instance, &refusal), 1);
	dataplane = open_instance();
	assert_true(dataplane_adopted(dataplane));
	assert_int_equal(flow_events(dataplane, events), 0);
	assert_int_equal(events[HF_FLOW_EVICTED_OPENING], 7);
	assert_int_equal(events[HF_FLOW_UNFIT_PACKETS], 0);
	dataplane_close(dataplane);
}

static void test_refused_upgrade_changes_nothing(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct attachment before, after;
	struct refusal refusal = {};

	(void)state;
	sh("ip link add v0 type veth peer name v1");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, &refusal), 0);
	before = only_attachment(dataplane);
	shrink("maps/backends", 72);
	assert_int_equal(dataplane_upgrade(instance, &refusal), -EPROTO);
	assert_non_null(strstr(refusal.what, "backends has entries of 72 bytes"));
	after = only_attachment(dataplane);
	assert_int_equal(after.program, before.program);
	dataplane_close(dataplane);
	sh("ip link del v0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_upgrade_keeps_everything),
		CASE(test_upgrade_migrates_what_has_grown),
		CASE(test_a_directory_of_layout_1_is_taken_over),
		CASE(test_a_later_layout_is_refused),
		CASE(test_upgrade_counts_new_kinds_of_events),
		CASE(test_refused_upgrade_changes_nothing),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("upgrade", tests, NULL, NULL);
}
