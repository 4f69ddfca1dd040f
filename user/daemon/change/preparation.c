/* SPDX-License-Identifier: Apache-2.0 */
#include "preparation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/operation/operation.h"
#include "core/placement/ahead.h"
#include "daemon/base/clock.h"
#include "daemon/base/waiters.h"

/* Borrowed by the thread while it runs, and all its own. */
struct job {
	uv_work_t work;
	struct preparation *preparation;
	struct model *model;
	struct ahead *ahead;
	char *word;
	json_t *arguments;
	int64_t now;
};

struct preparation {
	uv_loop_t *loop;
	struct instance *instance;
	struct ahead *ahead; /* of the model in force */
	struct job *job;     /* NULL: none runs */
	struct waiters waiters;
};

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
	struct preparation *preparation = job->preparation;

	(void)status;
	ahead_free(preparation->ahead);
	preparation->ahead = job->ahead;
	preparation->instance->model->ahead = job->ahead;
	job->ahead = NULL;
	preparation->job = NULL;
	job_free(job);
	waiters_resume(&preparation->waiters);
}

int preparation_open(uv_loop_t *loop, struct instance *instance)
{
	struct preparation *preparation = calloc(1, sizeof *preparation);

	if (preparation)
		preparation->ahead = ahead_new();
	if (!preparation || !preparation->ahead) {
		free(preparation);
		return -ENOMEM;
	}
	preparation->loop = loop;
	preparation->instance = instance;
	instance->model->ahead = preparation->ahead;
	instance->preparation = preparation;
	return 0;
}

bool preparation_close(struct instance *instance)
{
	struct preparation *preparation = instance ? instance->preparation : NULL;

	if (!preparation)
		return true;
	instance->preparation = NULL; /* a change that is tried again is refused */
	waiters_resume(&preparation->waiters);
	if (preparation->job)
		return false;
	instance->model->ahead = NULL;
	ahead_free(preparation->ahead);
	free(preparation);
	return true;
}

void preparation_begin(struct preparation *preparation, const struct model *model, const char *word,
		       const json_t *arguments)
{
	struct job *job;

	if (!preparation || preparation->job)
		return;
	job = calloc(1, sizeof *job);
	if (!job)
		return;
	*job = (struct job){.preparation = preparation,
			    .model = model_copy(model),
			    .ahead = ahead_new(),
			    .word = word ? strdup(word) : NULL,
			    .arguments = arguments ? json_deep_copy(arguments) : NULL,
			    .now = clock_unix()};
	job->work.data = job;
	if (job->model)
		job->model->ahead = job->ahead;
	if (!job->model || !job->ahead || (word && !job->word) || (arguments && !job->arguments) ||
	    uv_queue_work(preparation->loop, &job->work, job_run, computed))
		job_free(job);
	else
		preparation->job = job;
}

int preparation_wait(struct preparation *preparation, void (*resume)(void *context), void *context)
{
	if (!preparation || !preparation->job)
		return -ENOMEM;
	return waiters_add(&preparation->waiters, resume, context);
}
