/* SPDX-License-Identifier: Apache-2.0 */
/* Those who wait for something on the event loop. */
#ifndef HOLDFAST_WAITERS_H
#define HOLDFAST_WAITERS_H

struct waiter;

/* All 0: nobody waits. Who came first is first. */
struct waiters {
	struct waiter *first;
};

/* resume is called once, by waiters_resume(). 0 or -ENOMEM. */
int waiters_add(struct waiters *waiters, void (*resume)(void *context), void *context);
/* Resumes all who wait now. They may come back: then they wait for the next time. */
void waiters_resume(struct waiters *waiters);

#endif
