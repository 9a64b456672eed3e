# The build. Every list is a wildcard: adding a source, a benchmark or a test edits nothing here.
# `make` in the source folder builds into build/; a folder that configure was run in builds into itself.
# Targets: all check check-full check-truth check-san check-cross check-fuzz check-layers check-style check-words check-house fmt web install
# uninstall dist clean

# Targets that need nothing of configure.
SOURCE_GOALS := check-layers check-style check-words check-house fmt web dist clean
DATA_FOLDERS := model layers yamba kmod sel4
goals := $(or $(MAKECMDGOALS),all)

# configure writes a Makefile that sets SRC and B and includes this one. Without it (here is the source folder, or
# SRC is some variable of the environment) pass everything on to build/, in one step.
ifeq ($(filter file command,$(firstword $(origin SRC))),)
SRC := .
B := build
ifneq ($(filter-out $(SOURCE_GOALS),$(goals)),)
FORWARD := yes
endif
endif

ifdef FORWARD
.PHONY: $(goals) forward
$(goals): forward
	@:

forward: build/Makefile
	+@$(MAKE) --no-print-directory -C build $(MAKECMDGOALS)

build/Makefile:
	@sh ./configure --keep
else

S := $(SRC)/
# Empty instead of "./": to make, a/b and ./a/b are two files.
P := $(if $(filter .,$(B)),,$(B)/)
CONFIG = $(P)config.mk

all:

ifneq ($(filter-out $(SOURCE_GOALS),$(goals)),)
include $(CONFIG)
endif

$(CONFIG): $(S)configure $(S)VERSION
	@sh $(S)configure --keep
	@touch $@

# ---- names --------------------------------------------------------------------------------------------

# src/rooms.txt has the layers in their order. Code between kbench-collect and kbench is shared by COLLECT_LAYERS.
rooms_of = $(shell awk '$$2 ~ /^($(1))$$/ { print $$1 }' $(S)src/rooms.txt)
LAYERS := $(call rooms_of,core|layer)
COLLECT_LAYERS := $(call rooms_of,core)
CROSS := x86_64 x86_32 aarch64 riscv64

