#!/bin/sh
# Extensions of instruction sets and microarchitectures, imported: the assembler takes their instructions in the blocks of that class
# alone, and a machine or an emulator without them skips the program with the reason.
# runs: slow, 15 s
set -eu
. "$KB_SRC/test/support/check.sh"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
needs as
# The processor of this machine in the words of the library.
this=$(awk -F '[ \t]*: *' '$1 == "vendor_id" { vendor = $2 } $1 == "cpu family" { family = $2 } $1 == "model" && !model { model = $2 }
	END { print vendor, family, model, model }' /proc/cpuinfo)
sed "s/THIS/$this/" "$KB_SRC/test/data/yamba/use/extensions.yamba" >ext.yamba

gives 0 yamba check ext.yamba
! grep -q ' not: ' out && checked=1 || checked=

# runs NAME WORD...: that program; what came of it in $status, and the reason in out.
runs() {
	program=$1
	shift
	code=0
	"$KBENCH" yamba run ext.yamba --start "ext_$program" --processes 1 --precision 100% --budget 60s --no-store --json "$@" >out 2>err || code=$?
	[ $code -eq 0 ] || [ $code -eq 5 ] || fail "$program: exit code $code: $(printed)"
	status=$(sed -n 's/.*"status": "\(.*\)".*/\1/p' out | head -n 1)
}

if [ "$arch" = x86_64 ]; then
	for name in avx2:avx2 avx512:avx512vl; do
		runs ${name%:*}
		if grep -qw "${name#*:}" /proc/cpuinfo; then
			# What it costs is not asked here; that its instructions ran is.
			[ "$status" != skipped ] && ! grep -q 'crashed\|set-up failed' out || fail "${name%:*} is $status: $(grep evidence out)"
		else
			[ "$status" = skipped ] && grep -q "${name%:*}: this processor has not all of" out || fail "${name%:*} is $status"
		fi
	done
	# One of two processors is not this one.
	other=zen3
	case $this in AuthenticAMD\ 25\ *) other=zen5 ;; esac
	runs $other
	[ "$status" = skipped ] && grep -q "$other: this is another processor" out || fail "$other is $status: $(printed)"
	gives 0 yamba show ext.yamba --start which 'f()'
	grep -q 'mov    eax,0x3' out || fail "the program for this processor was not chosen: $(printed)"
fi

for name in aarch64:sve aarch64:sve2 riscv64:zbb riscv64:zba riscv64:rvv; do
	platform=${name%:*} extension=${name#*:}
	[ -x "$KB_COLLECT-$platform" ] && command -v "qemu-$platform" >/dev/null && [ -n "$checked" ] || continue
	case=$extension
	gives 0 yamba show ext.yamba --start "ext_$extension" 'f(1)'
	runs "$extension" --emulate
	if [ "$extension" = rvv ]; then
		[ "$status" = skipped ] && grep -q 'rvv: this processor has no vectors' out || fail "without vectors it is $status"
		QEMU_CPU=rv64,v=true runs rvv --emulate
	fi
	[ "$status" = unverified ] || [ "$extension" = sve2 ] || fail "it is $status: $(printed)"
done
