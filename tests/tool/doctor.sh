# shellcheck shell=bash disable=SC2154,SC2016 # set by run; $ is meant
# SPDX-License-Identifier: GPL-2.0
#
# Tests of "jtrace doctor", on made-up systems

mor=sys/firmware/efi/efivars/MemoryOverwriteRequestControl
mor=$mor-e20939be-32d4-41be-a150-897f85d49829

# put PATH TEXT: write a file of the system
put() {
	[ -d "$root/${1%/*}" ] || mkdir -p "$root/${1%/*}"
	printf '%b\n' "$2" > "$root/$1"
}

# firmware N START END TYPE: add an entry to the firmware's memory map
firmware() {
	put "sys/firmware/memmap/$1/start" "$2"
	put "sys/firmware/memmap/$1/end" "$3"
	put "sys/firmware/memmap/$1/type" "$4"
}

# A system without a fault: a copy of the one that was made first.
good_system() {
	rm -rf "$root"
	if [ -d "$tmp/good" ]; then
		cp -r "$tmp/good" "$root"
		return
	fi
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
	put proc/sys/kernel/hung_task_panic 1
	put proc/sys/kernel/panic_on_rcu_stall 1
	put proc/sys/kernel/nmi_watchdog 1
	put dev/watchdog ''
	put sys/class/watchdog/watchdog0/state active
	put sys/kernel/kexec_crash_loaded 0
	put sys/kernel/security/lockdown '[none] integrity confidentiality'
	put sys/module/kernel/parameters/crash_kexec_post_notifiers N
	put sys/module/jtrace/parameters/mem_name '(null)'
	put sys/kernel/debug/jtrace/state \
		'size=1048576
persistent=y
mem_address=0x10000000\nmem_size=1048576\nmem_type=wb'
	put "$mor" '\x07\x00\x00\x00\x00'
	put etc/modprobe.d/jtrace.conf \
		'options jtrace enabled=persistent mem_address=0x10000000 mem_size=1M'
	put dev/kmsg '6,1,0,-;jtrace: 1048576 bytes, 16000 large entries, clock ticks'
	firmware 0 0x0 0x9fbff 'System RAM'
	firmware 1 0x100000 0x17ffffff 'System RAM'
	firmware 2 0x18000000 0x1fffffff 'System RAM'
	firmware 3 0xfffc0000 0xffffffff Reserved
	cp -r "$root" "$tmp/good"
}

# finds NAME LINE-REGEX [STATUS]: pass if the line is there, no other line but that of
# reserve_mem= is a warning or failure, and the status is right
finds() {
	local want_status=${3:-0}

	case $2 in FAIL*) want_status=1 ;; esac
	status=0
	JTRACE_ROOT=$root "$jtrace" doctor > "$tmp/out" 2> "$tmp/err" || status=$?
	if [ "$status" -ne "$want_status" ] || [ -s "$tmp/err" ]; then
		not_ok "doctor, $1: exit status $status, not $want_status" "$tmp/out" "$tmp/err"
	elif ! grep -qE "^$2" "$tmp/out"; then
		not_ok "doctor, $1: not \"$2\"" "$tmp/out"
	elif grep -vE "^($2|ok |warn  reserve_mem: a larger initrd moves the region)" "$tmp/out" \
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
		[ "$(grep -c '^ok    ' "$tmp/out")" -eq 14 ] &&
		! grep -qv '^ok    ' "$tmp/out" && [ ! -s "$tmp/err" ]; then
		ok "doctor, all is well"
	else
		not_ok "doctor, all is well" "$tmp/out" "$tmp/err"
	fi
	doctor_module
	doctor_refused
	doctor_parameters
	doctor_device_tree
	doctor_memmap
	doctor_reserve_mem
	doctor_memory
	doctor_reset
	doctor_history
}

