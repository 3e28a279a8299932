// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: modules that load without jtrace
 *
 * A driver must load where a debugging aid is not loaded, or cannot be.  So a module that
 * defines JTRACE_OPTIONAL has no symbol of jtrace: a weak one would still be refused
 * without its version, and depmod would make jtrace a dependency.  JTRACE_CLIENT()
 * defines a tracepoint in it, jtrace attaches to the tracepoints of that name.
 *
 * The notifier of tracepoints in modules does most of it.  It is called before a module's
 * init and after its exit; registering it replays the modules that are loaded, and
 * unregistering it replays their end.  So it is registered while recording is on, and
 * otherwise their trace points are patched out.
 *
 * Such a module may outlive an image, and its sites keep their numbers.  So each has the
 * id of the image that its number is from, and gets another one where that is not the
 * present image: see record_anew().  As with other sites, its strings are followed within
 * the trace point only, so while the module is there.
 *
 * The name of the tracepoint ends with a number: modules that were built with another
 * layout or prototype are left alone.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/jtrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "include/jtrace/internal.h"

/* Of a site that is about to get a number of the present image; not the id of an image. */
#define BEING_RENEWED	U64_MAX

/*
 * The site has no number of this image.  The first to come resets it, and alone, because
 * the number must never become 0 under a record that has looked at it: nobody looks as
 * long as the image is not the present one.  Meanwhile others, those that interrupt
 * included, record a copy of the site.  The copy gets the same number by its content, or
 * one of its own if the table is full.
 */
static noinline notrace void record_anew(struct jtrace_client_site *client, u64 ab, u64 cd,
					 u64 e, u64 f)
{
	struct jtrace_site copy = {
		.tag = client->site.tag,
		.file = client->site.file,
		.func = client->site.func,
		.line = client->site.line,
		.args = client->site.args,
		.kind = client->site.kind,
	};
	u64 stale = READ_ONCE(client->image);

	if (stale != jtrace.sites.image_id && stale != BEING_RENEWED &&
	    cmpxchg(&client->image, stale, BEING_RENEWED) == stale) {
		WRITE_ONCE(client->site.number, 0);
		/* Pairs with the acquire below, and with that in record_client(). */
		smp_store_release(&client->image, jtrace.sites.image_id);
	}
	/*
	 * Renewed, here or meanwhile: the number that it gets now is kept.  Pairs with the
	 * release above.
	 */
	if (smp_load_acquire(&client->image) == jtrace.sites.image_id)
		jtrace_record(&client->site, ab, cd, e, f);
	else
		jtrace_record(&copy, ab, cd, e, f);
}
NOKPROBE_SYMBOL(record_anew);

/* Attached to the tracepoints of client modules, in place of jtrace_record(). */
static notrace void record_client(void *unused, struct jtrace_client_site *client, u64 ab, u64 cd,
				  u64 e, u64 f)
{
	/* Once the image is the present one, so is the number.  Pairs with record_anew(). */
	if (likely(smp_load_acquire(&client->image) == jtrace.sites.image_id))
		jtrace_record(&client->site, ab, cd, e, f);
	else
		record_anew(client, ab, cd, e, f);
}
NOKPROBE_SYMBOL(record_client);

/* The name without its number. */
static bool of_other_version(const char *name)
{
	size_t len = strlen(JTRACE_CLIENT_TRACEPOINT);

	while (len && JTRACE_CLIENT_TRACEPOINT[len - 1] != '_')
		len--;
	return !strncmp(name, JTRACE_CLIENT_TRACEPOINT, len);
}

static void attach(const struct module *mod, struct tracepoint *tp)
{
	int err;

	if (strcmp(tp->name, JTRACE_CLIENT_TRACEPOINT)) {
		if (of_other_version(tp->name))
			pr_warn("%s: not traced: built with the header of another version of jtrace (%s, this is %s)\n",
				mod->name, tp->name, JTRACE_CLIENT_TRACEPOINT);
		return;
	}
	err = tracepoint_probe_register(tp, record_client, NULL);
	if (err)
		pr_warn("%s: not traced: error %d\n", mod->name, err);
}

/*
 * Skip a tracepoint that could not be attached for lack of memory: unregistering would
 * warn.
 */
static void detach(struct tracepoint *tp)
{
	if (!strcmp(tp->name, JTRACE_CLIENT_TRACEPOINT) && static_key_enabled(&tp->key))
		tracepoint_probe_unregister(tp, record_client, NULL);
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
 * Those that are loaded, and those to come.
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
 * Events may still be in progress when it returns.
 *
 * Context: Process.
 */
void jtrace_clients_detach(void)
{
	unregister_tracepoint_module_notifier(&client_nb);
}

/**
 * jtrace_clients_wait() - wait for events that are under way
 *
 * After jtrace_clients_detach().  The kernel's own wait leaves out idle code that RCU does
 * not watch; that has interrupts disabled.
 *
 * Context: Process.
 */
void jtrace_clients_wait(void)
{
	tracepoint_synchronize_unregister();
	kick_all_cpus_sync();
}
