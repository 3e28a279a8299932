// SPDX-License-Identifier: GPL-2.0
/*
 * verify - read the text of a trace (stdin or FILE) and see whether it is right
 *
 * Usage: verify [options] [FILE]         (verify -h lists options)
 * Exit: 0 right, 1 wrong (the line that shows it on stderr), 2 usage.
 *
 * Each line is parsed, printed again with the format that users were promised,
 * and compared: any difference, also in blanks, is an error.
 */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

static const char usage_text[] =
	"usage: verify [options] [FILE]\n"
	"\n"
	"  -k         a kernel log: drop the prefix of lines, look for dumps in it\n"
	"  -n N       expect N dumps (with -k; default 1)\n"
	"  -r N       read FILE so many times, a dump each\n"
	"  -e N       expect N entries\n"
	"  -m N       expect a text of N bytes or less\n"
	"  -c N       expect the section on CPUs, with CPUs below N; -1: all\n"
	"  -a         expect all CPUs that have entries in the section on CPUs\n"
	"  -o         expect the line on older entries that were left out\n"
	"  -A         entries of unknown sites are records of jtrace_hammer, too\n"
	"  -H N       expect N records of jtrace_hammer or more\n"
	"  -g N       no record of jtrace_hammer is missing among the newest N entries of a CPU\n"
	"  -G N       no record of jtrace_hammer is missing among the newest N of all CPUs\n"
	"  -p FILE    its progress page: what had returned is there, as far as the trace goes back\n"
	"  -P FILE    the same, as it was some time before the trace ended\n"
	"  -d         what was recovered may be damaged\n"
	"  -j         the line on a clock that jumped may be there\n"
	"  -b NS      time of hammer records must be in their brackets, or NS off\n"
	"  -f TEXT    expect an entry with a tag that begins with TEXT\n"
	"  -l TEXT    expect that the last entry of a CPU, in the trace or in the section on\n"
	"             CPUs, has a tag that begins with TEXT\n"
	"\n"
	"What is found is printed as one line of names and values.\n";

/* ---- options ---------------------------------------------------------- */

static bool opt_log;
static long opt_dumps = 1;
static long opt_repeat = 1;
static const char *opt_file;
static long opt_entries = -1;
static long opt_most_bytes = -1;
static bool opt_cpus;
static long opt_most_cpus = -1;
static bool opt_all_cpus;
static bool opt_left_out;
static bool opt_jumped;
bool opt_only_hammer;
static long opt_hammer;
static long opt_unbroken;
static long opt_since_gap;
static bool opt_went_on;
static bool opt_damaged;
bool opt_bracket;
long long opt_tolerance;
static const char *opt_tag;
static const char *opt_last_tag;

/* ---- lines ------------------------------------------------------------ */

char line[8192];
unsigned long line_nr;
static unsigned long bytes;

bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* "[    1.234567] " or, with the caller, "[    1.234567][    T1] ". */
static char *skip_prefix(char *s)
{
	char *p = s;

	if (*p++ != '[')
		return NULL;
	while (*p == ' ')
		p++;
	while (isdigit((unsigned char)*p))
		p++;
	if (*p++ != '.' || strspn(p, "0123456789") != 6 || p[6] != ']')
		return NULL;
	p += 7;
	if (*p == '[') {
		p = strchr(p, ']');
		if (!p)
			return NULL;
		p++;
	}
	return *p == ' ' ? p + 1 : NULL;
}

/* On a slow machine interrupts and NMIs print these, also between two lines of a dump. */
static bool is_of_slow_machine(const char *text)
{
	return begins(text, "INFO: NMI handler (") || begins(text, "hrtimer: interrupt took ");
}

/*
 * Next line without its end and prefix; false at the end of the input.  In a log, leave out
 * lines without a prefix, and those that a slow machine adds.
 */
static bool next_line(void)
{
	size_t len;
	char *text;

	do {
		if (!fgets(line, sizeof(line), stdin))
			return false;
		line_nr++;
		len = strlen(line);
		if (!len || line[len - 1] != '\n')
			wrong("not ended, or too long");
		line[len - 1] = 0;
		text = opt_log ? skip_prefix(line) : line;
	} while (!text || (opt_log && is_of_slow_machine(text)));
	memmove(line, text, strlen(text) + 1);
	bytes += strlen(line) + 1;
	return true;
}

