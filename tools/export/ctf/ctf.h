/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the CTF export share. */
#ifndef _JTRACE_CTF_H
#define _JTRACE_CTF_H

#include "../export.h"

/* Most events in a packet. */
#define CTF_PACKET_EVENTS	4096

/* Largest event, in bytes: id, time, context; then each field with its symbol, or the numbers. */
#define CTF_EVENT_MAX	(36 + TASK_NAME + JTRACE_STACK_MAX * sizeof(u64) + \
			 JTRACE_FIELDS * (FIELD_TEXT + SYMBOL_TEXT))

/* lttng.c */
const char *ctf_lttng_event(const char *event);
const char *ctf_lttng_field(const char *event, const struct jtrace_field *field, s32 *add);

/* dir.c */

/**
 * struct ctf_dir - a directory that is being written
 * @path: its name, without slashes at the end
 * @half: its name until it is whole; NULL if there is nothing to remove
 * @fd: the directory
 * @force: replace an export of this name
 */
struct ctf_dir {
	char *path;
	char *half;
	int fd;
	bool force;
};

bool ctf_dir_open(struct ctf_dir *d, const char *path, bool force);
bool ctf_dir_append(const struct ctf_dir *d, const char *name, const void *head, size_t head_len,
		    const void *data, size_t len);
FILE *ctf_dir_create(const struct ctf_dir *d, const char *name);
bool ctf_dir_fail(const struct ctf_dir *d, const char *name);
bool ctf_dir_close(struct ctf_dir *d, bool ok);

/* class.c */

/**
 * struct ctf_class - the events of a site
 * @id: number of the class
 * @site: its number; 0 stands for all sites without a valid record
 * @symbols: a bit for each field that has a symbol in at least one event
 * @fields: fields that the tag names; none if events show their numbers
 * @event: LTTng's name of the event; NULL: that of the tag
 * @name: LTTng's name of each field; NULL: that of the tag
 * @add: to the value of each field
 */
struct ctf_class {
	u32 id;
	u32 site;
	u32 symbols;
	struct fields fields;
	const char *event;
	const char *name[JTRACE_FIELDS];
	s32 add[JTRACE_FIELDS];
};

/**
 * struct ctf_classes - classes, by id
 * @class: the classes
 * @nr: how many
 * @by_site: 1 + id, by the number of the site, 0 if the site has none yet
 * @sites: numbers of sites are less than that
 * @nameless: 1 + id of the class without site, 0 if there is none yet
 * @stacks: events have stacks
 */
struct ctf_classes {
	struct ctf_class **class;
	u32 nr;
	u32 *by_site;
	u32 sites;
	u32 nameless;
	bool stacks;
};

bool ctf_classes_open(struct ctf_classes *all, const struct jtrace_trace *t);
struct ctf_class *ctf_class_find(struct ctf_classes *all, const struct jtrace_trace *t, u32 site);
const char *ctf_class_field(const struct ctf_class *class, u32 i);
bool ctf_class_symbol(const struct ctf_class *class, const struct jtrace_trace *t, u32 i,
		      const struct jtrace_decoded *ev, char *to, size_t size);
void ctf_classes_close(struct ctf_classes *all);

/* meta.c */

/* The file with the metadata begins with this text. */
#define CTF_META_HEAD	"/* CTF 1.8 */\n\n/* Exported by jtrace */\n"

bool ctf_meta_write(const struct ctf_dir *d, const struct jtrace_trace *t,
		    const struct export_clock *clock, const struct ctf_classes *all);

/* stream.c */
bool ctf_stream_put(const struct ctf_dir *d, u32 cpu, u64 ns, const u8 *event, size_t len);
bool ctf_stream_close(const struct ctf_dir *d, bool ok);

#endif /* _JTRACE_CTF_H */
