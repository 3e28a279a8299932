// SPDX-License-Identifier: GPL-2.0
/*
 * Steps of "jtrace setup": files and commands.  Each step prints a line; a dry run prints it, and
 * changes nothing.
 */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../target.h"
#include "setup.h"

/* The first line of each file that belongs to setup. */
#define MARK	"# Written by \"jtrace setup\"; \"jtrace setup --remove\" removes it.\n"

bool dry_run;

/**
 * say_step() - say what is done now
 * @fmt: a verb and its object; as printf(), without newline
 */
void say_step(const char *fmt, ...)
{
	va_list args;

	fputs(dry_run ? "would " : "", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/**
 * read_whole() - read a text file
 * @path: absolute
 *
 * Return: its text, which the caller frees; NULL, without a message, if it cannot be read.  errno
 * says why.
 */
char *read_whole(const char *path)
{
	FILE *f = fopen(root_path(path), "re");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &size, 0, f) < 0) {
		free(text);
		text = ferror(f) ? NULL : strdup("");
	}
	fclose(f);
	return text;
}

/**
 * is_our_file() - did setup write a file?
 * @path: absolute
 */
bool is_our_file(const char *path)
{
	char start[sizeof(MARK)];

	return root_read(path, start, sizeof(start)) == sizeof(MARK) - 1 && !strcmp(start, MARK);
}

/**
 * our_file_has() - did setup write a file with this content?
 * @path: absolute
 * @text: its content, without the mark
 */
bool our_file_has(const char *path, const char *text)
{
	const size_t mark = sizeof(MARK) - 1;
	char *old = read_whole(path);
	bool same = old && !strncmp(old, MARK, mark) && !strcmp(old + mark, text);

	free(old);
	return same;
}

/**
 * is_free_name() - may setup write a file of its own here?
 * @path: absolute
 *
 * Return: false, after a message, if somebody else wrote a file of this name.
 */
bool is_free_name(const char *path)
{
	return !root_exists(path) || is_our_file(path) ||
	       fail("%s: exists, and jtrace setup did not write it: rename or remove it", path);
}

/* Create the directories that lead to a file. */
static bool make_directories(char *path)
{
	char *at = path;

	while ((at = strchr(at + 1, '/'))) {
		*at = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return fail("%s: cannot create it: %s", path, strerror(errno));
		*at = '/';
	}
	return true;
}

static bool replace(const char *path, const char *text)
{
	char *full = strdup(root_path(path));
	struct target t;
	struct stat st;
	bool ok, old;

	old = full && !stat(full, &st);
	ok = full && make_directories(full) && target_open(&t, full, true);
	if (ok) {
		if (old)
			fchmod(fileno(t.out), st.st_mode & 07777);
		fputs(text, t.out);
		/* A power loss must not leave an empty file. */
		ok = !fflush(t.out) && (!fsync(fileno(t.out)) || errno == EINVAL);
		if (!ok)
			fail("%s: %s", path, strerror(errno));
		ok = target_close(&t, ok);
	}
	free(full);
	return ok;
}

/**
 * put_file() - write a file, with the permissions that it has
 * @path: absolute; it is replaced when all is written
 * @text: its content
 *
 * Return: false, after a message, on an error.
 */
bool put_file(const char *path, const char *text)
{
	char *old = read_whole(path);
	bool same = old && !strcmp(old, text);

	free(old);
	if (same)
		return true;
	say_step("write %s", path);
	return dry_run || replace(path, text);
}

/**
 * put_our_file() - write a file that belongs to setup
 * @path: absolute
 * @text: its content, without the mark
 *
 * Return: false, after a message, on an error, or if somebody else wrote a file of this name.
 */
bool put_our_file(const char *path, const char *text)
{
	char *all;
	bool ok;

	if (!is_free_name(path))
		return false;
	if (asprintf(&all, MARK "%s", text) < 0)
		return fail("%s: no memory", path);
	ok = put_file(path, all);
	free(all);
	return ok;
}

