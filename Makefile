# SPDX-License-Identifier: GPL-2.0
#
# For people; kbuild uses Kbuild.

KDIR ?= /lib/modules/$(shell uname -r)/build
DESTDIR ?=
SOAK ?= 100
PREFIX ?= /usr

# Kernel headers have no vmlinux to make BTF from, and no signing key.
LACKING := $(if $(wildcard $(KDIR)/vmlinux),,CONFIG_DEBUG_INFO_BTF_MODULES=) \
	   $(if $(wildcard $(KDIR)/certs/signing_key.x509),,CONFIG_MODULE_SIG_ALL=)

# Each target installs to a staging folder first. install-tree copies the files from there and
# lists them for uninstall.
STAGE = $(CURDIR)/.stage-$@
# One list for every PREFIX, so that uninstall does not need to know it.
LIST := /var/lib/jtrace-install/installed
# Two run at a time: those that build a kernel and long ones come first.
RUNGS := selftests persist kunit tool user crash archive fuzz lint counts
# What they leave out; the last one runs alone.
RESTS := trixie setup selftests-rest sanitized builtin modules kernels-short persist-rest \
	 sanitized-rest bench-rest install install-rest package fleet lint-rest tool-rest \
	 user-rest builtin-rest compile storm why alike model kunit-kasan fuzz-rest page \
	 debuggers times
# Of those that share a folder, one waits for the other.
CHANCE := user model fuzz-rest sanitized-rest user-rest tool-rest persist-rest storm why alike
# With SOAK, these run all that they else draw a part of.  Outsiders may break the build of "sid".
SOAKS := $(CHANCE) bench-rest lint-rest setup trixie long sid

all: modules tools

help:
	@echo 'Using it:'
	@echo '  demo             boot a stock Debian kernel in QEMU, trace, crash, show'
	@echo '  all              modules and tools (default target)'
	@echo '  modules          build the modules and the samples for $$(KDIR)'
	@echo '  tools            build jtrace(1), in tools/'
	@echo '  install          install the modules, header and symbols for clients, jtrace(1)'
	@echo '  install-archive  install and enable the service that saves traces (libsystemd-dev)'
	@echo '  modules_install  install the modules only'
	@echo '  uninstall        remove all installed files'
	@echo '  deb              build Debian packages, in build/deb: module (DKMS), tools, header'
	@echo '  clean            remove all build results'
	@echo
	@echo 'Working on it:'
	@echo '  check            the tests to run before each change, in a quarter of an hour:'
	@echo '                   $(RUNGS);'
	@echo '                   a skip that is not in tests/skips fails it'
	@echo '  check-rest       what it leaves out: $(RESTS)'
	@echo '  check-full       both'
	@echo '  check-RUNG       one of them; lint: the same as check-lint'
	@echo '  check-fresh      demo and check on a bare machine'
	@echo '  soak             tests that depend on chance, for many hours: $(CHANCE);'
	@echo '                   setup with all machines; images of 256 MiB; probes on each'
	@echo '                   function, and a probe of all; the packages on sid'
	@echo '  kernels          all supported kernels: fetch missing ones, print a table'
	@echo '  mutants          insert deliberate bugs, and show which test catches each'
	@echo '  bench            measure the cost: a table, build/bench/bench.csv and .json'
	@echo '  disasm           show the compiled hot path beside its source'
	@echo
	@echo 'Knobs:'
	@echo '  KDIR=DIR         kernel build tree ($(KDIR))'
	@echo '  DESTDIR=DIR      install below DIR'
	@echo '  PREFIX=DIR       header and symbols go to PREFIX/src/jtrace ($(PREFIX)),'
	@echo '                   jtrace(1) to PREFIX/bin and PREFIX/share'
	@echo '  SECONDS_HAMMER=N length of the hammer test (30)'
	@echo '  SOAK=N           run tests that depend on chance N times as often (1; soak: $(SOAK))'
	@echo '  JOBS=N           jobs of a rung at a time (1; from 4 CPUs on 2)'
	@echo '  JTRACE_CACHE=DIR cache for test kernels (~/.cache/jtrace)'

modules: kdir
	$(MAKE) -C $(KDIR) $(LACKING) M=$(CURDIR) modules
	$(MAKE) -C $(KDIR) $(LACKING) M=$(CURDIR)/samples \
		KBUILD_EXTRA_SYMBOLS=$(CURDIR)/Module.symvers modules

tools:
	$(MAKE) -C tools

# kbuild runs depmod only if there is a System.map, which headers lack: install-tree runs it.
modules_install: modules
	rm -rf $(STAGE)
	$(MAKE) -C $(KDIR) $(LACKING) M=$(CURDIR) INSTALL_MOD_PATH=$(STAGE) cmd_depmod=: modules_install
	scripts/install-tree $(STAGE) '$(DESTDIR)' $(LIST)
	rm -rf $(STAGE)

install: modules tools
	rm -rf $(STAGE)
	$(MAKE) -C $(KDIR) $(LACKING) M=$(CURDIR) INSTALL_MOD_PATH=$(STAGE) cmd_depmod=: modules_install
	scripts/install-dev $(STAGE)$(PREFIX)/src/jtrace $(KDIR)
	$(MAKE) -C tools DESTDIR=$(STAGE) PREFIX=$(PREFIX) install
	scripts/install-tree $(STAGE) '$(DESTDIR)' $(LIST)
	rm -rf $(STAGE)

install-archive: tools
	rm -rf $(STAGE)
	$(MAKE) -C tools DESTDIR=$(STAGE) PREFIX=$(PREFIX) install-archive
	scripts/install-tree $(STAGE) '$(DESTDIR)' $(LIST)
	rm -rf $(STAGE)

uninstall:
	scripts/install-tree -u '$(DESTDIR)' $(LIST)

clean: kdir
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C $(KDIR) M=$(CURDIR)/samples clean
	$(MAKE) -C tools clean
	rm -rf build .stage-*

kdir:
	@test -f $(KDIR)/Makefile || { echo 'jtrace: KDIR=$(KDIR): no kernel build tree:' \
		'install the headers of this kernel or give KDIR=' >&2; exit 1; }

deb:
	@scripts/deb

disasm:
	@scripts/disasm $(if $(filter command line environment,$(origin KDIR)),$(KDIR))

bench:
	@tests/bench/run

demo:
	@scripts/demo

check:
	@scripts/check $(RUNGS)

check-rest:
	@scripts/check $(RESTS)

check-full:
	@scripts/check $(RUNGS) $(RESTS)

lint: check-lint

check-%:
	@scripts/check $*

soak:
	@SOAK=$(SOAK) scripts/check $(SOAKS)

kernels:
	@scripts/kernels

mutants:
	@tests/mutants/run

.PHONY: all help modules tools modules_install install install-archive uninstall clean kdir deb bench disasm demo \
	check check-rest check-full lint soak kernels mutants
