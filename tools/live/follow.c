// SPDX-License-Identifier: GPL-2.0
/*
 * Follow a trace: look at it some times a second, and print what is new.
 *
 * Each look takes a snapshot.  One of the live buffer costs the recorder little, but not nothing:
 * for an image below 16 MiB the kernel refuses claims meanwhile.  One of a file costs it nothing.
 */

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "account.h"

#define NS_PER_SEC	1000000000ULL

/* Events that are shown at first. */
#define FIRST		10

/* Looks at the end, until nothing new comes: CPUs may go on to record. */
#define LAST_LOOKS	(2 * ACCOUNT_QUIET)

/* Time between looks at the start and at the end. */
#define QUICK		(NS_PER_SEC / 20)

/* Look again after this time, or later: looks take at most a tenth of a CPU. */
#define INTERVAL	(NS_PER_SEC / 4)
#define SHARE		10

static int stopped;

static void stop(int sig)
{
	WRITE_ONCE(stopped, sig);
}

/* A second signal kills, if the reader of a pipe stalls. */
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
	if (nr > 0 && out.revents & POLLNVAL)
		return fail("standard output: %s", strerror(EBADF));
	return nr <= 0;
}

/**
 * struct follower - a trace that is followed
 * @feed: where it comes from
 * @select: which part of it to show
 * @first: how many entries to show at first
 * @decode: show arguments by their names
 * @show: print what is new
 * @a: what was shown of this image
 * @d: the last snapshot
 * @started: there was a look at this image
 * @l: geometry of the image
 */
struct follower {
	struct feed *feed;
	struct select *select;
	u64 first;
	bool decode;
	void (*show)(const struct dump *d, bool first, const struct gap *gap);
	struct account a;
	struct dump d;
	bool started;
	struct jtrace_layout l;
};

/* Show the entries that are left in the snapshot. */
static bool show_new(struct follower *f, bool first, u64 nr)
{
	const struct gap gap = { .nr = nr, .most = !f->feed->counted };
	bool ok = dump_open(&f->d);

	if (ok) {
		/* Anew each time: modules come and go. */
		if (f->decode)
			decode_open(&f->d.t);
		f->select->last = first ? f->first : 0;
		ok = select_apply(f->select, &f->d.t, EVENTS, f->d.name);
	}
	if (ok) {
		f->d.t.plain = strcmp(nl_langinfo(CODESET), "UTF-8") ? NULL : utf8_plain;
		f->show(&f->d, first, &gap);
	}
	decode_close();
	free(f->d.room);
	fflush(stdout);
	return ok && output_ok();
}

/* Begin with an image. */
static bool start(struct follower *f)
{
	account_close(&f->a);
	f->l = f->d.t.l;
	f->started = account_open(&f->a, &f->l, f->feed->counted);
	return f->started;
}

static bool look(struct follower *f)
{
	enum watched found = f->feed->take(f->feed, &f->d);
	u64 nr, gap;
	bool first;

	if (found == WATCH_FAILED || found == WATCH_NOTHING)
		return found == WATCH_NOTHING;
	f->started = f->started && found != WATCH_OTHER;
	first = !f->started;
	jtrace_recover_open(&f->d.t, f->d.img, f->d.len);
	/* The bytes of a file are any bytes. */
	if (!dump_readable(&f->d) || (!first && f->d.t.l.nr_chunks != f->l.nr_chunks))
		return true;
	if (first && !start(f))
		return false;
	nr = account_look(&f->a, &f->d.t.l, f->d.img, &f->d.t.header, &gap);
	return (!first && !nr && !gap) || show_new(f, first, gap);
}

/* What came before the signal is shown, and what was lost. */
static bool look_last(struct follower *f)
{
	const struct timespec quick = { .tv_nsec = QUICK };
	bool ok;
	u32 nr;

	f->feed->last = true;
	ok = look(f);

	for (nr = 1; ok && !account_is_settled(&f->a) && nr < LAST_LOOKS; nr++) {
		nanosleep(&quick, NULL);
		ok = look(f);
	}
	return ok;
}

/**
 * follow() - show a trace, and go on with new events until a signal comes
 * @feed: where it comes from; the caller closes it
 * @select: which part of it; its number of last entries is changed
 * @decode: show arguments by their names
 * @show: print what is new: @first: nothing of this image was printed before, @gap: what was lost
 *	before
 *
 * Return: false on an error, after a message unless nobody reads the output.
 */
bool follow(struct feed *feed, struct select *select, bool decode,
	    void (*show)(const struct dump *d, bool first, const struct gap *gap))
{
	struct follower f = {
		.feed = feed, .select = select, .first = select->last ?: FIRST,
		.decode = decode, .show = show,
	};
	u64 begin, cost;
	bool ok;

	catch_signals();
	do {
		begin = cpu_time();
		ok = look(&f);
		cost = cpu_time() - begin;
		if (ok)
			ok = rest(max(f.a.starts ? QUICK : INTERVAL, (SHARE - 1) * cost));
	} while (ok && !READ_ONCE(stopped));
	ok = ok && look_last(&f);
	account_close(&f.a);
	return ok;
}
