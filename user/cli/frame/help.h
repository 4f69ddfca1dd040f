/* SPDX-License-Identifier: Apache-2.0 */
/* Help, all of it from the verb table. */
#ifndef HOLDFAST_CLI_HELP_H
#define HOLDFAST_CLI_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "verb.h"

enum { SYNOPSIS_TEXT = 1024 };

/* "POOL/NAME ADDRESS": a verb's arguments, with brackets and dots. Returns text. */
const char *arguments_text(const struct verb *verb, char text[SYNOPSIS_TEXT]);
/* "--mode auto|native|generic", "--weight W": an option with its value. Returns text. */
const char *option_text(const struct option *option, char text[SYNOPSIS_TEXT]);
/* "backend add POOL/NAME ADDRESS [OPTIONS]". Returns text. */
const char *synopsis_text(const struct verb *verb, char text[SYNOPSIS_TEXT]);

void help_print_all(FILE *to);
void help_print_noun(const struct noun *noun);
void help_print_verb(const struct verb *verb);
/* Help on what words name: nothing, a noun, or a verb. STATUS_USAGE when they name nothing. */
enum exit_status help_print_words(const char *const *words, size_t count);

#endif