doctor_module() {
	rm -r "$root/sys/module/jtrace" "$root/sys/kernel/debug"
	finds "no module" 'FAIL  module: not loaded: run modprobe jtrace'
	rm -r "$root/sys/kernel/debug/jtrace" "$root/proc/mounts"
	finds "no debugfs" 'FAIL  debugfs: .*: run mount -t debugfs'
	put sys/kernel/debug/jtrace/state 'persistent=n'
	finds "not persistent" 'FAIL  persistent: no: .*: run jtrace setup, or .*enabled=persistent'
	finds "the region" 'ok    persistent: yes, 1048576 bytes at 0x10000000, wb'
	put sys/kernel/debug/jtrace/state 'persistent=y
mem_address=0x0\nmem_size=1048576'
	finds "the region, not shown" 'ok    persistent: yes$'
	put sys/kernel/debug/jtrace/state 'persistent=y'
	finds "the region, not compared" \
		'ok    parameters: the next boot uses 0x100000 bytes .*; run sudo jtrace doctor '
	put sys/kernel/security/lockdown 'none [integrity] confidentiality'
	finds "lockdown" 'ok    lockdown: on: '
}

# remembers MS: the module says so
remembers() {
	put sys/kernel/debug/jtrace/state "persistent=y
mem_address=0x10000000
mem_size=1048576
mem_type=wb
size=1048576
history_ms=$1"
	put proc/sys/kernel/watchdog_thresh 10
}

doctor_history() {
	remembers 20000
	finds "a long history" 'ok    history: the buffer holds 20\.0 s at the present rate$'
	remembers 20000
	put proc/sys/kernel/watchdog_thresh 60
	finds "a short history" \
		'warn  history: .* 20\.0 s at .* 120 s \(kernel\.watchdog_thresh\): .* 6 times'
	remembers 1
	put sys/class/watchdog/watchdog0/timeout 300
	finds "a slow watchdog" 'warn  history: .* after 300 s \(watchdog\)'
	remembers ''
	finds "no history" 'ok    module: loaded'
}

# not_loaded TEXT: a system without the module, whose kernel log ends with TEXT
not_loaded() {
	rm -r "$root/sys/module/jtrace" "$root/sys/kernel/debug"
	put dev/kmsg "4,9,0,-;jtrace: loading out-of-tree module taints kernel.\\n$1"
}

doctor_refused() {
	not_loaded '3,10,0,-;jtrace: mem_size=5000: must be a multiple of 4096\n SUBSYSTEM=x'
	finds "refused" \
		'FAIL  module: not loaded; the kernel log says: mem_size=5000: must be a multiple'
	not_loaded '3,10,0,-;jtrace: old\n3,11,0,-;jtrace: new\n3,12,0,-;other: words'
	finds "refused twice" 'FAIL  module: not loaded; the kernel log says: new$'
	not_loaded '4,10,0,-;jtrace: Unknown symbol crc32c (err -2)'
	finds "refused by the kernel" \
		'FAIL  module: not loaded; the kernel log says: Unknown symbol crc32c'
	not_loaded '3,10,0,-;jtrace: old\n6,11,0,-;jtrace: 4096 bytes, 80 small entries, clock fast'
	finds "refused, then loaded and unloaded" 'FAIL  module: not loaded: run modprobe jtrace$'
	not_loaded ''
	rm "$root/dev/kmsg"
	finds "refused, no kernel log" \
		'FAIL  module: not loaded: run modprobe jtrace; if it fails, look into dmesg$'
}

# options TEXT: set the options in modprobe.d
options() {
	put etc/modprobe.d/jtrace.conf "options jtrace $1"
}

