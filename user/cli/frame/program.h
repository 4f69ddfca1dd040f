/* SPDX-License-Identifier: Apache-2.0 */
/* A program's one run: a command line is read, carried out, and its end told by the exit status. */
#ifndef HOLDFAST_CLI_PROGRAM_H
#define HOLDFAST_CLI_PROGRAM_H

#include "verb.h"

int program_main(const struct program *program, int argc, char **argv);

#endif
