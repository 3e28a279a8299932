# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# lib.sh - functions for the selftests: TAP, modules, counters, the kernel log
#
# Each test is run by "sh NAME.sh" as root, on a machine where jtrace is not
# loaded. Exit: 0 passed, 1 failed, 4 skipped. MODULES: folder with jtrace.ko
# and the modules of tests/kmod and samples, at any depth; VERIFY: the program.

HERE=$(cd "$(dirname "$0")" && pwd)
MODULES=${MODULES:-$HERE/../../build/$(uname -r)}
VERIFY=${VERIFY:-$HERE/verify}
JT=/sys/kernel/debug/jtrace
TMP=
MARK=

# How often insmod tries to load a module that the kernel refuses.  Busybox tries twice.
case $(insmod --help 2>&1) in
*BusyBox*) LOAD_TRIES=2 ;;
*)	LOAD_TRIES=1 ;;
esac

# Where 1 MiB is reserved for jtrace, if it is.
case $(uname -m) in
aarch64) RESERVED=0x50000000 ;;
*)	RESERVED=0x10000000 ;;
esac

nr=0
cpu_events=0
failures=0
skips=0

# ---- TAP ----

diag() {
	echo "# $*"
}

ok() {
	nr=$((nr + 1))
	echo "ok $nr - $*"
}

not_ok() {
	nr=$((nr + 1))
	failures=$((failures + 1))
	echo "not ok $nr - $*"
}

skip() {
	nr=$((nr + 1))
	skips=$((skips + 1))
	echo "ok $nr - $* # SKIP"
}

# check TEXT COMMAND...: pass if the command succeeds, else show its output
check() {
	check_text=$1
	shift
	if "$@" >"$TMP/check" 2>&1; then
		ok "$check_text"
	else
		not_ok "$check_text"
		head -n 20 "$TMP/check" | sed 's/^/#   /'
		return 1
	fi
}

# refuse TEXT ERROR COMMAND...: pass if the command runs, fails, and prints ERROR, a regular
# expression
refuse() {
	check_text=$1
	check_error=$2
	shift 2
	"$@" >"$TMP/check" 2>&1
	check_status=$?
	case $check_status in
	0|126|127) ;;
	*)	if grep -qE -e "$check_error" "$TMP/check"; then
			ok "$check_text"
			return
		fi ;;
	esac
	not_ok "$check_text"
	diag "  status $check_status, expected '$check_error' of $*"
	head -n 20 "$TMP/check" | sed 's/^/#   /'
	return 1
}

# lacks TEXT REGEXP FILE: pass if the file is readable, not empty, and has no such line
lacks() {
	if ! cat "$3" >"$TMP/lacks" 2>&1 || [ ! -s "$TMP/lacks" ]; then
		echo "nothing to look at" >>"$TMP/lacks"
		cp "$TMP/lacks" "$TMP/check"
	elif grep -E -e "$2" "$TMP/lacks" >"$TMP/check" 2>&1; [ $? -eq 1 ]; then
		ok "$1"
		return
	fi
	not_ok "$1"
	head -n 20 "$TMP/check" | sed 's/^/#   /'
	return 1
}

# Messages of busybox and of kmod: insmod for EINVAL and ENOENT, rmmod for a module in use.
# shellcheck disable=SC2034 # for the tests
INVALID='[Ii]nvalid (argument|parameter)' UNKNOWN='known symbol in module'
# shellcheck disable=SC2034
IN_USE='unavailable|in use'

# expect TEXT VALUE WANT
expect() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		diag "  got '$2', expected '$3'"
		return 1
	fi
}