static void need_line(void)
{
	if (!next_line()) {
		strcpy(line, "(end of text)");
		wrong("there should be more");
	}
}

/* ---- entries ---------------------------------------------------------- */

static bool parse_site(struct entry *e, const char *s)
{
	size_t len = strlen(s);
	const char *open;

	if (len >= sizeof(e->site))
		return false;
	memcpy(e->site, s, len + 1);
	s = e->site;
	if (e->large) {
		const char *func = strchr(s, ':'), *nr, *end;

		if (!func || func == s)
			return false;
		nr = strchr(func + 1, ':');
		if (!nr || nr == func + 1)
			return false;
		end = nr + 1 + strspn(nr + 1, "0123456789");
		if (end == nr + 1 || *end != ' ')
			return false;
		open = end + 1;
	} else {
		open = s;
	}
	if (*open != '(' || s[len - 1] != ')')
		return false;
	e->tag_at = open + 1 - s;
	return true;
}

/* Is @line an entry, byte for byte? */
static bool parse_entry(struct entry *e)
{
	long long sec, nsec, usec, rest;
	char again[8192];
	int at = 0;

	memset(e, 0, sizeof(*e));
	e->large = strstr(line, " tid ");
	if (e->large &&
	    sscanf(line,
		   "[%lld.%lld][cpu %u tid %u] : %x %x %x %x %llx %llx : (%lld.%lld uSec) : %n",
		   &sec, &nsec, &e->cpu, &e->tid, &e->arg[0], &e->arg[1], &e->arg[2], &e->arg[3],
		   &e->wide[0], &e->wide[1], &usec, &rest, &at) != 12)
		e->large = false;
	if (!e->large && sscanf(line, "[%lld.%lld][cpu %u] : %x : (%lld.%lld uSec) : %n",
				&sec, &nsec, &e->cpu, &e->arg[0], &usec, &rest, &at) != 6)
		return false;
	if (!at || !parse_site(e, line + at))
		return false;
	if (e->large)
		snprintf(again, sizeof(again),
			 "[%4lld.%09lld][cpu %u tid %8u] : %08x %08x %08x %08x %016llx %016llx : (%8lld.%03lld uSec) : %s",
			 sec, nsec, e->cpu, e->tid, e->arg[0], e->arg[1], e->arg[2], e->arg[3],
			 e->wide[0], e->wide[1], usec, rest, e->site);
	else
		snprintf(again, sizeof(again),
			 "[%4lld.%09lld][cpu %u] : %08x : (%5lld.%03lld uSec) : %s",
			 sec, nsec, e->cpu, e->arg[0], usec, rest, e->site);
	if (strcmp(again, line))
		return false;
	e->ns = sec * NS + nsec;
	e->delta = usec * 1000 + rest;
	if (e->cpu >= MOST_CPUS)
		wrong("cpu %u", e->cpu);
	return true;
}

const char *tag(const struct entry *e)
{
	return e->site + e->tag_at;
}

static bool same_event(const struct entry *a, const struct entry *b)
{
	return a->ns == b->ns && a->cpu == b->cpu && a->tid == b->tid &&
	       !memcmp(a->arg, b->arg, sizeof(a->arg)) &&
	       !memcmp(a->wide, b->wide, sizeof(a->wide)) && !strcmp(a->site, b->site);
}

/* ---- a dump ----------------------------------------------------------- */

#define NAMELESS	"JTRACE: %lu of %lu entries have no name: the site table of %lu bytes was full; load jtrace with sites=%lu"
#define JUMPED		"JTRACE: The clock jumped, by up to %lu.%03lu s: times and the order of entries may be wrong"

static unsigned long dumps, entries, capacity, left_out, cpus, unbroken;

static void parse_last(unsigned long shown, const struct entry *first, struct entry *lasts)
{
	static bool listed[MOST_CPUS];
	struct entry e;
	long before = -1;
	unsigned int cpu;

	memset(listed, 0, sizeof(listed));
	for (cpus = 0; ; cpus++) {
		need_line();
		if (!*line)
			break;
		if (!parse_entry(&e))
			wrong("not an entry");
		if ((long)e.cpu <= before)
			wrong("CPUs are not in order");
		before = e.cpu;
		listed[e.cpu] = true;
		if (opt_most_cpus >= 0 && (long)e.cpu >= opt_most_cpus)
			wrong("only CPUs below %ld were asked for", opt_most_cpus);
		if (e.delta)
			wrong("time difference in the section on CPUs");
		if (lasts[e.cpu].ns ? !same_event(&e, &lasts[e.cpu]) :
				      shown && e.ns > first->ns)
			wrong("not the last event of its CPU");
		lasts[e.cpu] = e;
	}
	if (!cpus)
		wrong("no CPU in the section on CPUs");
	for (cpu = 0; opt_all_cpus && cpu < MOST_CPUS; cpu++)
		if (lasts[cpu].ns && !listed[cpu] &&
		    (opt_most_cpus < 0 || (long)cpu < opt_most_cpus))
			wrong("cpu %u has entries, but is not in the section on CPUs", cpu);
}

