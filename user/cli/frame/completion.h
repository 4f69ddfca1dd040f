/* SPDX-License-Identifier: Apache-2.0 */
/* Completion of command lines in bash, from a program's tables. */
#ifndef HOLDFAST_CLI_COMPLETION_H
#define HOLDFAST_CLI_COMPLETION_H

#include "call.h"

extern const struct noun completion_noun;

#endif
