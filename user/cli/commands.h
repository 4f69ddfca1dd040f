/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of the verb table run. Each is in its noun's file and returns the program's exit status. */
#ifndef HOLDFAST_CLI_COMMANDS_H
#define HOLDFAST_CLI_COMMANDS_H

#include "call.h"

/* change.c: every verb that is one operation */
enum exit_status change_run(const struct call *call);

/* status.c */
enum exit_status status_show(const struct call *call);

/* interface.c */
enum exit_status interface_detach(const struct call *call);
enum exit_status interface_list(const struct call *call);

/* pool.c */
enum exit_status pool_show(const struct call *call);
enum exit_status pool_list(const struct call *call);

/* service.c */
enum exit_status service_show(const struct call *call);
enum exit_status service_list(const struct call *call);

/* backend.c */
enum exit_status backend_show(const struct call *call);
enum exit_status backend_list(const struct call *call);

/* receiver.c */
enum exit_status receiver_attach_interface(const struct call *call);
enum exit_status receiver_detach_interface(const struct call *call);
enum exit_status receiver_show_all(const struct call *call);

/* counters.c */
enum exit_status counters_show(const struct call *call);

/* why.c */
enum exit_status why_show(const struct call *call);

/* seed.c, version.c, help.c */
enum exit_status seed_make(const struct call *call);
enum exit_status version_show(const struct call *call);
enum exit_status help_show(const struct call *call);

#endif
