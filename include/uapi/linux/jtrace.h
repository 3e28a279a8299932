/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The jtrace image: the self-describing bytes of one trace buffer.
 *
 * An image is contiguous, starts on a page boundary and holds no pointer:
 *
 *   | header | sites | chunk 0 | chunk 1 | ... | chunk n-1 | log | tasks | stacks | header copy |
 *
 * All fields are little endian.  A "place" is an offset from the start of the image in granules of
 * 8 bytes; the number of a site or a stack is its place.  No chunk and no record of a site, a stack
 * or a line of the log crosses a 4 KiB page, and each carries the image id and its place.  So each
 * page of an image shows where it belongs, even if the pages around it are lost.
 *
 * A new feature that old readers may ignore gets a bit in compat, or an area of a new kind; one
 * that they would misread gets a bit in incompat.  Readers ignore compat bits and areas that they
 * do not know, and refuse images with an incompat bit or a version that they do not know.
 */
#ifndef _UAPI_LINUX_JTRACE_H
#define _UAPI_LINUX_JTRACE_H

#include <linux/types.h>

#define JTRACE_IMAGE_MAGIC	0x4547414d4952544aULL	/* "JTRIMAGE" */
#define JTRACE_CHUNK_MAGIC	0x4b43544aU		/* "JTCK" */
#define JTRACE_SITE_MAGIC	0x5453544aU		/* "JTST" */
#define JTRACE_LOG_MAGIC	0x474c544aU		/* "JTLG" */
#define JTRACE_STACK_MAGIC	0x4b53544aU		/* "JTSK" */
#define JTRACE_IMAGE_VERSION	2

#define JTRACE_GRANULE		8
#define JTRACE_PAGE		4096
#define JTRACE_MIN_CHUNK_SHIFT	7
#define JTRACE_MAX_CHUNK_SHIFT	12

/* Longest strings of a site, without a terminating NUL. */
#define JTRACE_TAG_MAX		128
#define JTRACE_FILE_MAX		64
#define JTRACE_FUNC_MAX		64

/* Bytes of the build id of a kernel or a module. */
#define JTRACE_BUILD_ID_SIZE	20

/**
 * struct jtrace_stamp - one moment on all clocks
 * @ticks: the clock that entries are stamped with, in its own unit
 * @mono: CLOCK_MONOTONIC, ns
 * @boot: CLOCK_BOOTTIME, ns
 *
 * All zero means that no stamp was taken.
 */
struct jtrace_stamp {
	__le64	ticks;
	__le64	mono;
	__le64	boot;
};

enum jtrace_kind {
	JTRACE_KIND_SMALL = 1,		/* struct jtrace_small_entry */
	JTRACE_KIND_LARGE = 2,		/* struct jtrace_large_entry */
};

enum jtrace_clock {
	JTRACE_CLOCK_TICKS = 1,		/* a counter, converted by the stamps */
	JTRACE_CLOCK_NS = 2,		/* nanoseconds as shown */
};

enum jtrace_state {
	JTRACE_STATE_RUNNING = 1,
	JTRACE_STATE_CLEAN = 2,		/* the machine was shut down cleanly */
	JTRACE_STATE_PANICKED = 3,	/* @reason holds the message */
	JTRACE_STATE_UNLOADED = 4,	/* the recorder was unloaded */
	JTRACE_STATE_KEPT = 5,		/* shut down cleanly, but shown all the same */
};

/* &jtrace_image_header.incompat: a reader that does not know one of these misreads the image. */
#define JTRACE_INCOMPAT_MONO	(1U << 0)	/* shown time is mono, not boot */
#define JTRACE_INCOMPAT_CHECKED	(1U << 1)	/* entries carry a check value */

/* &jtrace_image_header.compat: for information. */
#define JTRACE_COMPAT_PERSISTENT (1U << 0)	/* lives in reserved memory */
#define JTRACE_COMPAT_CACHED	(1U << 1)	/* in cached memory, written back by lines */

