/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon an instance: a file lock that the kernel gives back when the process ends, however it ends. */
#ifndef HOLDFAST_LOCK_H
#define HOLDFAST_LOCK_H

#include "../core/refusal.h"

/*
 * Makes directory if it is not there and takes directory/INSTANCE.lock, which holds the owner's process
 * number. The lock lasts as long as *ret_fd is open. -EBUSY with the owner named in *refusal; other errors as
 * errno says.
 */
int lock_take(const char *directory, const char *instance, int *ret_fd, struct refusal *refusal);

#endif
