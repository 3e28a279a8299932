# shellcheck shell=bash disable=SC2154,SC2016,SC2086 # set by run; $ is meant; words to split
# SPDX-License-Identifier: GPL-2.0
#
# Tests of "jtrace setup", on made-up machines.  Programs that change a machine are stand-ins; each
# writes its name and arguments to $tmp/calls.

release=6.1.0-9-amd64
vendor=4a67b082-0a4c-41cf-b6c7-440b29bb8c4f
efivars=sys/firmware/efi/efivars

# program NAME: write a stand-in, whose text is standard input
program() {
	{ echo '#!/bin/bash'; echo 'echo "${0##*/} $*" >> "$CALLS"'; cat; } > "$tmp/bin/$1"
	chmod 755 "$tmp/bin/$1"
}

make_programs() {
	mkdir -p "$tmp/bin"
	# Shells read the defaults, then write each line for GRUB.
	# $EATEN: without quotes.  $CUT: a word that only the kernel 16.1.0 gets.
	program grub-mkconfig <<-'END'
		. "$JTRACE_ROOT/etc/default/grub"
		for f in "$JTRACE_ROOT"/etc/default/grub.d/*.cfg; do [ ! -e "$f" ] || . "$f"; done
		[ -z "${EATEN-}" ] || GRUB_CMDLINE_LINUX=${GRUB_CMDLINE_LINUX//\'/}
		[ -z "${FAILS-}" ] || exit 3
		line="root=/dev/sda1 ro $GRUB_CMDLINE_LINUX"
		entry() { printf "%s { \n\tload_video\n\techo 'Loading'\n\tsavedefault\n\tlinux\t%s\n\tinitrd\t%s\n}\n" "$@"; }
		{	echo 'if [ "${next_entry}" ] ; then set default="${next_entry}"; fi'
			entry "menuentry 'Debian 16'" "/boot/vmlinuz-16.1.0-9-amd64 $line quiet ${CUT-}" /boot/initrd.img-16.1.0-9-amd64
			entry "menuentry 'Debian'" "/boot/vmlinuz-6.1.0-99-amd64 $line" /boot/initrd.img-6.1.0-99-amd64
			echo "menuentry 'Firmware' { fwsetup }"
			echo "submenu 'Advanced' {"
			entry "	menuentry 'recovery'" "/boot/vmlinuz-6.1.0-9-amd64 $line single" /boot/initrd.img-6.1.0-9-amd64
			entry "	menuentry 'Debian, 9' ${CLASS-}" "/boot/vmlinuz-6.1.0-9-amd64 $line quiet" /boot/initrd.img-6.1.0-9-amd64
			echo '}'
			echo '### BEGIN /etc/grub.d/30_os-prober ###'
			entry "menuentry 'other Debian'" "/boot/vmlinuz-6.1.0-9-amd64 root=/dev/sdb1 memmap=1M" /boot/initrd.img
			echo '### BEGIN /etc/grub.d/41_custom ###'
			echo 'source ${prefix}/custom.cfg'
		}
	END
	program update-grub <<< 'grub-mkconfig > "$JTRACE_ROOT/boot/grub/grub.cfg"'
	program grub-reboot <<-'END'
		printf '# GRUB Environment Block\nnext_entry=%s\n###' "$1" > "$JTRACE_ROOT/boot/grub/grubenv"
	END
	program grub-editenv <<-'END'
		printf '# GRUB Environment Block\n####' > "$JTRACE_ROOT$1"
	END
	program grub-probe <<-'END'
		case $1 in --target=fs) echo "${FS-ext2}" ;; *) echo "${ABSTRACTION-}" ;; esac
	END
	program systemd-detect-virt <<< 'case $* in *--chroot) [ -n "${CHROOT-}" ] ;; *) [ -n "${CONTAINER-}" ] ;; esac'
	program modinfo <<< '[ -z "${NO_MODULE-}" ] && echo /lib/modules/jtrace.ko'
	# It records where modprobe.d says, if the command line reserves that.
	program modprobe <<-'END'
		case $* in
		*--showconfig*)	cat "$JTRACE_ROOT"/etc/modprobe.d/*.conf 2> /dev/null; exit 0 ;;
		"-r jtrace")	rm -r "$JTRACE_ROOT/sys/module/jtrace"; exit ;;
		esac
		[ -z "${UNSIGNED-}" ] || { echo "ERROR: Key was rejected by service"; exit 1; }
		mkdir -p "$JTRACE_ROOT/sys/module/jtrace" "$JTRACE_ROOT/sys/kernel/debug/jtrace"
		options=$(cat "$JTRACE_ROOT"/etc/modprobe.d/*.conf 2> /dev/null)
		persistent=n
		case $options in *enabled=persistent*) persistent=y ;; esac
		address=$(echo "$options" | sed -n 's/.*mem_address=\(0x[0-9a-f]*\).*/\1/p')
		size=$(echo "$options" | sed -n 's/.*mem_size=\([0-9]*\).*/\1/p')
		printf '%s\n' "persistent=$persistent" \
			"mem_address=${ELSEWHERE-${address:-0x20000000}}" "mem_size=${size:-4194304}" \
			${HISTORY_MS:+history_ms=$HISTORY_MS} \
			> "$JTRACE_ROOT/sys/kernel/debug/jtrace/state"
	END
	program systemctl <<-'END'
		units=$JTRACE_ROOT/etc/systemd/system
		case "$*" in
		"--quiet is-enabled "*)	[ -e "$units/$3" ] ;;
		"cat "*)	[ -z "${NO_UNITS-}" ] ;;
		"enable "*)	mkdir -p "$units" && touch "$units/$2" ;;
		"disable "*)	rm -f "$units/$2" ;;
		esac
	END
	program bootctl <<-'END'
		case $1 in
		--print-boot-path) echo /efi ;;
		set-oneshot)
			to=$JTRACE_ROOT/sys/firmware/efi/efivars/LoaderEntryOneShot
			to=$to-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f
			rm -f "$to"
			[ -z "$2" ] || { printf '\7\0\0\0'; printf %s "$2" | sed 's/./&\x00/g'; } > "$to" ;;
		esac
	END
}

