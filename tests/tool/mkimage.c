// SPDX-License-Identifier: GPL-2.0
/*
 * Make an image by recording with lib/, like the kernel.  The same options give the same image
 * on every machine.
 *
 * Usage: mkimage [-k large|small] [-n EVENTS] [-c CHUNKS] [-s SHIFT] [-p CPUS]
 *		  [-l LAST] [-S SEED] [-r REAL] [-x STATE] [-i BOOT]
 *		  [-v VERSION] [-R RELEASE] [-W REASON] [-L BYTES] [-g FILE] [-e FILE]
 *		  [-B] [-C] [-N] [-P] [-q RECORDED] [-E CLEARED] [-b BUILD] [-T TEXT] [-t STAMP]
 *		  [-m NAME[@FROM[-UNTIL]],BUILD,MODULE,BASE+SIZE...]... [-a TID,FROM,COMM]...
 *		  [-I BITS] [-U] [-Y BYTES] [-K BYTES] > IMAGE
 *
 * -B: strings that are not ASCII, and some that are not UTF-8.  -C: as in reserved memory, with
 * check values.  -N: tags name the arguments.  -P: wide arguments that are addresses of a kernel,
 * but for some.  -L: an area for log records.  -g: what is in it, each line with the number of its
 * message and the prefix of the kernel: "7 <6>[    1.234567] text".  -e: events instead of made
 * ones, each a line "CPU KIND[:ARGS[:CONTEXT[:TID]]] A B C D E F FILE FUNCTION TAG", with numbers in
 * hex: the kind of the site, types of its arguments, if it tells them, context and thread of the
 * entry.  Call sites are in line 42.  -b: each byte of the kernel's build id.  -T: address of its
 * text.  -t: when the header was written, ns on the clocks of events.  -m: the record of a module:
 * when it was loaded and unloaded, its build id in hex or "-", the address of its struct module, and
 * its ranges.  -q, -E: events recorded and cleared, as the header counts them.  -a: the name of a
 * task from a time on.  These times are in ns on the clock of events.  -I: more incompat bits.
 * -Y: bytes before the second header that claim to be names.
 * -U: a compat bit and an area that no reader knows.  In the file of -e, "CPU void" is a claim that
 * a nested record makes void, "CPU lost" an event that the CPU loses, "CPU pause" a second.  -K: an
 * area for stacks, see mkstack.h for "CPU stack ADDRESS...".
 */

#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>

#include "../../lib/read/log.h"
#include "../../lib/image/module.h"
#include "../../lib/image/ring.h"
#include "../../lib/image/task.h"
#include "../kunit/random.h"
#include "mkstack.h"

#define NR_SITES	4
#define CPUS_MAX	16

static struct {
	u32 kind, events, chunks, shift, cpus, last, state, version, boot, build, log, lines;
	u32 modules, tasks, incompat, stacks;
	u64 seed, real, text, recorded, cleared, stamp, forged;
	const char *release, *reason, *log_file, *event_file;
	const char *module[256], *task[8];
	bool bytes, checked, named, pointers, newer;
} o = {
	.kind = JTRACE_KIND_LARGE,
	.events = 20,
	.chunks = 8,
	.shift = 9,
	.cpus = 2,
	.state = JTRACE_STATE_RUNNING,
	.version = JTRACE_IMAGE_VERSION,
	.seed = 1,
	.real = 1000,
	.release = "6.1.0-test",
};

static struct jtrace_layout l;
static struct jtrace_ring ring;
static struct jtrace_ring_cpu rc[CPUS_MAX];
static struct jtrace_sites sites;
static u32 site[NR_SITES];
static u64 id;
static u64 now = 5000000000;

static void *zalloc(size_t size)
{
	void *p = aligned_alloc(4096, ALIGN(size, 4096));

	if (!p) {
		perror("mkimage");
		exit(1);
	}
	return memset(p, 0, ALIGN(size, 4096));
}

/* The last one has two control characters. */
static const char * const tags[][NR_SITES] = {
	{ "one (a)", "two \\ \"quoted\"", "three", "four (a, b, c, d, e, f)" },
	{ "gr\303\274n", "\377\300\257bad", "\277\277cut \342\202",
	  "tab\there \360\237\230\200 \302\2331m\342\200\256" },
	{ "irq (status, pending, 0, 0, dev)", "rx (len:u32, minus:s16, dev:string)",
	  "three (f)", "four (a, b, c, d, e, f)" },
};

