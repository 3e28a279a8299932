# shellcheck shell=bash disable=SC2154,SC2016 # set by run; $ is meant
# SPDX-License-Identifier: GPL-2.0
#
# Tests of "jtrace setup": the power goes, or a disk is full, at each system call that changes the
# machine (see setup.sh).  At no time is there a line that does not boot, and the way back ends at
# the bytes of before.
#
# SOAK: above 1, all places are tried, else some, drawn by SEED.

# What changes a file, or runs a program that does.
changing='write rename unlink fsync fchmod mkdir rmdir ftruncate clone clone3 vfork'

# cut_machine LOADER: a machine, and what boots there
cut_machine() {
	case $1 in
	grub)	new_machine
		echo '# mine' > "$root/boot/grub/custom.cfg" ;;
	*)	systemd_machine 'options    root=/dev/sda1 ro quiet'
		sed 's/ quiet/ other/' "$e/0123-$release.conf" > "$e/0123-other.conf" ;;
	esac
	boots 11111111 'root=/dev/sda1 ro quiet'
	files > "$tmp/files.before"
}

# cut_lines: print each line that boots, and those that update-grub or kernel-install would make
cut_lines() {
	case $loader in
	grub)	linux_lines | sed 's/^[[:blank:]]*linux[[:blank:]]*//'
		grep -hs '^GRUB_CMDLINE' "$root"/etc/default/grub.d/*.cfg ;;
	*)	awk 1 "$e"/*.conf | sed -n 's/^options *//p'
		[ ! -e "$root/etc/kernel/cmdline" ] || awk 1 "$root/etc/kernel/cmdline" ;;
	esac
}

# cut_is_whole: each of these lines is an old one, with the words or without
cut_is_whole() {
	cut_lines | sed -e "s/$quoted //" -e "s/${words//$/\\$} //" |
		grep -vxFf "$tmp/cut.known" > "$tmp/cut.wrong"
	[ ! -s "$tmp/cut.wrong" ] || { cat "$tmp/cut.wrong"; return 1; }
	[ "$loader" != grub ] || {
		grub-script-check "$root/boot/grub/grub.cfg" &&
			tail -n 1 "$root/boot/grub/grub.cfg" | grep -q 'custom.cfg'
	}
}

# cut_reboot: what boots now: the trial, or the default
cut_reboot() {
	local line='root=/dev/sda1 ro quiet'

	case $loader in
	grub)	if grep -qs '^next_entry=jtrace-setup' "$root/boot/grub/grubenv"; then
			grep -qs 'id jtrace-setup' "$root/boot/grub/custom.cfg" && line="$words $line"
		elif grep -qF "vmlinuz-$release $quoted root" "$root/boot/grub/grub.cfg"; then
			line="$words $line"
		fi ;;
	*)	if [ -e "$root/$efivars/LoaderEntryOneShot-$vendor" ]; then
			[ ! -e "$e/a-jtrace-setup.conf" ] || line="$words $line"
			rm "$root/$efivars/LoaderEntryOneShot-$vendor"
		elif grep -qF "$words" "$e/0123-$release.conf"; then
			line="$words $line"
		fi ;;
	esac
	boots "$1" "$line"
}

# cut_steps N: do the first N steps of a setup's life
cut_steps() {
	cut_machine "$loader"
	[ "$1" -lt 1 ] || setup 0
	[ "$1" -lt 2 ] || { cut_reboot 22222222; setup 0 --at-boot; }
	[ "$1" -lt 3 ] || cut_reboot 33333333
	: > "$tmp/calls"
}

# cut_arguments N: the arguments of the step after these
cut_arguments() {
	case $1 in
	0)	echo ;;
	1)	echo --at-boot ;;
	*)	echo --remove ;;
	esac
}

# cut_run STEP OPTION...: do the next step under strace
cut_run() {
	local step=$1

	shift
	[ "$step" -ne 1 ] || cut_reboot 22222222
	# shellcheck disable=SC2046 # words, or none
	strace -qq -o "$tmp/strace" -e "trace=${changing// /,}" "$@" \
		"$jtrace" setup $(cut_arguments "$step") > "$tmp/out" 2> "$tmp/err"
}

