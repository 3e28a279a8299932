# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace(1): options, output, and the files of a module in a made-up root

# refuses NAME ARG...: pass if it reports wrong usage
refuses() {
	local name=$1

	shift
	if run 2 "$@" && [ ! -s "$tmp/out" ] && grep -q '^usage: jtrace ' "$tmp/err"; then
		ok "$name"
	else
		not_ok "$name: exit status $status" "$tmp/out" "$tmp/err"
	fi
}

test_usage() {
	refuses "an unknown option" --nonsense
	refuses "--at without an offset" --at
	says "-i and --json" 2 "-i: cannot be combined with --json" -i --json
	says "--json and -i" 2 "-i: cannot be combined with --json" --json -i
	says "-i and -r" 2 "-i: cannot be combined with -r" -i -r
	says "-i and --at" 2 "-i: cannot be combined with --at" -i --at 0
	says "-i and -l" 2 "-i: cannot be combined with -l" -i -l
	says "doctor and -m" 2 "doctor: cannot be combined with -m" -m doctor
	says "-i and a file" 2 "-i: takes no file: .*/tiny" -i "$tmp/tiny"
	says "doctor and --json" 2 "doctor: cannot be combined with --json" doctor --json
	says "doctor and -i" 2 "doctor: cannot be combined with -i" -i doctor
	says "doctor and a file" 2 "doctor: takes no file: x" doctor x
	refuses "doctor and a file: usage, too" doctor x
	refuses "-i and a file: usage, too" -i "$tmp/tiny"
	refuses "-i and --json: usage, too" -i --json
	says "stop and a file" 2 "stop: takes no file: x" stop x
	says "stop and --json" 2 "stop: cannot be combined with --json" stop --json
	says "event after an option" 2 "event: must be the first word" --json event
	says "event and an unknown option" 2 "unrecognized option '--nonsense'" event --nonsense
	says "event --load without a file" 2 "option '--load' requires an argument" event --load
	says "probe after an option" 2 "probe: must be the first word" --json probe
	says "probe and an unknown option" 2 "unrecognized option '--nonsense'" probe --nonsense
	says "probe --args without a place" 2 "option '--args' requires an argument" probe --args
	says "two files" 2 "b: one file at a time" a b
	says "-r and a file" 2 "-r: cannot be combined with a file: .*/tiny" -r "$tmp/tiny"
	says "--at and no file" 2 "--at: needs a file" --at 0
	says "--at, not a number" 2 "--at 12k: must be an offset.*" --at 12k "$tmp/tiny"
	says "--at, negative" 2 "--at -8: must be an offset.*" --at -8 "$tmp/tiny"
	if run 0 --help && grep -q '^usage: jtrace ' "$tmp/out" && [ ! -s "$tmp/err" ]; then
		ok "--help"
	else
		not_ok "--help" "$tmp/out" "$tmp/err"
	fi
	if run 0 --version && grep -qE \
		"^jtrace [0-9][0-9.]*, reads images of format version 2, with(out)? libbpf, with(out)? libdw, with(out)? libelf, with(out)? libkdumpfile, with(out)? libsystemd, with(out)? libzstd, with(out)? protobuf-c\$" \
		"$tmp/out"; then
		ok "--version"
	else
		not_ok "--version" "$tmp/out"
	fi
}

# A write error must not look like success.
test_output() {
	local args

	for args in "$tmp/tiny" "$tmp/large" "--json $tmp/large" --help doctor; do
		status=0
		# shellcheck disable=SC2086 # a list of words
		JTRACE_ROOT=$tmp/root "$jtrace" $args > /dev/full 2> "$tmp/err" || status=$?
		check_output "a full disk: ${args//$tmp\//}" 'No space left on device'
		status=0
		# shellcheck disable=SC2086 # a list of words
		JTRACE_ROOT=$tmp/root perl -e '
			pipe(my $r, my $w); close $r; open(STDOUT, ">&", $w); exec @ARGV' \
			"$jtrace" $args 2> "$tmp/err" || status=$?
		if [ "$status" -eq 1 ] && [ ! -s "$tmp/err" ]; then
			ok "a pipe nobody reads: ${args//$tmp\//}"
		else
			not_ok "a pipe nobody reads: ${args//$tmp\//}: exit status $status" "$tmp/err"
		fi
	done
	# More output than a pipe holds.
	status=0
	"$jtrace" "$tmp/large" 2> "$tmp/err" | head -n 1 > "$tmp/out" || status=$?
	if [ "$status" -eq 1 ] && [ ! -s "$tmp/err" ] && [ "$(wc -l < "$tmp/out")" -eq 1 ]; then
		ok "| head"
	else
		not_ok "| head: exit status $status" "$tmp/out" "$tmp/err"
	fi
}

