# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace --trace-dat, read by trace-cmd

# dat_equal NAME FILE [ROWS]: trace-cmd shows each entry that jtrace -d does: task, CPU, time, text
dat_equal() {
	local name=$1 n

	rm -f "$tmp/trace.dat"
	if ! run 0 --trace-dat "$tmp/trace.dat" "$2"; then
		not_ok "trace.dat: $name: exit status $status" "$tmp/err"
		return
	fi
	# Without the printers of trace-cmd for some events.
	trace-cmd report -N -t -i "$tmp/trace.dat" > "$tmp/report" 2> "$tmp/log"
	# "TASK-TID [CPU] TIME: EVENT: TEXT"; newer ones have flags before the time.
	local task='^ *\(.*\)-\([0-9]*\) *' time='\([0-9.]*\): *'
	local cpu='\[0*\([0-9][0-9]*\)\] *[^0-9 ]* *'
	sed -n "s/$task$cpu${time}[A-Za-z0-9_]*: *\(.*\)\$/\3|\2|\4|\1|\5/p" "$tmp/report" > "$tmp/got"
	time='^\[ *\([0-9.]*\)\]' cpu='\[cpu \([0-9]*\)' task=' tid *\([0-9]*\) *\([^]]*\)\] : '
	"$jtrace" -d "$2" | sed -n -e '/^$/q' \
		-e "s/$time$cpu$task\(.*\) : ( *[0-9]*\.[0-9]* uSec).*/\2|\3|\1|\4|\5/p" > "$tmp/want"
	n=$(wc -l < "$tmp/want")
	if [ "$n" -gt 0 ] && [ "$n" = "${3-$n}" ] && [ ! -s "$tmp/log" ] &&
		awk -F '|' '
			function rest(n, i, s) {
				s = $n
				for (i = n + 1; i <= NF; i++)
					s = s "|" $i
				return s
			}
			function task(s, tid) {
				return tid == 0 || s == "" || s == "<...>" ? "" : s
			}
			NR == FNR {
				n++
				place[n] = $1 "|" $2 "|" $3
				name[n] = task($4, $2)
				text[n] = rest(5)
				next
			}
			{
				i++
				shown = rest(5)
				if (place[i] != $1 "|" $2 "|" $3 ||
				    (name[i] != "" && name[i] != task($4, $2)) || shown == "" ||
				    substr(text[i], length(text[i]) - length(shown) + 1) != shown) {
					print "entry " i ": " $0 ", not " place[i] "|" name[i] "|" text[i]
					bad = 1
					exit
				}
			}
			END { exit bad || i != n }' "$tmp/want" "$tmp/got" > "$tmp/diff"; then
		ok "trace.dat: $name: $n entries"
	else
		wc -l "$tmp/want" "$tmp/got" >> "$tmp/diff"
		not_ok "trace.dat: $name" "$tmp/diff" "$tmp/log"
	fi
}

test_dat() {
	local i

	{
		echo "0 3:0:0:2c 2c 14 0 0 6b736164 0 event sched_wakeup sched_wakeup (pid:s32, prio:s32, target:u32, comm:string)"
		echo "0 3:0:100:2c 1 0 0 0 0 0 event softirq_raise softirq_raise (vec:u32)"
		for i in $(seq 80); do
			[ $((i % 9)) != 0 ] || echo "0 pause"
			echo "1 3:0:0:7 9 2c 80 14 6b736164 0 event sched_switch sched_switch (prev_pid:s32, next_pid:s32, prev_state:x32, next_prio:s32, next_comm:string)"
			echo "0 3:0:0:7 ff fffffffe 0 0 ffffffffffffffff 8000000000000000 event all all (a:u8, b:s16, c:u64, d:s64)"
			echo "2 3:0:0:8 0 0 0 0 a9c3 0 event text text (comm:string8)"
			echo "0 3:0:0:9 0 1 0 0 1122334455667788 99aabbccddeeff00 event head head (n:u32, b:bytes)"
		done
	} > "$tmp/dat.in"
	"$tmp/mkimage" -c 64 -p 3 -e "$tmp/dat.in" -a 7,1,sh -a 8,1,kworker/u4:1 > "$tmp/file"
	dat_equal "events of the kernel" "$tmp/file" 322
	trace-cmd report -i "$tmp/trace.dat" > "$tmp/report" 2>&1
	if grep -q 'dask-44 .* sched_wakeup: *dask:44 \[20\]' "$tmp/report" &&
		! grep -q 'CANT FIND' "$tmp/report"; then
		ok "trace.dat: the printers of trace-cmd know the fields"
	else
		not_ok "trace.dat: the printers of trace-cmd know the fields" "$tmp/report"
	fi
	if grep -q 'head: .* b=887766554433221100ffeeddccbbaa99$' "$tmp/report"; then
		ok "trace.dat: bytes of memory in their order"
	else
		not_ok "trace.dat: bytes of memory in their order" "$tmp/report"
	fi
	{
		echo "0 3:0:0:7 1 0 0 0 2 0 event foo foo (common_pid:u32, jtrace_text:u64)"
		echo "0 3:0:0:7 2 0 0 0 2 0 event foo foo (common_pid:u32, jtrace_text:u64)"
	} > "$tmp/dat.in"
	"$tmp/mkimage" -c 8 -e "$tmp/dat.in" -a 7,1,early -a 7,5000001500,late > "$tmp/file"
	rm "$tmp/trace.dat"
	run 0 --trace-dat "$tmp/trace.dat" "$tmp/file"
	trace-cmd report -i "$tmp/trace.dat" > "$tmp/report" 2>&1
	if [ "$(grep -c 'late-7 .* foo: *common_pid=[12] jtrace_text=2$' "$tmp/report")" = 2 ]; then
		ok "trace.dat: the last name of a thread; names that are taken"
	else
		not_ok "trace.dat: the last name of a thread; names that are taken" "$tmp/report"
	fi
	"$tmp/mkimage" -c 64 -N -n 3000 > "$tmp/file"
	dat_equal "call sites" "$tmp/file"
	for i in 1 2 3; do
		"$tmp/mkimage" -c 64 -N -n 1000 -p 4 -S "$i" -t $((i * 1000000000)) > "$tmp/file"
		dat_equal "image $i" "$tmp/file"
	done
}
