// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace-archive - keep the trace of the previous boot in /var/lib/jtrace, and report it to
 * the journal
 *
 * Exit: 0 kept, or no trace to keep, 1 error (with a message), 2 usage.
 */

#include "archive.h"

static const char usage[] =
	"usage: jtrace-archive\n"
	"\n"
	"Keep the trace of the previous boot as /etc/jtrace.conf says: see jtrace-archive(8).\n";

/*
 * Report the crash to the journal even if the disk is full.  If the journal refuses the entry, the
 * next run sends it again: until then, the module keeps its copy.
 */
static bool keep_in_files(struct recovered *f, const struct conf *conf, int archive)
{
	bool saved = root_exists(f->path) || archive_save(f, conf, archive, true);
	bool sent = journal_send(f, conf, saved);

	if (saved)
		printf("%s: kept\n", f->path);
	if (!saved || !sent || !archive_set_reported(in_archive(f), archive))
		return false;
	free_in_module();
	return true;
}

/* Mark the trace as kept only if the journal has it. */
static bool keep_in_journal(struct recovered *f, const struct conf *conf, int archive)
{
	return journal_send(f, conf, false) && archive_save(f, conf, archive, false);
}

/* Send the entries that the journal refused, also at an earlier boot. */
static bool report_earlier(const struct conf *conf, int archive)
{
	struct recovered f;
	char path[64] = "";
	bool ok = true;

	while (room_next_unreported(path, sizeof(path))) {
		f = (struct recovered){ .number = 0 };
		if (recovered_read_kept(&f, path) && journal_send(&f, conf, true))
			ok = archive_set_reported(path, archive) && ok;
		else
			ok = false;
		dump_free(&f.d);
	}
	return ok;
}

/* The lock makes a second process wait: it finds the trace kept, and does not report it again. */
static bool keep_once(struct recovered *f, const struct conf *conf)
{
	int archive = archive_lock();
	bool ok = true;

	if (root_exists(f->path) && archive_is_reported(in_archive(f)))
		printf("%s: kept already\n", f->path);
	else if (conf->storage == STORAGE_JOURNAL)
		ok = keep_in_journal(f, conf, archive);
	else
		ok = keep_in_files(f, conf, archive);
	archive_unlock(archive);
	return ok;
}

static bool report_again(const struct conf *conf)
{
	int archive = archive_lock();
	bool ok = archive >= 0 && report_earlier(conf, archive);

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
		ok = keep_once(&f, &conf);
	dump_free(&f.d);
	/* If it refuses the new trace, it would refuse these, too. */
	return ok && report_again(&conf);
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
