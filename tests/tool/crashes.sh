# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # set by run
#
# crashes.sh - tests of "jtrace --cause", signatures, and "jtrace crashes"; sourced by run

# panic REASON [OPTION...] < LINES: make an image of a machine that panicked with this kernel log
panic() {
	local reason=$1

	shift
	awk '{ printf "%d <0>[%12.6f] %s\n", NR, 5 + NR / 1000, $0 }' > "$tmp/panic.log"
	"$tmp/mkimage" -x 3 -W "$reason" -L 65536 -g "$tmp/panic.log" "$@" > "$tmp/panic"
}

# signed NAME WANT: pass if that machine has this signature
signed() {
	local got

	if run 3 --cause "$tmp/panic" && got=$(cut -d ' ' -f 5- "$tmp/out") && [ "$got" = "$2" ]; then
		ok "signature: $1"
	else
		printf '%s\n' "$2" > "$tmp/want"
		not_ok "signature: $1" "$tmp/want" "$tmp/out" "$tmp/err"
	fi
}

# A report as x86 prints it: mydriver_irq+0x2f, called by mydriver_go.
oops_on_x86() {
	cat <<- 'LINES'
	mydriver: starts
	BUG: kernel NULL pointer dereference, address: 0000000000000010
	#PF: supervisor write access in kernel mode
	Oops: 0002 [#1] PREEMPT SMP NOPTI
	CPU: 1 PID: 191 Comm: insmod Tainted: G           OE    N 6.1.0-56-cloud-amd64 #1
	RIP: 0010:mydriver_irq.isra.0+0x2f/0x40 [mydriver]
	RSP: 0018:ffffcb30405db9c8 EFLAGS: 00000286
	Call Trace:
	 <TASK>
	 ? __die_body.cold+0x1a/0x1f
	 mydriver_go+0xe3/0x1000 [mydriver]
	 ? 0xffffffffc03d8000
	 vfs_write+0x59/0x220
	 do_syscall_64+0x5d/0x90
	 entry_SYSCALL_64_after_hwframe+0x6e/0xd8
	RIP: 0033:0x47fbe9
	 </TASK>
	---[ end trace 0000000000000000 ]---
	RIP: 0010:mydriver_irq+0x2f/0x40 [mydriver]
	Kernel panic - not syncing: Fatal exception
	LINES
}

null="NULL pointer dereference: mydriver_irq [mydriver] < mydriver_go [mydriver] < vfs_write"

test_signature() {
	oops_on_x86 | panic "Fatal exception"
	signed "an oops on x86" "$null"
	oops_on_x86 | sed -e 's/0x2f/0x77/' -e 's/0010$/0018/' -e 's/PID: 191/PID: 4/' |
		panic "Fatal exception in interrupt" -R 6.12.1-other -i 9
	signed "no address, offset or release" "$null"
	panic "Oops: Fatal exception" <<- 'LINES'
	Unable to handle kernel NULL pointer dereference at virtual address 0000000000000010
	Mem abort info:
	Internal error: Oops: 0000000096000044 [#1] SMP
	CPU: 1 PID: 191 Comm: insmod Not tainted 6.1.0-56-arm64 #1
	pc : mydriver_irq+0x2c/0x40 [mydriver]
	lr : mydriver_irq+0x20/0x40 [mydriver]
	Call trace:
	 mydriver_irq+0x2c/0x40 [mydriver]
	 mydriver_go+0xe0/0x1000 [mydriver]
	 vfs_write+0xc0/0x300
	 __arm64_sys_write+0x24/0x30
	 invoke_syscall+0x48/0x114
	Kernel panic - not syncing: Oops: Fatal exception
	LINES
	signed "the same on arm64" "$null"
	oops_on_x86 | sed '/^ mydriver_go/d' | panic "Fatal exception"
	signed "another caller" "NULL pointer dereference: mydriver_irq [mydriver] < vfs_write"
	oops_on_x86 | sed '/^Call Trace/,/^ .*TASK>/d' | panic "Fatal exception"
	signed "a report without callers" "NULL pointer dereference: mydriver_irq [mydriver]"
	oops_on_x86 | sed -e 's,BUG: .*,kernel BUG at /tmp/mydriver.c:57!,' \
		-e 's/^Oops: 0002/invalid opcode: 0000/' | panic "Fatal exception"
	signed "a BUG without its line" "BUG: ${null#*: }"
	# Its last line is that of an older oops.
	oops_on_x86 | sed '$s/:.*/: mydriver: lost 3 of 7 rings/' |
		panic "mydriver: lost 3 of 7 rings"
	signed "a panic of its own" "mydriver: lost of rings"
	oops_on_x86 | sed -e '/^BUG: /d' -e 's/^Oops: 0002/divide error: 0000/' |
		panic "Fatal exception"
	signed "an oops without a name of its own" "divide error: ${null#*: }"
	oops_on_x86 | sed -e '/^BUG: /d' \
		-e 's/^Oops: 0002.*/Oops: divide error: 0000 [#1] SMP PTI/' | panic "Fatal exception"
	signed "the same in another kernel" "divide error: ${null#*: }"
	test_signature_waits
}

# Watchdogs.
test_signature_waits() {
	panic "hung_task: blocked tasks" <<- 'LINES'
	INFO: task insmod:192 blocked for more than 8 seconds.
	task:insmod          state:D stack:0     pid:192   ppid:191    flags:0x00000002
	Call Trace:
	 <TASK>
	 __schedule+0x34d/0xa00
	 schedule+0x5a/0xd0
	 schedule_timeout+0x11a/0x150
	 __wait_for_common+0x94/0x1e0
	 mydriver_wait+0x11/0x20 [mydriver]
	 do_one_initcall+0x59/0x220
	 any_caller+0x1/0x2
	 </TASK>
	NMI backtrace for cpu 0
	RIP: 0010:native_safe_halt+0xb/0x10
	Call Trace:
	 default_idle+0x5/0x10
	INFO: task insmod:192 is blocked on a mutex likely owned by task cat:114.
	Call Trace:
	 owner+0x5/0x10
	Kernel panic - not syncing: hung_task: blocked tasks
	LINES
	signed "a hung task" "hung task: mydriver_wait [mydriver]"
	panic "softlockup: hung tasks" <<- 'LINES'
	watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [insmod:191]
	CPU: 1 PID: 191 Comm: insmod
	RIP: 0010:delay_tsc+0x31/0x60
	Call Trace:
	 <IRQ>
	 ? watchdog_timer_fn+0x1b0/0x210
	 </IRQ>
	 <TASK>
	 __const_udelay+0x1/0x2
	 mydriver_poll+0x31/0x60 [mydriver]
	 kthread+0xda/0x100
	 </TASK>
	Kernel panic - not syncing: softlockup: hung tasks
	LINES
	signed "a soft lockup, whatever delays" "CPU hang: mydriver_poll [mydriver]"
	panic "RCU Stall" <<- 'LINES'
	rcu: INFO: rcu_preempt self-detected stall on CPU
	rcu: RCU grace-period kthread stack dump:
	Call Trace:
	 <TASK>
	 __schedule+0x34d/0xa00
	 rcu_gp_fqs_loop+0x1/0x2
	 rcu_gp_kthread+0x1/0x2
	 kthread+0xda/0x100
	 </TASK>
	CPU: 1 PID: 191 Comm: insmod
	RIP: 0010:mydriver_poll+0x31/0x60 [mydriver]
	Call Trace:
	 <TASK>
	 kthread+0xda/0x100
	 </TASK>
	Kernel panic - not syncing: RCU Stall
	LINES
	signed "the same, if RCU finds it" "CPU hang: mydriver_poll [mydriver]"
	panic "kernel: panic_on_warn set ..." <<- 'LINES'
	WARNING: CPU: 1 PID: 191 at /tmp/mydriver.c:57 mydriver_check+0x31/0x60 [mydriver]
	CPU: 1 PID: 191 Comm: insmod
	RIP: 0010:mydriver_check+0x31/0x60 [mydriver]
	Call Trace:
	 <TASK>
	 mydriver_go+0xe3/0x1000 [mydriver]
	 do_syscall_64+0x5d/0x90
	Kernel panic - not syncing: kernel: panic_on_warn set ...
	LINES
	signed "a warning" "WARNING: mydriver_check [mydriver] < mydriver_go [mydriver]"
	panic "VFS: Unable to mount root fs on unknown-block(0,0)" <<- 'LINES'
	Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)
	CPU: 0 PID: 1 Comm: swapper/0
	Call Trace:
	 <TASK>
	 dump_stack_lvl+0x44/0x5c
	 panic+0x118/0x2f4
	 mount_root_generic+0x1a7/0x2a5
	 prepare_namespace+0x69/0x98
	 kernel_init_freeable+0x2a2/0x2d0
	 kernel_init+0x15/0x130
	 ret_from_fork+0x22/0x30
	LINES
	signed "a panic without an oops" "VFS: Unable to mount root fs on unknown-block: $(
		)mount_root_generic < prepare_namespace < kernel_init_freeable < kernel_init"
	# A message is missing after the second line: what follows may be of another report.
	sed -i 's/^\([3-9]\) /1\1 /' "$tmp/panic.log"
	"$tmp/mkimage" -x 3 -W "VFS: Unable to mount" -L 65536 -g "$tmp/panic.log" > "$tmp/panic"
	signed "not over a missing message" "VFS: Unable to mount"
	# Without a report: what jtrace why finds.
	printf '%s\n' healthy 'switch 1 0 12 0' 'waking 1 12 13 1' 'switch 1 12 13 2' \
		'seconds 0 20' | awk -f "$here/machine.awk" > "$tmp/why.in"
	"$tmp/mkimage" -c 500 -p 4 -e "$tmp/why.in" > "$tmp/panic"
	run 4 --cause "$tmp/panic"
	cut -d ' ' -f 5- "$tmp/out" > "$tmp/got"
	if [ "$(run 0 why "$tmp/panic"; grep -c '^1\. ' "$tmp/out")" -eq 1 ] &&
		grep -qE '^[^0-9(]*$' "$tmp/got" && ! grep -q 'hung or reset' "$tmp/got"; then
		ok "signature: a finding without its numbers"
	else
		not_ok "signature: a finding without its numbers" "$tmp/out" "$tmp/got"
	fi
}