/* Types of the arguments of the last ones, if they tell them; the second one is an event. */
static const u32 named_args[NR_SITES] = {
	JTRACE_ARGS_TOLD | 0x97773, 0, 0, JTRACE_ARGS_TOLD | 0x943215,
};

/* The index of the tags. */
static u32 tags_used(void)
{
	return o.named ? 2 : o.bytes;
}

static void intern(void)
{
	u32 i;

	jtrace_sites_init(&sites, &l, ring.img, id,
			  zalloc(jtrace_sites_room(&l, 0)), 0, false);
	for (i = 0; i < NR_SITES; i++)
		site[i] = jtrace_site_intern(&sites, tags[tags_used()][i], "dir/file.c", "func",
					     i + 10, o.named && i == 1 ? JTRACE_SITE_EVENT :
					     JTRACE_SITE_CALL, o.named ? named_args[i] : 0);
}

/* Parse a build id in hex, or "-". */
static bool get_build_id(struct jtrace_module *m, const char *hex)
{
	u32 i;

	m->has_id = strcmp(hex, "-");
	for (i = 0; m->has_id && i < JTRACE_BUILD_ID_SIZE; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &m->build_id[i]) != 1)
			return false;
	return true;
}

/* Note the modules of the options. */
static bool note_modules(void)
{
	struct jtrace_module m;
	char build_id[64];
	const char *at;
	int n, head;
	u32 i, r;

	for (i = 0; i < o.modules; i++) {
		memset(&m, 0, sizeof(m));
		m.until = ~0ULL;
		if (sscanf(o.module[i], "%63[^,@]%n@%llu%n-%llu%n", m.name, &head, &m.from, &head,
			   &m.until, &head) < 1 ||
		    sscanf(o.module[i] + head, ",%63[^,],%llx%n", build_id, &m.module, &n) != 2 ||
		    !get_build_id(&m, build_id))
			return false;
		n += head;
		for (at = o.module[i] + n, r = 0; *at && r < JTRACE_MODULE_RANGES; at += n, r++)
			if (sscanf(at, ",%llx+%x%n", &m.base[r], &m.size[r], &n) != 2)
				return false;
		jtrace_module_note(&sites, &m, true);
		if (m.until != ~0ULL)
			jtrace_module_end(&sites, m.module, m.until);
	}
	return true;
}

static u64 no_entry(void)
{
	return 0;
}

/* Note the names of tasks of the options. */
static bool note_tasks(void)
{
	void *room = zalloc(jtrace_tasks_room(&l) + 8);
	struct jtrace_tasks t;
	bool ok = true;
	u32 i, tid;
	u64 from;
	int n;

	jtrace_tasks_init(&t, &l, ring.img, id, room, false);
	for (i = 0; ok && i < o.tasks; i++) {
		ok = sscanf(o.task[i], "%u,%llu,%n", &tid, &from, &n) == 2;
		if (ok)
			jtrace_task_add(&t, tid, from, o.task[i] + n, no_entry);
	}
	free(room);
	return ok;
}

static void header(void)
{
	struct jtrace_image_header h;

	jtrace_header_init(&h, &l, id);
	h.version = cpu_to_le16(o.version);
	h.incompat |= cpu_to_le32(o.incompat);
	if (o.newer) {
		h.compat |= cpu_to_le32(1U << 31);
		h.area[7].kind = cpu_to_le32(1000);
		h.area[7].off = cpu_to_le32(l.chunks_off);
		h.area[7].size = cpu_to_le32(l.size);
	}
	if (o.forged) {
		h.area[8].kind = cpu_to_le32(JTRACE_AREA_SYMBOLS);
		h.area[8].off = cpu_to_le32(l.size - sizeof(h) - o.forged);
		h.area[8].size = cpu_to_le32(o.forged);
	}
	h.state = o.state;
	h.machine = cpu_to_le16(62);
	h.nr_cpus = cpu_to_le32(o.cpus);
	h.last_cpus = cpu_to_le32(o.last);
	h.rate = cpu_to_le64(1ULL << 32);
	if (o.checked)
		h.compat |= cpu_to_le32(JTRACE_COMPAT_PERSISTENT);
	h.real = cpu_to_le64(o.real);
	h.counts.recorded = cpu_to_le64(o.recorded);
	h.counts.cleared = cpu_to_le64(o.cleared);
	h.stamp.ticks = cpu_to_le64(o.stamp);
	h.stamp.mono = cpu_to_le64(o.stamp);
	h.stamp.boot = cpu_to_le64(o.stamp);
	memset(h.boot_id, o.boot, sizeof(h.boot_id));
	memset(h.build_id, o.build, sizeof(h.build_id));
	h.text = cpu_to_le64(o.text);
	strncpy((char *)h.release, o.release, sizeof(h.release) - 1);
	if (o.reason)
		strncpy((char *)h.reason, o.reason, sizeof(h.reason) - 1);
	jtrace_header_write(ring.img, &h);
}

