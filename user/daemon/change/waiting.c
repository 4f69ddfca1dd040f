/* SPDX-License-Identifier: Apache-2.0 */
#include "waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/operation/operation.h"
#include "core/placement/ahead.h"
#include "daemon/base/clock.h"

enum { AGAIN = 50, PATIENCE = 2000 /* ms */ };

/* Who came first is first. */
struct waiter {
	void (*resume)(void *context);
	void *context;
	struct waiter *next;
};

/* Borrowed by the thread while it runs, and all its own. */
struct job {
	uv_work_t work;
	struct waiting *waiting;
	struct model *model;
	struct ahead *ahead;
	char *word;
	json_t *arguments;
	int64_t now;
};

struct waiting {
	uv_loop_t *loop;
	struct instance *instance;
	struct ahead *ahead; /* of the model in force */
	struct job *job;     /* NULL: none runs */
	uv_timer_t again;    /* when the lock is tried again */
	struct waiter *for_job, *for_lock;
};

/* Waiters --------------------------------------------------------------------- */

static int waiter_add(struct waiter **list, void (*resume)(void *context), void *context)
{
	struct waiter *waiter = malloc(sizeof *waiter);

	if (!waiter)
		return -ENOMEM;
	*waiter = (struct waiter){.resume = resume, .context = context};
	while (*list)
		list = &(*list)->next;
	*list = waiter;
	return 0;
}

/* Those who wait now. They may come back: then they wait for the next time. */
static void waiters_resume(struct waiter **list)
{
	struct waiter *waiter = *list;

	*list = NULL;
	while (waiter) {
		struct waiter *next = waiter->next;

		waiter->resume(waiter->context);
		free(waiter);
		waiter = next;
	}
}

static void on_again(uv_timer_t *timer)
{
	struct waiting *waiting = timer->data;

	waiters_resume(&waiting->for_lock);
}

/* The thread -------------------------------------------------------------------- */

static void job_free(struct job *job)
{
	model_free(job->model);
	ahead_free(job->ahead);
	json_decref(job->arguments);
	free(job->word);
	free(job);
}

static void job_run(uv_work_t *work)
{
	struct job *job = work->data;

	ahead_compute(job->model, job->word, job->arguments, job->now);
}

static void computed(uv_work_t *work, int status)
{
	struct job *job = work->data;
	struct waiting *waiting = job->waiting;

	(void)status;
	ahead_free(waiting->ahead);
	waiting->ahead = job->ahead;
	waiting->instance->model->ahead = job->ahead;
	job->ahead = NULL;
	waiting->job = NULL;
	job_free(job);
	waiters_resume(&waiting->for_job);
}

void waiting_prepare(struct waiting *waiting, const struct model *model, const char *word,
		     const json_t *arguments)
{
	struct job *job;

	if (!waiting || waiting->job)
		return;
	job = calloc(1, sizeof *job);
	if (!job)
		return;
	*job = (struct job){.waiting = waiting,
			    .model = model_copy(model),
			    .ahead = ahead_new(),
			    .word = word ? strdup(word) : NULL,
			    .arguments = arguments ? json_deep_copy(arguments) : NULL,
			    .now = clock_unix()};
	job->work.data = job;
	if (job->model)
		job->model->ahead = job->ahead;
	if (!job->model || !job->ahead || (word && !job->word) || (arguments && !job->arguments) ||
	    uv_queue_work(waiting->loop, &job->work, job_run, computed))
		job_free(job);
	else
		waiting->job = job;
}

/* Waiting ------------------------------------------------------------------------- */

static bool wait_for_lock(struct waiting *waiting, int64_t *until, void (*resume)(void *context),
			  void *context)
{
	int64_t now = clock_monotonic();

	if (!*until)
		*until = now + PATIENCE;
	if (now >= *until || waiter_add(&waiting->for_lock, resume, context))
		return false;
	if (!uv_is_active((uv_handle_t *)&waiting->again))
		uv_timer_start(&waiting->again, on_again, AGAIN, 0);
	return true;
}

bool waiting_add(struct waiting *waiting, int error, int64_t *until, void (*resume)(void *context),
		 void *context)
{
	if (waiting && error == -EAGAIN)
		return waiting->job && !waiter_add(&waiting->for_job, resume, context);
	return waiting && error == -ENOLCK && wait_for_lock(waiting, until, resume, context);
}

int waiting_open(uv_loop_t *loop, struct instance *instance)
{
	struct waiting *waiting = calloc(1, sizeof *waiting);

	if (waiting)
		waiting->ahead = ahead_new();
	if (!waiting || !waiting->ahead) {
		free(waiting);
		return -ENOMEM;
	}
	waiting->loop = loop;
	waiting->instance = instance;
	uv_timer_init(loop, &waiting->again);
	waiting->again.data = waiting;
	instance->model->ahead = waiting->ahead;
	instance->waiting = waiting;
	store_wait(instance->store, false);
	return 0;
}

static void on_closed(uv_handle_t *timer)
{
	free(timer->data);
}

bool waiting_close(struct instance *instance)
{
	struct waiting *waiting = instance ? instance->waiting : NULL;

	if (!waiting)
		return true;
	instance->waiting = NULL; /* what is tried again is refused */
	waiters_resume(&waiting->for_lock);
	waiters_resume(&waiting->for_job);
	if (waiting->job)
		return false;
	instance->model->ahead = NULL;
	ahead_free(waiting->ahead);
	uv_close((uv_handle_t *)&waiting->again, on_closed);
	return true;
}