# boot ID WORDS: another boot begins, of a kernel with these words on its command line
boot() {
	rm -rf "$root/sys/module/jtrace" "$root/sys/kernel/debug/jtrace"
	printf '%s' "$1-0000-4000-8000-000000000000" > "$root/proc/sys/kernel/random/boot_id"
	put proc/cmdline "BOOT_IMAGE=/boot/vmlinuz-$release root=/dev/sda1 ro $2 quiet"
	case $2 in *panic=*) put proc/sys/kernel/panic 10 ;; *) put proc/sys/kernel/panic 0 ;; esac
	if [ -e "$root/boot/grub/grub.cfg" ]; then
		printf '# GRUB Environment Block\n####' > "$root/boot/grub/grubenv"
	fi
}

# A machine with 1 GiB, and a kernel that is not the newest one in the menu.
new_machine() {
	rm -rf "$root"
	put proc/iomem '00001000-0009fbff : System RAM
00100000-3ffdffff : System RAM\n  02000000-02ffffff : Kernel code\n3ffe0000-3fffffff : Reserved'
	put proc/sys/kernel/osrelease "$release"
	put proc/sys/kernel/arch x86_64
	mkdir -p "$root"/proc/sys/kernel/random "$root"/run "$root"/boot/grub "$root"/etc/default/grub.d
	mkdir -p "$root/etc/modprobe.d" "$root/etc/modules-load.d" "$root/etc/systemd/system"
	put etc/default/grub 'GRUB_CMDLINE_LINUX=""'
	put sys/kernel/security/lockdown '[none] integrity confidentiality'
	boot 11111111 ''
	: > "$tmp/calls"
	JTRACE_ROOT=$root "$tmp/bin/update-grub"
	printf '# GRUB Environment Block\n####' > "$root/boot/grub/grubenv"
	: > "$tmp/calls"
	files > "$tmp/files.before"
}

# Names and content of all files that belong to the machine's configuration.
files() {
	(cd "$root" && find boot etc efi \( -type d -print \) -o -type f -exec cksum {} + 2> /dev/null |
		sort -k 3)
}

# setup STATUS ARG...: run "jtrace setup"
setup() {
	run "$1" setup "${@:2}"
}

# holds NAME COMMAND...: pass if the command succeeds
holds() {
	if "${@:2}" > "$tmp/log" 2>&1; then
		ok "setup, $1"
	else
		not_ok "setup, $1" "$tmp/log" "$tmp/out" "$tmp/err" "$tmp/calls"
	fi
}

# setup_refused NAME REGEX ARG...: pass if setup says that, and leaves nothing behind
setup_refused() {
	local name=$1 regex=$2

	shift 2
	if ! setup 1 "$@"; then
		not_ok "setup, $name: exit status $status" "$tmp/out" "$tmp/err"
	elif [ "$(wc -l < "$tmp/err")" -ne 1 ] || ! grep -qE "^jtrace: $regex$" "$tmp/err"; then
		not_ok "setup, $name: not \"$regex\"" "$tmp/err" "$tmp/out"
	else
		ok "setup, $name"
	fi
	unchanged "$name"
}

