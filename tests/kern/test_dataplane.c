// SPDX-License-Identifier: Apache-2.0
/* The data plane's maps, pins and attachments, as the kernel has them. */
#include <holdfast/directory.h>
#include <holdfast/slot.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <holdfast/flowhash.h>
#include <kern/instance/attach.h>
#include <kern/instance/attachments.h>
#include <kern/instance/lifecycle.h>
#include <kern/maps/dataplane.h>
#include <kern/maps/flows.h>
#include <kern/maps/hops.h>
#include <kern/maps/state.h>
#include <kern/program/instance_pins.h>
#include <kern/program/load.h>
#include <kern/program/observer.h>
#include <kern/program/program_upgrade.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>

#include "netns.h"

static char instance[32];
static const struct dataplane_limits limits = {.slots = 4096, .hops = 1024, .flows = 1024, .counters = 64};

/* A pool of one table in which every slot is owned by one backend, and a service of one entry. */
struct sample {
	struct hf_service entries[2];
	uint64_t words[1000];
	struct pool_image pool;
	struct backend_image backend;
	struct directory directory;
	struct plan_pool plan_pool;
	struct plan_backend plan_backend;
	struct plan plan;
};

static void sample_make(struct sample *sample, uint32_t slots, uint16_t owner)
{
	*sample = (struct sample){.entries = {{.pool = 3, .number = 9}}};
	for (uint32_t i = 0; i < slots; i++)
		sample->words[i] = hf_slot_word(owner, owner, 0);
	sample->pool = (struct pool_image){.name = "db",
					   .number = 3,
					   .table = {.size = slots, .seed = 77, .pool = 3},
					   .words = sample->words};
	sample->backend = (struct backend_image){.number = owner,
						 .entry = {.family = HF_IPV4, .dst = {owner}, .ordinal = 1}};
	sample->directory = (struct directory){.entries = sample->entries, .log2 = 1, .lengths = 1 << 16};
	sample->plan_pool = (struct plan_pool){
		.change = PLAN_ADD, .name = "db", .number = 3, .slots = slots, .image = &sample->pool};
	sample->plan_backend =
		(struct plan_backend){.change = PLAN_ADD, .number = owner, .image = &sample->backend};
	sample->plan = (struct plan){.pools = &sample->plan_pool,
				     .pool_count = 1,
				     .backends = &sample->plan_backend,
				     .backend_count = 1,
				     .services = true,
				     .directory = &sample->directory};
}

static struct dataplane *open_instance(void)
{
	struct refusal refusal = {};
	struct dataplane *dataplane = NULL;
	int r = dataplane_open(instance, &limits, &dataplane, &refusal);

	if (r)
		fail_msg("open: %d %s", r, refusal.what);
	return dataplane;
}

static const char *pin(const char *what)
{
	static char path[256];

	snprintf(path, sizeof path, "/sys/fs/bpf/holdfast/%s/%s", instance, what);
	return path;
}

static uint32_t map_id(const char *what)
{
	struct bpf_map_info info = {};
	uint32_t length = sizeof info;
	int fd = bpf_obj_get(pin(what));

	assert_true(fd >= 0);
	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &length), 0);
	close(fd);
	return info.id;
}

static int setup(void **state)
{
	(void)state;
	snprintf(instance, sizeof instance, "test-%d", getpid());
	return netns_enter();
}

static int teardown(void **state)
{
	(void)state;
	return dataplane_destroy(instance, NULL);
}

static void test_ranges(void **state)
{
	struct ranges *ranges;
	uint32_t a, b, c;

	(void)state;
	assert_int_equal(ranges_open(32, &ranges), 0);
	assert_int_equal(ranges_take(ranges, 5, 8, &a), 0);
	assert_int_equal(ranges_take(ranges, 5, 8, &b), 0);
	assert_int_equal(a, 0);
	assert_int_equal(b, 8);
	assert_int_equal(ranges_claim(ranges, 12, 2), -EEXIST);
	assert_int_equal(ranges_claim(ranges, 30, 3), -ERANGE);
	assert_int_equal(ranges_take(ranges, 17, 8, &c), -ENOSPC);
	ranges_retire(ranges, a);
	assert_int_equal(ranges_take(ranges, 17, 8, &c), -ENOSPC); /* still being read */
	assert_true(ranges_reclaimable(ranges));
	ranges_reclaim(ranges);
	assert_int_equal(ranges_take(ranges, 8, 8, &c), 0);
	assert_int_equal(c, 0);
	ranges_release(ranges, b);
	assert_int_equal(ranges_used(ranges), 8);
	ranges_close(ranges);
}

