/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The protocol of lib/image/ring.c, small enough to search all interleavings.
 *
 * CPUs record in tasks, in interrupts of tasks and in NMIs of either.  A reader reads, and
 * (with CLEAR) a clearer clears.  The ring has CHUNKS chunks of SLOTS slots.  A step is one
 * access to shared state, named as in lib/image/ring.c:
 *
 *   model		code
 *   take		jtrace_ring_try(): cursor read; jtrace_ring_full()
 *   clock		jtrace_ring_try(): clock read
 *   reserve		jtrace_ring_try(): cursor moved
 *   fill, commit	jtrace_draft_*(), fill:B
 *   look		jtrace_ring_claim(): cursor
 *   number		atomic64_inc_return(claims)
 *   state		own:E, the look: lapped, or owned
 *   quiet		is_quiet(), busy:B
 *   own		own:E, cmpxchg
 *   stale		chunk released unused, release:E
 *   settle		mark of the chunk left behind
 *   begin		settled, used; chunk_header_write(), claim:C
 *   install		cmpxchg_local(cursor), or chunk released, release:E
 *   hold, release	held_add(), release:E
 *   Reader		jtrace_chunk_read(), jtrace_entry_read(): read:B, recheck:D
 *   Clearer		jtrace_clear(); close, used: jtrace_ring_close() in an IPI
 *
 * The model does not contain what gate:F and floor:G order: see the litmus tests.
 *
 * It leaves out the header's check value and other words (the reader here trusts the claim
 * number, so it accepts more), the contents of a payload (it holds the claim under which it was
 * recorded, which identifies it), and overflow.
 *
 * Checks, by the name of the flag that must stay 0:
 *
 *   two_writers	a slot is reserved while it may still be written to
 *   late		a store of a chunk's owner becomes visible after the release
 *   torn		a reader accepts a payload of another claim
 *   disorder		a slot's clock was read before that of an earlier slot
 *   lost_last		a CPU's open chunk (with KEEP also the one before) is taken
 *   backward		at the end an entry has a newer claim than its chunk's header:
 *			with check values that entry is shown, and those of the
 *			header's claim are not
 *   leak		at the end a chunk that no CPU keeps cannot be claimed
 *   veiled	a CPU that closed its chunk records below the floor
 *   miscount		at the end recorded != shown + overwritten + cleared,
 *			or events != recorded + dropped + skipped
 *
 * Options that start with NO_ or WITH_ break the protocol, to make each happen: see
 * tests/model/run.
 */

/* Interrupt only where it once broke the protocol: otherwise there are too many states. */
#ifdef PINNED
#define BEGUN
#define TRIES	1
#endif

#ifndef CHUNKS
#define CHUNKS	3
#endif
#ifndef SLOTS
#define SLOTS	1
#endif
#ifndef MEM
#define MEM	0
#endif
/* Records of the task, interrupt and NMI of CPU 0 and 1. */
#ifndef TASK0
#define TASK0	2
#endif
#ifndef IRQ0
#define IRQ0	0
#endif
#ifndef NMI0
#define NMI0	0
#endif
#ifndef TASK1
#define TASK1	0
#endif
#ifndef IRQ1
#define IRQ1	0
#endif
#ifndef TRIES
#define TRIES	2
#endif

#define NESTED	(IRQ0 + NMI0 + IRQ1)

#define CLAIM	0
#define STATE	(CLAIM + CHUNKS)
#define SETTLED	(STATE + CHUNKS)
#define USED	(SETTLED + CHUNKS)
#define SEQ	(USED + CHUNKS)
#define PAY	(SEQ + CHUNKS * SLOTS)
#define PLACES	(PAY + CHUNKS * SLOTS)

byte mem[PLACES];

/* Per CPU. */
byte top[2];				/* level of the context that runs */
#ifdef PINNED
bit in_claim[2], in_record[2];		/* the task owns a chunk that it does not use yet; it owns a slot */
#endif
byte cursor_claim[2], cursor_slot[2] = SLOTS;
byte held[2], held_before[2];		/* claims */
byte claims = CHUNKS - 1;
hidden byte used, seq;

/* Counters, and history for the checks. */
byte events, recorded[2], overwritten[2], lost, cleared, running;
byte next_floor, floor_claim;
bit closed[2];
byte previous[2];
bit writing[CHUNKS * SLOTS];
bit overtaken[6];
byte owner[CHUNKS];
bit two_writers, late, torn, disorder, lost_last, backward, leak, veiled, miscount;

#define MUST(flag, cond)	if :: !(cond) -> flag = 1 :: else fi; assert(!flag)

#include "memory.pml"

