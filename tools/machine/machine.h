/* SPDX-License-Identifier: GPL-2.0 */
/* What this machine has and does for jtrace, now and at its next boot: read, not judged. */
#ifndef _JTRACE_MACHINE_H
#define _JTRACE_MACHINE_H

#include "../../lib/image/module.h"
#include "../base/base.h"

/* cmdline.c: the command line of the kernel */
const char *next_option(const char *from, const char *name, char *value, size_t size);
bool has_option(const char *cmdline, const char *name);
u64 parse_size(const char *text, const char **end);

/* memory.c */

/**
 * struct range - physical memory
 * @start: first byte
 * @size: bytes
 */
struct range {
	u64 start;
	u64 size;
};

bool covers(const struct range *r, const struct range *what);
bool is_same_range(const struct range *a, const struct range *b);
bool kernel_knows_reserve_mem(char *release, size_t size);
bool firmware_lacks_ram(const struct range *r, u64 *at, char *type, size_t size);
bool firmware_has_ram(const struct range *r);

/* arch.c */
bool machine_is(const char *arch);

/* module.c */

/**
 * struct module - jtrace.ko as it runs
 * @loaded: it is loaded
 * @err: why its file state cannot be read, an error number; what follows is not known then
 * @persistent: its buffer is persistent
 * @region: region of the buffer; size 0 if unknown
 * @used: bytes of the region that it uses
 * @type: memory type: wb, wc, uc; empty if unknown
 * @name: mem_name; empty if not given
 */
struct module {
	bool loaded;
	int err;
	bool persistent;
	struct range region;
	u64 used;
	char type[8];
	char name[64];
};

const char *module_state(const char *key);

/* history.c */

/**
 * struct history - for how long the buffer remembers
 * @ms: at the present rate
 * @noticed: after so many seconds at the latest a hang is noticed
 * @by_watchdog: by a watchdog; else by the kernel
 * @times: so many times the memory would suffice; 1 if the buffer does
 */
struct history {
	u64 ms;
	u32 noticed;
	bool by_watchdog;
	u32 times;
};

bool history_read(struct history *h);
void module_read(struct module *m);

/* hangs.c */

/**
 * struct hangs - which hangs cause a panic
 * @soft: a CPU that does not schedule
 * @hard: a CPU with interrupts off, which its own NMI watchdog finds
 * @task: a task that sleeps uninterruptibly
 * @rcu: a CPU that RCU waits for; another CPU finds it, also if it has interrupts off
 */
struct hangs {
	bool soft;
	bool hard;
	bool task;
	bool rcu;
};

bool knob_read(const char *name, char *value, size_t size);
void hangs_read(struct hangs *h);

/* conf.c */

/**
 * struct parameters - parameters of jtrace at the next boot
 * @any: at least one parameter is given
 * @persistent: enabled=persistent
 * @region: mem_address and mem_size
 * @name: mem_name
 * @held: a line of modprobe.d keeps modprobe from loading it; empty if there is none
 */
struct parameters {
	bool any;
	bool persistent;
	struct range region;
	char name[64];
	char held[128];
};

bool read_planned_parameters(struct parameters *p);
bool find_node(const struct range *used, struct range *node);

/* kallsyms.c: /proc/kallsyms */

/* Most bytes of a symbol and of a module's name, with NUL: KSYM_NAME_LEN and MODULE_NAME_LEN. */
#define SYMBOL_SIZE	512
#define MODULE_SIZE	64

/**
 * struct symbol - a function or variable of the kernel
 * @address: of its first byte; 0 if the kernel hides addresses
 * @name: its name
 * @module: that has it; empty for the kernel itself
 */
struct symbol {
	u64 address;
	char name[SYMBOL_SIZE];
	char module[MODULE_SIZE];
};

/**
 * struct symbol_line - a line of /proc/kallsyms
 * @address: of the symbol; 0 if the kernel hides addresses
 * @is_function: it is in code
 * @name: its name, not terminated
 * @len: length of the name
 * @module: that has it, not terminated
 * @module_len: length of the module's name; 0: the kernel itself
 */
struct symbol_line {
	u64 address;
	bool is_function;
	const char *name;
	u32 len;
	const char *module;
	u32 module_len;
};

bool symbol_is_label(const char *name, size_t len);
bool symbols_next(const char **at, struct symbol_line *l);
int symbols_by_name(const char *module, const char *name, bool function, struct symbol *list,
		    u32 most);
u64 symbol_extent(u64 address);
int symbols_by_address(u64 address, struct symbol *list, u32 most);

/* archive.c */

/* The archive: a directory for each boot, and in it one for each trace. */
#define ARCHIVE		"/var/lib/jtrace"
/* In the directory of a trace: the newest trace has the largest number. */
#define ARCHIVE_NUMBER	"number"
/* The image there, for glob() with GLOB_BRACE. */
#define ARCHIVE_IMAGE	"recovered_raw{,.zst}"

u64 archive_number(const char *dir);

/* build_id.c */

bool read_build_id(const char *path, u8 id[JTRACE_BUILD_ID_SIZE]);

/* enums.c: of the running kernel's BTF */
const char *enum_drop_reason(u32 reason);
const char *enum_gfp_bit(u32 bit, u32 *len);

/* ko_variable.c */
bool ko_variable(const char *module, const char *file, const char *name, u64 *address, u64 *size);

/* ko.c: the file of a module */

/**
 * struct ko_symbol - a symbol of a module
 * @address: where its boot had it
 * @size: bytes; 0: it only marks a place
 * @is_function: it is in code
 * @name: its name
 */
struct ko_symbol {
	u64 address;
	u64 size;
	bool is_function;
	const char *name;
};

/**
 * struct ko - the symbols of a module, where its boot had them
 * @symbol: sorted by their addresses
 * @nr: how many
 * @longest: size of the longest one
 * @file: for ko.c
 */
struct ko {
	struct ko_symbol *symbol;
	size_t nr;
	u64 longest;
	struct ko_file *file;
};

extern const char *ko_folder;

bool ko_is_named(const char *file, const char *module);

bool ko_load(struct ko *ko, const struct jtrace_module *m, const char *release);
const struct ko_symbol *ko_find(const struct ko *ko, u64 address);
u64 ko_extent(const struct ko *ko, const struct ko_symbol *s, u64 end);
void ko_free(struct ko *ko);

#endif /* _JTRACE_MACHINE_H */
