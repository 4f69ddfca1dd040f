/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the data plane share: an instance of a test's own, and what is loaded into it. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <kern/apply/plan_apply.h>
#include <kern/maps/dataplane.h>
#include <kern/xdp/attachment.h>

extern char instance[32];
extern const struct dataplane_limits limits;

/* In a network namespace of the test's own. */
int sample_setup(void **state);
int sample_teardown(void **state);
#define CASE(test) cmocka_unit_test_setup_teardown(test, sample_setup, sample_teardown)

struct dataplane *open_instance(void);
const char *pin(const char *what); /* its path; valid until the next call */
uint32_t map_id(const char *what);

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

void sample_make(struct sample *sample, uint32_t slots, uint16_t owner);
/* The same, applied: backend 5 owns all slots, of which 10 to 19 move; backend 6 serves old TCP flows, 7
 * nothing any more. */
void moving_sample(struct dataplane *dataplane, struct sample *sample);
void assert_loaded(struct dataplane *dataplane, const struct sample *sample);

int attachment_keep(const struct attachment *attachment, void *attachment_ret); /* the first; for a visit */
struct attachment only_attachment(struct dataplane *dataplane);
