/* SPDX-License-Identifier: Apache-2.0 */
#include "patience.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/waiters.h"

enum { AGAIN = 50, PATIENCE = 2000 /* ms */ };

struct patience {
	uv_timer_t again;
	struct waiters waiters;
};

static void on_again(uv_timer_t *timer)
{
	struct patience *patience = timer->data;

	waiters_resume(&patience->waiters);
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
	waiters_resume(&patience->waiters);
	uv_close((uv_handle_t *)&patience->again, on_closed);
}

int patience_wait(struct patience *patience, int64_t *until, void (*resume)(void *context), void *context)
{
	int64_t now = clock_monotonic();
	int error;

	if (!*until)
		*until = now + PATIENCE;
	if (!patience || now >= *until)
		return -ETIMEDOUT;
	error = waiters_add(&patience->waiters, resume, context);
	if (!error && !uv_is_active((uv_handle_t *)&patience->again))
		uv_timer_start(&patience->again, on_again, AGAIN, 0);
	return error;
}
