/* SPDX-License-Identifier: Apache-2.0 */
#include "rates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_PERIOD = 500 /* ms */, NUMBERS = 1 << 16 };

struct series {
	struct tally tally;
	struct hf_counters last; /* when rates were set last */
	uint32_t round;          /* of the sample that set total; others than the newest are stale */
	bool known;              /* last is set: there is something to compare with */
};

/* Who counts where: looked up when it changes, not every second. */
struct counting_backend {
	uint16_t number, ordinal;
};

struct counting_service {
	uint16_t number;
	uint32_t first, ordinals;      /* of counters */
	bool seen;                     /* its flows are seen to begin */
	size_t backend, backend_count; /* range of layout.backends: those of its pool */
};

struct layout {
	struct counting_service *services;
	size_t service_count;
	struct counting_backend *backends;
	size_t backend_count;
};

struct rates {
	struct dataplane *const *dataplane; /* of the instance, which may open it anew */
	/* By number. Pages that no number touches take no memory. */
	struct series *services, *backends;
	size_t service_limit, backend_limit; /* one beyond the highest number that was seen */
	struct series reasons[HF_REASON_LIMIT];
	struct layout layout;
	struct hf_counters *buffer;
	uint32_t room;
	uint32_t round;
	int64_t rated; /* monotonic milliseconds when rates were set last; 0 never */
};

int rates_open(struct dataplane *const *dataplane, struct rates **ret)
{
	struct rates *rates = calloc(1, sizeof *rates);

	if (!rates)
		return -ENOMEM;
	rates->dataplane = dataplane;
	rates->services = calloc(NUMBERS, sizeof *rates->services);
	rates->backends = calloc(NUMBERS, sizeof *rates->backends);
	if (!rates->services || !rates->backends) {
		rates_close(rates);
		return -ENOMEM;
	}
	*ret = rates;
	return 0;
}

void rates_close(struct rates *rates)
{
	if (!rates)
		return;
	free(rates->services);
	free(rates->backends);
	free(rates->layout.services);
	free(rates->layout.backends);
	free(rates->buffer);
	free(rates);
}

/* Learning -------------------------------------------------------------------------- */

static size_t count_backends(const struct model *model)
{
	size_t count = 0;

	for (size_t i = 0; i < model->pool_count; i++)
		count += model->pools[i].backend_count;
	return count;
}

static void learn_pool(struct layout *layout, const struct pool *pool, const struct ledger *ledger)
{
	for (size_t i = 0; i < pool->backend_count; i++) {
		uint16_t number = ledger_backend(ledger, pool->name, &pool->backends[i]);

		layout->backends[layout->backend_count++] =
			(struct counting_backend){number, ledger_ordinal(ledger, number)};
	}
}

static void learn_service(struct layout *layout, const struct service *service, const struct model *model,
			  const struct ledger *ledger, const size_t *starts)
{
	const struct pool *pool = model_pool(model, service->pool);
	struct counting_service *counting = &layout->services[layout->service_count];

	counting->number = ledger_service(ledger, service, &counting->first, &counting->ordinals);
	if (!counting->number || !pool)
		return;
	counting->seen = beginnings_seen(service->proto, service->track);
	counting->backend = starts[pool - model->pools];
	counting->backend_count = pool->backend_count;
	layout->service_count++;
}

int rates_learn(struct rates *rates, const struct model *model, const struct ledger *ledger)
{
	struct layout layout = {
		.services = calloc(model->service_count + 1, sizeof *layout.services),
		.backends = calloc(count_backends(model) + 1, sizeof *layout.backends),
	};
	size_t *starts = calloc(model->pool_count + 1, sizeof *starts);
	int error = layout.services && layout.backends && starts ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < model->pool_count; i++) {
		starts[i] = layout.backend_count;
		learn_pool(&layout, &model->pools[i], ledger);
	}
	for (size_t i = 0; !error && i < model->service_count; i++)
		learn_service(&layout, &model->services[i], model, ledger, starts);
	free(starts);
	if (!error) {
		struct layout old = rates->layout;

		rates->layout = layout;
		layout = old;
	}
	free(layout.services);
	free(layout.backends);
	return error;
}

/* Sampling --------------------------------------------------------------------------- */

static bool grow_buffer(struct rates *rates, uint32_t count)
{
	struct hf_counters *buffer;

	if (count <= rates->room)
		return true;
	buffer = realloc(rates->buffer, count * sizeof *buffer);
	if (!buffer)
		return false;
	rates->buffer = buffer;
	rates->room = count;
	return true;
}

