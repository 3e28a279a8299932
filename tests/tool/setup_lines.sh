# shellcheck shell=bash disable=SC2154,SC2016,SC2086 # set by run; $ is meant; words to split
# SPDX-License-Identifier: GPL-2.0
#
# Tests of "jtrace setup": the line that boots next, on made-up machines (see setup.sh).  Whatever
# an administrator did there, each line is the old one with setup's words, or setup says why not;
# and --remove leaves each byte as it was.

# ---- GRUB -------------------------------------------------------------

# linux_lines: print all lines that load a kernel
linux_lines() {
	cat "$root/boot/grub/grub.cfg" "$root/boot/grub/custom.cfg" 2> /dev/null |
		grep -E '^[[:blank:]]*linux'
}

# lines_kept NAME N: pass if all lines are those of before, N of them with the words in front
lines_kept() {
	linux_lines > "$tmp/lines.now"
	holds "$1: each line is the old one, with words or without" \
		diff "$tmp/lines.before" <(sed "s/ $quoted / /" "$tmp/lines.now")
	holds "$1: $2 lines have the words" [ "$(grep -cF " $quoted " "$tmp/lines.now")" = "$2" ]
}

# boots LINE: another boot begins, of the running kernel with this command line
boots() {
	boot "$1" ''
	put proc/cmdline "BOOT_IMAGE=/boot/vmlinuz-$release $2"
}

# setup_whole NAME LINE N: a setup from its first call to --remove, on a machine that boots LINE; N
# lines get the words
setup_whole() {
	linux_lines > "$tmp/lines.before"
	boots 11111111 "$2"
	files > "$tmp/files.before"
	holds "$1: first call" setup 0
	holds "$1: the trial is the entry of this boot" sh -c '
		sed -n "/BEGIN jtrace/,/END jtrace/s/^[[:blank:]]*linux[[:blank:]]*//p" "$1" > "$2/trial"
		[ "$(wc -l < "$2/trial")" = 1 ] && grep -F -e "$3 " "$2/trial"' - \
		"$root/boot/grub/custom.cfg" "$tmp" "/boot/vmlinuz-$release $quoted"
	boots 22222222 "$words $2"
	holds "$1: the trial comes up" setup 0 --at-boot
	lines_kept "$1" "$3"
	boots 33333333 "$words $2"
	holds "$1: again" setup 0
	lines_kept "$1, again" "$3"
	holds "$1: remove" setup 0 --remove
	unchanged "$1: remove"
}

lines_by_hand() {
	new_machine
	sed -i 's,root=/dev/sda1 ro,root=/dev/mapper/crypt ro rootdelay=30,' "$root/boot/grub/grub.cfg"
	setup_whole "grub.cfg by hand" 'root=/dev/mapper/crypt ro rootdelay=30 quiet' 4
	new_machine
	put etc/default/grub 'GRUB_CMDLINE_LINUX="rw"'
	boots 11111111 'root=/dev/sda1 ro quiet'
	setup 0 --dry-run
	holds "what update-grub would change beside is told" grep -q \
		"^Note: .* of 'Debian 16' was 'root=/dev/sda1 ro quiet', and is '.* ro rw quiet'" "$tmp/out"
	setup_whole "update-grub would change more" 'root=/dev/sda1 ro quiet' 4
	new_machine
	boots 11111111 'root=/dev/sda1 ro quiet init=/bin/sh'
	files > "$tmp/files.before"
	setup_refused "a line that is not in the menu" \
		'/boot/grub/grub.cfg: has no entry with the command line of this .* init=/bin/sh'
}

