// SPDX-License-Identifier: GPL-2.0
/* Lines that turn events on and off: "NAME [clauses] [# comment]", "!NAME". */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events.h"

/* The first of @stop outside quotes, or the end. */
static char *find_unquoted(char *text, char stop)
{
	bool quoted = false;

	for (; *text && (quoted || *text != stop); text++) {
		if (quoted && *text == '\\' && text[1])
			text++;
		else if (*text == '"')
			quoted = !quoted;
	}
	return text;
}

/**
 * jtrace_events_line() - do what a line says
 * @line: the line, which is changed
 * @refusal: filled if the line is refused; its offset counts from the first character after
 *	blanks and "!"
 *
 * Context: Process.
 * Return: 0, also for an empty line, or -EINVAL if the line is refused.
 */
int jtrace_events_line(char *line, struct jtrace_refusal *refusal)
{
	struct jtrace_event_order order;

	*find_unquoted(line, '#') = 0;
	line = strim(line);
	if (!*line)
		return 0;
	order.on = *line != '!';
	order.name = line + !order.on;
	order.len = strcspn(order.name, " \t");
	order.clauses = order.name + order.len;
	if (!order.on && *order.clauses) {
		*refusal = (struct jtrace_refusal) { "after !NAME comes nothing", order.len };
		return -EINVAL;
	}
	return jtrace_events_switch(&order, refusal);
}

/**
 * jtrace_events_parameter() - do what the parameter says
 * @text: lines with ";" between them
 *
 * Context: Process.
 * Return: 0, or -EINVAL or -ENOMEM after one line.
 */
int jtrace_events_parameter(const char *text)
{
	char *copy = kstrdup(text, GFP_KERNEL), *line = copy, *end;
	struct jtrace_refusal refusal;
	bool last;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	do {
		end = find_unquoted(line, ';');
		last = !*end;
		*end = 0;
		err = jtrace_events_line(line, &refusal);
		if (err)
			pr_err("events=%s: at character %zu: %s\n", text,
			       line - copy + strspn(text + (line - copy), " \t!") + refusal.at + 1,
			       refusal.why);
		line = end + 1;
	} while (!err && !last);
	kfree(copy);
	return err;
}
