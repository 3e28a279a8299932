# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# lib.sh - functions for the runners of this folder: scenarios, kernels, guests, TAP
#
# A runner defines boot NAME, which leaves its results in $logs/NAME and $logs/NAME.*,
# judge NAME, which prints the faults in them, and jtrace_of NAME, which prints the parameters
# of the module.  Source this file at the top of the tree.  BUILD may be relative to it.

[ -z "${BUILD-}" ] || BUILD=$(realpath -m -- "$BUILD") || exit 1
release=$(scripts/release) || exit 1
# RELEASE, and the kernel that runs what names none: KERNEL
eval "$release"

# ---- the table ----

declare -A field=()
names=()

# read_table FILE KEY...: read field[NAME:KEY] and names; a repeated key makes several lines
read_table() {
	local file=$1 name='' key value

	shift
	while read -r key value; do
		case $key in
		''|'#'*) continue ;;
		name:)	name=${prefix-}$value
			names+=("$name")
			continue ;;
		esac
		case $name in
		''|*.*) echo "$file: '$name': not a name" >&2; exit 2 ;;
		esac
		case " $* " in
		*" ${key%:} "*) ;;
		*) echo "$file: '$key' unknown" >&2; exit 2 ;;
		esac
		key=$name:${key%:}
		field[$key]=${field[$key]+${field[$key]}$'\n'}$value
	done < "$file"
}

# read_scenarios FILE KEY...: read the table of deaths, and one of scenarios that name them
read_scenarios() {
	local prefix=death/ name death where die

	read_table tests/qemu/deaths die run end module qemu last console verdict report
	names=() prefix=''
	read_table "$@" death
	for name in "${names[@]}"; do
		read -r death where <<< "${field[$name:death]-}"
		die=${field[death/$death:die]-}
		case $death:$die:$where:${field[death/$death:run]-} in
		:*|*:?*:?*:|*:::?*) ;;
		*)	echo "$1: $name: no such death: $death $where" >&2
			exit 2 ;;
		esac
		field[$name:death]=$death
		[ -z "$where" ] || field[$name:die]="$die where=$where"
		[ "$where" != nmi ] || field[$name:end]=nmi
	done
}

# get NAME KEY [DEFAULT]: the value of the scenario, else that of its death.  NAME.N is one
# run of NAME.
get() {
	local name=${1%%.*}

	printf '%s' "${field[$name:$2]-${field[death/${field[$name:death]-}:$2]-${3-}}}"
}

# get_all NAME KEY: the lines of its death, then its own
get_all() {
	local name=${1%%.*}

	printf '%s\n' "${field[death/${field[$name:death]-}:$2]-}" "${field[$name:$2]-}"
}

# verify_options NAME: set options, for verify, from the scenario and its death.  With
# last_entry_storage=-1, the last event of every CPU is there.
verify_options() {
	local last

	last=$(get "$1" last)
	eval "options=($(get "$1" verify))"
	[ -z "$last" ] || options=(-l "$last" "${options[@]}")
	case ${#options[@]}:$(jtrace_of "$1") in
	0:*)	;;
	*last_entry_storage=-1*) options=(-c -1 -a "${options[@]}") ;;
	esac
}

# choose FILE [NAME...]: reduce names to these
choose() {
	local file=$1 name

	shift
	for name; do
		case " ${names[*]} " in
		*" $name "*) ;;
		*) echo "$file: $name: no such scenario" >&2; exit 2 ;;
		esac
	done
	[ $# -eq 0 ] || names=("$@")
}

# choose_part PART: reduce names to those with "short: yes" if PART is "short", and to the others
# if it is "rest"
choose_part() {
	local name its chosen=()

	for name in "${names[@]}"; do
		its=rest
		[ "$(get "$name" short)" != yes ] || its=short
		[ "${1:-$its}" != $its ] || chosen+=("$name")
	done
	names=(${chosen[@]+"${chosen[@]}"})
}

# ---- kernels ----

