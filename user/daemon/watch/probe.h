/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reachability probe: whether the hosts of backends that are down by decree are there. One that is, may
 * still hold flows, and resets what it does not know: it is the last hop of its slots. A TCP connection is
 * tried each second, and whether it is accepted or refused, the host answers.
 */
#pragma once

#include "facts.h"

enum { PROBE_HOSTS = 256 /* asked at the same time; of more nobody is */ };

struct host {
	struct address address;
	uint16_t port;
	int fd; /* of the connection under way, -1: none */
	unsigned int missed;
	bool answers, wanted;
};

/* All 0 at first. */
struct probe {
	struct host hosts[PROBE_HOSTS];
	size_t count;
};

void probe_close(struct probe *probe);
/* Once a second. Returns whether anything is otherwise than before. */
bool probe_tick(struct probe *probe, const struct model *model, const struct facts *facts);
/* Whether a host that is asked has answered lately. */
bool probe_has(const struct probe *probe, const struct address *address);
