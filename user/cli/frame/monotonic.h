/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_MONOTONIC_H
#define HOLDFAST_CLI_MONOTONIC_H

/* Seconds of a clock that never goes back. */
double monotonic_seconds(void);

#endif