doctor_parameters() {
	finds "modprobe.d" 'ok    parameters: the next boot uses the same memory'
	options 'enabled=persistent mem_address=0x11000000 mem_size=1M'
	finds "modprobe.d, another place" \
		'FAIL  parameters: .* bytes at 0x11000000, .* bytes at 0x10000000 now: .*: load '
	options 'enabled=persistent mem_address=0x10000000 mem_size=512K'
	finds "modprobe.d, another size" 'FAIL  parameters: the next boot uses 0x80000 bytes'
	options 'enabled=on'
	finds "modprobe.d, not persistent" 'warn  parameters: no enabled=persistent in modprobe.d .*: run jtrace setup$'
	rm "$root/etc/modprobe.d/jtrace.conf"
	finds "modprobe.d, nothing" \
		'warn  parameters: no parameters for jtrace in modprobe.d .*: run jtrace setup, or '
	options 'enabled=persistent mem_name=trace'
	put proc/cmdline 'memmap=1M$0x10000000 jtrace.mem_name=other'
	finds "parameters, on the command line" \
		'FAIL  parameters: .* mem_name=other, .* bytes at 0x10000000 now: .*: load '
	rm "$root/etc/modprobe.d/jtrace.conf"
	put proc/cmdline 'memmap=1M$0x10000000 jtrace.enabled=persistent
jtrace.mem_address=0x10000000 jtrace.mem_size=1M'
	finds "parameters, on the command line alone" 'ok    parameters: the next boot uses the same'
	# It is not loaded, or shows no address: doctor checks the next boot.
	put sys/kernel/debug/jtrace/state 'persistent=y'
	options 'enabled=persistent mem_address=0x20000000 mem_size=1M'
	put proc/iomem '00001000-1fffffff : System RAM\n20000000-200fffff : Reserved'
	firmware 2 0x18000000 0x200fffff 'System RAM'
	finds "parameters, and memmap=" \
		"FAIL  memmap: .* 0x20000000, which jtrace uses at the next boot: memmap= does not reserve them: add memmap=0x100000\\\$0x20000000 to"
	put sys/kernel/debug/jtrace/state 'persistent=y'
	put proc/iomem '00001000-1fffffff : System RAM'
	finds "parameters, and iomem" 'FAIL  iomem: 0x100000 bytes at 0x10000000 are System RAM'
	put sys/kernel/debug/jtrace/state 'persistent=y'
	put sys/module/jtrace/parameters/mem_name trace
	options 'enabled=persistent mem_name=trace'
	finds "parameters, and reserve_mem=" \
		'FAIL  reserve_mem: the command line has no reserve_mem=, .* mem_name=trace'
	put sys/kernel/debug/jtrace/state 'persistent=y
size=4096\nmem_address=0x10000000
mem_size=1048576'
	finds "a small part of the region" \
		"warn  size: jtrace uses 4096 of the region's 1048576 bytes: set target_buffer_size=1024K to"
	large_system
	finds "a region larger than jtrace uses" \
		'ok    parameters: the next boot uses the same memory'
	large_system
	options 'enabled=persistent mem_address=0x20000000 mem_size=128M'
	finds "a region that is smaller at the next boot" \
		'FAIL  parameters: .* 0x8000000 bytes .* 0x10000000 bytes at 0x20000000 now'
	large_system
	put sys/kernel/debug/jtrace/state 'persistent=y'
	finds "a region larger than jtrace will use" \
		'ok    parameters: the next boot uses 0x10000000 bytes at 0x20000000; '
}

# 512 MiB are reserved; jtrace uses 256 MiB of them, and says so
large_system() {
	put proc/cmdline 'memmap=512M$0x20000000'
	put proc/iomem '00001000-1fffffff : System RAM\n20000000-3fffffff : Reserved'
	firmware 2 0x18000000 0x3fffffff 'System RAM'
	options 'enabled=persistent mem_address=0x20000000 mem_size=512M'
	put sys/kernel/debug/jtrace/state 'size=268435456
persistent=y\nmem_address=0x20000000
mem_size=268435456'
}

