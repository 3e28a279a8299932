# SPDX-License-Identifier: GPL-2.0
#
# For the Kbuild of a client, which needs two lines:
#
#	obj-m += mydriver.o
#	include /usr/src/jtrace/client.mk
#
# The header is beside this file.  Module.symvers is that of the kernel that is built for:
# where dkms keeps it, or where "make install" put it.

jtrace-dev := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

ccflags-y += -I$(jtrace-dev)/include

KBUILD_EXTRA_SYMBOLS += $(firstword $(wildcard \
	/var/lib/dkms/jtrace/kernel-$(KERNELRELEASE)-*/Module.symvers \
	$(jtrace-dev)/$(KERNELRELEASE)/Module.symvers))
