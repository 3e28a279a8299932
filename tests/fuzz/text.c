// SPDX-License-Identifier: GPL-2.0
/*
 * Check that a text has the documented grammar, from its first byte to its last.
 *
 * Knows nothing about images: lines of each kind are in their place, each number has its format,
 * times are in order, differences and sums agree.
 */

#include "fuzz.h"

#define NS_PER_SEC	1000000000ULL

/**
 * struct text - a text that is being read
 * @at: the next byte
 * @end: end of the text
 * @line: the line that must() prints
 * @nr: lines so far
 */
struct text {
	const char *at;
	const char *end;
	const char *line;
	u64 nr;
};

/**
 * struct when - the numbers in the line of an entry
 * @ns: time
 * @delta: time since the line above, as written
 * @large: the line has the form of a large entry
 */
struct when {
	u64 ns;
	u64 delta;
	bool large;
};

#define good(t, cond)	must(cond, "line %llu: %.300s", (unsigned long long)(t)->nr, (t)->line)

/* ---- Parts of a line -------------------------------------------------- */

static bool try_word(struct text *t, const char *word)
{
	size_t len = strlen(word);

	if (t->end - t->at < len || memcmp(t->at, word, len))
		return false;
	t->at += len;
	return true;
}

static void word(struct text *t, const char *text)
{
	good(t, try_word(t, text));
}

/* A number as by printf(), padded to @width. */
static u64 dec(struct text *t, u32 width, char pad)
{
	const char *from = t->at, *digit;
	u64 value = 0;

	while (pad == ' ' && *t->at == ' ')
		t->at++;
	for (digit = t->at; *t->at >= '0' && *t->at <= '9'; t->at++)
		value = 10 * value + (*t->at - '0');
	good(t, t->at > digit && t->at - digit <= 20 && t->at - from >= width);
	good(t, digit == from || t->at - from == width);
	good(t, pad == '0' ? t->at - from == width : *digit != '0' || t->at == digit + 1);
	return value;
}

static void hex(struct text *t, u32 digits)
{
	while (digits--) {
		good(t, (*t->at >= '0' && *t->at <= '9') || (*t->at >= 'a' && *t->at <= 'f'));
		t->at++;
	}
}

static void newline(struct text *t)
{
	word(t, "\n");
	t->line = t->at;
	t->nr++;
}

/* Skip the rest of the line. */
static void rest(struct text *t)
{
	t->at = memchr(t->at, '\n', t->end - t->at);
	newline(t);
}

/* "[%4lld.%09lld]" */
static u64 time_of(struct text *t)
{
	u64 ns;

	word(t, "[");
	ns = dec(t, 4, ' ') * NS_PER_SEC;
	word(t, ".");
	ns += dec(t, 9, '0');
	word(t, "]");
	return ns;
}

/* File, function, line and tag, or their replacement; a tag is any text. */
static void site(struct text *t, bool large)
{
	const char *end = memchr(t->at, '\n', t->end - t->at), *tag = end, *p;

	good(t, end > t->at && end[-1] == ')');
	if (!large) {
		good(t, *t->at == '(');
		return;
	}
	/* Somewhere there is ":LINE (", after two names. */
	for (p = t->at; p + 2 < end; p++)
		if (p[0] == ' ' && p[1] == '(') {
			tag = p;
			while (p > t->at && p[-1] >= '0' && p[-1] <= '9')
				p--;
			if (p > t->at && p < tag && (p[-1] == ':' || p[-1] == '-') &&
			    memchr(t->at, ':', p - 1 - t->at))
				return;
			p = tag;
		}
	good(t, !"a site");
}

static struct when entry(struct text *t)
{
	struct when w;
	u32 i;

	w.ns = time_of(t);
	word(t, "[cpu ");
	good(t, dec(t, 0, ' ') < 1 << 16);
	w.large = try_word(t, " tid ");
	if (w.large)
		good(t, dec(t, 8, ' ') <= U32_MAX);
	word(t, "] : ");
	for (i = 0; i < (w.large ? 4 : 1); i++) {
		hex(t, 8);
		word(t, " ");
	}
	for (i = 0; w.large && i < 2; i++) {
		hex(t, 16);
		word(t, " ");
	}
	word(t, ": (");
	w.delta = dec(t, w.large ? 8 : 5, ' ') * 1000;
	word(t, ".");
	w.delta += dec(t, 3, '0');
	word(t, " uSec) : ");
	site(t, w.large);
	rest(t);
	return w;
}

/* ---- Parts of a text -------------------------------------------------- */

/* " at YYYY-MM-DD hh:mm:ss UTC" */
static void try_date(struct text *t)
{
	u32 month, day;

	if (!try_word(t, " at "))
		return;
	good(t, dec(t, 4, '0') >= 1970);
	word(t, "-");
	month = dec(t, 2, '0');
	word(t, "-");
	day = dec(t, 2, '0');
	good(t, month >= 1 && month <= 12 && day >= 1 && day <= 31);
	word(t, " ");
	good(t, dec(t, 2, '0') < 24);
	word(t, ":");
	good(t, dec(t, 2, '0') < 60);
	word(t, ":");
	good(t, dec(t, 2, '0') < 60);
	word(t, " UTC");
}

static void told_end(struct text *t)
{
	if (try_word(t, "JTRACE: It panicked")) {
		try_date(t);
		word(t, ": ");
		rest(t);
		return;
	}
	if (try_word(t, "JTRACE: Its end state is unknown")) {
		newline(t);
		return;
	}
	if (!try_word(t, "JTRACE: It was shut down cleanly") &&
	    !try_word(t, "JTRACE: jtrace was unloaded") &&
	    !try_word(t, "JTRACE: It hung or was reset; its last event was"))
		word(t, "JTRACE: It was still running; its last event was");
	try_date(t);
	newline(t);
}