/*
 * &jtrace_chunk_header.form: for readers, if the headers are lost.  The other bits are 0; readers
 * without a header refuse a chunk with another bit.
 */
#define JTRACE_FORM_KIND	0x03	/* enum jtrace_kind */
#define JTRACE_FORM_TICKS	0x04	/* JTRACE_CLOCK_TICKS, else JTRACE_CLOCK_NS */
#define JTRACE_FORM_MONO	0x08	/* JTRACE_INCOMPAT_MONO */
#define JTRACE_FORM_CHECKED	0x10	/* JTRACE_INCOMPAT_CHECKED */

/**
 * struct jtrace_counts - all events up to a snapshot, by their fate
 * @recorded: all events: the sum of the others and of the entries in the snapshot
 * @overwritten: overwritten by later ones before the copy began
 * @cleared: hidden by writing to clear
 * @unfinished: never stored, because their task died meanwhile
 * @lost_in_snapshot: overwritten during the copy, before they were copied
 */
struct jtrace_counts {
	__le64	recorded;
	__le64	overwritten;
	__le64	cleared;
	__le64	unfinished;
	__le64	lost_in_snapshot;
};

enum jtrace_area_kind {
	JTRACE_AREA_NONE = 0,		/* not used */
	JTRACE_AREA_SITES = 1,		/* site records */
	JTRACE_AREA_CHUNKS = 2,		/* chunks, on a multiple of their size */
	JTRACE_AREA_LOG = 3,		/* log records */
	JTRACE_AREA_TASKS = 4,		/* task records */
	JTRACE_AREA_SYMBOLS = 5,	/* names that were stored with a saved image */
	JTRACE_AREA_STACKS = 6,		/* stack records */
};

/**
 * struct jtrace_area - a part of an image
 * @kind: enum jtrace_area_kind
 * @off: first byte, a multiple of 8
 * @size: bytes
 *
 * Areas do not overlap.  Of two areas of one kind the first counts.
 */
struct jtrace_area {
	__le32	kind;
	__le32	off;
	__le32	size;
};

#define JTRACE_AREAS		12

/**
 * struct jtrace_image_header - first and last 512 bytes of an image
 * @magic: JTRACE_IMAGE_MAGIC
 * @crc: CRC-32C (initial value ~0, not inverted at the end) of all that follows
 * @version: JTRACE_IMAGE_VERSION
 * @header_size: 512, also in later versions: so readers find the copy at the end
 * @incompat: JTRACE_INCOMPAT_*
 * @compat: JTRACE_COMPAT_*
 * @image_id: random, never 0; the same in every chunk and site
 * @image_size: bytes, both headers included
 * @chunk_shift: log2 of the chunk size in bytes, 7 to 12
 * @kind: enum jtrace_kind
 * @clock: enum jtrace_clock
 * @state: enum jtrace_state
 * @machine: of the kernel, as e_machine in an ELF header, 0 if not known
 * @reserved: 0; readers ignore it
 * @nr_cpus: possible CPUs of the machine that recorded
 * @last_cpus: CPUs whose last event is shown after the trace
 * @rate: nominal length of a tick in units of 2^-32 ns
 * @stamp: when this header was last written
 * @real: CLOCK_REALTIME of @stamp, ns
 * @floor: entries of chunks with a smaller claim number are cleared
 * @boot_id: the kernel's random boot id, 0 if not known
 * @build_id: of the kernel, 0 if not known
 * @reserved2: 0; readers ignore it
 * @text: address of the kernel's _stext, 0 if not known
 * @release: kernel release, NUL-padded
 * @reason: message of the panic, NUL-padded
 * @counts: of a snapshot; else 0
 * @area: where the parts of the image are
 * @spare: 0; readers ignore it
 *
 * The two copies are written one after the other, so one of them is always valid, even if the
 * machine dies in between.  The fields up to @image_id stay where they are in later versions.
 */
