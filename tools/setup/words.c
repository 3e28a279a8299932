// SPDX-License-Identifier: GPL-2.0
/* Words on the command line of the kernel, and how GRUB quotes them. */

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

/**
 * line_has_word() - is a word in a line?
 * @line: words between blanks
 * @word: the word
 */
bool line_has_word(const char *line, const char *word)
{
	size_t len;

	for (; (len = next_word(&line)); line += len)
		if (is_word(line, len, word))
			return true;
	return false;
}

/**
 * line_has_words() - are all words in a line?
 * @line: words between blanks
 * @w: the words
 */
bool line_has_words(const char *line, const struct words *w)
{
	int i;

	for (i = 0; i < w->nr; i++)
		if (!line_has_word(line, w->word[i]))
			return false;
	return true;
}

/**
 * line_add_words() - append words to a line that lacks them
 * @line: words between blanks
 * @w: the words
 *
 * Return: the new line, without blanks at its end, which the caller frees.  The command ends if
 * there is no memory.
 */
char *line_add_words(const char *line, const struct words *w)
{
	size_t len = strlen(line);
	char *to = malloc(len + MAX_WORDS * (WORD_SIZE + 1) + 1);
	int i;

	if (!to)
		exit(!fail("no memory"));
	while (len && strchr(BLANKS, line[len - 1]))
		len--;
	memcpy(to, line, len);
	to[len] = 0;
	for (i = 0; i < w->nr; i++)
		if (!line_has_word(line, w->word[i]))
			len += sprintf(to + len, "%s%s", len ? " " : "", w->word[i]);
	return to;
}

static bool is_one_of(const char *at, size_t len, const struct words *w)
{
	int i;

	for (i = 0; i < w->nr; i++)
		if (is_word(at, len, w->word[i]))
			return true;
	return false;
}

/**
 * line_drop_words() - remove words from a line, with the blanks before them
 * @line: words between blanks
 * @w: the words
 *
 * Return: the new line, which the caller frees.  The command ends if there is no memory.
 */
char *line_drop_words(const char *line, const struct words *w)
{
	char *to = malloc(strlen(line) + 1), *end = to;
	const char *at = line;
	size_t len;

	if (!to)
		exit(!fail("no memory"));
	while ((len = next_word(&at))) {
		if (!is_one_of(at, len, w))
			end = mempcpy(end, line, at + len - line);
		at += len;
		line = at;
	}
	memcpy(end, line, strlen(line) + 1);
	return to;
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
void words_join(const struct words *w, const char *quote, const char *dollar, char *to,
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

/* Stands for the value of a variable: no word of ours has it. */
#define UNKNOWN	'?'

/* After "$": skips the name of a variable; returns where to go on, NULL if there is no name. */
static const char *skip_variable(const char *at)
{
	if (*at == '{')
		return strchr(at, '}') ? strchr(at, '}') + 1 : NULL;
	if (isdigit(*at) || (*at && strchr("?*#@", *at)))
		return at + 1;
	if (!isalpha(*at) && *at != '_')
		return NULL;
	while (isalnum(*at) || *at == '_')
		at++;
	return at;
}

/* "\" and a character, within double quotes or outside of quotes. */
static const char *unescape(const char *at, char quote, char **end)
{
	if (quote && !strchr("$\"\\", at[1]))
		*(*end)++ = *at++;
	else
		at++;
	if (*at)
		*(*end)++ = *at++;
	return at;
}

/**
 * grub_unquote() - what a line of grub.cfg says after GRUB has read it
 * @text: the line
 *
 * Quotes and backslashes as in the manual of GNU GRUB, 6.1 "Writing full configuration files
 * directly".  "?" stands for the value of a variable.
 *
 * Return: the text, which the caller frees.  The command ends if there is no memory.
 */
char *grub_unquote(const char *text)
{
	char *to = malloc(strlen(text) + 1), *end = to, quote = 0;
	const char *name_end;

	if (!to)
		exit(!fail("no memory"));
	while (*text) {
		if (quote != '\'' && *text == '\\' && text[1]) {
			text = unescape(text, quote, &end);
			continue;
		}
		name_end = quote != '\'' && *text == '$' ? skip_variable(text + 1) : NULL;
		if (name_end) {
			*end++ = UNKNOWN;
			text = name_end;
			continue;
		}
		if (quote ? *text == quote : *text == '"' || *text == '\'')
			quote = quote ? 0 : *text;
		else
			*end++ = *text;
		text++;
	}
	*end = 0;
	return to;
}
