/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for ring.pml: mem[], and the order in which stores reach it.
 *
 * MEM=0: stores are visible at once.  MEM=1: a CPU has a store buffer, which drains in order
 * (x86).  MEM=2: it drains in any order, except for stores to one address, write barriers, and
 * releases, which come after all earlier stores (arm64).  Successful atomics that return a
 * value wait until the buffer is empty; those on a CPU's own cursor do not.  A CPU's contexts
 * share its buffer.  Loads are in order, except those of a reader without its barrier.
 * BUFFERS: number of CPUs with a buffer; stores of other CPUs are visible at once.
 */

/*
 * A store of CPU @c becomes visible.  The last store of a slot's writer is the sequence, and
 * that of a chunk's owner the state: no other store of theirs may become visible later.
 */
inline seen(c, where)
{
	if
	:: where >= SEQ && where < PAY -> writing[(where) - SEQ] = 0
	:: where >= STATE && where < SETTLED -> owner[(where) - STATE] = 0
	:: where >= USED && where < SEQ -> MUST(late, owner[(where) - USED] == c + 1)
	:: where < STATE -> MUST(late, owner[where] == c + 1)
	:: else
	fi
}

#if MEM
#ifndef BUFFERS
#define BUFFERS	1
#endif
#define ENTRIES	12
#define FENCE	255
#define AFTER	128		/* added to an address: all earlier stores come first */

typedef buffer {
	byte n;
	byte at[ENTRIES];
	byte val[ENTRIES];
	short ready;		/* a bit for each store that may become visible */
};

buffer buf[BUFFERS];
hidden byte ia, ib;
hidden byte ok;

inline sort_out(c)
{
	buf[c].ready = 0;
	ia = 0;
	do
	:: ia < buf[c].n ->
		ok = buf[c].at[ia] != FENCE;
		ib = 0;
		do
		:: ib < ia ->
			if
			:: MEM == 1 || buf[c].at[ib] == FENCE || buf[c].at[ia] >= AFTER ||
			   buf[c].at[ib] % AFTER == buf[c].at[ia] % AFTER -> ok = 0
			:: else
			fi;
			ib++
		:: else -> break
		od;
		if
		:: ok -> buf[c].ready = buf[c].ready | (1 << ia)
		:: else
		fi;
		ia++
	:: else -> break
	od;
	ia = 0
}

inline put(c, where, what)
{
	if
	:: c < BUFFERS ->
		assert(buf[c].n < ENTRIES);
		buf[c].at[buf[c].n] = where;
		buf[c].val[buf[c].n] = what;
		buf[c].n++;
		sort_out(c)
	:: else ->
		mem[(where) % AFTER] = what;
		seen(c, ((where) % AFTER))
	fi
}

inline take_out(i)
{
	ia = i;
	do
	:: ia + 1 < buf[c].n ->
		buf[c].at[ia] = buf[c].at[ia + 1];
		buf[c].val[ia] = buf[c].val[ia + 1];
		ia++
	:: else -> break
	od;
	buf[c].n--;
	buf[c].at[buf[c].n] = 0;
	buf[c].val[buf[c].n] = 0
}

/* The store at @i becomes visible. */
inline drain(i)
{
	ib = buf[c].at[i] % AFTER;
	mem[ib] = buf[c].val[i];
	seen(c, ib);
	take_out(i);
	if
	:: buf[c].n && buf[c].at[0] == FENCE -> take_out(0)
	:: else
	fi;
	sort_out(c)
}

#define LEAVES(i)	d_step { buf[c].ready & (1 << i) -> drain(i) }

proctype Buffer(byte c)
{
end:	do
	:: LEAVES(0)
	:: LEAVES(1)
	:: LEAVES(2)
	:: LEAVES(3)
	:: LEAVES(4)
	:: LEAVES(5)
	:: LEAVES(6)
	:: LEAVES(7)
	:: LEAVES(8)
	:: LEAVES(9)
	:: LEAVES(10)
	:: LEAVES(11)
	od
}

/* Load for CPU @c: its own stores first. */
inline load(c, where, what)
{
	what = mem[where];
	ia = 0;
	do
	:: c < BUFFERS && ia < buf[c].n ->
		if
		:: buf[c].at[ia] != FENCE && buf[c].at[ia] % AFTER == (where) ->
			what = buf[c].val[ia]
		:: else
		fi;
		ia++
	:: else -> break
	od;
	ia = 0
}

#define EMPTY(c)		((c) >= BUFFERS || buf[c].n == 0)
#define store(c, where, what)	put(c, where, what)
#define release(c, where, what)	put(c, (where) + AFTER, what)
#define wmb(c)	if :: c < BUFFERS && buf[c].n -> put(c, FENCE, 0) :: else fi
#else
#define EMPTY(c)		true
#define store(c, where, what)	mem[where] = what; seen(c, (where))
#define release(c, where, what)	store(c, where, what)
#define load(c, where, what)	what = mem[where]
#define wmb(c)			skip
#endif

/* Skip a store that changes nothing for this CPU. */
inline renew(c, where, what)
{
	load(c, where, seq);
	if
	:: seq != what -> store(c, where, what)
	:: else
	fi
}

