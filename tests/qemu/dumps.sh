# shellcheck shell=bash disable=SC2154 # set by the runner
# SPDX-License-Identifier: GPL-2.0
#
# dumps.sh - compressed dumps of guests, for boots.sh: QEMU's own, and those of a crash kernel

# dump_guest NAME DIR: let QEMU write a compressed dump of the guest, and end it.  The monitor runs
# a command when the one before has ended.
dump_guest() {
	printf '%s\n' "dump-guest-memory -z $logs/$1.flat" "info status" > "$2.mon.in"
	for _ in $(seq 3000); do
		! grep -qs '^VM status' "$2.mon.log" || break
		sleep 0.1
	done
	kill -9 "$(cat "$2/qemu.pid")"
}

# add_saver NAME: add to $add what the crash kernel needs to save dumps: makedumpfile with its
# libraries, and disks, each of which becomes a file
add_saver() {
	local library disk

	scripts/deps dump >&2
	add+=(-a "$(command -v makedumpfile):jtrace/saver/makedumpfile" -M virtio_pci -M virtio_blk)
	for library in $(ldd "$(command -v makedumpfile)" | grep -o '/[^ ]*'); do
		add+=(-a "$library:${library#/}")
	done
	for disk in lzo zlib text; do
		truncate -s 512M "$logs/$1.$disk"
		add+=(-q "-drive if=virtio,format=raw,file=$logs/$1.$disk")
	done
}

# last_entries: print the last two entries of a trace without the time since the line above
last_entries() {
	sed -n -e '/^$/q' -e '/^\[/s/ : ( *[0-9.]* uSec) : / : /p' | tail -n 2
}

# judge_dumps NAME TEXT KIND...: jtrace(1) shows TEXT for each of the dumps, and its last entries if
# it should show only these.  It is not static, because libkdumpfile is not.  With KEEP_DUMPS the
# dumps stay.
judge_dumps() {
	local base=$logs/$1 kind

	(flock 9 && make -s -C tools O="$build/dynamic") 9> "$build/lock"
	grep -q '^\[.*client: hello\|^\[.*die: last words' "$2" ||
		echo "no trace to compare with: $(head -n 3 "$2")"
	for kind in "${@:3}"; do
		head -c 8 "$base.$kind" | grep -qx 'KDUMP   ' || echo "$kind: no compressed dump"
		"$build/dynamic/jtrace" "$base.$kind" 2> "$base.err" | diff "$2" - > "$base.diff" ||
			echo "$kind: the dump reads differently: $(head -n 5 "$base.diff" "$base.err")"
		diff <(last_entries < "$2") <("$build/dynamic/jtrace" --last 2 "$base.$kind" |
			last_entries) > "$base.diff" || echo "$kind: --last 2: $(head -n 5 "$base.diff")"
		"$build/dynamic/jtrace" --json --last 2 "$base.$kind" | grep -c '"type":"event"' |
			grep -qx "$(last_entries < "$2" | grep -c .)" || echo "$kind: --json --last 2"
		[ -n "${KEEP_DUMPS-}" ] || rm -f "${base:?}.$kind"
	done
}

# judge_qemu_dump NAME: QEMU's dump shows the trace that the guest showed.  QEMU writes it
# flattened.
judge_qemu_dump() {
	local base=$logs/$1

	scripts/deps dump >&2
	sed -n '/^JTRACE: Recovered/,$p' "$base.1/verdict.log" > "$base.text"
	makedumpfile -R "$base.zlib" < "$base.flat" > "$base.made" 2>&1 || cat "$base.made"
	judge_dumps "$1" "$base.text" zlib
	"$build/dynamic/jtrace" "$base.flat" 2>&1 | grep -q ': flattened dump: ' ||
		echo "a flattened dump is not refused"
	rm -f "$base.flat"
}

# judge_saved NAME: the dumps of the crash kernel show the trace that it found in /proc/vmcore
judge_saved() {
	tr -d '\0' < "$logs/$1.text" > "$logs/$1.shown"
	rm "$logs/$1.text"
	judge_dumps "$1" "$logs/$1.shown" lzo zlib
}