# node NAME COMPATIBLE REG: add a node to /reserved-memory of the device tree, with one cell
# each for address and size
node() {
	local memory=proc/device-tree/reserved-memory

	put "$memory/#address-cells" '\0\0\0\x01'
	put "$memory/#size-cells" '\0\0\0\x01'
	put "$memory/$1/compatible" "$2\\0"
	[ -z "$3" ] || put "$memory/$1/reg" "$3"
}

# node_system [REG]: a machine whose device tree has a node for jtrace, and no memmap=
node_system() {
	node trace@10000000 'vendor,trace\0jtrace' "${1-\\x10\\0\\0\\0\\0\\x10\\0\\0}"
	put proc/cmdline quiet
	options enabled=persistent
}

# The same, without no-map
node_ram() {
	node_system
	put proc/iomem '00001000-1fffffff : System RAM\n  10000000-100fffff : reserved'
}

doctor_device_tree() {
	node_system
	finds "a node" 'ok    parameters: the next boot uses the same memory'
	node_system
	put 'proc/device-tree/reserved-memory/#address-cells' '\0\0\0\x02'
	put 'proc/device-tree/reserved-memory/#size-cells' '\0\0\0\x02'
	put proc/device-tree/reserved-memory/trace@10000000/reg \
		'\0\0\0\0\x10\0\0\0\0\0\0\0\0\x10\0\0'
	finds "a node, 64 bits" 'ok    parameters: the next boot uses the same memory'
	node_system '\x11\0\0\0\0\x10\0\0'
	finds "a node, another place" \
		'FAIL  parameters: .* bytes at 0x11000000, .* bytes at 0x10000000 now: .*: load '
	node_system '\x11\0\0\0\0\x10\0\0'
	node second 'jtrace' '\x10\0\0\0\0\x10\0\0'
	node third 'jtrace' '\x12\0\0\0\0\x10\0\0'
	finds "several nodes" 'ok    parameters: the next boot uses the same memory'
	node_system ''
	finds "a node without reg" 'warn  parameters: .* has no reg'
	node_system
	put sys/kernel/debug/jtrace/state 'persistent=y'
	finds "a node, not compared" \
		'ok    parameters: the next boot uses 0x100000 bytes at 0x10000000; '
	node_system
	options 'enabled=persistent mem_address=0x11000000 mem_size=1M'
	finds "a node, parameters for another place" \
		'FAIL  parameters: .* bytes at 0x11000000, .* bytes at 0x10000000 now: .*: load '
	node_system
	rm -r "$root/sys/module/jtrace"
	finds "a node, not loaded" 'FAIL  module: not loaded: run modprobe jtrace'
	node_system
	put proc/cmdline 'reserve_mem=12M:4096:ftrace trace_instance=x@ftrace'
	finds "a node beside ftrace's reserve_mem=" \
		'ok    reserve_mem: 12M:4096:ftrace: not for jtrace'
	node_system
	put proc/cmdline 'reserve_mem=12M:4096:ftrace'
	rm -r "$root/etc/modprobe.d/jtrace.conf" "$root/proc/device-tree"
	put sys/kernel/debug/jtrace/state 'persistent=y'
	finds "memory of the firmware, not shown, beside ftrace's reserve_mem=" \
		'warn  parameters: no parameters for jtrace'
	node_system
	put proc/cmdline 'reserve_mem=12M:4096:ftrace'
	rm -r "$root/sys/module/jtrace"
	finds "a node beside ftrace's reserve_mem=, not loaded" \
		'FAIL  module: not loaded: run modprobe jtrace'
	# Without no-map the kernel maps it, and gave it to jtrace.
	node_ram
	finds "a node without no-map" \
		'ok    iomem: .* System RAM that the kernel reserved for jtrace$'
	node_ram
	rm -r "$root/sys/module/jtrace"
	finds "a node without no-map, not loaded" 'FAIL  module: not loaded: run modprobe jtrace'
	node_ram
	put sys/kernel/debug/jtrace/state 'persistent=y'
	finds "a node without no-map, not compared" \
		'ok    iomem: .* System RAM that the kernel reserved for jtrace$'
	node_ram
	rm "$root/etc/modprobe.d/jtrace.conf"
	finds "a node without no-map, loaded by hand" 'warn  parameters: no parameters for jtrace'
	node_ram
	put sys/kernel/debug/jtrace/state 'persistent=y'
	options 'enabled=persistent mem_address=0x10000000 mem_size=1M'
	finds "a node, and parameters for System RAM" 'FAIL  iomem: .* are System RAM'
	# The next boot gets no valid address.
	options enabled=persistent
	finds "no node" 'FAIL  parameters: .* jtrace will not load: .* and run jtrace setup$'
	node ramoops@10000000 ramoops '\x10\0\0\0\0\x10\0\0'
	options enabled=persistent
	finds "no node but another's" 'FAIL  parameters: .* jtrace will not load: .* and run jtrace setup$'
	node_system
	put proc/device-tree/reserved-memory/trace@10000000/status 'disabled\0'
	finds "a node that is disabled" 'FAIL  parameters: .* jtrace will not load: .* and run jtrace setup$'
	node_system
	put proc/device-tree/reserved-memory/trace@10000000/status 'okay\0'
	finds "a node that is enabled" 'ok    parameters: the next boot uses the same memory'
	node_system
	options 'enabled=persistent mem_size=1M'
	finds "a node, and a size without address" 'FAIL  parameters: .* jtrace will not load: .* and run jtrace setup$'
}