struct jtrace_image_header {
	__le64	magic;
	__le32	crc;
	__le16	version;
	__le16	header_size;
	__le32	incompat;
	__le32	compat;
	__le64	image_id;
	__le64	image_size;
	__u8	chunk_shift;
	__u8	kind;
	__u8	clock;
	__u8	state;
	__le16	machine;
	__le16	reserved;
	__le32	nr_cpus;
	__le32	last_cpus;
	__le64	rate;
	struct jtrace_stamp stamp;
	__le64	real;
	__le64	floor;
	__u8	boot_id[16];
	__u8	build_id[JTRACE_BUILD_ID_SIZE];
	__le32	reserved2;
	__le64	text;
	__u8	release[48];
	__u8	reason[104];
	struct jtrace_counts counts;
	struct jtrace_area area[JTRACE_AREAS];
	__u8	spare[24];
};

enum jtrace_site_kind {
	JTRACE_SITE_CALL = 0,		/* a call site */
	JTRACE_SITE_MODULE = 1,		/* a module, see struct jtrace_module_record */
	JTRACE_SITE_PROBE = 2,		/* a probe, made at run time */
	JTRACE_SITE_EVENT = 3,		/* an event of the kernel, made at run time */
	JTRACE_SITE_RETURN = 4,		/* a probe of a function's return, made at run time */
};

/**
 * enum jtrace_arg - type of an argument
 * @JTRACE_ARG_NONE: not written: the field is 0
 * @JTRACE_ARG_U8: unsigned, 1 byte wide; bool, too
 * @JTRACE_ARG_U16: unsigned, 2 bytes
 * @JTRACE_ARG_U32: unsigned, 4 bytes
 * @JTRACE_ARG_U64: unsigned, 8 bytes
 * @JTRACE_ARG_S8: signed, 1 byte
 * @JTRACE_ARG_S16: signed, 2 bytes
 * @JTRACE_ARG_S32: signed, 4 bytes
 * @JTRACE_ARG_S64: signed, 8 bytes
 * @JTRACE_ARG_POINTER: an address, 8 bytes
 *
 * An enum has the type that the compiler chose.  If the compiler does not tell the type of a
 * bit-field, the type is the one it is promoted to.
 */
enum jtrace_arg {
	JTRACE_ARG_NONE = 0,
	JTRACE_ARG_U8 = 1,
	JTRACE_ARG_U16 = 2,
	JTRACE_ARG_U32 = 3,
	JTRACE_ARG_U64 = 4,
	JTRACE_ARG_S8 = 5,
	JTRACE_ARG_S16 = 6,
	JTRACE_ARG_S32 = 7,
	JTRACE_ARG_S64 = 8,
	JTRACE_ARG_POINTER = 9,
};

/*
 * &jtrace_site_record.args: enum jtrace_arg of each argument, JTRACE_ARG_BITS bits each,
 * argument 1 in the lowest bits, and JTRACE_ARGS_TOLD.  Without JTRACE_ARGS_TOLD the types are not
 * known, and all these bits are 0.  An argument of 8 bytes lies in a 64-bit field, or in the 32-bit
 * fields of arguments 1 and 2, or 3 and 4: the second of these is JTRACE_ARG_NONE then.  Readers
 * treat the types as not known in all other cases.
 */
#define JTRACE_ARGS		6
#define JTRACE_ARG_BITS		4
#define JTRACE_ARG_MASK		((1U << JTRACE_ARG_BITS) - 1)
#define JTRACE_ARGS_TOLD	(1U << 31)

/*
 * &jtrace_site_record.args: hits of this event or probe may be passed over, because it has
 * conditions or clauses.  So between two of its entries may be others that the trace lacks.
 */
#define JTRACE_ARGS_PARTIAL	(1U << 30)

