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
 * @select: which part of it to show
 * @decode: show arguments by their names
 * @show: print what is new
 * @a: what was shown
 * @d: the last snapshot
 * @img: its memory, &dump.img
 * @size: of @img, bytes
 * @started: there was a look
 * @image_id: of the image
 * @l: its geometry
 */
struct follower {
	struct select *select;
	bool decode;
	void (*show)(const struct dump *d, bool first, u64 gap);
	struct account a;
	struct dump d;
	void *img;
	size_t size;
	bool started;
	u64 image_id;
	struct jtrace_layout l;
};

/* Take a snapshot.  Return false, after a message, if there is none, or it is of another image. */
static bool take_snapshot(struct follower *f)
{
	static const char name[] = "trace_raw";
	size_t len;
	int err = live_read(name, &f->img, &f->size, &len);

	/* ENXIO: it is going. */
	if (f->started && (err == ENOENT || err == ENOTDIR || err == ENXIO))
		return fail("-f: module jtrace was unloaded");
	if (err)
		return live_fail(name, err);
	f->d = (struct dump){ .name = name, .img = f->img, .len = len };
	jtrace_recover_open(&f->d.t, f->d.img, len);
	if (f->d.t.fault != JTRACE_HEADER_OK)
		return fail("%s: no whole image in its %zu bytes", name, len);
	if (f->started && (f->image_id != f->d.t.image_id || f->l.nr_chunks != f->d.t.l.nr_chunks))
		return fail("-f: module jtrace was loaded again: run this command again");
	return f->started || account_open(&f->a, &f->d.t.l);
}

/* Show the entries that are left in the snapshot. */
static bool show_new(struct follower *f, bool first, u64 gap)
{
	bool ok = dump_open(&f->d);

	if (ok) {
		/* Anew each time: modules come and go. */
		if (f->decode)
			decode_open(&f->d.t);
		if (!first)
			f->select->last = 0;
		else if (!f->select->last)
			f->select->last = FIRST;
		ok = select_apply(f->select, &f->d.t, EVENTS, f->d.name);
	}
	if (ok) {
		f->d.t.plain = strcmp(nl_langinfo(CODESET), "UTF-8") ? NULL : utf8_plain;
		f->show(&f->d, first, gap);
	}
	decode_close();
	free(f->d.room);
	fflush(stdout);
	return ok && output_ok();
}

static bool look(struct follower *f)
{
	bool first = !f->started;
	u64 found, gap;

	if (!take_snapshot(f))
		return false;
	f->started = true;
	f->image_id = f->d.t.image_id;
	f->l = f->d.t.l;
	found = account_look(&f->a, &f->d.t.l, f->img, &f->d.t.header, &gap);
	return (!first && !found && !gap) || show_new(f, first, gap);
}

/* What came before the signal is shown, and what was lost. */
static bool look_last(struct follower *f)
{
	const struct timespec quick = { .tv_nsec = QUICK };
	bool ok = look(f);
	u32 nr;

	for (nr = 1; ok && !account_is_settled(&f->a) && nr < LAST_LOOKS; nr++) {
		nanosleep(&quick, NULL);
		ok = look(f);
	}
	return ok;
}

/**
 * follow_live() - show the live trace, and go on with new events until a signal comes
 * @select: which part of it; its number of last entries is changed
 * @decode: show arguments by their names
 * @show: print what is new: @first: nothing was printed before, @gap: so many entries were lost
 *
 * Return: false on an error, after a message unless nobody reads the output.
 */
bool follow_live(struct select *select, bool decode,
		 void (*show)(const struct dump *d, bool first, u64 gap))
{
	struct follower f = { .select = select, .decode = decode, .show = show };
	u64 start, cost;
	bool ok;

	catch_signals();
	do {
		start = cpu_time();
		ok = look(&f);
		cost = cpu_time() - start;
		if (ok)
			ok = rest(max(f.a.starts ? QUICK : INTERVAL, (SHARE - 1) * cost));
	} while (ok && !READ_ONCE(stopped));
	ok = ok && look_last(&f);
	account_close(&f.a);
	free(f.img);
	return ok;
}
