// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that come, are renamed and end, for tasks.sh.
 *
 * Usage: tasks forks N		N processes, one after the other
 *	  tasks names N		threads with names of their own, which they change N times
 *	  tasks exec PROGRAM	a thread other than the first one becomes this program
 */

#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int forks(int n)
{
	char name[32];
	pid_t pid;
	int i;

	for (i = 0; i < n; i++) {
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (pid) {
			waitpid(pid, NULL, 0);
			continue;
		}
		/* Every other one has a name of its own. */
		if (i & 1) {
			snprintf(name, sizeof(name), "short-%d", i);
			prctl(PR_SET_NAME, name);
		}
		sched_yield();
		_exit(0);
	}
	return 0;
}

static int renames;

static void *rename_often(void *arg)
{
	char name[32];
	int i;

	for (i = 0; i < renames; i++) {
		snprintf(name, sizeof(name), "%s %d", (const char *)arg, i);
		pthread_setname_np(pthread_self(), name);
		usleep(1000);
	}
	return NULL;
}

static int names(int n)
{
	static const char * const who[] = { "ann", "bob", "eve]" };
	pthread_t thread[3];
	int i;

	renames = n;
	for (i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, rename_often, (void *)who[i]))
			errx(1, "no thread");
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void *become(void *path)
{
	pthread_setname_np(pthread_self(), "not the first");
	usleep(1000);
	execl(path, path, "0.01", NULL);
	err(1, "%s", (const char *)path);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc == 3 && !strcmp(argv[1], "forks"))
		return forks(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "names"))
		return names(atoi(argv[2]));
	if (argc != 3 || strcmp(argv[1], "exec"))
		errx(2, "usage: tasks forks N | names N | exec PROGRAM");
	pthread_create(&thread, NULL, become, argv[2]);
	pthread_join(thread, NULL);
	return 1;
}