/**
 * struct jtrace_site_record - one site that fired, or one module
 * @magic: JTRACE_SITE_MAGIC
 * @crc: CRC-32C as in the header, of all that follows up to the last string
 * @image_id: of the image
 * @number: place of this record, by which entries name it
 * @line: in the source file
 * @tag_len: bytes
 * @file_len: bytes
 * @func_len: bytes
 * @kind: enum jtrace_site_kind
 * @args: types of the arguments, see above
 * @text: tag, file (basename) and function, without NUL, one after the other; of
 *	a module its name, the build id of its file, if it has one, and a
 *	struct jtrace_module_record
 *
 * Records start on a granule; the bytes between two records have no meaning.  A record is written
 * once and never changes, but that of a module that was unloaded may make room for another one.
 * Behind the record of a module, from the next granule on, is a struct jtrace_module_end.
 */
struct jtrace_site_record {
	__le32	magic;
	__le32	crc;
	__le64	image_id;
	__le32	number;
	__le32	line;
	__u8	tag_len;
	__u8	file_len;
	__u8	func_len;
	__u8	kind;
	__le32	args;
	__u8	text[];
};

/* The sections of a module lie in ranges, by what may be done with them after its init. */
enum jtrace_module_range {
	JTRACE_MODULE_TEXT = 0,
	JTRACE_MODULE_DATA = 1,
	JTRACE_MODULE_RODATA = 2,
	JTRACE_MODULE_RO_AFTER_INIT = 3,
	JTRACE_MODULE_RANGES = 4,
};

/**
 * struct jtrace_module_record - a module that was loaded
 * @module: address of its struct module
 * @from: when, on the clock that entries are stamped with; 0: before jtrace
 * @base: of each range
 * @size: of each range, bytes; 0 if there is none
 */
struct jtrace_module_record {
	__le64 module;
	__le64 from;
	__le64 base[JTRACE_MODULE_RANGES];
	__le32 size[JTRACE_MODULE_RANGES];
};

/**
 * struct jtrace_module_end - until when a module was loaded
 * @until: the moment, on the clock of @from; all ones as long as it is loaded
 * @check: CRC-32C of @until, begun with the CRC of the module's record
 * @reserved: 0; readers ignore it
 *
 * Written with the record, and once more when the module is unloaded.  If it is damaged, the record
 * does not count.
 */
struct jtrace_module_end {
	__le64 until;
	__le32 check;
	__le32 reserved;
};

#define JTRACE_COMM_SIZE	16

/* Task records in a set; see struct jtrace_task_record. */
#define JTRACE_TASK_WAYS	4

/**
 * struct jtrace_task_record - a task has this name from a moment on
 * @tid: of the task; 0 in a record that was never used
 * @check: over all else, the place of the record and the image id
 * @from: the moment, on the clock that entries are stamped with
 * @comm: name, NUL-padded
 *
 * The area has sets of %JTRACE_TASK_WAYS records.  Those of a task are in set @tid modulo the
 * number of sets.  A new name, and a new task with the same tid, add a record.  At a time, the name
 * is that of the record with the largest @from that is not later.  If a record of a set is damaged,
 * none of its others counts: it may have been the one.
 */
struct jtrace_task_record {
	__le32 tid;
	__le32 check;
	__le64 from;
	__u8 comm[JTRACE_COMM_SIZE];
};

/**
 * struct jtrace_symbols - what the area of symbols begins with
 * @crc: CRC-32C as in the header, of all that follows in the area
 * @nr: number of records
 * @image_id: of the image
 *
 * The module makes no such area.  jtrace(1) adds it behind the other areas of an image that it
 * saves, and so moves the second header.
 */
struct jtrace_symbols {
	__le32 crc;
	__le32 nr;
	__le64 image_id;
};

/* Longest name, with offset and module. */
#define JTRACE_SYMBOL_MAX	639

enum jtrace_symbol_kind {
	JTRACE_SYMBOL_ADDRESS = 0,	/* @value is an address in the boot that recorded */
	JTRACE_SYMBOL_GFP = 1,		/* number of a bit in flags of allocations */
	JTRACE_SYMBOL_DROP = 2,		/* reason for which a packet was dropped */
	JTRACE_SYMBOL_RETURN = 3,	/* @value is a return address in a stack */
	JTRACE_SYMBOL_EXACT = 4,	/* @value is another address in a stack */
};

