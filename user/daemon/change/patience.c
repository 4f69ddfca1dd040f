/* SPDX-License-Identifier: Apache-2.0 */
#include "patience.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/base/clock.h"

enum { AGAIN = 50, PATIENCE = 2000 /* ms */ };

struct patient {
	void (*resume)(void *context);
	void *context;
	struct patient *next;
};

struct patience {
	uv_timer_t again;
	struct patient *patients; /* who came first is first */
};

/* They may come back. */
static void try_again(struct patience *patience)
{
	struct patient *patient = patience->patients;

	patience->patients = NULL;
	while (patient) {
		struct patient *next = patient->next;

		patient->resume(patient->context);
		free(patient);
		patient = next;
	}
}

static void on_again(uv_timer_t *timer)
{
	try_again(timer->data);
}

int patience_open(uv_loop_t *loop, struct instance *instance)
{
	struct patience *patience = calloc(1, sizeof *patience);

	if (!patience)
		return -ENOMEM;
	uv_timer_init(loop, &patience->again);
	patience->again.data = patience;
	instance->patience = patience;
	store_wait(instance->store, false);
	return 0;
}

static void on_closed(uv_handle_t *timer)
{
	free(timer->data);
}

void patience_close(struct instance *instance)
{
	struct patience *patience = instance ? instance->patience : NULL;

	if (!patience)
		return;
	instance->patience = NULL; /* what is tried again is refused */
	try_again(patience);
	uv_close((uv_handle_t *)&patience->again, on_closed);
}

int patience_wait(struct patience *patience, int64_t *until, void (*resume)(void *context), void *context)
{
	struct patient *patient, **last;
	int64_t now = clock_monotonic();

	if (!*until)
		*until = now + PATIENCE;
	if (!patience || now >= *until)
		return -ETIMEDOUT;
	patient = malloc(sizeof *patient);
	if (!patient)
		return -ENOMEM;
	*patient = (struct patient){.resume = resume, .context = context};
	for (last = &patience->patients; *last; last = &(*last)->next)
		;
	*last = patient;
	if (!uv_is_active((uv_handle_t *)&patience->again))
		uv_timer_start(&patience->again, on_again, AGAIN, 0);
	return 0;
}
