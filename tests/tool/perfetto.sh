# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace --perfetto, judged by protoc and JSON; wall times by babeltrace2

# decoded FILE: print an export as text; fail if a field is not in perfetto.proto, or no UTF-8
decoded() {
	protoc -I "$top/tools/export/perfetto" --decode=perfetto.Trace perfetto.proto < "$1" 2> "$tmp/protoc.err" &&
		[ ! -s "$tmp/protoc.err" ]
}

# perfetto_is IMAGE ARG...: does the export have all that --json shows?  Leaves what the judge
# prints in $tmp/same, and the wall times in $tmp/walls
perfetto_is() {
	local image=$1 log=()

	shift
	rm -f "$tmp/pf" "$tmp/walls"
	run 0 --perfetto "$tmp/pf" "$@" "$image" || return
	cp "$tmp/err" "$tmp/pf.err"
	"$jtrace" -l "$image" > /dev/null 2>&1 && log=(-m)
	"$jtrace" --json -d ${log[@]+"${log[@]}"} "$@" "$image" > "$tmp/json" 2> /dev/null
	decoded "$tmp/pf" > "$tmp/pf.txt" &&
		"$here/perfetto_same" "$tmp/pf.txt" "$tmp/json" "$tmp/walls" > "$tmp/same" 2> "$tmp/log"
}

# perfetto_equal NAME IMAGE ARG...: pass if it has
perfetto_equal() {
	local name=$1

	shift
	: > "$tmp/log"
	: > "$tmp/protoc.err"
	if perfetto_is "$@"; then
		ok "perfetto: $name: $(head -n 1 "$tmp/same")"
	else
		not_ok "perfetto: $name: exit status $status" "$tmp/log" "$tmp/protoc.err" "$tmp/err"
	fi
}

# perfetto_walls NAME IMAGE: pass if wall times are those of CTF
perfetto_walls() {
	rm -rf "$tmp/ctf"
	if perfetto_is "$2" && run 0 --ctf "$tmp/ctf" "$2" &&
		bt 2 "$tmp/ctf" | sed 's/^\[ *\([0-9.]*\)\].*/\1/' | sort > "$tmp/bt" &&
		sort "$tmp/walls" | cmp -s - "$tmp/bt" && [ -s "$tmp/bt" ]; then
		ok "perfetto: $1: wall times are those of CTF"
	else
		sort "$tmp/walls" | diff "$tmp/bt" - > "$tmp/diff"
		not_ok "perfetto: $1: wall times are those of CTF" "$tmp/diff" "$tmp/log" "$tmp/err"
	fi
}