doctor_memmap() {
	finds "memmap=" 'ok    memmap: reserves 0x100000 bytes at 0x10000000'
	put proc/cmdline 'memmap=1Mx10000000 memmap=1M$0x10000000'
	finds "memmap= without \$" 'FAIL  memmap: 1Mx10000000 has no \$.*boot loader.*: write '
	put proc/cmdline 'memmap=1M,1M$0x10000000'
	finds "memmap= with a size alone" 'FAIL  memmap: 1M has no \$'
	put proc/cmdline 'memmap=1M$ memmap=1M$0x10000000'
	finds "memmap= without an address" 'FAIL  memmap: 1M\$ reserves 0x100000 bytes at 0x0: must'
	put proc/cmdline 'memmap=1M!0x20000000 memmap=1M$0x10000000'
	finds "memmap= for pmem" "warn  memmap: .* reserves nothing: '!' is not"
	put proc/cmdline 'memmap=1M%0x10000000-1+2'
	finds "memmap= of another type" 'ok    memmap: reserves 0x100000 bytes at 0x10000000'
	put proc/cmdline 'memmap=1M%0x10000000+2'
	finds "memmap= of any type" 'ok    memmap: reserves 0x100000 bytes at 0x10000000'
	put proc/cmdline 'memmap=1M%0x20000000-1+3 memmap=1M$0x10000000'
	finds "memmap= of a type that is used" "ok    memmap: 1M%0x20000000-1\\+3 reserves nothing: '%'"
	put proc/cmdline 'memmap=1M%0x20000000-1 memmap=1M$0x10000000'
	finds "memmap= that takes away" "ok    memmap: 1M%0x20000000-1 reserves nothing: '%'"
	put proc/cmdline 'memmap=1M$0x20000000'
	finds "memmap= elsewhere" 'FAIL  memmap: 0x100000 bytes at 0x10000000, which jtrace uses'
	put proc/cmdline 'memmap=64K$0x0ff00000,2M$0xff80000'
	finds "memmap= of more" 'ok    memmap: reserves 0x200000 bytes at 0xff80000'
	reserves_nothing "nothing is reserved" 'add memmap=0x100000$0x10000000, unless '
	rm "$root/etc/modprobe.d/jtrace.conf"
	reserves_nothing "nothing is reserved, and no parameters" 'run jtrace setup, or add memmap=1M$'
}