check_output() {
	if [ "$status" -eq 1 ] && grep -q "^jtrace: standard output: $2$" "$tmp/err"; then
		ok "$1"
	else
		not_ok "$1: exit status $status" "$tmp/err"
	fi
}

# ---- the files of the module ----

test_live() {
	local root=$tmp/live debug=$tmp/live/sys/kernel/debug

	rm -rf "$root"
	mkdir -p "$root/proc" "$debug"
	export JTRACE_ROOT=$root
	says "no module" 1 "module jtrace is not loaded: run (sudo )?modprobe jtrace"
	mkdir -p "$root/sys/module/jtrace"
	says "no debugfs" 1 "debugfs is not mounted: run (sudo )?mount -t debugfs none /sys/kernel/debug"
	echo "none /sys/kernel/debug debugfs rw 0 0" > "$root/proc/mounts"
	mkdir "$debug/jtrace"
	says "no buffer" 1 ".*/trace_raw: No such file or directory"
	cp "$tmp/tiny" "$debug/jtrace/trace_raw"
	cp "$tmp/small" "$debug/jtrace/recovered_raw"
	printf 'JTRACE configuration\nfoo : bar\n' > "$debug/jtrace/config"
	shows "the live buffer" "$here/expected/tiny.txt"
	quiet "the live buffer"
	entries "-r" "$here/expected/small.txt" '' -r
	quiet "-r"
	entries "--recovered" "$here/expected/small.txt" '' --recovered
	[ "$(grep -c '^JTRACE: Recorded by Linux 6.1.0-test$' "$tmp/out")" -eq 1 ] ||
		not_ok "-r tells who recorded" "$tmp/out"
	"$tmp/mkimage" -x 2 -i 3 > "$debug/jtrace/recovered_raw"
	run 0 -r
	if grep -q '^JTRACE: Log appears clean, not dumping it$' "$tmp/out" &&
		! grep -q '^\[' "$tmp/out"; then
		ok "-r, a clean image"
	else
		not_ok "-r, a clean image" "$tmp/out" "$tmp/err"
	fi
	notes "-r, a clean image: what to do" \
		'^jtrace: the earlier boot was shut down cleanly: load jtrace with keep_'
	run 0 -r --json
	quiet "-r --json, a clean image"
	mkdir -p "$root/proc/sys/kernel/random"
	echo 03030303-0303-0303-0303-030303030303 > "$root/proc/sys/kernel/random/boot_id"
	run 0 -r
	if grep -q '^JTRACE: Recorded by .*, which is this one$' "$tmp/out"; then
		ok "-r, this very boot"
	else
		not_ok "-r, this very boot" "$tmp/out" "$tmp/err"
	fi
	echo 03030303-0303-0303-0303-030303030304 > "$root/proc/sys/kernel/random/boot_id"
	run 0 -r
	if grep -q '^JTRACE: Recorded by ' "$tmp/out" && ! grep -q 'this one' "$tmp/out"; then
		ok "-r, another boot"
	else
		not_ok "-r, another boot" "$tmp/out" "$tmp/err"
	fi
	: > "$debug/jtrace/recovered_raw"
	says "-r, nothing found" 1 "no trace of an earlier boot: this boot is .*: run jtrace doctor" -r
	printf 'persistent=y\n' > "$debug/jtrace/state"
	says "-r, persistent, nothing found" 1 "no trace of an earlier boot: this boot is .*" -r
	printf 'size=1\npersistent=n\n' > "$debug/jtrace/state"
	says "-r, not persistent" 1 \
		"no trace of an earlier boot: the buffer is not persistent: run jtrace setup" -r
	echo garbage > "$debug/jtrace/recovered_raw"
	says "-r, no image" 1 ".*/recovered_raw: no jtrace image in its 8 bytes" -r
	shows "-i" "$debug/jtrace/config" -i
	shows "--info" "$debug/jtrace/config" --info
	live_empty
	: > "$debug/jtrace/trace_raw"
	says "an empty buffer file" 1 ".*/trace_raw: empty file"
	chmod 0 "$debug"
	if [ "$(id -u)" -ne 0 ]; then
		says "not root" 1 ".*: Permission denied: run this command with sudo"
	elif command -v setpriv > /dev/null; then
		says_nobody "not root" ".*: Permission denied: run this command with sudo"
	else
		skip "not root" "root, and no setpriv"
	fi
	rm -r "$root/sys/module"
	if [ "$(id -u)" -ne 0 ]; then
		says "not root, no module" 1 "module jtrace is not loaded: run sudo modprobe jtrace"
	elif command -v setpriv > /dev/null; then
		says_nobody "not root, no module" \
			"module jtrace is not loaded: run sudo modprobe jtrace"
	else
		skip "not root, no module" "root, and no setpriv"
	fi
	chmod 755 "$debug"
	unset JTRACE_ROOT
}