/* The contexts that the events have in turn. */
static u32 context(u32 n)
{
	static const u32 in[] = { 0, JTRACE_CTX_SOFTIRQ, 0x0100, 0x1000 };

	return in[n % ARRAY_SIZE(in)];
}

/* Addresses of x86 with four and five levels, and of arm64 with and without a tag. */
static u64 wide(u32 n, u64 r)
{
	static const u64 pointers[] = {
		0xffff8880123456c0, 0xffffffffa1b2c3d4, 0xff11abcdef987650, 0xf4ffbc0000123450,
		0x12ffbc0000123450,
		/* Not addresses: an error, a time, a number. */
		-22, 5000000000, 0x00007fffdeadbee0,
	};

	return o.pointers ? pointers[n % ARRAY_SIZE(pointers)] : random_hash(r);
}

/* Return the cursor of a free slot; 0 if there is none. */
static u64 reserve(u32 cpu)
{
	struct jtrace_ring_cpu *c = &rc[cpu];
	struct jtrace_moment m = { now, now, now };
	u64 cursor = c->cursor;

	c->cpu = cpu;
	if (jtrace_ring_full(&ring, cursor)) {
		if (!jtrace_ring_claim(&ring, c, cursor, &m, true))
			return 0;
		cursor = c->cursor;
	}
	if (!jtrace_ring_reserve(&ring, c, cursor))
		abort();
	return cursor;
}

static void record(u32 n)
{
	u64 r = random_hash(o.seed + n), cursor;
	/* With addresses, narrow arguments are no halves of others. */
	u64 narrow = o.pointers ? 0xfffff000fffffULL : ~0ULL;
	u32 cpu = r % o.cpus;

	cursor = reserve(cpu);
	now += 1000 + r % 100000;
	if (!cursor)
		return;
	if (o.kind == JTRACE_KIND_SMALL)
		jtrace_ring_fill_small(&ring, cursor, now, site[n % NR_SITES], cpu, n);
	else
		jtrace_ring_fill_large(&ring, cursor, now, site[n % NR_SITES], 100 + cpu,
				       cpu | context(n) << 16, (n | (u64)(u32)r << 32) & narrow,
				       random_hash(r) & narrow, wide(n, r + 1), wide(n / 8, r + 2));
}

/* A claim that writes its header, and that a nested record makes void before it is installed. */
static void claim_in_vain(u32 cpu)
{
	struct jtrace_ring_cpu c = rc[cpu];
	struct jtrace_moment m = { now, now, now };
	u32 index;

	c.cpu = cpu;
	c.held = 0;
	if (!jtrace_ring_claim(&ring, &c, c.cursor, &m, true))
		abort();
	index = ((u64)(u32)c.cursor * JTRACE_GRANULE - l.chunks_off) >> l.chunk_shift;
	ring.ctl[index].used = 0;
	ring.ctl[index].state &= ~1ULL;
}

/*
 * Do what a line asks for instead of an event: "CPU void", "lost", "pause" (1 s), "nap" (0.1 s) or
 * "blink" (20 us).
 */
static bool do_word(const char *line)
{
	char word[8];
	u32 cpu;

	if (sscanf(line, "%u %7s", &cpu, word) != 2 || cpu >= o.cpus)
		return false;
	if (!strcmp(word, "void"))
		claim_in_vain(cpu);
	else if (!strcmp(word, "lost"))
		atomic64_inc(&rc[cpu].lost[JTRACE_DROPPED_BUSY]);
	else if (!strcmp(word, "pause"))
		now += 1000000000;
	else if (!strcmp(word, "nap"))
		now += 100000000;
	else if (!strcmp(word, "blink"))
		now += 20000;
	else
		return false;
	return true;
}