# unchanged NAME: pass if the machine is as it was made
unchanged() {
	files > "$tmp/files.after"
	if cmp -s "$tmp/files.before" "$tmp/files.after"; then
		ok "setup, $1: nothing has changed"
	else
		diff "$tmp/files.before" "$tmp/files.after" > "$tmp/diff"
		not_ok "setup, $1: something has changed" "$tmp/diff" "$tmp/out" "$tmp/err"
	fi
}

words='memmap=4M$0x10000000 panic=10'
quoted="'memmap=4M\$0x10000000' panic=10"

# ready [WORDS]: a machine whose setup is complete
ready() {
	new_machine
	setup 0 && boot 22222222 "$words" && setup 0 --at-boot
}

# history MS: a setup becomes complete on a machine whose buffer remembers for so long
history() {
	new_machine
	put proc/sys/kernel/watchdog_thresh 10
	setup 0 && boot 22222222 "$words" && HISTORY_MS=$1 setup 0 --at-boot
}

setup_history() {
	holds "a buffer of 5 s" history 5000
	holds "says for how long it is" \
		grep -q '^The buffer holds 5\.0 s .* a hang is noticed after 20 s: ' "$tmp/out"
	holds "proposes one for 20 s" grep -q ', then jtrace setup --size 16M, or' "$tmp/out"
	holds "a buffer of 20 s" history 20000
	holds "proposes no other" [ "$(grep -c '^Ready: ' "$tmp/out") $(grep -c 'The buffer holds' "$tmp/out")" = '1 0' ]
}

setup_grub() {
	new_machine
	holds "first call" setup 0
	holds "says where" grep -qx 'Memory: 4194304 bytes at 0x10000000.' "$tmp/out"
	holds "says what" grep -qxF "Kernel command line: $words" "$tmp/out"
	holds "says what to do" grep -q '^Reboot to try it' "$tmp/out"
	holds "the trial has the words" grep -qxF "	linux	/boot/vmlinuz-$release $quoted root=/dev/sda1 ro  quiet" "$root/boot/grub/custom.cfg"
	holds "the trial boots nothing else" [ "$(grep -c linux "$root/boot/grub/custom.cfg")" = 1 ]
	holds "the trial does not become the default" [ ! "$(grep savedefault "$root/boot/grub/custom.cfg")" ]
	holds "the next boot is the trial" grep -qx next_entry=jtrace-setup "$root/boot/grub/grubenv"
	holds "the default is as before" sh -c '! grep -q memmap=4M "$0/boot/grub/grub.cfg" && ! grep -q update-grub "$1"' "$root" "$tmp/calls"
	holds "options of the module" grep -qx 'options jtrace enabled=persistent mem_address=0x10000000 mem_size=4194304' "$root/etc/modprobe.d/jtrace-setup.conf"
	holds "services" [ -e "$root/etc/systemd/system/jtrace-archive.service" -a -e "$root/etc/systemd/system/jtrace-setup.service" ]
	files > "$tmp/files.once"
	holds "second call" setup 0
	holds "second call says so" grep -qx 'Prepared: reboot to try it.' "$tmp/out"
	files > "$tmp/files.twice"
	holds "second call changes nothing" cmp "$tmp/files.once" "$tmp/files.twice"
	# As if the first call had been interrupted.
	rm "$root/boot/grub/custom.cfg" "$root/etc/modprobe.d/jtrace-setup.conf" "$root/etc/systemd/system/jtrace-setup.service"
	setup 0
	files > "$tmp/files.twice"
	holds "second call completes the first" cmp "$tmp/files.once" "$tmp/files.twice"
	setup 1 --size 8M
	holds "second call, another size" grep -q '^jtrace: setup: it has other memory already' "$tmp/err"
	holds "the service, too early" setup 0 --at-boot

	boot 22222222 "$words"
	holds "the trial comes up" setup 0 --at-boot
	holds "the default has the words" [ "$(grep -cF "amd64 $quoted root=/dev/sda1 ro " "$root/boot/grub/grub.cfg")" = 4 ]
	holds "the trial is gone" [ ! -e "$root/boot/grub/custom.cfg" ]
	holds "the module is loaded at each boot" grep -qx jtrace "$root/etc/modules-load.d/jtrace-setup.conf"
	holds "says that it is ready" grep -q '^Ready: ' "$tmp/out"

	boot 33333333 "$words"
	JTRACE_ROOT=$root "$tmp/bin/modprobe" jtrace
	files > "$tmp/files.once"
	: > "$tmp/calls"
	holds "later boots" setup 0 --at-boot
	holds "later calls" setup 0
	files > "$tmp/files.twice"
	holds "later calls change nothing" cmp "$tmp/files.once" "$tmp/files.twice"
	run 1 doctor
	holds "doctor agrees" grep -qx 'ok    setup: this boot is as /etc/jtrace/setup says' "$tmp/out"
	boot 44444444 ''
	run 1 doctor
	holds "doctor misses the words" grep -q '^FAIL  setup: the command line lacks words' "$tmp/out"
	holds "remove" setup 0 --remove
	unchanged "remove"
	holds "remove again" setup 0 --remove
	unchanged "remove again"
}

