// SPDX-License-Identifier: GPL-2.0
/* A text without what differs from boot to boot: its numbers. */

#include "crashes.h"

static bool is_in(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(const char *word, size_t len, const char * const *list)
{
	for (; *list; list++)
		if (strlen(*list) == len && !memcmp(word, *list, len))
			return true;
	return false;
}

/* A number or an address, maybe in brackets: "(213)", "9.316478,", "0xffff", "ffff888003a4c000". */
static bool is_number(const char *word, size_t len)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	size_t skip = word[0] == '(' || word[0] == '#';

	return len > skip && (is_digit(word[skip]) || strspn(word, hex) >= 8);
}

/* Length of a word without what differs: "kworker/1:2", "CPU#0", "f+0x12/0x34", "file.c:56!", "thread-3". */
static size_t word_length(const char *word, size_t len)
{
	size_t n, end;

	for (n = 1; n < len; n++)
		if (word[n] == '/' || (is_in(word[n], "(=:#@+") && is_digit(word[n + 1])))
			return n;
	for (end = len; end && is_digit(word[end - 1]); end--)
		;
	return end < len && end > 1 && word[end - 1] == '-' ? end - 1 : len;
}

/* These words go with the number behind, and with the one before them. */
static const char * const before[] = {
	"at", "for", "since", "after", "in", "than", "with", "last", "address:", "pid", "PID:", NULL
};

static const char * const behind[] = {
	"s", "ms", "us", "ns", "s,", "ms,", "us,", "ns,", "times", "seconds", "seconds.", NULL
};

/**
 * text_normalise() - write a text without its numbers
 * @p: where to
 * @text: the text
 *
 * Words that make no sense without their number go with it.  Bytes that are not ASCII, and control
 * characters, are left out.
 */
void text_normalise(struct pen *p, const char *text)
{
	char *const start = p->at;
	char *undo = p->at;
	bool number = false, may_undo = false;
	size_t len, i, n;

	for (text += strspn(text, " "); *text; text += len, text += strspn(text, " ")) {
		len = strcspn(text, " ");
		if (is_number(text, len)) {
			if (may_undo)
				p->at = undo;
			number = true;
			may_undo = false;
			continue;
		}
		if (number && is_word(text, len, behind)) {
			number = false;
			continue;
		}
		number = false;
		undo = p->at;
		may_undo = is_word(text, len, before);
		if (p->at > start)
			pen_char(p, ' ');
		n = word_length(text, len);
		for (i = 0; i < n; i++)
			if (text[i] > 0x20 && text[i] < 0x7f)
				pen_char(p, text[i]);
	}
	while (p->at > start && is_in(p->at[-1], " ,.:;-"))
		p->at--;
}
