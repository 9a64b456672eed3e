#!/bin/sh
# Images of `kbench sel4 boot` as boards start them, with real kernels: as an ELF file and behind the header of Linux's images, at EL1 and at EL2, at
# other places than where they were linked, and with memory that begins elsewhere. SEL4_SOURCE is the kernel's source, of which kernels that
# print are built (never in the default tests; PYTHONPATH may name pyfdt). Cold caches, which no emulator has, need a board.
# runs: full, 1 s; with SEL4_SOURCE 60 s
set -u
. "$KB_SRC/test/support/check.sh"
[ "${SEL4_SOURCE:-}" ] || skip "SEL4_SOURCE names no source of seL4"
needs qemu-system-aarch64
needs qemu-system-riscv64
PATH=/usr/bin:$PATH
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
emulator=
at_end='kill $emulator 2>/dev/null'

# kernel NAME COMPILER OPTION...: in $PWD/NAME.
kernel() {
	name=$1 compiler=$2
	shift 2
	cmake -G Ninja -S "$SEL4_SOURCE" -B "b-$name" -DCMAKE_TOOLCHAIN_FILE="$SEL4_SOURCE/gcc.cmake" -DKernelVerificationBuild=OFF -DKernelDebugBuild=OFF \
		-DKernelPrinting=ON -DCROSS_COMPILER_PREFIX="$compiler-" -DCMAKE_INSTALL_PREFIX="$PWD/$name" "$@" >log 2>&1 &&
		ninja -C "b-$name" kernel.elf install >>log 2>&1 || fail "the kernel $name: $(tail -n 5 log)"
}

# image NAME [--flat]: of that kernel, in ./image.
image() {
	SEL4_PREFIX=$PWD/$1
	export SEL4_PREFIX
	[ -d "built-$1" ] || {
		gives 0 sel4 build
		mkdir "built-$1"
	}
	shift
	gives 0 sel4 boot sel4.signal "$@" --initial 5 --delta 1 --group-size 5 --groups 2 --clock icount -o "$PWD/image"
}

is_over() {
	grep -q '^Done!' console
}

# boots WHAT QEMU-WORDS...: record and table are on the console, and the record is whole.
boots() {
	what=$1
	shift
	timeout -k 5 100 "$@" -display none </dev/null >console 2>err &
	emulator=$!
	await 60 is_over || fail "$what: $(tail -n 3 console err)"
	kill $emulator 2>/dev/null
	wait $emulator 2>/dev/null
	"$KBENCH" analyze console >out 2>&1 && grep -q 'sel4.signal' out || fail "$what: $(tail -n 5 out console)"
	echo "$what: booted"
}

# counted QEMU-WORDS...: of boards of QEMU's own.
counted() {
	set -- "$@" -icount shift=0,sleep=off -smp 1 -nodefaults -serial stdio
	boots "$@"
}

kernel virt aarch64-linux-gnu -DKernelPlatform=qemu-arm-virt -DKernelSel4Arch=aarch64 -DARM_CPU=cortex-a53 -DKernelArmExportPMUUser=ON
virt="qemu-system-aarch64 -cpu cortex-a53 -m 1024 -machine virt,secure=off,highmem=off,gic-version=2"
for flat in '' --flat; do
	# shellcheck disable=SC2086 # none or one word
	image virt $flat
	for level in 1 2; do
		# shellcheck disable=SC2086 # words
		counted "aarch64 $flat at EL$level" $virt,virtualization=$([ $level -eq 2 ] && echo on || echo off) -kernel image
	done
done
# Where it is not linked: far above, above and below so that both places overlap, as loaders may put it.
for at in 0x50000000 0x44010000 0x43ff0000; do
	# shellcheck disable=SC2086
	counted "aarch64 --flat from $at" $virt,virtualization=on -device loader,file=image,addr=$at,force-raw=on -device loader,addr=$at,cpu-num=0
done

# Memory that begins at 2 MiB, as the platform's description tells.
kernel rpi3 aarch64-linux-gnu -DKernelPlatform=bcm2837 -DKernelSel4Arch=aarch64 -DKernelArmExportPMUUser=ON
image rpi3
readelf -h image | grep -q 'Entry point address: *0x4200000$' || fail "rpi3: $(readelf -h image | grep Entry)"
image rpi3 --flat
boots "aarch64 --flat, memory at 2 MiB" qemu-system-aarch64 -machine raspi3b -kernel image -serial null -serial stdio

kernel riscv riscv64-linux-gnu -DKernelPlatform=qemu-riscv-virt -DKernelSel4Arch=riscv64
for flat in '' --flat; do
	# shellcheck disable=SC2086
	image riscv $flat
	counted "riscv64 $flat" qemu-system-riscv64 -machine virt -cpu rv64 -m 3072 -bios default -kernel image
done
