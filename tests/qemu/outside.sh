# shellcheck shell=bash disable=SC2154 # set by the runner
# SPDX-License-Identifier: GPL-2.0
#
# outside.sh - read a guest from outside, for boots.sh: its RAM file while it runs, stands still or
# has died, and copies of its memory.  persist-guest has its side, outside().

# The guest goes on when this word, an offset in its memory, has the number of the next step.
gate=0x10142000

# open_gate NAME N: let the guest begin step N
open_gate() {
	# shellcheck disable=SC2059 # the byte
	printf "\\x$(printf %02x "$2")" |
		dd of="$logs/$1.ram" bs=1 seek=$((gate)) conv=notrunc status=none
}

# ask DIR COMMAND TEXT: give the monitor a command, and wait up to a minute until its log has TEXT
# once more
ask() {
	local before

	before=$(grep -ac "$3" "$1.mon.log")
	echo "$2" > "$1.mon.in"
	for _ in $(seq 600); do
		[ "$(grep -ac "$3" "$1.mon.log")" -le "$before" ] || return 0
		sleep 0.1
	done
	return 1
}

# look NAME WHAT [FILE]: let $logs/NAME.see.WHAT be what jtrace(1) shows of the RAM, or of FILE
look() {
	"$build/tool/jtrace" "${3:-$logs/$1.ram}" > "$logs/$1.see.$2" 2> "$logs/$1.see.$2.err"
}

# follows NAME REGEX: does the follower show this, before it ends?  Wait up to a minute.
follows() {
	for _ in $(seq 600); do
		! grep -aq "$2" "$logs/$1.followed" || return 0
		kill -0 "$follower" 2> /dev/null || return 1
		sleep 0.1
	done
	return 1
}

# wait_lines NAME NR: wait up to 5 minutes until the follower has shown so many lines
wait_lines() {
	for _ in $(seq 3000); do
		[ "$(wc -l < "$logs/$1.followed")" -lt "$2" ] || return 0
		sleep 0.1
	done
	return 1
}

# in_folder NAME: begin a command with this, to be where guest.ram is, with jtrace(1) in PATH
in_folder() {
	mkdir -p "$logs/$1.folder"
	ln -sf "../$1.ram" "$logs/$1.folder/guest.ram"
	cd "$logs/$1.folder" && PATH=$build/tool:$PATH
}

# names NAME: run the commands that the guide shows; the first one prints what look prints, and the
# second one as many entries
names() {
	local commands

	commands=$(scripts/typed outside)
	(in_folder "$1" && eval "$commands") > "$logs/$1.named" 2> "$logs/$1.named.err" &&
		head -n "$(wc -l < "$logs/$1.see.still")" "$logs/$1.named" | cmp - "$logs/$1.see.still" &&
		[ "$(grep -c '^\[' "$logs/$1.named")" -eq 12 ]
}

# see_still NAME DIR: the guest stands still
see_still() {
	ask "$2" stop '' && ask "$2" "info status" '^VM status: paused' || echo "it does not stop"
	look "$1" still
	names "$1" || echo "typed commands: $(tail -n 3 "$logs/$1.named" "$logs/$1.named.err")"
	ask "$2" "pmemsave 0 0x20000000 \"$logs/$1.pmem\"" '' 
	ask "$2" "dump-guest-memory $logs/$1.elf" ''
	ask "$2" "info status" '^VM status: paused' || echo "no dump"
	look "$1" pmem "$logs/$1.pmem"
	look "$1" elf "$logs/$1.elf"
	head -c 4 "$logs/$1.elf" | grep -q ELF || echo "no ELF dump"
	rm -f "$logs/$1".{pmem,elf}
	ask "$2" cont ''
}

# see_events NAME DIR: follow the guest while it records in steps, then under the hammer
see_events() {
	local i command

	# All six events are among the last ten.
	command=$(scripts/typed outside-follow)
	# shellcheck disable=SC2086 # a list of words
	(in_folder "$1" && exec env --default-signal=INT $command) > "$logs/$1.followed" \
		2> "$logs/$1.followed.err" &
	follower=$!
	follows "$1" 'client: hello' || echo "nothing to follow"
	open_gate "$1" 1
	wait_console "$2" 'persist: steps' || echo "no steps"
	# Those of pages that were not known come late.
	wait_lines "$1" 80 || echo "not all steps come"
	cp "$logs/$1.followed" "$logs/$1.see.steps"
	open_gate "$1" 2
	wait_console "$2" 'persist: hammering' || echo "no hammer"
	for ((i = 0; i < 20; i++)); do
		look "$1" "hammer.$i"
	done
	open_gate "$1" 3
	wait_console "$2" 'persist: quiet' || echo "not quiet"
	kill -s INT "$follower"
	wait "$follower" || echo "jtrace -f ends with status $?: $(cat "$logs/$1.followed.err")"
}

