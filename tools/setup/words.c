// SPDX-License-Identifier: GPL-2.0
/*
 * Words on the command line of the kernel.
 *
 * In a file, the words of setup are one piece, the unit, in front of the first word: there they are
 * before "--", which ends what the kernel reads, and before a comment, and cutting the piece
 * out leaves the bytes that were there before.
 */

#include <ctype.h>
#include <stdlib.h>

#include "setup.h"

#define BLANKS	" \t\n"

/* Finds the next word from @at on; returns its length, 0 at the end of the line. */
static size_t next_word(const char **at)
{
	*at += strspn(*at, BLANKS);
	return strcspn(*at, BLANKS);
}

static bool is_word(const char *at, size_t len, const char *word)
{
	return len == strlen(word) && !strncmp(at, word, len);
}

/* The kernel reads no words behind "--". */
static bool is_end(const char *at, size_t len)
{
	return is_word(at, len, "--");
}

/**
 * line_has_word() - does the kernel find a word in a line?
 * @line: words between blanks
 * @word: the word
 */
bool line_has_word(const char *line, const char *word)
{
	size_t len;

	for (; (len = next_word(&line)) && !is_end(line, len); line += len)
		if (is_word(line, len, word))
			return true;
	return false;
}

/**
 * words_first() - the first word alone, which an interrupted or older setup may have left
 * @w: the words
 *
 * Return: no word if there is only one.
 */
struct boot_words words_first(const struct boot_words *w)
{
	struct boot_words first = { .nr = w->nr > 1 };

	memcpy(first.word[0], w->word[0], sizeof(first.word[0]));
	return first;
}

/**
 * line_has_words() - are all words in a line?
 * @line: words between blanks
 * @w: the words
 */
bool line_has_words(const char *line, const struct boot_words *w)
{
	int i;

	for (i = 0; i < w->nr; i++)
		if (!line_has_word(line, w->word[i]))
			return false;
	return true;
}

/* Where the words stand one after another, or NULL; @after: what follows them. */
static const char *find_unit(const char *line, const struct boot_words *w, const char **after)
{
	const char *at = line, *first;
	size_t len;
	int i;

	while ((len = next_word(&at)) && !is_end(at, len)) {
		first = at;
		for (i = 0; i < w->nr && is_word(at, len, w->word[i]); i++) {
			at += len;
			len = next_word(&at);
		}
		if (i && i == w->nr) {
			*after = at;
			return first;
		}
		at = first + strcspn(first, BLANKS);
	}
	return NULL;
}

/**
 * line_has_unit() - are the words in a line, one after another?
 * @line: words between blanks
 * @w: the words
 */
bool line_has_unit(const char *line, const struct boot_words *w)
{
	const char *after;

	return !w->nr || find_unit(line, w, &after);
}

/**
 * line_less_unit() - a line without the words that stand one after another
 * @line: words between blanks
 * @w: the words
 *
 * Return: the line, the same if it has no such words; the caller frees it.  The command ends if
 * there is no memory.
 */
char *line_less_unit(const char *line, const struct boot_words *w)
{
	const char *after, *first = find_unit(line, w, &after);
	char *to;

	if (asprintf(&to, "%.*s%s", (int)(first ? first - line : 0), line,
		     first ? after : line) < 0)
		exit(!fail("no memory"));
	return to;
}

static bool is_compared(const char *at, size_t len, const struct boot_words *w)
{
	int i;

	for (i = 0; i < w->nr; i++)
		if (is_word(at, len, w->word[i]))
			return false;
	return len < 7 || strncmp(at, "initrd=", 7);
}

/*
 * The words that are compared, with a blank before each and without quotes.  An unknown word may be
 * none at all, so it has no blank, and several are like one.
 */
static char *compared_text(const char *line, const struct boot_words *w)
{
	char *to = malloc(2 * strlen(line) + 2), *end = to;
	size_t len, i;

	if (!to)
		exit(!fail("no memory"));
	for (; (len = next_word(&line)); line += len) {
		if (!is_compared(line, len, w))
			continue;
		if (len > 1 || *line != UNKNOWN)
			*end++ = ' ';
		for (i = 0; i < len; i++)
			if (!strchr("\"'\\", line[i]) &&
			    !(line[i] == UNKNOWN && end > to && end[-1] == UNKNOWN))
				*end++ = line[i];
	}
	*end = 0;
	return to;
}

