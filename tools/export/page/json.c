// SPDX-License-Identifier: GPL-2.0
/* What the files of a page share: strings in JSON, and whether it is still wanted. */

#include "../../base/base.h"
#include "../../entries/entries.h"
#include "page.h"

/**
 * page_goes_on() - is the page still wanted?
 * @to: the page
 *
 * After an error or a signal, it is not kept.
 */
bool page_goes_on(FILE *to)
{
	return !ferror(to) && !beside_ended();
}

/**
 * page_put_text() - write a string
 * @to: the page
 * @text: escaped like that of the text output
 */
void page_put_text(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++) {
		if (*text == '<') {
			fputs("\\u003c", to);
			continue;
		}
		if (*text == '"' || *text == '\\')
			putc('\\', to);
		putc(*text, to);
	}
	putc('"', to);
}

/**
 * page_put_bytes() - write a string of any bytes
 * @to: the page
 * @t: the trace
 * @from: the bytes, up to a NUL or @len
 * @len: at most so many
 */
void page_put_bytes(FILE *to, const struct jtrace_trace *t, const char *from, size_t len)
{
	static char text[4 * JTRACE_LOG_LINE_MAX + 5];

	jtrace_escape(t, text, sizeof(text), from, len);
	page_put_text(to, text);
}

/**
 * page_put_string() - write a member whose value is a string
 * @to: the page
 * @t: the trace
 * @name: of the member
 * @from: any bytes, up to a NUL or @len
 * @len: at most so many
 */
void page_put_string(FILE *to, const struct jtrace_trace *t, const char *name, const char *from,
		     size_t len)
{
	fprintf(to, ",\"%s\":", name);
	page_put_bytes(to, t, from, len);
}
