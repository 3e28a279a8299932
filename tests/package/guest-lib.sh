# shellcheck shell=sh disable=SC1090,SC2317 # files of the guest; sudo is called by them
# SPDX-License-Identifier: GPL-2.0
#
# guest-lib.sh - report from a guest that systemd booted; sourced by the guests of ./lib.sh
#
# Sets n, the number of this boot.  The verdict channel of scripts/vm is fd 3.

exec 3> /dev/ttyS1
stty -F /dev/ttyS1 raw -echo -onlcr
n=$(($(cat /src/boots 2> /dev/null || echo 0) + 1))
echo $n > /src/boots
echo "boot $n $(cat /proc/sys/kernel/random/boot_id)" >&3

# check TEXT COMMAND...
check() {
	text="boot $n: $1"
	shift
	if "$@" > /tmp/check 2>&1; then
		echo "ok - $text" >&3
	else
		echo "not ok - $text" >&3
		head -n 20 /tmp/check | sed 's/^/# /' >&3
	fi
}

# until_so COMMAND...: wait until it succeeds, at most two minutes
until_so() {
	for _ in $(seq 240); do
		"$@" && return
		sleep 0.5
	done
	return 1
}

# typed NAME: run these commands, with output to /tmp/typed
typed() {
	(
		sudo() { "$@"; }
		set -e
		. "/src/typed/$1"
	) > /tmp/typed 2>&1 || { cat /tmp/typed; return 1; }
}

# shows PATTERN: the last commands have printed it
shows() {
	grep -q "$1" /tmp/typed || { cat /tmp/typed; return 1; }
}

# events_are GROUPS: that have an event that is on
events_are() {
	is=$(jtrace event --list | sed -n 's/^[a-z].* # \([a-z_]*\) on .*/\1/p' | sort -u |
		tr '\n' ' ')
	[ "${is% }" = "$1" ] || { jtrace event; return 1; }
}

# prompted: the serial console has the login prompt.  agetty writes it before it waits for
# input, and stty waits until it is sent.
prompted() {
	[ "$(systemctl is-active serial-getty@ttyS0)" = active ] || return 1
	pid=$(systemctl show -P MainPID serial-getty@ttyS0)
	grep -Eq 'select|poll|n_tty_read|wait_woken' "/proc/$pid/wchan" &&
		stty -F /dev/ttyS0 "$(stty -F /dev/ttyS0 -g)"
}

finish() {
	echo "done $n" >&3
	sync
}

crash() {
	finish
	echo c > /proc/sysrq-trigger
	sleep 60
	exit 1
}

# stty waits until all is sent: the tty's buffer is lost on power-off.
succeed() {
	finish
	echo GUEST-SUCCESS >&3
	stty -F /dev/ttyS1 raw -echo
	systemctl poweroff
	exit 0
}
