// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace(1) on any file: it shows a valid text and valid JSON, or one line that says why not.  For
 * a file that is an image, it shows the same as the module.  An export has all events, and always
 * the same bytes.
 *
 * The command is compiled into this file, and prints to memory.
 */

#include "../tool/command.h"

#include <errno.h>
#include <unistd.h>
#include <sys/mman.h>

#include "fuzz.h"

/* Bytes of output for each byte of a file, and those for the other lines. */
#define SHOWN_MOST(len)	(16384 + 1200 * (u64)(len))

/* The same for an export; a page has scripts of 50 KiB, a trace.dat a place for each CPU. */
#define EXPORT_MOST(len)	(65536 + 16 * 65536 + 4096 + SHOWN_MOST(len))

static int file;
static char path[32];

/**
 * struct said - output of the command
 * @text: the output
 * @len: bytes
 */
struct said {
	char *text;
	size_t len;
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	setenv("JTRACE_ROOT", "/dev/null", 1);
	unsetenv("XDG_RUNTIME_DIR");
	program_invocation_short_name = (char *)"jtrace";
	file = memfd_create("fuzz", 0);
	must(file >= 0, "memfd");
	scnprintf(path, sizeof(path), "/dev/fd/%d", file);
	return 0;
}

/* All messages are lines of text that begin with the name of the command. */
static void judge_messages(const struct said *err)
{
	const char *line, *p;

	for (line = err->text; *line; line = p + 1) {
		must(!strncmp(line, "jtrace: ", 8), "%s", line);
		for (p = line; *p != '\n'; p++)
			must(*p >= 0x20 && *p < 0x7f, "byte 0x%02x of %s", (u8)*p, line);
	}
}

/* Only an export says nothing. */
static bool show_file(struct options *o, struct said *out)
{
	FILE *real_out = stdout, *real_err = stderr;
	struct said err;
	bool ok;

	stdout = open_memstream(&out->text, &out->len);
	stderr = open_memstream(&err.text, &err.len);
	must(stdout && stderr, "no memory");
	ok = show_sources(o);
	fclose(stdout);
	fclose(stderr);
	stdout = real_out;
	stderr = real_err;
	judge_messages(&err);
	must(ok ? !out->len == !!o->target : err.len, "nothing said, or by an export");
	must(ok || !out->len, "shown, and failed: %s", err.text);
	free(err.text);
	return ok;
}

/* The module's text of an image. */
static void module_text(const u8 *data, size_t len, u32 tell, struct said *out)
{
	FILE *f = open_memstream(&out->text, &out->len);
	static struct jtrace_text lines;
	char line[JTRACE_LINE_MAX];
	struct jtrace_trace t;
	void *img, *room;

	must(f && !posix_memalign(&img, 64, len), "no memory");
	memcpy(img, data, len);
	jtrace_recover_open(&t, img, len);
	t.tell = tell;
	jtrace_log_count(&t);
	must(!posix_memalign(&room, 64, jtrace_recover_room(&t)), "no memory");
	jtrace_recover_scan(&t, room);
	jtrace_text_open(&lines, &t, t.heap);
	while (jtrace_text_next(&lines, line, sizeof(line)) >= 0)
		fprintf(f, "%s\n", line);
	fclose(f);
	free(room);
	free(img);
}

/*
 * If the file begins with an image, the module shows the same.  Without a first header, the
 * module searches the whole region for another one.
 */
static void same_as_module(const struct options *o, const u8 *data, size_t len,
			   const struct said *out)
{
	struct images list = { 0 };
	struct dump d = { 0 };
	struct parts f = { 0 };
	const struct image *im;
	struct said text;
	struct source s;

	must(source_open(&s, path) && kdump_open(&s) && scan(&s, &f) && images_list(&s, &f, &list),
	     "again");
	im = images_find_newest(&list);
	if (list.nr == 1 && im->raw && !im->base && im->head && !im->head->pos) {
		must(dump_load(&s, im, &d) && dump_open(&d), "again");
		if (d.len <= len && !memcmp(d.img, data, d.len)) {
			module_text(data, len, choose_tell(o, &d.t), &text);
			must(text.len == out->len && !memcmp(text.text, out->text, text.len),
			     "the module shows: %s\nthe command: %s", text.text, out->text);
			free(text.text);
		}
		dump_free(&d);
	}
	free(list.image);
	parts_free(&f);
	source_close(&s);
}

/* A line by names: a task's name behind the tid, and another text for arguments, place and tag. */
static void judge_named_line(const char *numbers, const char *names, size_t len)
{
	const char *args = strstr(numbers, "] : "), *time, *end, *name, *behind;
	bool large;
	size_t same;

	must(args, "%.200s: not an entry", names);
	same = args - numbers;
	large = memmem(numbers, same, " tid ", 5);
	args += 4;
	time = args + (large ? 4 * 9 + 2 * 17 - 1 : 8);
	end = strstr(time, " uSec) : ");
	must(end && len > same && !memcmp(numbers, names, same), "%.200s\nby names: %.200s",
	     numbers, names);
	name = names + same;
	behind = memmem(name, len - same, "] : ", 4);
	must(behind && (behind == name || (large && *name == ' ')) &&
	     memmem(behind, names + len - behind, time, end + 9 - time),
	     "%.200s\nby names: %.200s", numbers, names);
}

