# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# scan.sh - find the reports of faults in a kernel log

# Reports of the kernel of scripts/kernel-sanitized.  A call trace alone is no report: an
# allocation that fails on purpose prints one, too.
reports=(
	'BUG: '			# KCSAN and KASAN, too; sleep in atomic context; list corruption
	'WARNING: '		# lockdep, RCU, debug objects, WARN()
	'INFO: (task|possible|trying to register|rcu)'
	'UBSAN: '
	'kmemleak: .*disabled'	# its reports are in a file
	'Oops|general protection|Kernel panic'
	'rcu: .*(stall|detected)|soft lockup|hard LOCKUP|nobody cared'
	'Unrecoverable kprobe|ODEBUG|refcount_t|double fault|stack guard page'
	'DEBUG_LOCKS_WARN_ON|turning off the locking correctness validator'
)

# scan FILE: print the lines that report a fault; true if there are any
scan() {
	local pattern

	pattern=$(IFS='|'; echo "${reports[*]}")
	grep -aE -e "$pattern" "$1"
}