setup_fails() {
	new_machine
	setup 0
	boot 22222222 ''
	setup_refused "the trial did not come up" \
		'setup: the boot with reserved memory did not come up, .*taken back.*' --at-boot
	new_machine
	setup 0
	boot 22222222 "$words"
	ELSEWHERE=0x20000000 setup 1 --at-boot
	holds "the trial records elsewhere" grep -q 'at 0x20000000, not to 4194304 bytes at 0x10000000' "$tmp/err"
	unchanged "the trial records elsewhere"
	new_machine
	setup 0
	boot 22222222 "$words"
	EATEN=1 setup 1 --at-boot
	holds "the dollar is lost" grep -q 'jtrace.cfg: wrong line of .* memmap=4M.x10000000 panic=10' "$tmp/err"
	unchanged "the dollar is lost"
	new_machine
	setup 0
	boot 22222222 "$words"
	put etc/default/grub.d/zz.cfg 'GRUB_CMDLINE_LINUX=""'
	setup 1 --at-boot
	holds "another file drops the words" grep -q 'jtrace.cfg: wrong line of .Debian 16.: root=/dev/sda1 ro quiet$' "$tmp/err"
	rm "$root/etc/default/grub.d/zz.cfg"
	unchanged "another file drops the words"
	new_machine
	setup 0
	boot 22222222 "$words"
	CUT=memmap=4M setup 1 --at-boot
	holds "a line for another kernel is wrong" grep -q 'jtrace.cfg: wrong line of .Debian 16.: .* memmap=4M$' "$tmp/err"
	unchanged "a line for another kernel is wrong"
	new_machine
	setup 0
	boot 22222222 "$words"
	FAILS=1 setup 1 --at-boot
	holds "grub-mkconfig fails" grep -qx 'jtrace: grub-mkconfig: exit status 3' "$tmp/err"
	unchanged "grub-mkconfig fails"
	# A kernel that came meanwhile is no reason to lose the trial.
	new_machine
	setup 0
	boot 22222222 ''
	holds "again after a failed trial" setup 0
	holds "again: the next boot is the trial" grep -qx next_entry=jtrace-setup "$root/boot/grub/grubenv"
	setup 0 --remove
	unchanged "remove before the trial"
}

# What GRUB would do with the trial.
setup_trial() {
	new_machine
	put boot/grub/custom.cfg '# mine'
	CLASS=--unrestricted JTRACE_ROOT=$root "$tmp/bin/update-grub"
	truncate -s -1 "$root/boot/grub/custom.cfg"
	files > "$tmp/files.before"
	holds "a custom.cfg of the user" setup 0
	holds "a custom.cfg of the user is kept" grep -qx '# mine' "$root/boot/grub/custom.cfg"
	holds "the trial asks for no password" grep -q "^menuentry .* --unrestricted --id jtrace-setup {" "$root/boot/grub/custom.cfg"
	holds "a trial that cannot be loaded" grep -qx '	set fallback=0' "$root/boot/grub/custom.cfg"
	holds "a next entry that GRUB cannot forget" grep -qx '		set default=0' "$root/boot/grub/custom.cfg"
	holds "GRUB can read the trial" grub-script-check "$root/boot/grub/custom.cfg"
	setup 0 --remove
	unchanged "a custom.cfg of the user"
}

