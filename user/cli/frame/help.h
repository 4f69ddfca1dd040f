/* SPDX-License-Identifier: Apache-2.0 */
/* Help, all of it from a program's tables. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "verb.h"

enum { SYNOPSIS_TEXT = 1024 };

/* "--mode auto|native|generic", "--weight W": an option with its value. Returns text. */
const char *option_text(const struct option *option, char text[SYNOPSIS_TEXT]);
/* "backend add POOL/NAME ADDRESS [OPTIONS]". Returns text. */
const char *synopsis_text(const struct noun *noun, const struct verb *verb, char text[SYNOPSIS_TEXT]);

/* The first page: every noun, or every verb of the one that need not be said. */
void help_print_all(const struct program *program, FILE *to);
/* Help on what words name: nothing, a noun, or a verb. STATUS_USAGE when they name nothing. */
enum exit_status help_print_words(const struct program *program, const char *const *words, size_t count);