# caused NAME STATUS REGEX ARG...: pass if --cause prints such a line
caused() {
	local name=$1 wanted=$2 regex=$3

	shift 3
	if run "$wanted" --cause "$@" && [ "$(wc -l < "$tmp/out")" -eq 1 ] &&
		grep -qxE "$regex" "$tmp/out"; then
		ok "cause: $name"
	else
		not_ok "cause: $name: exit status $status" "$tmp/out" "$tmp/err"
	fi
}

test_cause() {
	local boot=03030303030303030303030303030303

	oops_on_x86 | panic "Fatal exception" -i 3 -r 1780000000000000000
	caused "panicked" 3 \
		"panicked $boot 2026-05-28T20:26:40Z 6.1.0-test ${null//[\[\]]/.}" "$tmp/panic"
	"$tmp/mkimage" -i 3 -x 2 > "$tmp/clean"
	caused "clean" 0 "clean $boot [^ ]+ 6.1.0-test -" "$tmp/clean"
	"$tmp/mkimage" -i 3 -x 5 > "$tmp/clean"
	caused "clean, and kept" 0 "clean $boot [^ ]+ 6.1.0-test -" "$tmp/clean"
	"$tmp/mkimage" -i 3 -x 4 > "$tmp/clean"
	caused "unloaded" 5 "unknown $boot .*" "$tmp/clean"
	"$tmp/mkimage" -i 3 > "$tmp/running"
	caused "reset" 4 "hung_or_reset $boot [^ ]+ 6.1.0-test hung or reset" "$tmp/running"
	# Both headers are lost.
	zeroed "$tmp/running" 0 512 | head -c -512 > "$tmp/headless"
	caused "no header" 5 "unknown 0{32} - - .*" "$tmp/headless"
	"$tmp/mkimage" -i 3 -R "6.1 a" > "$tmp/running"
	caused "a release with a blank" 4 "hung_or_reset $boot [^ ]+ 6.1_a .*" "$tmp/running"
	says "--cause of this boot" 2 "--cause: needs -r or a file: this boot goes on" --cause
	says "--cause and -d" 2 "--cause: cannot be combined with -d" --cause -d "$tmp/running"
	says "--cause and --json" 2 "--cause: cannot be combined with --json" --cause --json -r
	says "--cause and why" 2 "--cause: cannot be combined with why" why --cause -r
	says "--cause and -n" 2 "--cause: cannot be combined with --last" --cause -n 1 -r
	export JTRACE_ROOT=$tmp/cause-root
	mkdir -p "$JTRACE_ROOT/sys/kernel/debug/jtrace" "$JTRACE_ROOT/sys/module/jtrace"
	: > "$JTRACE_ROOT/sys/kernel/debug/jtrace/recovered_raw"
	caused "no trace" 5 "unknown 0{32} - - -" -r
	cp "$tmp/panic" "$JTRACE_ROOT/sys/kernel/debug/jtrace/recovered_raw"
	caused "the recovered trace" 3 "panicked $boot .*" -r
	mkdir -p "$tmp/exporter"
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$jtrace" > "$tmp/exporter/jtrace"
	chmod +x "$tmp/exporter/jtrace"
	"$top/scripts/typed" textfile | sed "s,/var/lib/prometheus/node-exporter,$tmp/exporter," > "$tmp/typed"
	PATH=$tmp/exporter:$PATH sh "$tmp/typed" > "$tmp/log" 2>&1
	if [ "$(cat "$tmp/exporter/jtrace.prom")" = 'jtrace_last_boot_crashed{cause="panicked"} 1' ]; then
		ok "cause: for Prometheus"
	else
		not_ok "cause: for Prometheus" "$tmp/log" "$tmp/exporter/jtrace.prom"
	fi
	unset JTRACE_ROOT
}