/* Options that leave out a barrier. */
#ifdef NO_FILL_B
#define publish(c, where, what)	store(c, where, what)
#else
#define publish(c, where, what)	release(c, where, what)
#endif
#ifdef NO_RELEASE_E
#define give_up(c, where, what)	store(c, where, what)
#else
#define give_up(c, where, what)	release(c, where, what)
#endif

/* ---- recording ---- */

#define CHUNK(claim)	((claim) % CHUNKS)
/* A closed cursor has claim 0, and a slot that it never had before. */
#define FULL(slot)	((slot) >= SLOTS)
#define SAME		(cursor_claim[c] == claim && cursor_slot[c] == slot)
/* Interrupts come at any time, unless PINNED. */
#ifdef PINNED
#define ENTER(what)	if :: level == 0 -> what[c] = 1 :: else fi
#define LEAVE(what)	if :: level == 0 -> what[c] = 0 :: else fi
#define IRQ_COMES	(c == 0 && in_claim[0] || c == 1 && in_record[1])
#else
#define ENTER(what)	skip
#define LEAVE(what)	skip
#define IRQ_COMES	true
#endif
#define MAY_BEGIN	(level == 0 && top[c] == 0 || top[c] < level && IRQ_COMES)
#define ON		(top[c] == level)

/* A CPU has just become the owner of chunk @k. */
inline judge_own()
{
	MUST(lost_last, (!cursor_claim[0] || CHUNK(cursor_claim[0]) != k) &&
			(!cursor_claim[1] || CHUNK(cursor_claim[1]) != k));
#ifdef KEEP
	MUST(lost_last, (!previous[0] || CHUNK(previous[0]) != k) &&
			(!previous[1] || CHUNK(previous[1]) != k))
#endif
}

inline judge_slot()
{
	MUST(two_writers, !writing[s]);
	writing[s] = 1;
	MUST(veiled, !closed[c] || claim >= next_floor);
#if NESTED
	MUST(disorder, !overtaken[c * 3 + level]);
	overtaken[c * 3] = 1;
	overtaken[c * 3 + 1] = 1;
	overtaken[c * 3 + 2] = 1;
#endif
	recorded[c]++
}

/* The CPU owns claim @n now: x = the claim to give up, or 0. */
inline keep_newest()
{
	if
	:: !old -> held[c] = n; x = 0
#if defined(KEEP) && !defined(WITH_RELEASE_AT_ONCE)
	:: old && !x -> held_before[c] = n
	:: else ->
		/* Release the oldest of old, x and n. */
		if
		:: n < old && n < x -> x = n
		:: old < n && old < x -> held[c] = n; x = old
		:: else -> held_before[c] = n
		fi
#else
	:: old && n < old -> x = n
	:: else -> held[c] = n; x = old
#endif
	fi
}

/* x: are all slots reserved under claim @old / 2 of chunk @k committed? */
inline all_committed()
{
	load(c, SETTLED + k, x);
	if
#ifdef WITH_SETTLED_FLAG
	:: x -> x = 1
#else
	:: x == old / 2 && x -> x = 1
#endif
	:: else ->
		load(c, USED + k, used);
		x = 1;
		s = 0;
		do
		:: s < used ->
			load(c, SEQ + k * SLOTS + s, seq);
			if
			:: seq != old / 2 -> x = 0
			:: else
			fi;
			s++
		:: else -> break
		od;
		s = 0
	fi
}

