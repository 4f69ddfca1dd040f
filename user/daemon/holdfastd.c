/* SPDX-License-Identifier: Apache-2.0 */
/* holdfastd: serves one instance in the foreground. */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "daemon/change/configuration.h"
#include "stored_state.h"
#include "instance.h"
#include "daemon/base/lock.h"
#include "daemon/base/log.h"
#include "daemon/base/notify.h"
#include "daemon/change/waiting.h"
#include "daemon/api/acceptor.h"
#include "daemon/api/server.h"

enum {
	TICK = 1000,         /* ms */
	NEXT_HOP_TICK = 500, /* a gateway that moved is found out by one and asked for anew by the next */
	TABLE_BYTES = 128 << 10,
	RECLAIM = 200, /* ms between looks whether the data plane has something to give back */
	/* Exit status: the start needs a person. The unit does not start it again. */
	EXIT_LOST = 3,
};

struct holdfastd {
	struct options options;
	uv_loop_t loop;
	struct instance *instance;
	struct server *server;
	char socket[PATH_MAX];
	struct locks locks;
	uv_poll_t next_hops;
	uv_timer_t tick, next_hop_tick, reclaim, watchdog;
	uv_signal_t terminate, interrupt, hangup;
};

static void on_signal(uv_signal_t *handle, int number)
{
	struct holdfastd *holdfastd = handle->data;

	log_line(LOG_LEVEL_NOTICE, "stops on signal %d; attached interfaces go on forwarding", number);
	notify_manager("STOPPING=1");
	uv_stop(&holdfastd->loop);
}

static void on_hangup(uv_signal_t *handle, int number)
{
	struct holdfastd *holdfastd = handle->data;

	(void)number;
	notify_manager("RELOADING=1");
	upkeep_save(holdfastd->instance);
	configuration_apply(holdfastd->instance, true);
	notify_manager("READY=1");
}

static void on_next_hops(uv_poll_t *handle, int status, int events)
{
	struct holdfastd *holdfastd = handle->data;

	(void)status;
	(void)events;
	next_hops_dispatch(holdfastd->instance->next_hops);
}

static void on_tick(uv_timer_t *handle)
{
	struct holdfastd *holdfastd = handle->data;

	hold_renew(&holdfastd->instance->hold, holdfastd->instance->dataplane);
	instance_tick(holdfastd->instance);
	if (holdfastd->server)
		server_tick(holdfastd->server);
}

static void on_next_hop_tick(uv_timer_t *handle)
{
	struct holdfastd *holdfastd = handle->data;

	next_hops_tick(holdfastd->instance->next_hops);
}

static void on_reclaim(uv_timer_t *handle)
{
	struct holdfastd *holdfastd = handle->data;

	evidence_reclaim(&holdfastd->instance->evidence);
}

static void on_watchdog(uv_timer_t *handle)
{
	(void)handle;
	notify_manager("WATCHDOG=1");
}

static void start_timer(struct holdfastd *holdfastd, uv_timer_t *timer, uv_timer_cb callback, uint64_t period)
{
	uv_timer_init(&holdfastd->loop, timer);
	timer->data = holdfastd;
	if (period)
		uv_timer_start(timer, callback, period, period);
}

static void start_signal(struct holdfastd *holdfastd, uv_signal_t *handle, uv_signal_cb callback, int number)
{
	uv_signal_init(&holdfastd->loop, handle);
	handle->data = holdfastd;
	uv_signal_start(handle, callback, number);
}

static void start_loop(struct holdfastd *holdfastd)
{
	start_signal(holdfastd, &holdfastd->terminate, on_signal, SIGTERM);
	start_signal(holdfastd, &holdfastd->interrupt, on_signal, SIGINT);
	start_signal(holdfastd, &holdfastd->hangup, on_hangup, SIGHUP);
	start_timer(holdfastd, &holdfastd->tick, on_tick, TICK);
	start_timer(holdfastd, &holdfastd->next_hop_tick, on_next_hop_tick, NEXT_HOP_TICK);
	start_timer(holdfastd, &holdfastd->reclaim, on_reclaim, RECLAIM);
	start_timer(holdfastd, &holdfastd->watchdog, on_watchdog, notify_watchdog_interval());
	uv_poll_init(&holdfastd->loop, &holdfastd->next_hops, next_hops_fd(holdfastd->instance->next_hops));
	holdfastd->next_hops.data = holdfastd;
	uv_poll_start(&holdfastd->next_hops, UV_READABLE, on_next_hops);
}