/* Record the events of a file. */
static bool record_file(void)
{
	char file[64], func[64], line[512];
	FILE *f = fopen(o.event_file, "r");
	u32 cpu, kind, args, context, tid, nr;
	u64 v[6], cursor, stack = 0;
	char how[32];
	bool ok = f;
	int tag = 0;

	while (ok && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (strstr(line, " stack ")) {
			stack = store_stack(o.text, line);
			continue;
		}
		if (do_word(line))
			continue;
		ok = sscanf(line, "%u %31s %llx %llx %llx %llx %llx %llx %63s %63s %n", &cpu, how,
			    &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], file, func, &tag) == 10 &&
		     cpu < o.cpus;
		kind = 0;
		args = 0;
		context = 0;
		tid = 100 + cpu;
		if (sscanf(how, "%x:%x:%x:%x", &kind, &args, &context, &tid) > 1 && args)
			args |= JTRACE_ARGS_TOLD;
		cursor = ok ? reserve(cpu) : 0;
		ok = cursor;
		now += 1000;
		nr = ok ? jtrace_site_intern(&sites, line + tag, file, func, kind ? 0 : 42, kind,
					     args) : 0;
		if (ok && o.kind == JTRACE_KIND_SMALL)
			jtrace_ring_fill_small(&ring, cursor, now, nr, cpu, v[0]);
		else if (ok)
			jtrace_ring_fill_large(&ring, cursor, now, nr, tid,
					       cpu | context << 16 | stack << 32,
					       v[0] | v[1] << 32, v[2] | v[3] << 32, v[4], v[5]);
		stack = 0;
	}
	if (f)
		fclose(f);
	return ok;
}

/* Line @n of a made log: any bytes; some are longer than a record.  Return its length. */
static u32 log_text(u32 n, char *text)
{
	u64 r = random_hash(o.seed + 1000 + n);
	u32 len = r % 8 ? r % 40 : r % 400, i;

	for (i = 0; i < len; i++)
		text[i] = r >> 8 & 7 ? ' ' + random_hash(r + i) % 95 : random_hash(r + i);
	return len;
}

/* Line @n; @text: memory for it.  Every sixth message is missing. */
static struct jtrace_log_line log_line(u32 n, char *text)
{
	return (struct jtrace_log_line){
		.seq = 100 + n + n / 5,
		.time = n % 7 ? n * 1000000ULL : JTRACE_LOG_NO_TIME,
		.shift = 1000,
		.prio = n,
		.len = log_text(n, text),
		.text = text,
	};
}

/* Store the lines of a file. */
static bool log_read(struct jtrace_log *g)
{
	static char text[1 << 16];
	FILE *f = fopen(o.log_file, "r");
	/* The clock of the log lags a second behind that of the events. */
	struct jtrace_log_line line = { .shift = 1000000000 };
	char *at = text, *from;
	size_t n;
	u64 seq;

	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	while (at < text + n) {
		seq = strtoull(at, &from, 10);
		line.part = seq == line.seq ? line.part : 0;
		line.seq = seq;
		at = from + (*from == ' ');
		at += jtrace_log_parse(at, text + n - at, &line);
		line.part = jtrace_log_store(g, &line);
	}
	return true;
}

static bool log_fill(void)
{
	struct jtrace_log_line line;
	struct jtrace_log g;
	char text[400];
	u32 n;

	if (!o.log)
		return true;
	jtrace_log_init(&g, ring.img, id, l.log_off, l.log_size, false);
	for (n = 0; n < o.lines; n++) {
		line = log_line(n, text);
		jtrace_log_store(&g, &line);
	}
	return !o.log_file || log_read(&g);
}

