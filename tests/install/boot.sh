# shellcheck shell=bash
# shellcheck disable=SC2154 # set by tests/package/lib.sh and ./run
# SPDX-License-Identifier: GPL-2.0
#
# boot.sh - run the commands of the documents in a Debian that systemd booted; sourced by ./run
#
# Compilers run in a chroot before it boots, because they are slow in the emulator.  Only the
# user's own module is compiled after the boot.

# typed NAME: run these lines in the chroot, in the folder of the sources, for its kernel
typed() {
	inside env KDIR="/lib/modules/$KREL/build" sh -ec "sudo() { \"\$@\"; }; cd /src/jtrace
		dkms() { command dkms \"\$@\" -k $KREL; }
		$("$top/scripts/typed" "$1")"
}

# no_error FILE: it has text, and no line of it looks like an error
no_error() {
	[ -s "$1" ] || { echo "$1: empty or missing"; return 1; }
	! grep -iE 'error|warn|fail|skip|cannot|missing|not found' "$1"
}

# mydriver: print the source of a user's module, with the lines of a document
mydriver() {
	scripts/typed source | grep '^#include'
	cat <<-'C'
	#include <linux/module.h>

	static int __init mydriver_init(void)
	{
		int a = 1, b = 2, c = 3, d = 4;
		void *e = NULL;
		u64 f = 6;

	C
	scripts/typed source | grep '^JTRACE' | sed 's/^/\t/'
	cat <<-'C'
		return 0;
	}

	static void __exit mydriver_exit(void)
	{
	}

	module_init(mydriver_init);
	module_exit(mydriver_exit);
	MODULE_DESCRIPTION("Test: a user's own module");
	MODULE_LICENSE("GPL");
	C
}

sources() {
	mkdir -p "$root/src/jtrace" "$root/src/mydriver" "$root/src/typed" || return 1
	scripts/sources | grep -v '^tests/' | tar -c -T - | tar -x -C "$root/src/jtrace" || return 1
	mydriver > "$root/src/mydriver/mydriver.c"
	scripts/typed Kbuild > "$root/src/mydriver/Kbuild" || return 1
	for name in newcomer-follow use unload events names probes stacks marker mark exec \
		exec-read load doctor read \
		archive journal setup pump pump-read gauge gauge-read valve boiler boiler-read \
		boiler-watch boiler-found; do
		scripts/typed $name > "$root/src/typed/$name" || return 1
	done
	mkdir -p "$root/src/jtrace/tests/kmod" &&
		cp -r tests/kmod/tutorial "$root/src/jtrace/tests/kmod"
}

# A changelog of another version must not build packages: dkms would not find their files.
bumped_changelog() {
	cp -r "$root/src/jtrace" "$root/src/bumped" || return 1
	sed -i '1s/(.*)/(9.8)/' "$root/src/bumped/debian/changelog"
	inside make -C /src/bumped -f debian/rules -n build > "$work/says" 2>&1 && return 1
	rm -r "$root/src/bumped"
	cat "$work/says"
	grep -q 'debian/changelog says version 9.8, jtrace_version.h' "$work/says"
}

# Install for dkms without packages, and remove that: the next step must not use its files.
dkms_without_packages() {
	local version

	version=$(version_of jtrace_version.h)
	try "the sources are installed for dkms" typed dkms || return 1
	try "dkms installs the module" \
		sh -c "find '$root/lib/modules/$KREL/updates/dkms/' -name 'jtrace.ko*' | grep ."
	try "dkms removes the module" inside dkms remove "jtrace/$version" --all
	rm -r "$root/usr/src/jtrace-$version"
	times "dkms"
}

# Build the service on a machine without libsystemd-dev, if a mirror of Debian can be reached.
service_from_scratch() {
	if inside apt-get -qq -o APT::Update::Error-Mode=any update > "$logs/log" 2>&1; then
		try "libsystemd-dev is removed" inside dpkg --purge libsystemd-dev
		inside make -s -C /src/jtrace/tools archive > "$work/says" 2>&1
		try "make install-archive names the missing package" \
			grep -x 'jtrace-archive: install libsystemd-dev' "$work/says"
		try "the commands of the guide install it" \
			inside sh -ec "$(scripts/typed archive | sed -n 's/^sudo apt/apt/p')"
		rm -rf "$root"/var/lib/apt/lists/*
	else
		echo "# cannot reach a mirror: libsystemd-dev stays installed"
	fi
	try "make archive" inside make -s -C /src/jtrace/tools archive
}

boot_readme() {
	try "a Debian of its own" root_make "$work/debian" || return 1
	try "the documents have the commands to type" sources || return 1
	# Waits for a module: QEMU may miss that one CPU patches code that another one runs.
	mkdir -p "$root/etc/jtrace/probes.d" || return 1
	echo 'p:init mydriver:mydriver_init # at boot' > "$root/etc/jtrace/probes.d/init.probe"
	try "a changelog of another version builds no packages" bumped_changelog
	dkms_without_packages || return 1
	try "make, make install" typed build || return 1
	cp "$logs/log" "$logs/build.log"
	try "make and make install report no error" no_error "$logs/build.log"
	service_from_scratch
	times "built and installed"
	try "the guest gets a service that runs the rest" root_guest tests/install/guest || return 1
	try "make a disk" disk_make || return 1
	times "a disk"
	boot "the guest boots, crashes and boots again" guest -k "$root/boot/vmlinuz-$KREL" -r -n 2 -E 1 \
		-p "root=/dev/vda rw $(scripts/typed cmdline)" -q "-initrd $root/boot/initrd.img-$KREL"
	try "the guest ran to its end in both boots" test "$(grep -c '^done ' "$logs/guest/verdict.log")" -eq 2
	grep -a -A 100 'Kernel panic' "$logs/guest/console.log" > "$work/panic"
	try "the panic printed the trace" grep ' (tag (a, b, c, d, e, f))$' "$work/panic"
	times "booted, crashed, booted"
	tutorial
}

# Events are switched on one CPU: see one_cpu in ./guest.
tutorial() {
	rm -r "$root/etc/jtrace"
	try "the guest gets a service that runs the tutorial" \
		root_guest tests/install/tutorial-guest || return 1
	try "make a disk for the tutorial" disk_make || return 1
	boot "the guest hangs twice, panics twice, and boots" tutorial -c 1 -k "$root/boot/vmlinuz-$KREL" \
		-r -n 6 -E 2 -p "root=/dev/vda rw $(scripts/typed cmdline)" -q "-initrd $root/boot/initrd.img-$KREL"
	try "the guest ran to its end in all boots" \
		test "$(grep -c '^done ' "$logs/tutorial/verdict.log")" -eq 6
	times "the tutorial"
}
