/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of the verb table run. Each is in its noun's file and returns the program's exit status. */
#ifndef HOLDFAST_CLI_COMMANDS_H
#define HOLDFAST_CLI_COMMANDS_H

#include "cli/frame/call.h"

/* change.c: every verb that is one operation */
enum exit_status run_change(const struct call *call);

/* status.c */
enum exit_status run_status(const struct call *call);

/* interface.c */
enum exit_status run_interface_detach(const struct call *call);
enum exit_status run_interface_list(const struct call *call);

/* pool.c */
enum exit_status run_pool_show(const struct call *call);
enum exit_status run_pool_list(const struct call *call);
enum exit_status run_pool_slots_show(const struct call *call);

/* service.c */
enum exit_status run_service_show(const struct call *call);
enum exit_status run_service_list(const struct call *call);

/* backend.c */
enum exit_status run_backend_show(const struct call *call);
enum exit_status run_backend_list(const struct call *call);

/* drain.c */
enum exit_status run_backend_drain(const struct call *call);

/* apply.c */
enum exit_status run_apply(const struct call *call);
enum exit_status run_plan(const struct call *call);
enum exit_status run_export(const struct call *call);

/* generations.c */
enum exit_status run_generations_list(const struct call *call);
enum exit_status run_generations_show(const struct call *call);
enum exit_status run_generations_diff(const struct call *call);
enum exit_status run_rollback(const struct call *call);

/* check.c */
enum exit_status run_check(const struct call *call);
enum exit_status run_receiver_check(const struct call *call);

/* receiver.c */
enum exit_status run_receiver_attach(const struct call *call);
enum exit_status run_receiver_detach(const struct call *call);
enum exit_status run_receiver_list(const struct call *call);

/* events.c, upgrade.c */
enum exit_status run_events(const struct call *call);
enum exit_status run_upgrade(const struct call *call);

/* counters.c */
enum exit_status run_counters(const struct call *call);

/* why.c */
enum exit_status run_why(const struct call *call);

/* placement_compare.c, placement_replay.c, placement_draw.c, placement_lookup.c, placement_hot.c */
enum exit_status placement_compare(const struct call *call);
enum exit_status placement_replay(const struct call *call);
enum exit_status placement_draw(const struct call *call);
enum exit_status placement_lookup_keys(const struct call *call);
enum exit_status placement_hot(const struct call *call);

/* manual.c, completion.c */
enum exit_status run_manual(const struct call *call);
enum exit_status run_completion(const struct call *call);

/* seed.c, version.c, help.c */
enum exit_status run_seed(const struct call *call);
enum exit_status run_version(const struct call *call);
enum exit_status run_help(const struct call *call);

#endif