/**
 * struct jtrace_symbol_record - a name
 * @value: what has the name
 * @kind: enum jtrace_symbol_kind
 * @len: bytes of @text, 1 to JTRACE_SYMBOL_MAX
 * @text: the name, without NUL; of an address with offset and "[MODULE]"
 *
 * Records begin on multiples of 8 bytes, are sorted by kind and value, and no two have both.
 */
struct jtrace_symbol_record {
	__le64 value;
	__le16 kind;
	__le16 len;
	__u8 text[];
};

/* Longest text of a log record. */
#define JTRACE_LOG_TEXT_MAX	255

/* &jtrace_log_record.part */
#define JTRACE_LOG_PART		0x3fff	/* number in the message, from 0 */
#define JTRACE_LOG_CONT		0x4000	/* continues the line of the part before */
#define JTRACE_LOG_MORE		0x8000	/* the line continues in the next part */

/* &jtrace_log_record.time: the kernel does not stamp its messages. */
#define JTRACE_LOG_NO_TIME	(~0ULL)

/**
 * struct jtrace_log_record - a line of the kernel log, or a part of a long line
 * @magic: JTRACE_LOG_MAGIC
 * @crc: CRC-32C as in the header, of all that follows up to the end of the text
 * @image_id: of the image
 * @seq: number of the message in the kernel log
 * @time: of the message on the clock of the kernel log, ns, or JTRACE_LOG_NO_TIME
 * @shift: what that clock lags behind CLOCK_BOOTTIME, ns; may wrap
 * @place: of this record
 * @part: number in the message, JTRACE_LOG_CONT, JTRACE_LOG_MORE
 * @len: bytes of @text
 * @prio: facility and level, as syslog(2) encodes them; a facility above 31 is 31
 * @text: without NUL and newline
 *
 * A message of the kernel has one or more lines.  A record is written once and never changes,
 * but newer records overwrite it.  Records start on a granule and lie in any order; two may
 * hold the same part.
 */
struct jtrace_log_record {
	__le32	magic;
	__le32	crc;
	__le64	image_id;
	__le64	seq;
	__le64	time;
	__le64	shift;
	__le32	place;
	__le16	part;
	__u8	len;
	__u8	prio;
	__u8	text[];
};

/* Most frames of a stack, and how many it has if no other number is asked for. */
#define JTRACE_STACK_MAX	32
#define JTRACE_STACK_DEFAULT	16

/* &jtrace_stack_record.flags */
#define JTRACE_STACK_CUT	0x1	/* it goes on: so many frames were asked for */
#define JTRACE_STACK_BROKEN	0x2	/* it could not be followed to its end */

/* A frame whose address is too far from &jtrace_image_header.text. */
#define JTRACE_FRAME_FAR	0x80000000U

/**
 * struct jtrace_stack_record - a stack: which functions had called the place of an event
 * @magic: JTRACE_STACK_MAGIC
 * @crc: CRC-32C as in the header, of all that follows up to the last frame
 * @image_id: of the image
 * @number: place of this record, by which entries name it
 * @exact: a bit for each frame, the lowest one for the first: it is not a return address, but the
 *	instruction that an interrupt or an exception stopped; 0 on arm64, where nothing tells
 * @nr: number of frames, at most JTRACE_STACK_MAX
 * @flags: JTRACE_STACK_*
 * @reserved: 0; readers ignore it
 * @frame: address minus &jtrace_image_header.text, signed, or JTRACE_FRAME_FAR; the innermost first
 *
 * A record is written once and never changes.  Each distinct stack has one; of two that begin at
 * the same moment, both may be stored.
 */
struct jtrace_stack_record {
	__le32	magic;
	__le32	crc;
	__le64	image_id;
	__le32	number;
	__le32	exact;
	__u8	nr;
	__u8	flags;
	__u8	reserved[6];
	__le32	frame[];
};

