# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# scan.sh - what a kernel says when it, or who watches it, finds a fault

# Kinds of report, as the kernel of scripts/kernel-sanitized makes them.  Not every call
# trace is one: an allocation that was made to fail leaves one, too.
reports=(
	'BUG: '			# KCSAN and KASAN, too; sleep in atomic context; list corruption
	'WARNING: '		# lockdep, RCU, debug objects, WARN()
	'INFO: (task|possible|trying to register|rcu)'
	'UBSAN: '
	'kmemleak: .*disabled'	# what it finds is in its file
	'Oops|general protection|Kernel panic'
	'rcu: .*(stall|detected)|soft lockup|hard LOCKUP|nobody cared'
	'Unrecoverable kprobe|ODEBUG|refcount_t|double fault|stack guard page'
	'DEBUG_LOCKS_WARN_ON|turning off the locking correctness validator'
)

# scan FILE: prints the lines that report something; true if there are any
scan() {
	local pattern

	pattern=$(IFS='|'; echo "${reports[*]}")
	grep -aE -e "$pattern" "$1"
}
