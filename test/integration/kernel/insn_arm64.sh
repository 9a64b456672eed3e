#!/bin/sh
# kbench kernel insn on a kernel for arm64, Debian's: its modules are built by a cross compiler where this machine is another, and counted in
# an emulated machine. What holds on any platform is in insn.sh.
# runs: full, 60 s; it boots emulated machines
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/kernel_doc.sh"
guest=$KB_SRC/tools/guest
KB_GUEST='' KB_GUEST_KERNEL=arm64
export KB_GUEST KB_GUEST_KERNEL

[ "$arch" = aarch64 ] || command -v aarch64-linux-gnu-gcc >/dev/null || {
	echo "insn_arm64: no aarch64-linux-gnu-gcc; install gcc-aarch64-linux-gnu"
	exit 77
}
folder=$("$guest" fetch 2>error) || {
	code=$?
	cat error
	exit $code
}
unset COLUMNS
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
image=$(ls "$folder"/system/boot/vmlinuz-*) headers=$(ls -d "$folder"/system/usr/src/linux-headers-*-arm64)

gives 0 kernel insn --kernel "$image" --headers "$headers" kernel.null kernel.imul kernel.mutex kernel.fib_lookup
says '^kernel.null  *0  exact$'
says '^kernel.imul  *10  exact$'
says '^kernel.mutex  *[1-9][0-9]*  exact$'
says '^kernel.fib_lookup  *[1-9][0-9]*  exact$'
gives 0 show last kernel.imul
says 'kernel.imul  *10 insn  *exact'

# One nop more in an inline function of the headers, in a benchmark of one's own.
cp -al "$folder/system" patched 2>/dev/null || { rm -rf patched && cp -a "$folder/system" patched; } || exit 1
inline=$(find patched -path '*common*/include/linux/siphash.h' | head -n 1)
cp "$inline" plain.h && rm "$inline"
awk '{ print } /^static inline u64 siphash\(/ { inside = 1 } inside && /^\{/ { print "\tasm volatile(\"nop\");"; inside = 0 }' plain.h >"$inline"
[ "$(grep -c nop "$inline")" -eq 1 ] || fail "no nop in the copy of siphash.h"
write_listings .
gives 1 kernel insn --kernel "$image" --headers "patched/usr/src/$(basename "$headers")" --against "$image" --against-headers "$headers" --bench siphash.c \
	-p bytes=64 --markdown
says '^[|] kernel.siphash [|] [0-9]* [|] [0-9]* [|] [+]1 [(]'

# Modules of the other machine, and what is missing where nothing compiles for it.
gives 0 kernel build null --headers "$headers" -o "$PWD/made"
readelf -h made/kbench_null.ko | grep -q 'AArch64' || fail "made: $(readelf -h made/kbench_null.ko)"
[ "$arch" = aarch64 ] || {
	mkdir bin
	for program in make gcc; do
		ln -s "$(command -v $program)" bin/
	done
	code=0
	PATH=$PWD/bin "$KBENCH" kernel build null --headers "$headers" -o "$PWD/none" >out 2>err || code=$?
	[ $code -eq 3 ] && grep -q 'is for aarch64, and there is no aarch64-linux-gnu-gcc: install gcc-aarch64-linux-gnu' err ||
		fail "without a cross compiler: exit code $code: $(cat out err)"
}
