# shellcheck shell=bash
# shellcheck disable=SC2153,SC2154,SC2016 # set by ./run; $ is meant
# SPDX-License-Identifier: GPL-2.0
#
# disks.sh - make disks that boot as those of a PC do: partitions, and the boot loader of $root;
# sourced by ./run
#
# No loop device is needed: the file systems are made in files.

# Numbers of 512-byte sectors.
mib=2048
esp_size=$((256 * mib))
root_size=$((4096 * mib))

root_uuid=6a747261-6365-4000-8000-000000000001
esp_id=6A74-ACE0

# The console of scripts/vm; no_timer_check: see there; QEMU is slow with retpolines.
parameters="console=ttyS0,115200 no_timer_check mitigations=off"

# kernels_keep RELEASE: remove the other kernel
kernels_keep() {
	local packages=() krel

	for krel in "$KREL" ${BACKPORT:+"$BACKPORT"}; do
		[ "$krel" = "$1" ] || packages+=("linux-image-$krel" "linux-headers-$krel")
	done
	[ ${#packages[@]} -eq 0 ] || inside dpkg --purge --force-depends "${packages[@]}"
}

# root_trim: leave out what an emulator needs a minute for: units, generators and drivers that have
# nothing to do with memory, modules or boot loaders
root_trim() {
	local name generators=$root/etc/systemd/system-generators

	mkdir -p "$root/etc/systemd/system.conf.d" "$generators"
	printf '[Manager]\nShowStatus=no\nLogLevel=warning\n' \
		> "$root/etc/systemd/system.conf.d/test.conf"
	printf 'blacklist %s\n' kvm_amd ata_generic ata_piix psmouse pcspkr i2c_piix4 powernow_k8 \
		> "$root/etc/modprobe.d/test.conf"
	for name in cryptsetup debug getty gpt-auto hibernate-resume integritysetup rc-local run \
		system-update sysv veritysetup; do
		ln -s /dev/null "$generators/systemd-$name-generator"
	done
	inside systemctl -q mask e2scrub_reap systemd-logind dbus.service dbus.socket \
		systemd-user-sessions getty.target modprobe@drm modprobe@efi_pstore modprobe@fuse \
		modprobe@dm_mod modprobe@loop modprobe@configfs dev-hugepages.mount \
		dev-mqueue.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount \
		systemd-random-seed \
		systemd-update-utmp systemd-update-utmp-runlevel kmod-static-nodes
}

# initrd_small: an initrd with the drivers of this machine only, which needs no udev.  GRUB reads
# slowly.
initrd_small() {
	rm "$root"/usr/share/initramfs-tools/{hooks,scripts/init-top,scripts/init-bottom}/udev &&
		echo MODULES=list > "$root/etc/initramfs-tools/conf.d/modules" || return 1
	printf '%s\n' virtio_pci virtio_blk ext4 >> "$root/etc/initramfs-tools/modules"
	# Without udev, blkid finds the root by its UUID.
	printf '%s\n' '#!/bin/sh' '[ "$1" != prereqs ] || exit 0' \
		'. /usr/share/initramfs-tools/hook-functions' 'copy_exec /sbin/blkid' \
		> "$root/etc/initramfs-tools/hooks/blkid"
	chmod +x "$root/etc/initramfs-tools/hooks/blkid"
	inside update-initramfs -u -k all
}

# grub_configure: what an installation leaves in the root, without the first grub.cfg, for which
# GRUB needs the disk
grub_configure() {
	local krel=$1

	inside dpkg --purge systemd-boot systemd-boot-efi || return 1
	sed -e 's/^GRUB_TIMEOUT=.*/GRUB_TIMEOUT=0/' -e 's/^\(GRUB_CMDLINE_LINUX_DEFAULT\)=.*/\1=""/' \
		-e "s/^\(GRUB_CMDLINE_LINUX\)=.*/\1=\"$parameters\"/" \
		-e 's/^#\(GRUB_TERMINAL=console\)/\1/' \
		"$root/usr/share/grub/default/grub" > "$root/etc/default/grub"
	# They look for other systems.
	chmod -x "$root"/etc/grub.d/{05_debian_theme,20_linux_xen,30_os-prober,30_uefi-firmware}
	mkdir -p "$root/boot/grub" && inside grub-editenv /boot/grub/grubenv create || return 1
	cat > "$root/boot/grub/grub.cfg" <<-CFG
	linux /boot/vmlinuz-$krel root=UUID=$root_uuid ro $parameters
	initrd /boot/initrd.img-$krel
	boot
	CFG
}

# grub_modules PLATFORM: copy the modules of GRUB
grub_modules() {
	cp -r "$root/usr/lib/grub/$1" "$root/boot/grub"
}

# disk_partition SFDISK-LINE...: make $work/disk, with these partitions
disk_partition() {
	rm -f "$work/disk"
	truncate -s $(((mib + esp_size + root_size + mib) * 512)) "$work/disk" &&
		printf '%s\n' "$@" | sfdisk -q "$work/disk"
}

# put_root START: put the root in the partition at this sector; set root_offset to its byte
put_root() {
	root_offset=$(($1 * 512))
	printf 'UUID=%s / ext4 errors=remount-ro 0 1\n' $root_uuid > "$root/etc/fstab"
	if [ -d "$root/boot/efi" ]; then
		printf 'UUID=%s /boot/efi vfat umask=0077 0 1\n' $esp_id >> "$root/etc/fstab"
	fi
	mke2fs -q -F -t ext4 -U $root_uuid -E "offset=$root_offset" -d "$root" "$work/disk" \
		$((root_size / 2))k
}

# put_esp FOLDER: put these files in the first partition, which is the one of the firmware
put_esp() {
	rm -f "$work/esp"
	mkfs.vfat -F 32 -i ${esp_id/-/} -C "$work/esp" $((esp_size / 2)) &&
		mcopy -s -i "$work/esp" "$1"/* ::/ &&
		dd if="$work/esp" of="$work/disk" bs=1M seek=1 conv=notrunc,sparse status=none
}

# disk_efi FOLDER: a disk with the root, and these files for the firmware
disk_efi() {
	disk_partition "label: gpt" "start=$mib, size=$esp_size, type=uefi" \
		"start=$((mib + esp_size)), size=$root_size, type=linux" &&
		put_root $((mib + esp_size)) && put_esp "$1"
}

# disk_bios: GRUB begins in the boot sector, and goes on behind it
disk_bios() {
	kernels_keep "$KREL" && root_trim && initrd_small && grub_configure "$KREL" &&
		grub_modules i386-pc &&
		inside grub-mkimage -O i386-pc -o /src/core.img -p '(hd0,msdos1)/boot/grub' \
			biosdisk part_msdos ext2 normal || return 1
	mv "$root/src/core.img" "$work" || return 1
	# The space before the first partition.
	[ "$(stat -c %s "$work/core.img")" -lt $(((mib - 1) * 512)) ] || return 1
	disk_partition "label: dos" "start=$mib, size=$root_size, type=83, bootable" &&
		put_root $mib &&
		dd if="$root/usr/lib/grub/i386-pc/boot.img" of="$work/disk" bs=440 count=1 conv=notrunc \
			status=none &&
		dd if="$work/core.img" of="$work/disk" bs=512 seek=1 conv=notrunc status=none
}

# disk_uefi: GRUB is the program that the firmware finds by itself
disk_uefi() {
	root_trim && initrd_small && grub_configure "$BACKPORT" && grub_modules x86_64-efi || return 1
	mkdir -p "$root/boot/efi" "$work/efi/EFI/BOOT" || return 1
	printf '%s\n' "search.fs_uuid $root_uuid root" 'set prefix=($root)/boot/grub' \
		> "$root/src/early.cfg"
	inside grub-mkimage -O x86_64-efi -o /src/grub.efi -c /src/early.cfg -p /boot/grub \
		part_gpt ext2 search_fs_uuid normal &&
		mv "$root/src/grub.efi" "$work/efi/EFI/BOOT/BOOTX64.EFI" && disk_efi "$work/efi"
}

# disk_systemd: systemd-boot, which reads kernels from the partition of the firmware.  It and
# its tools write there only if it is mounted.
disk_systemd() {
	kernels_keep "$KREL" && root_trim && initrd_small || return 1
	# Releases split GRUB in other ways.
	inside sh -ec "dpkg --purge \$(dpkg-query -W -f '\${db:Status-Status} \${Package}\n' \
		'grub*' | sed -n 's/^installed //p')" || return 1
	echo "root=UUID=$root_uuid ro $parameters" > "$root/etc/kernel/cmdline"
	mkdir -p "$root/boot/efi" || return 1
	inside sh -ec "mount -t tmpfs tmpfs /boot/efi
		export SYSTEMD_RELAX_ESP_CHECKS=1
		bootctl install --esp-path=/boot/efi --no-variables --make-machine-id-directory=yes
		kernel-install -v add $KREL /boot/vmlinuz-$KREL
		cp -r /boot/efi /src/esp" &&
		rm -rf "$work/efi" && mv "$root/src/esp" "$work/efi" || return 1
	echo "timeout 0" >> "$work/efi/loader/loader.conf"
	disk_efi "$work/efi"
}
