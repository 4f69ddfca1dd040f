/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_PLACEMENT_SCHEMES_H
#define HOLDFAST_PLACEMENT_SCHEMES_H

#include "core/placement/scheme/scheme.h"

/* The row of a placement's scheme. */
const struct scheme *scheme_of(const struct placement *placement);

#endif
