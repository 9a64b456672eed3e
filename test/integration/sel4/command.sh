#!/bin/sh
# kbench sel4 without a kernel: what is missing is named, and rows are skipped with the reason. With SEL4_PREFIX set (never in the
# default tests) that kernel is looked at, the root server built for it and booted: exact counts, the same in three boots.
set -u
. "$KB_SRC/test/support/check.sh"

prefix=${SEL4_PREFIX:-}
unset SEL4_PREFIX SEL4_KERNEL SEL4_INCLUDE_DIRS
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

gives 2 sel4
gives 2 sel4 bild
says "no subcommand .bild., did you mean build"
gives 2 sel4 doctor
says "it is 'kbench doctor sel4' now"
gives 2 doctor sel4 -p a=b
gives 2 sel4 build --json
for verb in "doctor sel4" "sel4 build" "sel4 boot sel4.signal"; do
	# shellcheck disable=SC2086 # words
	gives 3 $verb
	says 'no seL4 is named: set SEL4_PREFIX'
done
gives 0 run sel4.signal --defaults --budget 60s --no-store
says 'skipped'
says 'no seL4 is named: set SEL4_PREFIX'
gives 0 list 'sel4.*'
says '^sel4.signal '
says '    not available here: no seL4 is named'

# A folder that looks like a prefix and holds no kernel of any use.
mkdir -p p/bin p/libsel4/include/kernel
echo nothing >p/bin/kernel.elf
SEL4_PREFIX=$PWD/p
export SEL4_PREFIX
gives 2 doctor sel4
says 'no kernel/gen_config.json'
config=p/libsel4/include/kernel/gen_config.json
echo '{ "SEL4_ARCH": "sparc" }' >$config
gives 3 doctor sel4
says 'SEL4_ARCH is sparc'
echo '{ "SEL4_ARCH": "x86_64", "SUPPORT_PCID": true, "DEBUG_BUILD": true }' >$config
gives 3 doctor sel4
says 'on boards only: emulation has no PCID'
says 'warning: a debug kernel'
# A board has PCID, so an image can be built for one.
gives 3 sel4 build
says 'no sel4/sel4.h in'
echo '{ "SEL4_ARCH": "aarch64", "EXPORT_PMU_USER": false }' >$config
for verb in "doctor sel4" "sel4 build"; do
	# shellcheck disable=SC2086 # words
	gives 3 $verb
	says 'threads may read no counter: build it with KernelArmExportPMUUser=ON'
done
echo '{ "SEL4_ARCH": "aarch64", "EXPORT_VCNT_USER": true }' >$config
gives 0 doctor sel4
echo '{ "SEL4_ARCH": "x86_64", "SUPPORT_PCID": false, "TIMER_TICK_MS": "2" }' >$config
gives 0 doctor sel4 --json
says '"schema": "kbench-sel4/1"'
says '"available": false'
gives 3 sel4 build
says 'no sel4/sel4.h in'
# A folder of somebody else's is not taken for an image, whatever its files are called.
mkdir mine && echo arch=mine >mine/facts
gives 2 sel4 build -o mine/
says 'holds other things'
[ -f mine/facts ] || fail "a folder that is no image was removed"
gives 3 sel4 boot sel4.signal
says "no image for .*: run 'kbench sel4 build'"
for wrong in '--initial 0' '--initial 1x' '--delta -1' '--group-size 1' '--group-size 1025' '--groups 0' '--groups 4097' '--method best'; do
	# shellcheck disable=SC2086 # two words
	gives 2 sel4 boot sel4.signal $wrong
	says "${wrong%% *}"
done
gives 2 sel4 boot sel4.signal --group-size 1000 --groups 5
says 'together at most 4096 tests'
gives 2 sel4 boot sel4.signal --method single --delta 2
says 'delta belongs to --method kanata'
gives 2 sel4 build --groups 3
says 'groups goes with boot'
gives 2 sel4 boot sel4.signol
says 'did you mean sel4.signal'
[ -z "$(find cache -type f 2>/dev/null)" ] || fail "a build that failed left files in the cache"

[ -n "$prefix" ] || {
	echo "the part with a kernel needs SEL4_PREFIX"
	exit 0
}

# ---- with a kernel ---------------------------------------------------------------------------------------

SEL4_PREFIX=$prefix
gives 0 doctor sel4
gives 0 sel4 build
says '^the root server for '
gives 0 doctor sel4
says 'the benchmarks sel4.\* can be measured$'

# Exact: the line through the sizes leaves nothing over, so the interval has no width, and every boot says the same.
gives 0 run sel4.signal --defaults --processes 3 --budget 15m --timeout 300s --label exact --json
results out >rows
awk -F '\t' '$2 == "invalid" || $2 == "skipped" || $9 != 3 || $4 == "-" || $5 - $4 > 0.001 { bad = 1 } END { exit bad || !NR }' rows ||
	fail "three boots of sel4.signal do not say one exact number: $(cat rows)"
