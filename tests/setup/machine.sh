# shellcheck shell=sh
# shellcheck disable=SC2016,SC2154,SC2317 # $ is meant; set by the guest; check calls them
# SPDX-License-Identifier: GPL-2.0
#
# machine.sh - what a machine boots, and what "jtrace setup" says and changes there; sourced by the
# guests of ./run
#
# /src/guest.conf sets CASE, the name, and LOADER, grub or systemd-boot.

# shellcheck source=tests/package/guest-lib.sh
. /src/guest-lib.sh
. /src/guest.conf
out=/src/out
JT=/sys/kernel/debug/jtrace
efivars=/sys/firmware/efi/efivars
vendor=4a67b082-0a4c-41cf-b6c7-440b29bb8c4f
mkdir -p $out

# ---- what a boot is ----

# reserved: the words that setup adds, as the kernel sees them
reserved() {
	grep -o 'memmap=[^ ]*' /proc/cmdline
}

not_reserved() {
	! reserved
}

# address: that of the reserved memory
address() {
	reserved | sed 's/.*\$//'
}

is_reserved() {
	[ "$(reserved | wc -l)" -eq 1 ] || { cat /proc/cmdline; return 1; }
	reserved | grep -qx 'memmap=4M$0x[0-9a-f]*' || { reserved; return 1; }
	start=$(printf %08x "$(address)") end=$(printf %08x "$(($(address) + 0x3fffff))")
	grep -qi "^ *$start-$end : Reserved" /proc/iomem || { cat /proc/iomem; return 1; }
}

# records_there: jtrace records to the memory of the command line
records_there() {
	cat $JT/config
	grep -q '^Persistent .*: yes' $JT/config &&
		grep -qi "^Physical address *: *$(address)" $JT/config
}

loaded() {
	grep -q '^jtrace ' /proc/modules
}

not_loaded() {
	! loaded
}

# efi_variable NAME: print a variable of systemd-boot, without its attributes.  These files cannot
# seek.
efi_variable() {
	[ ! -e $efivars/"$1-$vendor" ] || cat $efivars/"$1-$vendor" | tail -c +5 | tr -d '\0'
}

# next_boot: print the entry that boots next and only then
next_boot() {
	case $LOADER in
	grub)	grub-editenv list | sed -n 's/^next_entry=//p' ;;
	systemd-boot) efi_variable LoaderEntryOneShot ;;
	esac
}

# default_files: print all that boots by default
default_files() {
	case $LOADER in
	grub)	cat /etc/default/grub /etc/default/grub.d/* /boot/grub/grub.cfg ;;
	systemd-boot)
		for file in /etc/kernel/* /boot/efi/loader/loader.conf \
			/boot/efi/loader/entries/*-"$(uname -r)".conf; do
			[ ! -f "$file" ] || cat "$file"
		done ;;
	esac 2> /dev/null
}

# trial_entries: print what is left of the entry for one boot
trial_entries() {
	next_boot
	find /boot -path '*/loader/entries/*jtrace*'
	grep -rl 'jtrace' /boot/grub/custom.cfg
} 2> /dev/null

no_trial() {
	[ -z "$(trial_entries)" ] || { trial_entries; return 1; }
}

# every_line_has_it: each line that boots a kernel reserves the memory, quoted for the loader
every_line_has_it() {
	case $LOADER in
	grub)	grep '^[[:blank:]]*linux[[:blank:]]' /boot/grub/grub.cfg > /tmp/lines
		words=" '$(reserved)' " ;;
	systemd-boot)
		# An entry may have several lines of options.
		for file in /boot/efi/loader/entries/*.conf; do
			sed -n 's/^options//p' "$file" | tr '\n' ' '
			echo
		done | cat - /etc/kernel/cmdline > /tmp/lines
		words=" $(reserved) " ;;
	esac
	[ -s /tmp/lines ] && ! sed 's/.*/ & /' /tmp/lines | grep '[^ ]' | grep -v -F -e "$words"
}

# files: print names, permissions and contents of the configuration and of what boots, but not
# what systemd-boot itself writes at each boot.  GRUB clears the next entry by an empty one.
files() {
	find /etc /boot ! -type f ! -name '*.so.cache' -printf '%y %m %U %p %l\n'
	find /etc /boot -type f ! -path '*/loader/random-seed' ! -name grubenv \
		-printf '%y %m %U %p\n' -exec sha256sum {} +
	[ ! -e /boot/grub/grubenv ] || grub-editenv list | grep -vx 'next_entry='
}

# as_before: no file differs from before, but links of the units if their package is gone
as_before() {
	ignored=/none/
	[ "$CASE" != uefi ] || command -v jtrace > /dev/null || ignored=/etc/systemd/
	files | sort | grep -v " $ignored" > /tmp/files
	grep -v " $ignored" $out/before | diff - /tmp/files
}

# ---- what jtrace says ----

# setup NAME OPTION...: run it, and keep what it prints in /src/out
setup() {
	name=$1
	shift
	jtrace setup "$@" > $out/"$name" 2>&1 < /dev/null || { cat $out/"$name"; return 1; }
}

fails() {
	! "$@"
}

says() {
	grep -q -e "$2" $out/"$1" || { cat $out/"$1"; return 1; }
}

# journal_says TEXT: the service has printed TEXT in this boot
journal_says() {
	journalctl --sync
	journalctl -q -b -u jtrace-setup -o cat > /tmp/journal
	grep -q -e "$1" /tmp/journal || { cat /tmp/journal; return 1; }
}

# doctor_is_content: no check fails
doctor_is_content() {
	jtrace doctor > $out/doctor."$n" 2>&1
	status=$?
	[ $status -eq 0 ] && [ -s $out/doctor."$n" ] && ! grep FAIL $out/doctor."$n" && return
	cat $out/doctor."$n"
	return 1
}

# ---- steps ----

# next STEP: what the next boot does
next() {
	echo "$1" > /src/step
	finish
}

restart() {
	next "$1"
	systemctl reboot
	exit 0
}

begin_trial() {
	default_files > /tmp/default
	check "jtrace setup" setup "setup.$n"
	check "it names the memory" says "setup.$n" '^Memory: 4194304 bytes at 0x[0-9a-f]*[.]$'
	check "it says what to do next" says "setup.$n" '^Reboot to try it[.]'
	check "the next boot is the trial" sh -c "echo '$(next_boot)' | grep jtrace-setup"
	default_files > /tmp/default.new
	check "the default is as before" diff /tmp/default /tmp/default.new
	check "this boot has no reserved memory" not_reserved
	check "the services are enabled" systemctl -q is-enabled jtrace-setup jtrace-archive
}

# run_step STATE...: do the step of this boot; the state of the system is one of these
run_step() {
	state=$(systemctl is-system-running --wait)
	step=$(cat /src/step)
	echo "step $step" >&3
	check "all units of systemd run" sh -c "
		case ' $* ' in *' $state '*) ;; *) systemctl --failed; false ;; esac"
	"step_$step"
}
