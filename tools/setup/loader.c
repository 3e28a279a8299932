// SPDX-License-Identifier: GPL-2.0
/* jtrace setup: find the boot loader; without a known one, the user changes its configuration. */

#include "setup.h"

#define EFIVARS	"/sys/firmware/efi/efivars/"
#define VENDOR	"4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

/**
 * loader_variable_begins() - how does a variable of the boot loader begin?
 * @name: of a variable of the Boot Loader Interface
 * @text: ASCII
 *
 * Return: true if the variable begins with @text.
 */
bool loader_variable_begins(const char *name, const char *text)
{
	char path[256], value[256];
	ssize_t len;
	size_t i;

	scnprintf(path, sizeof(path), EFIVARS "%s-" VENDOR, name);
	len = root_read(path, value, sizeof(value));
	/* UTF-16 after 4 bytes of attributes. */
	for (i = 0; text[i]; i++)
		if (4 + 2 * (ssize_t)i >= len || value[4 + 2 * i] != text[i])
			return false;
	return true;
}

/**
 * find_loader() - what adds words to the command line of the kernel here?
 */
enum loader find_loader(void)
{
	if (loader_variable_begins("LoaderInfo", "systemd-boot"))
		return has_running_entry() ? SYSTEMD_BOOT : BY_HAND;
	return root_exists("/boot/grub/grub.cfg") && has_command("update-grub") ? GRUB : BY_HAND;
}

static void say_words(const struct plan *p, const char *verb)
{
	struct words w;
	char text[256];

	plan_words(p, &w);
	words_join(&w, "", "$", text, sizeof(text));
	if (w.nr)
		printf("%s: %s\n", verb, text);
}

static bool hand_try_once(struct plan *p)
{
	puts("jtrace setup does not know this boot loader: it knows GRUB with update-grub, and systemd-boot with entry files.");
	say_words(p, "Add to the kernel's command line, or to that of the unified kernel image");
	return true;
}

static bool hand_end_trial(const struct plan *p)
{
	(void)p;
	return true;
}

static bool hand_make_default(struct plan *p)
{
	(void)p;
	return true;
}

static bool hand_take_back(const struct plan *p)
{
	if (plan_is_booted(p))
		say_words(p, "Remove from the kernel's command line");
	return true;
}

const struct loader_ops by_hand = {
	.try_once = hand_try_once,
	.end_trial = hand_end_trial,
	.make_default = hand_make_default,
	.take_back = hand_take_back,
};

/**
 * loader_ops() - the operations of a boot loader
 * @loader: of the plan
 */
const struct loader_ops *loader_ops(enum loader loader)
{
	return loader == GRUB ? &grub : loader == SYSTEMD_BOOT ? &systemd_boot : &by_hand;
}
