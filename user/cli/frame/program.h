/* SPDX-License-Identifier: Apache-2.0 */
/* A program's one run: a command line is read, carried out, and its end told by the exit status. */
#pragma once

#include "call.h"

int program_main(const struct program *program, int argc, char **argv);

/* What every program has: its noun help does this, and this noun completes command lines in bash. */
enum exit_status run_help(const struct call *call);
extern const struct noun completion_noun;
