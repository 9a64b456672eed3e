#!/bin/sh
# From source to bytes: the page-fault program of each platform is translated and compiled without a warning, composes
# exactly the code that its text says, on any machine, and touches each page once where it can run. Then what the C
# compiler says of a program, and that the programs of the build are benchmarks.
# runs: 2 s
set -eu
. "$KB_SRC/test/support/check.sh"
flags="-std=gnu17 -O1 -Wall -Wextra -Werror -I$KB_SRC/include -I$KB_SRC/src"

[ -x "$KB_BUILD/kbench-translate" ] || skip "this build has no Yamba programs"

# translate PLATFORM CLASS FOLDER: false without the platform's assembler.
translate() {
	(cd "$KB_SRC" && timeout 20 "$KB_BUILD/kbench-translate" "$1" "$3" yamba/lib --program "$2") >"$work/$2.c" 2>"$work/err" ||
		{ grep -q ' Y201: ' "$work/err" && return 1; fail "$2: $(cat "$work/err")"; }
}

# The engine's part of a benchmark is not there.
cat >"$work/driver.c" <<'END'
#include PROGRAM
#include "code/program.h"
#include <sys/resource.h>

int kb_yamba_setup(struct kb_run *run, struct kb_yamba_program *program) { return run && program; }
int kb_yamba_op(struct kb_run *run, struct kb_yamba_program *program, uint64_t n) { return run && program && n; }
int kb_yamba_base(struct kb_run *run, struct kb_yamba_program *program, uint64_t n) { return run && program && n; }

static int compose(unsigned m)
{
	struct y_args_pagefault_func args = { m };
	struct kb_bits bits;
	int result = kb_program_bits(&y_program, &y_entry_pagefault_func, &args, &bits);

	for (size_t i = 0; i < bits.head.used && !result; i++)
		printf("%02x", bits.head.at[i]);
	puts("");
	kb_bits_free(&bits);
	return result;
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

int main(int argc, char **argv)
{
	long before;

	if (argc > 1)
		return compose((unsigned)atoi(argv[1]));
	setup();
	before = faults();
	benchmark();
	printf("%ld faults, %llu operations, %zu bytes\n", faults() - before, (unsigned long long)operations(),
		kb_yamba_code_size((void *)pagefault_func(40)));
	return pagefault_func(40) != pagefault_func(40);
}
END

# words HEX...: each as four bytes, the lowest first.
words() {
	for word; do
		printf '%08x' "0x$word" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/'
	done
}

# expected PLATFORM M: the code as the manuals of the processors encode it.
expected() {
	i=0
	case $1 in
	x86_32) printf 5589e5538b5d08 ;;
	x86_64) printf f30f1efa554889e5534889fb ;;
	aarch64) words d503245f a9bf7bfd 910003fd aa0003e9 ;;
	riscv64) words ff010113 00113423 00813023 01010413 00050293 ;;
	esac
	while [ $i -lt "$2" ]; do
		case $1 in
		x86_32) printf '8b83%s8b00' "$(words "$(printf %x $((4 * i)))")" ;;
		x86_64) printf '488b83%s8a00' "$(words "$(printf %x $((8 * i)))")" ;;
		aarch64) words "$(printf %x $((0xf940012a | i << 10)))" 3940014a ;;
		riscv64) words 00000337 00530333 "$(printf %x $((0x00033303 | 8 * i << 20)))" 00030383 ;;
		esac
		i=$((i + 1))
	done
	case $1 in
	x86_32 | x86_64) printf 5bc9c3 ;;
	aarch64) words a8c17bfd d65f03c0 ;;
	riscv64) words 00813083 00013403 01010113 00008067 ;;
	esac
	echo
}

# size PLATFORM: bytes with 40 touches; the language's design counted them first.
size() {
	case $1 in
	x86_32) echo 330 ;;
	x86_64) echo 375 ;;
	aarch64) echo 344 ;;
	riscv64) echo 676 ;;
	esac
}

for platform in x86_64 x86_32 aarch64 riscv64; do
	class=Y_pagefault_$platform
	translate $platform $class test/golden/yamba/emit || continue
	# shellcheck disable=SC2086 # flags are words
	$cc $flags -DPROGRAM="\"$class.c\"" -I"$work" "$work/driver.c" "$KB_BUILD/lib/libcode.a" "$KB_BUILD/lib/libbase.a" \
		-o "$work/$class" >"$work/err" 2>&1 || fail "$class does not compile: $(cat "$work/err")"
	for m in 0 5 40; do
		timeout 20 "$work/$class" $m >"$work/code" || fail "$class does not compose"
		expected $platform $m >"$work/expected"
		cmp -s "$work/expected" "$work/code" || fail "$class($m) is $(cat "$work/code"), not $(cat "$work/expected")"
	done
	[ "$(tr -d '\n' <"$work/code" | wc -c)" -eq $((2 * $(size $platform))) ] || fail "$class(40) has another size"
	[ $platform = "$arch" ] || continue
	timeout 20 "$work/$class" >"$work/out" || fail "$class does not run"
	# Each of 1200 touches faults; some more come from elsewhere.
	awk -v size="$(size $platform)" '{ exit !($1 >= 1200 && $1 < 1300 && $3 == 1200 && $5 == size) }' "$work/out" ||
		fail "$class: $(cat "$work/out")"
done

# What is wrong in C is told where it stands: figure 2 calls with a pointer what takes a number.
mkdir "$work/bad"
cat >"$work/bad/bad.yamba" <<'END'
yamba Bad {
	int *pages;
	bitstring<void c_function(int *page)> func(unsigned int m) { }
	void benchmark(void)
	{
		func(pages);
	}
}
END
"$KB_BUILD/kbench-translate" "$arch" "$work/bad" --program Bad >"$work/bad.c" || fail "Bad is not translated"
# shellcheck disable=SC2086
! $cc -std=gnu17 -Werror=int-conversion -I"$KB_SRC/include" -c "$work/bad.c" -o "$work/bad.o" 2>"$work/err" ||
	fail "a pointer for a number compiles"
grep -q '/bad\.yamba:6:22: error: ' "$work/err" || fail "the place of a C error: $(cat "$work/err")"

# An error of the language, and of the assembler, is an exit code of 2 and no text.
printf 'yamba Bad { import(x86_64); bitstring b { asm { bogus } } void benchmark(void) { } }\n' >"$work/bad/bad.yamba"
code=0
"$KB_BUILD/kbench-translate" x86_64 "$work/bad" "$KB_SRC/yamba/lib" --program Bad >"$work/bad.c" 2>"$work/err" || code=$?
[ $code -eq 2 ] && [ ! -s "$work/bad.c" ] || fail "a wrong program is translated, exit code $code"
grep -q 'bad\.yamba:1:[0-9]*: error Y20[01]: ' "$work/err" || fail "the place of an assembler's error: $(cat "$work/err")"

# Programs of this build are benchmarks.
timeout 20 "$KBENCH" list "yamba.add_chain_$arch" | grep -q '^yamba\.add_chain_' || fail "kbench list does not know add_chain"