# Words behind "--" are not for the kernel, and what stands behind "#" is for nobody.
lines_odd() {
	local extra joins=\\

	new_machine
	put etc/default/grub 'GRUB_CMDLINE_LINUX="-- 3"'
	JTRACE_ROOT=$root "$tmp/bin/update-grub"
	setup_whole "words for init" 'root=/dev/sda1 ro -- 3 quiet' 4
	for extra in '# a comment' "$joins" "'a b' c=\"d e\"" ';'; do
		new_machine
		sed -i "s|quiet *\$|quiet ${extra//\\/\\\\}|" "$root/boot/grub/grub.cfg"
		case $extra in
		"'a b'"*)	setup_whole "a line with $extra" 'root=/dev/sda1 ro quiet "a b" "c=d e"' 4 ;;
		"$joins")
			# It goes on in the next line.
			sed -i 's|^\tinitrd\t/boot/initrd.img-6.1.0-9-amd64|\t\tsingle\n&|' \
				"$root/boot/grub/grub.cfg"
			holds "a line that goes on" grep -q 'quiet \\$' "$root/boot/grub/grub.cfg"
			setup_whole "a line with $extra" 'root=/dev/sda1 ro quiet single' 4 ;;
		*)	setup_whole "a line with $extra" 'root=/dev/sda1 ro quiet' 4 ;;
		esac
	done
	new_machine
	sed -i 's|quiet *$|quiet $vt_handoff|' "$root/boot/grub/grub.cfg"
	setup_whole "a variable" 'root=/dev/sda1 ro quiet vt.handoff=7' 4
	# An administrator who resets it by sysctl.
	new_machine
	sed -i 's|ro  quiet|ro  panic=10 quiet|' "$root/boot/grub/grub.cfg"
	boots 11111111 'root=/dev/sda1 ro panic=10 quiet'
	put proc/sys/kernel/panic 0
	files > "$tmp/files.before"
	setup 0
	holds "panic= is there: no other one" \
		grep -qxF 'Kernel command line: memmap=4M$0x10000000' "$tmp/out"
	setup 0 --remove
	unchanged "panic= is there"
	new_machine
	boots 11111111 'root=/dev/sda1 ro quiet memmap=1M$1G memmap=1M$2G memmap=1M$3G memmap=1M$4G'
	files > "$tmp/files.before"
	setup_refused "four memmap=" 'setup: the command line has 4 memmap= already: KASLR .*'
}

