#!/bin/sh
# Composed functions that do to their caller what they must not: an error at the first call, before anything is measured, which names the
# function and what it did. Crashes, an end without a return and endless loops name where they are.
# runs: slow, 40 s
set -eu
. "$KB_SRC/test/support/check.sh"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
program=$KB_SRC/test/data/yamba/use/lose.yamba
needs as

natively=$arch
! runs_32_bits || natively="$arch x86_32"

# lose PLATFORM WHAT CODE WORDS
lose() {
	case="$1, $2"
	case " $natively " in
	*" $1 "*) emulate= ;;
	*) emulate=--emulate ;;
	esac
	limit=30s
	[ "$2" != endless ] || limit=3s
	# shellcheck disable=SC2086 # a word, or none
	gives "$3" yamba run "$program" --start "lose_$1" $emulate -p "what=$2" --processes 1 --precision 100% --budget 60s --timeout $limit --no-store --json
	grep -q "$4" out || fail "no '$4' in $(grep -E '"evidence":|"error"' out || head -c 2000 out)"
}

if [ "$arch" = x86_64 ]; then
	lose x86_64 nothing 0 '"status"'
	lose x86_64 registers 5 'lose.yamba:[0-9]*: error Y324: lose_x86_64.f(n=5) does not bring back r12, r14; restore'
	for register in r12 r14; do
		grep -q "lose.yamba:[0-9]*: error Y322: $register belongs to the caller" err || fail "the line that loses $register is not told: $(cat err)"
	done
	lose x86_64 state 5 'Y324: lose_x86_64.f(n=5) does not bring back MXCSR;'
	lose x86_64 direction 5 'Y324: .* the direction flag;'
	lose x86_64 mmx 5 'Y324: .* the x87 registers (emms is missing);'
	lose x86_64 low 5 'Y324: .* the stack pointer, which is 8 bytes lower than at the call;'
	lose x86_64 high 5 'SIGSEGV in lose_x86_64.f(n=5), behind its return: the stack pointer is 8 bytes higher'
	lose x86_64 left 5 'SIGSEGV in lose_x86_64.f(n=5)'
	lose x86_64 divide 5 'SIGFPE in lose_x86_64.step(i=3) at +0x5 (.*lose.yamba:36): div eax'
	lose x86_64 wrong 5 'SIGILL in lose_x86_64.step(i=3) at +0x3 (.*lose.yamba:37)'
	lose x86_64 end 5 'SIGTRAP in lose_x86_64.f(n=5), behind its last instruction, which is no return'
	lose x86_64 endless 5 'timeout after 3.0 s in lose_x86_64.step(i=3) at +0x3 (.*lose.yamba:35): jmp'
	lose x86_64 look 0 'W402: look-ups of composed functions: 2 a call of benchmark(), 1 of benchmark_dummy(), the last of them lose_x86_64.f;'
fi
# Deep and left by a jump, and all the same right.
if [ "$arch" = x86_64 ]; then
	case=nested
	gives 0 yamba run "$KB_SRC/test/data/yamba/use/nested.yamba" --processes 1 --precision 100% --budget 60s --no-store --json
	! grep -q 'crashed\|another depth\|Y324' out || fail "$(grep '"evidence":' out)"
fi

# What show finds in a function, run tells of those that it composed.
if [ "$arch" = x86_64 ]; then
	case=lint
	cat >lint.yamba <<'END'
yamba lint {
	import(x86_64);
	param int m = 3;
	bitstring<int c_function(void)> f(int n)
	{ asm { mov r8, rbx; mov rbx, 5; mov rbx, r8; mov eax, $(n); jmp @over; .byte 6; @over: ret } }
	bitstring<int c_function(void)> big(long n, double x) { unroll(int i = 0; i < n; i++) { asm { add eax, 1 } } asm { ret } }
	int result;
	void setup(void) { f(m); big(1000000, 1.5); }
	void benchmark(void) { result = f(m)(); }
	const char *check(void) { return result == m ? NULL : "another"; }
}
END
	gives 0 yamba run lint.yamba -p m=4,5 --processes 1 --precision 100% --budget 60s --no-store
	for words in 'lint.yamba:5: error Y320: bytes that are no instruction' 'lint.yamba:5: warning W322: rbx belongs to the caller' \
		'lint.yamba: warning W323: 3000001 bytes of code'; do
		grep -q "^$words" err || fail "no '$words' in $(cat err)"
	done
	printf 'yamba lost {\n\timport(x86_64);\n\tbitstring<void f(void)> f { asm { mov r12d, 1; ret } }\n}\n' >lost.yamba
	gives 2 yamba show lost.yamba 'f()'
	grep -q '^lost.yamba:3: error Y322: r12 belongs to the caller and is not brought back' err || fail "show: $(cat err)"
fi
for platform in x86_32 aarch64 riscv64; do
	[ -x "$KB_BUILD/kbench-collect-$platform" ] || continue
	[ $platform = x86_32 ] || command -v "qemu-$platform" "qemu-$platform-static" >emulator || continue
	case $platform in
	x86_32) registers='ebx, edi' state='the x87 control word' low=8 ;;
	aarch64) registers='x19, x28' state=FPCR low=16 ;;
	riscv64) registers='s1, s11' state=frm low=16 ;;
	esac
	lose $platform nothing 0 '"status"'
	lose $platform registers 5 "Y324: lose_$platform.f(n=5) does not bring back $registers;"
	lose $platform state 5 "Y324: .* does not bring back $state;"
	lose $platform low 5 "Y324: .* the stack pointer, which is $low bytes lower"
	[ $platform != aarch64 ] || lose $platform reals 5 'Y324: .* does not bring back d8, d15;'
	[ $platform != riscv64 ] || lose $platform reals 5 'Y324: .* does not bring back fs0, fs11;'
done