# keep NUMBER BOOT NAME < IMAGE: put it into the archive
keep() {
	local folder=$JTRACE_ROOT/var/lib/jtrace/$2/$3

	mkdir -p "$folder"
	echo "$1" > "$folder/number"
	cat > "$folder/recovered_raw"
}

# shows_rows NAME REGEX...: pass if the last run printed exactly such lines
shows_rows() {
	local name=$1 n=0 line

	shift
	while IFS= read -r line; do
		n=$((n + 1))
		[ $n -le $# ] && grep -qxE -e "${!n}" <<< "$line" || n=1000
	done < "$tmp/out"
	if [ $n -eq $# ]; then
		ok "crashes: $name"
	else
		printf '%s\n' "$@" > "$tmp/want"
		not_ok "crashes: $name" "$tmp/want" "$tmp/out" "$tmp/err"
	fi
}

test_crashes() {
	local boot=03030303030303030303030303030303 first second
	local head='  N TIME .* BOOT .* KERNEL .* CAUSE .* SIZE SIGNATURE'

	first="  4 2026-05-28T20:26:40Z 03030303 6.1.0-test panicked +[0-9.]+K NULL pointer dereference: .*"
	second="  7 1970-01-01T00:00:0.Z 02020202 6.1.0-test hung_or_reset +[0-9.]+K hung or reset"
	export JTRACE_ROOT=$tmp/crashes-root
	mkdir -p "$JTRACE_ROOT/sys/kernel/debug/jtrace" "$JTRACE_ROOT/sys/module/jtrace"
	run 0 crashes
	shows_rows "none"
	oops_on_x86 | panic "Fatal exception" -i 3 -r 1780000000000000000
	keep 4 $boot 0123456789abcdef < "$tmp/panic"
	"$tmp/mkimage" -i 2 | keep 7 02020202020202020202020202020202 0123456789abcdef
	mkdir -p "$JTRACE_ROOT/var/lib/jtrace/notes/mine"
	run 0 crashes list
	shows_rows "the archive" "$head" "$first" "$second"
	run 0 crashes
	shows_rows "without a word" "$head" "$first" "$second"
	run 0 crashes -r -n 1
	shows_rows "the newest" "$head" "$second"
	run 0 crashes list --reverse
	shows_rows "the newest first" "$head" "$second" "$first"
	run 0 crashes --json
	shows_rows "as JSON" \
		'\{"type":"crash","number":4,"time":"2026-05-28T20:26:40Z",.*"cause":"panicked".*' \
		'.*"number":7,.*"recovered":false\}'
	# What the module has, and the archive has not.
	"$tmp/mkimage" -i 5 -x 3 -W oops > "$JTRACE_ROOT/sys/kernel/debug/jtrace/recovered_raw"
	run 0 crashes
	shows_rows "with the recovered trace" "$head" "$first" "$second" "  8 .* 05050505 .* panicked .* oops"
	cp "$tmp/panic" "$JTRACE_ROOT/sys/kernel/debug/jtrace/recovered_raw"
	run 0 crashes
	shows_rows "which the archive has" "$head" "$first" "$second"
	"$tmp/mkimage" -i 5 -x 2 > "$JTRACE_ROOT/sys/kernel/debug/jtrace/recovered_raw"
	run 0 crashes
	shows_rows "not one of a clean shutdown" "$head" "$first" "$second"
	: > "$JTRACE_ROOT/sys/kernel/debug/jtrace/recovered_raw"
	test_crashes_one
	test_crashes_rm
	unset JTRACE_ROOT
}

test_crashes_one() {
	run 0 crashes info 4
	shows_rows "info" ' +N: 4' ' +Time: 2026-05-28T20:26:40Z' ' +Boot: 0303.*' \
		' +Kernel: 6.1.0-test' \
		' +Cause: panicked' ' +Signature: NULL .*' \
		' +Storage: /var/lib/jtrace/(03){16}/0123456789abcdef' ' +Size: [0-9.]+K' \
		' +Why: It panicked: BUG: kernel NULL .*' ' {16}As of .*' ' {16}Nothing .*' \
		' {16}Not in .*' ' {16}Not judged: .*'
	shows "crashes: show" <(JTRACE_ROOT='' "$jtrace" "$tmp/panic") crashes show 4
	shows "crashes: show, with options" <(JTRACE_ROOT='' "$jtrace" -l -n 2 "$tmp/panic") \
		crashes show 4 -l -n 2
	says "crashes: show what is not there" 1 "5: there is no such crash: the newest one is 7" crashes show 5
	says "crashes: show no number" 1 "x: must be a number of jtrace crashes list" crashes show x
	says "crashes: no such word" 2 "crashes: no such command: sho" crashes sho 4
	says "crashes: info without a number" 2 "crashes info: needs a number of jtrace crashes list" crashes info
	says "crashes: list with a number" 2 "crashes list: takes no number" crashes list 4
	says "crashes: top with -r" 2 "crashes top: cannot be combined with -r" crashes top -r
	says "crashes: rm with -D" 2 "crashes rm: cannot be combined with -D" crashes rm -D / 4
	if (cd "$tmp" && rm -f crash-4.html && run 0 crashes page 4) &&
		grep -q 'mydriver_irq' "$tmp/crash-4.html"; then
		ok "crashes: page"
	else
		not_ok "crashes: page" "$tmp/out" "$tmp/err"
	fi
	if run 0 crashes page 4 -o "$tmp/page-4.html" && cmp -s "$tmp/page-4.html" "$tmp/crash-4.html"; then
		ok "crashes: page with a name"
	else
		not_ok "crashes: page with a name" "$tmp/err"
	fi
	"$tmp/mkimage" -i 6 | keep 9 06060606060606060606060606060606 0123456789abcdef
	run 0 crashes top
	shows_rows "top" 'COUNT FIRST +LAST +SIGNATURE' ' +2 1970.* 1970.* hung or reset' \
		' +1 2026-05-28T20:26:40Z 2026-05-28T20:26:40Z NULL .*'
}

test_crashes_rm() {
	local archive=$JTRACE_ROOT/var/lib/jtrace

	says "crashes: rm nothing if one is not there" 1 "5: there is no such crash: .*" crashes rm 4 5
	if [ -d "$archive/03030303030303030303030303030303" ]; then
		ok "crashes: it is still there"
	else
		not_ok "crashes: it is gone"
	fi
	: > "$archive/02020202020202020202020202020202/0123456789abcdef/notes"
	says "crashes: rm with a file of somebody else" 1 \
		"/var/lib/jtrace/(02){16}/0123456789abcdef: has files that jtrace-archive did not write: move them first" \
		crashes rm 7
	# The module has the same trace.
	cp "$tmp/panic" "$JTRACE_ROOT/sys/kernel/debug/jtrace/recovered_raw"
	: > "$JTRACE_ROOT/sys/kernel/debug/jtrace/free_recovered"
	run 0 crashes rm 9
	if [ ! -s "$JTRACE_ROOT/sys/kernel/debug/jtrace/free_recovered" ]; then
		ok "crashes: rm of another trace leaves that of the module"
	else
		not_ok "crashes: rm of another trace leaves that of the module"
	fi
	run 0 crashes rm 4 4
	shows_rows "rm" '4: removed'
	printf '%s\n' ./notes ./number ./recovered_raw > "$tmp/want"
	if [ "$(cat "$JTRACE_ROOT/sys/kernel/debug/jtrace/free_recovered")" = 1 ] &&
		(cd "$archive/02020202020202020202020202020202/0123456789abcdef" &&
			find . -type f | sort) | cmp -s - "$tmp/want" &&
		[ ! -e "$archive/03030303030303030303030303030303" ] &&
		[ ! -e "$archive/06060606060606060606060606060606" ]; then
		ok "crashes: rm leaves the others"
	else
		not_ok "crashes: rm leaves the others" <(cd "$archive" && find .)
	fi
}

# sent MACHINE BOOT SIGNATURE CAUSE [TIME]: print an entry as journals are exported
sent() {
	local n=${sent:-0}

	sent=$((n + 1))
	printf '%s\n' "__CURSOR=c$sent" "__REALTIME_TIMESTAMP=$((1780000000000000 + sent))" \
		"__MONOTONIC_TIMESTAMP=$sent" "_BOOT_ID=$(printf %032x 7)" \
		"_MACHINE_ID=$(printf '%s' "$1" | md5sum | cut -c 1-32)" "_HOSTNAME=$1" \
		"MESSAGE=It panicked" "MESSAGE_ID=b21157c6af2a47149fa408d4eac74f03" PRIORITY=2 \
		"JTRACE_BOOT_ID=$(printf '%032x' "$2")" "JTRACE_IMAGE_ID=$(printf '%016x' "$2")" \
		"JTRACE_CAUSE=$4" "JTRACE_SIGNATURE=$3" "JTRACE_RELEASE=6.1.0-test" \
		"JTRACE_TIME=${5:-2026-05-28T20:26:4$2Z}" JTRACE_SIZE=1048576 \
		"JTRACE_DIRECTORY=/var/lib/jtrace/x" "JTRACE_WHY=[fact] CPU 1 spins." ''
}

test_crashes_journal() {
	local dir=$tmp/journals head='  N TIME +MACHINE +BOOT +KERNEL +CAUSE +SIZE SIGNATURE'

	if ! "$jtrace" --version | grep -q 'with libsystemd'; then
		says "crashes: -D without libsystemd" 1 "-D /: .* without libsystemd, which reads journals" \
			crashes -D /
		return
	fi
	rm -rf "$dir"
	mkdir "$dir"
	says "crashes: -D without a directory" 1 "-D $tmp/nothing: No such file or directory" \
		crashes -D "$tmp/nothing"
	{
		sent one 1 'NULL: f' panicked
		sent two 3 'BUG: g' panicked
		sent one 2 'NULL: f' panicked
		# The same entry once more.
		sent two 3 'BUG: g' panicked
		sent two 4 'NULL: f' panicked
		# Not a crash, but in the journal.
		sent two 5 '' clean
		sent two 6 'MESSAGE_ID' panicked | sed s/^MESSAGE_ID=b2/MESSAGE_ID=a1/
	} > "$tmp/export"
	/lib/systemd/systemd-journal-remote -o "$dir/remote-all.journal" "$tmp/export" > "$tmp/log" 2>&1 ||
		not_ok "a journal is made" "$tmp/log"
	run 0 crashes -D "$dir"
	shows_rows "of journals" "$head" \
		'  1 2026-05-28T20:26:41Z one +00000000 6.1.0-test panicked +1.0M NULL: f' \
		'  2 2026-05-28T20:26:42Z one .* NULL: f' '  3 2026-05-28T20:26:43Z two .* BUG: g' \
		'  4 2026-05-28T20:26:44Z two .* NULL: f' '  5 .* clean +1.0M -'
	run 0 crashes top -D "$dir"
	shows_rows "top of journals" 'COUNT MACHINES FIRST +LAST +SIGNATURE' \
		' +3 +2 2026-05-28T20:26:41Z 2026-05-28T20:26:44Z NULL: f' \
		' +[12] (one|two)' ' +[12] (one|two)' \
		' +1 +1 2026-05-28T20:26:43Z 2026-05-28T20:26:43Z BUG: g' ' +1 two'
	run 0 crashes top --json -D "$dir"
	shows_rows "top of journals as JSON" \
		'\{"type":"signature","signature":"NULL: f","count":3,.*"machines":\[\{"count":[12],"machine":"[a-z]+".*\},\{.*\}\]\}' \
		'.*"signature":"BUG: g","count":1,.*'
	run 0 crashes --json -n 1 -D "$dir"
	shows_rows "whole IDs of journals as JSON" \
		".*\"machine_id\":\"$(printf two | md5sum | cut -c 1-32)\".*\"boot_id\":\"0{31}5\".*"
	run 0 crashes info 3 -D "$dir"
	shows_rows "info of a journal" ' +N: 3' ' +Machine: two' ' +Time: .*' ' +Boot: .*' ' +Kernel: .*' \
		' +Cause: panicked' ' +Signature: BUG: g' \
		' +Storage: /var/lib/jtrace/x of that machine' \
		' +Size: 1.0M' ' +Message: It panicked' ' +Why: \[fact\] CPU 1 spins.'
	# An entry of nobody names a file of this machine.
	sent two 7 'BUG: h' panicked | sed -e '/^_MACHINE_ID/d' -e "s,^\(JTRACE_DIRECTORY=\).*,\1$tmp/panic," \
		> "$tmp/export"
	/lib/systemd/systemd-journal-remote -o "$dir/remote-x.journal" "$tmp/export" > "$tmp/log" 2>&1
	run 0 crashes info 6 -D "$dir"
	if grep -q ' Storage: .* of that machine' "$tmp/out" && ! grep -q 'As of' "$tmp/out"; then
		ok "crashes: no path of a journal is opened"
	else
		not_ok "crashes: no path of a journal is opened" "$tmp/out"
	fi
	says "crashes: show what a journal has not" 1 \
		"3: two has its image in /var/lib/jtrace/x: the journal has not" crashes show 3 -D "$dir"
}

# told_task TID NAME: print the option of mkimage that names a task from the begin on
told_task() {
	printf -- '-a\n%s\n' "$1,0,$2"
}

# side NAME OPTION... < EVENTS: make an image of them
side() {
	local name=$1 tasks

	shift
	mapfile -t tasks < <(told_task 12 worker/3; told_task 13 cat; told_task 14 "${guest:-loop}")
	cat > "$tmp/side.in"
	"$tmp/mkimage" -c 500 -p 4 -Y 0 "${tasks[@]}" "$@" -e "$tmp/side.in" > "$tmp/$name"
}

# steps TID TAG...: print trace points of a thread
steps() {
	local tid=$1 tag

	shift
	for tag; do
		printf '1 0:0:0:%x 0 0 0 0 0 0 driver.c go %s\n' "$tid" "$tag"
	done
}

# calls TID ID...: print system calls of a thread
calls() {
	local tid=$1 id

	shift
	for id; do
		echo "1 3:0:0:$(printf '%x %x' "$tid" "$id") 0 0 0 0 0 event sys_enter" \
			"sys_enter (id:s32, compat:u8, arg0:x64, arg1:x64, arg2:x64)"
	done
}

# wakes N: print that many wake-ups, by an interrupt of a thread
wakes() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo "1 3:0:100:c $i 0 0 0 0 0 event irq_handler_entry irq_handler_entry (irq:s32)"
	done
}

test_diff() {
	local guest irq chance

	# An interrupt of a thread is no step of it, nor is an event of the scheduler.
	chance='1 3:0:0:c 0 0 0 0 0 0 event sched_waking sched_waking (pid:s32)'
	irq='1 0:0:100:c 0 0 0 0 0 0 driver.c irq got'
	{
		echo "$irq"
		steps 12 one two three
		echo "$chance"
		wakes 4
		steps 12 four
		calls 13 0 1
		steps 14 end
	} | side a -i 3
	{
		steps 12 one
		echo "$chance"
		steps 12 two
		wakes 40
		echo "$irq"
		steps 12 five
		calls 13 0 1 3
	} | side b -i 4
	run 0 diff "$tmp/a" "$tmp/b"
	shows_rows "two traces" "A: $tmp/a: Linux 6.1.0-test, boot 03030303, 13 events in 0.000 s" \
		"B: $tmp/b: Linux 6.1.0-test, boot 04040404, 48 events in 0.000 s" \
		'Events in A only:' ' +1  driver.c:go \(end\)' ' +1  driver.c:go \(four\)' \
		' +1  driver.c:go \(three\)' 'Events in B only:' ' +1  driver.c:go \(five\)' \
		' +1  sys_enter close\(\)' 'Threads in A only:' ' +1  loop' \
		'First difference of a thread:' '  worker: the same for 2 events, then' \
		'    A +[0-9.]+  tid 12  driver.c:go \(three\)' \
		'    B +[0-9.]+  tid 12  driver.c:go \(five\)' \
		'Threads that end in one of them:' '  cat: the same for 2 events, then' \
		'    A nothing more' '    B +[0-9.]+  tid 13  sys_enter close\(\)'
	run 0 diff --json "$tmp/a" "$tmp/b"
	shows_rows "two traces as JSON" '\{"type":"diff","a":\{"events":13,.*\},"b":\{"events":48,.*\}\}' \
		'\{"type":"kind","name":"driver.c:go \(end\)","a":1,"b":0,.*' '.*five.*' '.*four.*' '.*three.*' \
		'.*close.*' '\{"type":"stranger","in":"a","threads":1,"name":"loop"\}' \
		'\{"type":"thread","name":"worker","same":2,"a":\{"tid":12,.*three.*\},"b":\{.*five.*\}\}' \
		'\{"type":"thread","name":"cat","same":2,"a":null,"b":\{"tid":13,.*close.*\}\}'
	run 0 diff "$tmp/a" "$tmp/a"
	shows_rows "a trace with itself" "A: .*" "B: .*"
	# The same rate over a longer time is no difference, nor is that of a few events.
	{ steps 12 one; wakes 10; } | side a
	{ steps 12 one; wakes 100; steps 12 one; wakes 1; } | side b
	run 0 diff "$tmp/a" "$tmp/b"
	shows_rows "the same rate, and a few events" "A: .*" "B: .*" \
		'Threads that end in one of them:' '.*' '.*' '.*'
	# shellcheck disable=SC2046 # words
	{ steps 13 $(yes one | head -n 20); wakes 20; } | side a
	{ steps 13 one; wakes 38; steps 13 one; } | side b
	run 0 diff "$tmp/a" "$tmp/b"
	shows_rows "another rate" "A: .*" "B: .*" 'Events whose rate differs by four times or more:' \
		'  A +5[0-9]+.[0-9]/s  B +5[0-9]+.[0-9]/s  driver.c:go \(one\)' \
		'Threads that end .*' '.*' '.*' '.*'
	# The buffer of one trace has forgotten more.
	steps 12 {a..z} end | side a
	steps 12 {h..z} other | side b
	run 0 diff "$tmp/a" "$tmp/b"
	if grep -qx '  worker: the same for 19 events, then' "$tmp/out"; then
		ok "diff: one begins later"
	else
		not_ok "diff: one begins later" "$tmp/out"
	fi
	run 0 diff "$tmp/b" "$tmp/a"
	if grep -qx '  worker: the same for 19 events, then' "$tmp/out"; then
		ok "diff: the other one begins later"
	else
		not_ok "diff: the other one begins later" "$tmp/out"
	fi
	test_diff_waits
	says "diff: one trace" 2 "diff: needs two traces, not 1" diff "$tmp/a"
	says "diff: no trace" 1 "$tmp/nothing: No such file or directory" diff "$tmp/a" "$tmp/nothing"
}

# Tasks that are blocked at the end, and their system calls.
test_diff_waits() {
	local machine=(healthy 'seconds 0 1')

	printf '%s\n' "${machine[@]}" | awk -f "$here/machine.awk" | side a
	printf '%s\n' "${machine[@]}" 'switch 1 0 13 0' 'enter 1 13 0' 'switch 1 13 0 2' 'seconds 0 1' |
		awk -f "$here/machine.awk" | side b
	run 0 diff "$tmp/a" "$tmp/b"
	if [ "$(tail -n 2 "$tmp/out")" = "Tasks in uninterruptible sleep at the end of B only:
  cat, in read()" ]; then
		ok "diff: who waits"
	else
		not_ok "diff: who waits" "$tmp/out"
	fi
	printf '%s\n' "${machine[@]}" 'switch 1 0 13 0' 'enter 1 13 0' 'leave 1 13 0' \
		'switch 1 13 0 2' 'seconds 0 1' | awk -f "$here/machine.awk" | side b
	run 0 diff "$tmp/a" "$tmp/b"
	if [ "$(tail -n 1 "$tmp/out")" = "  cat" ]; then
		ok "diff: who waits in no system call"
	else
		not_ok "diff: who waits in no system call" "$tmp/out"
	fi
}
