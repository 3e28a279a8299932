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
 * Return: its text, which the caller frees; NULL, without a message, if it cannot be read, or has
 * bytes that are no text.  read_error() says why.
 */
char *read_whole(const char *path)
{
	FILE *f = fopen(root_path(path), "re");
	char *text = NULL, *line = NULL;
	size_t size, room = 0;
	ssize_t len;
	FILE *to;
	int err;

	if (!f)
		return NULL;
	to = open_memstream(&text, &size);
	while (to && (len = getdelim(&line, &room, '\n', f)) > 0)
		fwrite(line, 1, len, to);
	err = ferror(f) ? EIO : 0;
	free(line);
	fclose(f);
	if (!to || fclose(to))
		err = ENOMEM;
	else if (strlen(text) != size)
		err = EILSEQ;
	if (err) {
		free(text);
		text = NULL;
		errno = err;
	}
	return text;
}

/**
 * read_error() - say why read_whole() has failed
 */
const char *read_error(void)
{
	return errno == EILSEQ ? "has a NUL byte, so it is no text" : strerror(errno);
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

/* The file that a symbolic link leads to; the links of a made-up root stay in it. */
static bool resolve(const char *path, char *to, size_t size)
{
	char link[4096], *name;
	ssize_t len;
	int i;

	scnprintf(to, size, "%s", root_path(path));
	for (i = 0; i < 8; i++) {
		len = readlink(to, link, sizeof(link) - 1);
		if (len < 0)
			return true;
		link[len] = 0;
		if (link[0] == '/') {
			scnprintf(to, size, "%s", root_path(link));
			continue;
		}
		name = strrchr(to, '/') + 1;
		scnprintf(name, size - (name - to), "%s", link);
	}
	return fail("%s: too many symbolic links", path);
}

/*
 * One name in each folder, so that the next call finds what an interrupted one left.  It is short
 * because FAT splits a name of more than 8 and 3 capitals over several slots of the folder.  A
 * power cut may leave one slot, and thereby a file of another name.
 */
static void half_name(const char *full, char *to, size_t size)
{
	scnprintf(to, size, "%.*s/JTRACE.NEW", (int)(strrchr(full, '/') - full), full);
}

/* A power loss must not bring back the old name of a new file. */
static bool sync_directory(const char *full)
{
	char dir[4096];
	int fd;
	bool ok;

	scnprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(full, '/') - full), full);
	fd = open(dir[0] ? dir : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Not all file systems can. */
	ok = fd >= 0 && (!fsync(fd) || errno == EINVAL);
	if (fd >= 0)
		close(fd);
	return ok || fail("%s: %s", dir, strerror(errno));
}

/* Returns its descriptor, -1 and errno on an error. */
static int write_half(const char *half, const char *text, mode_t mode)
{
	int fd = open(half, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600), err;
	size_t len = strlen(text);
	ssize_t n = 0;

	if (fd < 0)
		return -1;
	for (; len; text += n, len -= n) {
		n = write(fd, text, len);
		if (n <= 0)
			break;
	}
	err = len ? n < 0 ? errno : ENOSPC : 0;
	/* FAT has no permissions. */
	if (!err && fchmod(fd, mode) && errno != EPERM)
		err = errno;
	if (!err && fsync(fd) && errno != EINVAL)
		err = errno;
	if (!err)
		return fd;
	close(fd);
	errno = err;
	return -1;
}

static bool is_text_of(const char *path, const char *text)
{
	char *now = read_whole(path);
	bool is = now && !strcmp(now, text);

	free(now);
	return is;
}

/* FAT writes the place of the content with the file, not with the folder that got its name. */
static bool rename_half(const char *half, const char *full, int fd)
{
	bool ok = !rename(half, full) && !syncfs(fd);
	int err = errno;

	close(fd);
	errno = err;
	return ok;
}

/*
 * Give the file its new content.  It has the old one or the new one at each moment, also if the
 * power goes.  Returns 1; 0 after a message; -1 if its content is not @old any more, unless that is
 * NULL.
 */
