# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# boots.sh - let a kernel die in QEMU, and check what the next boot recovers
#
# Defines boot and judge for scenarios with the keys of persist-scenarios; on[NAME] is the
# kernel of a scenario that names none.  The RAM of a guest is a file, which outlives QEMU.
# SOAK: factor for the number of random runs (1).  SEED: of the random numbers; printed.
# The runner calls prepare_all, or prepare_one and prepare_tools, and sets logs.  Source this
# file at the top of the tree.

# shellcheck source=tests/qemu/lib.sh
. tests/qemu/lib.sh
# shellcheck source=tests/qemu/dumps.sh
. tests/qemu/dumps.sh
# shellcheck source=tests/qemu/outside.sh
. tests/qemu/outside.sh

# All keys, for read_scenarios.
# shellcheck disable=SC2034
keys=(kernels cpus kernel cold short qemu module memory ramoops jtrace again before die run
	end at moment times panics between turns damage wreck found host attempt after verify
	last verdict same lost want forbid log forbid-log console forbid-console report
	recovered-log)

# Offsets in memory, and in the file that holds it: the region of jtrace, the one of
# ramoops, notes of the guests and of jtrace_hammer, files of the guests.
region=0x10000000
ramoops=0x10100000
mark=0x10140000
progress=0x10141000
mailbox=0x11000000

SOAK=${SOAK:-1}
SEED=${SEED:-$RANDOM$RANDOM}
echo "SEED=$SEED SOAK=$SOAK"

# ---- kernels ----

declare -A on=() kimage kcpu kmoddir kbuild kguest kram

# prepare_one NAME: fetch a kernel, and build for it
prepare_one() {
	prepare "$1" || return 1
	# Another rung may build it, too.
	(flock 9 && make -s -C tools O="${guest:?}/tool" CC="${CROSS_COMPILE}gcc" CPPFLAGS=-Werror \
		LDFLAGS=-static) 9> "${build:?}/lock" || return 1
	kimage[$1]=${KIMAGE:?} kcpu[$1]=${KCPU:?} kmoddir[$1]=${KMODDIR:?}
	kbuild[$1]=${build:?} kguest[$1]=${guest:?} kram[$1]=${ram:?}
}

# prepare_tools: build the programs of the host, and set build to their folder
prepare_tools() {
	build=${kbuild[$KERNEL]-$(printf '%s\n' ${kbuild[@]+"${kbuild[@]}"} | head -n 1)}
	[ -n "$build" ] || return 1
	# Static, because guests run the same program.
	(flock 9 && make -s -C tools O="$build/tool" CPPFLAGS=-Werror LDFLAGS=-static) 9> "$build/lock"
}

# prepare_all NAME...: prepare the kernels that are available, and set build
prepare_all() {
	local builds=${BUILD-} name

	for name in $(printf '%s\n' "$@" | sort -Vru); do
		BUILD=${builds:+$builds/$name} prepare_one "$name" || [ "$name" != "$KERNEL" ] || return 1
	done
	prepare_tools
}

# address_of NAME OFFSET: print the address of an offset in the memory of that kernel
address_of() {
	printf '0x%x' $((kram[$1] + $2))
}

# ---- one scenario ----

# jtrace_of NAME: parameters of the module
jtrace_of() {
	get "$1" jtrace "last_entry_storage=-1 use_large_entries=y target_buffer_size=32K"
}

# chance NAME N: print a number below N that depends on SEED and NAME
chance() {
	echo $((0x$(echo "$SEED $1" | md5sum | cut -c 1-12) % $2))
}

