/* SPDX-License-Identifier: Apache-2.0 */
#include "waiters.h"

#include <errno.h>
#include <stdlib.h>

struct waiter {
	void (*resume)(void *context);
	void *context;
	struct waiter *next;
};

int waiters_add(struct waiters *waiters, void (*resume)(void *context), void *context)
{
	struct waiter *waiter = malloc(sizeof *waiter), **last = &waiters->first;

	if (!waiter)
		return -ENOMEM;
	*waiter = (struct waiter){.resume = resume, .context = context};
	while (*last)
		last = &(*last)->next;
	*last = waiter;
	return 0;
}

void waiters_resume(struct waiters *waiters)
{
	struct waiter *waiter = waiters->first;

	waiters->first = NULL;
	while (waiter) {
		struct waiter *next = waiter->next;

		waiter->resume(waiter->context);
		free(waiter);
		waiter = next;
	}
}
