// SPDX-License-Identifier: GPL-2.0
/*
 * Report a trace to the journal, with fields to select by: tools that collect journals then
 * collect crashes, too.
 *
 * Each field has a limit.  Text from the image is escaped, because journal readers show it on
 * a terminal.  Possible kernel addresses are hidden unless the configuration allows them,
 * because users other than root read the journal.
 */

#include <err.h>
#include <stdlib.h>
#include <sys/uio.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "../../lib/base/pen.h"
#include "../../lib/read/log.h"
#include "../print/print.h"
#include "../why/why.h"
#include "archive.h"

/* journald receives entries here. */
#define JOURNAL		"/run/systemd/journal/socket"

#define FIELDS_MOST	32

/* put_padded() escapes so many. */
#define CAUSE_MOST	128

/* journalctl -o json omits fields longer than 4096 bytes. */
#define LINES_MOST	4000

/* With Storage=journal. */
#define TEXT_MOST	(1024 * 1024)
#define RAW_MOST	(16 * TEXT_MOST)

/**
 * struct journal_entry - the fields of an entry
 * @to: stream of all fields, each as NAME=VALUE
 * @end: offset of the end of each field
 * @nr: number of fields
 * @ok: there was memory for all fields
 * @f: the trace
 * @conf: the configuration
 * @hidden: addresses that tokens replace
 */
struct journal_entry {
	FILE *to;
	size_t end[FIELDS_MOST];
	int nr;
	bool ok;
	const struct recovered *f;
	const struct conf *conf;
	struct pointers hidden;
};

static void put_field(struct journal_entry *e, const char *name, const void *value, size_t len)
{
	e->ok = e->ok && value && e->nr < FIELDS_MOST && fprintf(e->to, "%s=", name) > 0 &&
		fwrite(value, 1, len, e->to) == len;
	if (e->ok)
		e->end[e->nr++] = ftello(e->to);
}

static void put_text(struct journal_entry *e, const char *name, const char *value)
{
	put_field(e, name, value, strlen(value));
}

/* Text from the image; replaces addresses in @text. */
static void put_image_text(struct journal_entry *e, const char *name, char *text, size_t len)
{
	if (text && !e->conf->pointers)
		e->ok = pointers_hide(&e->hidden, text, len) && e->ok;
	put_field(e, name, text, len);
}

static void put_number(struct journal_entry *e, const char *name, u64 value)
{
	char text[21];

	snprintf(text, sizeof(text), "%llu", value);
	put_text(e, name, text);
}

/* Omit an empty field. */
static void put_padded(struct journal_entry *e, const char *name, const u8 *from, size_t len)
{
	char text[4 * 128 + 1];

	jtrace_escape(NULL, text, sizeof(text), (const char *)from, len);
	if (*text)
		put_image_text(e, name, text, strlen(text));
}

static const char *verdict_name(const struct jtrace_trace *t)
{
	static const char * const names[] = {
		[JTRACE_WHOLE] = "whole",
		[JTRACE_CLEAN] = "clean",
		[JTRACE_DAMAGED] = "damaged",
		[JTRACE_EMPTY] = "empty",
		[JTRACE_UNREADABLE] = "unreadable",
	};

	return names[t->verdict];
}

/* LOG_NOTICE if recording ended on purpose, LOG_CRIT otherwise. */
static const char *priority(const struct jtrace_trace *t)
{
	return t->header.state == JTRACE_STATE_KEPT || t->header.state == JTRACE_STATE_UNLOADED ?
	       "5" : "2";
}

/* The first two lines of the text: which kernel and boot, and how the boot ended. */
static void put_message(struct journal_entry *e, const struct jtrace_trace *t)
{
	char text[2 * JTRACE_LINE_MAX];
	struct pen p = { text, text + sizeof(text) - 1 };
	u32 i;

	if (t->verdict == JTRACE_UNREADABLE) {
		put_text(e, "MESSAGE", "Found a trace that cannot be read");
		return;
	}
	for (i = 0; i < 2; i++) {
		pen_text(&p, i ? ". " : "");
		jtrace_tell_line(t, &p, i);
	}
	put_image_text(e, "MESSAGE", text, p.at - text);
}