# end_guest NAME DIR: wait for the guest, and end it from outside at a random moment
end_guest() {
	local ms

	if [ "$(get "$1" end)" = outside ]; then
		see_guest "$1" "$2" >> "$logs/$1.seen" 2>&1
		return
	fi
	wait_console "$2" "$(get "$1" at 'persist: go')" || return
	[ "$(get "$1" end)" != nmi ] || wait_console "$2" 'waiting for an NMI' || return
	ms=$(get "$1" moment "$(chance "$1" 1000)")
	echo "after $ms ms" > "$2.moment"
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
	case $(get "$1" end) in
	kill)	kill -9 "$(cat "$2/qemu.pid")" ;;
	reset)	echo system_reset > "$2.mon.in" ;;
	nmi)	echo nmi > "$2.mon.in" ;;
	dump)	dump_guest "$1" "$2" ;;
	esac
}

# count_turns NAME: print the number of boots between the first and the last one
count_turns() {
	local nr

	nr=$(get "$1" turns)
	if [ -n "$nr" ]; then
		echo $((nr * SOAK))
	else
		[ -z "$(get "$1" between)" ]
		echo $?
	fi
}

# count_cpus NAME BOOT: print the number of CPUs of the guest
count_cpus() {
	local first next

	read -r first next <<< "$(get "$1" cpus 2)"
	[ "$2" -eq 1 ] && echo "$first" || echo "${next:-$first}"
}

# configure NAME VERSION: print the configuration of persist-guest
configure() {
	local name=$1 version=$2 memory first again

	memory=$(get "$name" memory \
		"enabled=persistent mem_address=$(address_of "$version" $region) mem_size=1M")
	first="$memory $(jtrace_of "$name")"
	again="$memory $(get "$name" again "$(jtrace_of "$name")")"
	if [ "$memory" = none ]; then
		first="" again=""
	fi
	printf '%s=%q\n' SEED "$SEED" TURNS "$(count_turns "$name")" \
		REGION "$(address_of "$version" $region)" MARK "$(address_of "$version" $mark)" \
		PROGRESS "$(address_of "$version" $progress)" MAILBOX "$(address_of "$version" $mailbox)" \
		FIRST "$first" AGAIN "$again" \
		BEFORE "$(get "$name" before)" BETWEEN "$(get "$name" between)" \
		RUN "$(get "$name" run "insmod ./jtrace_die.ko $(get "$name" die)")" \
		AFTER "$(get "$name" after :)"
}

# reboots NAME: does one QEMU boot more than once?
reboots() {
	case $(get "$1" end) in
	panic-reboot|kexec|kdump*) ;;
	reboot|reset) [ -z "$(get "$1" wreck)" ] ;;
	*)	false ;;
	esac
}

# add_others DIR: add to $add the modules for the kernel that kexec boots
add_others() {
	local file

	for file in "$1"/stripped/*.ko; do
		add+=(-a "$file:jtrace/other/${file##*/}")
	done
}