gives 0 run sel4.signal --defaults --method kanata --initial 1 --delta 1 --group-size 30 --groups 5 --processes 2 --budget 15m --timeout 300s
says 'insn'
says 'per circle'
arch=$(sed -n 's/.*"SEL4_ARCH": *"\([a-z0-9_]*\)".*/\1/p' "$SEL4_PREFIX/libsel4/include/kernel/gen_config.json")
serial='-smp 1 -display none -monitor none -no-reboot -chardev stdio,id=c,mux=on,signal=off -serial chardev:c'
exits='-semihosting-config enable=on,userspace=on,target=native,chardev=c'
status=21
[ "$arch" != x86_64 ] || status=$((2 * 21 + 1))
# qemu IMAGE OPTION...: boots it here, beside its kernel32.elf.
# shellcheck disable=SC2086 # options are words
qemu() {
	image=$1
	shift
	case $arch in
	x86_64)
		exec timeout -k 2 300 qemu-system-x86_64 -machine q35 -cpu max -m 256M -device isa-debug-exit,iobase=0xf4,iosize=4 \
			-kernel kernel32.elf -initrd "$image" $serial "$@" </dev/null
		;;
	riscv64) exec timeout -k 2 300 qemu-system-riscv64 -machine virt -cpu rv64 -m 3072M -bios default -kernel "$image" $exits $serial "$@" </dev/null ;;
	*)
		exec timeout -k 2 300 qemu-system-aarch64 -machine virt,secure=off,virtualization=off,highmem=off,gic-version=2 -cpu cortex-a53 \
			-m 1024M -kernel "$image" $exits $serial "$@" </dev/null
		;;
	esac
}

# ---- an image for elsewhere --------------------------------------------------------------------------------

# by_hand OPTION...: boots board.elf as somebody would who knows nothing of it, until it has said all; it leaves the machine on.
by_hand() {
	[ "$arch" != x86_64 ] || cp cache/kbench/sel4/*/kernel32.elf .
	: >console
	(qemu board.elf "$@") >console 2>err &
	machine=$!
	for _ in $(seq 1400); do
		grep -q '^end o=' console && break
		kill -0 $machine 2>/dev/null || break
		sleep 0.2
	done
	sleep 0.5
	kill $machine 2>/dev/null
	wait $machine 2>/dev/null
}
# counts UNIT NOTE: what the import says of it; NOTE "-": it says neither.
counts() {
	rm -f store.db
	"$KBENCH" import console --store store.db --json >out 2>err || fail "import of a boot by hand"
	grep -q "\"unit\": \"$1\"" out || fail "the unit of a boot by hand is not $1"
	case $2 in
	-) ! grep -E 'clock_unknown|emulated_clock' out >/dev/null || fail "a note about a clock that is known" ;;
	*) says "$2" ;;
	esac
}
own=pmccntr
[ "$arch" != riscv64 ] || own=rdcycle
gives 0 sel4 boot sel4.signal -o board.elf
says '^board.elf measures sel4.signal by method kanata.$'
[ -s board.elf ] || fail "no image"
by_hand -icount shift=0,sleep=off
case $arch in x86_64) counts ticks emulated_clock ;; *) counts ticks clock_unknown ;; esac
gives 0 sel4 boot sel4.signal --initial 20 --delta 5 --group-size 4 --groups 3 --clock icount -o board.elf
by_hand -icount shift=0,sleep=off
counts insn -
says '"wait": "libsel4"'
tr -d '\r' <console | sed -n '/^Initial Test/,$p' >table
printf 'Initial Test size: 20\nDelta: 5\nNumber of Tests / Sample size of Accumulated latency: 4\nNumber of Groups: 3\n' >head
head -n 4 table | cmp -s - head || fail "the table is not the one that was asked for: $(head -n 4 table)"
[ "$(grep -cE '^([0-9]+ ){3}$' table)" -eq 4 ] || fail "the table has not 4 rows of 3"
gives 0 sel4 boot sel4.signal --method slope --clock icount -o board.elf
by_hand -icount shift=0,sleep=off
counts insn -
says '"method": "slope"'
if [ "$arch" = x86_64 ]; then
	gives 2 sel4 boot sel4.signal --clock rdcycle -o board.elf
	says 'on x86_64 it must be icount'
else
	gives 0 sel4 boot sel4.signal --method single --clock $own -o board.elf
	by_hand -icount shift=0,sleep=off
	counts cycles -
	says '"per": "one-way"'
	says 'clock_included'
fi
gives 2 sel4 boot sel4.signal -p wait=nothing

# High has no memory for its messages: a fault at its first wake-up, which ends the boot, and no hang. The circle stands in for signal,
# which is what an image without a host measures.
mkdir -p wrong/bench/sel4
for part in include sel4 src; do ln -s "$KB_SRC/$part" wrong/$part; done
sed 's/"elsewhere;nowhere/"nowhere;elsewhere/' "$KB_SRC/test/sel4/timed_loops/wrong.c" >wrong/bench/sel4/signal.c
KB_SOURCE=$PWD/wrong sh "$KB_SRC/sel4/build" "$arch" "$PWD/wrong/out" >out 2>err || fail "sel4/build of a circle that is wrong"
image=kb_image.elf
[ "$arch" != x86_64 ] || image=kb_root.elf
(cd wrong/out && qemu $image -icount shift=0,sleep=off) >out 2>err
got=$?
[ $got -eq $status ] || fail "High without a message buffer ends in $got, not $status"
says '^fail stage=op .*High: page fault'