# slices_are NAME EVENTS SLICE... [-- ARG...]: pass if the image of these events, with $chunks
# chunks, has these slices, each "TRACK: FIRST-LAST", events counted from 1
slices_are() {
	local name=$1 expect=()

	"$tmp/mkimage" -c "${chunks:-64}" -p 4 -e "$2" > "$tmp/file"
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		expect+=("$1")
		shift
	done
	shift $(($# > 0))
	: > "$tmp/log"
	if ! perfetto_is "$tmp/file" "$@"; then
		not_ok "perfetto: $name: exit status $status" "$tmp/log" "$tmp/err"
		return
	fi
	perl -ne 'print "$1: ", ($2 - 5000000000) / 1000, "-", ($3 - 5000000000) / 1000, "\n"
		if /^((?:CPU|tid|idle).*): (\d+)-(\d+)$/' "$tmp/same" > "$tmp/slices"
	if printf '%s\n' ${expect[@]+"${expect[@]}"} | sed '/^$/d' | cmp -s - "$tmp/slices"; then
		ok "perfetto: $name"
	else
		printf '%s\n' ${expect[@]+"${expect[@]}"} | diff - "$tmp/slices" > "$tmp/diff"
		not_ok "perfetto: $name" "$tmp/diff"
	fi
}

test_perfetto() {
	local image s

	case $("$jtrace" --version) in
	*", with protobuf-c") ;;
	*", without protobuf-c")
		[ "$build" = gcc-32 ] || not_ok "protobuf-c is there"
		says "perfetto: without protobuf-c" 1 ".*/pf: --perfetto needs protobuf-c, .* install .*" \
			--perfetto "$tmp/pf" "$tmp/tiny"
		return
		;;
	*)	not_ok "--version tells whether protobuf-c is in"
		return
		;;
	esac
	for image in "$tmp"/{tiny,small,none,bytes,strings,large,laps} "$top"/tests/golden/v2/*.img; do
		perfetto_equal "${image##*/}" "$image"
	done
	perfetto_equal "-C 1 -n 7" "$tmp/large" -C 1 -n 7
	perfetto_equal "--tid 101 -g o" "$tmp/large" --tid 101 -g o
	perfetto_equal "-S -1ms" "$tmp/large" -S -1ms
	perfetto_equal "-U -1ms" "$tmp/large" -U -1ms
	for s in 1 "$seed"; do
		"$here/decoded" "$s" 400 > "$tmp/random.in"
		"$tmp/mkimage" -c 64 -e "$tmp/random.in" -i 7 -r 1700000000000000000 > "$tmp/file"
		perfetto_equal "random arguments, seed $s" "$tmp/file"
	done
	make_named > "$tmp/named.in"
	"$tmp/mkimage" -c 32 -e "$tmp/named.in" > "$tmp/file"
	perfetto_equal "named arguments" "$tmp/file"
	make_numbers > "$tmp/numbers.in"
	make_hostile > "$tmp/hostile.in"
	"$tmp/mkimage" -c 32 -e "$tmp/hostile.in" > "$tmp/file"
	perfetto_equal "hostile tags" "$tmp/file"
	"$tmp/mkimage" -k small -c 32 -p 4 -e "$tmp/hostile.in" > "$tmp/file"
	perfetto_equal "hostile tags, small entries" "$tmp/file"
	test_perfetto_counters
	test_perfetto_log
	test_perfetto_clock
	test_perfetto_slices
	test_perfetto_gaps
	test_perfetto_random "$seed"
	test_perfetto_tags
	test_perfetto_damage
	test_perfetto_target
}

# Values of the event usage; one has a number of tasks that is not known, one is of another version.
test_perfetto_counters() {
	local fields="free_kb:u64, available_kb:u64, dirty_kb:u32, runnable:s32, interrupts:u32"

	cat > "$tmp/usage.in" <<-EVENTS
		0 3:0:1:7 0 3 9 0 1000 ffffffffff event jtrace_usage usage ($fields)
		0 0:0:0:7 1 2 0 0 0 0 file.c f mark
		1 3:0:1:8 5 ffffffff ffffffff 0 0 0 event jtrace_usage usage ($fields)
		1 3:0:1:8 5 4 3 0 2 1 event jtrace_usage usage (free_kb:u64)
		1 0:0:1:8 5 4 3 0 2 1 event jtrace_usage usage ($fields)
	EVENTS
	"$tmp/mkimage" -c 32 -e "$tmp/usage.in" > "$tmp/file"
	perfetto_equal "counters" "$tmp/file"
	if [ "$(grep -c 'type: TYPE_COUNTER' "$tmp/pf.txt") $(grep -c 'counter {' "$tmp/pf.txt")" = "9 5" ] &&
		[ "$(grep -c 'unit_multiplier: 1024' "$tmp/pf.txt")" -eq 3 ]; then
		ok "perfetto: counters of two entries, on five tracks"
	else
		not_ok "perfetto: counters of two entries, on five tracks" "$tmp/pf.txt"
	fi
}

# The kernel log, and what the image tells.
test_perfetto_log() {
	make_log
	perfetto_equal "with a log" "$tmp/logged"
	perfetto_equal "with a log, -g e" "$tmp/logged" -g e
	perfetto_equal "with a log, -n 5" "$tmp/logged" -n 5
	perfetto_equal "with a log, -S 5.0003" "$tmp/logged" -S 5.0003
	perfetto_equal "with a log, --tid 1, no events" "$tmp/logged" --tid 1
	perfetto_is "$top/tests/golden/v2/large-panicked.img"
	if grep -q '^said: Recorded by Linux 6.1.0-56-amd64, boot 00112233-' "$tmp/same" &&
		grep -q '^said: It panicked at 2026-11-21 14:46:11 UTC: Fatal' "$tmp/same" &&
		grep -q '^said: panic: Fatal exception in$' "$tmp/same"; then
		ok "perfetto: what the image tells"
	else
		not_ok "perfetto: what the image tells" "$tmp/same"
	fi
}