proctype Context(byte c, level, todo)
{
	byte below;		/* level that was interrupted */
	byte claim, slot;	/* the cursor as read */
	byte n, k, old, x, s, tries, passed;

end:	do
	:: todo == 0 -> break
	:: atomic {
			todo && MAY_BEGIN ->
			below = top[c];
			top[c] = level;
			todo--;
			events++
		}
take:
#ifdef WITH_CLOCK_FIRST
		atomic { ON -> overtaken[c * 3 + level] = 0 }
#endif
		atomic {
			ON ->
			d_step {
				n = 0; k = 0; old = 0; x = 0; s = 0; tries = 0; passed = 0;
				claim = cursor_claim[c];
				slot = cursor_slot[c]
			}
			if
			:: FULL(slot) -> goto look
			:: else
			fi
		}
#if NESTED && !defined(WITH_CLOCK_FIRST)
		/* clock */
		d_step { ON -> overtaken[c * 3 + level] = 0 }
#endif
		/* reserve */
		atomic {
			ON ->
#ifndef WITH_PLAIN_CURSOR
			if
			:: !SAME -> goto take
			:: else
			fi;
#endif
			d_step {
				s = CHUNK(claim) * SLOTS + slot;
				cursor_claim[c] = claim;
				cursor_slot[c] = slot + 1;
				judge_slot();
				ENTER(in_record)
			}
		}
		/* fill */
		d_step { ON -> store(c, PAY + s, claim) }
		/* commit */
		d_step { ON -> publish(c, SEQ + s, claim) }
		goto done;
look:
		atomic {
			ON ->
			x = 0; s = 0; old = 0; n = 0; k = 0;
			if
			:: !SAME -> goto take
			:: tries == TRIES || passed > CHUNKS -> lost++; goto done
			:: else
			fi
		}
		/* number */
		d_step {
			ON && EMPTY(c) ->
			claims++;
			n = claims;
			k = CHUNK(n)
		}
		/* state */
		atomic {
			ON ->
			d_step { load(c, STATE + k, old) }
			if
#ifndef NO_LAPPED
			:: old / 2 >= n -> goto look
			:: old / 2 < n && (old & 1) -> passed++; goto look
#else
			:: old & 1 -> passed++; goto look
#endif
			:: else
			fi
		}
#ifndef NO_LOOK
		/* quiet */
		atomic {
			ON ->
			d_step { all_committed() }
			if
			:: !x -> tries++; goto look
			:: else
			fi
		}
#endif
		/* own */
		atomic {
			ON && (EMPTY(c) || mem[STATE + k] != old) ->
			if
			:: mem[STATE + k] != old -> tries++; goto look
			:: else
			fi;
			d_step {
				mem[STATE + k] = n * 2 + 1;
				owner[k] = c + 1;
				judge_own();
				ENTER(in_claim);
				x = 0
			}
		}
		/* stale */
		atomic {
			ON ->
			if
			:: !SAME ->
				d_step { give_up(c, STATE + k, old); LEAVE(in_claim) }
				goto take
			:: else
			fi
		}
		/* settle */
		d_step {
			ON ->
			LEAVE(in_claim);
			load(c, USED + k, x);
			if
			:: old / 2 < floor_claim -> cleared = cleared + x
			:: else -> overwritten[c] = overwritten[c] + x
			fi;
			old = 0;
			x = 0;
#ifndef WITH_ALL_ALONE
			if
			:: level == 0 && claim ->
#else
			if
			:: claim ->
#endif
				store(c, SETTLED + CHUNK(claim), claim)
			:: else
			fi
		}
		/* begin */
		d_step {
			ON ->
			renew(c, SETTLED + k, 0);
			renew(c, USED + k, SLOTS);
			store(c, CLAIM + k, n);
#ifndef NO_CLAIM_C
			wmb(c)
#endif
		}
		/* install */
		atomic {
			ON ->
			if
			:: !SAME ->
				d_step {
#ifndef NO_UNUSED
					store(c, USED + k, 0);
#endif
#ifndef NO_GIVE_BACK
					give_up(c, STATE + k, n * 2);
#endif
					skip
				}
				goto take
			:: else
			fi;
			d_step {
				previous[c] = claim;
				cursor_claim[c] = n;
				cursor_slot[c] = 0;
				claim = 0; slot = 0; tries = 0; passed = 0; k = 0
			}
		}
hold:
		atomic {
			ON ->
			old = held[c];
			x = held_before[c]
		}
		atomic {
			ON ->
			if
			:: held[c] != old || held_before[c] != x -> goto hold
			:: else
			fi;
			d_step { keep_newest() }
		}
		/* release */
		atomic {
			ON ->
			d_step {
				if
				:: x -> give_up(c, STATE + CHUNK(x), x * 2)
				:: else
				fi
			}
			goto take
		}
done:
		atomic {
			ON ->
			d_step {
				top[c] = below;
				LEAVE(in_record);
				below = 0; claim = 0; slot = 0; n = 0; k = 0; old = 0; x = 0;
				s = 0; tries = 0; passed = 0
			}
		}
	od;
	running--
}

/* ---- reading ---- */

#ifdef READ
/* Chunk 0 is claimed first, and claimed again first. */
proctype Reader()
{
	byte s, claim, stored, again, pay;

	atomic {
		select (s : 0 .. SLOTS - 1);
		claim = mem[CLAIM]
	}
	if
	:: !claim -> goto out
	:: else
	fi;
#ifdef NO_READ_B
	pay = mem[PAY + s];
#endif
	stored = mem[SEQ + s];
	if
	:: stored != claim -> goto out
	:: else
	fi;
#ifdef NO_RECHECK_D
	again = mem[CLAIM];
#endif
#ifndef NO_READ_B
	pay = mem[PAY + s];
#endif
#ifndef NO_RECHECK_D
	again = mem[CLAIM];
#endif
#ifdef NO_RECHECK
	again = claim;
#endif
	d_step {
		MUST(torn, again != claim || pay == claim)
	}
out:
	running--
}
#endif

