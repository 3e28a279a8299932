# shellcheck shell=bash disable=SC2154 # set by vm
# SPDX-License-Identifier: GPL-2.0
#
# initramfs.sh - make the archives that a guest of scripts/vm begins with; sourced by it
#
# The base has what boots: busybox and init.  The payload has what runs: modules of the kernel, the
# guest script, its arguments and files.  The kernel unpacks one after the other.  They are not
# compressed: a guest decompresses slower than the host copies.

# quote WORD...: for a shell to read back
quote() {
	local w
	for w; do
		printf " '%s'" "${w//\'/\'\\\'\'}"
	done
}

# stage_make: set stage, the folder of an archive
stage_make() {
	stage=$(mktemp -d "${out:?}/stage.XXXXXX") || exit 1
	root=$stage/root
	mkdir "$root" || exit 1
}

# stage_pack FILE: write the archive, and remove its folder.  Equal folders make equal archives.
stage_pack() {
	find "$root" -exec touch -hd @1 {} + || exit 1
	(cd "$root" && find . -mindepth 1 -print0 | LC_ALL=C sort -z |
		cpio --quiet --null --reproducible -o -H newc -R +0:+0) > "$1" || die "$1: cannot write"
	# Also folders that were added without write permission.
	chmod -R u+rwX "$stage"
	rm -rf "$stage"
	stage=
}

# unpacked FILE: print a module, which kernels may keep compressed
unpacked() {
	case $1 in
	*.xz)	xz -dc "$1" ;;
	*.zst)	zstd -dc "$1" ;;
	*.gz)	gzip -dc "$1" ;;
	*)	cat "$1" ;;
	esac
}

# put HOST GUEST: add a file or folder; a module uncompressed
put() {
	mkdir -p "$root/$(dirname "$2")" || exit 1
	case $1 in
	*.ko.*)	unpacked "$1" > "$root/${2%"${1##*.ko}"}" ;;
	*)	cp -aHT "$1" "$root/$2" ;;
	esac || die "$1: cannot add"
}

declare -A seen=()
nmod=0

# add_module NAME [PARAM...]: add its dependencies, then the module
add_module() {
	local name=${1//-/_} file dep guestname
	shift
	[ -z "${seen[$name]-}" ] || return 0
	seen[$name]=1
	file=$(find "${KMODDIR:?}/" -name "${name//_/[-_]}.ko*" -print -quit 2>/dev/null)
	if [ -z "$file" ]; then
		grep -qs "/${name//_/[-_]}\\.ko\$" "$KMODDIR/modules.builtin" && return
		die "module '$name': not in $KMODDIR"
	fi
	for dep in $(modinfo -F depends "$file" | tr , ' '); do
		add_module "$dep"
	done
	guestname=$(printf '%02d-%s.ko' "$nmod" "$name")
	nmod=$((nmod + 1))
	unpacked "$file" >"$root/jtrace/modules/$guestname" || die "$file: cannot add"
	echo "$guestname $*" >>"$root/jtrace/modules/list"
}

# make_base FILE: write the base; with the address of an inbox, if there is one
make_base() {
	stage_make
	mkdir -p "$root"/{bin,sbin,dev,proc,sys,tmp,etc,root,run} || exit 1
	cp "${busybox:?}" "$root/bin/busybox" || exit 1
	ln -s busybox "$root/bin/sh"
	cp "${scripts:?}/guest/init" "$root/init" || exit 1
	echo "console=/dev/${console:?} VERDICT=/dev/${verdict:?} INBOX=${inbox-}" > "$root/etc/vm.base"
	stage_pack "$1"
}

# make_payload FILE ARG...: write the payload, which passes these arguments to the guest script
make_payload() {
	local file=$1 a m from to

	shift
	stage_make
	mkdir -p "$root/etc" "$root/jtrace/modules" || exit 1
	put "${guest:?}" "jtrace/$(basename "$guest")"
	for a in ${add[@]+"${add[@]}"}; do
		from=${a%%:*}
		[ -e "$from" ] || die "$from: no such file to add"
		to=
		case $a in *:*) to=${a#*:} ;; esac
		put "$from" "${to:-jtrace/$(basename "$from")}"
	done
	for m in ${modules[@]+"${modules[@]}"}; do
		# shellcheck disable=SC2086 # a name and parameters
		add_module $m
	done
	{
		echo "scan=${scan-} now=$(date +%s) seed=$SRANDOM$SRANDOM$SRANDOM"
		echo "guest() { sh$(quote "/jtrace/$(basename "$guest")" "$@"); }"
	} > "$root/etc/vm.conf"
	stage_pack "$file"
}