static void put_newest(struct journal_entry *e, const struct recovered *f, const char *name,
		       size_t most)
{
	size_t len = 0;
	char *text = recovered_copy_tail(f, e->conf->pointers, most, &len);

	put_image_text(e, name, text, len);
	free(text);
}

/*
 * The same lines as jtrace -d shows them, without stacks.  Values that it shows in decimal or as
 * text could be addresses that pointers_hide() does not know; so without pointers only threads have
 * names.
 */
static void put_decoded(struct journal_entry *e)
{
	struct recovered named = *e->f;

	if (named.d.t.verdict == JTRACE_UNREADABLE)
		return;
	if (e->conf->pointers)
		decode_open(&named.d.t);
	named.d.t.put_task = task_put;
	put_newest(e, &named, "JTRACE_DECODED", LINES_MOST);
	decode_close();
}

/* The sentences of jtrace why; as there, without pointers only threads have names. */
static void put_why(struct journal_entry *e)
{
	struct dump d = recovered_whole(e->f);
	size_t len = 0;
	char *text = NULL;
	bool found = false;
	FILE *to;

	if (d.t.verdict == JTRACE_UNREADABLE)
		return;
	to = open_memstream(&text, &len);
	decode_open(&d.t);
	e->ok = to && why_write(&d, WHY_FINDINGS, ~0ULL, to, &found) && e->ok;
	decode_close();
	e->ok = to && !fclose(to) && e->ok;
	/* Without the last newline. */
	if (e->ok && found && len--)
		put_image_text(e, "JTRACE_WHY", text, len);
	free(text);
}

/* What jtrace crashes lists.  As there, the names that the image needs are the module's. */
static void put_crash(struct journal_entry *e)
{
	static struct crash c;
	struct dump d = recovered_whole(e->f);
	char when[CRASH_TIME];

	decode_open(&d.t);
	e->ok = crash_read(&c, &d) && e->ok;
	decode_close();
	put_text(e, "JTRACE_CAUSE", crash_end_name(c.end));
	put_image_text(e, "JTRACE_SIGNATURE", c.signature, strlen(c.signature));
	crash_time(c.real, when);
	if (c.real)
		put_text(e, "JTRACE_TIME", when);
	put_number(e, "JTRACE_SIZE", d.len);
}

/* A line that names the cause of a panic, from offset @from on. */
static void put_cause(struct journal_entry *e, const char *name, const char *text, u32 from)
{
	put_padded(e, name, (const u8 *)text + from, strnlen(text + from, CAUSE_MOST));
}

/* What the verdict says of the fault. */
static void put_fault(struct journal_entry *e, const struct jtrace_trace *t)
{
	char text[JTRACE_LOG_TEXT_MAX + 1];

	if (jtrace_cause_read(t, t->cause, text))
		put_cause(e, "JTRACE_FAULT", text, 0);
	if (jtrace_cause_read(t, t->cause_pc, text))
		put_cause(e, "JTRACE_FAULT_PC", text, jtrace_cause_pc(text));
}

/* The newest whole lines of the kernel log. */
static void put_log(struct journal_entry *e, const char *name, size_t most)
{
	size_t len = 0, from = 0;
	char *text = NULL, *line;
	FILE *to = open_memstream(&text, &len);
	bool ok = to && print_log(&e->f->d.t, to);

	ok = to && !fclose(to) && ok;
	e->ok = e->ok && ok;
	/* Without the last newline. */
	if (ok && len--) {
		if (len > most) {
			line = memchr(text + len - most - 1, '\n', most);
			from = line ? line + 1 - text : len - most;
		}
		put_image_text(e, name, text + from, len - from);
	}
	free(text);
}

static void put_header(struct journal_entry *e, const struct jtrace_image_header *h)
{
	static const u8 none[sizeof(h->build_id)];
	char hex[2 * sizeof(h->build_id) + 1];
	size_t i;

	put_padded(e, "JTRACE_RELEASE", h->release, sizeof(h->release));
	put_padded(e, "JTRACE_REASON", h->reason, sizeof(h->reason));
	if (!memcmp(h->build_id, none, sizeof(none)))
		return;
	for (i = 0; i < sizeof(h->build_id); i++)
		sprintf(hex + 2 * i, "%02x", h->build_id[i]);
	put_text(e, "JTRACE_BUILD_ID", hex);
}