/* Which kernel recorded, how its boot ended, what is lost. */
static void told(struct text *t)
{
	u32 faults = 0;

	if (!try_word(t, "JTRACE: Recorded by "))
		return;
	good(t, try_word(t, "Linux ") || try_word(t, "a kernel whose name is lost"));
	rest(t);
	told_end(t);
	while (try_word(t, "JTRACE: Damaged: ")) {
		good(t, ++faults <= JTRACE_NR_FAULTS);
		rest(t);
	}
}

static void corrupt(struct text *t)
{
	char at[16];
	u32 line, i;

	newline(t);
	word(t, "JTRACE: ");
	dec(t, 0, ' ');
	word(t, " bytes");
	rest(t);
	for (line = 0; t->at < t->end; line++) {
		snprintf(at, sizeof(at), "%08x:", 16 * line);
		word(t, at);
		for (i = 0; i < 16 && try_word(t, " "); i++)
			hex(t, 2);
		good(t, i == 16 || t->end == t->at + 1);
		newline(t);
	}
	good(t, line <= 256);
}

/* The rest of the line about entries whose site found no room, after "N of M". */
static void nameless(struct text *t)
{
	word(t, " entries have no name: the site table of ");
	dec(t, 0, ' ');
	word(t, " bytes was full; load jtrace with sites=");
	good(t, dec(t, 0, ' ') >= 4096);
	newline(t);
}

/* The rest of the line about entries whose task has no name, after "N of M". */
static bool try_unnamed(struct text *t)
{
	bool is = try_word(t, " entries are of tasks whose name is not known");

	if (is)
		newline(t);
	return is;
}

/* The rest of the line about a counter that jumped. */
static void jumped(struct text *t)
{
	dec(t, 0, ' ');
	word(t, ".");
	dec(t, 3, '0');
	word(t, " s: times and the order of entries may be wrong");
	newline(t);
}

/* "N of M"; return N. */
static u64 part(struct text *t, u64 nr)
{
	word(t, " of ");
	good(t, dec(t, 0, ' ') >= nr);
	return nr;
}

/* The lines above the @nr entries, each of which is optional.  Return how many are shown. */
static u64 notes(struct text *t, u64 nr)
{
	bool more = try_word(t, "JTRACE: "), begun = more && *t->at >= '0' && *t->at <= '9';
	u64 first;

	if (begun) {
		first = dec(t, 0, ' ');
		begun = !try_word(t, " older entries left out");
		if (begun)
			part(t, first);
		if (begun && try_word(t, " entries shown")) {
			begun = false;
			nr = first;
		}
		if (!begun) {
			newline(t);
			more = try_word(t, "JTRACE: ");
		}
	}
	if (more && !begun && try_word(t, "The clock jumped, by up to ")) {
		jumped(t);
		more = try_word(t, "JTRACE: ");
	}
	if (more && !begun)
		good(t, part(t, dec(t, 0, ' ')) > 0);
	if (more && !try_unnamed(t)) {
		nameless(t);
		if (try_word(t, "JTRACE: ")) {
			good(t, part(t, dec(t, 0, ' ')) > 0);
			good(t, try_unnamed(t));
		}
	}
	return nr;
}

static void entries(struct text *t, struct text_facts *f)
{
	u64 found = dec(t, 0, ' '), nr, most, i, end, before = 0;
	struct when w = { 0 };
	bool large = false;

	word(t, "/");
	most = dec(t, 0, ' ');
	word(t, " entries");
	newline(t);
	good(t, found && found <= most);
	nr = notes(t, found);
	for (i = 0; i < nr; i++) {
		w = entry(t);
		good(t, w.ns >= before || !i);
		good(t, w.delta == (i ? w.ns - before : 0));
		good(t, !i || large == w.large);
		before = w.ns;
		large = w.large;
	}
	newline(t);
	if (try_word(t, "JTRACE: Last recorded per-CPU events.")) {
		for (newline(t); *t->at == '['; f->last++) {
			w = entry(t);
			good(t, !w.delta && large == w.large);
		}
		good(t, f->last > 0);
		newline(t);
	}
	word(t, "JTRACE: Last log timestamp ");
	end = time_of(t);
	good(t, end == before || (end > before && nr < found));
	newline(t);
	f->entries = nr;
}

/**
 * text_check() - check the text of a trace
 * @text: lines, each with its newline, and a NUL
 * @len: bytes, without the NUL
 *
 * Return: its counts.
 */
struct text_facts text_check(const char *text, size_t len)
{
	struct text t = { text, text + len, text, 0 };
	struct text_facts f = { 0 };
	size_t i;

	must(len && text[len - 1] == '\n', "no last line");
	for (i = 0; i < len; i++)
		must((text[i] >= 0x20 && text[i] < 0x7f) || text[i] == '\n', "byte %zu: 0x%02x",
		     i, (u8)text[i]);
	told(&t);
	if (try_word(&t, "JTRACE: Recovered "))
		entries(&t, &f);
	else if (try_word(&t, "JTRACE: Dumping corrupted log"))
		corrupt(&t);
	else if (try_word(&t, "JTRACE: no entries") ||
		 try_word(&t, "JTRACE: Log appears clean, not dumping it"))
		newline(&t);
	good(&t, t.at == t.end);
	f.lines = t.nr;
	return f;
}
