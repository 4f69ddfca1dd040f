/* SPDX-License-Identifier: Apache-2.0 */
/* An attachment: one XDP program on one interface, held by a bpf_link. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct attachment {
	char interface[16]; /* its present name; elsewhere: what it was called here */
	char pinned[16];    /* what it was called when the program was attached */
	bool elsewhere; /* it was moved to another network namespace, or this process runs in another one */
	uint32_t ifindex;
	bool generic;     /* else native */
	bool shared;      /* through libxdp's dispatcher */
	uint32_t program; /* id */
	char tag[17];
	uint32_t link; /* id of the bpf_link */
};
/* What the pinned link at path is attached to. -ENODEV: its interface is gone; -EXDEV: it is attached in
 * another network namespace (ret is filled as far as it is known). */
int xdp_attachment(const char *path, struct attachment *ret);
int xdp_attachment_of(int link, struct attachment *ret); /* the same, of an open link */
/* Says which pin the attachment has or had, and that its interface is in another network namespace. */
void attachment_label(struct attachment *attachment, const char *pinned, bool elsewhere);
/* Whether dataplane_detach() of this name would let go of the attachment. */
bool attachment_answers_to(const struct attachment *attachment, const char *interface);
/* Detaches what is pinned at path, and unpins it. */
int xdp_detach(const char *path);
