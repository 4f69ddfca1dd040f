# SPDX-License-Identifier: Apache-2.0
#
#   make              the programs, into build/ (needs no root)
#   make deps         prints and installs the Debian packages that are missing
#   make demo         the lab, real requests, a backend more, a backend less (root)
#   make test         everything: deps, build, lint, unit, packet and lab tests (root)
#   make fuzz         the fuzzers, ten minutes each; SECONDS=N for another time
#   make vm           other kernels, booted under emulation
#   make storm        live connections through every change there is, the long form (root)
#   make unit         the unit tests alone (needs no root)
#   make lint         format, licences, shell, names, size of functions, circles of files
#   make bench         cost of a packet, of a table, of a change (root); OLD=COMMIT compares with that commit
#   make bench-load, make bench-unload   an instance `bench` for measurements of your own, and its end (root)
#   make man          manual pages and bash completion, into build/
#   make install DESTDIR= PREFIX=/usr   programs, units, user, manual pages, completion
#   make clean

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

BUILD := build

first_of = $(firstword $(shell for tool in $(1); do command -v $$tool; done))
CC := gcc
CLANG := $(or $(CLANG),$(call first_of,clang-19 clang-16 clang))
BPFTOOL := $(or $(BPFTOOL),$(call first_of,bpftool /usr/sbin/bpftool))
PYTHON := /usr/bin/python3

# Headers of the host's C library and xxHash ask for the host's architecture, which a BPF target does not state.
MACHINE := $(shell uname -m)
BPF_ARCH := -D__$(MACHINE)__ -I/usr/include/$(MACHINE)-linux-gnu

WARNINGS := -Wall -Wextra -Wshadow -Werror
CPPFLAGS += -Iinclude -Iuser -I$(BUILD)/include -D_GNU_SOURCE=
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 $(WARNINGS)
BPFFLAGS := -target bpf -mcpu=v3 -O2 -g $(WARNINGS) $(BPF_ARCH) -Iinclude -Ibpf

CORE_LIBS := -ljansson -lfyaml -lm
KERN_LIBS := -lbpf -lxdp -lmnl -lelf -lz
DAEMON_LIBS := $(CORE_LIBS) $(KERN_LIBS) -luv -lmicrohttpd -lsqlite3 -lcurl
CLI_LIBS := $(CORE_LIBS) $(KERN_LIBS) -lcurl -lsqlite3 -lncurses -ltinfo
STUDY_LIBS := $(CORE_LIBS) -lcurl

find_c = $(sort $(shell find $(1) -name '*.c' 2>/dev/null))
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

