// SPDX-License-Identifier: GPL-2.0
/*
 * Hide possible kernel addresses in text, because users other than root read the journal.
 *
 * A token of the same length replaces each address, such as "ptr-000000000001".  Tokens count
 * addresses in the order of their first appearance, so equal addresses get equal tokens.  A
 * hash would let a reader check a guess.
 */

#include <ctype.h>
#include <search.h>
#include <stdlib.h>

#include "archive.h"

#define PREFIX		"ptr-"

/* Digits of a 64-bit word; with fewer than DIGITS_LEAST digits, bits 55 and 63 are clear. */
#define DIGITS_MOST	16
#define DIGITS_LEAST	14

/* The kernel's MAX_ERRNO: -1 to -4095 are error codes, never addresses. */
#define ERRNO_MOST	4095

/**
 * struct pointer - a possible address
 * @nr: number in its token
 * @digits: its digits at the first appearance
 */
struct pointer {
	unsigned int nr;
	char digits[];
};

/*
 * Kernel addresses have bit 63 set, except for tagged ones on arm64, which have bit 55 set.
 * More digits than a word has may begin or end with an address, or be a decimal one.
 */
static bool may_be_pointer(const char *digits, size_t len)
{
	char word[DIGITS_MOST + 1] = "";
	u64 value;

	if (len < DIGITS_LEAST || len > DIGITS_MOST)
		return len > DIGITS_MOST;
	memcpy(word, digits, len);
	value = strtoull(word, NULL, 16);
	return (value >> 63 || value >> 55 & 1) && value < -(u64)ERRNO_MOST;
}

static int compare_digits(const void *a, const void *b)
{
	return strcasecmp(((const struct pointer *)a)->digits,
			  ((const struct pointer *)b)->digits);
}

/* Returns NULL if there is no memory. */
static const struct pointer *find_or_add(struct pointers *p, const char *digits, size_t len)
{
	struct pointer *new = malloc(sizeof(*new) + len + 1), **met;

	if (!new)
		return NULL;
	memcpy(new->digits, digits, len);
	new->digits[len] = 0;
	met = tsearch(new, &p->tree, compare_digits);
	if (met && *met == new) {
		new->nr = p->newest ? p->newest->nr + 1 : 1;
		p->newest = new;
	} else {
		free(new);
	}
	return met ? *met : NULL;
}

static bool hide_pointer(struct pointers *p, char *digits, size_t len)
{
	const struct pointer *met = find_or_add(p, digits, len);
	char token[24];
	int n;

	if (!met)
		return false;
	n = snprintf(token, sizeof(token), "%010u", met->nr);
	memset(digits, '0', len);
	memcpy(digits, PREFIX, sizeof(PREFIX) - 1);
	memcpy(digits + len - n, token, n);
	return true;
}

/**
 * pointers_hide() - replace possible addresses with tokens
 * @p: addresses so far; the caller zeroes it before the first text
 * @text: ASCII text; its length does not change
 * @len: length of @text
 *
 * Return: false if there is no memory.
 */
bool pointers_hide(struct pointers *p, char *text, size_t len)
{
	size_t at, n;

	for (at = 0; at < len; at += n + 1) {
		for (n = 0; at + n < len && isxdigit((unsigned char)text[at + n]); n++)
			;
		if (may_be_pointer(text + at, n) && !hide_pointer(p, text + at, n))
			return false;
	}
	return true;
}

/**
 * pointers_free() - free all addresses
 * @p: the addresses
 */
void pointers_free(struct pointers *p)
{
	tdestroy(p->tree, free);
}