# A buffer without entries: how to begin, on standard error, for people only.
live_empty() {
	local begin='^jtrace: nothing recorded yet: put JTRACE[(]"tag"[)] in your module, or run: '

	cp "$tmp/none" "$debug/jtrace/trace_raw"
	shows "nothing recorded" "$here/expected/none.txt"
	notes "nothing recorded: how to begin" "${begin}modprobe jtrace_events; jtrace event sched\$"
	: > "$debug/jtrace/events"
	shows "nothing recorded, with jtrace_events" "$here/expected/none.txt"
	notes "nothing recorded, with jtrace_events: how to begin" "${begin}jtrace event sched\$"
	run 0 --json
	quiet "nothing recorded, --json"
	run 0 --html "$tmp/none.html" --force
	quiet "nothing recorded, --html"
	shows "nothing recorded, in a file" "$here/expected/none.txt" "$tmp/none"
	quiet "nothing recorded, in a file"
	echo 0 > "$debug/jtrace/enabled"
	shows "nothing recorded, off" "$here/expected/none.txt"
	notes "nothing recorded, off: how to begin" '^jtrace: recording is off: run jtrace start$'
	echo 1 > "$debug/jtrace/enabled"
	"$tmp/mkimage" -n 0 -E 7 > "$debug/jtrace/trace_raw"
	shows "cleared" "$here/expected/none.txt"
	notes "cleared: what that means" '^jtrace: nothing recorded since the last jtrace clear$'
	rm "$debug/jtrace/events" "$debug/jtrace/enabled" "$tmp/none.html"
}