static bool parse(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "k:n:c:s:p:l:S:r:x:i:v:R:W:BCNPL:g:e:b:T:t:m:a:q:E:I:UY:K:")) > 0) {
		switch (opt) {
		case 'k':
			o.kind = strcmp(optarg, "small") ? JTRACE_KIND_LARGE : JTRACE_KIND_SMALL;
			break;
		case 'n':
			o.events = atoi(optarg);
			break;
		case 'c':
			o.chunks = atoi(optarg);
			break;
		case 's':
			o.shift = atoi(optarg);
			break;
		case 'p':
			o.cpus = atoi(optarg);
			break;
		case 'l':
			o.last = atoi(optarg);
			break;
		case 'S':
			o.seed = strtoull(optarg, NULL, 0);
			break;
		case 'r':
			o.real = strtoull(optarg, NULL, 0);
			break;
		case 'x':
			o.state = atoi(optarg);
			break;
		case 'i':
			o.boot = atoi(optarg);
			break;
		case 'v':
			o.version = atoi(optarg);
			break;
		case 'R':
			o.release = optarg;
			break;
		case 'W':
			o.reason = optarg;
			break;
		case 'L':
			o.log = atoi(optarg);
			break;
		case 'q':
			o.recorded = strtoull(optarg, NULL, 0);
			break;
		case 'I':
			o.incompat = strtoul(optarg, NULL, 0);
			break;
		case 'U':
			o.newer = true;
			break;
		case 'Y':
			o.forged = strtoull(optarg, NULL, 0);
			break;
		case 'E':
			o.cleared = strtoull(optarg, NULL, 0);
			break;
		case 'g':
			o.log_file = optarg;
			break;
		case 'e':
			o.event_file = optarg;
			break;
		case 'b':
			o.build = strtoul(optarg, NULL, 16);
			break;
		case 'T':
			o.text = strtoull(optarg, NULL, 16);
			break;
		case 't':
			o.stamp = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			if (o.modules == ARRAY_SIZE(o.module))
				return false;
			o.module[o.modules++] = optarg;
			break;
		case 'a':
			if (o.tasks == ARRAY_SIZE(o.task))
				return false;
			o.task[o.tasks++] = optarg;
			break;
		case 'K':
			o.stacks = strtoul(optarg, NULL, 0);
			break;
		case 'B':
			o.bytes = true;
			break;
		case 'C':
			o.checked = true;
			break;
		case 'N':
			o.named = true;
			break;
		case 'P':
			o.pointers = true;
			break;
		default:
			return false;
		}
	}
	return o.cpus > 0 && o.cpus <= CPUS_MAX;
}

/* Bytes for sites: more than the events of a file need; a small table has no modules. */
static u32 sites_size(void)
{
	struct stat st = { 0 };

	if (o.event_file)
		stat(o.event_file, &st);
	return 400 + 4 * min(st.st_size, (off_t)16 << 20) + (o.modules ? 65536 : 0);
}

/* Make the image of the options in ring.img. */
static bool make(void)
{
	bool ok;
	u32 n;

	memset(&l, 0, sizeof(l));
	memset(rc, 0, sizeof(rc));
	now = 5000000000;
	if (!jtrace_layout_chunk(&l, o.shift, o.kind))
		return false;
	id = random_hash(o.seed) | 1;
	l.form |= o.checked ? JTRACE_FORM_CHECKED : 0;
	l.cpus = o.cpus;
	l.sites_off = sizeof(struct jtrace_image_header);
	l.chunks_off = ALIGN(l.sites_off + sites_size(), 1U << o.shift);
	l.sites_end = l.chunks_off;
	l.nr_chunks = o.chunks;
	if (o.log) {
		l.log_off = l.chunks_off + (o.chunks << o.shift);
		l.log_size = ALIGN(o.log, JTRACE_GRANULE);
	}
	l.tasks_off = l.chunks_off + (o.chunks << o.shift) + l.log_size;
	l.tasks_size = o.tasks ? 4 * JTRACE_TASK_SET : 0;
	l.stacks_off = l.tasks_off + l.tasks_size;
	l.stacks_size = ALIGN(o.stacks, JTRACE_GRANULE);
	l.size = ALIGN(l.stacks_off + l.stacks_size + (u64)l.sites_off, JTRACE_SIZE_ALIGN);
	jtrace_ring_init(&ring, &l, zalloc(l.size), id,
			 zalloc(o.chunks * sizeof(struct jtrace_chunk_ctl)),
			 JTRACE_RING_KEEP_PREVIOUS);
	stacks_begin(&l, ring.img, id, o.text);
	intern();
	header();
	for (n = 0; n < o.events && !o.event_file; n++)
		record(n);
	ok = note_modules() && note_tasks() && (!o.event_file || record_file()) && log_fill();
	stacks_end();
	return ok;
}

int main(int argc, char **argv)
{
	if (!parse(argc, argv) || !make()) {
		fprintf(stderr, "usage: mkimage OPTION... > IMAGE\n");
		return 2;
	}
	return fwrite(ring.img, l.size, 1, stdout) != 1;
}
