/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a change waits for. Nothing on the loop waits: a change that cannot be made yet is given up before it
 * has any effect, the loop goes on and answers, and the change is tried again on what is in force then, so
 * that no half of a change ever waits.
 *   -EAGAIN  It needs a placement that takes long. A thread computes it.
 *   -ENOLCK  Another process has the database's lock. The change is tried again twenty times a second, for
 *            two seconds. Then its refusal is the answer.
 */
#pragma once

#include <stdint.h>
#include <uv.h>

#include "daemon/instance.h"

struct waiting;

/* From now on nothing on the loop builds a long placement or waits for a lock; instance->waiting is set. 0 or
 * -ENOMEM. */
int waiting_open(uv_loop_t *loop, struct instance *instance);
/* False: a thread is still at work, and what it has cannot be freed. Whoever waits is resumed. */
bool waiting_close(struct instance *instance);
/*
 * Computes what an operation on a model, or the model itself (word NULL), will ask for. Where something is
 * computed already, the change is tried again after that, and may begin its own then. waiting NULL: nothing.
 */
void waiting_prepare(struct waiting *waiting, const struct model *model, const char *word,
		     const json_t *arguments);
/*
 * Whether a change that failed with error waits: then resume is called once, from the loop, when it is time
 * to try again. *until (monotonic milliseconds, 0 at first) is the caller's, and says when its patience with
 * a lock is at an end. waiting NULL: no.
 */
bool waiting_add(struct waiting *waiting, int error, int64_t *until, void (*resume)(void *context),
		 void *context);