static void assert_loaded(struct dataplane *dataplane, const struct sample *sample)
{
	const uint64_t *words;
	struct hf_table table;
	struct image *image;

	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), 0);
	assert_int_equal(table.size, sample->pool.table.size);
	assert_memory_equal(words, sample->words, table.size * sizeof *words);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_int_equal(image->pool_count, 1);
	assert_int_equal(image->pools[0].number, 3);
	assert_int_equal(image->pools[0].table.seed, 77);
	assert_int_equal(image->backend_count, 1);
	assert_int_equal(image->backends[0].number, sample->backend.number);
	assert_int_equal(image->directory.log2, 1);
	assert_int_equal(image->directory.lengths, 1 << 16);
	assert_memory_equal(image->directory.entries, sample->entries, sizeof sample->entries);
	image_free(image);
}

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

/* Every change takes new memory; a thousand of them in room for four tables work only if it is given back. */
static void test_memory_is_given_back(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct sample sample;

	(void)state;
	for (uint16_t i = 1; i <= 1000; i++) {
		sample_make(&sample, 1000, i % 50 + 1);
		assert_int_equal(dataplane_apply(dataplane, &sample.plan, i, NULL), 0);
	}
	assert_true(dataplane_reclaimable(dataplane));
	assert_int_equal(dataplane_reclaim(dataplane), 0);
	assert_false(dataplane_reclaimable(dataplane));
	dataplane_close(dataplane);
}

static void test_no_room_changes_nothing(void **state)
{
	struct dataplane *dataplane = open_instance();
	static uint64_t many[5000];
	struct refusal refusal = {};
	struct sample sample, large;

	(void)state;
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	sample_make(&large, 1, 6);
	large.pool.table.size = 5000;
	large.pool.words = many;
	assert_int_equal(dataplane_apply(dataplane, &large.plan, 2, &refusal), -ENOSPC);
	assert_non_null(strstr(refusal.what, "5000 slots"));
	assert_string_equal(refusal.where, "pool db");
	assert_loaded(dataplane, &sample);
	dataplane_close(dataplane);
}

static void test_hops_are_kept_once(void **state)
{
	struct dataplane *dataplane = open_instance();
	static struct hf_hops hops[1000];
	struct sample sample;
	struct image *image;

	(void)state;
	for (int round = 0; round < 100; round++) { /* of 250 records each, in room for 1023 */
		sample_make(&sample, 1000, 5);
		for (uint16_t i = 0; i < 1000; i++)
			hops[i] = (struct hf_hops){.count = 2, .backend = {5, i % 250 + 1 + round}};
		sample.pool.hops = hops;
		assert_int_equal(dataplane_apply(dataplane, &sample.plan, round, NULL), 0);
	}
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_memory_equal(image->pools[0].hops, hops, sizeof hops);
	assert_memory_equal(image->pools[0].words, sample.words, sizeof sample.words);
	image_free(image);
	dataplane_close(dataplane);

	/* Who adopts them knows which are in use. */
	dataplane = open_instance();
	hops[0].backend[1] = 999;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 100, NULL), 0);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_memory_equal(image->pools[0].hops, hops, sizeof hops);
	image_free(image);
	dataplane_close(dataplane);
}