# see_guest NAME DIR: look at the guest from outside, in each of its steps; print faults
see_guest() {
	local follower

	wait_console "$2" 'persist: still' || return
	see_still "$1" "$2"
	see_events "$1" "$2"
	open_gate "$1" 4
	# pvpanic tells QEMU, which stops the guest before anything is printed of the trace.
	for _ in $(seq 600); do
		ask "$2" "info status" '^VM status' || break
		! grep -aq '^VM status: paused (guest-panicked)' "$2.mon.log" || break
		sleep 0.1
	done
	look "$1" panicked
	kill -9 "$(cat "$2/qemu.pid")"
	look "$1" dead
}

# as_trace FILE: print what jtrace -f has shown as one trace: in the order of time, without gaps
as_trace() {
	grep -a '^\[' "$1" | LC_ALL=C sort -s -t ']' -k 1,1 | awk '
	{
		ns = substr($0, 2, index($0, "]") - 2)
		split(ns, part, ".")
		now = part[1] * 1e9 + part[2]
		sub(/ : \( *[0-9.]+ uSec\) : /, sprintf(" : (%12.3f uSec) : ", NR > 1 ? (now - was) / 1000 : 0))
		was = now
		line[NR] = $0
	}
	END {
		print "JTRACE: Recovered " NR "/" NR " entries"
		for (i = 1; i <= NR; i++)
			print line[i]
		print ""
		printf "JTRACE: Last log timestamp [%s]\n", ns
	}'
}

# shown_by_guest NAME WORD: print the trace that the guest has shown in this step
shown_by_guest() {
	sed -n "/^trace $2\$/,/^trace end\$/p" "$logs/$1.1/verdict.log"
}

# same_entries WHAT WANT FILE: print a fault if a file has not exactly the entries of WANT
same_entries() {
	events "$3" | diff "$2" - > "$3.diff" ||
		echo "$1: other entries than the guest shows: $(head -n 5 "$3.diff" "$3.err" 2> /dev/null)"
}

# judge_outside NAME: what was seen from outside is what the guest has shown, and true
judge_outside() {
	local base=$logs/$1 what i

	shown_by_guest "$1" still > "$base.shown"
	events "$base.shown" > "$base.want"
	[ "$(wc -l < "$base.want")" -eq 6 ] || echo "the guest shows nothing"
	for what in still pmem elf; do
		same_entries "$what" "$base.want" "$base.see.$what"
	done
	shown_by_guest "$1" steps > "$base.shown"
	events "$base.shown" > "$base.want"
	[ "$(wc -l < "$base.want")" -eq 80 ] || echo "the guest shows no steps"
	same_entries followed "$base.want" "$base.see.steps"
	for ((i = 0; i < 20; i++)); do
		"$build/verify" -d -H 20 "$base.see.hammer.$i" > "$base.says" 2>&1 ||
			echo "look $i under the hammer: $(head -n 3 "$base.says" "$base.see.hammer.$i.err")"
	done
	cut -d ' ' -f 1-14 "$base.see.hammer.0" | cmp -s - <(cut -d ' ' -f 1-14 "$base.see.hammer.19") &&
		echo "nothing was recorded between looks"
	as_trace "$base.followed" > "$base.all"
	"$build/verify" -H 1000 "$base.all" > "$base.says" 2>&1 ||
		echo "jtrace -f: $(head -n 3 "$base.says")"
	grep -av '^\[\|^JTRACE: up to [0-9]* entries lost here$' "$base.followed" | head -n 3
	events "$base.followed" | uniq -d | head -n 3 | sed 's/^/twice: /'
	! grep . "$base.followed.err" || echo "jtrace -f says something"
	missing "$base.1/console.log" 'Kernel panic - not syncing: jtrace_die'
	for what in panicked dead; do
		"$build/verify" -d -f 'die: in task' "$base.see.$what" > "$base.says" 2>&1 ||
			echo "$what: $(head -n 3 "$base.says" "$base.see.$what.err")"
	done
	cmp -s "$base.see.panicked" "$base.see.dead" || echo "it reads differently when QEMU has gone"
}
