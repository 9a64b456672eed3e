#!/bin/sh
# SEL4_COUNTED_PREFIX: what a kernel that counts its entries did is evidence for results of one that does not, of the same configuration, and of no
# other. The machine is a stand-in.
# runs: full, 25 s
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/sel4_machine.sh"

case $(uname -m) in x86_64 | aarch64) ;; *) skip "the stand-in is a riscv64 machine, as this one is" ;; esac
needs python3
unset SEL4_PREFIX SEL4_COUNTED_PREFIX SEL4_KERNEL SEL4_INCLUDE_DIRS COLUMNS
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
KB_TIMED_LOOPS=$KB_SRC/bench/sel4/signal.c
export KB_TIMED_LOOPS
sel4_machine plain || exit 1

# configured KERNEL COUNTS TICK
configured() {
	echo "{ \"SEL4_ARCH\": \"riscv64\", \"KERNEL_BENCHMARK\": \"$2\", \"TIMER_TICK_MS\": \"$3\" }" >"$1/libsel4/include/kernel/gen_config.json"
}
kernel measured plain
configured measured none 2
kernel counting
configured counting track_utilisation 2
kernel other
configured other track_utilisation 1000

# The firmware's 2 MiB are no memory of the kernel's, and of the machine all the same.
mkdir -p measured/support
echo '{"devices": [], "memory": [{"start": 2149580800, "end": 3221225472}]}' >measured/support/platform_gen.json

SEL4_PREFIX=$PWD/measured
export SEL4_PREFIX
gives 0 sel4 build
grep -qx 'memory=1024' cache/kbench/sel4/*/facts || fail "the machine's memory: $(grep memory cache/kbench/sel4/*/facts)"
gives 0 run sel4.signal --defaults --label alone
says 'sel4.signal .* unverified '
SEL4_COUNTED_PREFIX=$PWD/counting
export SEL4_COUNTED_PREFIX
gives 0 run sel4.signal --defaults --no-store
says '/counting/bin/kernel.elf: run .kbench sel4 build'
gives 0 sel4 build
says '/measured/bin/kernel.elf' '/counting/bin/kernel.elf'
gives 0 run sel4.signal --defaults --label both
says 'sel4.signal .* ok *$'
gives 0 show both sel4.signal -v
says 'evidence *kernel_entries of all: 2, expected 2 .*: holds, on the kernel that counts$'
# The numbers are of the kernel that was measured, and its identity too.
gives 0 show both sel4.signal --json
says '"elsewhere": true'
says "\"config\": \"$(sha256sum <measured/libsel4/include/kernel/gen_config.json | cut -d' ' -f1)\""
gives 0 compare alone both

# A benchmark that does something else is found out.
sed 's/kb_bare_wait(signalled), kb_bare_wait(signalled))/kb_bare_wait(signalled), kb_bare_poll(signalled); kb_bare_wait(signalled))/' \
	"$KB_SRC/bench/sel4/signal.c" >signal.c
cmp -s signal.c "$KB_SRC/bench/sel4/signal.c" && fail "signal.c: nothing was changed"
(KB_TIMED_LOOPS=$PWD/signal.c && sel4_machine plain) || exit 1
gives 5 run sel4.signal --defaults --no-store
says 'contradicts the claim .kernel_entries of all: 3 per iteration, expected 2'

SEL4_COUNTED_PREFIX=$PWD/other
gives 0 sel4 build
gives 0 run sel4.signal --defaults --no-store
says 'the two kernels differ in more than'
SEL4_COUNTED_PREFIX=$PWD/measured
gives 0 run sel4.signal --defaults --no-store
says 'this kernel does not track utilisation'
SEL4_COUNTED_PREFIX=$PWD/nowhere
gives 3 sel4 build
says 'SEL4_COUNTED_PREFIX: no kernel .*/nowhere/bin/kernel.elf'
# A gate compares counts: it asks for no evidence, and of two kernels one could have been configured otherwise.
gives 0 sel4 insn sel4.signal --prefix measured
gives 0 sel4 insn sel4.signal