static void put_trace(struct journal_entry *e)
{
	const struct jtrace_trace *t = &e->f->d.t;

	put_text(e, "JTRACE_VERDICT", verdict_name(t));
	if (t->verdict == JTRACE_UNREADABLE)
		return;
	put_text(e, "JTRACE_BOOT_ID", e->f->boot);
	put_text(e, "JTRACE_IMAGE_ID", e->f->name);
	put_text(e, "JTRACE_STATE",
		 state_name(t->damage.nr[JTRACE_FAULT_HEADERS] ? 0 : t->header.state));
	put_header(e, &t->header);
	put_fault(e, t);
	put_number(e, "JTRACE_ENTRIES", t->found);
	put_number(e, "JTRACE_CAPACITY", jtrace_layout_entries(&t->l));
}

static void put_image(struct journal_entry *e)
{
	const struct dump *d = &e->f->d;
	struct saved s = { 0 };

	if (!e->conf->pointers)
		warnx("the image may hold kernel addresses: the journal gets it only with Pointers=yes");
	else if (d->len > RAW_MOST)
		warnx("the image has %llu bytes, too many for the journal: at most %d",
		      d->len, RAW_MOST);
	else if (recovered_save(e->f, &s) && s.len <= RAW_MOST)
		put_field(e, "JTRACE_IMAGE", s.img, s.len);
	else
		put_field(e, "JTRACE_IMAGE", d->img, d->len);
	save_free(&s);
}

static void put_all(struct journal_entry *e, bool saved)
{
	put_message(e, &e->f->d.t);
	put_text(e, "MESSAGE_ID", CRASH_MESSAGE_ID);
	put_text(e, "PRIORITY", priority(&e->f->d.t));
	put_text(e, "SYSLOG_IDENTIFIER", "jtrace");
	put_trace(e);
	put_crash(e);
	put_why(e);
	put_newest(e, e->f, "JTRACE_LINES", LINES_MOST);
	put_decoded(e);
	put_log(e, "JTRACE_LOG", LINES_MOST);
	if (saved)
		put_text(e, "JTRACE_DIRECTORY", e->f->path);
	if (e->conf->storage == STORAGE_JOURNAL) {
		put_newest(e, e->f, "JTRACE_TEXT", TEXT_MOST);
		put_log(e, "JTRACE_DMESG", TEXT_MOST);
		put_image(e);
	}
}

static bool send_fields(const struct journal_entry *e, char *fields)
{
	struct iovec iov[FIELDS_MOST];
	size_t from = 0;
	int i, err;

	for (i = 0; i < e->nr; from = e->end[i++])
		iov[i] = (struct iovec){ fields + from, e->end[i] - from };
	err = sd_journal_sendv(iov, e->nr);
	return !err || fail("the journal refused the entry: %s", strerror(-err));
}

/**
 * journal_send() - report a trace to the journal
 * @f: the trace
 * @conf: the configuration; with STORAGE_JOURNAL, send the text and the image, too
 * @saved: the archive has the files of the trace
 *
 * If no journal runs, nothing is sent, which is an error only with STORAGE_JOURNAL.
 *
 * Return: false, after a message, on an error.
 */
bool journal_send(const struct recovered *f, const struct conf *conf, bool saved)
{
	struct journal_entry e = { .f = f, .conf = conf, .ok = true };
	char *fields = NULL;
	size_t len;
	bool ok;

	/* Without a journal, sd_journal_sendv() succeeds. */
	if (!root_exists(JOURNAL))
		return conf->storage != STORAGE_JOURNAL ||
		       fail("no journal runs: the trace was not kept: start systemd-journald, or set Storage=external");
	e.to = open_memstream(&fields, &len);
	if (e.to) {
		put_all(&e, saved);
		e.ok = !fclose(e.to) && e.ok;
	}
	ok = e.to && e.ok;
	ok = ok ? send_fields(&e, fields) : fail("no memory for the journal entry");
	free(fields);
	pointers_free(&e.hidden);
	return ok;
}