CORE := $(call objects,$(call find_c,user/core))
KERN := $(call objects,$(call find_c,user/kern))
DAEMON := $(call objects,$(call find_c,user/daemon))
CLI := $(call objects,$(call find_c,user/cli) user/study/placement_verbs.c)
STUDY := $(call objects,$(call find_c,user/study user/cli/frame))
BPF := $(patsubst bpf/%.bpf.c,%,$(sort $(wildcard bpf/*.bpf.c)))
SKELETONS := $(BPF:%=$(BUILD)/include/%.skel.h)
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(sort $(shell find tests/unit -name 'test_*.c')))
KERN_SAMPLE := $(call objects,$(filter-out tests/kern/test_%.c,$(sort $(wildcard tests/kern/*.c))))
KERN_TESTS := $(patsubst tests/kern/%.c,$(BUILD)/kern/%,$(sort $(wildcard tests/kern/test_*.c)))
DAEMON_TESTS := $(patsubst tests/daemon/%.c,$(BUILD)/daemon/%,$(sort $(wildcard tests/daemon/test_*.c)))
BENCH := $(patsubst tests/unit/bench_%.c,$(BUILD)/bench-%,$(sort $(wildcard tests/unit/bench_*.c)))
LAB := $(patsubst tests/lab/%.bpf.c,$(BUILD)/lab/%.bpf.o,$(sort $(wildcard tests/lab/*.bpf.c))) \
       $(patsubst tests/lab/%.c,$(BUILD)/lab/%,$(filter-out %.bpf.c,$(sort $(wildcard tests/lab/*.c))))
COST := $(BUILD)/cost/packet-cost
STORM := $(addprefix $(BUILD)/storm/,flock-server flock-client syn-flood)
# A room still empty builds nothing.
PROGRAMS := $(if $(DAEMON),$(BUILD)/holdfastd) $(if $(CLI),$(BUILD)/holdfast) $(if $(STUDY),$(BUILD)/holdfast-placement)

all: $(PROGRAMS) $(BPF:%=$(BUILD)/bpf/%.bpf.o)
test-programs: all $(UNIT) $(KERN_TESTS) $(DAEMON_TESTS) $(BENCH) $(LAB) $(STORM) $(COST)

# Libraries and programs -----------------------------------------------------

$(BUILD)/libholdfast.a: $(CORE)
$(BUILD)/libkern.a: $(KERN)
%.a:
	$(call say,AR,$@)
	@rm -f $@ && ar rcs $@ $^

$(BUILD)/holdfastd: $(DAEMON) $(BUILD)/libkern.a $(BUILD)/libholdfast.a
	$(call say,LD,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(DAEMON_LIBS)

$(BUILD)/holdfast: $(CLI) $(BUILD)/libkern.a $(BUILD)/libholdfast.a
	$(call say,LD,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(CLI_LIBS)

# The laboratory sees neither kernel nor daemon: this link is the proof.
$(BUILD)/holdfast-placement: $(STUDY) $(BUILD)/libholdfast.a
	$(call say,LD,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(STUDY_LIBS)

$(BUILD)/obj/%.o: %.c | $(BUILD)/include/version.h
	$(call say,CC,$<)
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Which file includes which skeleton is known only after the first compilation, so they all come first. The laboratory
# needs none: it builds without clang.
$(KERN): | $(SKELETONS)

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c
	$(if $(CLANG),,$(error no clang found: install clang 14 or newer (make deps), or say make CLANG=/path/to/clang))
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	@$(CLANG) $(BPFFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/include/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(if $(BPFTOOL),,$(error no bpftool found: install bpftool (make deps)))
	$(call say,SKEL,$@)
	@mkdir -p $(@D)
	@$(BPFTOOL) gen skeleton $< name $* > $@

# The version file changes only when the version does, so that nothing is built again for nothing.
$(BUILD)/include/version.h: FORCE
	@mkdir -p $(@D)
	@scripts/version --header > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# What comes from the programs' own tables: manual pages and completion -------

MAN := $(addprefix $(BUILD)/man/,holdfast.8 holdfastd.8 holdfast.yaml.5 holdfast-placement.1)
COMPLETION := $(addprefix $(BUILD)/completion/,holdfast holdfast-placement)

man: $(MAN) $(COMPLETION)

$(filter-out %.1,$(MAN)): $(BUILD)/man/%: $(BUILD)/holdfast $(BUILD)/holdfastd
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	@$(BUILD)/holdfastd --help | $(BUILD)/holdfast manual $* > $@

$(BUILD)/man/%.1: $(BUILD)/%
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	@$< manual > $@

$(BUILD)/completion/%: $(BUILD)/%
	$(call say,COMP,$@)
	@mkdir -p $(@D)
	@$< completion > $@

# Tests ----------------------------------------------------------------------

# What tests of one suite share is named from tests/ on, so that a test may lie in a folder.
$(BUILD)/obj/tests/%.o: CPPFLAGS += -Itests

# The pure core links with nothing that can see the kernel, the clock or the network: this link is the proof.
$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(BUILD)/libholdfast.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lcmocka $(CORE_LIBS)

# What only the kernel can answer: as root, in network namespaces of their own.
$(BUILD)/kern/%: $(BUILD)/obj/tests/kern/%.o $(KERN_SAMPLE) $(BUILD)/libkern.a $(BUILD)/libholdfast.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lcmocka $(CORE_LIBS) $(KERN_LIBS)

# Of the daemon, the store alone.
$(BUILD)/daemon/%: $(BUILD)/obj/tests/daemon/%.o $(filter $(BUILD)/obj/user/daemon/store/%.o,$(DAEMON)) $(BUILD)/libholdfast.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lcmocka $(CORE_LIBS) -lsqlite3

$(BUILD)/bench-%: $(BUILD)/obj/tests/unit/bench_%.o $(BUILD)/libholdfast.a
	$(call say,LD,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(CORE_LIBS)

$(BUILD)/lab/%.bpf.o: tests/lab/%.bpf.c
	$(if $(CLANG),,$(error no clang found: install clang 14 or newer (make deps), or say make CLANG=/path/to/clang))
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	@$(CLANG) $(BPFFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/lab/%: $(BUILD)/obj/tests/lab/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# The referee of a packet's cost.
$(BUILD)/cost/wrap.bpf.o: tests/cost/wrap.bpf.c
	$(if $(CLANG),,$(error no clang found: install clang 14 or newer (make deps), or say make CLANG=/path/to/clang))
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	@$(CLANG) $(BPFFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/include/wrap.skel.h: $(BUILD)/cost/wrap.bpf.o
	$(if $(BPFTOOL),,$(error no bpftool found: install bpftool (make deps)))
	$(call say,SKEL,$@)
	@mkdir -p $(@D)
	@$(BPFTOOL) gen skeleton $< name wrap > $@

$(BUILD)/obj/tests/cost/packet-cost.o: | $(BUILD)/include/wrap.skel.h
$(BUILD)/cost/packet-cost: $(call objects,tests/cost/packet-cost.c tests/cost/frame.c)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lbpf -lelf -lz

$(STORM): $(call objects,tests/storm/endpoint.c)
$(BUILD)/storm/flock-client: $(call objects,tests/storm/flow.c tests/storm/tally.c)
$(BUILD)/storm/%: $(BUILD)/obj/tests/storm/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

unit: $(UNIT)
	@$(PYTHON) tests/run unit

lint: all
	@scripts/lint

test:
	@scripts/require root kernel
	@scripts/deps
	@$(MAKE) --no-print-directory test-programs
	@$(PYTHON) tests/run

# Installing -----------------------------------------------------------------

PREFIX ?= /usr
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),/etc,$(PREFIX)/etc)
SBINDIR := $(PREFIX)/sbin
BINDIR := $(PREFIX)/bin
UNITS := holdfastd.service holdfast-receiver@.service

install: all man
	install -d $(DESTDIR)$(SBINDIR) $(DESTDIR)$(BINDIR) $(DESTDIR)$(SYSCONFDIR)/holdfast \
		$(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/sysusers.d \
		$(addprefix $(DESTDIR)$(PREFIX)/share/man/man,1 5 8) $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(BUILD)/holdfast $(BUILD)/holdfastd $(DESTDIR)$(SBINDIR)
	install -m 755 $(BUILD)/holdfast-placement $(DESTDIR)$(BINDIR)
	for unit in $(UNITS); do sed 's,@SBINDIR@,$(SBINDIR),; s,@SYSCONFDIR@,$(SYSCONFDIR),' scripts/systemd/$$unit \
		>$(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit || exit 1; done
	install -m 644 scripts/systemd/holdfast.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/holdfast.conf
	install -m 644 $(filter %.8,$(MAN)) $(DESTDIR)$(PREFIX)/share/man/man8
	install -m 644 $(filter %.5,$(MAN)) $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 $(filter %.1,$(MAN)) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(COMPLETION) $(DESTDIR)$(PREFIX)/share/bash-completion/completions

# What a person says ---------------------------------------------------------

deps:
	@scripts/deps

demo:
	@scripts/require root kernel
	@scripts/deps demo
	@$(MAKE) --no-print-directory all $(LAB)
	@scripts/demo

SECONDS := 600
fuzz:
	@scripts/deps
	@tests/fuzz/run $(SECONDS)

vm:
	@scripts/deps
	@$(MAKE) --no-print-directory all $(LAB)
	@tests/vm/run

storm:
	@scripts/require root kernel
	@scripts/deps
	@$(MAKE) --no-print-directory all $(LAB) $(STORM)
	@tests/storm/storm.py --long

# OLD: a commit to compare with. It is built in a worktree of its own.
bench:
	@scripts/require root kernel
	@scripts/deps
	@$(MAKE) --no-print-directory all $(BENCH) $(LAB) $(COST)
	@$(if $(OLD),scripts/bench compare $(OLD),scripts/bench run)

bench-load: all $(LAB)
	@scripts/require root kernel
	@scripts/bench load

bench-unload:
	@scripts/require root kernel
	@scripts/bench unload

clean:
	rm -rf $(BUILD)

FORCE:
.PHONY: all man install test-programs unit lint test deps demo fuzz vm storm bench bench-load bench-unload clean FORCE
.SECONDARY:

# One line a step; V=1 shows the commands themselves.
ifdef V
SHELL := /bin/sh -x
endif
say = @printf '  %-5s %s\n' '$(1)' '$(2)'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