# run_boot NAME DIR VERSION OPTIONS...: run one boot.  Other boots of a scenario go on from other
# snapshots: another boot id, another address of the kernel.
run_boot() {
	local name=$1 dir=$2 version=$3 add module record at other race='' begin=()

	shift 3
	[ "${dir##*.}" -ne 1 ] || ! needs_threads "$(get "$name" before)" || race=yes
	add_modules "${kbuild[$version]}"
	record=$(get "$name" ramoops)
	at=$(address_of "$version" $ramoops)
	[ -z "$record" ] || add+=(-M "ramoops mem_address=$at mem_size=0x40000 record_size=$record")
	while IFS= read -r module; do
		[ -z "$module" ] || add+=(-M "$module")
	done <<< "$(get "$name" module)"
	case $(get "$name" end) in
	kexec|kdump*)
		read -r _ other <<< "$(get "$name" kernels)"
		[ -z "$other" ] || add_others "${kbuild[$other]}"
		add+=(-a "${kimage[${other:-$version}]}:jtrace/crash/kernel"
			-a "${kguest[$version]}/kexec:jtrace/crash/kexec"
			-a "${kguest[$version]}/tool/jtrace:jtrace/crash/jtrace") ;;
	esac
	[ "$(get "$name" end)" != kdump-save ] || add_saver "$name"
	[ ! -d "$logs/$name.images" ] || add+=(-a "$logs/$name.images:jtrace/images")
	configure "$name" "$version" > "$dir.conf"
	# A snapshot of arm64 was not tried.
	begins "$name" $(((${dir##*.} - 1) % 3 + 1)) "$([ "${kram[$version]}" = 0 ] || echo cold)"
	KMODDIR=${kmoddir[$version]} scripts/vm -k "${kimage[$version]}" -C "${kcpu[$version]}" \
		-o "$dir" -t 240 -c "$(count_cpus "$name" "${dir##*.}")" ${race:+-j} -R "$logs/$name.ram" \
		-s "1M@$(address_of "$version" $region):jtrace" -s "320K@$at" \
		-s "48M@$(address_of "$version" $mailbox)" -p "printk.devkmsg=on $(get "$name" kernel)" \
		-q "$(get "$name" qemu)" "${add[@]}" -a "${kguest[$version]}/memory" \
		-a "${kguest[$version]}/verify" -a "${kguest[$version]}/tasks" \
		-a tests/selftests/judge_tasks -a tools/probe/presets/down.probe \
		-a "${kguest[$version]}/tool/jtrace:jtrace/tool/jtrace" \
		-a "$dir.conf:jtrace/persist.conf" \
		-a "$logs/$name.attempts:jtrace/attempts" \
		${begin[@]+"${begin[@]}"} "$@" tests/qemu/persist-guest > "$dir.vm" 2>&1 < /dev/null ||
		echo "${dir##*/}: scripts/vm ended with status $?" >> "$logs/$name.wrong"
}

# dump_memory NAME ADDRESS SIZE: print a range of the guest's memory
dump_memory() {
	dd if="$logs/$1.ram" bs=4096 skip=$(($2 / 4096)) count=$(($3 / 4096)) status=none
}

# damage_copies NAME: copy the region, and damage each copy in another way
damage_copies() {
	local name=$1 how n=0 images=$logs/$1.images

	mkdir -p "$images"
	while IFS= read -r how; do
		n=$((n + 1))
		cp "$logs/$name.region" "$images/$n"
		# shellcheck disable=SC2086 # a list of words
		echo "$n ${how%%:*}:$("$build/damage" "$images/$n" "$(chance "$name.$n" 1000000000)" \
			${how#*:} 2>&1):${how#*:}"
	done <<< "$(get "$name" damage)" > "$logs/$name.damage"
}

# damage_region NAME: damage the region itself, but not its copy
damage_region() {
	local base=$logs/$1 what

	what=$(get "$1" wreck)
	cp "$base.region" "$base.wrecked"
	# shellcheck disable=SC2086 # a list of words
	echo "${what%%:*}:$("$build/damage" "$base.wrecked" "$(chance "$1.wreck" 1000000000)" \
		${what#*:} 2>&1):${what#*:}" > "$base.wreck"
	dd if="$base.wrecked" of="$base.ram" bs=4096 seek=$((region / 4096)) conv=notrunc status=none
}

# boot NAME: run all boots, into $logs/NAME.1 and on
boot() {
	local name=$1 base=$logs/$1 kernels end args=() word last=2 i

	rm -rf "${base:?}" "$base".*
	: > "$base.wrong"
	read -ra kernels <<< "$(get "$name" kernels "${on[$name]-$KERNEL}")"
	for word in "${kernels[@]}"; do
		if [ -z "${kimage[$word]-}" ]; then
			echo "kernel $word is not available" > "$base.skip"
			return
		fi
	done
	get "$name" attempt > "$base.attempts"
	echo >> "$base.attempts"

	end=$(get "$name" end panic)
	case $end in
	panic|nmi) args=(-E "$(get "$name" panics 1)") ;;
	kill)	args=(-K)
		[ -z "$(get "$name" panics)" ] || args+=(-E "$(get "$name" panics)") ;;
	off)	;;
	once)	last=1 ;;
	reboot|reset|kexec)
		args=(-r -n 2)
		if [ -n "$(get "$name" wreck)" ]; then
			args=(-X)
		else
			last=1
		fi ;;
	panic-reboot) args=(-r -n 2 -E 1)
		last=1 ;;
	dump) args=(-K)
		last=1 ;;
	outside) args=(-K -E 1)
		last=1 ;;
	kdump*)	args=(-r -n 3 -E 1)
		last=1 ;;
	*)	echo "end: $end: unknown" >> "$base.wrong"
		return ;;
	esac
	case $end in
	nmi|reset|dump|outside)
		start_monitor "$base.1"
		args+=(-Q "${monitor_args:?}") ;;
	esac
	case $end in
	kill|nmi|reset|dump|outside) end_guest "$name" "$base.1" & ;;
	esac
	run_boot "$name" "$base.1" "${kernels[0]}" ${args[@]+"${args[@]}"}
	# Only jobs that still run: the PID of one that ended may belong to another process.
	jobs -pr | xargs -r kill 2> /dev/null
	if [ $last -gt 1 ]; then
		dump_memory "$name" $region 0x100000 > "$base.region"
		[ -z "$(get "$name" damage)" ] || damage_copies "$name"
		[ -z "$(get "$name" wreck)" ] || damage_region "$name"
		last=$((last + $(count_turns "$name")))
		for ((i = 2; i <= last; i++)); do
			args=(-e)
			[ $i -lt $last ] || args=()
			run_boot "$name" "$base.$i" "${kernels[(i - 1) % ${#kernels[@]}]}" \
				${args[@]+"${args[@]}"}
		done
	fi

	mkdir -p "$base.out"
	dump_memory "$name" $mailbox 0x3000000 | tar xm -C "$base.out" 2>> "$base.wrong"
	dump_memory "$name" $progress 0x1000 > "$base.progress"
	rm -f "$base.ram"
}

