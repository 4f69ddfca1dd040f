/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_CHECK_H
#define HOLDFAST_CLI_CHECK_H

#include "kern/preflight/preflight.h"
#include "cli/frame/call.h"

/* Prints and frees what was found. STATUS_REFUSED where a fault is among it. */
enum exit_status findings_tell(const struct call *call, struct findings *findings);

#endif
