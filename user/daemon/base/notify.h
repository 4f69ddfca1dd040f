/* SPDX-License-Identifier: Apache-2.0 */
/* The service manager's readiness protocol (sd_notify(3)): datagrams to $NOTIFY_SOCKET; nothing where it is
 * unset. */
#pragma once

#include <stdint.h>

/* Sends "READY=1", "WATCHDOG=1", ... Failure is silent: the manager's own timeouts tell of it. */
void notify_manager(const char *state);
/* Milliseconds between two signs of life that the manager asks for, half of its limit; 0: it asks for none.
 */
uint64_t notify_watchdog_interval(void);