/* The image after a change has the words of the live table itself, which name that table's hops. */
/* Whose end has not come, for want of memory: it may have missed a record that a packet reads. */
static void test_a_sweep_that_failed_gives_no_record_away(void **state)
{
	static struct hf_hops memory[16];
	const struct hf_hops first = {.count = 1, .backend = {5}}, second = {.count = 1, .backend = {6}};
	struct hops_store *store;
	uint32_t index = 0, other = 0;
	uint64_t word;

	(void)state;
	assert_int_equal(hops_store_open(memory, 16, &store), 0);
	hops_sweep_end(store);
	assert_int_equal(hops_intern(store, &first, &index), 0);
	word = hf_slot_with_hops(0, index);
	assert_int_equal(hops_sweep_begin(store), 0);
	assert_int_equal(hops_intern(store, &second, &other), -ENOMEM);
	assert_memory_equal(&memory[index], &first, sizeof first);
	assert_int_equal(hops_sweep_begin(store), 0);
	assert_int_equal(hops_sweep_mark(store, &word, 1), 0);
	hops_sweep_end(store);
	assert_int_equal(hops_intern(store, &second, &other), 0);
	assert_int_not_equal(other, index);
	assert_memory_equal(&memory[index], &first, sizeof first);
	hops_store_close(store);
}

static void test_lent_words_name_the_new_hops(void **state)
{
	struct dataplane *dataplane = open_instance();
	static struct hf_hops hops[1000];
	struct sample sample, next;
	const uint64_t *words;
	struct hf_table table;
	struct image *image;

	(void)state;
	sample_make(&sample, 1000, 5);
	for (uint16_t i = 0; i < 1000; i++)
		hops[i] = (struct hf_hops){.count = 2, .backend = {5, i % 5 + 1}};
	sample.pool.hops = hops;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), 0);
	sample_make(&next, 1000, 5);
	for (uint16_t i = 0; i < 1000; i++) /* others, the same, and none */
		hops[i].backend[1] += i % 2 * 100;
	for (uint16_t i = 0; i < 1000; i += 3)
		hops[i] = (struct hf_hops){.count = 0};
	next.pool.words = words;
	next.pool.hops = hops;
	assert_int_equal(dataplane_apply(dataplane, &next.plan, 2, NULL), 0);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_memory_equal(image->pools[0].hops, hops, sizeof hops);
	assert_memory_equal(image->pools[0].words, sample.words, sizeof sample.words);
	image_free(image);
	dataplane_close(dataplane);
}

static void test_too_many_hops_change_nothing(void **state)
{
	const struct dataplane_limits few = {.slots = 4096, .hops = 500, .flows = 1024, .counters = 64};
	struct refusal refusal = {};
	static struct hf_hops hops[1000];
	struct dataplane *dataplane;
	struct sample sample, many;

	(void)state;
	assert_int_equal(dataplane_open(instance, &few, &dataplane, NULL), 0);
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	sample_make(&many, 1000, 5);
	for (uint16_t i = 0; i < 1000; i++)
		hops[i] = (struct hf_hops){.count = 1, .backend = {i + 1}};
	many.pool.hops = hops;
	assert_int_equal(dataplane_apply(dataplane, &many.plan, 2, &refusal), -ENOSPC);
	assert_non_null(strstr(refusal.what, "hops"));
	assert_loaded(dataplane, &sample);
	dataplane_close(dataplane);
}

static void test_backends_change_in_place(void **state)
{
	struct dataplane *dataplane = open_instance();
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	struct hf_backend entry;
	struct sample sample;

	(void)state;
	sample_make(&sample, 101, 5);
	sample.backend.entry.flags = HF_BACKEND_TAKES_NEW | HF_BACKEND_SERVES_TCP;
	sample.backend.entry.mtu = 1500;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_next_hop_set(dataplane, 5, mac, 1), 0);
	sample.backend.entry.flags = HF_BACKEND_SERVES_TCP;
	sample.backend.entry.mtu = 0; /* not known any more */
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	assert_int_equal(dataplane_backend(dataplane, 5, &entry), 0);
	assert_int_equal(entry.flags, HF_BACKEND_SERVES_TCP);
	assert_int_equal(entry.mtu, 1500);
	assert_memory_equal(&entry.next_hop, mac, sizeof mac);
	sample.backend.entry.dst[0] = 77;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 3, NULL), 0);
	assert_int_equal(dataplane_backend(dataplane, 5, &entry), 0);
	assert_int_equal(entry.next_hop, 0);
	dataplane_close(dataplane);
}