/* "?" in @pattern stands for any text. */
static bool matches_text(const char *pattern, const char *text)
{
	const char *unknown = NULL, *from = NULL;

	while (*text) {
		if (*pattern == UNKNOWN) {
			unknown = ++pattern;
			from = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (unknown) {
			pattern = unknown;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == UNKNOWN)
		pattern++;
	return !*pattern;
}

/**
 * is_booted_line() - did this line of a boot loader become this command line of the kernel?
 * @line: of the loader; "?" stands for the value of a variable, which may be empty
 * @cmdline: of the kernel
 * @w: words that may be missing on either side
 *
 * systemd-boot adds initrd= for each initrd, and boot loaders quote differently.
 */
bool is_booted_line(const char *line, const char *cmdline, const struct boot_words *w)
{
	char *pattern = compared_text(line, w), *text = compared_text(cmdline, w);
	bool is = matches_text(pattern, text);

	free(pattern);
	free(text);
	return is;
}

/**
 * text_add_unit() - put the unit into a text
 * @text: the text
 * @at: where: the first word of a line, or the end of what stands before it
 * @unit: the words as they stand in a file
 *
 * Return: the text, which the caller frees.  The command ends if there is no memory.
 */
char *text_add_unit(const char *text, const char *at, const char *unit)
{
	bool blank_before = at == text || strchr(BLANKS, at[-1]);
	char *to;

	if (asprintf(&to, "%.*s%s%s%s%s", (int)(at - text), text, blank_before ? "" : " ", unit,
		     blank_before ? " " : "", at) < 0)
		exit(!fail("no memory"));
	return to;
}

/* What may follow a word in a file of a boot loader. */
static bool ends_word(char c)
{
	return !c || strchr(BLANKS "\r;}", c);
}

/**
 * text_cut_unit() - remove the first unit of a line, with the blank that text_add_unit() added
 * @line: the first word of the line; the rest of the text moves
 * @end: where to stop looking
 * @unit: the words as they stand in a file; none if empty
 * @alone: nothing but a blank that was added stands before @line
 *
 * Return: true if there was one.
 */
bool text_cut_unit(char *line, const char *end, const char *unit, bool alone)
{
	size_t len = strlen(unit);
	char *at = line, *after;

	while (len && (at = memmem(at, end - at, unit, len))) {
		after = at + len;
		if ((at == line || strchr(BLANKS, at[-1])) && ends_word(*after)) {
			if (*after == ' ')
				after++;
			else if (at > line || alone)
				at--;
			memmove(at, after, strlen(after) + 1);
			return true;
		}
		at = after;
	}
	return false;
}

/**
 * is_same_line() - have two lines the same words in the same order?
 * @a: words between blanks
 * @b: words between blanks
 */
bool is_same_line(const char *a, const char *b)
{
	size_t len_a, len_b;

	for (;;) {
		len_a = next_word(&a);
		len_b = next_word(&b);
		if (len_a != len_b || strncmp(a, b, len_a))
			return false;
		if (!len_a)
			return true;
		a += len_a;
		b += len_b;
	}
}

/**
 * words_join() - write words with blanks between them
 * @w: the words
 * @quote: what stands around each word with a "$"
 * @dollar: what stands for each "$"
 * @to: result
 * @size: of @to
 */
void words_join(const struct boot_words *w, const char *quote, const char *dollar, char *to,
		size_t size)
{
	const char *at, *around;
	size_t len = 0;
	int i;

	to[0] = 0;
	for (i = 0; i < w->nr; i++) {
		around = strchr(w->word[i], '$') ? quote : "";
		len += scnprintf(to + len, size - len, "%s%s", i ? " " : "", around);
		for (at = w->word[i]; *at; at++)
			if (*at == '$')
				len += scnprintf(to + len, size - len, "%s", dollar);
			else
				len += scnprintf(to + len, size - len, "%c", *at);
		len += scnprintf(to + len, size - len, "%s", around);
	}
}
