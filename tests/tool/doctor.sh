# shellcheck shell=bash disable=SC2154,SC2016 # set by run; $ is meant
# SPDX-License-Identifier: GPL-2.0
#
# Tests of "jtrace doctor", on false systems

mor=sys/firmware/efi/efivars/MemoryOverwriteRequestControl
mor=$mor-e20939be-32d4-41be-a150-897f85d49829

# put PATH TEXT: a file of the false system
put() {
	mkdir -p "$(dirname "$root/$1")"
	printf '%b\n' "$2" > "$root/$1"
}

# A system on which all is well.
good_system() {
	rm -rf "$root"
	put proc/cmdline 'root=/dev/sda1 memmap=1M$0x10000000 quiet'
	put proc/iomem '00001000-0fffffff : System RAM\n  02000000-02ffffff : Kernel code
10000000-100fffff : Reserved\n  10000000-100fffff : jtrace
10100000-1fffffff : System RAM'
	put proc/mounts 'none /sys/kernel/debug debugfs rw 0 0'
	put proc/cpuinfo 'processor\t: 0\nflags\t\t: fpu clflush clflushopt clwb\nbugs\t\t:'
	put proc/sys/kernel/osrelease 6.12.1-amd64
	put proc/sys/kernel/panic 10
	put proc/sys/kernel/softlockup_panic 1
	put proc/sys/kernel/hardlockup_panic 1
	put proc/sys/kernel/nmi_watchdog 1
	put dev/watchdog ''
	put sys/class/watchdog/watchdog0/state active
	put sys/kernel/kexec_crash_loaded 0
	put sys/kernel/security/lockdown '[none] integrity confidentiality'
	put sys/module/kernel/parameters/crash_kexec_post_notifiers N
	put sys/module/jtrace/parameters/mem_name '(null)'
	put sys/kernel/debug/jtrace/config \
		'JTRACE configuration\nAllocated Buffer Size  : 4096\nPersistent             : yes
Physical address       : 0x10000000\nRegion size            : 1048576\nMemory type            : wb'
	put "$mor" '\x07\x00\x00\x00\x00'
}

# finds NAME LINE-REGEX [STATUS]: the line is there, and nothing else that is not ok, but for
# what reserve_mem= always gets; the status is right
finds() {
	local want_status=${3:-0}

	case $2 in FAIL*) want_status=1 ;; esac
	status=0
	JTRACE_ROOT=$root "$jtrace" doctor > "$tmp/out" 2> "$tmp/err" || status=$?
	if [ "$status" -ne "$want_status" ] || [ -s "$tmp/err" ]; then
		not_ok "doctor, $1: exit status $status, not $want_status" "$tmp/out" "$tmp/err"
	elif ! grep -qE "^$2" "$tmp/out"; then
		not_ok "doctor, $1: not \"$2\"" "$tmp/out"
	elif grep -vE "^($2|ok |warn  reserve_mem: a larger initrd moves it)" "$tmp/out" \
		> "$tmp/more"; then
		not_ok "doctor, $1: more than that" "$tmp/more"
	else
		ok "doctor, $1"
	fi
	good_system
}

test_doctor() {
	root=$tmp/root
	good_system
	if JTRACE_ROOT=$root "$jtrace" doctor > "$tmp/out" 2> "$tmp/err" &&
		[ "$(grep -c '^ok    ' "$tmp/out")" -eq 12 ] &&
		! grep -qv '^ok    ' "$tmp/out" && [ ! -s "$tmp/err" ]; then
		ok "doctor, all is well"
	else
		not_ok "doctor, all is well" "$tmp/out" "$tmp/err"
	fi
	doctor_module
	doctor_memmap
	doctor_reserve_mem
	doctor_memory
	doctor_reset
}

doctor_module() {
	rm -r "$root/sys/module/jtrace" "$root/sys/kernel/debug"
	finds "no module" 'FAIL  module: not loaded: modprobe jtrace'
	rm -r "$root/sys/kernel/debug/jtrace" "$root/proc/mounts"
	finds "no debugfs" 'FAIL  debugfs: .*mount -t debugfs'
	put sys/kernel/debug/jtrace/config 'Persistent             : no'
	finds "not persistent" 'FAIL  persistent: no: .*enabled=persistent'
	finds "the region" 'ok    persistent: yes, 1048576 bytes at 0x10000000, wb'
	put sys/kernel/debug/jtrace/config 'Persistent             : yes
Physical address       : 0x0\nRegion size            : 1048576'
	finds "the region, not shown" 'ok    persistent: yes$'
	put sys/kernel/security/lockdown 'none [integrity] confidentiality'
	finds "lockdown" 'ok    lockdown: on: '
}

