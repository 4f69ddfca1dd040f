/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placements that take long are computed on a thread, while the loop goes on and answers. A change that needs
 * one is given up with -EAGAIN. When the placement is there, the change is tried again on what is in force
 * then, so that no half of a change ever waits.
 */
#ifndef HOLDFAST_PREPARATION_H
#define HOLDFAST_PREPARATION_H

#include <uv.h>

#include "daemon/instance.h"

struct preparation;

/* From now on no change builds a long placement on the loop; instance->preparation is set. */
int preparation_open(uv_loop_t *loop, struct instance *instance);
/* False: a thread is still at work, and what it has cannot be freed. Whoever waits is resumed. */
bool preparation_close(struct instance *instance);
/*
 * Computes what an operation on a model, or the model itself (word NULL), will ask for. Where something is
 * computed already, the change is tried again after that, and may begin its own then. NULL: nothing.
 */
void preparation_begin(struct preparation *preparation, const struct model *model, const char *word,
		       const json_t *arguments);
/* resume is called once, from the loop, when what is being computed is there. */
int preparation_wait(struct preparation *preparation, void (*resume)(void *context), void *context);

#endif
