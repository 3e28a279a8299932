// SPDX-License-Identifier: GPL-2.0
/*
 * What an export writes has another name beside its own, until it is whole: what files and
 * directories share.
 *
 * A signal that ends the command is noted, and takes effect when the half export is removed.
 */

#include <signal.h>
#include <sys/stat.h>

#include "base.h"

static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ };

/* The signal that asked the command to end, 0 if none did. */
static int ended_by;

/**
 * beside_name() - name an export until it is whole
 * @path: its own name
 *
 * Return: a template for mkstemp() and mkdtemp(), which the caller frees; NULL, after a message, if
 * there is no memory.
 */
char *beside_name(const char *path)
{
	char *name;

	if (asprintf(&name, "%s.XXXXXX", path) >= 0)
		return name;
	fail("%s: no memory", path);
	return NULL;
}

/**
 * beside_mode() - the permissions of a new file or directory
 * @all: without umask
 *
 * mkstemp() and mkdtemp() give only the owner's.
 */
mode_t beside_mode(mode_t all)
{
	mode_t mask = umask(0);

	umask(mask);
	return all & ~mask;
}

static void note_end(int sig)
{
	WRITE_ONCE(ended_by, sig);
}

/**
 * beside_catch() - begin to note signals that end the command
 *
 * Call it before anything is created.  Signals that are ignored stay so.
 */
void beside_catch(void)
{
	/* Without SA_RESTART: a signal ends a write that waits. */
	static const struct sigaction noter = { .sa_handler = note_end };
	struct sigaction old;
	size_t i;

	WRITE_ONCE(ended_by, 0);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &noter, NULL);
}

/**
 * beside_ended() - has a signal asked the command to end?
 */
bool beside_ended(void)
{
	return READ_ONCE(ended_by);
}

/**
 * beside_release() - end to note signals
 *
 * A signal that came meanwhile ends the command now.  May be called without beside_catch().
 */
void beside_release(void)
{
	struct sigaction old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == note_end)
			signal(ends[i], SIG_DFL);
	if (READ_ONCE(ended_by))
		raise(READ_ONCE(ended_by));
}