# reserves_nothing NAME REMEDY: without memmap=, and not persistent
reserves_nothing() {
	put proc/cmdline quiet
	put sys/kernel/debug/jtrace/state 'persistent=n'
	JTRACE_ROOT=$root "$jtrace" doctor > "$tmp/out" 2>&1
	if grep -qF "warn  memmap: the command line reserves no memory: $2" "$tmp/out"; then
		ok "doctor, $1"
	else
		not_ok "doctor, $1" "$tmp/out"
	fi
	good_system
}

# reserve_mem_system CMDLINE: a system with jtrace in the region named trace
reserve_mem_system() {
	put proc/cmdline "$1"
	put sys/module/jtrace/parameters/mem_name trace
	options 'enabled=persistent mem_name=trace'
}

doctor_reserve_mem() {
	reserve_mem_system 'nokaslr reserve_mem=4M:2M:trace'
	finds "reserve_mem=" 'ok    reserve_mem: 4M:2M:trace'
	reserve_mem_system 'nokaslr reserve_mem=4M:2M:trace'
	put proc/iomem '00001000-1fffffff : System RAM'
	finds "reserve_mem=, System RAM" 'ok    iomem: .* System RAM that reserve_mem= reserves'
	reserve_mem_system 'nokaslr reserve_mem=4M:2M:trace'
	finds "reserve_mem=, initrd" 'warn  reserve_mem: a larger initrd moves the region'
	reserve_mem_system 'reserve_mem=4M:2M:trace'
	finds "reserve_mem=, KASLR" 'warn  reserve_mem: .*: add nokaslr;'
	reserve_mem_system 'reserve_mem=4M:2M:trace'
	put proc/sys/kernel/osrelease 6.1.0-56-amd64
	finds "reserve_mem=, 6.1" 'FAIL  reserve_mem: kernel 6.1.0-56-amd64 does not know .*: use memmap='
	reserve_mem_system 'nokaslr reserve_mem=4M:trace'
	finds_two "reserve_mem=, three fields" 'FAIL  reserve_mem: 4M:trace: must be SIZE:ALIGN:NAME'
	reserve_mem_system 'nokaslr reserve_mem=4M:4096:trace'
	finds_two "reserve_mem=, alignment" 'warn  reserve_mem: .* below 2M'
	reserve_mem_system 'nokaslr reserve_mem=1M:2M:trace'
	finds_two "reserve_mem=, size" 'warn  reserve_mem: .* below 2M'
	put proc/cmdline 'memmap=1M$0x10000000 reserve_mem=12M:4096:ftrace trace_instance=x@ftrace'
	finds "reserve_mem=, ftrace's beside memmap=" 'ok    reserve_mem: 12M:4096:ftrace: not for jtrace'
	put proc/cmdline 'memmap=1M$0x20000000 reserve_mem=12M:4096:ftrace'
	finds "reserve_mem=, ftrace's beside another memmap=" \
		'FAIL  memmap: .*: memmap= does not reserve them: add memmap=0x100000\$0x10000000 '
	reserve_mem_system 'nokaslr reserve_mem=12M:4096:ftrace reserve_mem=4M:2M:trace'
	finds "reserve_mem=, ftrace's beside ours" 'ok    reserve_mem: 12M:4096:ftrace: not for jtrace'
	put proc/cmdline 'nokaslr reserve_mem=4M:2M:trace'
	rm -r "$root/sys/module/jtrace" "$root/etc/modprobe.d/jtrace.conf"
	finds_two "reserve_mem=, not loaded" 'warn  reserve_mem: a larger initrd moves the region'
	reserve_mem_system 'nokaslr reserve_mem=4M:2M:other'
	finds_two "reserve_mem=, name" \
		'FAIL  reserve_mem: .* is named other, .* mem_name=trace: give both the same name'
}

