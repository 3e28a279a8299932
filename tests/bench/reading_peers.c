// SPDX-License-Identifier: GPL-2.0
/*
 * Write the events of an image as a CTF trace for babeltrace2, and as a trace.dat for
 * trace-cmd.
 *
 *   reading_peers IMAGE DIR   make DIR/ctf and DIR/trace.dat; print how many events they have
 *
 * The CTF trace is like LTTng's: a stream for each CPU, an event class for each site, the thread
 * in the context, the six arguments as integers.  Only the event header is not LTTng's compact
 * one, but a plain one, which takes no longer to read.
 */

#include <stdlib.h>

#include "../../lib/read/walk.h"

#define MOST_CPUS	64
#define CTF_MAGIC	0xc1fc1fc1U

static const char head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 16; align = 16; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 32; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; base = 16; } := xint64_t;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	packet.header := struct { uint32_t magic; uint32_t stream_id; }; };\n"
	"env { domain = \"kernel\"; tracer_name = \"lttng-modules\"; hostname = \"bench\"; };\n"
	"clock { name = boot; freq = 1000000000; offset = 0; };\n"
	"typealias integer { size = 64; align = 64; signed = false; map = clock.boot.value; } :=\n"
	"	time_t;\n"
	"stream { id = 0;\n"
	"	packet.context := struct { time_t timestamp_begin; time_t timestamp_end;\n"
	"		uint64_t content_size; uint64_t packet_size; uint32_t cpu_id; };\n"
	"	event.header := struct { uint16_t id; time_t timestamp; };\n"
	"	event.context := struct { uint32_t _tid; }; };\n";

struct packet {
	u32 magic, stream_id;
	u64 begin, end, content_bits, packet_bits;
	u32 cpu;
};

/* Each member is aligned, and so is the structure of the arguments. */
struct event {
	u16 id;
	u64 time;
	u32 tid;
	u32 unused;
	u32 arg[4];
	u64 wide[2];
};

static struct stream {
	FILE *f;
	struct packet p;
} streams[MOST_CPUS];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f)
		die(path);
	return f;
}

static void load(struct jtrace_trace *t, const char *path)
{
	FILE *f = fopen(path, "rb");
	u64 size;
	void *img;

	if (!f || fseek(f, 0, SEEK_END))
		die(path);
	size = ftell(f);
	rewind(f);
	img = aligned_alloc(JTRACE_PAGE, size);
	if (!img || fread(img, size, 1, f) != 1)
		die(path);
	fclose(f);
	jtrace_recover_open(t, img, size);
	jtrace_recover_scan(t, calloc(1, jtrace_recover_room(t)));
}

static void put_packet(struct stream *s)
{
	rewind(s->f);
	if (fwrite(&s->p, sizeof(s->p), 1, s->f) != 1)
		die("stream");
}

static void put_event(struct stream *s, const struct jtrace_decoded *ev, u64 ns)
{
	struct event to = { .id = ev->site, .time = ns, .tid = ev->tid };

	memcpy(to.arg, ev->arg, sizeof(to.arg));
	memcpy(to.wide, ev->wide, sizeof(to.wide));
	if (!s->p.begin)
		s->p.begin = ns;
	s->p.end = ns;
	s->p.content_bits += 8 * sizeof(to);
	if (fwrite(&to, sizeof(to), 1, s->f) != 1)
		die("stream");
}

static struct stream *stream(const char *dir, u32 cpu)
{
	struct stream *s = &streams[cpu % MOST_CPUS];
	char name[32];

	if (s->f)
		return s;
	snprintf(name, sizeof(name), "ctf/channel0_%u", cpu);
	s->f = create(dir, name);
	s->p = (struct packet){ .magic = CTF_MAGIC, .content_bits = 8 * sizeof(s->p), .cpu = cpu };
	put_packet(s);
	return s;
}

static bool known[1 << 16];

static void put_class(FILE *meta, const struct jtrace_trace *t, u32 site)
{
	struct jtrace_site_text text;

	if (known[site])
		return;
	known[site] = true;
	if (!jtrace_site_read(&t->l, t->img, t->image_id, site, &text))
		die("a site is missing");
	fprintf(meta, "event { name = \"%s:%s\"; id = %u; stream_id = 0; fields := struct {\n"
		"	uint32_t _a; uint32_t _b; uint32_t _c; uint32_t _d; xint64_t _e; xint64_t _f; };\n"
		"};\n", text.func, text.tag, site);
}

static void write_ctf(const struct jtrace_trace *t, const char *dir)
{
	FILE *meta = create(dir, "ctf/metadata");
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u32 cpu;

	fputs(head, meta);
	jtrace_walk_each(&walk, t, ev) {
		if (ev->site >> 16)
			die("a site number does not fit");
		put_class(meta, t, ev->site);
		put_event(stream(dir, ev->cpu), ev, jtrace_recover_ns(t, ev->time));
	}
	for (cpu = 0; cpu < MOST_CPUS; cpu++) {
		if (!streams[cpu].f)
			continue;
		streams[cpu].p.packet_bits = streams[cpu].p.content_bits;
		put_packet(&streams[cpu]);
		if (fclose(streams[cpu].f))
			die("stream");
	}
	if (fclose(meta))
		die("metadata");
}