setup_refuses() {
	new_machine
	CONTAINER=1 setup_refused "in a container" 'setup: this is a container.*'
	CHROOT=1 setup_refused "in a chroot" 'setup: this is a chroot: .*'
	NO_MODULE=1 setup_refused "no module" 'the running kernel has no module jtrace: install .*'
	put sys/module/module/parameters/sig_enforce Y
	UNSIGNED=1 setup_refused "a module of an unknown key" '.*Key was rejected by service.*mokutil --import .*'
	put etc/modprobe.d/jtrace.conf 'options jtrace enabled=persistent mem_name=jtrace'
	files > "$tmp/files.before"
	setup_refused "options by hand" 'setup: modprobe.d or the command line has options for jtrace .*'
	rm "$root/etc/modprobe.d/jtrace.conf"
	put etc/default/grub.d/jtrace.cfg '# mine'
	files > "$tmp/files.before"
	setup_refused "a file of the same name" '/etc/default/grub.d/jtrace.cfg: exists, .*'
	rm "$root/etc/default/grub.d/jtrace.cfg"
	sed -i "/next_entry/d" "$root/boot/grub/grub.cfg"
	files > "$tmp/files.before"
	setup_refused "an old grub.cfg" '/boot/grub/grub.cfg: does not read custom.cfg, .*'
	new_machine
	setup_refused "no watchdog" '--watchdog: this machine has no /dev/watchdog: .*' --watchdog
	sed -i "s/$release/6.1.0-10-amd64/" "$root/boot/grub/grub.cfg"
	files > "$tmp/files.before"
	setup_refused "a kernel that is not in the menu" '.*has no entry for the running kernel 6.1.0-9-amd64: .*'
	new_machine
	NO_UNITS=1 setup_refused "no service" 'systemd has no jtrace-setup.service: .*'
	says "setup, a size" 2 '--size 5000: must be a multiple of 4096, 64K to 256M' setup --size 5000
	says "setup, a name" 2 '--name trace: must begin with jtrace, .*' setup --name trace
	says "setup, --test and a size" 2 'setup: --hangs, --remove, --test and --at-boot cannot .*' setup --test --size 1M
	says "setup, --yes alone" 2 '--yes: needs --test' setup --yes
	says "setup, a word" 2 'setup: takes no argument: now' setup now
	says "setup, an unknown option" 2 "unrecognized option '--nonsense'" setup --nonsense
	unchanged "usage errors"
	if ! setpriv --reuid 65534 "$jtrace" setup 2> "$tmp/err" &&
		grep -qx 'jtrace: setup: must be root: sudo jtrace setup' "$tmp/err"; then
		ok "setup, not root"
	else
		not_ok "setup, not root" "$tmp/err"
	fi
	(
		flock 9
		setup_refused "two at a time" 'setup: another jtrace setup runs: .*'
	) 9> "$root/run/jtrace-setup.lock"
}

# chooses NAME LINE [ARG...]: pass if a dry run says that, and changes nothing
chooses() {
	local name=$1 line=$2

	shift 2
	files > "$tmp/files.before"
	setup 0 --dry-run "$@"
	holds "$name" grep -qxF "$line" "$tmp/out"
	unchanged "$name"
	new_machine
}

setup_memory() {
	new_machine
	chooses "a size" 'Memory: 67108864 bytes at 0x10000000.' --size 64M
	put proc/iomem '00100000-3ffdffff : System RAM\n  10000000-12345fff : Crash kernel
  12600000-127fffff : Kernel code'
	chooses "beside crash kernel and kernel" 'Memory: 4194304 bytes at 0x12800000.'
	put sys/module/ramoops/parameters/mem_address 268435456
	put sys/module/ramoops/parameters/mem_size 1048576
	chooses "beside ramoops" 'Memory: 4194304 bytes at 0x10200000.'
	put proc/iomem '00100000-0fffffff : System RAM\n100000000-1ffffffff : System RAM'
	chooses "a small machine" 'Memory: 4194304 bytes at 0x8000000.'
	firmware 0 0x0 0x101fffff 'System RAM'
	firmware 1 0x10200000 0x103fffff 'ACPI Tables'
	firmware 2 0x10400000 0x3fffffff 'System RAM'
	chooses "what the firmware calls RAM" 'Memory: 4194304 bytes at 0x10400000.'
	put proc/iomem '00100000-07ffffff : System RAM'
	setup_refused "no memory" '--size 4194304: /proc/iomem has no free System RAM of that size .*'
	put proc/iomem '00000000-00000000 : System RAM'
	setup_refused "hidden addresses" '/proc/iomem: shows no addresses: run as root'
	new_machine
	put sys/kernel/security/lockdown 'none [integrity] confidentiality'
	put proc/sys/kernel/osrelease 6.10.9-amd64
	setup_refused "lockdown before 6.11" 'kernel 6.10.9-amd64 is locked down, .*'
	setup_refused "a name before 6.11" '--name jtrace1: kernel .* does not know reserve_mem=, .*' --name jtrace1
	put proc/sys/kernel/osrelease 6.11.0-amd64
	sed -i "s/$release/6.11.0-amd64/" "$root/boot/grub/grub.cfg"
	chooses "lockdown from 6.11 on" 'Kernel command line: reserve_mem=4M:2M:jtrace panic=10'
	put proc/sys/kernel/osrelease 6.12.9-amd64
	sed -i "s/$release/6.12.9-amd64/" "$root/boot/grub/grub.cfg"
	chooses "a name" 'Kernel command line: reserve_mem=1M:2M:jtrace-x panic=10' \
		--name jtrace-x --size 1M
	put proc/sys/kernel/panic 5
	chooses "panic= is set" 'Kernel command line: memmap=4M$0x10000000'
	FS=btrfs chooses "a file system that GRUB cannot write" \
		'GRUB cannot write to this file system: choose "jtrace setup" in its menu at the next boot.'
	ABSTRACTION=lvm chooses "LVM" \
		'GRUB cannot write to this file system: choose "jtrace setup" in its menu at the next boot.'
	rm -r "$root/boot/grub"
	chooses "another boot loader" "Add to the kernel's command line, or to that of the unified kernel image: $words"
}