#ifdef CLEAR
proctype Clearer()
{
	byte c, k, x, n;

#ifdef WITH_ERASING
	do
	:: k < CHUNKS * SLOTS ->
		atomic { mem[PAY + k] = 0; mem[SEQ + k] = 0; k++ }
	:: else -> k = 0; break
	od;
#endif
#ifndef WITH_FLOOR_LATE
	next_floor = claims + 1;
#endif
	do
	:: c < 2 ->
		/* An IPI: not while an interrupt or an NMI runs. */
		atomic { top[c] == 0 -> top[c] = 1 }
		/* close */
		atomic {
			top[c] == 1 ->
			n = cursor_claim[c];
			x = cursor_slot[c];
#ifdef WITH_FULL_LEFT
			if
			:: !FULL(x) -> cursor_claim[c] = 0; cursor_slot[c] = SLOTS + 1
			:: else
			fi;
#else
			cursor_claim[c] = 0;
			cursor_slot[c] = SLOTS + 1;
#endif
			closed[c] = 1
		}
		/* used */
		d_step {
			top[c] == 1 ->
			if
			:: !FULL(x) ->
				/* It may be released, but nobody could claim it: it was busy. */
				MUST(late, mem[STATE + CHUNK(n)] / 2 == n);
				mem[USED + CHUNK(n)] = x
			:: else
			fi;
			top[c] = 0;
			n = 0;
			x = 0;
			c++
		}
	:: else -> break
	od;
#ifdef WITH_FLOOR_LATE
	next_floor = claims + 1;
#endif
	floor_claim = next_floor;
	running--
}
#endif

/* ---- the end ---- */

inline look_at_all()
{
	ch = 0; sl = 0; owned = 0; shown = 0;
	do
	:: ch < CHUNKS ->
		owned = owned + mem[STATE + ch] % 2;
		MUST(leak, mem[STATE + ch] % 2 || !mem[USED + ch] ||
			   mem[SEQ + ch * SLOTS + mem[USED + ch] - 1] == mem[STATE + ch] / 2);
		if
		:: mem[STATE + ch] / 2 < floor_claim -> cleared = cleared + mem[USED + ch]
		:: else
		fi;
		sl = 0;
		do
		:: sl < SLOTS ->
			MUST(backward, mem[SEQ + ch * SLOTS + sl] <= mem[CLAIM + ch]);
			if
			:: mem[CLAIM + ch] && mem[SEQ + ch * SLOTS + sl] == mem[CLAIM + ch] ->
				MUST(torn, mem[PAY + ch * SLOTS + sl] == mem[CLAIM + ch]);
				if
				:: mem[CLAIM + ch] >= floor_claim -> shown++
				:: else
				fi
			:: else
			fi;
			sl++
		:: else -> break
		od;
		ch++
	:: else -> break
	od
}

hidden byte ch, sl, owned, shown;

#define RUN(c, level, n)					\
	if							\
	:: n -> running++; run Context(c, level, n)		\
	:: else							\
	fi

#ifdef KEEP
#define MAY_OWN	2
#else
#define MAY_OWN	1
#endif

init {
	atomic {
#ifdef BEGUN
		/* CPU 0 has a full chunk already. */
		d_step {
			claims = CHUNKS;
			mem[STATE] = CHUNKS * 2 + 1;
			mem[USED] = SLOTS;
			mem[CLAIM] = CHUNKS;
			for (sl : 0 .. SLOTS - 1) {
				mem[SEQ + sl] = CHUNKS;
				mem[PAY + sl] = CHUNKS
			}
			owner[0] = 1;
			held[0] = CHUNKS;
			cursor_claim[0] = CHUNKS;
			recorded[0] = SLOTS;
			events = SLOTS
		}
#endif
		RUN(0, 0, TASK0);
		RUN(0, 1, IRQ0);
		RUN(0, 2, NMI0);
		RUN(1, 0, TASK1);
		RUN(1, 1, IRQ1);
#if MEM
		run Buffer(0);
#if BUFFERS > 1
		run Buffer(1);
#endif
#endif
#ifdef READ
		running++;
		run Reader();
#endif
#ifdef CLEAR
		running++;
		run Clearer();
#endif
	}
end:	d_step {
		running == 0 && EMPTY(0) && EMPTY(1) ->
		look_at_all();
		MUST(leak, owned <= MAY_OWN * ((held[0] > 0) + (held[1] > 0)));
		MUST(miscount, events == recorded[0] + recorded[1] + lost);
		MUST(miscount, recorded[0] + recorded[1] ==
			       shown + overwritten[0] + overwritten[1] + cleared)
	}
}