# prepare [NAME]: fetch a kernel with scripts/kernel-image, and build modules and programs in
# $build.  Set guest, the folder of programs for guests, and ram, where memory begins.
prepare() {
	local vars

	vars=$(scripts/kernel-image "$@") || return 1
	eval "$vars"
	: "${KREL:?}" "${KIMAGE:?}" "${KDIR:?}" "${KMODDIR:?}" "${KARCH:?}" "${KCPU:?}"
	export CROSS_COMPILE KROOT
	build=${BUILD:-$PWD/build/$KREL}
	guest=$build
	ram=0
	mkdir -p "$build" || return 1
	scripts/deps build qemu || return 1
	exec 9>"$build/lock"
	flock 9
	scripts/modules "$KDIR" "$build" && make -s -C tests/selftests OUT="$build" &&
		make -s -C tests/qemu OUT="$build" || return 1
	if [ "$KARCH" = arm64 ]; then
		guest=$build/guest
		# shellcheck disable=SC2034 # for the runners
		ram=0x40000000
		mkdir -p "$guest"
		make -s -C tests/selftests OUT="$guest" CC="${CROSS_COMPILE}gcc" &&
			make -s -C tests/qemu OUT="$guest" CC="${CROSS_COMPILE}gcc" guest || return 1
	fi
	exec 9>&-
}

# needs_threads BEFORE: must CPUs really run at once, because they record at once?
needs_threads() {
	[[ $1 = *hammer* ]]
}

# add_modules DIR: set add, arguments of scripts/vm
add_modules() {
	local file

	add=()
	for file in "$1"/stripped/*.ko; do
		add+=(-a "$file:jtrace/ko/${file##*/}")
	done
}

# add_tool DIR: build jtrace(1) there for the guest, and append it to add
#
# Static, and for the architecture of the guest.  Where libbpf cannot be linked so, as on Debian 13,
# whose libelf.a lacks a part, the guest gets the shared libraries.
add_tool() {
	local tool=$1/tool/jtrace library

	make -s -C tools O="$1/tool" CC="${CROSS_COMPILE-}gcc" CPPFLAGS=-Werror LDFLAGS=-static ||
		return 1
	if [ "${KARCH:-amd64}" = amd64 ] && "$tool" --version | grep -q 'without libbpf'; then
		make -s -C tools O="$1/tool-shared" || return 1
		tool=$1/tool-shared/jtrace
	fi
	add+=(-a "$tool:jtrace/bin/jtrace")
	for library in $(scripts/libraries "$tool"); do
		add+=(-a "$library")
	done
}

# ---- a guest ----

# run_guest NAME TIMEOUT VM-ARG... SCRIPT [ARG...]: a guest with the files of $add.  What it
# leaves is in $logs/NAME, what scripts/vm says in NAME.err, its exit status in NAME.status.
run_guest() {
	local name=$1 limit=$2

	shift 2
	rm -rf "${logs:?}/$name"
	# Others are slower to emulate.
	[ "${KARCH:-amd64}" = amd64 ] || limit=$((2 * limit))
	scripts/vm -j -o "$logs/$name" -t "$limit" -k "$KIMAGE" "${add[@]}" "$@" \
		> "$logs/$name.err" 2>&1 < /dev/null
	echo $? > "$logs/$name.status"
}

# ---- snapshots ----

# A scenario goes on from a snapshot (scripts/vm -S), unless the boot matters.  cold[NAME] is set
# for the controls: by chance, some scenarios boot, to show that the snapshot changes nothing.  With
# COLD=yes all boot.
declare -A cold=()

# needs_boot NAME: must this scenario boot?  The runner defines reboots NAME.
needs_boot() {
	[ -n "$(get "$1" cold)" ] || reboots "$1"
}

# draw N SEED: print N lines of stdin, drawn by SEED
draw() {
	local line

	while IFS= read -r line; do
		echo "$(cksum <<< "$2 $line") $line"
	done | sort -n | head -n "$1" | cut -d ' ' -f 3-
}

# control N: let N of the scenarios that could go on from a snapshot boot
control() {
	local name

	while read -r name; do
		cold[$name]=1
	done < <(for name in "${names[@]}"; do
		needs_boot "$name" || echo "$name"
	done | draw "$1" "${SEED:?}")
}