# ---- what must be true ----

# events FILE: print the sorted entries of a trace, without sites and time differences
events() {
	sed -nE '/^JTRACE: Last recorded/,$d
		s/^(\[.*\]) : (.*) : \( *[0-9.]+ uSec\) : .*/\1 \2/p' "$1" | LC_ALL=C sort
}

# with_sites FILE: the same with sites, for the entries whose site is known
with_sites() {
	sed -nE '/^JTRACE: Last recorded/,$d
		/ \(<site |: <site /d
		s/^(\[.*\]) : (.*) : \( *[0-9.]+ uSec\) : /\1 \2 /p' "$1" | LC_ALL=C sort
}

# last_events FILE: the same as events, for the section on CPUs
last_events() {
	sed -nE '1,/^JTRACE: Last recorded/d
		s/^(\[.*\]) : (.*) : \( *[0-9.]+ uSec\) : .*/\1 \2/p' "$1" | LC_ALL=C sort
}

# drop_older FILE: print the lines of stdin, but not those that are older than all lines of
# their CPU in FILE.  A chunk without its header may be read as that of one lap before: its
# entries are then true, and out of date.
drop_older() {
	awk -F '[][ ]+' '
	{ for (i = 1; i < NF && $i != "cpu"; i++) ; time = $(i - 1); cpu = $(i + 1) }
	FILENAME != "-" {
		if (!(cpu in oldest) || time + 0 < oldest[cpu])
			oldest[cpu] = time + 0
		next
	}
	!(cpu in oldest) || time + 0 >= oldest[cpu]' "$1" -
}

# false_lines OFF FILE: print the lines of stdin that are not in FILE with a time at most OFF
# seconds off.  Before the first stamp that is left, and after the last one, time runs at
# the nominal rate, which emulated machines measure to 1/500.  So a line beyond all that
# fit may be off by 1/200 of its distance from them.
false_lines() {
	if [ ! -f "$2" ]; then
		echo "$2: not there"
		return
	elif [ "$1" = 0 ]; then
		LC_ALL=C comm -13 "$2" -
		return
	fi
	awk -v off="$1" '
	function fits(n, most,    times, i) {
		i = split(known[rest[n]], times, " ")
		for (; i; i--)
			if (times[i] - time[n] <= most && time[n] - times[i] <= most)
				return 1
		return 0
	}
	{
		match($0, /^\[ *[0-9.]+\]/)
		at = substr($0, 2, RLENGTH - 2)
		what = substr($0, RLENGTH + 1)
	}
	FILENAME != "-" { known[what] = known[what] " " at; next }
	{
		line[++nr] = $0
		time[nr] = at
		rest[nr] = what
		if (!(ok[nr] = fits(nr, off)))
			next
		if (!any++ || at < first)
			first = at
		if (at > last)
			last = at
	}
	END {
		for (n = 1; n <= nr; n++) {
			far = time[n] < first ? first - time[n] : time[n] - last
			if (!ok[n] && !(any && far > 0 && fits(n, off + far / 200)))
				print line[n]
		}
	}' "$2" -
}

# unprintable FOLDER: report control characters, which a terminal would obey
unprintable() {
	local file

	for file in "$1"/{recovered,last_boot_info,config,dmesg}; do
		[ -f "$file" ] || continue
		! LC_ALL=C grep -naP '[^\t\x20-\x7e]' "$file" | head -n 3 | cat -v | grep . ||
			echo "$file: control characters"
	done
}

# judge_text NAME WHAT HOW SAYS FILE: check the text of a damaged image; damage printed SAYS
judge_text() {
	local base=$logs/$1 what=$2 how=$3 entries touched shown off=0

	# With ticks, times are interpolated between the chunk headers that are left.
	case $(jtrace_of "$1") in
	*clock=ticks*) off=0.00001 ;;
	esac
	! grep -aq '^JTRACE: Damaged: .*: times may be inexact' "$5" || off=0.001
	events "$5" > "$base.these"
	{
		false_lines "$off" "$base.events" < "$base.these"
		[ "$how" = forged ] || with_sites "$5" | false_lines "$off" "$base.sites"
		last_events "$5" | false_lines "$off" "$base.events"
	} | drop_older "$base.events" > "$base.false"
	[ ! -s "$base.false" ] || echo "$what: false: $(head -n 3 "$base.false")"
	shown=$(wc -l < "$base.these")
	if ! read -r _ entries _ touched <<< "$4" || [ -z "$touched" ]; then
		echo "$what: damage: $4"
		return
	fi
	case $how in
	none)	[ "$shown" -eq 0 ] || echo "$what: $shown entries shown" ;;
	any)	;;
	forged)	grep -q FORGED "$5" || echo "$what: what was forged is not shown"
		[ "$shown" -eq "$entries" ] || echo "$what: $entries entries, $shown shown" ;;
	*)	[ "$shown" -ge $(((entries - touched) * how / 100)) ] ||
			echo "$what: $entries entries, $touched touched, $shown shown" ;;
	esac
	echo "$what: entries $entries touched $touched shown $shown" >> "$base.damaged"
}