# at_least TEXT VALUE LEAST
at_least() {
	if [ "$2" -ge "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		diag "  got $2, expected $3 or more"
		return 1
	fi
}

# skip_all REASON
skip_all() {
	echo "1..0 # SKIP $*"
	exit 4
}

finish() {
	unload_all
	[ "$nr" -ne 0 ] || not_ok "something was tested"
	echo "1..$nr"
	[ "$failures" -eq 0 ] || exit 1
	[ "$skips" -ne "$nr" ] || exit 4
	exit 0
}

# ---- modules ----

# ko NAME: print the path of a module
ko() {
	find "$MODULES/" -name "$1.ko" 2>/dev/null | head -n 1
}

have() {
	[ -n "$(ko "$1")" ]
}

load() {
	load_ko=$(ko "$1")
	[ -n "$load_ko" ] || { echo "$1.ko: not in $MODULES"; return 1; }
	shift
	insmod "$load_ko" "$@"
}

loaded() {
	grep -q "^$1 " /proc/modules
}

unload() {
	rmmod "$1"
}

# unload_all: clients first; jtrace_tsc stays, because jtrace is loaded on top of it
unload_all() {
	for unload_m in $(grep -o '^jtrace_[^ ]*' /proc/modules) jtrace; do
		[ "$unload_m" = jtrace_tsc ] || ! loaded "$unload_m" || unload "$unload_m"
	done
}

# start PARAM...: load jtrace again, or end the test
start() {
	unload_all
	cpu_events=0
	if ! load jtrace "$@" >"$TMP/load" 2>&1; then
		not_ok "load jtrace $*"
		sed 's/^/#   /' "$TMP/load"
		finish
	fi
}

# reserved: is the memory at $RESERVED reserved and unused?
reserved() {
	grep -qi "^ *0*${RESERVED#0x}-.* : reserved" /proc/iomem
}

# param MODULE NAME: print its value
param() {
	cat "/sys/module/$1/parameters/$2"
}

# ---- jtrace ----

# An unreadable value is "?", which equals no number and fails in arithmetic.

# stat NAME: print a counter
stat() {
	stat_value=$(sed -n "s/^$1 //p" "$JT/stats")
	echo "${stat_value:-?}"
}

# config NAME: print a value
config() {
	config_value=$(sed -n "s/^$1 *: //p" "$JT/config")
	echo "${config_value:-?}"
}

recording() {
	echo "$1" >"$JT/enabled"
}

# clear_trace: retry while a CPU does not answer, because the host may not run it
clear_trace() {
	for _ in $(seq 60); do
		clear_says=$(sh -c 'echo 1 >"$0/clear"' "$JT" 2>&1) && return
		case $clear_says in
		*[Rr]"esource busy"*) ;;
		*)	break ;;
		esac
	done
	diag "clear: $clear_says"
	return 1
}

trace() {
	cat "$JT/trace"
}

# entries: print only the entries of a trace on stdin
entries() {
	sed -n -e '/^$/q' -e '/^\[/p'
}

# verify OPTION...: check the live trace
verify() {
	"$VERIFY" "$@" <"$JT/trace"
}

# shown: print the number of entries that the trace shows
shown() {
	shown_value=$(trace | sed -n -e 's|^JTRACE: Recovered \([0-9]*\)/.*|\1|p' \
		-e 's/^JTRACE: no entries/0/p')
	echo "${shown_value:-?}"
}

# lost: print the number of events that were not recorded
lost() {
	awk '/^dropped_|^skipped / { n += $2; any++ } END { print any ? n : "?" }' "$JT/stats" || echo "?"
}

# sums EVENTS TEXT: check that counters add up to so many events, those of cpu_online(), and those
# that tell of skipped ones, while nothing records
sums() {
	sums_rec=$(stat recorded)
	expect "$2: events = recorded + dropped + skipped" "$((sums_rec + $(lost)))" \
		$(($1 + cpu_events + $(stat thaws)))
	expect "$2: recorded = shown + overwritten + cleared + lost_in_snapshot + unfinished" \
		"$(($(shown) + $(stat overwritten) + $(stat cleared) + $(stat lost_in_snapshot) +
			$(stat unfinished)))" \
		"$sums_rec"
	expect "$2: no chunk is stuck" "$(stat chunks_stuck)" 0
}

# wait_for COMMAND...: wait up to 60 s until the command succeeds
wait_for() {
	for _ in $(seq 600); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	diag "waited in vain for: $*"
	return 1
}

# up: print the uptime in seconds
up() {
	cut -d. -f1 /proc/uptime
}

# grown NAME N: is this counter N or more?
grown() {
	[ "$(stat "$1")" -ge "$2" ]
}

# ---- probes ----

PROBES=$JT/probes

# define LINE: define a probe; print nothing, or how it was refused
define() {
	echo "$1" 2>/dev/null >>"$PROBES" || sed -n 's/^# refused: //p' "$PROBES"
}

# probe_line NAME: print its line, with counters
probe_line() {
	sed -n "/^[prtwf]:$1 /p" "$PROBES"
}

# entries_of NAME: print the values and the site of each of its entries
entries_of() {
	trace | entries | sed 's/^[^]]*\][^]]*\] : //; s/ : ([^)]*)//' | grep "($1[ )]"
}

