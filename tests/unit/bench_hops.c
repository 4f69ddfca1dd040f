/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a change of a GUE pool costs while backends are down: a weight changes, with none, a tenth, half and
 * nine tenths of a thousand backends down. Each is the least of several, measured in turns. More than twice
 * of what it costs with none down is a failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/image/image.h"
#include "core/ledger/ledger.h"
#include "core/model/model.h"
#include "core/operation/operation.h"

enum { BACKENDS = 1000, SLOTS = 65537, ROUNDS = 9, SHARES = 4, NOW = 100000 };

static const int shares[SHARES] = {0, 10, 50, 90};

static struct health seen(void *context, const char *pool, const struct backend *backend)
{
	int number = atoi(backend->name + 1);

	(void)pool;
	/* Spread over the names, and long ago. */
	return (struct health){number * 37 % 100 < *(const int *)context ? HEALTH_DOWN : HEALTH_UP, 0, false};
}

static struct model *operate(struct model *model, const char *word, json_t *arguments)
{
	struct refusal refusal = {0};
	struct model *after;

	if (operation_apply(model, word, arguments, NOW * 1000LL, &after, &refusal)) {
		fprintf(stderr, "%s: %s (%s)\n", word, refusal.what, refusal.where);
		exit(1);
	}
	json_decref(arguments);
	model_free(model);
	return after;
}

static json_t *backend_json(int number)
{
	char name[16], address[16];

	snprintf(name, sizeof name, "b%04d", number);
	snprintf(address, sizeof address, "10.1.%d.%d", number / 250, number % 250 + 1);
	return json_pack("{ssss}", "name", name, "address", address);
}

/* Written as a file: a thousand operations would take longer than what is measured. */
static struct model *make_model(void)
{
	json_t *pool = json_pack("{sssssi}", "name", "db", "encap", "gue", "table_size", SLOTS);
	json_t *service = json_pack("{ssss}", "listen", "tcp 203.0.113.10:80", "pool", "db");
	json_t *backends = json_array();

	for (int i = 0; i < BACKENDS; i++)
		json_array_append_new(backends, backend_json(i));
	json_object_set_new(pool, "backends", backends);
	return operate(model_new(1), "model.apply",
		       json_pack("{s:{s:i, s:s, s:[o], s:[o]}}", "configuration", "version", 1, "seed",
				 "0000000000000001", "pools", pool, "services", service));
}

static struct image *build(const struct model *model, struct ledger *ledger, const struct image *before,
			   const int *share)
{
	const struct moment moment = {
		.now = NOW, .wall = NOW * 1000LL, .health = seen, .context = (void *)share};
	struct refusal refusal = {0};
	struct image *image;

	if (ledger_assign(ledger, model, HF_DEFAULT_COUNTERS, &refusal) ||
	    image_build(model, ledger, before, &moment, &image, &refusal)) {
		fprintf(stderr, "image: %s\n", refusal.what);
		exit(1);
	}
	return image;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(void)
{
	struct model *model = make_model(), *changed = make_model();
	struct ledger *ledger = ledger_new();
	double least[SHARES] = {0};
	struct image *before[SHARES];
	bool slow = false;

	changed = operate(changed, "backend.set",
			  json_pack("{sssssi}", "pool", "db", "name", "b0500", "weight", 90));
	for (int i = 0; i < SHARES; i++)
		before[i] = build(model, ledger, NULL, &shares[i]);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < SHARES; i++) {
			double start = now_ms(), took;

			image_free(build(changed, ledger, before[i], &shares[i]));
			took = now_ms() - start;
			least[i] = round && least[i] < took ? least[i] : took;
		}
	for (int i = 0; i < SHARES; i++) {
		printf("gue change  %5d members  %7d slots  %2d%% down %8.3f ms  %.2f of none down\n",
		       BACKENDS, SLOTS, shares[i], least[i], least[i] / least[0]);
		slow = slow || least[i] > 2 * least[0];
		image_free(before[i]);
	}
	ledger_free(ledger);
	model_free(model);
	model_free(changed);
	return slow;
}