# judge_forged NAME N WHAT HOW: the module's files and jtrace(1) show forged bytes as text, or
# leave them out and label the trace
judge_forged() {
	local base=$logs/$1 text=$logs/$1.out/$2

	case $3 in
	forge=*|text=*) ;;
	*)	return ;;
	esac
	unprintable "$text"
	mkdir -p "$base.tool/$2"
	"$build/tool/jtrace" "$base.images/$2" > "$base.tool/$2/recovered" 2>&1
	"$build/tool/jtrace" --json "$base.images/$2" > "$base.tool/$2/config" 2>&1
	[ -s "$base.tool/$2/recovered" ] || echo "$2 $3: jtrace(1) says nothing"
	unprintable "$base.tool/$2"
	[ "$4" != forged ] || return
	! grep -H FORGED "$text"/{recovered,last_boot_info} "$base.tool/$2"/* ||
		echo "$2 $3: believed without a check value"
	grep -q '^JTRACE: Damaged: both headers lost' "$text/recovered" ||
		echo "$2 $3: not labelled: $(head -n 3 "$text/recovered")"
}

# judge_damage NAME: all entries shown are true, and most of the undamaged ones are shown
judge_damage() {
	local base=$logs/$1 n how says what

	events "$base.out/recovered" > "$base.events"
	with_sites "$base.out/recovered" > "$base.sites"
	while IFS=: read -r how says what; do
		n=${how%% *}
		if [ -f "$base.out/$n/recovered" ]; then
			judge_text "$1" "$n $what" "${how#* }" "$says" "$base.out/$n/recovered"
			judge_forged "$1" "$n" "$what" "${how#* }"
		else
			echo "$n $what: nothing recovered"
		fi
	done < "$base.damage"
}

# judge_wreck NAME: the same for a region that was damaged before the boot.  The cause of a panic
# may be in the damaged part of the kernel log.
judge_wreck() {
	local base=$logs/$1 how says what was

	IFS=: read -r how says what < "$base.wreck"
	if [ "$how $what" = "100 none" ]; then
		diff "$base.shown" "$base.out/recovered" > "$base.diff" ||
			echo "the module and the host read differently: $(head -n 5 "$base.diff")"
	fi
	if [ -n "$(get "$1" found)" ]; then
		missing "$base.out/recovered" "$(get "$1" found)"
	else
		was=$(grep -a '^JTRACE: It ' "$base.shown" | sed 's/ was at 20.*//')
		grep -a '^JTRACE: It ' "$base.out/recovered" | sed 's/ was at 20.*//' |
			grep -vxF -e "JTRACE: Its end state is unknown" -e "$was" \
				-e "${was/ UTC: *; / UTC: }"
	fi
	events "$base.shown" > "$base.events"
	with_sites "$base.shown" > "$base.sites"
	judge_text "$1" "$what" "$how" "$says" "$base.out/recovered"
}

