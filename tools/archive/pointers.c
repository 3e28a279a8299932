// SPDX-License-Identifier: GPL-2.0
/*
 * What may be an address of the kernel that recorded, out of text: the journal has more
 * readers than root.
 *
 * Each becomes a token of the same length, "ptr-000000000001": its number in the order in
 * which addresses are met.  Equal ones get equal tokens.  A hash would tell no more to
 * those who may read it, and with the right guess it could be checked.
 */

#include <ctype.h>
#include <search.h>
#include <stdlib.h>

#include "archive.h"

#define PREFIX		"ptr-"

/* A 64-bit word has so many digits; with fewer than that, bits 55 and 63 are clear. */
#define DIGITS_MOST	16
#define DIGITS_LEAST	14

/* The kernel's MAX_ERRNO: what is above is an error, never an address. */
#define ERRNO_MOST	4095

/**
 * struct pointer - one that was met
 * @nr: its number
 * @digits: of it, as they were there at first
 */
struct pointer {
	unsigned int nr;
	char digits[];
};

/*
 * Bit 63 is set in addresses of a kernel, but for tagged ones of arm64, which have bit 55
 * instead.  More digits than a word has may begin or end with one, or be decimal.
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

/* The one with these digits; NULL if there is no memory. */
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
 * pointers_hide() - put tokens in place of what may be an address
 * @p: those met so far, zeroed before the first text
 * @text: ASCII; stays as long as it is
 * @len: of @text
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
 * pointers_free() - forget them
 * @p: those met
 */
void pointers_free(struct pointers *p)
{
	tdestroy(p->tree, free);
}
