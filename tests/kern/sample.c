// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include <bpf/bpf.h>
#include <holdfast/slot.h>
#include <kern/instance/attachments.h>
#include <kern/instance/lifecycle.h>
#include <netinet/in.h>
#include <stdio.h>
#include <unistd.h>

#include "netns.h"

char instance[32];
const struct dataplane_limits limits = {.slots = 4096, .hops = 1024, .flows = 1024, .counters = 64};

void sample_make(struct sample *sample, uint32_t slots, uint16_t owner)
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

struct dataplane *open_instance(void)
{
	struct refusal refusal = {};
	struct dataplane *dataplane = NULL;
	int r = dataplane_open(instance, &limits, &dataplane, &refusal);

	if (r)
		fail_msg("open: %d %s", r, refusal.what);
	return dataplane;
}

const char *pin(const char *what)
{
	static char path[256];

	snprintf(path, sizeof path, "/sys/fs/bpf/holdfast/%s/%s", instance, what);
	return path;
}

uint32_t map_id(const char *what)
{
	struct bpf_map_info info = {};
	uint32_t length = sizeof info;
	int fd = bpf_obj_get(pin(what));

	assert_true(fd >= 0);
	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &length), 0);
	close(fd);
	return info.id;
}

int sample_setup(void **state)
{
	(void)state;
	snprintf(instance, sizeof instance, "test-%d", getpid());
	return netns_enter();
}

int sample_teardown(void **state)
{
	(void)state;
	return dataplane_destroy(instance, NULL);
}

void assert_loaded(struct dataplane *dataplane, const struct sample *sample)
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

int attachment_keep(const struct attachment *attachment, void *context)
{
	*(struct attachment *)context = *attachment;
	return 1;
}

struct attachment only_attachment(struct dataplane *dataplane)
{
	struct attachment attachment = {};

	assert_int_equal(dataplane_attachments(dataplane, attachment_keep, &attachment), 1);
	return attachment;
}

/* Backend 5 owns all slots, of which 10 to 19 move; backend 6 serves old TCP flows, 7 nothing any more. */
void moving_sample(struct dataplane *dataplane, struct sample *sample)
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
