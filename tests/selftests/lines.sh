#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lines - random lines to the file probes: each is taken or refused with a position in it, and
# nothing is left behind
#
# log: took more than 25 % of a CPU
# sanitized: yes
#
# LINES_PROBES: how many (2000).  SEED: repeats them.  Needs a machine where code can be patched:
# not QEMU with several CPUs (see enabled.sh).

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_probe || skip_all "no jtrace_probe.ko"
need_patching
LINES_PROBES=${LINES_PROBES:-2000}
SEED=${SEED:-$(date +%s)}
diag "seed $SEED"
export LC_ALL=C

# random_lines N SEED: print lines of words in any order, most of them at their place
random_lines() {
	awk -v n="$1" -v seed="$2" '
	function any(words,    all, count) {
		count = split(words, all, "|")
		return all[1 + int(rand() * count)]
	}
	# One of few words in so many is wrong.
	function any_of(good, bad) {
		return any(rand() < 0.04 ? bad : good)
	}
	function fetch() {
		return any_of("|||n=|m=|o=", "if=|1=|=") \
			any_of(kind == "r" ? "$retval|$comm|@0x10|+0($retval)" : \
			       "$arg1|$arg2|$comm|@0x10|\\7|\\-1|+0($arg1)|-8(+4($arg2))",
			       "$retval|$arg1|$stack|$stack3|%ax|%x3|+0($comm)|+(|$arg99|" \
			       "+0(+0(+0(+0(+0(+0(+0($arg1)))))))") \
			any_of("", ":u8|:s32|:string8|:symbol|:")
	}
	function clause() {
		return any_of("skip=3|every=2|rate=5|stop=9|in=a|on=a|off=b",
			      "every=0|stop=99999999|skip|in=|=|x") any_of("", "x| #")
	}
	function condition(    text) {
		text = any_of("if", "and|if if") " " any_of(kind == "r" ? "$retval|$retval:s8" : \
			"$arg1|$arg2:u32|+0($arg1):s8", "$comm|$|$arg1:x") " " \
			any_of("eq|ne|lt|ge|has|==|&", "=|!|eqq") " " \
			any_of("1|0x7f", "-1|sh|\"a b\"|\"|18446744073709551616|")
		return rand() < 0.3 ? text " and " fetch() " eq 1" : text
	}
	BEGIN {
		srand(seed)
		while (n-- > 0) {
			kind = any_of("p|r|t", "-|x||:")
			line = kind any_of(":x" n, "|:a|:a.b|:1|:") any_of(" ", "|\t") \
				any_of(kind == "t" ? "jtrace_source:jtrace_source" : "jtrace_source:jtrace_source_call",
				       "jtrace_source_call+5|vfs_read|jtrace_source|sched_switch|nowhere:f|0x10|" \
				       "0xffffffffffffffff|f+|panic|jtrace_record|")
			for (i = int(rand() * 4); i > 0; i--)
				line = line any_of(" ", "|  |\t") fetch()
			if (rand() < 0.4)
				line = line " " condition()
			for (i = int(rand() * 3); i > 0; i--)
				line = line " " clause()
			if (rand() < 0.05)
				line = substr(line, 1, int(rand() * length(line)))
			if (rand() < 0.02)
				line = line sprintf("%1000s%c", "x", 128 + int(rand() * 127))
			print line
		}
	}'
}

# write_lines FILE: write each of them; set taken, refused, wrong
write_lines() {
	taken=0 refused=0 wrong=0
	while IFS= read -r line; do
		if printf '%s\n' "$line" 2>/dev/null >>"$PROBES"; then
			taken=$((taken + 1))
			if [ $((taken % 32)) -eq 0 ]; then
				echo 5 >/sys/module/jtrace_source/parameters/fire
				: >"$PROBES"
			fi
			continue
		fi
		refused=$((refused + 1))
		at=$(sed -n 's/^# refused: .*: at character \([0-9]*\): ..*/\1/p' "$PROBES")
		if [ -z "$at" ] || [ "$at" -lt 1 ] || [ "$at" -gt $((${#line} + 1)) ]; then
			wrong=$((wrong + 1))
			diag "refused at '$at': $line"
		fi
	done <"$1"
	: >"$PROBES"
}

# memory: print kilobytes of the kernel's objects, and of those for each CPU
memory() {
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { n += $2 } END { print n }' /proc/meminfo
}

start target_buffer_size=256K
load jtrace_probe
load jtrace_source
random_lines "$LINES_PROBES" "$SEED" >"$TMP/lines"
head -n 500 "$TMP/lines" >"$TMP/some"
write_lines "$TMP/some"
cat "$PROBES" >/dev/null
before=$(memory)
write_lines "$TMP/lines"
grown=$(($(memory) - before))
diag "$taken taken, $refused refused, memory grew by $grown kB"
expect "all refusals have a position in the line, and a reason" $wrong 0
at_least "lines taken" $taken $((LINES_PROBES / 20))
at_least "lines refused" $refused $((LINES_PROBES / 4))
expect "nothing is left behind" "$(grep -v '^# refused' "$PROBES")" ""
# A probe and its counters take 4 KiB or more.
at_least "less than half of what these probes took is lost" $((taken * 2 - grown)) 0
check "the trace is right" verify
# One of them may have stopped it.
recording 1
check "a probe works as ever" sh -c "echo 't:all jtrace_source' >$PROBES"
echo 5 >/sys/module/jtrace_source/parameters/fire
check "its hits are counted" grep -q '^t:all .* # hits=5 recorded=5 ' "$PROBES"
unload jtrace_source
check "the modules are unloaded" unload jtrace_probe

finish