# Wall times, and none if the image does not tell them.
test_perfetto_clock() {
	"$tmp/mkimage" -n 60 -c 32 -r 1700000000000000000 > "$tmp/file"
	perfetto_walls "an image" "$tmp/file"
	perfetto_walls "a panic" "$top/tests/golden/v2/large-panicked.img"
	zeroed "$tmp/large" 0 512 | head -c -512 > "$tmp/file"
	perfetto_equal "no header" "$tmp/file"
	if [ ! -s "$tmp/walls" ] && grep -q '^said: Wall times are unknown$' "$tmp/same" &&
		grep -q ': the image does not tell the wall clock: ' "$tmp/pf.err"; then
		ok "perfetto: no header: no wall times"
	else
		not_ok "perfetto: no header: no wall times" "$tmp/same" "$tmp/err"
	fi
}

# ---- Slices ----

# on CPU CONTEXT TID EVENT [VALUE]: print an event for mkimage.  Contexts: 0, 1 softirq, 100 irq.
on() {
	local a=${5:-0} from="$1 3:0:$2:$3" probe="$1 2:0:$2:$3 0 0 0 0 0 0"

	case $4 in
	irq)	echo "$from $a 0 0 0 0 0 event irq_handler_entry irq_handler_entry (irq:s32, name:string)" ;;
	irqend)	echo "$from $a 0 0 0 0 0 event irq_handler_exit irq_handler_exit (irq:s32, ret:s32)" ;;
	soft)	echo "$from $a 0 0 0 0 0 event softirq_entry softirq_entry (vec:u32)" ;;
	softdone) echo "$from $a 0 0 0 0 0 event softirq_exit softirq_exit (vec:u32)" ;;
	sys)	echo "$from $a 0 0 0 0 0 event sys_enter sys_enter (id:s32, arg0:x64, arg1:x64, arg2:x64)" ;;
	sysend)	echo "$from $a 0 0 0 0 0 event sys_exit sys_exit (id:s32, ret:s64)" ;;
	exit)	echo "$from $a 0 0 0 0 0 event sched_process_exit sched_process_exit (pid:s32, prio:s32, comm:string)" ;;
	stop)	echo "$1 0:0:$2:$3 0 0 0 0 0 0 jtrace_control.c record_counters jtrace: stop (0, 0, 0, 0, recorded, lost)" ;;
	stopped) echo "$1 0:0:$2:$3 0 0 0 0 0 0 jtrace_stop.c jtrace_stop jtrace: stopped: rx" ;;
	switch)	echo "$1 0:0:$2:$3 1 0 0 0 0 0 attach.c record_switch jtrace: events switched (on, off)" ;;
	start)	echo "$1 0:0:$2:$3 0 0 0 0 0 0 jtrace_control.c record_counters jtrace: start (0, 0, 0, 0, recorded, lost)" ;;
	mark)	echo "$1 0:0:$2:$3 1 2 0 0 0 0 file.c f mark" ;;
	void | lost) echo "$1 $4" ;;
	*-)	echo "$1 4:0:$2:$3 0 0 0 0 0 0 kretprobe ${4%-} out" ;;
	*)	echo "$probe kprobe $4 in" ;;
	esac
}

# slices NAME SLICE... < LINES: pass if these events, each a line of arguments of on(), have these
slices() {
	local line

	while read -r line; do
		# shellcheck disable=SC2086 # a list of words
		on $line
	done > "$tmp/on.in"
	slices_are "$1" "$tmp/on.in" "${@:2}"
}

