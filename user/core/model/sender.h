/* SPDX-License-Identifier: Apache-2.0 */
/* Senders: interfaces that packets only leave by. No configuration names them, but packets can be lost there.
 */
#ifndef HOLDFAST_SENDER_H
#define HOLDFAST_SENDER_H

#include <jansson.h>

/* Appends the interface to a view's list, with the state "sends", unless the list has it. */
void sender_add(json_t *interfaces, const char *name);

#endif
