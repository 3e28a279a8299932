// SPDX-License-Identifier: GPL-2.0
/* A pager between standard output and the terminal. */

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>

#include "base.h"

static pid_t pager;

/* Tell less how to behave, unless the user has. */
static void set_less(void)
{
	/* Quit if a screen suffices, pass colours, cut long lines, leave the screen as it is. */
	setenv("LESS", "FRSXMK", 0);
	if (!strcmp(nl_langinfo(CODESET), "UTF-8"))
		setenv("LESSCHARSET", "utf-8", 0);
	/* A trace is no place to run commands from, least of all as root. */
	if (!geteuid())
		setenv("LESSSECURE", "1", 1);
}

/* The last resort where no pager is installed. */
static void copy_input(void)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, buf, sizeof(buf))) > 0)
		if (write(STDOUT_FILENO, buf, n) != n)
			break;
	_exit(0);
}

/* In the child: become the pager that the user chose, or the first one that is installed. */
static void run_pager(const char *command)
{
	signal(SIGPIPE, SIG_DFL);
	set_less();
	if (command) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		fail("/bin/sh: %s", strerror(errno));
		_exit(127);
	}
	execlp("less", "less", NULL);
	execlp("more", "more", NULL);
	copy_input();
}

/**
 * pager_open() - if standard output is a terminal, let a pager show it
 *
 * Until pager_close() Ctrl-C is the pager's.
 */
void pager_open(void)
{
	const char *command = getenv("PAGER");
	int fds[2];

	if (!is_terminal() || (command && (!*command || !strcmp(command, "cat"))))
		return;
	fflush(stdout);
	if (pipe2(fds, O_CLOEXEC))
		return;
	pager = fork();
	if (!pager) {
		dup2(fds[0], STDIN_FILENO);
		/* copy_input() does not exec. */
		close(fds[0]);
		close(fds[1]);
		run_pager(command);
	}
	if (pager > 0) {
		dup2(fds[1], STDOUT_FILENO);
		signal(SIGINT, SIG_IGN);
	}
	close(fds[0]);
	close(fds[1]);
}

/**
 * pager_is_open() - does a pager show standard output?
 */
bool pager_is_open(void)
{
	return pager > 0;
}

/**
 * pager_close() - end the output, and wait for the pager, if there is one
 *
 * The caller has flushed standard output.
 */
void pager_close(void)
{
	if (!pager_is_open())
		return;
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}
