/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that a session of a peer runs while it records. */
#ifndef _BENCH_CHILD_H
#define _BENCH_CHILD_H

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run a program to its end.  Returns its exit status; 1 if a signal ended it, or on an error. */
static int run_child(char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}

#endif /* _BENCH_CHILD_H */