# written NAME CONTENT: has the file of the module this content?
written() {
	if [ "$(cat "$JTRACE_ROOT/sys/kernel/debug/jtrace/$1")" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3" "$JTRACE_ROOT/sys/kernel/debug/jtrace/$1"
	fi
}

# The module parses what is written; selftests do the same with a kernel.
test_control() {
	local root=$tmp/control debug=$tmp/control/sys/kernel/debug/jtrace verb

	rm -rf "$root"
	mkdir -p "$root/proc" "$root/sys/module/jtrace" "$debug"
	echo "none /sys/kernel/debug debugfs rw 0 0" > "$root/proc/mounts"
	export JTRACE_ROOT=$root
	for verb in start:enabled:1 stop:enabled:0 clear:clear:1; do
		IFS=: read -r verb file value <<< "$verb"
		rm -f "$debug/$file"
		says "$verb: no such file" 1 ".*/$file: No such file or directory" "$verb"
		: > "$debug/$file"
		run 0 "$verb"
		written "$file" "$value" "$verb"
	done
	echo 1 > "$debug/enabled"
	says "mark: no such file" 1 ".*/event: No such file or directory" mark ready
	: > "$debug/event"
	run 0 mark ready
	run 0 mark exec prog:u32=7 'path=a "b' x:string8=7 y:s8=-1
	run 0 mark at kernel=6.1.0 dev:string8=8:0
	run 0 mark at "name='tis"
	written event $'ready\nexec prog:u32=7 path="a \\"b" x:string8="7" y:s8=-1\nat kernel="6.1.0" dev:string8="8:0"\nat name="\\\'tis"' \
		"mark: a value that is no number is in quotes"
	: > "$debug/event"
	run 0 mark open 'name="a b"' "other='c'"
	written event "open name=\"a b\" other='c'" "mark: quotes of the user stay"
	: > "$debug/event"
	says "mark: a type that there is not" 1 "mark: a b:int=1: at character 5: there is no such type: .*" \
		mark a b:int=1
	says "mark: no value" 1 "mark: a b: at character 4: expected FIELD=VALUE or FIELD:TYPE=VALUE" \
		mark a b
	says "mark: a line is too long" 1 "mark: a line has at most 255 bytes" \
		mark a "b=$(printf '%0300d' 1)"
	says "mark: two lines" 1 "mark: a line has no newline" mark a $'b=1\nc'
	says "mark: a negative number without a type" 1 \
		"mark: a b=-5: at character 5: the field is never negative" mark a b=-5
	echo 0 > "$debug/enabled"
	says "mark: recording is off" 1 "mark: recording is off: run jtrace start" mark ready
	echo 1 > "$debug/enabled"
	says "mark: no name" 2 "mark: expected NAME .*" mark
	written event "" "mark: what is refused is not written"
	says "event: no module" 1 "module jtrace_events is not loaded: run (sudo )?modprobe jtrace_events" event
	: > "$debug/events"
	run 0 event sched '!irq' 'kmalloc every=2 if node eq -1'
	written events $'sched\n!irq\nkmalloc every=2 if node eq -1' "event: each word is a line"
	shows "event lists them" "$debug/events" event
	shows "event --list" "$debug/events" event --list
	printf '# a comment\nblock\n\nnet # none' > "$root/lines"
	: > "$debug/events"
	run 0 event '!all' --load "$root/lines" irq
	written events $'!all\n# a comment\nblock\n\nnet # none\nirq' \
		"event --load: in the order of the command line"
	says "event --load: no such file" 1 "$root/none: No such file or directory" \
		event --load "$root/none"
	unset JTRACE_ROOT
}

# The probes of /etc/jtrace/probes.d, with their mark.
test_boot() {
	local root=$tmp/boot debug=$tmp/boot/sys/kernel/debug/jtrace
	local mark=$tmp/boot/var/lib/jtrace/probes-armed folder=$tmp/boot/etc/jtrace/probes.d
	local this=03030303-0303-0303-0303-030303030303 pid

	rm -rf "$root"
	mkdir -p "$root/proc/sys/kernel/random" "$root/sys/module/jtrace" "$debug" \
		"$root/var/lib" "$folder"
	echo "none /sys/kernel/debug debugfs rw 0 0" > "$root/proc/mounts"
	echo $this > "$root/proc/sys/kernel/random/boot_id"
	echo "ffffffff81000000 T f" > "$root/proc/kallsyms"
	export JTRACE_ROOT=$root
	printf 'p:ignored f\n' > "$folder/readme"
	run 0 probe --boot
	absent "probe --boot: without files no mark" "$mark"
	printf 'p:second f\n# why\nt:third g\n' > "$folder/b.probe"
	printf '%s\n' 'p:second f' 't:third g' > "$tmp/want"
	shows "probe --print --boot" "$tmp/want" probe --print --mark --boot --guard
	absent "probe --print leaves no mark" "$mark"
	run 0 probe --mark
	shows_file "probe --mark: the id of this boot" $this "$mark"
	says "probe --boot: no module" 1 \
		"module jtrace_probe is not loaded: run (sudo )?modprobe jtrace_probe" probe --boot
	: > "$debug/probes"
	mkdir "$folder/aa.probe"
	printf 'p:first f' > "$folder/a.probe"
	says "probe --boot: an error in one file" 1 ".*/aa[.]probe: Is a directory" probe --boot
	written probes $'p:first f\np:second f\nt:third g' "probe --boot: the others, in order"
	shows_file "probe --boot: the mark has the id of this boot" $this "$mark"
	: > "$debug/probes"
	rmdir "$folder/aa.probe"
	run 0 probe --boot
	written probes $'p:first f\np:second f\nt:third g' "probe --boot: again, in the same boot"

	"$jtrace" probe --guard 2> "$tmp/err" &
	pid=$!
	# It sleeps only to wait for a signal.
	until grep -q '(jtrace) S ' "/proc/$pid/stat"; do
		kill -0 $pid 2> /dev/null || break
		sleep 0.1
	done
	shows_file "probe --guard: the mark stays for a while" $this "$mark"
	kill $pid
	wait $pid || not_ok "probe --guard: exit status $?" "$tmp/err"
	absent "probe --guard: told to end, it removes the mark" "$mark"
	run 0 probe --guard || not_ok "probe --guard without a mark: exit status $status" "$tmp/err"

	echo another > "$mark"
	: > "$debug/probes"
	says "probe --boot: an earlier boot died" 1 \
		"an earlier boot died within 60 s of defining the probes in /etc/jtrace/probes.d, so none is .* the file /var/lib/jtrace/probes-armed, then run .systemctl start jtrace-probes." \
		probe --boot
	says "probe --mark: an earlier boot died" 1 "an earlier boot died within 60 s .*" \
		probe --mark
	if [ -s "$debug/probes" ]; then
		not_ok "probe --boot: nothing is defined" "$debug/probes"
	else
		ok "probe --boot: nothing is defined"
	fi
	run 0 probe --guard
	shows_file "probe --guard leaves the mark of another boot" another "$mark"
	rm -r "$root/var/lib/jtrace"
	: > "$root/var/lib/jtrace"
	says "probe --boot: no place for the mark" 1 ".*/var/lib/jtrace/probes-armed: Not a directory" \
		probe --boot
	if [ -s "$debug/probes" ]; then
		not_ok "probe --boot: without a mark nothing is defined" "$debug/probes"
	else
		ok "probe --boot: without a mark nothing is defined"
	fi
	unset JTRACE_ROOT
}

# shows_file NAME TEXT FILE
shows_file() {
	if [ "$(cat "$3" 2>&1)" = "$2" ]; then
		ok "$1"
	else
		not_ok "$1" "$3"
	fi
}

# absent NAME FILE: pass if the last run found no error, and left no such file
absent() {
	if [ "$status" -eq 0 ] && [ ! -e "$2" ]; then
		ok "$1"
	else
		not_ok "$1: exit status $status" "$tmp/err"
	fi
}