# A room with the rooms in it.
sources_of = $(wildcard $(S)src/$(1)/*.c $(S)src/$(1)/*/*.c)
SOURCES_arch = $(wildcard $(S)src/arch/*.c $(S)src/arch/$(ARCH)/*.c $(S)src/arch/$(ARCH)/*.S)
SOURCES_os = $(filter-out %/plugin_none.c,$(call sources_of,os/linux))
# One of the two readers of object files: the real one, or the one that says that it is missing.
SOURCES_assemble = $(filter-out %/object_$(if $(LIBELF),none,libelf).c,$(call sources_of,assemble))
SOURCES_env = $(filter-out %/event_names_$(if $(LIBPFM),none,libpfm4).c,$(call sources_of,env))
# What needs libbpf and programs for the kernel, or what says that it is missing.
SOURCES_trace = $(filter-out %$(if $(LIBBPF),none,libbpf).c,$(call sources_of,trace))
# The engine of servers, or what says that it is missing.
SOURCES_store = $(filter-out $(if $(LIBPQ),%/postgres_none.c,%/postgres.c %/postgres_open.c %/postgres_schema.c %/postgres_retain.c),$(call sources_of,store))
SOURCES_cli = $(filter-out %/main.c,$(call sources_of,cli))
SOURCES_yamba = $(filter-out %/main.c,$(call sources_of,yamba))
SOURCES_collect = $(filter-out %/main.c,$(call sources_of,collect/linux)) $(wildcard $(S)src/collect/linux/gate/$(ARCH).S) $(call sources_of,collect/common)
layer_sources = $(if $(filter undefined,$(origin SOURCES_$(1))),$(call sources_of,$(1)),$(SOURCES_$(1)))

# bench/sel4 is for the root server (sel4/build).
BENCHES := $(filter-out $(S)bench/sel4/%,$(sort $(wildcard $(S)bench/*/*.c)))
KERNEL_BENCHES := $(sort $(wildcard $(S)kmod/bench/*/*.c))
TESTS := $(wildcard $(S)test/unit/*/test_*.c $(S)test/truth/*/test_*.c)
# Everything else in C below test/unit, test/truth and test/support helps the tests.
TEST_HELPERS := $(filter-out $(TESTS),$(wildcard $(S)test/unit/*/*.c $(S)test/truth/*.c $(S)test/truth/*/*.c $(S)test/support/*.c))
SCRIPTS := $(wildcard $(S)test/golden/*.sh $(S)test/integration/*/*.sh)
FUZZERS := $(wildcard $(S)test/fuzz/fuzz_*.c)
YAMBA_SOURCES := $(wildcard $(S)bench/yamba/*.yamba $(S)yamba/lib/*.yamba)

objects = $(patsubst $(S)%,$(P)obj/%.o,$(basename $(1)))
library = $(P)lib/lib$(1).a

# Everything below needs what configure found; make reads this file again once config.mk is there.
ifdef ARCH

# Of the places only this one may be another: kbench finds the rest by where it is itself.
libdir = $(PREFIX)/lib

# ---- flags --------------------------------------------------------------------------------------------

# What is built a second time in a folder of its own: KIND=san with sanitizers, KIND=fuzz for fuzzers.
KIND =
# To compile them takes longer than to run them, but for fuzzers: little optimisation, line numbers only, and no warnings, which the
# first build has given.
KIND_FLAGS_san = $(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -O0 -g1 -w
KIND_FLAGS_fuzz = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -O1 -g1 -w
ifeq ($(KIND),fuzz)
override CC := $(FUZZ_CC)
endif

WARNINGS = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wundef
# No directory of this machine is in what is built: sources are named as they lie in the source directory.
MAP = -ffile-prefix-map=$(abspath $(SRC))=.
COMPILE = $(CC) -std=gnu11 -O2 -g $(MAP) $(WARNINGS) $(WERROR) $(KIND_FLAGS_$(KIND)) $(CPPFLAGS) $(CFLAGS)
INCLUDE = -I$(S)include -I$(P)made -I$(S)src -I$(S)src/os/linux -I$(S)src/arch/$(ARCH)
LINK = $(CC) $(KIND_FLAGS_$(KIND)) $(LDFLAGS)
LIBS = -lhwloc -ljansson -lsqlite3 $(LIBPQ) $(LIBBPF) -lz $(LIBELF) $(LIBPFM) -lm

# The commit is part of the version only in a checkout of our own, not in a tarball inside another repository.
VERSION := $(shell cat $(S)VERSION)
COMMIT := $(if $(wildcard $(S).git),$(shell GIT_OPTIONAL_LOCKS=0 git -C $(SRC) describe --always --dirty --exclude='*' 2>/dev/null))
KB_VERSION := $(VERSION)$(if $(COMMIT),+$(COMMIT))

# remember FILE,TEXT: the file changes when the text does, so that whatever depends on it is rebuilt then and only then. Several makes may
# run in one directory: each writes a file of its own.
NEW := new.$(shell echo $$PPID)
remember = $(file >$(1).$(NEW),$(2))$(shell cmp -s $(1).$(NEW) $(1) && rm $(1).$(NEW) || mv $(1).$(NEW) $(1))

$(shell mkdir -p $(B))
ALL_SOURCES := $(foreach l,$(LAYERS) collect collect/command collect/kernel collect/sel4,$(call layer_sources,$(l))) $(BENCHES) $(KERNEL_BENCHES) $(TEST_HELPERS) $(YAMBA_SOURCES)
$(call remember,$(P)sources.txt,$(ALL_SOURCES))
$(call remember,$(P)flags.txt,$(COMPILE) $(INCLUDE))
$(call remember,$(P)link.txt,$(LINK) $(LIBS))
$(call remember,$(P)version.txt,$(KB_VERSION))

# One line a step; `make V=1` shows commands.
ifeq ($(V),1)
step =
else
step = @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,printf '  %-8s %s\n' $(1) $@;)
endif

# compile COMMAND: one source to one object.
define compile
@mkdir -p $(@D)
$(call step,CC)$(1) -MMD -MP -c $< -o $@
endef

# What a benchmark is called follows from its path.
bench_names = -DKB_NAME='"$(subst /,.,$*)"' -DKB_SYMBOL=kb_bench_$(subst /,_,$*)

# ---- programs -----------------------------------------------------------------------------------------

.PHONY: all
.DELETE_ON_ERROR:
.SECONDARY:

# ---- Yamba programs ------------------------------------------------------------------------------------

# Translated by a program of this build, which also says which there are: programs.mk has YAMBA_PLATFORM for this platform
# and for the foreign ones. Without the assembler or libelf there are none.
ifdef TRANSLATES
YAMBA_FOLDERS = $(S)bench/yamba $(S)yamba/lib
YAMBA_LIBS := $(foreach l,yamba assemble code os base,$(call library,$(l)))
YAMBA_COMPILE = -std=gnu17 -O2 -g $(MAP) -Wall -Wextra -Werror=int-conversion -Werror=incompatible-pointer-types $(WERROR) \
	-I$(S)include

-include $(P)programs.mk

$(P)kbench-translate: $(P)obj/src/yamba/main.o $(YAMBA_LIBS) $(P)link.txt
	$(call step,LINK)$(LINK) -o $@ $< -Wl,--start-group $(YAMBA_LIBS) -Wl,--end-group $(LIBELF)

$(P)programs.mk: $(P)kbench-translate $(YAMBA_SOURCES) $(P)sources.txt
	$(call step,LIST)for a in $(ARCH) $(foreach a,$(filter-out $(ARCH),$(CROSS)),$(if $(FOREIGN_$(a)),$(a))); do \
		printf 'YAMBA_%s := ' $$a && $(P)./kbench-translate $$a $(YAMBA_FOLDERS) >$@.names || exit 1; \
		tr '\n' ' ' <$@.names; echo; done >$@.new && rm -f $@.names && mv $@.new $@

# A program whose C text is the same is not compiled again. Only names that are there have rules: a pattern would match
# what make tries for names of other files.
define translation_rules
$(YAMBA_$(1):%=$(P)yamba-c/$(1)/%.stamp): $(P)yamba-c/$(1)/%.stamp: $(P)kbench-translate $(YAMBA_SOURCES)
	@mkdir -p $$(@D)
	$$(call step,YAMBA)$(P)./kbench-translate $(1) $(YAMBA_FOLDERS) --program $$* >$$(@:.stamp=.new)
	@cmp -s $$(@:.stamp=.new) $$(@:.stamp=.c) || cp $$(@:.stamp=.new) $$(@:.stamp=.c)
	@rm $$(@:.stamp=.new) && touch $$@

$(YAMBA_$(1):%=$(P)yamba-c/$(1)/%.c): $(P)yamba-c/$(1)/%.c: $(P)yamba-c/$(1)/%.stamp ;
endef
$(foreach a,$(CROSS),$(eval $(call translation_rules,$(a))))

$(YAMBA_$(ARCH):%=$(P)obj/yamba/%.o): $(P)obj/yamba/%.o: $(P)yamba-c/$(ARCH)/%.c $(P)flags.txt
	$(call compile,$(CC) $(YAMBA_COMPILE) $(KIND_FLAGS_$(KIND)) -DKB_SYMBOL=kb_bench_yamba_$* $(CPPFLAGS) $(CFLAGS))
endif
YAMBA_PROGRAMS := $(YAMBA_$(ARCH))

# ---- collectors of other platforms ----------------------------------------------------------------------

# One for each whose compiler and C library are here: static, since nothing of that platform is installed, with the Yamba
# programs of the platform and the self-tests. Of what benchmarks in C call only what programs need.
FOREIGN := $(if $(KIND),,$(foreach a,$(filter-out $(ARCH),$(CROSS)),$(if $(FOREIGN_$(a)),$(a))))
FOREIGN_COLLECTORS := $(FOREIGN:%=$(P)kbench-collect-%)
# The same without programs: `kbench yamba run` links the user's to it.
FOREIGN_PARTS := $(FOREIGN:%=$(P)kbench-collect-%.o)
FOREIGN_TESTS := $(FOREIGN:%=$(P)test/foreign/code-%)
# FOREIGN_CFLAGS: what CFLAGS is for this platform.
FOREIGN_FLAGS_x86_32 = -msse2 -mfpmath=sse -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -fno-pie
FOREIGN_SELF := $(wildcard $(S)bench/self/*.c)
foreign_sources = $(foreach l,$(filter-out arch os,$(COLLECT_LAYERS)),$(call layer_sources,$(l))) $(wildcard $(S)src/arch/*.c) \
	$(wildcard $(S)src/arch/$(1)/*.c $(S)src/arch/$(1)/*.S) $(filter-out %/plugin.c,$(call sources_of,os/linux)) \
	$(wildcard $(S)src/collect/linux/*.c $(S)src/collect/linux/gate/$(1).S $(S)src/collect/common/*.c) \
	$(wildcard $(addprefix $(S)src/collect/linux/helpers/,basics.c settings.c memory.c))
foreign_objects = $(patsubst $(S)%,$(P)obj/foreign/$(1)/%.o,$(basename $(2)))
foreign_compile = $(FOREIGN_$(1)) -std=gnu11 -O2 -g $(MAP) $(WARNINGS) $(WERROR) $(FOREIGN_FLAGS_$(1)) $(FOREIGN_CFLAGS) -I$(S)include

define foreign_rules
$(P)obj/foreign/$(1)/%.o: $(S)%.c $(P)flags.txt
	$$(call compile,$(call foreign_compile,$(1)) -I$(S)src -I$(S)src/os/linux -I$(S)src/arch/$(1))

$(P)obj/foreign/$(1)/%.o: $(S)%.S $(P)flags.txt
	$$(call compile,$(call foreign_compile,$(1)) -I$(S)src)

$(P)obj/foreign/$(1)/bench/%.o: $(S)bench/%.c $(P)flags.txt
	$$(call compile,$(call foreign_compile,$(1)) $$(bench_names))

$(P)obj/foreign/$(1)/yamba/%.o: $(P)yamba-c/$(1)/%.c $(P)flags.txt
	$$(call compile,$(FOREIGN_$(1)) $(YAMBA_COMPILE) $(FOREIGN_FLAGS_$(1)) $(FOREIGN_CFLAGS) -DKB_SYMBOL=kb_bench_yamba_$$*)

$(P)foreign-$(1).c: $(P)sources.txt $(S)tools/bench-list $(if $(TRANSLATES),$(P)programs.mk)
	$$(call step,LIST)sh $(S)tools/bench-list $(FOREIGN_SELF:$(S)bench/%=%) $(YAMBA_$(1):%=yamba/%.c) >$$@

$(P)obj/foreign/$(1)/list.o: $(P)foreign-$(1).c
	$$(call compile,$(call foreign_compile,$(1)))

$(P)kbench-collect-$(1).o: $(call foreign_objects,$(1),$(call foreign_sources,$(1))) $(P)link.txt
	$$(call step,LINK)$(FOREIGN_$(1)) -r -nostdlib -o $$@ $$(filter %.o,$$^)

$(P)kbench-collect-$(1): $(P)kbench-collect-$(1).o $(call foreign_objects,$(1),$(FOREIGN_SELF)) \
		$(YAMBA_$(1):%=$(P)obj/foreign/$(1)/yamba/%.o) $(P)obj/foreign/$(1)/list.o $(P)link.txt
	$$(call step,LINK)$(FOREIGN_$(1)) -static -no-pie -o $$@ $$(filter %.o,$$^)

# The collector's parts under a test of theirs instead of a benchmark.
$(P)test/foreign/code-$(1): $(P)obj/foreign/$(1)/test/foreign/code.o $(filter $(P)obj/foreign/$(1)/src/code/% \
		$(P)obj/foreign/$(1)/src/base/%,$(call foreign_objects,$(1),$(call foreign_sources,$(1)))) $(P)link.txt
	@mkdir -p $$(@D)
	$$(call step,LINK)$(FOREIGN_$(1)) -static -no-pie -o $$@ $$(filter %.o,$$^)
endef
$(foreach a,$(FOREIGN),$(eval $(call foreign_rules,$(a))))

# ---- more programs ------------------------------------------------------------------------------------

# What benchmarks start, and a guest: one file a program; NAME-static is NAME without shared libraries.
PROGRAMS := $(patsubst $(S)src/programs/%.c,%,$(wildcard $(S)src/programs/*.c))
# Nothing of the host is in a guest.
STARTED := $(filter-out $(P)kbench-guest,$(PROGRAMS:%=$(P)kbench-%)) $(PROGRAMS:%=$(P)kbench-%-static)
# Of another platform whose modules there are.
FOREIGN_GUESTS := $(if $(filter guest,$(PROGRAMS)),$(patsubst %,$(P)kbench-guest-%,$(filter x86_64 aarch64,$(FOREIGN))))

# kbench finds its models, questions, Yamba library and the sources of its modules beside itself, as it does its collector. In
# the source folder they are there.
DATA := $(DATA_FOLDERS:%=$(P)%)
COLLECTORS := $(P)kbench-collect $(P)kbench-collect-command $(P)kbench-collect-kernel $(P)kbench-collect-sel4 $(FOREIGN_COLLECTORS)

all: $(P)kbench $(COLLECTORS) $(P)libkbench.a $(P)libkbench-measure.a $(STARTED) $(FOREIGN_GUESTS) $(DATA)

$(DATA): $(P)%:
	@ln -sfn $(abspath $(S)$*) $@

# The clock of kbench_trace.h, from the text that the engine has.
STAMP := $(P)made/kbench_stamp.h
$(STAMP): $(S)tools/public-stamp $(wildcard $(S)src/arch/*/stamp.h)
	@mkdir -p $(@D)
	$(call step,TEXT)sh $< $(ARCH) $(SRC) >$@

# ---- programs for the kernel ---------------------------------------------------------------------------

# bpf/X.bpf.c becomes made/X.skel.h, which has the program in it: nothing is read from a file at run time.
# gen object leaves the DWARF behind, and with it the folders of this machine.
BPF_SKELETONS := $(if $(LIBBPF),$(patsubst $(S)bpf/%.bpf.c,$(P)made/%.skel.h,$(wildcard $(S)bpf/*.bpf.c)))
$(BPF_SKELETONS): $(P)made/%.skel.h: $(S)bpf/%.bpf.c $(wildcard $(S)bpf/*.h $(S)src/trace/*/*shared.h) $(P)flags.txt
	@mkdir -p $(@D) $(P)obj/bpf
	$(call step,BPF)$(BPF_COMPILE) -Wall -Wextra -Wno-unused-parameter $(WERROR) -I$(S)src -fdebug-prefix-map=$(S)= \
		-fdebug-compilation-dir=. -c $< \
		-o $(P)obj/bpf/$*.bpf.o
	@$(BPFTOOL) gen object $(P)obj/bpf/$*.linked.bpf.o $(P)obj/bpf/$*.bpf.o
	@$(BPFTOOL) gen skeleton $(P)obj/bpf/$*.linked.bpf.o name kb_$(subst -,_,$*)_bpf >$@

# They are included by what is named for libbpf, as headers of a library are: without our warnings.
BPF_OBJECTS := $(call objects,$(filter %libbpf.c,$(call sources_of,trace)))
$(BPF_OBJECTS): INCLUDE += -isystem $(P)made
$(BPF_OBJECTS): $(BPF_SKELETONS)

# libpq's header has a directory of its own.
$(call objects,$(filter %/postgres.c %/postgres_open.c %/postgres_schema.c %/postgres_retain.c,$(SOURCES_store))): INCLUDE += $(PQ_INCLUDE)

# What programs with trace points link: no library but libc.
LIBKBENCH := $(call objects,$(filter-out %/read.c,$(call sources_of,trace/points)) \
	$(wildcard $(addprefix $(S)src/trace/entries/,entries.c points.c members.c track.c util.c) $(S)src/trace/raw_bpf.c $(S)src/trace/btf.c) \
	$(call sources_of,base) $(S)src/os/linux/io.c)
# Shared libraries have trace points, too.
$(LIBKBENCH): override CFLAGS += -fPIC
$(P)libkbench.a: $(LIBKBENCH) $(P)sources.txt
	@rm -f $@
	$(call step,AR)$(AR) qcsD $@ $(LIBKBENCH)

$(P)obj/%.o: $(S)%.c $(P)flags.txt | $(STAMP)
	$(call compile,$(COMPILE) $(INCLUDE) $(DEFINE))

$(P)obj/%.o: $(S)%.S $(P)flags.txt
	$(call compile,$(COMPILE) $(INCLUDE))

$(P)obj/test/%.o: INCLUDE += -I$(S)test

# A benchmark sees kbench.h and the system, and gets its name from its path.
$(P)obj/bench/%.o: $(S)bench/%.c $(P)flags.txt
	$(call compile,$(COMPILE) -I$(S)include $(bench_names))

MADE := bench_list foreign_list kernel_list sel4_list no_list yamba_text page_text

# Only files that mention the version are compiled again when it changes, which is at every commit.
VERSIONED := $(call objects,$(shell grep -l KB_VERSION $(wildcard $(S)src/*/*.c $(S)src/*/*/*.c) /dev/null))
$(VERSIONED): DEFINE = -DKB_VERSION='"$(KB_VERSION)"'
$(VERSIONED): $(P)version.txt

$(P)bench_list.c: $(P)sources.txt $(S)tools/bench-list $(if $(TRANSLATES),$(P)programs.mk)
	$(call step,LIST)sh $(S)tools/bench-list $(patsubst $(S)bench/%,%,$(BENCHES)) $(YAMBA_PROGRAMS:%=yamba/%.c) >$@

# Programs of other platforms, as far as the parent must know them.
no_cross_programs = printf '%s\n' '\#include "run/backend/backend.h"' 'const struct kb_cross_program kb_cross_programs[] = { { 0, 0 } };'
$(P)foreign_list.c: $(P)sources.txt $(if $(TRANSLATES),$(P)kbench-translate $(YAMBA_SOURCES))
	$(call step,LIST)$(if $(TRANSLATES),$(P)./kbench-translate $(ARCH) $(YAMBA_FOLDERS) --cross,$(no_cross_programs)) >$@

# Benchmarks of other targets, the same: inside the kernel, whose modules are built by `kbench kernel build` for the kernel at hand, and on
# seL4, whose root server is built by `kbench sel4 build` for the kernel that the user names.
TARGET_BENCHES_kernel := $(KERNEL_BENCHES)
TARGET_BENCHES_sel4 := $(wildcard $(S)bench/sel4/*.c)
$(P)kernel_list.c: $(KERNEL_BENCHES)
$(P)sel4_list.c: $(TARGET_BENCHES_sel4)
$(P)kernel_list.c $(P)sel4_list.c: $(P)%_list.c: $(P)sources.txt $(S)tools/target-list
	$(call step,LIST)sh $(S)tools/target-list $* $(TARGET_BENCHES_$*) >$@

# For programs that measure: they have benchmarks of their own, and none of ours.
$(P)no_list.c: $(S)tools/bench-list $(S)tools/target-list
	$(call step,LIST)(sh $(S)tools/bench-list; sh $(S)tools/target-list kernel; sh $(S)tools/target-list sel4; $(no_cross_programs)) >$@

# The run time of Yamba as text, for programs that are to be used without KBench; and what `kbench new` writes.
$(P)yamba_text.c: $(S)tools/yamba-text $(S)doc/new-benchmark.c $(wildcard $(S)src/code/*.[ch] $(S)src/base/*.[ch] $(S)include/kbench.h $(S)include/kbench_yamba.h)
	$(call step,TEXT)sh $< $(SRC) >$@

# The page that `kbench report` puts its document into, and a sentence for each code of a verdict.
$(P)page_text.c: $(S)tools/page-text $(S)web/page.html $(S)doc/method.md
	$(call step,TEXT)sh $< $(SRC) >$@

# What was written by the rules above.
$(MADE:%=$(P)obj/%.o): $(P)obj/%.o: $(P)%.c $(P)flags.txt
	$(call compile,$(COMPILE) $(INCLUDE) -I$(SRC))

# q: two members may have one name (arch/chain.c, arch/x86_64/chain.c), so nothing is looked up by name.
# sources.txt: a source that is gone leaves the library.
define library_rule
$(call library,$(1)): $(2) $(P)sources.txt
	@mkdir -p $$(@D) && rm -f $$@
	$$(call step,AR)$$(AR) qcsD $$@ $(2)
endef
$(foreach l,$(LAYERS) collect,$(eval $(call library_rule,$(l),$(call objects,$(call layer_sources,$(l))))))
$(eval $(call library_rule,bench,$(call objects,$(BENCHES)) $(YAMBA_PROGRAMS:%=$(P)obj/yamba/%.o) $(P)obj/bench_list.o $(P)obj/foreign_list.o $(P)obj/kernel_list.o $(P)obj/sel4_list.o))
$(eval $(call library_rule,text,$(P)obj/yamba_text.o $(P)obj/page_text.o))
$(eval $(call library_rule,test,$(call objects,$(TEST_HELPERS))))

# What programs that measure link: the engine, as one library.
MEASURE := $(call objects,$(foreach l,$(LAYERS) collect,$(call layer_sources,$(l)))) $(P)obj/yamba_text.o $(P)obj/page_text.o $(P)obj/no_list.o
$(P)libkbench-measure.a: $(MEASURE) $(P)sources.txt
	@rm -f $@
	$(call step,AR)$(AR) qcsD $@ $(MEASURE)

# How to link them: a static library does not say what it needs. `make install PREFIX=DIR` may name another prefix.
define kbench_pc
prefix=@prefix@
libdir=@libdir@
includedir=$${prefix}/include

Name: kbench
Description: Measures functions of a program, with confidence intervals and a verdict
Version: $(VERSION)
Cflags: -I$${includedir}
Libs: -L$${libdir} -lkbench-measure -lkbench $(LIBS)
endef
$(call remember,$(P)kbench.pc,$(kbench_pc))

# A plug-in may call any helper, also one that no benchmark of ours calls: whole libraries, and -rdynamic.
HELPERS := $(foreach l,$(COLLECT_LAYERS) collect bench,$(call library,$(l)))
REST := $(foreach l,$(filter-out $(COLLECT_LAYERS),$(LAYERS)),$(call library,$(l))) $(call library,text)
KERNEL_COLLECT_LIBS := $(foreach l,evidence measure os arch base,$(call library,$(l)))
link_all = -Wl,--whole-archive $(HELPERS) -Wl,--no-whole-archive

$(P)kbench: $(P)obj/src/cli/main.o $(HELPERS) $(REST) $(P)link.txt
	$(call step,LINK)$(LINK) -rdynamic -o $@ $< $(link_all) -Wl,--start-group $(REST) -Wl,--end-group $(LIBS)

$(P)kbench-collect: $(P)obj/src/collect/linux/main.o $(HELPERS) $(P)link.txt
	$(call step,LINK)$(LINK) -rdynamic -o $@ $< $(link_all)

# Small and without shared libraries, for its peak memory is the least that a command can show; a sanitizer has no static form.
$(P)kbench-collect-command: $(call objects,$(call sources_of,collect/command)) $(foreach l,$(COLLECT_LAYERS),$(call library,$(l))) $(P)link.txt
	$(call step,LINK)$(LINK) $(if $(KIND),,-static) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group

$(P)kbench-collect-kernel: $(call objects,$(call sources_of,collect/kernel) $(call sources_of,collect/common)) $(P)obj/kernel_list.o $(KERNEL_COLLECT_LIBS) $(P)link.txt
	$(call step,LINK)$(LINK) -o $@ $(filter %.o,$^) $(KERNEL_COLLECT_LIBS)

$(P)kbench-collect-sel4: $(call objects,$(call sources_of,collect/sel4) $(call sources_of,collect/common)) $(P)obj/kernel_list.o \
		$(P)obj/sel4_list.o $(KERNEL_COLLECT_LIBS) $(P)link.txt
	$(call step,LINK)$(LINK) -o $@ $(filter %.o,$^) $(KERNEL_COLLECT_LIBS)

# Straight from the source, as a sanitizer has no static form, and these have nothing for it to find.
$(STARTED): $(P)kbench-%: $(P)link.txt $(P)flags.txt
	$(call step,LINK)$(CC) -std=gnu11 -O2 -g $(MAP) $(WARNINGS) $(WERROR) -I$(S)include $(CFLAGS) $(LDFLAGS) \
		$(if $(filter %-static,$@),-static) -o $@ $(filter %.c,$^)
$(foreach p,$(PROGRAMS),$(eval $(P)kbench-$(p) $(P)kbench-$(p)-static: $(S)src/programs/$(p).c $(wildcard $(S)include/*.h)))

$(FOREIGN_GUESTS): $(P)kbench-guest-%: $(S)src/programs/guest.c $(P)link.txt $(P)flags.txt
	$(call step,LINK)$(FOREIGN_$*) -std=gnu11 -O2 -g $(MAP) $(WARNINGS) $(WERROR) $(FOREIGN_CFLAGS) -static -o $@ $<

# ---- tests --------------------------------------------------------------------------------------------

# Plain libraries here: a test may bring its own version of a function and the library's member stays out.
TEST_LIBS := $(call library,test) $(HELPERS) $(REST)
TEST_PROGRAMS := $(patsubst $(S)%.c,$(P)%,$(TESTS))

$(TEST_PROGRAMS): $(P)%: $(P)obj/%.o $(TEST_LIBS) $(P)link.txt
	@mkdir -p $(@D)
	$(call step,LINK)$(LINK) -rdynamic -o $@ $< -Wl,--start-group $(TEST_LIBS) -Wl,--end-group $(CMOCKA) $(LIBS)

cross_package = gcc-$(subst _,-,$(1:x86_32=i686))-linux-gnu

# Seconds for each fuzzer. The full test has most for the compiler, the one that takes in what people write, and little for others;
# test/campaign/parts/fuzz gives each ten minutes.
FUZZ_SECONDS = 30
FUZZ_COMPILER_SECONDS = $(FUZZ_SECONDS)
FUZZ_FULL := FUZZ_SECONDS=2 FUZZ_COMPILER_SECONDS=28

# What tools/run-tests does, one line a test. How a test is to be run stands in the test itself.
define newline


endef
lines = $(subst $(newline) ,$(newline),$(foreach x,$(1),$(2)$(x)$(newline)))
test_lines = $(if $(CMOCKA),$(call lines,$(patsubst $(S)%.c,$(P)%,$(1)),run ),$(call lines,$(1),skip_test ))
unless = $(if $($(1)),make $(2) $(4),skip $(2) lacks $(3))$(newline)
CHECK_LIST = $(call lines,check-layers check-style check-words check-house,make )$(call test_lines,$(TESTS))$(call lines,$(SCRIPTS),run )
FULL_LIST = $(call unless,SANITIZE,check-san,libasan8 libubsan1)$(call \
	unless,FUZZ_CC,check-fuzz,clang libclang-rt-14-dev,$(FUZZ_FULL))$(foreach a,$(CROSS),$(call \
	unless,CROSS_$(a),check-cross-$(a),$(call cross_package,$(a))))$(CHECK_LIST)
$(call remember,$(P)check.txt,$(CHECK_LIST))
$(call remember,$(P)check-full.txt,$(subst $(newline) ,$(newline),$(FULL_LIST)))

.PHONY: check check-full check-truth check-programs check-san check-fuzz fuzz-programs fuzz-kind-programs check-kind-san check-kind-fuzz check-cross $(CROSS:%=check-cross-%)
check-programs: all $(FOREIGN_TESTS) $(if $(CMOCKA),$(TEST_PROGRAMS))

run_tests = MAKE='$(MAKE)' MAKEFLAGS= sh $(S)tools/run-tests --source=$(SRC) --build=$(B)

# What a change may break at once; ./setup test takes the whole list.
check: check-programs
	@$(run_tests) --quick $(P)check.txt

check-full: check-programs
	@$(run_tests) --full $(P)check-full.txt

# The simulations of the statistics with all replications. What they reached becomes doc/truth.md if they all pass.
TRUTH_TESTS := $(filter $(S)test/truth/% $(S)test/unit/stats/%,$(TESTS))
$(call remember,$(P)check-truth.txt,$(call test_lines,$(TRUTH_TESTS)))

check-truth: check-programs
	@rm -f $(P)truth.txt
	@KB_TEST_SECONDS=1200 KB_TRUTH=full KB_TRUTH_OUT=$(abspath $(P)truth.txt) $(run_tests) --full $(P)check-truth.txt
	@sh $(S)tools/truth-doc $(P)truth.txt >$(P)truth.md
	@cp $(P)truth.md $(S)doc/truth.md

again = +@$(MAKE) --no-print-directory CONFIG=$(CONFIG) KIND=$(1) B=$(P)$(1) $(or $(2),check-kind-$(1))

check-san:
	$(call again,san)

# The unit tests, and the real programs once around.
UNIT_PROGRAMS := $(filter $(P)test/unit/%,$(TEST_PROGRAMS))
$(call remember,$(P)check-san.txt,$(call lines,$(UNIT_PROGRAMS),run )run $(S)test/integration/cli/smoke.sh$(newline))
check-kind-san: all $(UNIT_PROGRAMS)
	@$(run_tests) $(P)check-san.txt

check-fuzz:
	$(if $(FUZZ_CC),$(call again,fuzz),@echo 'check-fuzz lacks clang libclang-rt-14-dev'; false)

# Only builds them, as fuzz/test/fuzz/fuzz_NAME: for who runs them longer.
fuzz-programs:
	$(if $(FUZZ_CC),$(call again,fuzz,fuzz-kind-programs),@echo 'fuzz-programs lacks clang libclang-rt-14-dev'; false)

# Only the layers that what is fuzzed needs: with this compiler a layer takes long. A fuzzer of another one adds it here.
FUZZ_LIBS := $(P)obj/no_list.o $(foreach l,base arch os measure evidence partner stats env code assemble yamba trace result store import run suite analysis workflow report serve,$(call library,$(l)))
FUZZ_PROGRAMS := $(patsubst $(S)%.c,$(P)%,$(FUZZERS))
$(FUZZ_PROGRAMS): $(P)%: $(P)obj/%.o $(FUZZ_LIBS) $(P)link.txt
	@mkdir -p $(@D)
	$(call step,LINK)$(LINK) -fsanitize=fuzzer -o $@ $< -Wl,--start-group $(FUZZ_LIBS) -Wl,--end-group $(LIBS)

fuzz-kind-programs: $(FUZZ_PROGRAMS)

check-kind-fuzz: $(FUZZ_PROGRAMS)
	@sh $(S)tools/check-fuzz $(FUZZ_SECONDS) $(S)test/fuzz/corpus $(filter-out %/fuzz_yamba,$(FUZZ_PROGRAMS))
	@sh $(S)tools/check-fuzz $(FUZZ_COMPILER_SECONDS) $(S)test/fuzz/corpus $(filter %/fuzz_yamba,$(FUZZ_PROGRAMS))

check-cross: $(CROSS:%=check-cross-%)

$(CROSS:%=check-cross-%): check-cross-%:
	$(if $(CROSS_$*),@sh $(S)tools/check-cross $* '$(CROSS_$*)' '$(QEMU_$*)' $(SRC) $(P)cross-$*,@echo \
		'check-cross-$* lacks $(call cross_package,$*)'; false)

# ---- install ------------------------------------------------------------------------------------------

# What kbench reads, and what it builds the modules and the seL4 root server from: below share/kbench, in the directories of the source.
SHARED := $(shell cd $(SRC) && find model layers yamba kmod sel4 bench/sel4 src/base src/arch src/measure src/trace src/os/kernel src/os/none src/os/sel4 \
	include tools/target-list -type f 2>/dev/null)

# All that is installed, a line a file: where it is, and its place below PREFIX. The programs of one build find each other by these places.
into = $(foreach file,$(2),$(file) $(1)/$(notdir $(file))$(newline))
as = $(2) $(1)$(newline)
INSTALLED = $(call into,bin,$(P)kbench)$(call \
	into,libexec/kbench,$(COLLECTORS) $(STARTED) $(FOREIGN_GUESTS) $(FOREIGN_PARTS))$(call \
	into,include,$(wildcard $(S)include/*.h) $(STAMP))$(call \
	into,lib,$(P)libkbench.a $(P)libkbench-measure.a)$(call \
	into,lib/pkgconfig,$(P)kbench.pc)$(call \
	into,share/man/man1,$(S)doc/kbench.1)$(call \
	into,share/man/man3,$(S)doc/kbench.3)$(foreach file,$(SHARED),$(S)$(file) share/kbench/$(file)$(newline))$(call \
	into,share/kbench/yamba/bench,$(wildcard $(S)bench/yamba/*.yamba $(S)bench/yamba/*.forms $(S)bench/yamba/forms_*.known))$(call \
	into,share/doc/kbench,$(wildcard $(S)README.md $(S)NEWS $(S)LICENSE))$(call \
	into,share/doc/kbench/doc,$(wildcard $(S)doc/*.md))$(call \
	as,share/bash-completion/completions/kbench,$(S)doc/kbench.bash)$(call \
	as,share/zsh/site-functions/_kbench,$(S)doc/kbench.zsh)$(call \
	as,share/fish/vendor_completions.d/kbench.fish,$(S)doc/kbench.fish)
$(call remember,$(P)installed.txt,$(subst $(newline) ,$(newline),$(INSTALLED)))

.PHONY: install uninstall
install: all
install uninstall:
	@sh $(S)tools/install-files $@ $(P)installed.txt '$(DESTDIR)' '$(PREFIX)' '$(libdir)'

# No rule of make's own may find a way to them.
$(P)obj/%.d: ;
-include $(shell find $(P)obj -name '*.d' 2>/dev/null)

endif

# ---- sources only -------------------------------------------------------------------------------------

.PHONY: check-layers check-style check-words check-house fmt web dist clean
check-layers check-style check-words:
	@sh $(S)tools/$@ $(SRC)

check-house:
	@sh $(S)tools/house $(SRC)

fmt:
	@cd $(SRC) && find include src bench test -name '*.[ch]' -exec clang-format -i {} +

# The template of the report page, which is committed: only who changes web/ needs node and npm.
web:
	@sh $(S)tools/web-page $(B)/web $(S)web/page.html

# The committed tree as one file, the same bytes each time.
dist:
	@sh $(S)tools/dist $(SRC) $(B)

# Keeps what configure wrote.
clean:
	rm -rf $(addprefix $(P),obj lib made web web-pictures libkbench.a libkbench-measure.a kbench.pc no_list.c test san fuzz tmp yamba-c programs.mk kbench kbench-* bench_list.c yamba_text.c page_text.c cross-* \
		foreign_list.c foreign-*.c kernel_list.c sel4_list.c sources.txt flags.txt link.txt version.txt check.txt check-full.txt check-san.txt \
		check-truth.txt installed.txt truth.txt truth.md settings.lock)
	@for link in $(addprefix $(P),$(DATA_FOLDERS)); do [ ! -L $$link ] || rm $$link; done

endif
