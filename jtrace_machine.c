// SPDX-License-Identifier: GPL-2.0
/*
 * What on this machine may lose a trace that is meant to outlive a reset.
 */

#include <linux/efi.h>
#include <linux/kernel.h>

#include "include/jtrace/internal.h"

/*
 * MemoryOverwriteRequestControl: with bit 0 set, firmware clears all memory at
 * the next reset (TCG PC Client Platform Reset Attack Mitigation Specification,
 * 1.10).  The EFI stub of Linux sets it with CONFIG_RESET_ATTACK_MITIGATION.
 */
#define MOR_GUID	EFI_GUID(0xe20939be, 0x32d4, 0x41be, 0xa1, 0x50, 0x89, 0x7f, 0x85, \
				 0xd4, 0x98, 0x29)

static bool firmware_clears_memory(void)
{
#ifdef CONFIG_EFI
	static efi_char16_t name[] = L"MemoryOverwriteRequestControl";
	efi_guid_t guid = MOR_GUID;
	unsigned long size = 1;
	u8 control = 0;

	if (!efi_enabled(EFI_RUNTIME_SERVICES) || !efi.get_variable)
		return false;
	return efi.get_variable(name, &guid, NULL, &size, &control) == EFI_SUCCESS &&
	       size == 1 && control & 1;
#else
	return false;
#endif
}

static bool clears_memory;

/**
 * jtrace_machine_init() - ask the firmware what it does to memory
 *
 * Once: a call of the firmware may take long, stops other CPUs on some machines, and anybody
 * may read config, which tells of it.
 *
 * Context: Process; not before the firmware's variables can be read.
 */
void jtrace_machine_init(void)
{
	clears_memory = jtrace_region_persistent(&jtrace.region) && firmware_clears_memory();
}

/* A region of reserve_mem= is found by each boot anew, around the kernel. */
static bool region_may_move(void)
{
	return jtrace.config.mem_name && IS_ENABLED(CONFIG_RANDOMIZE_BASE);
}

/**
 * jtrace_machine_warning() - what may lose the trace
 * @nr: from 0
 *
 * Return: text, "" if the @nr-th is no matter here, or NULL if there are no more.
 */
const char *jtrace_machine_warning(u32 nr)
{
	if (!jtrace_region_persistent(&jtrace.region))
		return NULL;
	switch (nr) {
	case 0:
		return clears_memory ?
		       "firmware clears memory at the next reset: EFI MemoryOverwriteRequestControl is set" :
		       "";
	case 1:
		return region_may_move() ?
		       "the kernel may be put over a reserve_mem= region at the next boot, unless that has nokaslr" :
		       "";
	case 2:
		return jtrace.room > JTRACE_ROOM_FULL ?
		       "the region is small for this number of CPUs: what led to the end may be overwritten" :
		       "";
	default:
		return NULL;
	}
}
