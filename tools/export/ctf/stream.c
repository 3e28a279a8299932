// SPDX-License-Identifier: GPL-2.0
/*
 * Streams of a CTF export: a file for each CPU, which consists of packets.
 *
 * A packet is built in memory, and then appended to its file: so a trace of thousands of CPUs
 * keeps no file open.  meta.c describes the layout.
 */

#include <stdlib.h>

#include "ctf.h"

#define CTF_MAGIC	0xc1fc1fc1U
#define HEAD_SIZE	44

/**
 * struct stream - the packet of a CPU that is being built
 * @data: its events
 * @len: bytes in @data
 * @room: bytes of memory at @data
 * @begin: time of the first event
 * @end: time of the last event
 * @events: how many
 */
struct stream {
	u8 *data;
	size_t len;
	size_t room;
	u64 begin;
	u64 end;
	u32 events;
};

static struct stream streams[CPU_NUMBERS];

/* Those from here on are empty. */
static u32 streams_end;

static u8 *put_u32(u8 *at, u32 value)
{
	__le32 le = cpu_to_le32(value);

	memcpy(at, &le, sizeof(le));
	return at + sizeof(le);
}

static u8 *put_u64(u8 *at, u64 value)
{
	__le64 le = cpu_to_le64(value);

	memcpy(at, &le, sizeof(le));
	return at + sizeof(le);
}

/* Packet header, then packet context. */
static size_t put_head(const struct stream *s, u32 cpu, u8 *head)
{
	u8 *at = put_u32(head, CTF_MAGIC);
	u64 bits;

	at = put_u32(at, 0);
	at = put_u64(at, s->begin);
	at = put_u64(at, s->end);
	bits = 8 * (at + 2 * sizeof(u64) + sizeof(u32) - head + (u64)s->len);
	at = put_u64(at, bits);
	at = put_u64(at, bits);
	return put_u32(at, cpu) - head;
}

static bool flush(const struct ctf_dir *d, u32 cpu)
{
	struct stream *s = &streams[cpu];
	char name[32];
	u8 head[HEAD_SIZE];
	size_t len;
	bool ok;

	if (!s->events)
		return true;
	len = put_head(s, cpu, head);
	scnprintf(name, sizeof(name), "cpu_%u", cpu);
	ok = ctf_dir_append(d, name, head, len, s->data, s->len);
	s->len = 0;
	s->events = 0;
	return ok;
}

/* Make room for @len more bytes. */
static bool grow(struct stream *s, size_t len)
{
	size_t room = s->room ?: 256;
	u8 *data;

	while (room < s->len + len)
		room *= 2;
	if (room == s->room)
		return true;
	data = realloc(s->data, room);
	if (!data)
		return fail("no memory for a packet of %zu bytes", room);
	s->data = data;
	s->room = room;
	return true;
}

/**
 * ctf_stream_put() - append an event to the stream of its CPU
 * @d: where to
 * @cpu: the CPU, less than CPU_NUMBERS
 * @ns: time of the event, not earlier than that of the CPU's last one
 * @event: its bytes
 * @len: how many
 *
 * Return: false, after a message, on an error.
 */
bool ctf_stream_put(const struct ctf_dir *d, u32 cpu, u64 ns, const u8 *event, size_t len)
{
	struct stream *s = &streams[cpu];

	streams_end = max(streams_end, cpu + 1);
	if (!grow(s, len))
		return false;
	if (!s->events)
		s->begin = ns;
	s->end = ns;
	memcpy(s->data + s->len, event, len);
	s->len += len;
	return ++s->events < CTF_PACKET_EVENTS || flush(d, cpu);
}

/**
 * ctf_stream_close() - write what is left, and free all streams
 * @d: where to
 * @ok: false: only free them
 *
 * Return: @ok; false, after a message, on an error.
 */
bool ctf_stream_close(const struct ctf_dir *d, bool ok)
{
	u32 cpu;

	for (cpu = 0; cpu < streams_end; cpu++) {
		ok = ok && flush(d, cpu);
		free(streams[cpu].data);
		streams[cpu] = (struct stream){ 0 };
	}
	streams_end = 0;
	return ok;
}