# Like finds, but expect the warning about reserve_mem=, too.
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
	finds "iomem, RAM" 'FAIL  iomem: 0x100000 bytes at 0x10000000 are System RAM .*: check memmap='
	put proc/iomem '00001000-100fefff : System RAM\n100ff000-1fffffff : Reserved'
	finds "iomem, RAM in part" 'FAIL  iomem: 0x100000 bytes at 0x10000000 are System RAM'
	put proc/iomem '00000000-00000000 : System RAM\n00000000-00000000 : Reserved'
	finds "iomem, hidden" 'warn  iomem: .*: run sudo jtrace doctor'
	put proc/iomem '00001000-0fffffff : System RAM\n10000000-100fffff : PCI Bus 0000:00'
	finds "iomem, another's" 'warn  iomem: .* belong to "PCI Bus 0000:00": choose'
	put proc/iomem '00001000-0fffffff : System RAM'
	finds "iomem, nothing" 'warn  iomem: .* knows of no memory there: choose'
	firmware 2 0x18000000 0x18000fff 'System RAM'
	firmware 1 0x100000 0x100fefff 'System RAM'
	finds "the firmware's map, a hole" 'FAIL  iomem: .*: the firmware has no memory at 0x100ff000: choose'
	firmware 1 0x100000 0x1007ffff 'System RAM'
	firmware 2 0x10080000 0x1fffffff 'System RAM'
	finds "the firmware's map, two entries" 'ok    iomem: 0x100000 bytes at 0x10000000 are reserved'
	firmware 1 0x100000 0x1007ffff 'System RAM'
	firmware 2 0x10080000 0x1fffffff Reserved
	finds "the firmware's map, its own" \
		'warn  iomem: .* has no RAM at 0x10080000, but "Reserved": choose'
	rm -r "$root/sys/firmware/memmap"
	finds "no map of the firmware" 'ok    iomem: 0x100000 bytes at 0x10000000 are reserved'
	put "$mor" '\x07\x00\x00\x00\x01'
	finds "EFI clears memory" 'FAIL  firmware: EFI clears memory at the next reset .* 0x01'
	put "$mor" '\x07\x00\x00\x00\x10'
	finds "EFI, another bit" 'ok    firmware: no request to EFI'
	rm "$root/$mor"
	finds "EFI, no such variable" 'ok    firmware: EFI supports no request'
	rm -r "$root/sys/firmware/efi/efivars"
	finds "EFI, no efivarfs" 'warn  firmware: .*cannot be read: mount efivarfs, and run sudo jtrace doctor'
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
	options 'enabled=persistent mem_address=0x10000000 mem_size=4096'
	put sys/kernel/debug/jtrace/state 'persistent=y
mem_address=0x10000000\nmem_size=4096\nmem_type=wc'
	finds "mem_type=wc" 'ok    cpu: mem_type=wc: no cache'
}

