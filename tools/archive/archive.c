// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace-archive - keep the trace of the previous boot: in /var/lib/jtrace, and as an
 * entry of the journal
 *
 * Exit: 0 kept, or there is none, 1 an error, told on standard error, 2 usage.
 */

#include "archive.h"

static const char usage[] =
	"usage: jtrace-archive\n"
	"\n"
	"Keep the trace of the previous boot as /etc/jtrace.conf says: see jtrace-archive(8).\n";

/* A disk that is full must not keep the crash out of the journal. */
static bool keep_in_files(const struct recovered *f, const struct conf *conf, int archive)
{
	bool ok = archive_save(f, archive, true);

	if (ok) {
		printf("%s: kept\n", f->path);
		free_in_module();
	}
	return journal_send(f, conf, ok) && ok;
}

/* Report only a trace that the journal has taken. */
static bool keep_in_journal(const struct recovered *f, const struct conf *conf, int archive)
{
	return journal_send(f, conf, false) && archive_save(f, archive, false);
}

/* One process at a time: a second one finds the trace kept, and does not report it again. */
static bool keep(const struct recovered *f, const struct conf *conf)
{
	int archive = archive_lock();
	bool ok = true;

	if (root_exists(f->path))
		printf("%s: kept already\n", f->path);
	else if (conf->storage == STORAGE_JOURNAL)
		ok = keep_in_journal(f, conf, archive);
	else
		ok = keep_in_files(f, conf, archive);
	archive_unlock(archive);
	return ok;
}

static bool run(void)
{
	struct recovered f = { 0 };
	struct conf conf;
	bool ok = true;

	conf_read(&conf);
	if (conf.storage == STORAGE_NONE) {
		puts("Storage=none: nothing is kept");
		return true;
	}
	if (!recovered_read(&f))
		ok = false;
	else if (f.d.t.verdict == JTRACE_EMPTY)
		puts("no trace of an earlier boot was found");
	else if (recovered_is_clean(&f))
		puts("the previous boot was shut down cleanly: nothing is kept");
	else
		ok = keep(&f, &conf);
	dump_free(&f.d);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc > 1) {
		fputs(usage, stderr);
		return 2;
	}
	return !run();
}