# read_host NAME: the host reads what the next boot recovered, with the reader of the module
# and with jtrace(1).  For jtrace(1) a machine that left no end state may still be running.
read_host() {
	local base=$logs/$1

	"$build/show" "$base.region" > "$base.shown" 2>&1
	diff "$base.shown" "$base.out/recovered" > "$base.diff" ||
		echo "the module and the host read differently: $(head -n 5 "$base.diff")"
	"$build/tool/jtrace" "$base.region" 2>&1 |
		sed '2s/^JTRACE: It was still running;/JTRACE: It hung or was reset;/' |
		diff - "$base.out/recovered" > "$base.diff" ||
		echo "the module and jtrace(1) read differently: $(head -n 5 "$base.diff")"
}

# console_lines END: the kernel's lines of a console on stdin, from the load of jtrace to the death
# or the dump of the trace; if the machine ended at a random moment, without the last one
console_lines() {
	tr -d '\r' | awk -v end="$1" '
		on && (/ Linux version / || / Booting Linux on / || /\] JTRACE: /) { exit }
		/\] jtrace: persistent at/ { on = 1 }
		on && /^\[ *[0-9]+\.[0-9]+\] / { if (last != "") print last; last = $0 }
		END { if (end !~ /^(kill|reset|nmi)$/ && last != "") print last }' | tr -s '\t ' ' '
}

# judge_log NAME: the recovered log has the last lines that the console of the first boot showed
judge_log() {
	local base=$logs/$1

	console_lines "$(get "$1" end panic)" < "$base.1/console.log" |
		tail -n 200 > "$base.console"
	tr -s '\t ' ' ' < "$base.out/recovered_log" | diff "$base.console" - | grep '^<' > "$base.diff"
	[ -s "$base.console" ] || echo "the console has no line of the kernel"
	[ ! -s "$base.diff" ] || echo "not in the recovered log:" "$(head -n 3 "$base.diff")"
	missing "$base.out/recovered_log" "$(get_all "$1" recovered-log)"
}