static int open_server(struct holdfastd *holdfastd, struct refusal *refusal)
{
	int fd, error;

	if (snprintf(holdfastd->socket, sizeof holdfastd->socket, "%s/%s.sock",
		     holdfastd->options.runtime_directory,
		     holdfastd->options.instance) >= (int)sizeof holdfastd->socket)
		return refuse(refusal, -ENAMETOOLONG, "%s is too long a path",
			      holdfastd->options.runtime_directory);
	error = listen_open(holdfastd->socket, &fd, refusal);
	if (error)
		return error;
	return server_open(&holdfastd->loop, holdfastd->instance, fd, &holdfastd->server, refusal);
}

/* Everything is loaded and attached before the first client is listened to. */
static int daemon_start(struct holdfastd *holdfastd, struct refusal *refusal)
{
	const struct options *options = &holdfastd->options;
	int error = locks_take(options, &holdfastd->locks, refusal);

	if (error)
		return error;
	error = instance_open(options, &holdfastd->instance, refusal);
	if (error)
		return error;
	holdfastd->instance->hold = (struct hold){.options = options, .locks = &holdfastd->locks};
	configuration_apply(holdfastd->instance, false);
	start_loop(holdfastd);
	error = waiting_open(&holdfastd->loop, holdfastd->instance);
	if (error)
		return error;
	return open_server(holdfastd, refusal);
}

static void close_handle(uv_handle_t *handle, void *context)
{
	(void)context;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

/* The socket goes first: who finds none knows that nobody serves. */
static void daemon_stop(struct holdfastd *holdfastd)
{
	bool done;

	if (holdfastd->server)
		unlink(holdfastd->socket);
	done = waiting_close(holdfastd->instance);
	server_close(holdfastd->server);
	/* A placement may take longer than a stop should wait. The change that needs it has not begun. */
	if (!done) {
		instance_close(holdfastd->instance);
		locks_release(&holdfastd->locks);
		_exit(EXIT_SUCCESS);
	}
	uv_walk(&holdfastd->loop, close_handle, NULL);
	uv_run(&holdfastd->loop, UV_RUN_DEFAULT);
	uv_loop_close(&holdfastd->loop);
	instance_close(holdfastd->instance);
	locks_release(&holdfastd->locks);
}

static void tell_failure(int error, struct refusal *refusal)
{
	if (!refusal->what[0])
		refuse(refusal, error, "cannot start: %s", strerror(-error));
	log_refusal(LOG_LEVEL_ERROR, "", refusal);
}

int main(int argc, char **argv)
{
	static struct holdfastd holdfastd = {.locks = {-1, -1, -1}};
	struct refusal refusal = {0};
	int error = options_parse(argc, argv, &holdfastd.options);

	if (error)
		return error < 0 ? 2 : 0;
	log_open(holdfastd.options.instance);
	signal(SIGPIPE, SIG_IGN);
	/* Tables come and go with every change: a threshold that is set stays, and their memory goes back at
	 * once. */
	mallopt(M_MMAP_THRESHOLD, TABLE_BYTES);
	uv_loop_init(&holdfastd.loop);
	error = daemon_start(&holdfastd, &refusal);
	if (error) {
		tell_failure(error, &refusal);
	} else {
		puts("ready");
		fflush(stdout);
		notify_manager("READY=1");
		uv_run(&holdfastd.loop, UV_RUN_DEFAULT);
		hold_renew(&holdfastd.instance->hold,
			   holdfastd.instance->dataplane); /* what has no pin ends with this process */
		instance_leave(holdfastd.instance);
	}
	daemon_stop(&holdfastd);
	if (error == -ENOTRECOVERABLE)
		return EXIT_LOST;
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
