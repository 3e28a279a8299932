# shellcheck shell=bash disable=SC2154,SC2016 # set by run; $ is meant
# SPDX-License-Identifier: GPL-2.0
#
# Tests of "jtrace setup --hangs", on made-up machines (see setup.sh)

sysctls=etc/sysctl.d/10-jtrace-setup.conf
watchdog=etc/systemd/system.conf.d/jtrace-setup.conf

# Sysctls as a kernel sets them, and whether --hangs changes them.
defaults='softlockup_panic 0 1
hardlockup_panic 0 1
hung_task_panic 0 1
panic_on_rcu_stall 0 1
soft_watchdog 1 1
nmi_watchdog 0 1
watchdog_thresh 10 10
hung_task_timeout_secs 120 120
hung_task_warnings 10 10
softlockup_all_cpu_backtrace 0 1
hardlockup_all_cpu_backtrace 0 1
hung_task_all_cpu_backtrace 0 1
max_rcu_stall_to_panic 0 0
panic_print 0 0
panic 0 10'

# kernel_starts: the sysctls of a boot, before systemd-sysctl
kernel_starts() {
	local name value

	while read -r name value _; do
		put "proc/sys/kernel/$name" "$value"
	done <<< "$defaults"
}

# A machine whose kernel has all sysctls.
hang_machine() {
	new_machine
	mkdir -p "$root/etc/sysctl.d"
	put sys/devices/system/cpu/online 0-1
	kernel_starts
	files > "$tmp/files.before"
}

# knobs: print all sysctls, as a user of the kernel sees them
knobs() {
	local name

	while read -r name _; do
		[ ! -e "$root/proc/sys/kernel/$name" ] ||
			echo "$name $(head -n 1 "$root/proc/sys/kernel/$name")"
	done <<< "$defaults"
}

