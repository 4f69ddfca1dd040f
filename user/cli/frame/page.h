/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages in roff, and what of them a program's tables say. All of it goes to standard output. */
#pragma once

#include "verb.h"

/* Text as it shall be read: what means something to roff is escaped, hyphens stay hyphens. */
void page_put(const char *text);
void page_line(const char *text);
/* A half sentence as a whole one. */
void page_sentence(const char *text);
/* A request of roff with text behind it. */
void page_request(const char *request, const char *text);
/* The head of page NAME(section), and what it is about. */
void page_title(const char *name, const char *section, const char *what);
/* The options of every command, and every command, as two sections. */
void page_commands(const struct program *program);
/* Other pages, as roff. */
void page_see_also(const char *others);