test_perfetto_slices() {
	local nested

	nested=$(printf '%s\n' "0 0 7 sys 5" "0 0 7 f+0x0" "0 1 7 soft 3" "0 101 7 irq 9" "0 101 7 g+0x0" \
		"0 101 7 g-" "0 101 7 irqend 9" "0 1 7 softdone 3" "1 0 7 f-" "1 0 7 sysend 5")
	slices "slices: nested, and a thread that moves" "tid 7: 5-6" "CPU 0: 4-7" "CPU 0: 3-8" \
		"tid 7: 2-9" "tid 7: 1-10" <<< "$nested"
	slices "slices: -C 1 has only one half of two" -- -C 1 <<< "$nested"
	slices "slices: -C 0 has those that it shows" "tid 7: 5-6" "CPU 0: 4-7" "CPU 0: 3-8" -- -C 0 \
		<<< "$nested"
	slices "slices: -n 6 cuts begins off" "tid 7: 5-6" -- -n 6 <<< "$nested"
	slices "slices: -U cuts ends off" "tid 7: 5-6" "CPU 0: 4-7" -- -U 5.0000075 <<< "$nested"
	slices "slices: -g takes both halves" "tid 7: 1-10" -- -g ^sys_ <<< "$nested"
	slices "slices: --tid of another thread" "tid 8: 2-3" -- --tid 8 <<- 'EVENTS'
	0 0 7 sys 5
	1 0 8 sys 5
	1 0 8 sysend 5
	0 0 7 sysend 5
	EVENTS
	slices "slices: an entry that is not shown separates" -- -C 1 <<- 'EVENTS'
	1 0 7 sys 5
	0 0 7 sysend 5
	0 0 7 sys 5
	1 0 7 sysend 5
	EVENTS
	slices "slices: an end without begin, a begin without end" <<- 'EVENTS'
	0 0 7 sysend 5
	0 100 7 irqend 9
	0 0 7 f-
	1 0 7 sys 5
	1 0 7 f+0x0
	1 100 7 irq 9
	EVENTS
	slices "slices: of another number, thread, CPU or context" <<- 'EVENTS'
	0 100 7 irq 9
	0 100 7 irqend 8
	0 100 7 irq 9
	1 100 7 irqend 9
	0 100 8 irqend 9
	0 0 7 sys 5
	0 0 7 sysend 6
	0 0 8 sys 5
	0 0 7 sysend 5
	0 0 9 f+0x0
	0 100 9 f-
	1 1 9 g+0x0
	0 1 9 g-
	EVENTS
	slices "slices: of another function, module or place" <<- 'EVENTS'
	0 0 7 f+0x0
	0 0 7 ff-
	0 0 8 f+0x0
	0 0 8 f[m]-
	0 0 9 f+0x10
	0 0 9 f-
	0 0 10 f+0x0x
	0 0 10 f-
	EVENTS
	slices "slices: of a module" "tid 7: 1-2" <<- 'EVENTS'
	0 0 7 f+0x0[m]
	0 0 7 f[m]-
	EVENTS
	slices "slices: a call of a function in itself" "tid 7: 2-3" "tid 7: 1-4" <<- 'EVENTS'
	0 0 7 f+0x0
	0 0 7 f+0x0
	0 0 7 f-
	0 0 7 f-
	EVENTS
	slices "slices: a return that is missing" "tid 7: 1-3" <<- 'EVENTS'
	0 0 7 f+0x0
	0 0 7 g+0x0
	0 0 7 f-
	0 0 7 g-
	EVENTS
	slices "slices: a thread that ended has no calls" <<- 'EVENTS'
	0 0 7 f+0x0
	0 0 7 exit 7
	0 0 7 f-
	EVENTS
	slices "slices: no call outlives its system call" "tid 7: 1-3" <<- 'EVENTS'
	0 0 7 sys 1
	0 0 7 f+0x0
	0 0 7 sysend 1
	0 0 7 sys 1
	0 0 7 f-
	EVENTS
	slices "slices: idle threads of two CPUs" "idle, CPU 0: 1-3" "idle, CPU 1: 2-4" <<- 'EVENTS'
	0 0 0 f+0x0
	1 0 0 f+0x0
	0 0 0 f-
	1 0 0 f-
	EVENTS
	# Two tasks of an interrupted softirq contradict each other.
	slices "slices: crossed" <<- 'EVENTS'
	0 1 7 soft 1
	0 101 7 irq 2
	0 1 7 softdone 1
	0 101 7 irqend 2
	EVENTS
}