/* The lines on what is not shown, above the first entry. */
static void parse_notes(void)
{
	unsigned long nameless, of, table, sites, sec, msec;
	char again[200];

	need_line();
	if (strstr(line, " older ") &&
	    sscanf(line, "JTRACE: %lu older entries left out", &left_out) == 1) {
		snprintf(again, sizeof(again), "JTRACE: %lu older entries left out", left_out);
		if (strcmp(again, line))
			wrong("not an entry");
		if (!left_out || left_out + entries > capacity)
			wrong("%lu and %lu of %lu entries", left_out, entries, capacity);
		need_line();
	}
	if (opt_jumped && sscanf(line, JUMPED, &sec, &msec) == 2) {
		snprintf(again, sizeof(again), JUMPED, sec, msec);
		if (strcmp(again, line))
			wrong("not an entry");
		need_line();
	}
	if (sscanf(line, NAMELESS, &nameless, &of, &table, &sites) == 4) {
		snprintf(again, sizeof(again), NAMELESS, nameless, of, table, sites);
		if (strcmp(again, line))
			wrong("not an entry");
		if (!nameless || nameless > of || of != left_out + entries || sites <= table)
			wrong("%lu and %lu entries", left_out, entries);
		need_line();
	}
}

static void parse_dump(void)
{
	static struct entry lasts[MOST_CPUS];
	char again[200];
	struct entry e, first, last;
	long long sec, nsec;
	unsigned long i;

	memset(lasts, 0, sizeof(lasts));
	records_begin();
	memset(&first, 0, sizeof(first));
	memset(&last, 0, sizeof(last));
	left_out = 0;
	cpus = 0;
	bytes = strlen(line) + 1;
	dumps++;

	if (!strcmp(line, "JTRACE: no entries")) {
		entries = 0;
		return;
	}
	if (sscanf(line, "JTRACE: Recovered %lu/%lu entries", &entries, &capacity) != 2)
		wrong("not a header");
	snprintf(again, sizeof(again), "JTRACE: Recovered %lu/%lu entries", entries, capacity);
	if (strcmp(again, line))
		wrong("not a header");
	if (!entries || entries > capacity)
		wrong("%lu of %lu entries", entries, capacity);

	for (i = 0; i < entries; i++) {
		if (i)
			need_line();
		else
			parse_notes();
		if (!parse_entry(&e))
			wrong("not an entry");
		if (i && e.large != first.large)
			wrong("large and small entries");
		if (i && e.ns < last.ns)
			wrong("times are not in order");
		if (e.delta != (i ? e.ns - last.ns : 0))
			wrong("the time since the line above is %lld ns", i ? e.ns - last.ns : 0);
		check_record(&e);
		if (!i)
			first = e;
		last = e;
		lasts[e.cpu] = e;
		if (opt_tag && begins(tag(&e), opt_tag))
			opt_tag = NULL;
	}
	check_progress(opt_went_on);
	unbroken = records_unbroken();
	if (unbroken < (unsigned long)opt_unbroken)
		wrong("a CPU has only %lu newest entries without a gap", unbroken);
	if (records_since_gap() < (unsigned long)opt_since_gap)
		wrong("a record is missing before the newest %lu", records_since_gap());
	if (opt_left_out && !left_out)
		wrong("nothing was left out");

	need_line();
	if (*line)
		wrong("more entries than announced, or no blank line");
	need_line();
	if (!strcmp(line, "JTRACE: Last recorded per-CPU events.")) {
		parse_last(entries, &first, lasts);
		need_line();
	} else if (opt_cpus) {
		wrong("no section on CPUs");
	}

	for (i = 0; opt_last_tag && i < MOST_CPUS; i++)
		if (lasts[i].ns && begins(tag(&lasts[i]), opt_last_tag))
			opt_last_tag = NULL;

	if (sscanf(line, "JTRACE: Last log timestamp [%lld.%lld]", &sec, &nsec) != 2)
		wrong("not the last line");
	snprintf(again, sizeof(again), "JTRACE: Last log timestamp [%4lld.%09lld]", sec, nsec);
	if (strcmp(again, line))
		wrong("not the last line");
	if (sec * NS + nsec != last.ns)
		wrong("the newest entry has another time");
	if (opt_most_bytes >= 0 && bytes > (unsigned long)opt_most_bytes)
		wrong("%lu bytes of text", bytes);
}