# fire N: let jtrace_source call its function and its tracepoint N times
fire() {
	echo "$1" >/sys/module/jtrace_source/parameters/fire
}

# ---- the hammer ----

# hammer count=N PARAM...: run jtrace_hammer to its end; it stays loaded
hammer() {
	! loaded jtrace_hammer || unload jtrace_hammer
	load jtrace_hammer seconds=0 "$@" || return 1
	hammer_wait
}

# hammering N PARAM...: run it until hammer_stop; return after N recorded events
hammering() {
	! loaded jtrace_hammer || unload jtrace_hammer
	hammering_n=$(($(stat recorded) + $1))
	shift
	load jtrace_hammer seconds=0 "$@" && wait_for grown recorded $hammering_n
}

# told_skipped: print how many events were skipped, by the events that tell that recording goes on
told_skipped() {
	trace >"$TMP/told" || return
	sed -n 's/.* \([0-9a-f]*\) [0-9a-f]* : .*(jtrace: thawed (.*skipped))$/\1/p' "$TMP/told" | {
		sum=0
		while read -r skipped; do
			sum=$((sum + 0x$skipped))
		done
		echo $sum
	}
}

hammer_stop() {
	echo y >/sys/module/jtrace_hammer/parameters/stop
	hammer_wait
}

hammer_wait() {
	while [ "$(param jtrace_hammer running)" -ne 0 ]; do
		sleep 0.1
	done
}

# ---- CPUs ----

# cpu_online CPU 0|1: that is an event, unless recording is off
cpu_online() {
	echo "$2" >/sys/devices/system/cpu/cpu"$1"/online || return
	! grep -qsx 1 "$JT/enabled" || cpu_events=$((cpu_events + 1))
}

# removable_cpus: print the CPUs that can go offline
removable_cpus() {
	for removable in /sys/devices/system/cpu/cpu[0-9]*/online; do
		[ ! -f "$removable" ] || echo "$removable"
	done | sed 's/.*cpu\([0-9]*\)\/.*/\1/'
}

# misses_patches: may a CPU go on with an instruction that another one has patched?  In QEMU, yes:
# enabled.sh says how often.
misses_patches() {
	[ "$CPUS" -gt 1 ] && grep -q QEMU /proc/cpuinfo
}

# need_patching: skip the test where code cannot be patched while other CPUs run
need_patching() {
	! misses_patches || skip_all "several emulated CPUs"
}

# alone COMMAND...: with one CPU online, because code is patched
alone() {
	for alone_cpu in $(removable_cpus); do
		cpu_online "$alone_cpu" 0
	done
	"$@"
	alone_status=$?
	for alone_cpu in $(removable_cpus); do
		cpu_online "$alone_cpu" 1
	done
	return $alone_status
}

# ---- the kernel log ----

log_mark() {
	MARK="selftest $$ $(cut -d' ' -f1 /proc/uptime)"
	echo "$MARK" >/dev/kmsg
}

# log_since: print the kernel log since the mark, or all of it if the mark was overwritten
log_since() {
	dmesg | awk -v mark="$MARK" '
		index($0, mark) { n = 0; next }
		{ line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }'
}

# refuse_load PARAM...: pass if jtrace refuses to load, with one line in the log, and write that
# line to $TMP/lines
refuse_load() {
	log_mark
	if load jtrace "$@" 2>/dev/null; then
		not_ok "$*: refused"
		unload jtrace
		return 1
	fi
	log_since | sed 's/^\[[^]]*\] //' | grep '^jtrace' >"$TMP/lines"
	expect "$*: one line" "$(wc -l <"$TMP/lines") $(sort -u "$TMP/lines" | wc -l)" "$LOAD_TRIES 1"
}

# ---- begin ----

[ "$(id -u)" -eq 0 ] || skip_all "not root"
[ -n "$(ls /sys/kernel/debug 2>/dev/null)" ] || skip_all "no debugfs"
! loaded jtrace || skip_all "jtrace is loaded: unload it first"
have jtrace || skip_all "no jtrace.ko in $MODULES"
[ -x "$VERIFY" ] || skip_all "no program $VERIFY: run make in tests/selftests"
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
# No trap for TERM: the shell would first wait for its child before it obeyed run.sh.
trap 'exit 1' HUP INT
# shellcheck disable=SC2034 # for the tests
CPUS=$(grep -c '^processor' /proc/cpuinfo)
echo "TAP version 13"