# Entries that were overwritten, or never recorded.
test_perfetto_gaps() {
	local way chunks=8

	# CPU 1 keeps its chunk, with the first events; CPU 0 has lost others.
	{
		on 1 0 7 sys 5
		on 1 100 8 irq 9
		on 0 0 7 sysend 5
		for _ in $(seq 200); do on 0 0 9 mark; done
		on 0 0 7 sys 5
		for _ in $(seq 200); do on 0 0 9 mark; done
		on 1 100 8 irqend 9
		on 1 0 7 sysend 5
		on 1 0 7 sys 6
		on 0 0 7 sysend 6
	} > "$tmp/on.in"
	slices_are "slices: none over lost entries of another CPU" "$tmp/on.in" "CPU 1: 2-405" \
		"tid 7: 407-408"
	chunks=64
	for way in stop stopped; do
		slices "slices: none over a time without recording, $way" "CPU 1: 7-8" <<- EVENTS
		0 0 7 sys 5
		0 100 7 irq 9
		1 0 8 $way
		1 0 9 sys 5
		1 0 9 sysend 5
		1 0 8 start
		1 100 8 irq 9
		1 100 8 irqend 9
		0 100 7 irqend 9
		0 0 7 sysend 5
		EVENTS
	done
	# A nested record makes a claim void: its chunk has a header and no entries.
	chunks=8
	{
		on 0 0 7 sys 5
		for _ in 1 2 3 4 5 6; do on 0 0 9 mark; done
		on 0 0 0 void
		on 0 0 7 sysend 5
	} > "$tmp/on.in"
	slices_are "slices: over a claim that was void" "$tmp/on.in" "tid 7: 1-8"
	chunks=64
	# CPU 0 lost events after entry 2: that shows in the header of its next chunk.
	{
		on 0 0 7 sys 5
		on 0 0 9 mark
		on 0 0 0 lost
		on 1 0 8 sys 6
		for _ in 1 2 3 4 5; do on 0 0 9 mark; done
		on 0 0 9 mark
		on 0 0 7 sysend 5
		on 1 0 8 sysend 6
		on 0 0 7 sys 5
		on 0 0 7 sysend 5
	} > "$tmp/on.in"
	slices_are "slices: none over events that a CPU lost" "$tmp/on.in" "tid 7: 12-13"
	slices "slices: none over a start whose stop is lost" <<- 'EVENTS'
	0 0 7 sys 5
	1 0 8 start
	0 0 7 sysend 5
	EVENTS
	slices "slices: none over a switch of events" "tid 7: 4-5" <<- 'EVENTS'
	0 0 7 sys 5
	1 0 8 switch
	0 0 7 sysend 5
	0 0 7 sys 5
	0 0 7 sysend 5
	EVENTS
	slices "slices: a switch after a stop starts nothing" <<- 'EVENTS'
	1 0 8 stop
	1 0 8 switch
	0 0 7 sys 5
	0 0 7 sysend 5
	EVENTS
	# Clauses may pass over hits of the events of one, and over the end of the other.
	printf '%s\n' "0 0 7 sys 5" "0 0 7 sysend 5" "0 100 7 irq 9" "0 100 7 irqend 9" |
		while read -r line; do
			# shellcheck disable=SC2086 # a list of words
			on $line
		done | sed '/ event sys_exit /s/ 3:0:/ 3:40080007:/' > "$tmp/on.in"
	slices_are "slices: none of events with clauses" "$tmp/on.in" "CPU 0: 3-4"
}

# subset NAME TRUTH: pass if all slices are true, and all pairs are there that are not too early
subset() {
	local from

	from=$(sed -n 's/^said: No slices of threads up to \([0-9]*\)\.\([0-9]*\): .*/\1\2/p' "$tmp/same")
	grep -E '^(CPU|tid)' "$tmp/same" | sort > "$tmp/slices"
	awk -v from="${from:-0}" '{ split($3, t, "-"); if (t[1] > from + 0) print }' "$2" |
		sort > "$tmp/want"
	if [ -z "$(sort "$2" | comm -13 - "$tmp/slices")" ] && [ -s "$tmp/slices" ] &&
		[ -z "$(comm -23 "$tmp/want" "$tmp/slices")" ]; then
		ok "perfetto: $1: $(wc -l < "$tmp/slices") of $(wc -l < "$2") pairs"
	else
		{ sort "$2" | comm -13 - "$tmp/slices" | sed 's/^/false: /'
		  comm -23 "$tmp/want" "$tmp/slices" | sed 's/^/missing: /'; } > "$tmp/diff"
		not_ok "perfetto: $1" "$tmp/diff" "$tmp/log" "$tmp/err"
	fi
}

