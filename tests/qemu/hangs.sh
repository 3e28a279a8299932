# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# hangs.sh - let a kernel hang, die or live on in QEMU, and keep its image; sourced by why and
# alike, after lib.sh
#
# COLD: boot each guest, at an address of its own; else they go on from a snapshot.

region=0x10000000

# read_hangs: read ./why-scenarios
read_hangs() {
	read_table tests/qemu/why-scenarios kernels cpus kernel module memory jtrace events run \
		end seconds ran first unknown also healthy alike
}

# prepare_kernel NAME RUNG: build for it; set logs, tool and add
prepare_kernel() {
	prepare "$1" || return 1
	: "${build:?}" "${KREL:?}" "${KCPU:?}"
	export KMODDIR
	logs=$build/$2
	mkdir -p "$logs" || return 1
	(flock 9 && make -s -C tools O="$build/dynamic" CPPFLAGS=-Werror) 9> "$build/lock" ||
		return 1
	tool=$build/dynamic/jtrace
	add_modules "$build"
}

# ---- one guest ----

# end_later NAME: end the guest, as a loss of power does, some time after the fault
end_later() {
	local dir=$logs/$1

	wait_console "$dir" "why: go" && sleep "$(get "$1" seconds 12)" &&
		kill -9 "$(cat "$dir/qemu.pid")"
}

# boot NAME: run it; its image is $logs/NAME.image
boot() {
	local name=$1 base=$logs/$1 args=(-S 1) module memory size ender='' how=snapshot

	[ -z "${COLD-}" ] || { args=(); how=cold; }

	memory=$(get "$name" memory 16M)
	size=$(numfmt --from=iec "$memory")
	rm -rf "${base:?}" "$base".*
	case $(get "$name" end) in
	panic)	args+=(-e) ;;
	reset)	args+=(-X) ;;
	*)	args+=(-K)
		mkdir -p "$base"
		end_later "$name" &
		ender=$! ;;
	esac
	while IFS= read -r module; do
		[ -z "$module" ] || args+=(-M "$module")
	done <<< "$(get "$name" module)"
	scripts/vm -k "$KIMAGE" -C "$KCPU" -c "$(get "$name" cpus 2)" -t 200 -o "$base" \
		-p "oops=panic $(get "$name" kernel)" -s "$memory@$region" -R "$base.ram" -P \
		${args[@]+"${args[@]}"} "${add[@]}" tests/qemu/why-guest "$region" \
		"mem_size=$memory $(get "$name" jtrace)" \
		"$(get "$name" events "sched;irq;softirq;timer;workqueue;syscall;lock;block;task")" \
		"$(get "$name" run :)" > "$base.vm" 2>&1 < /dev/null
	echo $? > "$base.status"
	[ -z "$ender" ] || kill "$ender" 2> /dev/null
	dd if="$base.ram" of="$base.image" bs=1M skip=$((region >> 20)) count=$((size >> 20)) \
		status=none 2> "$base.dd"
	rm -f "$base.ram"
	echo $how >> "$logs/begun"
}
