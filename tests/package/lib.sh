# shellcheck shell=bash
# shellcheck disable=SC2154 # set by the caller
# SPDX-License-Identifier: GPL-2.0
#
# lib.sh - what runs in a Debian 12 of its own, which is then booted; sourced by ./run and
# tests/install/run
#
# The caller sets top, and two folders that are there: logs, and work, which goes.

passed=0 failed=0

# result STATUS TEXT: with the log, if it failed
result() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok - $2"
	else
		failed=$((failed + 1))
		echo "not ok - $2"
		tail -n 40 "$logs/log" | cut -c 1-300 | sed 's/^/# /'
	fi
}

# try TEXT COMMAND...
try() {
	local text=$1 status=0

	shift
	"$@" > "$logs/log" 2>&1 || status=$?
	result $status "$text"
	return $status
}

# version_of FILE: what this version.h says
version_of() {
	sed -n 's/^#define JTRACE_VERSION.*"\(.*\)"/\1/p' "$1"
}

# finds_nothing FIND-ARGUMENT...: find can look, and there is nothing
finds_nothing() {
	local found

	found=$(find "$@") && [ -z "$found" ] && return
	echo "$found"
	return 1
}

# times WHAT: how long it is since this was called before
since=$SECONDS
times() {
	echo "# $1: $((SECONDS - since)) s"
	since=$SECONDS
}

# root_make FOLDER: a copy of the root of scripts/debian-root; sets root, KREL and BACKPORT,
# and enter, the words before a command that is to run in it
root_make() {
	local vars

	vars=$("$top/scripts/debian-root") || return 1
	eval "$vars"
	: "${ROOT:?}" "${KREL:?}" "${BACKPORT:?}"
	times "a Debian 12"
	root=$1
	cp -a "$ROOT" "$root" || return 1
	times "a copy of it"
	# What it mounts and starts ends with it.
	# shellcheck disable=SC2016 # for the shell in there
	enter=(unshare --mount --pid --fork --kill-child
		sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root"
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/root
		DEBIAN_FRONTEND=noninteractive)
}

# inside COMMAND...
inside() {
	"${enter[@]}" "$@" < /dev/null
}

# Timers of a new system that start long jobs.
timers="apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer man-db.timer e2scrub_all.timer"

# root_guest SCRIPT: what the root runs when it is booted
root_guest() {
	mkdir -p "$root/src" &&
		install -m 755 "$1" "$root/src/guest" &&
		cp "$top/tests/package/guest-lib.sh" "$root/src" || return 1
	cat > "$root/etc/systemd/system/guest.service" <<-UNIT || return 1
	[Service]
	ExecStart=/src/guest
	TimeoutStopSec=5
	[Install]
	WantedBy=multi-user.target
	UNIT
	printf '/dev/vda / ext4 defaults 0 0\n' > "$root/etc/fstab"
	inside systemctl -q enable guest &&
		inside sh -c "systemctl -q mask $timers"
}

# disk_make: a disk of the root, $work/disk
disk_make() {
	truncate -s 4G "$work/disk" && mke2fs -q -F -t ext4 -d "$root" "$work/disk"
}

# boot TEXT NAME VM-OPTION...: boot, and print the guest's report
boot() {
	local text=$1 name=$2 line

	shift 2
	try "$text" "$top/scripts/vm" -m 1024 -t 1200 -o "$logs/$name" "$@" \
		-q "-drive file=$work/disk,format=raw,if=virtio" "$root/src/guest"
	cp "$logs/$name/verdict.log" "$logs/log"
	while read -r line; do
		case $line in
		"ok - "*) result 0 "${line#*- }" ;;
		"not ok - "*) result 1 "${line#*- }" ;;
		esac
	done < "$logs/$name/verdict.log"
}
