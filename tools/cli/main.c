// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace - show a trace of the flight recorder: the live one, the one of the previous boot,
 * or one in a file
 *
 * Exit: 0 shown, 1 error (with a message), 2 usage, 3 why: it does not know.
 */

#include <locale.h>
#include <signal.h>

#include "cli.h"

int main(int argc, char **argv)
{
	struct options o = { 0 };
	bool ok;

	/* A closed pipe is an error, like a full disk. */
	signal(SIGPIPE, SIG_IGN);
	setlocale(LC_CTYPE, "");
	if (!crashes_translate(&argc, &argv))
		return 1;
	if (!options_parse(argc, argv, &o)) {
		select_free(&o.select);
		return 2;
	}
	colour_open();
	if (o.follow)
		ok = follow_source(&o);
	else if (!o.verb)
		ok = show_sources(&o);
	else if (o.verb->run_args)
		ok = o.verb->run_args(argc - 1, argv + 1);
	else
		ok = o.verb->run();
	select_free(&o.select);
	ok = output_end() && ok;
	pager_close();
	return ok ? o.status : 1;
}