static int replace(const char *path, const char *old, const char *text)
{
	char full[4096], half[4096 + 16];
	struct stat st;
	mode_t mode = 0644;
	int fd, err;

	if (!resolve(path, full, sizeof(full)) || !make_directories(full))
		return 0;
	if (!stat(full, &st)) {
		if (!S_ISREG(st.st_mode))
			return fail("%s: is no regular file", path);
		mode = st.st_mode & 07777;
	}
	half_name(full, half, sizeof(half));
	fd = write_half(half, text, mode);
	if (fd >= 0 && old && !is_text_of(path, old)) {
		close(fd);
		unlink(half);
		return -1;
	}
	if (fd >= 0 && rename_half(half, full, fd))
		return sync_directory(full);
	err = errno;
	unlink(half);
	return fail("%s: %s", path, strerror(err));
}

/**
 * drop_half_file() - remove what an interrupted call left of a file, or of one beside it
 * @path: absolute
 */
void drop_half_file(const char *path)
{
	char full[4096], half[4096 + 16];

	if (dry_run || !resolve(path, full, sizeof(full)))
		return;
	half_name(full, half, sizeof(half));
	unlink(half);
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
	if (is_text_of(path, text))
		return true;
	say_step("write %s", path);
	return dry_run || replace(path, NULL, text) > 0;
}

/**
 * put_changed_file() - write a file that another program may write at the same time
 * @path: as for put_file()
 * @old: its content when it was read
 * @text: its new content
 *
 * Return: 1; 0, after a message, on an error; -1, without a message, if another program wrote it
 * since it was read.
 */
int put_changed_file(const char *path, const char *old, const char *text)
{
	if (!strcmp(old, text))
		return 1;
	say_step("write %s", path);
	return dry_run ? 1 : replace(path, old, text);
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
 * drop_file() - remove a file
 * @path: absolute
 *
 * Return: false, after a message, on an error.
 */
bool drop_file(const char *path)
{
	char full[4096];

	say_step("remove %s", path);
	if (dry_run)
		return true;
	/* As put_file() wrote it: a link stays, and leads to nothing as before. */
	if (!resolve(path, full, sizeof(full)))
		return false;
	if (unlink(full))
		return fail("%s: %s", path, strerror(errno));
	return sync_directory(full);
}

/**
 * drop_our_file() - remove a file that belongs to setup
 * @path: absolute; a file that somebody else wrote stays
 *
 * Return: false, after a message, on an error.
 */
bool drop_our_file(const char *path)
{
	drop_half_file(path);
	return !is_our_file(path) || drop_file(path);
}

/**
 * write_value() - write to a file of the kernel
 * @path: absolute; the file exists
 * @text: the value
 *
 * Return: 0, or an error number without a message.
 */
int write_value(const char *path, const char *text)
{
	int fd = open(root_path(path), O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err = errno;
	close(fd);
	return err;
}

/*
 * Administration commands may be missing in the PATH of a user who became root.  No program of the
 * current folder: an empty name in PATH is that one.
 */
static void set_path(void)
{
	static bool done;
	char *copy, *rest, *dir, *path;
	size_t size;
	FILE *to;

	if (done)
		return;
	done = true;
	copy = strdup(getenv("PATH") ?: "");
	to = open_memstream(&path, &size);
	if (!copy || !to)
		exit(!fail("no memory"));
	rest = copy;
	while ((dir = strsep(&rest, ":")))
		if (dir[0] == '/')
			fprintf(to, "%s:", dir);
	fputs("/usr/bin:/bin:/usr/sbin:/sbin", to);
	if (fclose(to))
		exit(!fail("no memory"));
	setenv("PATH", path, 1);
	free(path);
	free(copy);
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
 * command_output() - run a command that changes nothing, and read all that it prints
 * @argv: as for run_command()
 *
 * Return: the text, which the caller frees; NULL, after a message, if the command fails.
 */
char *command_output(const char *const *argv)
{
	FILE *out = tmpfile();
	char *text = NULL, last[512];
	size_t room = 0;
	int status;

	status = out ? spawn_command(argv, fileno(out), false) : -1;
	if (out && !status) {
		rewind(out);
		if (getdelim(&text, &room, 0, out) <= 0) {
			free(text);
			text = NULL;
			fail("%s: prints nothing", argv[0]);
		}
	} else if (status < 0) {
		fail("%s: %s", argv[0], strerror(errno));
	} else {
		/* Once more, for its reason. */
		capture_command(argv, true, last, sizeof(last));
		fail("%s: exit status %d%s%s", argv[0], status, last[0] ? ": " : "", last);
	}
	if (out)
		fclose(out);
	return text;
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
