// SPDX-License-Identifier: Apache-2.0
/* placement: another program does it, which needs neither root nor the kernel. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/placement_verbs.h"
#include "cli/frame/call.h"
#include "cli/frame/complain.h"
#include "nouns.h"

#define PROGRAM "holdfast-placement"

/* Starts the program in a folder as seen from that of this program. Returns only if it cannot. */
static int start_beside(const char *folder, char **argv)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path);
	char *slash;

	if (length < 0 || length == sizeof path)
		return -ENOENT;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || snprintf(slash, (size_t)(path + sizeof path - slash), "/%s%s", folder, PROGRAM) >=
			      path + sizeof path - slash)
		return -ENOENT;
	execv(path, argv);
	return -errno;
}

/* In a build they lie together; installed, this one is in sbin and the other in bin. */
static enum exit_status placement_exec(const struct call *call)
{
	struct refusal refusal = {.what = ""};
	int r = start_beside("", call->argv);

	if (r == -ENOENT)
		r = start_beside("../bin/", call->argv);
	if (r == -ENOENT) {
		execvp(PROGRAM, call->argv);
		r = -errno;
	}
	refuse(&refusal, r, "%s cannot be started: %s", PROGRAM, strerror(-r));
	refusal_right(&refusal, "install it beside this program, in ../bin, or where PATH finds it");
	return complain(STATUS_REFUSED, &refusal, r);
}

const struct noun placement_noun = {"placement", "consistent hashing, measured and drawn",
				    .verbs = placement_verbs, .run = placement_exec};