# begins NAME N [cold]: set begin, arguments of scripts/vm: boot, or go on from snapshot N; counted
# in $logs/begun
# shellcheck disable=SC2034 # for the runners
begins() {
	begin=()
	if [ -n "${COLD-}${cold[$1]-}${3-}" ] || needs_boot "$1"; then
		echo cold
	else
		begin=(-S "$2")
		echo snapshot
	fi >> "${logs:?}/begun"
}

# start_monitor DIR: make a monitor of QEMU, which reads DIR.mon.in and writes DIR.mon.log, and
# set monitor_args; ends with the runner's other jobs
start_monitor() {
	mkfifo "$1".mon.{in,out} || return 1
	# shellcheck disable=SC2034 # for the runners
	monitor_args="-chardev pipe,id=mon,path=$1.mon -mon chardev=mon,mode=readline"
	# Both ends stay open here, so that neither side waits for the other to open.
	exec 7<>"$1.mon.in" 8<>"$1.mon.out"
	cat <&8 > "$1.mon.log" &
}

# wait_console DIR TEXT: wait up to 5 minutes, which is longer than a guest may run
wait_console() {
	for _ in $(seq 3000); do
		! grep -qs "$2" "$1/console.log" || return 0
		sleep 0.1
	done
	return 1
}

# missing FILE PATTERNS, forbidden FILE PATTERNS: print the patterns that fail
missing() {
	local pattern

	while IFS= read -r pattern; do
		[ -z "$pattern" ] || grep -qaE -e "$pattern" "$1" || echo "missing: $pattern"
	done <<< "$2"
}

forbidden() {
	local pattern

	while IFS= read -r pattern; do
		[ -n "$pattern" ] || continue
		# 2: no such file, or no such pattern.
		grep -aE -e "$pattern" "$1"
		case $? in
		0)	echo "forbidden: $pattern" ;;
		1)	;;
		*)	echo "$1: cannot look for: $pattern" ;;
		esac
	done <<< "$2"
}

# ---- all of them, JOBS at a time (2) ----

passed=0 failed=0 skipped=0

# result NAME FAULTS [SAYS]: print one line of TAP, which ends with SAYS, then the faults
result() {
	local n=$((passed + failed + skipped + 1))

	if [ -z "$2" ]; then
		passed=$((passed + 1))
		echo "ok $n - $1${3:+ # $3}"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1"
		head -n 60 <<< "$2" | cat -v | sed 's/^/#   /'
	fi
}

# skip NAME REASON
skip() {
	skipped=$((skipped + 1))
	echo "ok $((passed + failed + skipped)) - $1 # SKIP $2"
}

# run_all: boot and judge all scenarios.  The faults go to NAME.judged.  NAME.says ends the
# line of TAP.  NAME.skip holds the reason for a skip.
run_all() {
	local name

	: "${logs:?}"
	: > "$logs/begun"
	for name in "${names[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do
			wait -n
		done
		# If the shell dies in judge, the last word is missing.
		{ boot "$name"; { judge "$name"; echo judged; } > "$logs/$name.words"; } &
	done
	wait

	[ $((passed + failed + skipped)) -gt 0 ] || echo "TAP version 13"
	for name in "${names[@]}"; do
		if [ "$(tail -n 1 "$logs/$name.words")" = judged ]; then
			sed '$d' "$logs/$name.words"
		else
			cat "$logs/$name.words"
			echo "it was not judged to the end"
		fi > "$logs/$name.judged"
		if [ -f "$logs/$name.skip" ]; then
			skip "$name" "$(cat "$logs/$name.skip")"
		else
			result "$name" "$(cat "$logs/$name.judged")" "$(cat "$logs/$name.says" 2>/dev/null)"
		fi
	done
}

# print_sum RUNG: print the last lines; the exit status is that of the rung
print_sum() {
	[ ! -s "${logs-}/begun" ] || echo "# cold boots: $(grep -c cold "$logs/begun"), from" \
		"snapshots: $(grep -c snapshot "$logs/begun")"
	echo "1..$((passed + failed + skipped))"
	echo "$1: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
