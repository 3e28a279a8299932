// SPDX-License-Identifier: GPL-2.0
/*
 * "jtrace crashes": the words and options of coredumpctl(1), where it has them.
 *
 * "show N" and "page N" are the usual command line with the image of a crash as its file, so that
 * all options work.
 */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>

#include "../base/base.h"
#include "../crashes/crashes.h"
#include "cli.h"

static const char crashes_usage[] =
	"usage: jtrace crashes [list] [-D DIR] [--json] [-r] [-n N]\n"
	"       jtrace crashes info N... | rm N... | top [-D DIR] [--json]\n"
	"       jtrace crashes show N [-D DIR] [OPTION...]\n"
	"       jtrace crashes page N [-D DIR] [-o FILE] [--force]\n"
	"\n"
	"Show the crashes of this machine: those in the archive, and the recovered trace.\n"
	"\n"
	"  list       a line each, the oldest first\n"
	"  info N     all about the crash with this number\n"
	"  show N     its trace, as jtrace FILE does, with the same options\n"
	"  page N     write its page for the browser, crash-N.html\n"
	"  rm N...    remove it from the archive\n"
	"  top        how often each signature is there\n"
	"\n"
	"  -D, --directory DIR  instead: the crashes that the journals in DIR tell of\n"
	"      --json           one JSON object a line\n"
	"  -r, --reverse        list the newest first\n"
	"  -n N                 list only the newest N\n"
	"  -o, --output FILE    where page writes to\n"
	"      --force          replace an earlier page\n";

/**
 * struct request - a command line of jtrace crashes
 * @word: what to do
 * @dir: where journals are; NULL: crashes of this machine
 * @json: print JSON
 * @reverse: the newest first
 * @last: only so many of the newest; 0 for all
 * @images: with the images that journals have
 * @number: of crashes
 * @nr: how many
 */
struct request {
	const char *word;
	const char *dir;
	bool json;
	bool reverse;
	u64 last;
	bool images;
	u64 number[64];
	size_t nr;
};

static bool parse_number(const char *text, u64 *to)
{
	char *end;

	errno = 0;
	*to = strtoull(text, &end, 10);
	return (text[0] >= '0' && text[0] <= '9' && !*end && !errno) ||
	       fail("%s: must be a number of jtrace crashes list", text);
}

static bool read_crashes(const struct request *r, struct crashes *all)
{
	if (r->dir)
		return crashes_read_journals(all, r->dir, r->images);
	return crashes_read(all);
}

static void reverse(struct crashes *all)
{
	struct listed swap;
	size_t i;

	for (i = 0; i < all->nr / 2; i++) {
		swap = all->crash[i];
		all->crash[i] = all->crash[all->nr - 1 - i];
		all->crash[all->nr - 1 - i] = swap;
	}
}

static bool do_list(const struct request *r, struct crashes *all)
{
	struct crashes some = *all;

	if (r->last && r->last < some.nr) {
		some.crash += some.nr - r->last;
		some.nr = r->last;
	}
	if (r->reverse)
		reverse(&some);
	pager_open();
	table_list(&some, r->json);
	return true;
}

static bool do_top(const struct request *r, struct crashes *all)
{
	pager_open();
	return table_top(all, r->json);
}

static bool do_info(const struct request *r, struct crashes *all)
{
	const struct listed *l;
	bool ok = true;
	size_t i;

	for (i = 0; i < r->nr && ok; i++) {
		l = crashes_find(all, r->number[i]);
		if (i && !r->json)
			putchar('\n');
		ok = l && table_info(l, r->json);
	}
	return ok;
}

static bool is_repeated(const struct request *r, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (r->number[k] == r->number[i])
			return true;
	return false;
}

static bool do_rm(const struct request *r, struct crashes *all)
{
	const struct listed *l[ARRAY_SIZE(r->number)];
	bool ok = true;
	size_t i;

	/* Remove none if one of them does not exist. */
	for (i = 0; i < r->nr; i++) {
		l[i] = crashes_find(all, r->number[i]);
		if (!l[i])
			return false;
	}
	for (i = 0; i < r->nr; i++)
		ok = (is_repeated(r, i) || crashes_remove(l[i])) && ok;
	return ok;
}

/**
 * struct word - what jtrace crashes can do
 * @name: the word
 * @run: do it with all crashes
 * @numbers: it needs the number of a crash
 * @list: it knows -r and -n
 * @here: crashes of this machine only
 */
struct word {
	const char *name;
	bool (*run)(const struct request *r, struct crashes *all);
	bool numbers;
	bool list;
	bool here;
};

static const struct word words[] = {
	{ "list", do_list, .list = true },
	{ "info", do_info, .numbers = true },
	{ "rm", do_rm, .numbers = true, .here = true },
	{ "top", do_top, .numbers = false },
};

static const struct word *find_word(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(name, words[i].name))
			return &words[i];
	if (!strcmp(name, "show") || !strcmp(name, "page"))
		fail("crashes %s: must be the first word behind crashes", name);
	else
		fail("crashes: no such command: %s", name);
	return NULL;
}

