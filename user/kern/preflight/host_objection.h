/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objections (core/review/objection.h) that only the kernel of this host can raise: a backend or a VIP may
 * be fine elsewhere. All of them need --force (OBJECTION_MISTAKE). Works in the caller's network namespace.
 */
#pragma once

#include "core/review/objection.h"

/* As objections_visit(), of the addresses of backends: the host's own, networks', broadcasts'. */
int host_visit_backends(const struct model *before, const struct model *after, objection_visit *visit,
			void *context);
/* The same of services: networks', broadcasts' and gateways' addresses, and all ports, or port 22, of the
 * host's own. */
int host_visit_services(const struct model *before, const struct model *after, objection_visit *visit,
			void *context);
