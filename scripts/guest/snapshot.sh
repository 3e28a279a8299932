# shellcheck shell=bash disable=SC2154 # set by vm
# SPDX-License-Identifier: GPL-2.0
#
# snapshot.sh - save a booted guest, and run copies of it; sourced by scripts/vm
#
# A guest that has booted its base waits for a payload.  QEMU then saves the devices to a file,
# state; the file ram holds the memory already (migration with x-ignore-shared).  A run copies
# both, puts its payload into the inbox, and goes on from there.  The cache has a folder for each
# snapshot: ram, state, console.log, about (where the kernel is, and its boot id).
#
# The key of a snapshot has all that decides its content, but for chance.  Snapshots of one key
# have different numbers, and kernels at different addresses: one dies, another one recovers.

# As many snapshots stay as were used last.  One has 100 to 200 MB.
snapshots_most=64
store=${JTRACE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/jtrace}/snapshots

# snapshot_key: print the key of the machine, without the number
snapshot_key() {
	{
		b2sum < "${out:?}/initramfs"
		b2sum < "${kimage:?}"
		cat "${scripts:?}/guest/snapshot.sh"
		"${machine[0]:?}" --version
		# The guest has measured how fast its counter, which is the host's, runs.
		sed -n '/^cpu MHz/{s/\..*//p;q}' /proc/cpuinfo
		printf '%s\n' "${machine[@]}" ${extra[@]+"${extra[@]}"} "${append:?}"
	} | sha256sum | cut -c 1-24
}

# snapshot_boot FOLDER: boot the base, and save it there
snapshot_boot() {
	local dir=$1 begin=$SECONDS

	rm -f "$dir"/*
	mkfifo "$dir"/mon.{in,out} || return
	# Both ends stay open here, so that neither side waits for the other to open.
	exec 7<> "$dir/mon.in" 8<> "$dir/mon.out"
	cat <&8 > "$dir/mon.log" &
	tailpid=$!
	truncate -s "${mem:?}M" "$dir/ram" || return
	: > "$dir/verdict.log"
	(cd "$dir" && exec timeout -k 5 "${limit:?}" "${machine[@]}" \
		-object "memory-backend-file,id=ram,size=${mem}M,mem-path=ram,share=on" \
		-accel tcg,thread=single -no-reboot \
		-chardev file,id=console,path=console.log \
		-chardev file,id=verdict,path=verdict.log \
		-chardev pipe,id=mon,path=mon -mon chardev=mon,mode=readline \
		-kernel "$kimage" -initrd "$out/initramfs" -append "$append" \
		${extra[@]+"${extra[@]}"} > qemu.log 2>&1 < /dev/null 7<&- 8<&-) &
	pid=$!
	until grep -q '^GUEST-READY ' "$dir/verdict.log"; do
		if ! kill -0 $pid 2> /dev/null || grep -q '^GUEST-FAIL ' "$dir/verdict.log"; then
			break
		fi
		sleep 0.1
	done
	# The monitor takes the next command when one is done.
	printf '%s\n' 'migrate_set_capability x-ignore-shared on' 'migrate "exec:cat >state"' \
		'info migrate' quit >&7
	wait $pid
	pid=
	exec 7>&- 8>&-
	kill $tailpid
	wait $tailpid
	tailpid=
	grep -q '^Migration status: completed' "$dir/mon.log" || {
		echo "vm: no snapshot after $((SECONDS - begin)) s: $(cat "$dir/qemu.log")" >&2
		return 1
	}
	sed -n 's/^GUEST-READY //p' "$dir/verdict.log" > "$dir/about"
	rm -f "$dir"/mon.* "$dir"/{verdict,qemu}.log
	fallocate -d "$dir/ram"
	if grep -E 'WARNING:|BUG:|Oops|Call Trace:|INFO: task|rcu:.*(stall|detected)' \
		"$dir/console.log" >&2; then
		echo "vm: no snapshot of a kernel that warns" >&2
		return 1
	fi
	[ -s "$dir/about" ] && [ -s "$dir/state" ]
}

# snapshot_make KEY NUMBER: boot until no other snapshot of the key has its kernel there, then
# put it into the cache
snapshot_make() {
	local tmp about

	tmp=$(mktemp -d "$store/tmp.XXXXXX") || return
	for _ in 1 2 3 4; do
		if snapshot_boot "$tmp"; then
			read -r about _ < "$tmp/about"
			! cat "$store/$1"-*/about 2> /dev/null | grep -q "^$about " || continue
			flock 6
			mv -T "$tmp" "$store/$1-$2" 2> /dev/null
			find "$store" -maxdepth 1 -name '*-[0-9]' -printf '%T@ %p\n' |
				sort -rn | tail -n +$((snapshots_most + 1)) | cut -d ' ' -f 2- |
				xargs -r rm -rf
			find "$store" -mindepth 1 -maxdepth 1 ! -name '*-[0-9]' -mtime +1 -exec rm -rf {} +
			flock -u 6
			rm -rf "$tmp"
			return 0
		fi
	done
	tail -n 25 "$tmp/console.log" >&2
	rm -rf "$tmp"
	return 1
}