static const struct option longs[] = {
	{ "directory", required_argument, NULL, 'D' },
	{ "json", no_argument, NULL, 'j' },
	{ "reverse", no_argument, NULL, 'r' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static bool parse_options(int argc, char **argv, struct request *r)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "D:rn:h", longs, NULL)) != -1) {
		switch (opt) {
		case 'D':
			r->dir = optarg;
			break;
		case 'j':
			r->json = true;
			break;
		case 'r':
			r->reverse = true;
			break;
		case 'n':
			if (!parse_number(optarg, &r->last))
				return false;
			break;
		case 'h':
			r->word = "--help";
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool parse_numbers(int argc, char **argv, struct request *r)
{
	for (; optind < argc; optind++) {
		if (r->nr == ARRAY_SIZE(r->number))
			return fail("crashes: at most %zu numbers", ARRAY_SIZE(r->number));
		if (!parse_number(argv[optind], &r->number[r->nr++]))
			return false;
	}
	return true;
}

static bool agrees(const struct request *r, const struct word *w)
{
	if (w->numbers != !!r->nr)
		return fail("crashes %s: %s", w->name, w->numbers ?
			    "needs a number of jtrace crashes list" : "takes no number");
	if (!w->list && (r->reverse || r->last))
		return fail("crashes %s: cannot be combined with %s", w->name,
			    r->reverse ? "-r" : "-n");
	return !w->here || !r->dir || fail("crashes %s: cannot be combined with -D", w->name);
}

/**
 * run_crashes() - jtrace crashes, but for show and page
 * @argc: as for main()
 * @argv: from "crashes" on
 *
 * Exits after --help, and after an error in the command line.
 *
 * Return: false, after a message, on an error.
 */
bool run_crashes(int argc, char **argv)
{
	struct request r = { .word = "list" };
	const struct word *w = NULL;
	struct crashes all = { 0 };
	bool ok;

	ok = parse_options(argc, argv, &r);
	if (ok && !strcmp(r.word, "--help")) {
		fputs(crashes_usage, stdout);
		return true;
	}
	if (ok && optind < argc)
		r.word = argv[optind++];
	w = ok ? find_word(r.word) : NULL;
	if (!w || !parse_numbers(argc, argv, &r) || !agrees(&r, w)) {
		fputs(crashes_usage, stderr);
		exit(2);
	}
	ok = read_crashes(&r, &all) && w->run(&r, &all);
	crashes_free(&all);
	return ok;
}

/* ---- show and page ---------------------------------------------------- */

/* A file with the image of a crash that a journal has. */
static bool put_image(const struct listed *l, char *path, size_t size)
{
	int fd;

	if (!l->image)
		return fail("%llu: %s has its image%s%s: the journal has not", l->number, l->machine,
			    l->path[0] ? " in " : "", l->path);
	fd = memfd_create("jtrace", 0);
	if (fd < 0 || write(fd, l->image, l->image_len) != (ssize_t)l->image_len)
		return fail("%llu: no memory for its image of %zu bytes", l->number, l->image_len);
	/* Stays open: the path needs it. */
	scnprintf(path, size, "/proc/self/fd/%d", fd);
	return true;
}

/**
 * crashes_file() - find the file with the image of a crash
 * @number: of the crash
 * @dir: where journals are; NULL: crashes of this machine
 * @path: result
 * @size: of @path
 *
 * Return: false, after a message, if there is none.
 */
bool crashes_file(const char *number, const char *dir, char *path, size_t size)
{
	struct request r = { .dir = dir, .images = true };
	struct crashes all = { 0 };
	struct listed *l = NULL;
	bool ok;

	ok = parse_number(number, &r.number[0]) && read_crashes(&r, &all);
	if (ok)
		l = crashes_find(&all, r.number[0]);
	if (l && dir)
		ok = put_image(l, path, size);
	else if (l && !l->path[0])
		ok = fail("%s: the archive has no image of it", number);
	else if (l)
		scnprintf(path, size, "%s", l->path);
	crashes_free(&all);
	return ok && l;
}

/* Take "-D DIR", "-DDIR", "--directory DIR" or "--directory=DIR" from a command line. */
static bool take_option(int argc, char **argv, int *i, const char *letter, const char *word,
			const char **to)
{
	const size_t len = strlen(word);
	const char *at = argv[*i];

	if ((!strcmp(at, letter) || !strcmp(at, word)) && *i + 1 < argc)
		*to = argv[++*i];
	else if (!strncmp(at, letter, 2) && at[2])
		*to = at + 2;
	else if (!strncmp(at, word, len) && at[len] == '=')
		*to = at + len + 1;
	else
		return false;
	return true;
}

/**
 * crashes_translate() - replace "crashes show N" and "crashes page N" by a usual command line
 * @argc: as for main()
 * @argv: as for main(); results in memory that is never freed
 *
 * Return: false, after a message, if that fails; true also if it is another command.
 */
bool crashes_translate(int *argc, char ***argv)
{
	char **from = *argv;
	static char **to;
	static char path[4096], page[32];
	const char *dir = NULL, *output = NULL;
	bool is_page;
	int i, n = 0;

	if (*argc < 3 || strcmp(from[1], "crashes") ||
	    (strcmp(from[2], "show") && strcmp(from[2], "page")))
		return true;
	is_page = from[2][0] == 'p';
	if (*argc < 4)
		return fail("crashes %s: needs a number of jtrace crashes list", from[2]);
	to = calloc(*argc + 4, sizeof(*to));
	if (!to)
		return fail("crashes: no memory");
	to[n++] = from[0];
	for (i = 4; i < *argc; i++) {
		if (take_option(*argc, from, &i, "-D", "--directory", &dir))
			continue;
		if (!is_page || !take_option(*argc, from, &i, "-o", "--output", &output))
			to[n++] = from[i];
	}
	if (is_page) {
		scnprintf(page, sizeof(page), "crash-%s.html", from[3]);
		to[n++] = "--html";
		to[n++] = (char *)(output ?: page);
	}
	if (!crashes_file(from[3], dir, path, sizeof(path)))
		return false;
	to[n++] = path;
	*argc = n;
	*argv = to;
	return true;
}