/**
 * drop_our_file() - remove a file that belongs to setup
 * @path: absolute; a file that somebody else wrote stays
 *
 * Return: false, after a message, on an error.
 */
bool drop_our_file(const char *path)
{
	if (!is_our_file(path))
		return true;
	say_step("remove %s", path);
	return dry_run || !unlink(root_path(path)) || fail("%s: %s", path, strerror(errno));
}

/* Administration commands may be missing in the PATH of a user who became root. */
static void set_path(void)
{
	static bool done;
	char *path;

	if (!done && asprintf(&path, "%s:/usr/sbin:/sbin", getenv("PATH") ?: "/usr/bin:/bin") >= 0) {
		setenv("PATH", path, 1);
		free(path);
	}
	done = true;
}

/*
 * Run a command with its output, and its errors if wanted, in a file; returns its status, -1 if it
 * did not run.
 */
static int spawn_command(const char *const *argv, int out, bool errors)
{
	posix_spawn_file_actions_t actions;
	int status, err;
	pid_t pid;

	set_path();
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (errors)
		posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
	else
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err) {
		errno = err;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The same; the last line of the output, or of output and errors, comes back. */
static int capture_command(const char *const *argv, bool errors, char *last, size_t size)
{
	FILE *out = tmpfile();
	char line[1024];
	int status;

	last[0] = 0;
	if (!out)
		return -1;
	status = spawn_command(argv, fileno(out), errors);
	rewind(out);
	while (fgets(line, sizeof(line), out)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0])
			scnprintf(last, size, "%s", line);
	}
	fclose(out);
	return status;
}

static void join_argv(const char *const *argv, char *to, size_t size)
{
	size_t len = 0;

	for (to[0] = 0; *argv; argv++)
		len += scnprintf(to + len, size - len, "%s%s", len ? " " : "", *argv);
}

/**
 * run_command() - run a command that changes the system
 * @argv: up to a NULL; the program is looked up in PATH
 *
 * Return: false, after a message with the last line of its output, if it fails.
 */
bool run_command(const char *const *argv)
{
	char all[512], last[512];
	int status;

	join_argv(argv, all, sizeof(all));
	say_step("run %s", all);
	if (dry_run)
		return true;
	status = capture_command(argv, true, last, sizeof(last));
	if (status < 0)
		return fail("%s: %s", all, strerror(errno));
	return !status || fail("%s: exit status %d%s%s", all, status, last[0] ? ": " : "", last);
}

/**
 * command_succeeds() - run a command that changes nothing, and look at its exit status
 * @argv: as for run_command()
 */
bool command_succeeds(const char *const *argv)
{
	char last[16];

	return !capture_command(argv, false, last, sizeof(last));
}

/**
 * command_line_of() - run a command that changes nothing, and read its last line
 * @argv: as for run_command()
 * @to: result; without warnings
 * @size: of @to
 *
 * Return: false, without a message, if the command fails.
 */
bool command_line_of(const char *const *argv, char *to, size_t size)
{
	return !capture_command(argv, false, to, size);
}

/**
 * try_command() - run a command that may fail
 * @argv: as for run_command()
 * @why: result: the last line of its output and errors
 * @size: of @why
 *
 * Return: false, without a message, if the command fails.
 */
bool try_command(const char *const *argv, char *why, size_t size)
{
	return !capture_command(argv, true, why, size);
}

/**
 * has_command() - is a program in PATH?
 * @name: of the program
 */
bool has_command(const char *name)
{
	char *copy, *rest, *dir, path[4096];
	bool found = false;

	set_path();
	copy = strdup(getenv("PATH") ?: "");
	rest = copy;
	while (!found && (dir = strsep(&rest, ":"))) {
		scnprintf(path, sizeof(path), "%s/%s", dir, name);
		found = !access(path, X_OK);
	}
	free(copy);
	return found;
}