/* ---- trace.dat, version 6, as trace-cmd record writes it -------------- */

#define PAGE_DATA	(JTRACE_PAGE - 16)

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
	"\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

static const char event_format[] =
	"name: %s\nID: %u\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 b;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 c;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 d;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 e;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 f;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%s: %%08x %%08x %%08x %%08x %%016llx %%016llx\", %s\n";

static const char event_args[] = "REC->a, REC->b, REC->c, REC->d, REC->e, REC->f";

struct record {
	u32 header;
	u16 type;
	u8 flags, preempt;
	u32 pid;
	u32 arg[4];
	u32 wide[4];	/* a record begins on a multiple of 4 */
};

struct page {
	u64 time;
	u64 commit;
	u8 data[PAGE_DATA];
};

static void put(FILE *f, const void *from, size_t len)
{
	if (fwrite(from, len, 1, f) != 1)
		die("trace.dat");
}

static void put_u32(FILE *f, u32 value)
{
	put(f, &value, sizeof(value));
}

static void put_u64(FILE *f, u64 value)
{
	put(f, &value, sizeof(value));
}

static void put_sized(FILE *f, const char *text)
{
	put_u64(f, strlen(text));
	put(f, text, strlen(text));
}

static void put_formats(FILE *f, const struct jtrace_trace *t)
{
	struct jtrace_site_text site;
	char text[4096];
	u32 i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		nr += known[i];
	put_u32(f, 1);
	put(f, "sample", sizeof("sample"));
	put_u32(f, nr);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!known[i] || !jtrace_site_read(&t->l, t->img, t->image_id, i, &site))
			continue;
		snprintf(text, sizeof(text), event_format, site.func, i, site.tag,
			 event_args);
		put_sized(f, text);
	}
}

static void put_file_header(FILE *f, const struct jtrace_trace *t)
{
	put(f, "\x17\x08\x44tracing6\0\0\x08", 14);
	put_u32(f, JTRACE_PAGE);
	put(f, "header_page", sizeof("header_page"));
	put_sized(f, header_page);
	put(f, "header_event", sizeof("header_event"));
	put_sized(f, header_event);
	put_u32(f, 0);		/* events of ftrace itself */
	put_formats(f, t);
	put_u32(f, 0);		/* kallsyms */
	put_u32(f, 0);		/* formats of trace_printk() */
	put_u64(f, 0);		/* names of threads */
	put_u32(f, t->cpus);
	put(f, "options  \0\0", 12);
	put(f, "flyrecord", sizeof("flyrecord"));
}

static void put_pages(FILE *f, const struct jtrace_trace *t, u32 cpu)
{
	struct page page = { 0 };
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u64 last = 0;

	jtrace_walk_each(&walk, t, ev) {
		u64 ns = jtrace_recover_ns(t, ev->time);
		struct record r = { .header = sizeof(r) / 4 - 1 };

		if (ev->cpu != cpu)
			continue;
		if (page.commit + sizeof(r) > PAGE_DATA) {
			put(f, &page, sizeof(page));
			memset(&page, 0, sizeof(page));
		}
		if (!page.commit) {
			page.time = ns;
			last = ns;
		}
		r.header |= (ns - last) << 5;
		r.type = ev->site;
		r.pid = ev->tid;
		memcpy(r.arg, ev->arg, sizeof(r.arg));
		memcpy(r.wide, ev->wide, sizeof(r.wide));
		memcpy(page.data + page.commit, &r, sizeof(r));
		page.commit += sizeof(r);
		last = ns;
	}
	put(f, &page, sizeof(page));
}

/* Fill in the positions of each CPU's pages last. */
static void write_dat(const struct jtrace_trace *t, const char *dir)
{
	FILE *f = create(dir, "trace.dat");
	u64 at[MOST_CPUS + 1];
	long table;
	u32 cpu;

	put_file_header(f, t);
	table = ftell(f);
	at[0] = ALIGN(table + 16 * t->cpus, (u64)JTRACE_PAGE);
	for (cpu = 0; cpu < t->cpus; cpu++) {
		if (fseek(f, at[cpu], SEEK_SET))
			die("trace.dat");
		put_pages(f, t, cpu);
		at[cpu + 1] = ftell(f);
	}
	if (fseek(f, table, SEEK_SET))
		die("trace.dat");
	for (cpu = 0; cpu < t->cpus; cpu++) {
		put_u64(f, at[cpu]);
		put_u64(f, at[cpu + 1] - at[cpu]);
	}
	if (fclose(f))
		die("trace.dat");
}

int main(int argc, char **argv)
{
	struct jtrace_trace t;

	if (argc != 3) {
		fprintf(stderr, "usage: reading_peers IMAGE DIR\n");
		return 2;
	}
	load(&t, argv[1]);
	write_ctf(&t, argv[2]);
	write_dat(&t, argv[2]);
	printf("%llu\n", t.found);
	return 0;
}
