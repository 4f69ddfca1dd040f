/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/model/model.h"
#include "cli/frame/request.h"

/* The desired state in force, from the daemon; state: with admin states, stamps and history. */
enum exit_status model_in_force(const struct call *call, bool state, struct model **ret);