# knobs_are COLUMN [NAME VALUE]...: pass if they are those of a column, but for these
knobs_are() {
	local column=$1 but=''

	shift
	while [ $# -gt 0 ]; do
		but+="s/^$1 .*/$1 $2/;"
		shift 2
	done
	diff <(cut -d ' ' -f "1,$column" <<< "$defaults" | sed "$but") <(knobs)
}

# file_has NAME: does our file set that sysctl?
file_has() {
	grep -qE "^-kernel\.$1 = [1-9][0-9]*$" "$root/$sysctls"
}

# is_silent: the last call said no step
is_silent() {
	! grep -E '^(write|set|run|remove) ' "$tmp/out"
}

hangs_set() {
	hang_machine
	holds "--hangs --dry-run" setup 0 --hangs --dry-run
	holds "--hangs --dry-run says what it would set" sh -c \
		'[ "$(grep -c "^would set kernel\." "$1")" = 9 ] && grep -qx "would write /$2" "$1"' \
		- "$tmp/out" "$sysctls"
	holds "--hangs --dry-run sets nothing" knobs_are 2
	unchanged "--hangs --dry-run"
	holds "--hangs" setup 0 --hangs
	holds "--hangs: all are set" knobs_are 3
	holds "--hangs: nothing else is in the file" [ "$(grep -c '^-kernel\.' "$root/$sysctls")" = 9 ]
	holds "--hangs: it says what was there" grep -qx '# kernel.panic was 0' "$root/$sysctls"
	holds "--hangs: no memory is reserved yet" grep -q '^Ready: .* jtrace setup$' "$tmp/out"
	holds "--hangs: slow disks are told" grep -q '^Note: .* slow disk .* kernel.hung_task_panic=0' "$tmp/out"
	holds "--hangs: no watchdog" grep -q 'no /dev/watchdog: ' "$tmp/out"
	holds "--hangs: no plan" [ ! -e "$root/etc/jtrace/setup" ]
	files > "$tmp/files.once"
	holds "--hangs again" setup 0 --hangs
	holds "--hangs again: says so" grep -qx 'Nothing to do: all is set.' "$tmp/out"
	holds "--hangs again: no step" is_silent
	files > "$tmp/files.twice"
	holds "--hangs again: nothing changes" cmp "$tmp/files.once" "$tmp/files.twice"
	put proc/sys/kernel/hung_task_panic 0
	holds "--hangs, a value is lost" setup 0 --hangs
	holds "--hangs, a value is lost: it is set" knobs_are 3
	holds "--remove --dry-run" setup 0 --remove --dry-run
	holds "--remove --dry-run sets nothing" knobs_are 3
	# Another boot, in which systemd-sysctl has set what the file says.
	boot 22222222 ''
	put proc/sys/kernel/panic 10
	holds "--remove after --hangs" setup 0 --remove
	holds "--remove after --hangs: all values are back" knobs_are 2
	unchanged "--remove after --hangs"
	# As if the power had gone after the file was written.
	setup 0 --hangs
	kernel_starts
	holds "--hangs, interrupted" setup 0 --hangs
	holds "--hangs, interrupted: all are set" knobs_are 3
	setup 0 --remove
	holds "--hangs, interrupted: --remove" knobs_are 2
	unchanged "--hangs, interrupted"
}

# What the administrator has set stays.
hangs_of_others() {
	hang_machine
	put etc/sysctl.d/99-local.conf '# kernel.softlockup_panic = 0\nkernel/hung_task_panic = 0'
	put etc/sysctl.conf ' -kernel.panic=0'
	put usr/lib/sysctl.d/50-all.conf 'kernel.*_all_cpu_backtrace = 0\n-kernel.nmi_watchdog'
	files > "$tmp/files.before"
	setup 0 --hangs
	holds "values of others stay" knobs_are 3 hung_task_panic 0 panic 0 \
		softlockup_all_cpu_backtrace 0 hardlockup_all_cpu_backtrace 0 \
		hung_task_all_cpu_backtrace 0
	holds "values of others are told" grep -qxF \
		'Note: kernel.hung_task_panic = 0 stays: /etc/sysctl.d/99-local.conf sets it.' "$tmp/out"
	holds "values of others are told, of each kind" [ "$(grep -c ' stays: ' "$tmp/out")" = 5 ]
	holds "values of others: no word of slow disks" [ "$(grep -c '^Ready' "$tmp/out") $(
		grep -c 'slow disk' "$tmp/out")" = '1 0' ]
	setup 0 --hangs
	holds "values of others: again" is_silent
	setup 0 --remove
	holds "values of others: --remove" knobs_are 2
	unchanged "values of others"
	hang_machine
	put proc/sys/kernel/panic 5
	put proc/sys/kernel/max_rcu_stall_to_panic 4
	put proc/sys/kernel/panic_print 64
	setup 0 --hangs
	holds "a value that is on stays" knobs_are 3 panic 5 max_rcu_stall_to_panic 4 panic_print 64
	holds "a value that is on is not in the file" sh -c '! grep "kernel.panic " "$1"' - "$root/$sysctls"
	holds "a panic that comes late is told" grep -q '^Note: kernel.max_rcu_stall_to_panic is 4' "$tmp/out"
	holds "a panic that prints more is told" grep -q '^Note: kernel.panic_print is 64' "$tmp/out"
	put proc/sys/kernel/panic_sys_info 'tasks,mem'
	setup 0 --hangs
	holds "a panic that prints more, on new kernels" [ "$(grep '^Note: kernel.panic_' "$tmp/out" |
		cut -d : -f 2)" = ' kernel.panic_sys_info is tasks,mem' ]
	put proc/sys/kernel/panic_sys_info ''
	setup 0 --hangs
	holds "a panic that prints no more, on new kernels" [ "$(grep -c '^Nothing to do' "$tmp/out") $(
		grep -c '^Note: kernel.panic_' "$tmp/out")" = '1 0' ]
	put proc/sys/kernel/softlockup_panic 0
	put proc/sys/kernel/hung_task_panic 7
	setup 0 --remove
	holds "--remove keeps what was changed since" knobs_are 2 panic 5 hung_task_panic 7 \
		max_rcu_stall_to_panic 4 panic_print 64
	hang_machine
	rm "$root"/proc/sys/kernel/{nmi_watchdog,panic_on_rcu_stall}
	setup 0 --hangs
	holds "a kernel without a sysctl: it is named" [ "$(grep -cE \
		'^Note: this kernel has no kernel.(nmi_watchdog|panic_on_rcu_stall)\.$' "$tmp/out")" = 2 ]
	holds "a kernel without a sysctl: the others" [ "$(grep -c '^-kernel\.' "$root/$sysctls")" = 7 ]
	setup 0 --hangs
	holds "a kernel without a sysctl: again" is_silent
}

# prints_all CPUS: does --hangs turn on the backtraces of all CPUs?
prints_all() {
	put sys/devices/system/cpu/online "$1"
	setup 0 --hangs && file_has softlockup_panic && file_has hung_task_all_cpu_backtrace
}

# prints_none CPUS WHERE: it does not, and says why
prints_none() {
	! prints_all "$1" && grep -q "^Note: no backtraces of all CPUs: .* out of $2, which has" "$tmp/out"
}

# ramoops SIZE: ramoops keeps records of this size
ramoops() {
	put sys/module/pstore/parameters/backend ramoops
	put sys/module/ramoops/parameters/record_size "$1"
}

# The report of what hangs must not be pushed out.
hangs_backtraces() {
	hang_machine
	holds "backtraces of 26 CPUs" prints_all 0-9,16-31
	hang_machine
	holds "no backtraces of 27 CPUs" prints_none 0-10,16-31 'the kernel log'
	hang_machine
	ramoops 16384
	holds "ramoops: backtraces of 4 CPUs" prints_all 0-3
	hang_machine
	ramoops 16384
	holds "ramoops: no backtraces of 5 CPUs" prints_none 0-4 'a record of ramoops'
	hang_machine
	ramoops 4096
	put sys/module/pstore/parameters/backend '(null)'
	holds "ramoops that keeps nothing" prints_all 0-1
	hang_machine
	put sys/module/pstore/parameters/backend efi_pstore
	holds "EFI: no backtraces of 4 CPUs" prints_none 0,2-4 'a record of pstore in EFI variables'
	hang_machine
	put sys/module/jtrace/parameters/mem_name '(null)'
	put sys/kernel/debug/jtrace/state 'size=1048576\npersistent=y\nmem_address=0x10000000
mem_size=1048576'
	holds "jtrace: no backtraces of 8 CPUs" prints_none 0-7 'the kernel log of jtrace'
	holds "jtrace: where to read" grep -q '^Ready: .* jtrace -r -l ' "$tmp/out"
}

hangs_watchdog() {
	hang_machine
	put dev/watchdog ''
	setup 0 --hangs
	holds "--hangs: a slow watchdog" grep -qx RuntimeWatchdogSec=60 "$root/$watchdog"
	holds "--hangs: systemd feeds it" grep -qx 'systemctl daemon-reexec' "$tmp/calls"
	setup 0 --hangs
	holds "--hangs: the watchdog again" is_silent
	hang_machine
	put dev/watchdog ''
	mkdir -p "$root/etc/systemd/system.conf.d"
	put etc/systemd/system.conf.d/10-mine.conf '[Manager]\nRuntimeWatchdogSec=20'
	setup 0 --hangs
	holds "--hangs: a watchdog that may come first" grep -q \
		'^Note: systemd feeds the watchdog already: .* before the kernel finds a hang' "$tmp/out"
	hang_machine
	put dev/watchdog ''
	setup 0 --hangs
	setup 0
	boot 22222222 ''
	setup 1 --at-boot
	holds "--hangs outlives a failed trial" [ -e "$root/$sysctls" ]
	holds "its watchdog, too" grep -qx RuntimeWatchdogSec=60 "$root/$watchdog"
	setup 0 --remove
	unchanged "--hangs: a watchdog"
	ready
	mkdir -p "$root/etc/sysctl.d"
	put dev/watchdog ''
	setup 0 --watchdog
	kernel_starts
	setup 0 --hangs
	holds "--hangs after --watchdog" grep -qx RuntimeWatchdogSec=60 "$root/$watchdog"
	setup 0 --watchdog
	holds "--watchdog after --hangs" grep -qx RuntimeWatchdogSec=60 "$root/$watchdog"
	setup 0 --remove --dry-run
	holds "--remove --dry-run tells of all" [ "$(grep -cxE "would remove /($sysctls|$watchdog)" "$tmp/out")" = 2 ]
}

# kernel.panic of --hangs comes too late for a boot that fails early.
hangs_and_memory() {
	hang_machine
	put dev/watchdog ''
	setup 0 --hangs
	holds "setup after --hangs" setup 0
	holds "setup after --hangs: the words" grep -qxF "Kernel command line: $words" "$tmp/out"
	boot 22222222 "$words"
	holds "setup after --hangs: the trial" setup 0 --at-boot
	holds "setup after --hangs: the watchdog is fed" [ "$(grep -c '^Ready: ' "$tmp/out") $(
		grep -c 'jtrace setup --watchdog' "$tmp/out")" = '1 0' ]
	holds "remove all" setup 0 --remove
	holds "remove all: values" knobs_are 2
	unchanged "remove all"
}

hangs_refuses() {
	hang_machine
	CONTAINER=1 setup_refused "--hangs in a container" 'setup: this is a container.*' --hangs
	put "$sysctls" '# mine'
	files > "$tmp/files.before"
	setup_refused "--hangs, a file of the same name" "/$sysctls: exists, .*" --hangs
	holds "--hangs, a file of the same name: nothing is set" knobs_are 2
	says "setup, --hangs and a size" 2 'setup: --hangs, --remove, .* cannot .*' setup --hangs --size 1M
	unchanged "--hangs refused"
}

test_setup_hangs() {
	on_machines hangs_set hangs_of_others hangs_backtraces hangs_watchdog hangs_and_memory \
		hangs_refuses
}