# The words are added by hand, and the trial has no end.
setup_by_hand() {
	new_machine
	rm -r "$root/boot/grub"
	files > "$tmp/files.before"
	setup 0
	boot 22222222 ''
	holds "by hand: not yet" setup 0 --at-boot
	boot 33333333 "$words"
	holds "by hand: there" setup 0 --at-boot
	holds "by hand: ready" grep -q '^Ready' "$tmp/out"
	holds "by hand: remove" setup 0 --remove
	holds "by hand: remove says so" grep -qxF "Remove from the kernel's command line: $words" "$tmp/out"
	unchanged "by hand: remove"
	# Memory of the device tree needs no words, and no reboot.
	new_machine
	rm -r "$root/boot/grub"
	files > "$tmp/files.before"
	put proc/sys/kernel/arch aarch64
	put proc/sys/kernel/panic 5
	setup_refused "arm64 before 6.11" 'kernel 6.1.0-9-amd64 has no way to reserve memory by its command line: .*'
	put proc/device-tree/reserved-memory/trace/compatible 'jtrace\0'
	JTRACE_ROOT=$root "$tmp/bin/modprobe" jtrace
	holds "a node of the device tree" setup 0
	holds "a node: ready at once" grep -q '^Ready' "$tmp/out"
	holds "a node: the module was loaded again" grep -qx 'modprobe -r jtrace' "$tmp/calls"
	setup 0 --remove
	unchanged "a node: remove"
}

setup_systemd_boot() {
	new_machine
	mkdir -p "$root/efi/loader/entries" "$root/$efivars" "$root/etc/kernel"
	put "$efivars/LoaderInfo-$vendor" \
		'\x07\0\0\0s\0y\0s\0t\0e\0m\0d\0-\0b\0o\0o\0t\0 \x002\0'
	put etc/machine-id 0123
	local e=$root/efi/loader/entries
	put "efi/loader/entries/0123-$release.conf" "title      Debian\nversion    $release\nmachine-id 0123\nsort-key   debian\noptions    root=/dev/sda1 ro quiet\nlinux      /0123/linux\ninitrd     /0123/initrd"
	put efi/loader/entries/0123-6.1.0-99-amd64.conf "title      Debian\nversion    6.1.0-99-amd64\nmachine-id 0123\noptions    root=/dev/sda1 ro"
	put efi/loader/entries/other.conf "title      Other\nversion    $release\noptions    root=/dev/sdb1"
	files > "$tmp/files.before"
	holds "systemd-boot: first call" setup 0
	holds "systemd-boot: the trial" grep -qxF "options    $words root=/dev/sda1 ro quiet" "$e/a-jtrace-setup.conf"
	holds "systemd-boot: the trial is last" [ ! "$(grep -E 'sort-key|Debian' "$e/a-jtrace-setup.conf")" ]
	holds "systemd-boot: the next boot" grep -qx 'bootctl set-oneshot a-jtrace-setup.conf' "$tmp/calls"
	# systemd-boot forgets the name.
	rm "$root/$efivars/LoaderEntryOneShot-$vendor"
	boot 22222222 "$words"
	holds "systemd-boot: the trial comes up" setup 0 --at-boot
	holds "systemd-boot: the trial is gone" [ ! -e "$e/a-jtrace-setup.conf" ]
	holds "systemd-boot: this kernel" grep -qxF "options    $words root=/dev/sda1 ro quiet" "$e/0123-$release.conf"
	holds "systemd-boot: the other kernel" grep -qxF "options    $words root=/dev/sda1 ro" "$e/0123-6.1.0-99-amd64.conf"
	holds "systemd-boot: another system" grep -qx 'options    root=/dev/sdb1' "$e/other.conf"
	holds "systemd-boot: later kernels" grep -qxF "$words root=/dev/sda1 ro quiet" "$root/etc/kernel/cmdline"
	setup 0 --remove
	unchanged "systemd-boot: remove"
	put etc/kernel/cmdline 'root=/dev/sda1  mine'
	boot 11111111 ''
	files > "$tmp/files.before"
	setup 0 && boot 22222222 "$words" && setup 0 --at-boot
	holds "systemd-boot: words of the user" grep -qxF "$words root=/dev/sda1  mine" "$root/etc/kernel/cmdline"
	setup 0 --remove
	unchanged "systemd-boot: remove, with words of the user"
	boot 11111111 ''
	setup 0
	boot 22222222 ''
	setup_refused "systemd-boot: the trial did not come up" 'setup: the boot with reserved memory did not .*' --at-boot
	JTRACE_ROOT=$root "$tmp/bin/bootctl" set-oneshot windows.conf
	setup 0
	JTRACE_ROOT=$root "$tmp/bin/bootctl" set-oneshot windows.conf
	setup 0 --remove
	holds "systemd-boot: remove keeps the user's next boot" grep -q w "$root/$efivars/LoaderEntryOneShot-$vendor"
	setup 0
	setup 0 --remove
	holds "systemd-boot: remove before the trial" [ ! -e "$root/$efivars/LoaderEntryOneShot-$vendor" ]
	unchanged "systemd-boot: remove before the trial"
	# A unified kernel image has no entry file.
	rm "$e"/*
	chooses "a unified kernel image" "Add to the kernel's command line, or to that of the unified kernel image: $words"
}

setup_plan() {
	ready
	sed -i 's/^address=.*/address=0x10000000 init=\/bin\/sh/' "$root/etc/jtrace/setup"
	setup 1
	holds "a damaged plan" grep -qx "jtrace: /etc/jtrace/setup:.: 'address=0x10000000 init=/bin/sh' is no line of a plan: .*" "$tmp/err"
	run 1 doctor
	holds "doctor: a damaged plan" grep -qx 'FAIL  setup: /etc/jtrace/setup is damaged' "$tmp/out"
	sed -i 's/^address=.*/address=0x1000000/' "$root/etc/jtrace/setup"
	setup 1
	holds "memory of the kernel in the plan" grep -q '/etc/jtrace/setup: has 4194304 bytes at 0x1000000, ' "$tmp/err"
	rm "$root/etc/jtrace/setup"
	holds "remove without a plan" setup 0 --remove
	# Who enabled the services is lost with the plan.
	rm "$root"/etc/systemd/system/jtrace-{archive,setup}.service
	unchanged "remove without a plan"
	ready
	sed -i 's/^size=.*/size=4194304\nname=jtrace";reboot;"/' "$root/etc/jtrace/setup"
	setup 1
	holds "a name in the plan" grep -q "'name=jtrace\";reboot;\"' is no line of a plan" "$tmp/err"
}

