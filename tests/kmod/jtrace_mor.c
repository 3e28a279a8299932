// SPDX-License-Identifier: GPL-2.0
/*
 * A machine whose firmware was asked to clear memory at the next reset.  While this module is
 * loaded, the kernel reads EFI variables from here.
 */
#include <linux/efi.h>

#include "kmod.h"

PARAM_OF(u8, byte, control, 1, 0644, "value of MemoryOverwriteRequestControl");
PARAM(uint, calls, 0, "number of reads");

static efi_get_variable_t *get_variable;
static bool was_enabled;

static efi_status_t mor_get_variable(efi_char16_t *name, efi_guid_t *vendor, u32 *attr,
				     unsigned long *size, void *data)
{
	static const efi_char16_t wanted[] = L"MemoryOverwriteRequestControl";
	const efi_guid_t guid = EFI_GUID(0xe20939be, 0x32d4, 0x41be, 0xa1, 0x50, 0x89, 0x7f,
					 0x85, 0xd4, 0x98, 0x29);

	if (memcmp(name, wanted, sizeof(wanted)) || efi_guidcmp(*vendor, guid))
		return EFI_NOT_FOUND;
	calls++;
	if (*size < 1)
		return EFI_BUFFER_TOO_SMALL;
	*size = 1;
	*(u8 *)data = control;
	return EFI_SUCCESS;
}

static int __init jtrace_mor_init(void)
{
	get_variable = efi.get_variable;
	was_enabled = efi_enabled(EFI_RUNTIME_SERVICES);
	efi.get_variable = mor_get_variable;
	set_bit(EFI_RUNTIME_SERVICES, &efi.flags);
	return 0;
}

static void __exit jtrace_mor_exit(void)
{
	efi.get_variable = get_variable;
	if (!was_enabled)
		clear_bit(EFI_RUNTIME_SERVICES, &efi.flags);
}

module_init(jtrace_mor_init);
module_exit(jtrace_mor_exit);

TEST_MODULE("an EFI variable");