/**
 * struct jtrace_chunk_header - the first 64 bytes of a chunk
 * @magic: JTRACE_CHUNK_MAGIC
 * @check: over the other fields, see below
 * @image_id: of the image
 * @claim: number of the claim, from one counter for all CPUs, never reused;
 *	its low half is the sequence of each entry written under it
 * @place: of this chunk
 * @previous: low half of the claim of the chunk that this CPU used before, 0 for none
 * @cpu: the only CPU that writes to the chunk
 * @chunk_shift: as in the image header
 * @form: JTRACE_FORM_*
 * @lost: events that this CPU lost between the two claims; 65535: at least so many
 * @cpus: as nr_cpus in the image header, 0 if not known
 * @stamp: taken at the claim
 *
 * The last entry ends with the chunk; a remainder that holds no entry lies between header and first
 * entry.
 *
 * A CPU's chunks form a chain by @previous.  A claim that a nested record or a close made void
 * leaves a header without entries, which no later @previous names.
 */
struct jtrace_chunk_header {
	__le32	magic;
	__le32	check;
	__le64	image_id;
	__le64	claim;
	__le32	place;
	__le32	previous;
	__le16	cpu;
	__u8	chunk_shift;
	__u8	form;
	__le16	lost;
	__le16	cpus;
	struct jtrace_stamp stamp;
};

/*
 * Check value of an entry (JTRACE_INCOMPAT_CHECKED), the low half of
 *
 *	s = mix(0, seq << 32 | place, stack << 32 | context << 16 | cpu)
 *	s = mix(mix(mix(s, arg12, arg34), wide[0], wide[1]), time, tid << 32 | site)
 *
 * for a large one, and for a small one, with the number of the chunk's CPU,
 *
 *	s = mix(0, seq << 32 | place, 0)
 *	s = mix(s, time, arg << 32 | site) + (cpu << 16 | cpu)
 *
 * where place is the entry's own, and mix(s, a, b) the two halves, one xored to
 * the other, of the 128-bit product (s ^ a) * (b ^ key), with image_id * 0x61c8864680b583eb
 * as the key.  So an entry is valid only at its place, in its image and under its claim.
 *
 * Check value of a chunk header: the same with 0xd6e8feb86659fd93 as the key,
 *
 *	s = mix(magic, image_id, claim)
 *	s = mix(s, previous << 32 | place,
 *		cpus << 48 | lost << 32 | form << 24 | chunk_shift << 16 | cpu)
 *	s = mix(mix(s, stamp.ticks, stamp.mono), stamp.boot, 0)
 */

/* &jtrace_large_entry.context: the context that recorded the event. */
#define JTRACE_CTX_SOFTIRQ	0x0001	/* in a softirq; bits 1-7: BH-disable depth */
#define JTRACE_CTX_HARDIRQ	0x0f00	/* depth */
#define JTRACE_CTX_NMI		0xf000	/* depth */

/**
 * struct jtrace_large_entry - one event, one cache line
 * @time: in the unit of the image's clock
 * @site: number of the site
 * @tid: thread that ran
 * @arg: arguments 1 to 4
 * @wide: arguments 5 and 6
 * @cpu: CPU that ran
 * @context: JTRACE_CTX_*
 * @stack: number of the stack, 0 without one
 * @check: with JTRACE_INCOMPAT_CHECKED
 * @seq: low half of the chunk's claim number; stored last, so an entry with
 *	the right one is whole
 */
struct jtrace_large_entry {
	__le64	time;
	__le32	site;
	__le32	tid;
	__le32	arg[4];
	__le64	wide[2];
	__le16	cpu;
	__le16	context;
	__le32	stack;
	__le32	check;
	__le32	seq;
};

/**
 * struct jtrace_small_entry - one event with one argument
 * @time: as in the large entry
 * @site: as in the large entry
 * @arg: argument 1
 * @check: as in the large entry
 * @seq: as in the large entry
 */
struct jtrace_small_entry {
	__le64	time;
	__le32	site;
	__le32	arg;
	__le32	check;
	__le32	seq;
};

#endif /* _UAPI_LINUX_JTRACE_H */