/* A recovered trace begins with the kernel that recorded, how its boot ended, and losses. */
static void parse_introduction(void)
{
	need_line();
	if (!begins(line, "JTRACE: It ") && !begins(line, "JTRACE: jtrace was unloaded"))
		wrong("not how that ended");
	do
		need_line();
	while (opt_damaged && begins(line, "JTRACE: Damaged: "));
}

static bool is_header(void)
{
	return begins(line, "JTRACE: Recovered ") || !strcmp(line, "JTRACE: no entries");
}

static long number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "verify: %s: must be numeric\n", text);
		exit(2);
	}
	return n;
}

static void options(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "kn:r:e:m:c:aoAH:g:G:p:P:djb:f:l:h")) != -1) {
		switch (opt) {
		case 'k':
			opt_log = true;
			break;
		case 'n':
			opt_dumps = number(optarg);
			break;
		case 'r':
			opt_repeat = number(optarg);
			break;
		case 'e':
			opt_entries = number(optarg);
			break;
		case 'm':
			opt_most_bytes = number(optarg);
			break;
		case 'c':
			opt_cpus = true;
			opt_most_cpus = number(optarg);
			break;
		case 'a':
			opt_all_cpus = true;
			break;
		case 'o':
			opt_left_out = true;
			break;
		case 'A':
			opt_only_hammer = true;
			break;
		case 'H':
			opt_hammer = number(optarg);
			break;
		case 'g':
			opt_unbroken = number(optarg);
			break;
		case 'G':
			opt_since_gap = number(optarg);
			break;
		case 'P':
		case 'p':
			opt_went_on = opt == 'P';
			read_progress(optarg);
			break;
		case 'd':
			opt_damaged = true;
			break;
		case 'j':
			opt_jumped = true;
			break;
		case 'b':
			opt_bracket = true;
			opt_tolerance = number(optarg);
			break;
		case 'f':
			opt_tag = optarg;
			break;
		case 'l':
			opt_last_tag = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		default:
			fputs(usage_text, stderr);
			exit(2);
		}
	}
	opt_file = argv[optind];
	if ((opt_file && argv[optind + 1]) || (!opt_file && opt_repeat != 1)) {
		fputs(usage_text, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	unsigned long before;
	long i;

	options(argc, argv);

	for (i = 0; i < opt_repeat; i++) {
		if (opt_file && !freopen(opt_file, "r", stdin)) {
			perror(opt_file);
			return 1;
		}
		line_nr = 0;
		before = dumps;
		while (next_line()) {
			if (begins(line, "JTRACE: Recorded by "))
				parse_introduction();
			if (is_header())
				parse_dump();
			else if (!opt_log)
				wrong("not a header, or behind the end");
		}
		strcpy(line, "(end of text)");
		if (dumps - before != (unsigned long)opt_dumps)
			wrong("%lu dumps, expected %ld", dumps - before, opt_dumps);
	}

	if (opt_entries >= 0 && entries != (unsigned long)opt_entries)
		wrong("%lu entries, expected %ld", entries, opt_entries);
	if (hammers < (unsigned long)opt_hammer)
		wrong("%lu records of jtrace_hammer, expected %ld", hammers, opt_hammer);
	if (opt_last_tag)
		wrong("no CPU's last tag begins with '%s'", opt_last_tag);
	if (opt_tag)
		wrong("no tag begins with '%s'", opt_tag);
	printf("dumps %lu entries %lu capacity %lu left_out %lu cpus %lu hammer %lu unbroken %lu",
	       dumps, entries, capacity, left_out, cpus, hammers, unbroken);
	if (brackets)
		printf(" early %lld late %lld", early, late);
	printf("\n");
	return 0;
}
