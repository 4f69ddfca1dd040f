/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preflight: what of this host would keep packets from their way, found by looking alone. Works in the
 * network namespace of the caller, without a daemon and without pins; asks neighbours (ARP, ND), changes
 * nothing else. May take half a second, where a neighbour does not answer.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/model/model.h"

enum finding_severity {
	FINDING_OK,   /* as it should be; worth knowing */
	FINDING_NOTE, /* costs speed or comfort */
	FINDING_WARN, /* breaks some packets, or will one day */
	FINDING_FAULT /* packets do not get through */
};

struct finding {
	enum finding_severity severity;
	char subject[96]; /* "interface eth0", "backend db/db1", "VIP 203.0.113.10" */
	char what[256];
	char right[256]; /* may be empty */
};

struct findings {
	struct finding *list;
	size_t count, room;
	char subject[96]; /* of the next one */
};

const char *severity_name(enum finding_severity severity); /* "ok", "note", "warn", "fault" */
enum finding_severity findings_worst(const struct findings *findings);
void findings_free(struct findings *findings);

/* A balancer with this desired state: interfaces, redirect targets, backends' paths, VIPs. 0 or -errno. */
int preflight_balancer(const struct model *model, struct findings **ret);
/* A backend host. interface NULL: every interface that has a receiver. */
int preflight_receiver(const char *interface, struct findings **ret);

/* What attaching to the interface is known to do to its link, as a sentence; NULL: nothing is known. */
const char *attach_warning(const char *interface);

struct interface_counters {
	uint64_t rx_packets, rx_bytes, rx_dropped, rx_errors;
	uint64_t tx_packets, tx_bytes, tx_dropped, tx_errors;
};

/* The kernel's own counters of an interface. -ENODEV. */
int interface_counters(const char *interface, struct interface_counters *ret);