/* Another source, another spread, another encapsulation: at the end the entry says what the image says. */
static void test_a_backends_way_changes_in_place(void **state)
{
	static const struct {
		uint32_t source, mask;
		uint16_t port;
		uint8_t encap;
	} ways[] = {
		{0x0a400000, 0xffff, 0, HF_ENCAP_IP},    {0xc0000201, 0, 0, HF_ENCAP_IP},
		{0x0a410000, 0xfff, 7000, HF_ENCAP_GUE}, {0x0a420000, 0xffff, 7001, HF_ENCAP_GUE},
		{0xc0000300, 0xff, 0, HF_ENCAP_GRE},     {0xc0000301, 0, 0, HF_ENCAP_L2},
		{0xc0000300, 0xff, 6080, HF_ENCAP_GUE},  {0x0a400000, 0xffff, 0, HF_ENCAP_IP},
	};
	struct dataplane *dataplane = open_instance();
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	struct sample sample;

	(void)state;
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_next_hop_set(dataplane, 5, mac, 1), 0);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct hf_backend *wanted = &sample.backend.entry, entry;

		wanted->src[0] = htonl(ways[i].source);
		wanted->src_mask = htonl(ways[i].mask);
		wanted->gue_port = htons(ways[i].port);
		wanted->encap = ways[i].encap;
		assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2 + (uint32_t)i, NULL), 0);
		assert_int_equal(dataplane_backend(dataplane, 5, &entry), 0);
		assert_memory_equal(&entry.next_hop, mac, sizeof mac); /* packets go on */
		entry.next_hop = 0;
		assert_memory_equal(&entry, wanted, sizeof entry);
	}
	dataplane_close(dataplane);
}

static void test_removal(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct directory none = {};
	const uint64_t *words;
	struct hf_backend entry;
	struct hf_table table;
	struct sample sample;
	struct image *image;

	(void)state;
	sample_make(&sample, 101, 5);
	sample.backend.entry.flags = HF_BACKEND_TAKES_NEW | HF_BACKEND_SERVES_TCP;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	sample.plan_pool.change = PLAN_REMOVE;
	sample.plan_pool.image = NULL;
	sample.plan_backend.change = PLAN_REMOVE;
	sample.plan_backend.image = NULL;
	sample.plan.directory = &none;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	/* Remembered flows leave at once; a packet that found it already has the address still. */
	assert_int_equal(dataplane_backend(dataplane, 5, &entry), 0);
	assert_int_equal(entry.flags, 0);
	assert_int_equal(entry.dst[0], 5);
	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), -ENOENT);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_int_equal(image->pool_count, 0);
	assert_int_equal(image->backend_count, 0);
	assert_null(image->directory.entries);
	image_free(image);
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

static int keep_first(const struct attachment *attachment, void *context)
{
	*(struct attachment *)context = *attachment;
	return 1;
}

static struct attachment only_attachment(struct dataplane *dataplane)
{
	struct attachment attachment = {};

	assert_int_equal(dataplane_attachments(dataplane, keep_first, &attachment), 1);
	return attachment;
}

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
	assert_int_equal(dataplane_attachments(dataplane, keep_first, &after), 0);
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
	assert_int_equal(dataplane_attachments(dataplane, keep_first, &attachment), 0);
	dataplane_close(dataplane);
	sh("ip link del v0");
}