# Commands and entries as other scripts of update-grub write them, and as people do.
lines_of_others() {
	local cfg=boot/grub/grub.cfg line='root=/dev/sda1 ro quiet'

	new_machine
	# GRUB_CMDLINE_LINUX does not reach the first; the words reach the second by themselves.
	program grub-mkconfig <<-'END'
		. "$JTRACE_ROOT/etc/default/grub"
		for f in "$JTRACE_ROOT"/etc/default/grub.d/*.cfg; do [ ! -e "$f" ] || . "$f"; done
		echo '### BEGIN /etc/grub.d/00_header ###'
		echo 'if [ "${next_entry}" ] ; then set default="${next_entry}"; else set default="0"; fi'
		echo 'function load_video { insmod gzio; }'
		echo '### BEGIN /etc/grub.d/10_linux ###'
		echo "menuentry 'Debian' --id d { linux /boot/vmlinuz-6.1.0-9-amd64 root=/dev/sda1 ro $GRUB_CMDLINE_LINUX quiet; initrd /initrd }"
		echo "menuentry 'Bare'{"
		echo "	linux /boot/vmlinuz-bare"
		echo "	initrd /initrd; }"
		echo '### BEGIN /etc/grub.d/20_linux_xen ###'
		echo "menuentry 'Xen' {"
		echo "	multiboot2 /boot/xen.gz placeholder"
		echo "	module2 /boot/vmlinuz-6.1.0-9-amd64 placeholder root=/dev/sda1 ro $GRUB_CMDLINE_LINUX"
		echo '}'
		echo '### BEGIN /etc/grub.d/20_memtest86+ ###'
		echo "menuentry 'Memory test' {"
		echo "	linux	/boot/memtest86+x64.bin"
		echo '}'
		echo 'source ${prefix}/custom.cfg'
	END
	# That takes words as they come, so leave out the bare one.
	sed -i '/Bare/,/}/d; /vmlinuz-bare/d; /initrd; }/d' "$tmp/bin/grub-mkconfig"
	JTRACE_ROOT=$root "$tmp/bin/update-grub"
	boots 11111111 "$line"
	files > "$tmp/files.before"
	holds "other scripts: first call" setup 0
	holds "other scripts: the trial is whole" grep -q 'initrd /initrd' "$root/boot/grub/custom.cfg"
	boots 22222222 "$words $line"
	holds "other scripts: the trial comes up" setup 0 --at-boot
	holds "other scripts: the words are in the lines of this system" \
		[ "$(grep -cF "vmlinuz-$release $quoted root" "$root/$cfg")" = 1 ]
	holds "other scripts: no others have them" [ "$(grep -c memmap= "$root/$cfg")" = 1 ]
	JTRACE_ROOT=$root "$tmp/bin/update-grub"
	holds "other scripts: update-grub puts them into Xen's" [ "$(grep -c memmap= "$root/$cfg")" = 2 ]
	setup 0 --remove
	unchanged "other scripts: remove"
	make_programs
	new_machine
	# A kernel without arguments, in two ways; "}" behind a command.
	printf '%s\n' 'menuentry "Bare" {' '	linux /boot/vmlinuz-bare' '	initrd /i; }' \
		'menuentry "Bare 2" {' '	linux /boot/vmlinuz-bare # c' '}' > "$tmp/bare"
	sed -i -e "/BEGIN.*os-prober/{r $tmp/bare" -e '}' "$root/$cfg"
	sed -i '/### BEGIN/d' "$root/$cfg"
	sed -i '/other Debian/,/^}/d' "$root/$cfg"
	whole_bare "$line"
	new_machine
	sed -i 's|^\tlinux\t/boot/vmlinuz-16.1.*|& memmap=8G|; s,/dev/sda1,/dev/mapper/crypt,' "$root/$cfg"
	setup_whole "a memmap= without an address" 'root=/dev/mapper/crypt ro quiet' 4
	new_machine
	sed -i "s,vmlinuz-$release,&.efi.signed," "$root/$cfg"
	boots 11111111 "$line"
	setup 0 --dry-run
	holds "a signed kernel" grep -q "^Boots now: 'Advanced>Debian, 9'" "$tmp/out"
	new_machine
	echo 'default=2' > "$root/boot/grub/custom.cfg"
	files > "$tmp/files.before"
	setup_refused "a default of custom.cfg, without set" "/boot/grub/custom.cfg: sets default to '2', .*"
	new_machine
	setup 0
	setup 0
	holds "the trial is no default of the user" [ ! "$(grep 'Boots by default' "$tmp/out")" ]
	ready
	: > "$root/$cfg"
	setup 1
	holds "no entry at all is not ready" grep -q 'no entry' "$tmp/err"
	run 1 doctor
	holds "doctor: no entry at all" grep -qx 'FAIL  next boot: the boot loader has no entry of this system' "$tmp/out"
	ready
	rm -r "$root/boot/grub"
	holds "remove after GRUB has gone" setup 0 --remove
	new_machine
	put dev/watchdog ''
	setup 0
	boots 22222222 "$words $line"
	holds "--watchdog in the trial" setup 0 --watchdog
	holds "--watchdog in the trial: written" [ -e "$root/etc/systemd/system.conf.d/jtrace-setup.conf" ]
}

# whole_bare LINE: as setup_whole, where two lines have no arguments
whole_bare() {
	boots 11111111 "$1"
	files > "$tmp/files.before"
	setup 0
	boots 22222222 "$words $1"
	holds "no arguments: the trial comes up" setup 0 --at-boot
	holds "no arguments: the words" [ "$(grep -cF "vmlinuz-bare $quoted" "$root/boot/grub/grub.cfg")" = 2 ]
	setup 0 --remove
	unchanged "no arguments: remove"
}

# The entry that boots may be one that update-grub does not write.
lines_foreign() {
	local mine='root=LABEL=mine ro quiet'

	new_machine
	printf '%s\n' '### BEGIN /etc/grub.d/40_custom ###' "menuentry 'Mine' {" \
		"	linux	/boot/vmlinuz-$release $mine" '}' >> "$root/boot/grub/grub.cfg"
	sed -i '1i set default="Mine"' "$root/boot/grub/grub.cfg"
	boots 11111111 "$mine"
	files > "$tmp/files.before"
	setup 0 --dry-run
	holds "an entry of 40_custom: by hand" grep -qxF \
		"Add to the kernel's command line, or to that of the unified kernel image: $words" \
		"$tmp/out"
	setup 0
	boots 22222222 "$words $mine"
	holds "an entry of 40_custom: ready" setup 0 --at-boot
	setup 0 --remove
	unchanged "an entry of 40_custom"
	# Not running, but the default.
	boots 11111111 'root=/dev/sda1 ro quiet'
	setup 0 --dry-run
	holds "a default of 40_custom" grep -qx "Boots by default: 'Mine': $mine" "$tmp/out"
	holds "a default of 40_custom: stays" grep -q \
		'^Note: update-grub does not write this default' "$tmp/out"
	new_machine
	# Another system has the same words of its own jtrace, and so has an entry by hand.
	sed -i "s|root=/dev/sdb1|$quoted &|" "$root/boot/grub/grub.cfg"
	printf '%s\n' '### BEGIN /etc/grub.d/40_custom ###' "menuentry 'Mine' {" \
		"	linux	/boot/vmlinuz-mine $quoted root=LABEL=mine" '}' >> "$root/boot/grub/grub.cfg"
	boots 11111111 'root=/dev/sda1 ro quiet'
	files > "$tmp/files.before"
	setup 0
	boots 22222222 "$words root=/dev/sda1 ro quiet"
	holds "words of others" setup 0 --at-boot
	setup 0 --remove
	unchanged "words of others"
	new_machine
	printf '%s\n' 'set default=0' > "$root/boot/grub/custom.cfg"
	files > "$tmp/files.before"
	setup_refused "a default of custom.cfg" "/boot/grub/custom.cfg: sets default to '0', .*"
	new_machine
	printf '%s\n' 'set default="3>0"' > "$tmp/cfg"
	cat "$root/boot/grub/grub.cfg" >> "$tmp/cfg" && cp "$tmp/cfg" "$root/boot/grub/grub.cfg"
	setup 0 --dry-run
	holds "an entry by its number" grep -qx \
		"Boots by default: 'Advanced>recovery': root=/dev/sda1 ro single" "$tmp/out"
}

# custom.cfg is the user's.
lines_custom() {
	new_machine
	echo '# mine' > "$root/boot/grub/real.cfg"
	ln -s real.cfg "$root/boot/grub/custom.cfg"
	setup_whole "custom.cfg is a link" 'root=/dev/sda1 ro quiet' 4
	holds "custom.cfg is a link still" [ -L "$root/boot/grub/custom.cfg" ]
	new_machine
	ln -s real.cfg "$root/boot/grub/custom.cfg"
	boots 11111111 'root=/dev/sda1 ro quiet'
	files > "$tmp/files.before"
	setup 0
	holds "custom.cfg leads nowhere: the trial" [ -e "$root/boot/grub/real.cfg" ]
	setup 0 --remove
	unchanged "custom.cfg leads nowhere"
	holds "custom.cfg leads nowhere: it stays" [ -L "$root/boot/grub/custom.cfg" ]
	new_machine
	: > "$root/boot/grub/custom.cfg"
	setup_whole "custom.cfg is empty" 'root=/dev/sda1 ro quiet' 4
	new_machine
	printf 'menuentry "a" {\n}\n\0menuentry "b" {\n}\n' > "$root/boot/grub/custom.cfg"
	files > "$tmp/files.before"
	setup_refused "a NUL byte in custom.cfg" '/boot/grub/custom.cfg: has a NUL byte.*'
	new_machine
	setup 0
	printf '# later\n' >> "$root/boot/grub/custom.cfg"
	setup 0 --remove
	holds "lines that the user added meanwhile" [ "$(cat "$root/boot/grub/custom.cfg")" = '# later' ]
}

# After the setup, another file cuts the words, and a new kernel lets update-grub run.
lines_cut_later() {
	local zz=$root/etc/default/grub.d/zz.cfg

	ready
	linux_lines > "$tmp/lines.ready"
	JTRACE_ROOT=$root "$tmp/bin/modprobe" jtrace
	run 1 doctor
	holds "doctor: the next boot" grep -qx \
		'ok    next boot: each entry has the words of /etc/jtrace/setup' "$tmp/out"
	echo 'GRUB_CMDLINE_LINUX=${GRUB_CMDLINE_LINUX%%\$*}' > "$zz"
	JTRACE_ROOT=$root "$tmp/bin/update-grub"
	holds "cut later: so it would not boot" grep -q "memmap=4M *quiet" "$root/boot/grub/grub.cfg"
	run 1 doctor
	holds "cut later: doctor says so" grep -q \
		"^FAIL  next boot: 'Debian 16' does not boot, because its memmap= is cut" "$tmp/out"
	setup 1
	holds "cut later: setup says so" grep -q 'jtrace.cfg: wrong line of ' "$tmp/err"
	holds "cut later: it boots again" sh -c '! grep -q memmap=4M "$0"' "$root/boot/grub/grub.cfg"
	setup 1
	holds "cut later: as long as it is so" sh -c '! grep -q memmap=4M "$0"' "$root/boot/grub/grub.cfg"
	rm "$zz"
	JTRACE_ROOT=$root "$tmp/bin/update-grub"
	holds "cut later: mended" setup 0
	holds "cut later: mended, as before" diff <(sort "$tmp/lines.ready") <(linux_lines | sort)
	echo 'GRUB_CMDLINE_LINUX=${GRUB_CMDLINE_LINUX%%\$*}' > "$zz"
	JTRACE_ROOT=$root "$tmp/bin/update-grub"
	holds "cut later: remove" setup 0 --remove
	holds "cut later: it boots" sh -c '! grep -q memmap=4M "$0"' "$root/boot/grub/grub.cfg"
	rm "$zz"
	# This needs no other program.
	ready
	FAILS=1 setup 0 --remove
	unchanged "remove without update-grub"
}

# ---- systemd-boot -----------------------------------------------------

# systemd_machine OPTIONS-LINES...: a machine of systemd-boot; its entry has these lines
systemd_machine() {
	new_machine
	mkdir -p "$root/efi/loader/entries" "$root/$efivars" "$root/etc/kernel"
	put "$efivars/LoaderInfo-$vendor" \
		'\x07\0\0\0s\0y\0s\0t\0e\0m\0d\0-\0b\0o\0o\0t\0 \x002\0'
	put etc/machine-id 0123
	e=$root/efi/loader/entries
	{
		printf '%s\n' 'title      Debian' "version    $release" 'machine-id 0123' \
			'linux      /0123/linux' "$@"
	} > "$e/0123-$release.conf"
}

# systemd_whole NAME LINE: as setup_whole
systemd_whole() {
	boots 11111111 "$2"
	files > "$tmp/files.before"
	awk 1 "$e"/*.conf > "$tmp/entries.before"
	holds "$1: first call" setup 0
	rm -f "$root/$efivars/LoaderEntryOneShot-$vendor"
	boots 22222222 "initrd=\\0123\\initrd $words $2"
	holds "$1: the trial comes up" setup 0 --at-boot
	awk 1 "$e"/*.conf > "$tmp/entries.now"
	holds "$1: the words are the difference" diff "$tmp/entries.before" \
		<(sed "/^options ${words//$/\\$}\r\\?\$/d; s/${words//$/\\$} //" "$tmp/entries.now")
	holds "$1: no entry lacks them" [ "$(grep -cF "$words" "$tmp/entries.now")" = \
		"$(grep -c '^linux' "$tmp/entries.now")" ]
	[ ! -e "$root/etc/kernel/cmdline" ] || cp "$root/etc/kernel/cmdline" "$tmp/cmdline"
	boots 33333333 "initrd=\\0123\\initrd $words $2"
	holds "$1: again" setup 0
	holds "$1: remove" setup 0 --remove
	unchanged "$1: remove"
}

lines_systemd() {
	local e name

	systemd_machine 'options    quiet' 'options    root=/dev/sda1 ro'
	systemd_whole "two lines of options" 'quiet root=/dev/sda1 ro'
	holds "two lines of options: later kernels" \
		[ "$(cat "$tmp/cmdline")" = "$words quiet root=/dev/sda1 ro" ]
	for name in aaa rescue; do
		systemd_machine 'options    root=/dev/sda1 ro quiet'
		sed 's/ro quiet/ro systemd.unit=rescue.target/' "$e/0123-$release.conf" > \
			"$e/$name-$release.conf"
		systemd_whole "a copy, $name" 'root=/dev/sda1 ro quiet'
		holds "a copy, $name: later kernels" \
			[ "$(cat "$tmp/cmdline")" = "$words root=/dev/sda1 ro quiet" ]
	done
	# Two entries with the same line: the loader knows, in lower case, and with an old counter.
	systemd_machine 'options    root=/dev/sda1 ro quiet'
	sed 's,linux .*,&-copy,' "$e/0123-$release.conf" > "$e/copy+2-1.conf"
	mv "$e/copy+2-1.conf" "$e/Copy+2-1.conf"
	put "$efivars/LoaderEntrySelected-$vendor" \
		'\x07\0\0\0c\0o\0p\0y\0+\00003\0.\0c\0o\0n\0f\0\0\0'
	boots 11111111 'root=/dev/sda1 ro quiet'
	setup 0
	holds "the entry that the loader names" grep -q 'linux-copy$' "$e/a-jtrace-setup.conf"
	systemd_machine 'options    root=/dev/sda1 ro nomodeset'
	boots 11111111 'root=/dev/sda1 ro'
	files > "$tmp/files.before"
	setup_refused "a line that is not in the menu" \
		'systemd-boot: no entry of this system has the command line of this boot: .* ro'
	# It is the administrator's: of another kernel.
	systemd_machine 'options    root=/dev/sda1 ro'
	printf 'title Old\nversion old\nmachine-id 0123\nlinux /old\n' > "$e/0123-old.conf"
	printf 'options root=/dev/sda1 panic=10' >> "$e/0123-old.conf"
	printf 'root=/dev/sda1 ro panic=10' > "$root/etc/kernel/cmdline"
	systemd_whole "panic=10 of the administrator, and no last newline" 'root=/dev/sda1 ro'
	systemd_machine 'options    root=/dev/sda1 ro'
	printf 'title Bare\nversion bare\nmachine-id 0123\nlinux /bare\n' > "$e/0123-bare.conf"
	printf 'title Bare\nversion bare2\nmachine-id 0123\nlinux /bare' > "$e/0123-bare2.conf"
	printf 'title Test\nversion memtest\nmachine-id 0123\nefi /memtest.efi\n' > "$e/0123-test.conf"
	systemd_whole "entries without options" 'root=/dev/sda1 ro'
	systemd_machine 'options    root=/dev/sda1 ro'
	sed -i /machine-id/d "$e/0123-$release.conf"
	mv "$e/0123-$release.conf" "$e/debian-$release.conf"
	echo debian > "$root/etc/kernel/entry-token"
	systemd_whole "entries with a token" 'root=/dev/sda1 ro'
	systemd_machine 'options    root=/dev/sda1 ro'
	printf 'root=/dev/sda1 ro\n' > "$root/etc/kernel/cmdline"
	boots 11111111 'root=/dev/sda1 ro'
	files > "$tmp/files.before"
	setup 0
	rm -f "$root/$efivars/LoaderEntryOneShot-$vendor"
	boots 22222222 "$words root=/dev/sda1 ro"
	setup 0 --at-boot
	cp "$root/etc/kernel/cmdline" "$tmp/cmdline"
	printf '\0' >> "$root/etc/kernel/cmdline"
	setup 1 --remove
	holds "a NUL byte in the cmdline is told" grep -q '^jtrace: /etc/kernel/cmdline: has a NUL byte' "$tmp/err"
	cp "$tmp/cmdline" "$root/etc/kernel/cmdline"
	rm "$root/etc/jtrace/setup"
	setup 0 --remove
	rm -f "$root"/etc/systemd/system/jtrace-{archive,setup}.service
	unchanged "remove without a plan"
	systemd_machine 'options    root=/dev/sda1 ro'
	sed -i 's/$/\r/' "$e/0123-$release.conf"
	systemd_whole "lines of another system" 'root=/dev/sda1 ro'
	systemd_machine 'options    root=/dev/sda1 ro'
	printf '# a comment\nroot=/dev/sda1\nro\n' > "$root/etc/kernel/cmdline"
	systemd_whole "a comment for later kernels" 'root=/dev/sda1 ro'
	holds "a comment for later kernels stays one" [ "$(cat "$tmp/cmdline")" = \
		"$(printf '# a comment\n%s root=/dev/sda1\nro' "$words")" ]
	systemd_machine 'options    root=/dev/sda1 ro'
	put usr/lib/kernel/cmdline 'root=/dev/sda1 ro vendor'
	systemd_whole "the vendor's words" 'root=/dev/sda1 ro'
	holds "the vendor's words for later kernels" \
		[ "$(cat "$tmp/cmdline")" = "$words root=/dev/sda1 ro vendor" ]
	systemd_machine 'options    root=/dev/sda1 ro'
	mv "$root/etc/kernel" "$root/etc/kernel.gone"
	rmdir "$root/etc/kernel.gone"
	: > "$tmp/cmdline"
	systemd_whole "no folder of kernel-install" 'root=/dev/sda1 ro'
}

# ---- other -------------------------------------------------------------

lines_other() {
	new_machine
	setup 0
	boot 22222222 "$words"
	files > "$tmp/files.before"
	setup 0 --dry-run
	holds "a dry run in the trial says what would be" \
		grep -qx 'would write /boot/grub/grub.cfg' "$tmp/out"
	unchanged "a dry run in the trial"
	new_machine
	mkdir -p "$tmp/here"
	program here <<< 'exit 0'
	mv "$tmp/bin/here" "$tmp/here/systemd-detect-virt"
	: > "$tmp/calls"
	(cd "$tmp/here" && PATH='' "$jtrace" setup --dry-run > "$tmp/out" 2>&1)
	holds "no program of the current folder" sh -c '! grep -q systemd-detect-virt "$0"' "$tmp/calls"
	new_machine
	put dev/watchdog ''
	put etc/systemd/system.conf.d/10-mine.conf '[Manager]\nRuntimeWatchdogSec=5min'
	files > "$tmp/files.before"
	setup 0 --watchdog
	holds "a watchdog of the administrator" grep -qx \
		'Note: systemd feeds the watchdog already: see .*/system.conf.d/10-mine.conf[.]' \
		"$tmp/out"
	setup 0 --remove
	unchanged "a watchdog of the administrator"
	new_machine
	rm -r "$root/boot/grub"
	put proc/sys/kernel/arch aarch64
	put proc/device-tree/reserved-memory/trace/compatible 'jtrace\0'
	files > "$tmp/files.before"
	setup_refused "--size beside a node" \
		'--size 1048576: the jtrace node of the device tree sets the size' --size 1M
}

test_setup_lines() {
	on_machines lines_by_hand lines_odd lines_of_others lines_foreign lines_custom \
		lines_cut_later lines_systemd lines_other
}
