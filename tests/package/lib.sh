# shellcheck shell=bash
# shellcheck disable=SC2154 # set by the caller
# SPDX-License-Identifier: GPL-2.0
#
# lib.sh - run commands in a Debian as a chroot, then boot it; sourced by ./run,
# tests/install/run and tests/setup/run
#
# The caller sets top, and two folders that exist: logs, and work, which it removes later.

passed=0 failed=0

# result STATUS TEXT: report it; if it failed, with the log
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

# version_of FILE: print the version in this version.h
version_of() {
	sed -n 's/^#define JTRACE_VERSION.*"\(.*\)"/\1/p' "$1"
}

# finds_nothing FIND-ARGUMENT...: find succeeds, and finds nothing
finds_nothing() {
	local found

	found=$(find "$@") && [ -z "$found" ] && return
	echo "$found"
	return 1
}

# times WHAT: print the time since the last call
since=$SECONDS
times() {
	echo "# $1: $((SECONDS - since)) s"
	since=$SECONDS
}

# root_make FOLDER [SUITE]: copy the root of scripts/debian-root; set root, KREL, BACKPORT, and
# enter, the prefix of a command that runs in the root
root_make() {
	local vars

	vars=$("$top/scripts/debian-root" ${2:+-s "$2"}) || return 1
	eval "$vars"
	: "${ROOT:?}" "${KREL:?}"
	times "a Debian"
	cp -a "$ROOT" "$1" || return 1
	times "a copy of it"
	root_use "$1"
}

# root_use FOLDER: set root, and enter, to the root in this folder
root_use() {
	root=$1
	# Its mounts and processes end with the command.
	# shellcheck disable=SC2016 # for the inner shell
	enter=(unshare --mount --pid --fork --kill-child
		sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root"
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/root
		DEBIAN_FRONTEND=noninteractive)
}

# inside COMMAND...
inside() {
	"${enter[@]}" "$@" < /dev/null
}

# start LINE: type this line of the commands with which README.md starts, in the sources,
# which are in /src of the root
start() {
	local line

	line=$("$top/scripts/typed" newcomer-packages | sed -n "$1p")
	[ -n "$line" ] || { echo "newcomer-packages: no line $1"; return 1; }
	inside env KREL="$KREL" sh -ec "sudo() { \"\$@\"; }; uname() { echo \"\$KREL\"; }; cd /src
		$line"
}

# Jobs that a new system starts by itself, and that take long.
timers="apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer man-db.timer e2scrub_all.timer"

# root_guest SCRIPT: make the root run SCRIPT when it boots
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

# disk_make: make $work/disk, a disk image of the root
disk_make() {
	truncate -s 4G "$work/disk" && mke2fs -q -F -t ext4 -d "$root" "$work/disk"
}

# boot_report NAME [PREFIX]: print what the guest has reported, with PREFIX before each name
boot_report() {
	local line

	cp "$logs/$1/verdict.log" "$logs/log"
	while read -r line; do
		case $line in
		"ok - "*) result 0 "${2-}${line#*- }" ;;
		"not ok - "*) result 1 "${2-}${line#*- }" ;;
		esac
	done < "$logs/$1/verdict.log"
}

# boot TEXT NAME VM-OPTION...: boot, and print the guest's report
boot() {
	local text=$1 name=$2

	shift 2
	try "$text" "$top/scripts/vm" -m 1024 -t 2400 -o "$logs/$name" "$@" \
		-q "-drive file=$work/disk,format=raw,if=virtio" "$root/src/guest"
	boot_report "$name"
}