static void test_vanished_interface_is_forgotten(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct attachment attachment;

	(void)state;
	sh("ip link add v0 type veth peer name v1");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	sh("ip link del v0");
	assert_int_equal(dataplane_attachments(dataplane, keep_first, &attachment), 0);
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

enum { NOW = 1000, IDLE = 100, FLOWS = 9 };

static void flows_put(const struct hf_flow *flows, uint32_t count)
{
	int fd = bpf_obj_get(pin("maps/flows"));

	assert_true(fd >= 0);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(bpf_map_update_elem(fd, &i, &flows[i], BPF_ANY), 0);
	close(fd);
}

static bool flow_is_there(uint32_t index)
{
	struct hf_flow flow;
	int fd = bpf_obj_get(pin("maps/flows"));

	assert_true(fd >= 0);
	assert_int_equal(bpf_map_lookup_elem(fd, &index, &flow), 0);
	close(fd);
	return flow.tag;
}

/* Backend 5 owns all slots, of which 10 to 19 move; backend 6 serves old TCP flows, 7 nothing any more. */
static void flows_sample(struct dataplane *dataplane, struct sample *sample)
{
	struct backend_image more[2] = {
		{.number = 6, .entry = {.family = HF_IPV4, .flags = HF_BACKEND_SERVES_TCP}},
		{.number = 7, .entry = {.family = HF_IPV4}}};
	struct plan_backend changes[] = {
		{PLAN_ADD, 5, &sample->backend}, {PLAN_ADD, 6, &more[0]}, {PLAN_ADD, 7, &more[1]}};

	sample_make(sample, 101, 5);
	sample->backend.entry.flags = HF_BACKEND_TAKES_NEW | HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP;
	sample->entries[0].key.proto = IPPROTO_UDP;
	sample->entries[0].track = HF_TRACK_ALWAYS;
	for (uint32_t i = 10; i < 20; i++)
		sample->words[i] |= hf_slot_word(0, 0, HF_SLOT_MOVING);
	sample->plan.backends = changes;
	sample->plan.backend_count = 3;
	assert_int_equal(dataplane_apply(dataplane, &sample->plan, 1, NULL), 0);
}

static void test_flows_are_counted_and_purged(void **state)
{
	static const struct hf_flow flows[FLOWS] = {
		/* stay */
		{21, 1, 10, NOW - 5, 5, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{22, 1, 11, NOW - 7, 6, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{23, 1, 12, NOW - 3, 6, 1, HF_FLOW_OPENING, IPPROTO_TCP, 3, IDLE},
		{24, 1, 13, NOW - 1, 6, 1, HF_FLOW_CLOSING, IPPROTO_TCP, 3, IDLE},
		{25, 1, 50, NOW - 1, 5, 9, HF_FLOW_ESTABLISHED, IPPROTO_UDP, 3, IDLE}, /* tracked always */
		/* go: silent too long, slot settled, backend gone, pool gone */
		{26, 1, 14, NOW - IDLE - 1, 6, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{27, 1, 50, NOW - 1, 5, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{28, 1, 15, NOW - 61, 7, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{29, 1, 16, NOW - 1, 5, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 4, IDLE},
	};
	const uint64_t slots[2] = {1ULL << 11 | 1ULL << 12};
	struct dataplane *dataplane = open_instance();
	struct flow_census *census;
	struct sample sample;

	(void)state;
	flows_sample(dataplane, &sample);
	flows_put(flows, FLOWS);
	assert_int_equal(flows_on_slots(dataplane, 3, slots, 101), 2);
	assert_int_equal(flows_count(dataplane, NOW, &census), 0);
	assert_int_equal(census->limit, limits.flows);
	assert_int_equal(census->purged, 4);
	for (uint32_t i = 0; i < FLOWS; i++)
		assert_int_equal(flow_is_there(i), i < 5);
	assert_int_equal(census->established, 3);
	assert_int_equal(census->opening, 1);
	assert_int_equal(census->closing, 1);
	assert_int_equal(census->backends[6].established, 1);
	assert_int_equal(census->backends[6].closing, 1);
	assert_int_equal(census->backends[6].heard, NOW - 3);
	assert_int_equal(census->pools[3].remembered, 5);
	assert_int_equal(census->pools[3].away, 3);
	for (uint32_t slot = 0; slot < 101; slot++)
		assert_int_equal(flow_census_away(census, 3, slot), slot >= 11 && slot <= 13);
	flow_census_free(census);
	flows_clear(dataplane);
	assert_false(flow_is_there(0));
	dataplane_close(dataplane);
}

/* Also one that only changes a backend's flags, which retires nothing. */
static void test_every_change_waits_for_a_grace_period(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct sample sample;
	uint64_t changes;

	(void)state;
	assert_int_equal(dataplane_grace(dataplane).changes, 0);
	assert_true(
		dataplane_reclaimable(dataplane)); /* whoever had it before may have changed it just now */
	assert_int_equal(dataplane_reclaim(dataplane), 0);
	assert_int_equal(dataplane_grace(dataplane).changes, dataplane_changes(dataplane));
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_reclaim(dataplane), 0);
	assert_false(dataplane_reclaimable(dataplane));

	changes = dataplane_changes(dataplane);
	sample.plan.pool_count = 0;
	sample.plan.services = false;
	sample.plan_backend.change = PLAN_CHANGE;
	sample.backend.entry.flags = HF_BACKEND_SERVES_TCP;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	assert_true(dataplane_reclaimable(dataplane));
	assert_int_equal(dataplane_changes(dataplane), changes + 1);
	assert_int_equal(dataplane_grace(dataplane).changes, changes);
	assert_int_equal(dataplane_reclaim(dataplane), 0);
	assert_int_equal(dataplane_grace(dataplane).changes, changes + 1);
	dataplane_close(dataplane);
}

/* Owners, bases and hops, of a table and of the old one of a pool that migrates. */
static void test_what_tables_name(void **state)
{
	static bool named[HF_MAX_BACKENDS];
	static struct hf_hops hops[101];
	struct dataplane *dataplane = open_instance();
	struct sample sample;

	(void)state;
	sample_make(&sample, 101, 5);
	sample.words[17] = hf_slot_word(5, 4, HF_SLOT_MOVING);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_false(dataplane_old_base(dataplane, 3, 4));
	sample_make(&sample, 101, 6);
	sample.pool.table.seed = 78;
	sample.pool.table.old_size = 101;
	sample.pool.table.old_seed = 77;
	hops[33] = (struct hf_hops){.count = 2, .backend = {6, 7, 9}};
	sample.pool.hops = hops;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	dataplane_named(dataplane, named);
	for (uint32_t i = 1; i < HF_MAX_BACKENDS; i++)
		assert_int_equal(named[i], i >= 4 && i <= 7);
	assert_true(dataplane_old_base(dataplane, 3, 4));
	assert_true(dataplane_old_base(dataplane, 3, 5));
	assert_false(dataplane_old_base(dataplane, 3, 6));
	dataplane_close(dataplane);
}

/* A slot that goes on moving keeps its time, one that begins to move begins now, unless the image knows
 * better. */
static void test_since(void **state)
{
	struct dataplane *dataplane = open_instance();
	static uint32_t since[101];
	struct timespec now;
	struct sample sample;
	struct image *image;
	uint32_t later;

	(void)state;
	flows_sample(dataplane, &sample);
	clock_gettime(CLOCK_MONOTONIC, &now);
	later = now.tv_sec + 1000;
	since[10] = later;
	sample.plan.backend_count = 0;
	sample.pool.since = since;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	sample.pool.since = NULL;
	sample.words[20] |= hf_slot_word(0, 0, HF_SLOT_MOVING);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 3, NULL), 0);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_int_equal(image->pools[0].moving, 11);
	assert_int_equal(image->pools[0].since[10], later);
	assert_true(image->pools[0].since[20] >= now.tv_sec && image->pools[0].since[20] <= now.tv_sec + 60);
	assert_int_equal(image->pools[0].since[30], 0);
	image_free(image);
	dataplane_close(dataplane);
}

/* The data plane has put off since when a slot moves, after the image was built that takes its place. */
static void test_since_that_was_put_off_is_kept(void **state)
{
	struct dataplane *dataplane = open_instance();
	static uint32_t since[101];
	struct timespec now;
	struct sample sample;
	struct hf_table table;
	const uint64_t *words;
	struct hf_since pair;
	uint32_t key;
	int fd = bpf_obj_get(pin("maps/since"));

	(void)state;
	assert_true(fd >= 0);
	flows_sample(dataplane, &sample);
	sample.plan.backend_count = 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), 0);
	key = (table.first + 10) / 2;
	pair.at[0] = pair.at[1] = now.tv_sec + 500;
	assert_int_equal(bpf_map_update_elem(fd, &key, &pair, BPF_ANY), 0);
	for (uint32_t i = 10; i < 20; i++)
		since[i] = now.tv_sec;
	sample.pool.since = since;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), 0);
	key = (table.first + 10) / 2;
	assert_int_equal(bpf_map_lookup_elem(fd, &key, &pair), 0);
	assert_int_equal(pair.at[(table.first + 10) % 2], now.tv_sec + 500);
	close(fd);
	dataplane_close(dataplane);
}

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