doctor_memmap() {
	finds "memmap=" 'ok    memmap: reserves 0x100000 bytes at 0x10000000'
	put proc/cmdline 'memmap=1Mx10000000 memmap=1M$0x10000000'
	finds "memmap= without \$" 'FAIL  memmap: 1Mx10000000 has no \$.*boot loader'
	put proc/cmdline 'memmap=1M,1M$0x10000000'
	finds "memmap= with a size alone" 'FAIL  memmap: 1M has no \$'
	put proc/cmdline 'memmap=1M$ memmap=1M$0x10000000'
	finds "memmap= without an address" 'FAIL  memmap: 1M\$ reserves 0x100000 bytes at 0x0: must'
	put proc/cmdline 'memmap=1M!0x20000000 memmap=1M$0x10000000'
	finds "memmap= for pmem" "warn  memmap: .* reserves nothing: '!' is not"
	put proc/cmdline 'memmap=1M$0x20000000'
	finds "memmap= elsewhere" 'FAIL  memmap: 0x100000 bytes at 0x10000000, which jtrace uses'
	put proc/cmdline 'memmap=64K$0x0ff00000,2M$0xff80000'
	finds "memmap= of more" 'ok    memmap: reserves 0x200000 bytes at 0xff80000'
	put proc/cmdline quiet
	put sys/kernel/debug/jtrace/config 'Persistent             : no'
	JTRACE_ROOT=$root "$jtrace" doctor > "$tmp/out" 2>&1
	if grep -q '^warn  memmap: the command line reserves no memory' "$tmp/out"; then
		ok "doctor, nothing is reserved"
	else
		not_ok "doctor, nothing is reserved" "$tmp/out"
	fi
	good_system
}

doctor_reserve_mem() {
	put proc/cmdline 'nokaslr reserve_mem=4M:2M:trace'
	put sys/module/jtrace/parameters/mem_name trace
	finds "reserve_mem=" 'ok    reserve_mem: 4M:2M:trace'
	put proc/cmdline 'nokaslr reserve_mem=4M:2M:trace'
	put proc/iomem '00001000-1fffffff : System RAM'
	finds "reserve_mem=, System RAM" 'ok    iomem: .* as reserve_mem= has it'
	put proc/cmdline 'nokaslr reserve_mem=4M:2M:trace'
	finds "reserve_mem=, initrd" 'warn  reserve_mem: a larger initrd moves it'
	put proc/cmdline 'reserve_mem=4M:2M:trace'
	finds "reserve_mem=, KASLR" 'warn  reserve_mem: .*: nokaslr;'
	put proc/cmdline 'reserve_mem=4M:2M:trace'
	put proc/sys/kernel/osrelease 6.1.0-56-amd64
	finds "reserve_mem=, 6.1" 'FAIL  reserve_mem: this kernel, 6.1.0-56-amd64, does not know'
	put proc/cmdline 'nokaslr reserve_mem=4M:trace'
	finds_two "reserve_mem=, three fields" 'FAIL  reserve_mem: 4M:trace: must be SIZE:ALIGN:NAME'
	put proc/cmdline 'nokaslr reserve_mem=4M:4096:trace'
	finds_two "reserve_mem=, alignment" 'warn  reserve_mem: .* below 2M'
	put proc/cmdline 'nokaslr reserve_mem=1M:2M:trace'
	finds_two "reserve_mem=, size" 'warn  reserve_mem: .* below 2M'
	put proc/cmdline 'nokaslr reserve_mem=4M:2M:other'
	put sys/module/jtrace/parameters/mem_name trace
	finds_two "reserve_mem=, name" 'FAIL  reserve_mem: .* is named other, .* mem_name=trace'
}

# As finds, beside the warning that reserve_mem= always gets.
finds_two() {
	JTRACE_ROOT=$root "$jtrace" doctor > "$tmp/out" 2> "$tmp/err"
	status=$?
	if [ "$(grep -cv '^ok' "$tmp/out")" -eq 2 ] && grep -qE "^$2" "$tmp/out" &&
		[ "$status" -eq "$(grep -c '^FAIL' "$tmp/out")" ]; then
		ok "doctor, $1"
	else
		not_ok "doctor, $1: exit status $status" "$tmp/out" "$tmp/err"
	fi
	good_system
}

