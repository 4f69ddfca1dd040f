/* SPDX-License-Identifier: Apache-2.0 */
/* How the preflight's checks note what they find. */
#ifndef HOLDFAST_FINDINGS_H
#define HOLDFAST_FINDINGS_H

#include "preflight.h"

int findings_new(struct findings **ret);
/* Starts a finding; where there is no memory for it, it is lost and findings_finish() says so. */
__attribute__((format(printf, 4, 5))) void finding_add(struct findings *findings,
						       enum finding_severity severity, const char *subject,
						       const char *what, ...);
/* What would be right, for the finding that was added last. */
__attribute__((format(printf, 2, 3))) void finding_right(struct findings *findings, const char *right, ...);
/* Gives the findings to the caller, or frees them where there is an error already, or one was lost (-ENOMEM).
 * Returns 0 or the error. */
int findings_finish(struct findings *findings, int error, struct findings **ret);

/* A number below /proc/sys/net/FAMILY/conf/: the larger of all's and the interface's, as the kernel takes it.
 * -1: cannot be read. */
int conf_read(const char *family, const char *interface, const char *name);

#endif