/* By names, all lines but those of entries are the same, and nothing acts on a terminal. */
static void judge_names(const struct said *numbers, const struct said *names)
{
	const char *line = numbers->text, *other = names->text;
	size_t len, i;

	for (i = 0; i < names->len; i++)
		must((other[i] >= 0x20 && other[i] < 0x7f) || other[i] == '\n',
		     "byte %zu: 0x%02x", i, (u8)other[i]);
	for (; *line; line += strcspn(line, "\n") + 1, other += len + 1) {
		len = strcspn(other, "\n");
		if (len != strcspn(line, "\n") || memcmp(line, other, len))
			judge_named_line(line, other, len);
	}
	must(!*other, "more lines: %.200s", other);
}

/* A hit of a probe, as text or JSON. */
static void show_hit(struct options *o, u32 chance)
{
	struct said out;

	o->frame = (struct frame_choice){
		.chosen = true,
		.next = chance & 1,
		.hit = chance >> 1 & 3,
	};
	o->format = &formats[chance >> 3 & 1];
	if (show_file(o, &out) && o->format != formats)
		json_check(out.text, out.len);
	free(out.text);
}

/* Readers of exports, which return the number of events. */
static const struct {
	const char *option;
	u64 (*check)(struct exported *t);
} readers[] = {
	{ "--ctf", ctf_check },
	{ "--html", page_check },
};

/* The build with 32 bits has no protobuf-c. */
static bool is_built(const char *option)
{
#ifdef JTRACE_PROTOBUF_C
	return option;
#else
	return strcmp(option, "--perfetto");
#endif
}

static void export_once(struct options *o, struct exported *t)
{
	struct said out;

	must(show_file(o, &out), "%s", o->format->option);
	free(out.text);
	target_take(t);
}

/* All exports, of that many events. */
static void export_file(struct options *o, u64 events, size_t len)
{
	struct exported one, other;
	size_t i, k;

	o->target = target_path();
	for (i = 0; i < nr_formats; i++) {
		o->format = &formats[i];
		if (!o->format->export || !is_built(o->format->option))
			continue;
		export_once(o, &one);
		export_once(o, &other);
		must(target_same(&one, &other), "%s: other bytes", o->format->option);
		must(target_bytes(&one) <= EXPORT_MOST(len), "%s: %zu", o->format->option, len);
		for (k = 0; k < ARRAY_SIZE(readers); k++)
			if (!strcmp(readers[k].option, o->format->option))
				must(readers[k].check(&one) == events, "%s: not %llu events",
				     o->format->option, events);
		target_free(&one);
		target_free(&other);
	}
	o->target = NULL;
	o->format = formats;
}

/* A part of the trace: all outputs have the same number of events. */
static void show_part(struct options *o, u32 chance, u64 all, size_t len)
{
	static const char * const time[] = { "0", "5.0001", "-1ms", "-1s", "-3us" };
	static const char * const regex[] = { "a", "^[^(]*$", "[0-9]", "." };
	struct text_facts facts;
	struct said out, json;

	if (chance & 1)
		must(select_parse(&o->select, 'C', "0-1"), "--cpu");
	if (chance & 2)
		must(select_parse(&o->select, 'S', time[chance >> 8 & 3]), "--since");
	if (chance & 4)
		must(select_parse(&o->select, 'U', time[1 + (chance >> 10 & 3)]), "--until");
	if (chance & 8)
		must(select_parse(&o->select, 'g', regex[chance >> 12 & 3]), "--grep");
	if (chance & 16)
		must(select_parse(&o->select, 'n', "3"), "--last");
	must(show_file(o, &out), "a part");
	facts = text_check(out.text, out.len);
	must(facts.entries <= all && (facts.entries <= 3 || !(chance & 16)), "more");
	o->format = &formats[1];
	must(show_file(o, &json), "JSON of a part");
	must(json_check(json.text, json.len) == facts.entries, "events of a part");
	export_file(o, facts.entries, len);
	free(out.text);
	free(json.text);
	select_free(&o->select);
	memset(&o->select, 0, sizeof(o->select));
	o->format = formats;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t len = min_t(size_t, size, MOST_INPUT);
	u32 chance = jtrace_crc32c(0, data, len);
	struct options o = { .file = path, .format = formats };
	struct said out, names, json;

	must(!ftruncate(file, 0) && pwrite(file, data, len, 0) == (ssize_t)len, "file");
	if (chance % 8 == 0) {
		o.at_set = true;
		o.at = (chance >> 8) % (len + 1) & ~7U;
	}
	if (show_file(&o, &out)) {
		struct text_facts facts = text_check(out.text, out.len);

		must(out.len <= SHOWN_MOST(len), "%zu bytes of %zu", out.len, len);
		switch ((chance >> 16) % 6) {
		case 0:
			o.decode = true;
			must(show_file(&o, &names), "by names");
			judge_names(&out, &names);
			free(names.text);
			break;
		case 1:
			o.format = &formats[1];
			o.decode = chance >> 8 & 1;
			must(show_file(&o, &json), "JSON");
			must(json_check(json.text, json.len) == facts.entries, "events");
			free(json.text);
			break;
		case 2:
			same_as_module(&o, data, len, &out);
			break;
		case 3:
			show_hit(&o, chance >> 8);
			break;
		case 4:
			show_part(&o, chance >> 3, facts.entries, len);
			break;
		default:
			export_file(&o, facts.entries, len);
		}
	}
	free(out.text);
	return 0;
}