doctor_memory() {
	put proc/iomem '00001000-1fffffff : System RAM'
	finds "iomem, RAM" 'FAIL  iomem: 0x100000 bytes at 0x10000000 are System RAM'
	put proc/iomem '00001000-100fefff : System RAM\n100ff000-1fffffff : Reserved'
	finds "iomem, RAM in part" 'FAIL  iomem: 0x100000 bytes at 0x10000000 are System RAM'
	put proc/iomem '00000000-00000000 : System RAM\n00000000-00000000 : Reserved'
	finds "iomem, hidden" 'warn  iomem: .* as root'
	put proc/iomem '00001000-0fffffff : System RAM\n10000000-100fffff : PCI Bus 0000:00'
	finds "iomem, another's" 'warn  iomem: .* belong to "PCI Bus 0000:00"'
	put proc/iomem '00001000-0fffffff : System RAM'
	finds "iomem, nothing" 'warn  iomem: .* knows of no memory there'
	put "$mor" '\x07\x00\x00\x00\x01'
	finds "EFI clears memory" 'FAIL  firmware: EFI clears memory at the next reset .* 0x01'
	put "$mor" '\x07\x00\x00\x00\x10'
	finds "EFI, another bit" 'ok    firmware: EFI was not told'
	rm "$root/$mor"
	finds "EFI, no such variable" 'ok    firmware: EFI cannot be told'
	rm -r "$root/sys/firmware/efi/efivars"
	finds "EFI, no efivarfs" 'warn  firmware: .*cannot be read'
	rm -r "$root/sys/firmware/efi"
	finds "no EFI" 'ok    firmware: no EFI'
	put proc/cmdline 'memmap=1M$0x10000000 mem_encrypt=on'
	finds "encryption" 'FAIL  encryption: mem_encrypt=on'
	put proc/cpuinfo 'processor\t: 0\nflags\t\t: fpu clflush clflushopt\nbugs\t:'
	finds "clflushopt" 'ok    cpu: has clflushopt'
	put proc/cpuinfo 'processor\t: 0\nflags\t\t: fpu clflush\nvmx flags\t: clwb'
	finds "clflush" 'warn  cpu: has neither clwb nor clflushopt'
	put proc/cpuinfo 'processor\t: 0\nFeatures\t: fp asimd'
	finds "arm64" 'ok    cpu: not x86'
	put proc/cpuinfo 'processor\t: 0\nflags\t\t: fpu'
	put sys/kernel/debug/jtrace/config 'Persistent             : yes
Physical address       : 0x10000000\nRegion size            : 4096\nMemory type            : wc'
	finds "mem_type=wc" 'ok    cpu: mem_type=wc: no cache'
}

doctor_reset() {
	put sys/kernel/kexec_crash_loaded 1
	finds "kdump" 'warn  kdump: loaded: .*crash_kexec_post_notifiers'
	put sys/kernel/kexec_crash_loaded 1
	put sys/module/kernel/parameters/crash_kexec_post_notifiers Y
	finds "kdump, later" 'ok    kdump: loaded, after'
	put sys/kernel/kexec_crash_loaded 1
	rm "$root/sys/module/kernel/parameters/crash_kexec_post_notifiers"
	put proc/cmdline 'memmap=1M$0x10000000 crash_kexec_post_notifiers'
	finds "kdump, later, by command line" 'ok    kdump: loaded, after'
	put proc/sys/kernel/panic 0
	finds "no reboot after a panic" 'warn  panic: .*kernel.panic=10'
	put proc/sys/kernel/panic -1
	finds "reboot at once" 'ok    panic: reboots at once'
	put sys/class/watchdog/watchdog0/state inactive
	finds "lockups panic" 'ok    hang: lockups panic; no hardware watchdog runs'
	put proc/sys/kernel/softlockup_panic 0
	finds "watchdog" 'ok    hang: a hardware watchdog resets the machine$'
	put sys/class/watchdog/watchdog0/state inactive
	put proc/sys/kernel/softlockup_panic 0
	finds "no watchdog runs" 'warn  hang: .*RuntimeWatchdogSec.*softlockup_panic=1'
	rm -r "$root/sys/class/watchdog" "${root:?}/dev"
	put proc/sys/kernel/nmi_watchdog 0
	finds "no watchdog" 'warn  hang: .*no hardware watchdog: sysctl kernel.nmi_watchdog=1'
	rm -r "$root/sys/class/watchdog"
	rm "$root/proc/sys/kernel/hardlockup_panic"
	finds "no lockup detector" 'warn  hang: .*kernel.hardlockup_panic=1'
}
