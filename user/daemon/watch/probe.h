/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers: whether the hosts of backends that are down by decree are there. One that is may still hold flows,
 * and resets what it does not know: it is the last hop of its slots. A TCP connection is tried each second,
 * and whether it is accepted or refused, the host answers.
 */
#ifndef HOLDFAST_ANSWERS_H
#define HOLDFAST_ANSWERS_H

#include "facts.h"

struct answers;

int answers_open(struct answers **ret);
void answers_close(struct answers *answers);
/* Once a second. Returns whether anything is otherwise than before. */
bool answers_tick(struct answers *answers, const struct model *model, const struct facts *facts);
/* Whether a host that is asked has answered lately. */
bool answers_has(const struct answers *answers, const struct address *address);

#endif
