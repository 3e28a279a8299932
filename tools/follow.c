// SPDX-License-Identifier: GPL-2.0
/*
 * Follow the live trace: look at it some times a second, and print what is new.
 *
 * Each look opens trace_raw, which takes a snapshot.  That costs the recorder little, but not
 * nothing: for an image below 16 MiB the kernel refuses claims meanwhile.
 */

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define NS_PER_SEC	1000000000ULL

/* Events that are shown at first. */
#define FIRST		10

/* Looks at the end, until nothing new comes or CPUs go on to record. */
#define LAST_LOOKS	(4 * ACCOUNT_QUIET)

/* Look again after this time, or later: looks take at most a tenth of a CPU. */
#define INTERVAL	(NS_PER_SEC / 4)
#define SHARE		10

static int stopped;

static void stop(int sig)
{
	WRITE_ONCE(stopped, sig);
}

/* A second signal kills, should the reader of a pipe not read. */
static void catch_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM };
	const struct sigaction stopper = {
		.sa_handler = stop,
		.sa_flags = SA_RESTART | SA_RESETHAND,
	};
	struct sigaction old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(ends[i], &stopper, NULL);
}

static u64 cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * NS_PER_SEC + t.tv_nsec;
}

/* Wait for the next look.  Return false if nobody reads the output any more. */
static bool rest(u64 ns)
{
	const struct timespec t = { .tv_sec = ns / NS_PER_SEC, .tv_nsec = ns % NS_PER_SEC };
	struct pollfd out = { .fd = STDOUT_FILENO };
	sigset_t ends, others;
	int nr = 0;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, &others);
	if (!READ_ONCE(stopped))
		nr = ppoll(&out, 1, &t, &others);
	sigprocmask(SIG_SETMASK, &others, NULL);
	return nr <= 0;
}

/**
 * struct follower - a trace that is followed
 * @o: how to show it
 * @a: what was shown
 * @d: the last snapshot
 * @img: its memory, &dump.img
 * @size: of @img, bytes
 * @image_id: of the image, 0 before the first look
 * @decode: shows entries by names
 */
struct follower {
	struct options *o;
	struct account a;
	struct dump d;
	void *img;
	size_t size;
	u64 image_id;
	const struct jtrace_named *(*decode)(const struct jtrace_trace *t,
					     const struct jtrace_decoded *ev);
};

/* Take a snapshot.  Return false, after a message, if there is none, or it is of another image. */
static bool take_snapshot(struct follower *f)
{
	static const char name[] = "trace_raw";
	size_t len;
	int err = live_read(name, &f->img, &f->size, &len);

	if (f->image_id && (err == ENOENT || err == ENOTDIR))
		return fail("-f: module jtrace was unloaded");
	if (err)
		return live_fail(name, err);
	f->d = (struct dump){ .name = name, .img = f->img, .len = len };
	jtrace_recover_open(&f->d.t, f->d.img, len);
	if (f->d.t.fault != JTRACE_HEADER_OK)
		return fail("%s: no whole image in its %zu bytes", name, len);
	if (f->image_id && f->image_id != f->d.t.image_id)
		return fail("-f: module jtrace was loaded again: run this command again");
	return f->image_id || account_open(&f->a, &f->d.t.l);
}

/* All looks show the same sites, so names are looked up once. */
static void decode(struct follower *f, bool first)
{
	if (first && f->o->decode) {
		decode_open(&f->d.t);
		f->decode = f->d.t.decode;
	}
	f->d.t.decode = f->decode;
}

/* Show the entries that are left in the snapshot. */
static bool show_new(struct follower *f, bool first, u64 gap)
{
	struct options *o = f->o;
	bool ok = dump_open(&f->d);

	if (ok) {
		decode(f, first);
		if (!first)
			o->select.last = 0;
		else if (!o->select.last)
			o->select.last = FIRST;
		ok = select_apply(&o->select, &f->d.t, EVENTS, f->d.name);
	}
	if (ok) {
		f->d.t.plain = strcmp(nl_langinfo(CODESET), "UTF-8") ? NULL : utf8_plain;
		o->format->show_new(&f->d, first, gap);
	}
	free(f->d.room);
	fflush(stdout);
	return ok && output_ok();
}

static bool look(struct follower *f)
{
	bool first = !f->image_id;
	u64 found, gap;

	if (!take_snapshot(f))
		return false;
	f->image_id = f->d.t.image_id;
	found = account_look(&f->a, &f->d.t.l, f->img, &f->d.t.header, &gap);
	return (!first && !found && !gap) || show_new(f, first, gap);
}

/* What came before the signal is shown, and what was lost. */
static bool look_last(struct follower *f)
{
	u32 nr = 0;
	bool ok;

	do {
		ok = look(f);
	} while (ok && !account_is_settled(&f->a) && ++nr < LAST_LOOKS);
	return ok;
}

/**
 * follow_live() - show the live trace, and go on with new events until a signal comes
 * @o: how
 *
 * Return: false on an error, after a message unless nobody reads the output.
 */
bool follow_live(struct options *o)
{
	struct follower f = { .o = o };
	u64 start, cost;
	bool ok;

	catch_signals();
	do {
		start = cpu_time();
		ok = look(&f);
		cost = cpu_time() - start;
		/* The account starts with looks that follow each other at once. */
		if (ok && !f.a.starts)
			ok = rest(max(INTERVAL, (SHARE - 1) * cost));
	} while (ok && !READ_ONCE(stopped));
	ok = ok && look_last(&f);
	decode_close();
	account_close(&f.a);
	free(f.img);
	return ok;
}
