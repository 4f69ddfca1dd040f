/* SPDX-License-Identifier: Apache-2.0 */
/* Network namespaces without names: they end with the test, whatever happens to it. */
#pragma once

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Runs a shell command, printf-fashion; the test fails if it does. */
#define sh(...) assert_int_equal(sh_status(__VA_ARGS__), 0)

__attribute__((format(printf, 1, 2))) static inline int sh_status(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof command, format, args);
	va_end(args);
	return system(command);
}

/* This process moves to a namespace of its own. */
static inline int netns_enter(void)
{
	return unshare(CLONE_NEWNET) ? -1 : sh_status("ip link set lo up");
}

/* A process in one more namespace, for the other end of a wire; netns_end() ends it, as does our own end. */
static inline pid_t netns_spawn(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (netns_enter() || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static inline void netns_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Instances of tests are named NAME-PID: those of processes that died in the middle are taken away. */
static inline void instances_sweep(const char *name)
{
	sh_status("for pins in /sys/fs/bpf/holdfast/%s-[0-9]*; do pid=${pins##*-}; "
		  "[ -d /proc/$pid ] || [ ! -d $pins ] || rm -r $pins; done",
		  name);
}

static inline double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