static void test_observing(void **state)
{
	static const uint8_t arp[60] = {[0] = 2, [12] = 0x08, [13] = 0x06};
	struct dataplane *dataplane = open_instance(), *inspected;
	struct hf_reason_counter before[HF_REASON_LIMIT], after[HF_REASON_LIMIT];
	struct hf_observation found;
	struct refusal refusal = {};
	uint32_t verdict, length = 256;
	uint8_t out[256];

	(void)state;
	assert_int_equal(dataplane_inspect(instance, &inspected, &refusal), 0);
	assert_int_equal(dataplane_reasons(dataplane, before), 0);
	assert_int_equal(
		dataplane_observe(inspected, arp, sizeof arp, 0, &found, &verdict, out, &length, &refusal),
		0);
	assert_int_equal(verdict, 2); /* XDP_PASS */
	assert_int_equal(length, sizeof arp);
	assert_int_equal(found.reason, HF_REASON_NOT_IP);
	assert_int_equal(dataplane_reasons(dataplane, after), 0);
	assert_memory_equal(before, after, sizeof before);
	dataplane_close(inspected);
	dataplane_close(dataplane);
}

static void test_counters(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct hf_counters rows[3] = {}, values[64] = {};
	int fd = bpf_obj_get(pin("maps/counters"));
	uint32_t key = 7;

	(void)state;
	for (int i = 0; i < 64; i++)
		values[i] = (struct hf_counters){.packets = i, .bytes = 10, .flows = 1};
	assert_int_equal(bpf_map_update_elem(fd, &key, values, BPF_ANY), 0);
	close(fd);
	assert_int_equal(dataplane_counters(dataplane, 6, 3, rows), 0);
	assert_int_equal(rows[0].bytes, 0);
	assert_int_equal(rows[1].bytes, 10 * rows[1].flows);
	assert_int_equal(rows[1].packets, rows[1].flows * (rows[1].flows - 1) / 2);
	assert_int_equal(dataplane_counters_clear(dataplane, 7, 1), 0);
	assert_int_equal(dataplane_counters(dataplane, 6, 3, rows), 0);
	assert_int_equal(rows[1].packets, 0);
	dataplane_close(dataplane);
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

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		CASE(test_adoption_changes_nothing),
		CASE(test_memory_is_given_back),
		CASE(test_no_room_changes_nothing),
		CASE(test_hops_are_kept_once),
		cmocka_unit_test(test_a_sweep_that_failed_gives_no_record_away),
		CASE(test_lent_words_name_the_new_hops),
		CASE(test_too_many_hops_change_nothing),
		CASE(test_backends_change_in_place),
		CASE(test_a_backends_way_changes_in_place),
		CASE(test_removal),
		CASE(test_lost_pins_are_made_good),
		CASE(test_other_layout_is_refused),
		CASE(test_attachment_outlives_the_process),
		CASE(test_large_frames),
		CASE(test_refused_attachments),
		CASE(test_vanished_interface_is_forgotten),
		CASE(test_only_ingress),
		CASE(test_flows_are_counted_and_purged),
		CASE(test_every_change_waits_for_a_grace_period),
		CASE(test_what_tables_name),
		CASE(test_since),
		CASE(test_since_that_was_put_off_is_kept),
		CASE(test_upgrade_keeps_everything),
		CASE(test_upgrade_migrates_what_has_grown),
		CASE(test_a_directory_of_layout_1_is_taken_over),
		CASE(test_a_later_layout_is_refused),

		CASE(test_upgrade_counts_new_kinds_of_events),
		CASE(test_refused_upgrade_changes_nothing),
		CASE(test_observing),
		CASE(test_counters),
		CASE(test_destroy_leaves_nothing),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("dataplane", tests, NULL, NULL);
}