static void add_total(struct rates *rates, struct series *series, const struct hf_counters *counters,
		      bool seen)
{
	if (series->round != rates->round) {
		/* A number that was away starts anew: its rate is not that of the years between. */
		if (series->round + 1 != rates->round)
			*series = (struct series){0};
		series->round = rates->round;
		series->tally.total = (struct hf_counters){0};
		series->tally.seen = series->tally.unseen = false;
	}
	tally_count(&series->tally, counters, seen);
}

static void sample_service(struct rates *rates, const struct counting_service *service)
{
	if (!grow_buffer(rates, service->ordinals) ||
	    dataplane_counters(*rates->dataplane, service->first, service->ordinals, rates->buffer))
		return;
	if (service->number >= rates->service_limit)
		rates->service_limit = service->number + 1;
	for (uint32_t i = 0; i < service->ordinals; i++)
		add_total(rates, &rates->services[service->number], &rates->buffer[i], service->seen);
	for (size_t i = 0; i < service->backend_count; i++) {
		const struct counting_backend *backend = &rates->layout.backends[service->backend + i];

		if (backend->ordinal >= service->ordinals)
			continue;
		if (backend->number >= rates->backend_limit)
			rates->backend_limit = backend->number + 1;
		add_total(rates, &rates->backends[backend->number], &rates->buffer[backend->ordinal],
			  service->seen);
	}
}

static void sample_reasons(struct rates *rates)
{
	struct hf_reason_counter reasons[HF_REASON_LIMIT] = {0};

	if (dataplane_reasons(*rates->dataplane, reasons))
		return;
	for (unsigned i = 0; i < HF_REASON_LIMIT; i++) {
		struct hf_counters counters = {.packets = reasons[i].packets, .bytes = reasons[i].bytes};

		add_total(rates, &rates->reasons[i], &counters, false);
	}
}

/* Counters of a number that was given anew begin at 0 again: no negative rate. */
static double rate_of(uint64_t now, uint64_t last, double seconds)
{
	return now > last ? (now - last) / seconds : 0;
}

static void series_rate(struct series *series, double seconds)
{
	const struct hf_counters *now = &series->tally.total, *last = &series->last;

	if (series->known) {
		series->tally.packets = rate_of(now->packets, last->packets, seconds);
		series->tally.bytes = rate_of(now->bytes, last->bytes, seconds);
		series->tally.flows = rate_of(now->flows, last->flows, seconds);
	}
	series->last = *now;
	series->known = true;
}

static void series_rates(struct series *series, size_t count, uint32_t round, double seconds)
{
	for (size_t i = 0; i < count; i++)
		if (series[i].round == round)
			series_rate(&series[i], seconds);
}

void rates_sample(struct rates *rates, int64_t now)
{
	double seconds = (now - rates->rated) / 1000.0;

	rates->round++;
	for (size_t i = 0; i < rates->layout.service_count; i++)
		sample_service(rates, &rates->layout.services[i]);
	sample_reasons(rates);
	if (now - rates->rated < RATE_PERIOD)
		return;
	series_rates(rates->services, rates->service_limit, rates->round, seconds);
	series_rates(rates->backends, rates->backend_limit, rates->round, seconds);
	series_rates(rates->reasons, HF_REASON_LIMIT, rates->round, seconds);
	rates->rated = now;
}

const struct tally *rates_service(const struct rates *rates, uint16_t service)
{
	return &rates->services[service].tally;
}

const struct tally *rates_backend(const struct rates *rates, uint16_t backend)
{
	return &rates->backends[backend].tally;
}

const struct tally *rates_reason(const struct rates *rates, unsigned reason)
{
	return &rates->reasons[reason].tally;
}

struct tally rates_pool(const struct rates *rates, const struct model *model, const struct ledger *ledger,
			const char *pool)
{
	struct tally sum = {.flows = 0};
	uint32_t counters, ordinals;

	for (size_t i = 0; i < model->service_count; i++) {
		const struct service *service = &model->services[i];
		const struct tally *tally;
		uint16_t number;

		if (strcmp(service->pool, pool))
			continue;
		number = ledger_service(ledger, service, &counters, &ordinals);
		tally = rates_service(rates, number);
		sum.flows += tally->flows;
		sum.seen |= tally->seen;
		sum.unseen |= tally->unseen;
	}
	return sum;
}
