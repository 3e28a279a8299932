// SPDX-License-Identifier: GPL-2.0
/*
 * The signature of a crash: a line that is the same for crashes of one cause, and differs for
 * others.  It has what went wrong and the functions of the kernel's report; if there is no report,
 * the first finding of jtrace why.  It has no address, offset, number of a task or CPU, time, or
 * release: two machines and two boots give the same one.
 */

#include <stdlib.h>

#include "../../lib/read/render.h"
#include "../why/why.h"
#include "crashes.h"

/* A clause that says what is the same each time. */
static bool is_told(const char *clause)
{
	return !strncmp(clause, "it has been in ", strlen("it has been in "));
}

#define CLAUSES	8

static int compare(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

/* The tasks of a deadlock: which of them comes first is chance. */
static void put_deadlock(struct pen *p, char *text)
{
	char one[CLAUSES][256], *sorted[CLAUSES], *clause;
	u32 nr = 0, i;

	while (nr < CLAUSES && (clause = strsep(&text, ";"))) {
		struct pen c = { one[nr], one[nr] + sizeof(one[nr]) - 1 };

		text_normalise(&c, clause);
		*c.at = 0;
		sorted[nr] = one[nr];
		nr++;
	}
	qsort(sorted, nr, sizeof(sorted[0]), compare);
	pen_text(p, "Deadlock: ");
	for (i = 0; i < nr; i++)
		pen_format(p, "%s%s", i ? "; " : "", sorted[i]);
}

/* "[fact] CPU 1: softirq TASKLET began at ... and did not end for ...; ..." */
static void put_finding(struct pen *p, char *text)
{
	static const char deadlock[] = "Deadlock: ";
	const char *comma = "";
	char *clause;

	text[strcspn(text, "\n")] = 0;
	text = strchr(text, ' ');
	if (!text++)
		return;
	if (!strncmp(text, deadlock, strlen(deadlock))) {
		put_deadlock(p, text + strlen(deadlock));
		return;
	}
	while ((clause = strsep(&text, ";"))) {
		clause += strspn(clause, " ");
		if (*comma && !is_told(clause))
			continue;
		pen_text(p, comma);
		text_normalise(p, clause);
		comma = "; ";
	}
}

/* The first finding of jtrace why. */
static bool read_finding(const struct dump *d, char **text)
{
	size_t len = 0;
	bool found = false, ok;
	FILE *to = open_memstream(text, &len);

	ok = to && why_write(d, WHY_FINDINGS, ~0ULL, to, &found);
	ok = to && !fclose(to) && ok;
	if (ok && found)
		return true;
	free(*text);
	*text = NULL;
	return ok || fail("%s: no memory for its findings", d->name);
}

/**
 * signature_read() - find the signature of a crash
 * @d: the image of a boot that did not end cleanly, with decode_open(), and all of its entries
 * @to: result: printable ASCII
 *
 * Return: false, after a message, on an error.
 */
bool signature_read(const struct dump *d, char to[SIGNATURE_SIZE])
{
	struct pen p = { to, to + SIGNATURE_SIZE - 1 };
	static struct report r;
	char *text = NULL;
	bool ok = true;
	u32 i;

	report_read(&r, &d->t);
	pen_text(&p, r.kind);
	for (i = 0; i < r.nr; i++)
		pen_format(&p, "%s%s", i ? " < " : r.kind[0] ? ": " : "", r.frame[i]);
	if (!r.nr)
		ok = read_finding(d, &text);
	if (text) {
		pen_text(&p, r.kind[0] ? ": " : "");
		put_finding(&p, text);
	}
	free(text);
	if (p.at == to)
		pen_text(&p, crash_end(d) == END_RESET ? "hung or reset" : "unknown");
	*p.at = 0;
	return ok;
}
