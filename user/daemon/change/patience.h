/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patience with a lock. Nothing on the loop waits for another process that has the database's lock: a change
 * is given up with -ENOLCK before it has any effect, the loop goes on and answers, and the change is tried
 * again twenty times a second, for two seconds. Then its refusal is the answer.
 */
#ifndef HOLDFAST_PATIENCE_H
#define HOLDFAST_PATIENCE_H

#include <stdint.h>
#include <uv.h>

#include "daemon/instance.h"

/* From now on nothing on the loop waits for a lock; instance->patience is set. 0 or -ENOMEM. */
int patience_open(uv_loop_t *loop, struct instance *instance);
/* Whoever waits is resumed. */
void patience_close(struct instance *instance);
/*
 * resume is called once, from the loop, when it is time to try again. *until (monotonic milliseconds, 0 at
 * first) is the caller's, and says when its patience is at an end: -ETIMEDOUT then.
 */
int patience_wait(struct patience *patience, int64_t *until, void (*resume)(void *context), void *context);

#endif
