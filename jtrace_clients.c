// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: modules that load without jtrace
 *
 * A driver must also load where jtrace is not loaded.  So a module that defines JTRACE_OPTIONAL
 * uses no symbol of jtrace.  Weak symbols do not help: the kernel refuses them without their
 * version, and depmod makes jtrace a dependency.  JTRACE_CLIENT() defines tracepoints in the
 * module, and jtrace attaches to those of these names.
 *
 * The kernel's notifier of tracepoints in modules does most of the work.  It is called before a
 * module's init and after its exit.  Registering it replays the loaded modules, and unregistering
 * it replays their exit.  So it is registered while recording is on; otherwise the trace points
 * are patched out.
 *
 * Such a module may outlive an image, and its sites keep their numbers.  So each site holds the
 * id of the image that its number is from, and gets a new number in another image: see
 * record_anew().  As with other sites, only the trace point follows pointers to the strings, while
 * the module is loaded.
 *
 * jtrace_stop() has a tracepoint of its own, and so has JTRACE_STACK().  The names of all end with
 * a number.  Modules built with another layout or prototype are ignored, with a warning.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/ctype.h>
#include <linux/jtrace_client.h>
#include <linux/jtrace_site.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "jtrace_internal.h"
#include "jtrace_stop.h"

/* Marks a site whose number is being reset; no image has this id. */
#define BEING_RENEWED	U64_MAX

/*
 * The site has no number of this image: can it get one?
 *
 * The first caller resets the number, and no other does: the number must never become 0 under a
 * record that has read it.  No record reads it until the site has the id of this image.  Other
 * callers, interrupts included, record a copy of the site meanwhile.  The copy gets the same number
 * by its content, or its own if the table is full.
 */
static __always_inline bool renew(struct jtrace_client_site *client)
{
	u64 stale = READ_ONCE(client->image);

	if (stale != jtrace.sites.image_id && stale != BEING_RENEWED &&
	    cmpxchg(&client->image, stale, BEING_RENEWED) == stale) {
		WRITE_ONCE(client->site.number, 0);
		/* Pairs with the acquires below and in is_current(). */
		smp_store_release(&client->image, jtrace.sites.image_id);
	}
	/* Pairs with the release above.  If this reads the new id, then the number was reset. */
	return smp_load_acquire(&client->image) == jtrace.sites.image_id;
}

static __always_inline bool is_current(struct jtrace_client_site *client)
{
	/* Pairs with renew().  If this reads the new id, then the number was reset. */
	return likely(smp_load_acquire(&client->image) == jtrace.sites.image_id);
}

/* @client without its number. */
static __always_inline struct jtrace_site copy_of(const struct jtrace_client_site *client)
{
	return (struct jtrace_site) {
		.tag = client->site.tag,
		.file = client->site.file,
		.func = client->site.func,
		.line = client->site.line,
		.args = client->site.args,
		.kind = client->site.kind,
	};
}

static noinline notrace void record_anew(struct jtrace_client_site *client, u64 ab, u64 cd,
					 u64 e, u64 f)
{
	struct jtrace_site copy = copy_of(client);

	jtrace_record(renew(client) ? &client->site : &copy, ab, cd, e, f);
}
NOKPROBE_SYMBOL(record_anew);

/* Attached to the tracepoints of client modules, in place of jtrace_record(). */
static notrace void record_client(void *unused, struct jtrace_client_site *client, u64 ab, u64 cd,
				  u64 e, u64 f)
{
	if (is_current(client))
		jtrace_record(&client->site, ab, cd, e, f);
	else
		record_anew(client, ab, cd, e, f);
}
NOKPROBE_SYMBOL(record_client);

/* The same in place of jtrace_record_stack(). */
static notrace void record_client_stack(void *unused, struct jtrace_client_site *client, u64 ab,
					u64 cd, u64 e, u64 f, unsigned long ip,
					const void *frame)
{
	struct jtrace_stack_from from = { .frame = frame, .most = JTRACE_STACK_DEFAULT };
	struct jtrace_site copy = copy_of(client);
	bool own = is_current(client) || renew(client);
	struct pt_regs regs;

	JTRACE_STACK_HERE(&from, &regs);
	from.address = ip;
	jtrace_record_told(own ? &client->site : &copy, ab, cd, e, f, jtrace_stack_take(&from));
}
NOKPROBE_SYMBOL(record_client_stack);

/* Attached to the tracepoints of jtrace_stop(). */
static notrace void stop_client(void *unused, const char *why)
{
	jtrace_stop(why);
}
NOKPROBE_SYMBOL(stop_client);

/* Return the probe for a tracepoint of this name, or NULL. */
static void *probe_of(const char *name)
{
	return !strcmp(name, JTRACE_CLIENT_RECORD) ? (void *)record_client :
	       !strcmp(name, JTRACE_CLIENT_STACK) ? (void *)record_client_stack :
	       !strcmp(name, JTRACE_CLIENT_STOP) ? (void *)stop_client : NULL;
}

/* Does the name match without its number?  One warning a module is enough. */
static bool of_other_version(const char *name)
{
	static const char own[] = JTRACE_CLIENT_RECORD;
	size_t len = strrchr(own, '_') + 1 - own;

	return !strncmp(name, own, len) && isdigit(name[len]);
}

static void attach(const struct module *mod, struct tracepoint *tp)
{
	void *probe = probe_of(tp->name);
	int err;

	if (!probe) {
		if (of_other_version(tp->name))
			pr_warn("%s: not traced: built with the header of another version of jtrace (%s, this is %s): rebuild it\n",
				mod->name, tp->name, JTRACE_CLIENT_RECORD);
		return;
	}
	err = tracepoint_probe_register(tp, probe, NULL);
	if (err)
		pr_warn("%s: not traced: error %d\n", mod->name, err);
}

/* Skip a tracepoint that could not be attached for lack of memory: unregistering would warn. */
static void detach(struct tracepoint *tp)
{
	void *probe = probe_of(tp->name);

	if (probe && static_key_enabled(&tp->key))
		tracepoint_probe_unregister(tp, probe, NULL);
}

static int client_call(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct tp_module *tp_mod = data;
	const struct module *mod = tp_mod->mod;
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);

		if (state == MODULE_STATE_COMING)
			attach(mod, tp);
		else if (state == MODULE_STATE_GOING)
			detach(tp);
	}
	return NOTIFY_DONE;
}

static struct notifier_block client_nb = {
	.notifier_call = client_call,
};

/**
 * jtrace_clients_attach() - record the events of modules that load without jtrace
 *
 * Covers loaded modules and later ones.
 *
 * Context: Process.
 */
void jtrace_clients_attach(void)
{
	register_tracepoint_module_notifier(&client_nb);
}

/**
 * jtrace_clients_detach() - stop recording the events of these modules
 *
 * Events may still be in progress afterwards.
 *
 * Context: Process.
 */
void jtrace_clients_detach(void)
{
	unregister_tracepoint_module_notifier(&client_nb);
}

/**
 * jtrace_clients_wait() - wait for events in progress, after jtrace_clients_detach()
 *
 * The kernel's own wait leaves out idle code that RCU does not watch; interrupts are off there.
 *
 * Context: Process.
 */
void jtrace_clients_wait(void)
{
	tracepoint_synchronize_unregister();
	kick_all_cpus_sync();
}
