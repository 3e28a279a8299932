// SPDX-License-Identifier: GPL-2.0
/* jtrace setup: find the boot loader; without a known one, the user changes its configuration. */

#include "setup.h"

/* Is systemd-boot the loader of this boot? */
static bool is_systemd_boot(void)
{
	char info[64];

	return loader_variable("LoaderInfo", info, sizeof(info)) &&
	       !strncmp(info, "systemd-boot", strlen("systemd-boot"));
}

static bool has_grub(void)
{
	return root_exists("/boot/grub/grub.cfg") && has_command("update-grub") &&
	       has_command("grub-mkconfig");
}

/**
 * find_loader() - what adds words to the command line of the kernel here?
 */
enum loader find_loader(void)
{
	if (is_systemd_boot())
		return has_running_entry() ? SYSTEMD_BOOT : BY_HAND;
	return has_grub() && is_changed_by_update_grub() ? GRUB : BY_HAND;
}

static void say_words(const struct plan *p, const char *verb)
{
	struct boot_words w;
	char text[256];

	plan_words(p, &w);
	words_join(&w, "", "$", text, sizeof(text));
	if (w.nr)
		printf("%s: %s\n", verb, text);
}

static bool hand_read_boots(struct boots *b)
{
	*b = (struct boots){ .next = -1 };
	return true;
}

static bool hand_try_once(struct plan *p)
{
	if (!is_systemd_boot() && has_grub())
		puts("The entry of this boot is not one that update-grub writes, so jtrace setup does not change it.");
	else
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
	.read_boots = hand_read_boots,
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