# snapshot_take NUMBER: copy the snapshot with that number to $out; make it if there is none
snapshot_take() {
	local key from

	mkdir -p "$store" && key=$(snapshot_key) || return
	from=$store/$key-$1
	exec 6> "$store/lock" 5> "$store/$key.lock" || return
	for _ in 1 2 3; do
		flock -s 6
		if [ -d "$from" ]; then
			touch "$from"
			cp "$from/ram" "$out/copy" && cp "$from"/{state,console.log} "$out" || return
			exec 5>&- 6>&-
			return
		fi
		flock -u 6
		flock 5
		# Another run may have made it.
		if [ ! -d "$from" ]; then
			snapshot_make "$key" "$1" || return
		fi
		flock -u 5
	done
	return 1
}

# snapshot_control: write what QEMU, with these arguments, reads on stdin to go on from $out/state
# shellcheck disable=SC2034 # for vm
snapshot_args=(-incoming defer -chardev "stdio,id=control,signal=off" -mon "chardev=control,mode=control")
snapshot_control() {
	export JTRACE_VM_STATE=$out/state

	cat > "$out/control" <<-'QMP'
	{"execute": "qmp_capabilities"}
	{"execute": "migrate-set-capabilities", "arguments": {"capabilities": [{"capability": "x-ignore-shared", "state": true}]}}
	{"execute": "migrate-incoming", "arguments": {"uri": "exec:cat \"$JTRACE_VM_STATE\""}}
	QMP
}

# snapshot_fill: put what the last boot left in reserved memory, and the payload, into the copy,
# which becomes the memory of the guest
snapshot_fill() {
	local r size at

	for r in ${reserve[@]+"${reserve[@]}"}; do
		[ -e "${ram:?}" ] || break
		r=${r%%:*} size=$(numfmt --from=iec "${r%%@*}") at=$((${r#*@}))
		[ $at -ne $((${inbox:?})) ] || continue
		dd if="$ram" of="$out/copy" bs=4096 count=$((size / 4096)) skip=$((at / 4096)) \
			seek=$((at / 4096)) conv=notrunc,sparse status=none || return
	done
	size=$(($(stat -c %s "$out/payload.cpio") / 4096 + 1))
	[ $size -lt $((inbox_size / 4096)) ] ||
		die "what the guest gets has $size pages, at most $((inbox_size / 4096 - 1))"
	dd if="$out/payload.cpio" of="$out/copy" bs=4096 seek=$((inbox / 4096 + 1)) conv=notrunc \
		status=none &&
		printf '%b' "$(printf '\\x%02x\\x%02x' $((size & 255)) $((size >> 8)))" |
		dd of="$out/copy" bs=1 seek=$((inbox)) conv=notrunc status=none &&
		mv "$out/copy" "$ram"
}