# test_perfetto_random SEED...: random events: all of them, the last ones, or some
test_perfetto_random() {
	local s chunks missed

	for s; do
		"$here/slices" "$s" 1500 - "$tmp/truth" > "$tmp/slices.in"
		"$tmp/mkimage" -c 300 -p 4 -e "$tmp/slices.in" > "$tmp/file"
		: > "$tmp/same"
		perfetto_is "$tmp/file"
		subset "random slices, seed $s" "$tmp/truth"
		for chunks in 16 40 100; do
			"$tmp/mkimage" -c $chunks -p 4 -e "$tmp/slices.in" > "$tmp/file"
			: > "$tmp/same"
			perfetto_is "$tmp/file"
			subset "random slices, the last $chunks chunks, seed $s" "$tmp/truth"
		done
		for missed in entry return; do
			"$here/slices" "$s" 1500 $missed "$tmp/truth" > "$tmp/slices.in"
			"$tmp/mkimage" -c 300 -p 4 -e "$tmp/slices.in" > "$tmp/file"
			: > "$tmp/same"
			perfetto_is "$tmp/file"
			subset "random slices, some without $missed, seed $s" "$tmp/truth"
		done
	done
}

# The events by which pairs are found have the fields that pairs need.
test_perfetto_tags() {
	local name keys key fields missing='' n=0

	while read -r name keys; do
		fields=$(NAME=$name perl -0777 -ne '
			next unless /JTRACE_EVENT\($ENV{NAME},(.*?)\);\n/s;
			print join(" ", "", $1 =~ /\((?:[usx]\d+|string\d*), (\w+)/g, "")' \
			"$top"/events/*.c)
		for key in $keys; do
			[[ $fields = *" $key "* ]] || missing+=" $name: $key, not$fields"
		done
		n=$((n + 1))
	done < <(
		echo sched_switch prev_pid prev_state
		sed -n 's/^\t{ "\([a-z_]*\)", ROLE_[A-Z_]*, [a-z]*, "\([a-z_]*\)", \(.*\) },$/\1 \2 \3/p' \
			"$top/tools/entries/pair_sites.c" | sed 's/NULL//; s/"//g'
	)
	if [ -z "$missing" ] && [ $n -eq 22 ]; then
		ok "pairs: $n events have the fields that pairs need"
	else
		not_ok "pairs: $n events have the fields that pairs need:$missing"
	fi
}

# damaged_is_true IMAGE: does it have all that --json shows, true slices, and none if it is damaged?
damaged_is_true() {
	perfetto_is "$1" || return
	grep -E '^(CPU|tid) ' "$tmp/same" | sort > "$tmp/slices"
	[ -z "$(sort "$tmp/truth" | comm -13 - "$tmp/slices")" ] || return
	[ ! -s "$tmp/slices" ] || ! "$jtrace" "$1" |
		grep -qE '^JTRACE: Damaged: (both|end of|chunk|entries)'
}

test_perfetto_damage() {
	local i size at image n=0 bad=0

	"$here/slices" 1 250 - "$tmp/truth" > "$tmp/slices.in"
	"$tmp/mkimage" -C -c 50 -p 4 -e "$tmp/slices.in" > "$tmp/whole"
	size=$(size_of "$tmp/whole")
	for i in $(seq 12); do
		at=$((i * size / 13))
		head -c $at "$tmp/whole" > "$tmp/cut1"
		zeroed "$tmp/whole" $at 700 > "$tmp/cut2"
		{ head -c $at "$tmp/whole"; junk 300; tail -c +$((at + 301)) "$tmp/whole"; } > "$tmp/cut3"
		for image in "$tmp"/cut[123]; do
			"$jtrace" "$image" > /dev/null 2>&1 || continue
			n=$((n + 1))
			if ! damaged_is_true "$image"; then
				bad=$((bad + 1))
				cp "$tmp/log" "$tmp/bad"
			fi
		done
	done
	if [ $bad -eq 0 ] && [ $n -ge 24 ]; then
		ok "perfetto: $n cut and damaged images"
	else
		not_ok "perfetto: $bad of $n cut and damaged images" "$tmp/bad"
	fi
}

# ---- The file ----

# is_line NAME STATUS REGEX: pass if the last command ended so, with one line on standard error
is_line() {
	if [ "$status" -eq "$2" ] && grep -qE "^jtrace: $3$" "$tmp/err" &&
		[ "$(wc -l < "$tmp/err")" -eq 1 ]; then
		ok "perfetto: $1"
	else
		not_ok "perfetto: $1: exit status $status" "$tmp/err"
	fi
}

test_perfetto_target() {
	local t=$tmp/target

	rm -rf "$t" "$tmp/pf"
	run 0 --perfetto "$t" "$tmp/large" && LC_ALL=C run 0 --perfetto "$tmp/pf" "$tmp/large"
	if cmp -s "$t" "$tmp/pf" && [ -s "$t" ] && [ "$(stat -c %a "$t")" = \
		"$(printf %o $((0666 & ~$(umask))))" ]; then
		ok "perfetto: two exports are equal"
	else
		not_ok "perfetto: two exports are equal" "$tmp/err"
	fi
	says "perfetto: exists" 1 "$t: exists; --force replaces it" --perfetto "$t" "$tmp/tiny"
	if cmp -s "$t" "$tmp/pf"; then
		ok "perfetto: exists, and stays"
	else
		not_ok "perfetto: exists, and stays"
	fi
	rm -f "$tmp/pf"
	run 0 --perfetto "$t" --force "$tmp/tiny"
	if [ "$status" -eq 0 ] && run 0 --perfetto "$tmp/pf" "$tmp/tiny" && cmp -s "$t" "$tmp/pf"; then
		ok "perfetto: --force replaces a file"
	else
		not_ok "perfetto: --force replaces a file" "$tmp/err"
	fi
	cp "$tmp/tiny" "$tmp/own"
	says "perfetto: --force, not the image itself" 1 \
		"$tmp/own: --force replaces only an export of jtrace or an empty file" \
		--perfetto "$tmp/own" --force "$tmp/own"
	says "perfetto: --force, and no image" 1 ".*: no jtrace image .*" \
		--perfetto "$t" --force "$top/COPYING"
	if cmp -s "$t" "$tmp/pf"; then
		ok "perfetto: --force, and no image: the file stays"
	else
		not_ok "perfetto: --force, and no image: the file stays"
	fi
	rm "$t"
	mkdir "$t"
	says "perfetto: a directory" 1 "$t: Is a directory" --perfetto "$t" --force "$tmp/tiny"
	rmdir "$t"
	ln -s nowhere "$t"
	says "perfetto: a dangling link" 1 "$t: File exists" --perfetto "$t" "$tmp/tiny"
	rm "$t"
	says "perfetto: nowhere" 1 "$t/a: cannot create it: No such file or directory" \
		--perfetto "$t/a" "$tmp/tiny"
	says "perfetto: a file for a directory" 1 "$tmp/tiny/a: Not a directory" \
		--perfetto "$tmp/tiny/a" "$tmp/tiny"
	says "perfetto: no image" 1 ".*: no jtrace image .*" --perfetto "$t" "$top/COPYING"
	says "perfetto: with -m" 2 "--perfetto: cannot be combined with -m" --perfetto "$t" -m x
	says "perfetto: with --frame" 2 "--perfetto: cannot be combined with --frame" \
		--perfetto "$t" --frame 1 x
	says "perfetto: with a verb" 2 "stop: cannot be combined with --perfetto" --perfetto "$t" stop
	says "perfetto: with -f" 2 "-f: cannot be combined with --perfetto" --perfetto "$t" -f
	nothing_left "perfetto: refused" "$t*"
	# A file that may not become larger: SIGXFSZ is ignored.
	status=0
	(trap '' XFSZ; ulimit -f 8; exec "$jtrace" --perfetto "$t" "$tmp/large") 2> "$tmp/err" || status=$?
	is_line "no room" 1 "$t: File too large"
	nothing_left "perfetto: no room" "$t*"
	run 1 --perfetto /dev/full "$tmp/large"
	is_line "a full device" 1 "/dev/full: No space left on device"
	"$tmp/mkimage" -n 300000 -c 10000 -s 12 -p 2 > "$tmp/file"
	status=0
	"$jtrace" --perfetto >(head -c 9 > "$tmp/out") "$tmp/file" 2> "$tmp/err" || status=$?
	is_line "a closed pipe" 1 "/.*: Broken pipe"
	"$jtrace" --perfetto /dev/stdout "$tmp/large" 2> "$tmp/err" | cat > "$tmp/out"
	rm -f "$tmp/pf"
	if run 0 --perfetto "$tmp/pf" "$tmp/large" && "$jtrace" --perfetto /dev/stdout "$tmp/large" |
		cmp -s - "$tmp/pf"; then
		ok "perfetto: a pipe"
	else
		not_ok "perfetto: a pipe" "$tmp/err"
	fi
	ends_export --perfetto "$t"
}