# hangs NAME VALUE [NAME VALUE]...: sysctls of a machine without an active watchdog
hangs() {
	put sys/class/watchdog/watchdog0/state inactive
	while [ $# -gt 0 ]; do
		put "proc/sys/kernel/$1" "$2"
		shift 2
	done
}

doctor_hang() {
	finds "hangs speak" 'ok    hang: hangs cause a panic, and a hardware watchdog resets the machine$'
	hangs
	finds "hangs panic" 'ok    hang: hangs cause a panic, but no hardware watchdog runs$'
	put proc/sys/kernel/softlockup_panic 0
	finds "watchdog" \
		'ok    hang: .* resets .*, but soft lockups cause no panic: run .* --hangs$'
	hangs softlockup_panic 0
	finds "no watchdog runs" \
		'warn  hang: nothing .*: soft lockups cause no panic: run jtrace setup --hangs$'
	hangs soft_watchdog 0
	finds "no detector" 'warn  hang: .*: soft lockups cause .*'
	hangs watchdog_thresh 0 panic_on_rcu_stall 0
	finds "no threshold" 'warn  hang: .*: soft lockups, hard lockups, RCU stalls cause .*'
	hangs hung_task_panic 0
	finds "a hung task" 'ok    hang: a CPU that hangs causes a panic, but hung tasks cause none: .*'
	hangs hung_task_timeout_secs 0
	finds "no time for tasks" 'ok    hang: .*, but hung tasks cause none: .*'
	hangs hung_task_panic 3
	finds "the third hung task" 'ok    hang: hangs cause a panic, but .*'
	# As in a virtual machine: another CPU finds the one that hangs.
	hangs nmi_watchdog 0
	finds "no NMI watchdog" 'ok    hang: hangs cause a panic, but .*'
	hangs nmi_watchdog 0 panic_on_rcu_stall 0
	finds "no NMI watchdog, no RCU stall" 'warn  hang: .*: hard lockups, RCU stalls cause .*'
	hangs hardlockup_panic 0 panic_on_rcu_stall 0
	finds "no panic, no RCU stall" 'warn  hang: .*: hard lockups, RCU stalls cause .*'
	hangs panic_on_rcu_stall 0
	finds "an RCU stall" 'ok    hang: a CPU .*, but RCU stalls cause none: .*'
	# A kernel without the detectors.
	hangs
	rm "$root"/proc/sys/kernel/{softlockup_panic,hardlockup_panic,hung_task_panic}
	finds "no lockup detector" 'warn  hang: .*: soft lockups, hung tasks cause .*'
}

doctor_reset() {
	put sys/module/pvpanic/version 1
	finds "pvpanic" 'warn  pvpanic: loaded: .*-action panic=none'
	put sys/kernel/kexec_crash_loaded 1
	finds "kdump" 'warn  kdump: loaded: .*crash_kexec_post_notifiers'
	put sys/kernel/kexec_crash_loaded 1
	put sys/module/kernel/parameters/crash_kexec_post_notifiers Y
	finds "kdump, later" 'ok    kdump: loaded; jtrace prints'
	put sys/kernel/kexec_crash_loaded 1
	rm "$root/sys/module/kernel/parameters/crash_kexec_post_notifiers"
	put proc/cmdline 'memmap=1M$0x10000000 crash_kexec_post_notifiers'
	finds "kdump, later, by command line" 'ok    kdump: loaded; jtrace prints'
	put proc/sys/kernel/panic 0
	finds "no reboot after a panic" 'warn  panic: .*: run sysctl kernel.panic=10'
	put proc/sys/kernel/panic -1
	finds "reboot at once" 'ok    panic: the machine reboots at once'
	doctor_hang
	put sys/class/watchdog/watchdog0/state active
	put sys/class/watchdog/watchdog0/identity 'Software Watchdog'
	put proc/sys/kernel/softlockup_panic 0
	finds "softdog is no hardware" 'warn  hang: nothing resets a machine that hangs: .*'
	put sys/class/watchdog/watchdog1/state active
	put sys/class/watchdog/watchdog1/identity 'iTCO_wdt'
	put proc/sys/kernel/softlockup_panic 0
	finds "the second watchdog" 'ok    hang: a hardware watchdog resets the machine, .*'
	put sys/kernel/debug/jtrace/enabled 0
	finds "recording is off" 'warn  recording: off: run jtrace start'
	rm "$root/sys/kernel/debug/jtrace/enabled"
	put etc/modprobe.d/off.conf 'install jtrace /bin/false'
	finds "modprobe loads nothing" \
		"FAIL  parameters: modprobe.d runs a command in place of loading jtrace: 'install jtrace /bin/false': .*"
	rm "$root/etc/modprobe.d/off.conf"
	rm -r "$root/sys/class/watchdog" "${root:?}/dev"
	finds "no watchdog" 'ok    hang: hangs cause a panic, but no hardware watchdog runs$'
}
