// SPDX-License-Identifier: GPL-2.0
/* jtrace.conf(5) */

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>

#include "archive.h"

#define CONF	"/etc/jtrace.conf"
#define SECTION	"[Archive]"

static char *strip(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* Returns the index of the word, or -1. */
static int find_word(const char *value, const char * const *words, int nr)
{
	while (nr-- && strcasecmp(value, words[nr]))
		;
	return nr;
}

/* A size as systemd writes it: bytes, or with K, M, G or T. */
static bool parse_bytes(const char *value, u64 *to)
{
	static const char units[] = "kmgt";
	const char *unit;
	char *end;

	errno = 0;
	*to = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || errno)
		return false;
	unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
	if (unit) {
		if (*to >> (64 - 10 * (unit - units + 1)))
			return false;
		*to <<= 10 * (unit - units + 1);
		end++;
	}
	return !*end;
}

static void parse_limit(const char *value, int line, const char *key, u64 *to)
{
	u64 bytes;

	if (parse_bytes(value, &bytes))
		*to = bytes;
	else
		warnx("%s:%d: %s=%s: must be a number, which may end in K, M, G or T, ignored",
		      CONF, line, key, value);
}

/* Ignore a wrong line, as systemd does: a typing error must not lose a crash. */
static void parse_setting(struct conf *conf, int line, char *text)
{
	static const char * const storages[] = {
		[STORAGE_NONE] = "none",
		[STORAGE_EXTERNAL] = "external",
		[STORAGE_JOURNAL] = "journal",
	};
	/* The words of systemd: "yes" has an odd index. */
	static const char * const bools[] = {
		"no", "yes", "n", "y", "off", "on", "0", "1", "false", "true", "f", "t",
	};
	char *value = strchr(text, '='), *key;
	int at;

	if (!value) {
		warnx("%s:%d: %s: not NAME=VALUE, ignored", CONF, line, text);
		return;
	}
	*value++ = 0;
	key = strip(text);
	value = strip(value);
	if (!strcmp(key, "Storage")) {
		at = find_word(value, storages, ARRAY_SIZE(storages));
		if (at < 0)
			warnx("%s:%d: Storage=%s: must be none, external or journal, ignored",
			      CONF, line, value);
		else
			conf->storage = at;
	} else if (!strcmp(key, "Pointers")) {
		at = find_word(value, bools, ARRAY_SIZE(bools));
		if (at < 0)
			warnx("%s:%d: Pointers=%s: must be yes or no, ignored", CONF, line, value);
		else
			conf->pointers = at % 2;
	} else if (!strcmp(key, "MaxUse")) {
		parse_limit(value, line, key, &conf->max_use);
	} else if (!strcmp(key, "KeepFree")) {
		parse_limit(value, line, key, &conf->keep_free);
	} else if (!strcmp(key, "MaxTraces")) {
		parse_limit(value, line, key, &conf->max_traces);
	} else {
		warnx("%s:%d: %s=: unknown, ignored: the names are Storage, Pointers, MaxUse, KeepFree and MaxTraces",
		      CONF, line, key);
	}
}

/**
 * conf_read() - read the configuration
 * @conf: result; defaults where the file does not set a value
 */
void conf_read(struct conf *conf)
{
	FILE *f = fopen(root_path(CONF), "re");
	char *buf = NULL, *text;
	bool ours = false;
	size_t room = 0;
	int line = 0;

	*conf = (struct conf){
		.storage = STORAGE_EXTERNAL, .max_use = LIMIT_DEFAULT, .keep_free = LIMIT_DEFAULT,
		.max_traces = 100,
	};
	if (!f) {
		if (errno != ENOENT)
			warnx("%s: %s, using the defaults", CONF, strerror(errno));
		return;
	}
	while (getline(&buf, &room, f) > 0) {
		line++;
		text = strip(buf);
		if (!*text || *text == '#' || *text == ';')
			continue;
		if (*text == '[')
			ours = !strcmp(text, SECTION);
		else if (ours)
			parse_setting(conf, line, text);
		else
			warnx("%s:%d: not in section %s, ignored", CONF, line, SECTION);
	}
	free(buf);
	fclose(f);
}
