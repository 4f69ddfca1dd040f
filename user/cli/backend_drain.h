/* SPDX-License-Identifier: Apache-2.0 */
/* backend drain, and the wait until the backend can be switched off. */
#ifndef HOLDFAST_CLI_BACKEND_DRAIN_H
#define HOLDFAST_CLI_BACKEND_DRAIN_H

#include "cli/frame/call.h"

enum exit_status run_backend_drain(const struct call *call);

#endif