# cut_places: print each place: a step, a system call, its number in the step, and "content" if it
# writes that of a file
cut_places() {
	local step

	for step in 0 1 2; do
		cut_steps "$step"
		cut_run "$step" || { not_ok "setup, cut: step $step" "$tmp/out" "$tmp/err"; return 1; }
		awk -v step="$step" '
			match($0, /^[a-z0-9]+\(/) {
				call = substr($0, 1, RLENGTH - 1)
				print step, call, ++n[call], /^write\([^12]/ ? "content" : ""
			}' "$tmp/strace"
	done
}

# cut_back: what is there boots, at the next boot, too, and --remove brings back all
cut_back() {
	cut_is_whole || return 1
	cut_reboot 44444444
	"$jtrace" setup --at-boot > "$tmp/out" 2>&1 || grep -q 'all changes are taken back' "$tmp/out" ||
		return 1
	cut_is_whole || return 1
	cut_reboot 55555555
	"$jtrace" setup --remove > "$tmp/out" 2>&1 || return 1
	files > "$tmp/files.after"
	diff "$tmp/files.before" "$tmp/files.after"
}

# cut_try STEP CALL N: the power goes before this call; then the disk is full at it
cut_try() {
	cut_steps "$1"
	# In a shell of its own, which says that it was killed.
	(cut_run "$1" -e "inject=$2:signal=KILL:when=$3") 2> /dev/null
	holds "$loader, the power goes at step $1, $2 $3" cut_back
	case $2 in
	write|rename|unlink|fsync|mkdir|fchmod) ;;
	*)	return ;;
	esac
	cut_steps "$1"
	if cut_run "$1" -e "inject=$2:error=ENOSPC:when=$3"; then
		holds "$loader, no space at step $1, $2 $3" cut_back
		return
	fi
	if grep -q 'all changes are taken back' "$tmp/err"; then
		unchanged "$loader, no space at step $1, $2 $3, taken back"
	fi
	holds "$loader, no space at step $1, $2 $3" cut_back
}

cut_all() {
	local loader=$1 step call n e

	cut_machine "$loader"
	cut_lines | grep -v '^GRUB' > "$tmp/cut.known"
	printf '%s\n' 'GRUB_CMDLINE_LINUX=""' 'root=/dev/sda1 ro quiet' >> "$tmp/cut.known"
	echo "GRUB_CMDLINE_LINUX=\"${quoted//$/\\\$} \$GRUB_CMDLINE_LINUX\"" >> "$tmp/cut.known"
	cut_places > "$tmp/cut.places" || return
	n=$(wc -l < "$tmp/cut.places")
	echo "# $loader: $n places"
	[ "$n" -ge 60 ] || not_ok "setup, $loader: too few places to cut: $n"
	while read -r step call n _; do
		cut_try "$step" "$call" "$n"
	done < <(if [ "${SOAK:-1}" -gt 1 ]; then
			cat "$tmp/cut.places"
		else
			# Of the way back, always the first content.
			awk -v seed="$seed" 'BEGIN { srand(seed) }
				{ print $1 == 2 && $4 != "" && !any++ ? 0 : 1 + rand(), $0 }' \
				"$tmp/cut.places" | sort -n | head -n 8 | cut -d ' ' -f 2-
		fi)
}

# update-grub writes grub.cfg after setup has read it, and before setup writes it.
cut_beside() {
	local loader=grub cfg=$root/boot/grub/grub.cfg i

	cut_machine grub
	setup 0
	cut_reboot 22222222
	for ((i = 0; i < 3000; i++)); do
		if [ -e "${cfg%/*}/JTRACE.NEW" ]; then
			sed '$a# beside' "$cfg" > "$tmp/cfg" && cp "$tmp/cfg" "$cfg"
			break
		fi
		sleep 0.01
	done &
	strace -qq -o "$tmp/strace" -e trace=fsync -e inject=fsync:delay_enter=500000 \
		"$jtrace" setup --at-boot > "$tmp/out" 2> "$tmp/err"
	status=$?
	wait $!
	holds "beside update-grub: the trial comes up" [ $status -eq 0 ]
	holds "beside update-grub: what it wrote stays" grep -qx '# beside' "$cfg"
	holds "beside update-grub: it has the words" grep -qF "vmlinuz-$release $quoted root" "$cfg"
}

test_setup_cut() {
	on_machines cut_beside "cut_all grub" "cut_all systemd"
}
