/* SPDX-License-Identifier: GPL-2.0 */
/* Timers that send signals to a thread, and a sleep, for stress_ring.c. */
#ifndef _JTRACE_STRESS_TIME_H
#define _JTRACE_STRESS_TIME_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

static inline timer_t pest(int sig, long ns)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig };
	struct itimerspec at = { { 0, ns }, { 0, ns } };
	timer_t t;

	ev._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &ev, &t) || timer_settime(t, 0, &at, NULL)) {
		perror("timer");
		exit(1);
	}
	return t;
}

static inline void nap(double seconds)
{
	struct timespec t = { seconds, (seconds - (long)seconds) * 1e9 };

	while (nanosleep(&t, &t))
		;
}

#endif /* _JTRACE_STRESS_TIME_H */
