/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a file a refusal belongs. */
#pragma once

#include <libfyaml.h>

#include "core/value/refusal.h"

/* refusal->where becomes "line 7, column 12: PATH", or as much of it as is known. */
void place_node(struct fy_node *node, const char *path, struct refusal *refusal);
/* The same for the key or item that path names under root, or for what encloses it where it is not there. */
void place_path(struct fy_node *root, const char *path, struct refusal *refusal);
