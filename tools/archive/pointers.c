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

/* Digits of an argument.  A value of 64 bits can be in a and b, or c and d: the low half first. */
#define DIGITS_HALF	8

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

/* "ptr-", zeros, and the number of the address; @token may be @digits. */
static bool make_token(struct pointers *p, const char *digits, size_t len, char *token)
{
	const struct pointer *met = find_or_add(p, digits, len);
	char number[24];
	int n;

	if (!met)
		return false;
	n = snprintf(number, sizeof(number), "%010u", met->nr);
	memset(token, '0', len);
	memcpy(token, PREFIX, sizeof(PREFIX) - 1);
	memcpy(token + len - n, number, n);
	return true;
}

static size_t count_digits(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && isxdigit((unsigned char)text[n]))
		n++;
	return n;
}

/* Are these two arguments, with a blank between them? */
static bool is_pair(const char *text, size_t len)
{
	return len > 2 * DIGITS_HALF && text[DIGITS_HALF] == ' ' &&
	       count_digits(text + DIGITS_HALF + 1, len - DIGITS_HALF - 1) == DIGITS_HALF;
}

/*
 * Hide the two halves of an address.  Other arguments have any bits, so only pairs that begin as
 * the addresses of a kernel are hidden: with 0xff, or with 0xf below the byte of a tag (arm64).
 */
static bool hide_pair(struct pointers *p, char *text)
{
	char whole[DIGITS_MOST + 1], token[DIGITS_MOST];
	u64 value;

	memcpy(whole, text + DIGITS_HALF + 1, DIGITS_HALF);
	memcpy(whole + DIGITS_HALF, text, DIGITS_HALF);
	whole[DIGITS_MOST] = 0;
	value = strtoull(whole, NULL, 16);
	if ((value >> 56 != 0xff && (value >> 52 & 0xf) != 0xf) ||
	    !may_be_pointer(whole, DIGITS_MOST))
		return true;
	if (!make_token(p, whole, DIGITS_MOST, token))
		return false;
	memcpy(text, token, DIGITS_HALF);
	memcpy(text + DIGITS_HALF + 1, token + DIGITS_HALF, DIGITS_HALF);
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
	bool ok = true;

	for (at = 0; at < len && ok; at += n + 1) {
		n = count_digits(text + at, len - at);
		if (n == DIGITS_HALF && is_pair(text + at, len - at)) {
			ok = hide_pair(p, text + at);
			n = 2 * DIGITS_HALF + 1;
		} else if (may_be_pointer(text + at, n)) {
			ok = make_token(p, text + at, n, text + at);
		}
	}
	return ok;
}

/**
 * pointers_free() - free all addresses
 * @p: the addresses
 */
void pointers_free(struct pointers *p)
{
	tdestroy(p->tree, free);
}
