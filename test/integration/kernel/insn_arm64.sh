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
debian_kernel

gives 0 kernel insn --kernel "$image" --headers "$headers" kernel.null kernel.imul kernel.mutex kernel.fib_lookup
says '^kernel.null  *0  exact$'
says '^kernel.imul  *10  exact$'
says '^kernel.mutex  *[1-9][0-9]*  exact$'
says '^kernel.fib_lookup  *[1-9][0-9]*  exact$'
gives 0 show last kernel.imul
says 'kernel.imul  *10 insn  *exact'

# One nop more in an inline function of the headers, in a benchmark of one's own.
patched_headers
write_listings .
gives 1 kernel insn --kernel "$image" --headers "$patched" --against "$image" --against-headers "$headers" --bench siphash.c \
	-p bytes=64 --markdown
says '^[|] kernel.siphash [|] [0-9]* [|] [0-9]* [|] [+]1 [(]'

# Counters of the processor inside the window, which this emulated one has: instructions of a sample are those that its clock counts.
gives 0 kernel build null imul mutex --headers "$headers" -o "$PWD/counted"
mkdir -p root/modules root/dev
cp counted/*.ko root/modules/ && cp "$(dirname -- "$KBENCH")/kbench-guest-aarch64" root/init || fail "no guest for aarch64"
{
	echo 'module /modules/kbench.ko'
	for name in null imul mutex; do echo "module /modules/kbench_$name.ko"; done
	for name in null imul mutex; do
		printf 'bench %s\nevent 0:1:0:0:0:instructions\nevent 1:3:0:0:0:context-switches\nevent 0:ffff:0:0:0:none\n' $name
		printf 'process method=slope seed=1 process=1\nwarm 0 o100 b100\nblock 1 o1000 b1000 o2000 b2000\nblock 2 o2000 b2000\nend\n'
	done
} >root/plan
(cd root && find . | LC_ALL=C sort | cpio -o -H newc --quiet) >root.cpio
timeout -k 5 200 qemu-system-aarch64 -M virt,gic-version=3 -accel tcg -cpu max,pauth-impdef=on,cntfrq=1000000000 -m 512 -smp 1 -icount shift=0,sleep=off -display none \
	-serial stdio -no-reboot -nodefaults -kernel "$image" -initrd root.cpio -append 'console=ttyAMA0 loglevel=1 panic=-1 oops=panic nokaslr' \
	</dev/null >console 2>err || fail "the guest that counts: $(tail -n 3 console err)"
tr -d '\r' <console >records
# Of 5000 operations: 0, 10 and, as a clock counts them, 69 to 73.
for bounds in null:0:0.3 imul:10:10.3 mutex:69:73; do
	name=${bounds%%:*}
	awk -v name="kernel.$name" -v bounds="$bounds" '
		$1 == "bench" { here = $2 == name }
		here && ($1 == "e" || $1 == "eb") && $2 == "perf:instructions" { count[$1] = $3; operations = $4 }
		here && $2 == "perf:none" { wrong = 1 }
		here && $1 == "e" && $2 == "perf:context-switches" { switches = $3 "" }
		END {
			split(bounds, limit, ":")
			each = operations ? (count["e"] - count["eb"]) / operations : -1
			print name, each, "instructions of the processor an operation"
			exit !(each >= limit[2] && each <= limit[3] && operations == 5000 && switches == "0" && !wrong)
		}' records || fail "$name: $(grep -aE '^(bench|e|eb|fail) ' records)"
done

# Kernels of two architectures are not compared.
other=$(KB_GUEST_KERNEL='' "$guest" fetch 2>error) || fail "$(cat error)"
gives 2 kernel insn --kernel "$image" --headers "$headers" --against "$(ls "$other"/system/boot/vmlinuz-*)" \
	--against-headers "$(ls -d "$other"/system/usr/src/linux-headers-*-cloud-amd64)"
says 'are kernels for two architectures'

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
