#!/bin/sh
# kbench sel4 insn: one instruction more in a kernel is found and ends with 1, the same kernel with 0, boots that differ with 5; and what
# limits a boot is what its guest executes. The machine is a stand-in; with SEL4_PREFIX set (never in the default tests), and the same kernel with a
# patch in SEL4_PATCHED_PREFIX, real boots follow.
# runs: full, 30 s
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/sel4_machine.sh"

case $(uname -m) in x86_64 | aarch64) ;; *) skip "the stand-in is a riscv64 machine, as this one is" ;; esac
needs python3
prefix=${SEL4_PREFIX:-} patched=${SEL4_PATCHED_PREFIX:-} path=$PATH
unset SEL4_PREFIX SEL4_KERNEL SEL4_INCLUDE_DIRS COLUMNS
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
sel4_machine || exit 1
kernel old
kernel same
kernel nop signal=1
kernel worse signal=700
kernel drifting drifts
kernel slow slow=3
kernel endless hangs
kernel other
echo '{ "SEL4_ARCH": "riscv64", "KERNEL_MCS": true }' >other/libsel4/include/kernel/gen_config.json

# ---- a gate --------------------------------------------------------------------------------------------------

gives 1 sel4 insn sel4.signal sel4.yield --prefix nop --against old
says "^sel4.signal  *[0-9]*  *[0-9]*  *[+]1 [(][0-9.]* %[)]  more$"
says '^sel4.yield  *[0-9]*  *[0-9]*  *same$'
says '^2 results: 1 more, 1 the same$'
gives 1 sel4 insn sel4.signal --prefix old --against nop
says " -1 [(][0-9.]* %[)]  fewer$"
gives 0 sel4 insn sel4.signal sel4.yield --prefix same --against old
says '^2 results: 2 the same$'
gives 1 sel4 insn sel4.signal --prefix worse --against old --margin 5%
gives 0 sel4 insn sel4.signal --prefix nop --against old --margin 5%
gives 1 sel4 insn sel4.signal --prefix nop --against old --boots 3 --json
grep -q '"exact": true' out && grep -q '"difference": 1' out && grep -q '"processes": 3' out || fail "--json: $(cat out)"
gives 1 sel4 insn sel4.signal --prefix nop --against old --markdown
says '^[|] sel4.signal [|] [0-9]* [|] [0-9]* [|] [+]1 [(][0-9.]* %[)] [|] more [|]$'
gives 1 compare last~1 last --gate
says "exact, [+]1"
! grep -q noisy out || fail "two boots that agree are noisy: $(cat out)"
gives 0 compare last~1 last --gate --margin 2%
gives 0 sel4 insn sel4.signal --prefix old
says '^sel4.signal  *[0-9]*  exact$'

# Boots that do not agree decide nothing, and neither does a benchmark that one kernel lacks.
gives 5 sel4 insn sel4.signal --prefix drifting --against old
says 'boots differ'
gives 5 sel4 insn sel4.signal --prefix endless --against old
says 'invalid: .*the guest executed 3e.10 instructions and did not end'
gives 0 run sel4.signal --defaults --no-store --budget 5m
gives 2 sel4 insn sel4.signal --prefix other --against old
says 'are configured differently; --any-config'
gives 2 sel4 insn sel4.signal --against old
says 'name it with --prefix or SEL4_PREFIX'
gives 3 sel4 insn sel4.signal --prefix nowhere
says 'no kernel nowhere/bin/kernel.elf'
gives 2 sel4 insn sel4.sygnal --prefix old
says 'did you mean sel4.signal'
gives 2 sel4 insn sys.null --prefix old
says "no benchmark 'sys.null' there"
gives 2 sel4 insn '*.null' --prefix old
says 'no benchmark of seL4'
gives 2 sel4 build --against old
says -- '--against goes with insn'
gives 2 sel4 insn --clock icount --prefix old
says -- '--clock goes with boot'

# x86_64 has one file less than the others, and that is no reason against it.
if [ "$(uname -m)" = x86_64 ]; then
	mkdir x86tools
	for tool in gcc objcopy; do ln -s "$PWD/tools/riscv64-linux-gnu-$tool" x86tools/$tool; done
	ln -s "$PWD/tools/qemu-system-riscv64" x86tools/qemu-system-x86_64
	kernel x86
	echo '{ "SEL4_ARCH": "x86_64" }' >x86/libsel4/include/kernel/gen_config.json
	(
		PATH=$PWD/x86tools:$PATH SEL4_PREFIX=$PWD/x86
		export SEL4_PREFIX
		gives 0 sel4 build
		gives 0 list sel4.signal
		! grep 'not available here' out || fail "x86_64 cannot be measured"
	)
fi

# ---- limits are in instructions of the guest -------------------------------------------------------------------

SEL4_PREFIX=$PWD/slow
export SEL4_PREFIX
gives 0 sel4 build
gives 0 run sel4.signal --defaults --processes 2 --budget 2m --timeout 100ms --no-store
says 'exact'
SEL4_PREFIX=$PWD/endless
gives 0 sel4 build
gives 5 run sel4.signal --defaults --processes 1 --budget 2m --timeout 100ms --no-store
tr -s ' \n' ' ' <out >words && grep -q 'the guest executed 1e+08 instructions and did not end' words || fail "an endless guest: $(cat out)"

[ -n "$prefix" ] || {
	echo "real boots need SEL4_PREFIX"
	exit 0
}

# ---- real kernels ------------------------------------------------------------------------------------------------

unset SEL4_PREFIX
PATH=$path
gives 0 sel4 insn sel4.signal sel4.call --prefix "$prefix" --against "$prefix"
says '^2 results: 2 the same$'
[ -z "$patched" ] || gives 1 sel4 insn sel4.signal sel4.call --prefix "$patched" --against "$prefix"
