/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/placement/scheme/scheme.h"

/* The row of a placement's scheme. */
const struct scheme *scheme_of(const struct placement *placement);
