/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of the preflight share: how they note what they find, and the checks of both ends of the
 * way. */
#pragma once

#include <stdbool.h>

#include "kern/neighbour/nexthop.h"
#include "preflight.h"

/* findings.c */
int findings_new(struct findings **ret);
/* What the findings from here on are about. */
__attribute__((format(printf, 2, 3))) void findings_about(struct findings *findings, const char *subject,
							  ...);
/* Adds a finding: what there is, and behind a newline what would be right, if there is anything to say. Where
 * there is no memory for it, it is lost and findings_finish() says so. */
__attribute__((format(printf, 3, 4))) void finding_add(struct findings *findings,
						       enum finding_severity severity, const char *text, ...);
/* Gives the findings to the caller, or frees them where there is an error already, or one was lost (-ENOMEM).
 * Returns 0 or the error. */
int findings_finish(struct findings *findings, int error, struct findings **ret);

/* The number in a file of /proc. -1: it cannot be read. */
__attribute__((format(printf, 1, 2))) long number_read(const char *path, ...);
/* A number below /proc/sys/net/ipv4/conf/: the larger of all's and the interface's, as the kernel takes it.
 * -1. */
long conf_read(const char *interface, const char *name);

/* preflight_interface.c */
/* mode: as configured; generic: as attached. false: there is no such interface. */
bool check_interface(const char *interface, enum interface_mode mode, bool generic,
		     struct findings *findings);
/* Whether packets that came in elsewhere can be sent out of interface. */
void check_redirect(const char *interface, struct findings *findings);
/* preflight_veth.c: the same for a veth. returned: packets that came in by it go back by it as well. */
void check_veth(const char *interface, bool returned, struct findings *findings);

/* What wrapping costs. */
enum { PACKET_MAX = 1500 /* bytes of the largest packet that comes from the Internet */ };

/*
 * Bytes that wrapping adds at most to a packet for a backend of this family (4 or 6). encap: enum hf_encap.
 * Of GUE: UDP, GUE with its private data, and the hops beyond the first.
 */
uint32_t wrap_overhead(uint8_t encap, uint8_t family);
/* Headers of a TCP segment without options: RFC 791 or 8200, and 9293. */
uint32_t segment_headers(uint8_t family);

/* preflight_rules.c */
/* Warns of each rule by which packets to some backend would go another way than they do. nexthops: of all
 * backends of the model. 0 or -errno. */
int check_rules(const struct model *model, const struct nexthops *nexthops, struct findings *findings);