setup_test() {
	ready
	put proc/sysrq-trigger ''
	put sys/kernel/debug/jtrace/marker ''
	if ! setup 1 --test < /dev/null ||
		! grep -qx 'jtrace: --test: standard input is no terminal: add --yes' "$tmp/err"; then
		not_ok "setup, --test without a terminal" "$tmp/err"
	else
		ok "setup, --test without a terminal"
	fi
	setup 1 --test --yes
	holds "--test crashes" sh -c '[ "$(cat "$0/proc/sysrq-trigger")" = c ]' "$root"
	holds "--test leaves an event" sh -c '[ "$(cat "$0/sys/kernel/debug/jtrace/marker")" = "jtrace setup --test" ]' "$root"
	run 1 doctor
	holds "doctor: not crashed" grep -q '^warn  crash: the test crash did not end this boot' "$tmp/out"
	boot 33333333 "$words"
	JTRACE_ROOT=$root "$tmp/bin/modprobe" jtrace
	run 1 doctor
	holds "doctor: no trace" grep -q '^FAIL  crash: the trace of the test crash was not recovered' "$tmp/out"
	put sys/kernel/debug/jtrace/recovered \
		'JTRACE: Recorded by Linux 6.1, boot 22222222-0000-4000-8000-000000000000'
	run 1 doctor
	holds "doctor: the trace" grep -qx 'ok    crash: it works: the trace of the test crash was recovered' "$tmp/out"
	rm "$root/sys/kernel/debug/jtrace/recovered"
	mkdir -p "$root/var/lib/jtrace/22222222000040008000000000000000"
	run 1 doctor
	holds "doctor: the saved trace" grep -q '^ok    crash: it works' "$tmp/out"
	setup 0 --at-boot
	rm -r "$root/var/lib/jtrace/22222222000040008000000000000000"
	run 1 doctor
	holds "doctor: a trace that the user removed" grep -q '^ok    crash: it works' "$tmp/out"
	setup_test_tells
	put proc/sys/kernel/panic 0
	setup 1 --test --yes
	holds "--test, a machine that halts" grep -q 'kernel.panic is 0' "$tmp/err"
	new_machine
	setup 1 --test --yes
	holds "--test before setup" grep -qx 'jtrace: --test: this machine is not ready: run jtrace setup' "$tmp/err"
	unchanged "--test before setup"
}