# judge NAME: print the faults
judge() {
	local name=$1 base=$logs/$1 out=$logs/$1.out text=$logs/$1.out/recovered run options
	local was nr=0 want console
	# For the scenarios.
	# shellcheck disable=SC2034
	local page=$logs/$1.progress end

	end=$(get "$name" end panic)
	cat "$base.wrong"
	for run in "$base".[0-9]*; do
		[ -f "$run/verdict.log" ] || continue
		grep -a '^wrong: ' "$run/verdict.log"
		[ ! -s "$base.wrong" ] || cat "$run.vm"
	done
	[ ! -s "$base.wrong" ] || return
	[ -z "$(get "$name" attempt)" ] ||
		grep -aqx "attempts $(wc -l < "$base.attempts")" "$base.1/verdict.log" ||
		echo "of $(wc -l < "$base.attempts") attempts not all were made"
	case $end in
	once)	return ;;
	dump)	judge_qemu_dump "$name"
		return ;;
	outside)
		cat "$base.seen"
		judge_outside "$name"
		return ;;
	kdump-save) judge_saved "$name" ;;
	esac
	if [ ! -f "$out/dmesg" ]; then
		echo "no files from the guest"
		return
	fi
	# A forged entry looks like a recorded one.
	case $(get "$name" wreck) in
	''|forged:*) ;;
	*)	text=$base.shown
		"$build/show" "$base.region" > "$text" 2>&1 ;;
	esac
	verify_options "$name"
	want=$(get "$name" verdict)
	want=$(get "$name" want)${want:+$'\n'^JTRACE: $want}
	console=$(get_all "$name" console)
	if [ -z "${options[*]}$want$console" ]; then
		echo "nothing to check"
	elif [ ${#options[@]} -gt 0 ]; then
		# The end may come while a CPU writes the header of a chunk: reported as lost.
		case $end in
		kill|reset|nmi)
			options+=(-d)
			forbidden "$text" '^JTRACE: Damaged: ([^c]|chunk headers lost: [^1-4])' ;;
		esac
		"$build/verify" "${options[@]}" "$text" > "$base.says" 2>&1 ||
			cat "$base.says"
	fi
	# The boot that left the trace.
	[ -z "$(get "$name" turns)" ] || nr=$(count_turns "$name")
	was=$(sed -n "s/^boot $nr [^ ]* //p" "$base.$((nr + 1))/verdict.log")
	case $(get "$name" damage)$(get "$name" wreck)$(get "$name" lost) in
	''|100:none)
		[ ! -f "$out/last_boot_info" ] ||
			grep -q "^kernel 0x$was " "$out/last_boot_info" ||
			echo "the kernel was at $was: $(head -n 2 "$out/last_boot_info")" ;;
	esac
	[ ! -f "$base.moment" ] || echo "$(cat "$base.moment"), $(cat "$base.says")" > "$base.says"
	missing "$text" "$want"
	forbidden "$text" "$(get "$name" forbid)"
	missing "$base.1/console.log" "$console"
	forbidden "$base.1/console.log" "$(get "$name" forbid-console)"
	unprintable "$out"
	missing "$out/dmesg" "$(get "$name" log)"
	forbidden "$out/dmesg" "$(get "$name" forbid-log)"
	[ -z "$(get "$name" ramoops)" ] || missing "$out/report" "$(get_all "$name" report)"
	forbidden "$out/report" 'JTRACE: | uSec\) : '
	[ ! -s "$out/recovered_log" ] || [ -n "${no_log-}$(get "$name" turns)" ] ||
		[ "$(get "$name" recovered-log)" = any ] || judge_log "$name"
	[ -z "$(get "$name" damage)" ] || judge_damage "$name"
	[ "$text" = "$out/recovered" ] || judge_wreck "$name"
	[ -z "$(get "$name" host)" ] || read_host "$name"
}