# The second call tells what became of the trace, once.
setup_test_tells() {
	local id=22222222222222222222222222222222 known loader

	put sys/class/dmi/id/sys_vendor 'QEMU "the" board'
	put sys/class/dmi/id/bios_vendor SeaBIOS
	put sys/class/dmi/id/bios_version 1.16
	loader=$(sed -n 's/^loader=//p' "$root/etc/jtrace/setup")
	known="jtrace-test: board=\"QEMU\" firmware=\"SeaBIOS 1.16\" loader=\"$loader\""
	known+=' reserved="memmap 4194304" watchdog="none"'
	# Of another boot.
	mkdir -p "$root/var/lib/jtrace/33333333333333333333333333333333/0123456789abcdef"
	"$tmp/mkimage" -i 51 -x 3 -W mine -n 9 \
		> "$root/var/lib/jtrace/33333333333333333333333333333333/0123456789abcdef/recovered_raw"
	setup 0 --test --yes
	holds "--test again: all is lost" grep -qx "$known result=\"lost\" lost=\"everything\"" "$tmp/out"
	sed -i -e '/^told=/d' -e 's/^tested=.*/tested=22222222-2222-2222-2222-222222222222/' \
		"$root/etc/jtrace/setup"
	put sys/class/watchdog/watchdog0/identity 'iTCO_wdt'
	known=${known/none/iTCO_wdt}
	mkdir -p "$root/var/lib/jtrace/$id/0123456789abcdef"
	echo 1 > "$root/var/lib/jtrace/$id/0123456789abcdef/number"
	"$tmp/mkimage" -i 34 -x 3 -W 'sysrq triggered crash' -n 9 \
		> "$root/var/lib/jtrace/$id/0123456789abcdef/recovered_raw"
	setup 0 --test
	holds "--test again: it survived" grep -qx "$known kernel=\"6.1.0-test\" $(
		)died=\"panicked: sysrq triggered crash\" result=\"survived\" $(
		)entries=\"9\" log_lines=\"0\" lost=\"nothing\"" "$tmp/out"
	holds "--test again: told" grep -qx told=yes "$root/etc/jtrace/setup"
	# Another boot of another crash.
	sed -i -e '/^told=/d' "$root/etc/jtrace/setup"
	"$tmp/mkimage" -i 34 -x 3 -W 'sysrq triggered crash' -n 9 | zeroed - 0 512 \
		> "$root/var/lib/jtrace/$id/0123456789abcdef/recovered_raw"
	setup 0 --test
	holds "--test again: damaged" grep -q ' result="damaged" .* lost="header 1"$' "$tmp/out"
	rm -r "$root"/var/lib/jtrace/{"$id",33333333333333333333333333333333} \
		"$root/sys/class/watchdog" "$root/sys/class/dmi"
}

setup_watchdog() {
	new_machine
	put dev/watchdog ''
	setup 0 --watchdog
	holds "--watchdog" grep -qx RuntimeWatchdogSec=30 "$root/etc/systemd/system.conf.d/jtrace-setup.conf"
	: > "$tmp/calls"
	setup 0 --remove
	holds "--watchdog: systemd goes on feeding" sh -c '! grep -q reexec "$0"' "$tmp/calls"
	unchanged "--watchdog: remove"
	# The words of an earlier setup are still on the command line.
	new_machine
	put proc/sys/kernel/panic 10
	setup 0
	boot 22222222 'memmap=4M$0x10000000'
	setup 0 --at-boot
	holds "a machine that would halt after all" grep -qF "$quoted" "$root/boot/grub/grub.cfg"
	ready
	put dev/watchdog ''
	setup 0
	holds "a watchdog that is not used" grep -q 'jtrace setup --watchdog' "$tmp/out"
	holds "--watchdog later" setup 0 --watchdog
	holds "--watchdog later: written" grep -qx RuntimeWatchdogSec=30 "$root/etc/systemd/system.conf.d/jtrace-setup.conf"
}

# on_machines TEST...: run tests on made-up machines
on_machines() {
	local PATH=$tmp/bin:$PATH test

	root=$tmp/root
	export JTRACE_ROOT=$root CALLS=$tmp/calls
	make_programs
	for test; do
		$test
	done
	unset JTRACE_ROOT CALLS
	rm -rf "$root" "${tmp:?}/bin"
}

test_setup() {
	on_machines setup_grub setup_fails setup_trial setup_refuses setup_memory setup_by_hand \
		setup_systemd_boot setup_plan setup_test setup_watchdog setup_history
}
