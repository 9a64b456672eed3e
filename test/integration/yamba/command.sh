#!/bin/sh
# Yamba programs from source to numbers: kbench yamba build, show and run, what goes wrong in each, and C for other programs.
# runs: slow, 30 s
set -eu
. "$KB_SRC/test/support/check.sh"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
unset KBENCH_YAMBA
mkdir temporary

# expect CODE WORD...: runs kbench yamba; out and err are what it printed.
expect() {
	yamba_code=$1
	shift
	gives "$yamba_code" yamba "$@"
}

has() {
	grep -q "$2" "$1" || fail "no '$2' in $1: $(cat "$1")"
}

[ "$(uname -m)" = x86_64 ] || { echo "the programs here are for x86-64"; exit 0; }
command -v as >/dev/null && command -v cc >/dev/null || { echo "lacks as or cc"; exit 0; }

cat >t.yamba <<'END'
#include <stdio.h>
enum order { ORDER_UP, ORDER_DOWN };
// Loads of pointers, one after the other.
yamba Y_touch {
	import(x86_64); import(compiler_x86_64);
	param int limit = 20;           // pointers that are set
	param long start = 0;           // the first offset
	param int late = 0;             // compose late
	bitstring touch(unsigned int i) { asm { mov rax, [rdi + $(8 * i)]; mov al, [rax] } }
	bitstring<void c_function(char **)> touch_func(unsigned int m, long from)
	{ compiler_x86_64.prologue_standard unroll(unsigned int i = 0; i < m; i++) { touch(i + from) }
	  compiler_x86_64.epilogue_standard }
	bitstring<void c_function(void)> odd(void) { asm { mov rbx, 1; .byte 6; nop } }
	char c; char *t[64];
	void setup(void) { for (int i = 0; i < limit; i++) t[i] = &c; if (!late) touch_func(20, start); if (late == 3) kb_yamba_expect("cycles", 1, 0); }
	void benchmark(void) { touch_func(20, start)(t); if (late == 1) touch_func(1, ++turn % 4096); }
	void benchmark_dummy(void) { }
	long turn;
	void teardown(void) { fputs("teardown was here\n", stderr); if (late == 2) touch_func(2, 0x7fffffff); }
	uint64_t operations(void) { return 20; }
	const char *check(void) { return c ? "c changed" : NULL; }
}
END

# ---- show ----
expect 0 show t.yamba
has out 'mov    rax,QWORD PTR \[rdi+0x0\]   <- $(8 \* i) 32S'
expect 0 show t.yamba 'touch_func(2, 1)'
has out '^Y_touch.touch_func(2, 1): 28 bytes of x86_64'
has out '^Y_touch.touch(i=2), unroll i=1, Y_touch.touch_func(m=2, from=1)  t.yamba:9$'
has out 'mov    rax,QWORD PTR \[rdi+0x10\]'
expect 2 show t.yamba 'odd()'
has err '^t.yamba:13: error Y320: '
has err '^t.yamba:13: warning W321: '
has err '^t.yamba:13: error Y322: rbx '
expect 0 show t.yamba 'touch_func(100000, 0)'
has err 'warning W323: 900010 bytes of code'
expect 2 show t.yamba 'touch_func(2, 0x7fffffff)'
has err '^t.yamba:9: error Y301: '
expect 2 show t.yamba -p yamba.max_code=100 'touch_func(50, 0)'
has err 'error Y312: '
for call in 'touch_func(2)' 'touch_func(2, x)' 'touch_func' 'other(1)' 'touch_func(1, 2, 3)'; do
	expect 2 show t.yamba "$call"
	[ "$(wc -l <err)" -eq 1 ] || fail "show $call: not one line"
done

# Composing ends, whatever a composer does: a tree of calls that append nothing, a loop, an entry that asks for itself.
cat >steps.yamba <<'END'
#include <unistd.h>
yamba steps {
	import(x86_64);
	uint64_t again(int n) { return (uint64_t)asks(n + 1); }
	bitstring<void c_function(void)> asks(int n) { asm { movabs rax, $(again(n)); ret } }
	bitstring<void c_function(void)> loops(void) { unroll(;;) { } }
	bitstring<void c_function(void)> divides(int n) { asm { mov eax, $(8 / n); ret } }
	bitstring<void c_function(void)> calls(void) { b40 }
	int stays(int n) { for (;;) pause(); return n; }
	bitstring<void c_function(void)> hangs(int n) { asm { mov eax, $(stays(n)); ret } }
	bitstring b0 { }
END
i=0
while [ $i -lt 40 ]; do
	echo "	bitstring b$((i + 1)) { b$i b$i }"
	i=$((i + 1))
done >>steps.yamba
echo '}' >>steps.yamba
for call in loops calls; do
	expect 2 show steps.yamba -p yamba.max_code=1K "$call()"
	has err 'error Y312: composing takes more than 1048576 steps; a larger yamba.max_code allows more'
done
expect 2 show steps.yamba 'asks(1)'
has err '^steps.yamba: error Y121: steps.asks leads back to itself'
expect 2 show steps.yamba 'divides(2)' 'divides(0)'
has out 'mov    eax,0x4'
has err "C code crashed by signal 8 while composing divides(0)"
expect 2 show steps.yamba 'hangs(1)'
has err "C code did not end within 10 s while composing hangs(1)"

# Bitstrings as arguments.
use=$KB_SRC/test/data/yamba/use/values.yamba
expect 0 check "$use"
expect 0 show "$use" 'f(ops.two, 1)' 'g(0)'
has out '^val.f(ops.two, 1): 9 bytes of x86_64'
has out '^val.sub(), val.twice(), val.both(n=0), val.g(n=0)  '
expect 2 show "$use" 'f(many, 2)'
has err "argument 'op' is a bitstring without parameters, and 'many' is none"
(XDG_CACHE_HOME=$work/values; expect 0 run "$use" --processes 1 --precision 100% --budget 60s --no-store)
printf 'yamba a {\n\timport(x86_64);\n\tbitstring twice(bitstring b) { b b }\n\tbitstring c { twice(c) }\n}\n' >again.yamba
expect 2 check again.yamba
has err "^again.yamba:4:22: error Y121: 'c' leads back to itself"

# A name that is nearly right is told.
expect 2 check "$KB_SRC/test/golden/yamba/bad/suggested.yamba"
for word in x86_64 touch cast_imm_32; do
	has err "^    did you mean '$word'?"
done
expect 2 check "$KB_SRC/bench/yamba/walk.yamba" --start walk_x86_64 -p sizee=4K
has err "^    did you mean 'size'?"

# Files that links lead to are what they lead to: read once, and a circle is one.
mkdir links
ln -s . links/again
ln -s one.yamba links/uno.yamba
echo 'yamba one { }' >links/one.yamba
printf '#transclude "one.yamba"\n#transclude "uno.yamba"\n#transclude "again/one.yamba"\nyamba two extends one { }\n' >links/two.yamba
expect 0 check links/two.yamba
has out '^checked: 2 classes'
printf '#transclude "again/circle.yamba"\nyamba three { }\n' >links/circle.yamba
expect 2 check links/circle.yamba
has err "^links/circle.yamba:1:13: error Y104: 'links/again/circle.yamba' transcludes itself"
has out '1 error,'

# A word with a meaning is one that has it.
printf 'yamba odd {\n\tconst char bound[] = "latencey";\n\tconst char suite[] = "quick";\n}\n' >odd.yamba
expect 2 check odd.yamba
has err "^odd.yamba:2:23: error Y162: 'latencey' is no bound"
has out '1 error,'

# What the assembler says is the cause, also where it has a semicolon.
printf 'yamba odd {\n\timport(x86_64);\n\tbitstring b { asm { mov rax, } }\n}\n' >odd.yamba
expect 2 check odd.yamba
has err "Y200: expecting operand after ','; got nothing\$"
has err '    write it as GNU as takes it'

# has_params NAME=VALUE...: of the result in out, which is JSON.
has_params() {
	for pair in "$@"; do
		has out "\"${pair%%=*}\": \"${pair#*=}\""
	done
}

# ---- build and run ----
CC='env cc' expect 0 build t.yamba -o made
[ -s made/Y_touch.so ] || fail "build made no shared object"
gives 0 run --plugin made/Y_touch.so --budget 60s --precision 100% --processes 1 --no-store --json
has_params limit=20
has err 'teardown was here'
expect 0 run t.yamba --budget 60s --precision 100% --processes 1 --no-store -p limit=40 -p start=8 -p yamba.align=256 --start Y_touch --json
has_params limit=40 start=8
cached() { stat -c '%n %y' cache/kbench/yamba/*.so; }
first=$(cached)
expect 2 run t.yamba --cpus 4095
[ "$first" = "$(cached)" ] || fail "the same source was built twice"
echo '// changed' >>t.yamba
expect 2 run t.yamba --cpus 4095
[ "$(cached | wc -l)" -eq 2 ] || fail "a changed source was not built again"

# A header of the program's own is part of it.
mkdir 'a folder'
printf '#define LIMIT 7\n' >'a folder/own $.h'
sed -e '1i #include "own $.h"' -e 's/limit = 20/limit = LIMIT/' -e 's/Y_touch/Y_own/' t.yamba >'a folder/own.yamba'
expect 2 run 'a folder/own.yamba' --cpus 4095
first=$(cached)
expect 2 run 'a folder/own.yamba' --cpus 4095
[ "$first" = "$(cached)" ] || fail "the same header was compiled twice"
printf '#define LIMIT 9\n' >'a folder/own $.h'
expect 2 run 'a folder/own.yamba' --cpus 4095
[ "$first" != "$(cached)" ] || fail "a changed header was not compiled again"
rm 'a folder/own $.h'
expect 2 run 'a folder/own.yamba' --cpus 4095
has err 'own [$].h: No such file'

# What goes wrong there: a crash with its place, late composition, values, memory.
expect 5 run t.yamba --budget 60s --precision 100% --processes 1 --no-store -p limit=17 --json
tr -d '\n' <out | grep -q 'SIGSEGV in Y_touch.touch(i=17) at +0xa8 (t.yamba:9): mov al,BYTE PTR \[rax\]' || fail "no place of the crash: $(cat out)"
expect 0 run t.yamba --budget 60s --precision 100% --processes 1 --no-store -p late=1 --json
has out 'W402: Y_touch.touch_func was composed inside a sample'
expect 0 run t.yamba --budget 60s --precision 100% --processes 1 --no-store -p late=2
has err '^t.yamba:9: error Y301: '
expect 5 run t.yamba --budget 60s --precision 100% --processes 1 --no-store -p late=3 --json
has out "the counter 'cycles' is none"
expect 5 run t.yamba --budget 60s --precision 100% --processes 1 --no-store -p start=2147483647 --json
has out 't.yamba:9: error Y301: hole value .*; in Y_touch.touch('
has err 'teardown was here'
expect 5 run t.yamba --budget 60s --precision 100% --processes 1 --no-store -p yamba.align=100 --json
has out 'yamba.align=100 and yamba.offset=0 cannot be'
has out 'yamba.offset=0 cannot be: .* whole instructions"'
expect 2 run t.yamba --no-store -p limit=1.5.2
expect 2 check t.yamba --start Y_touch -p limit=q
has err 'error Y162: -p limit=q'

# A param of an import is set by its class. What is only imported is not what a file is meant for. Of a setting with choices the
# one that was made comes back.
printf 'always [madvise] never' >choice
printf '#define CHOICE "%s"\n' choice >import.yamba
cat >>import.yamba <<'END'
yamba sizes { param int width; }
yamba add {
	import(x86_64); import(sizes);
	int result;
	bitstring<int c_function(void)> number(void) { asm { mov eax, $(sizes.width); ret } }
	int error = -1;
	void setup(void) { number(); error = kb_yamba_setting(CHOICE, "always"); }
	void benchmark(void) { result = number()(); }
	const char *check(void) { return error ? "not set" : result == 7 ? NULL : "another number"; }
}
END
expect 2 run import.yamba
has err 'set it with -p sizes.width=VALUE'
expect 2 run import.yamba -p sizes.height=7
expect 2 run import.yamba -p 'sizes.width=7 8'
expect 0 run import.yamba -p sizes.width=7 --processes 1 --precision 100% --budget 60s --no-store --json
has out '"command": "kbench yamba run import.yamba -p .*sizes.width=7'
[ "$(cat choice)" = 'madvise[madvise] never' ] || fail "what comes back is '$(cat choice)'"
expect 5 run import.yamba -p sizes.width=8 --processes 1 --precision 100% --budget 60s --no-store
has out 'another number'

# The library's walk shows steps that are left out.
sed -e '/^yamba walk_x86_64 /,/^}/!d' -e 's/walk_x86_64 extends/half extends/' \
	-e 's/{ asm { mov rbx, \[rbx\] } }/{ if (i % 2) { asm { mov rbx, [rbx] } } }/' "$KB_SRC/bench/yamba/walk.yamba" >half.yamba
has half.yamba 'if (i % 2)'
expect 5 run half.yamba --processes 1 --precision 100% --budget 60s --no-store
has out 'samples: the walk did'

# For another system, as what is shipped for it.
sed 's/import(sizes)/import(darwin)/; s/sizes.width/7/; s/^yamba sizes.*//' import.yamba >darwin.yamba
expect 2 run darwin.yamba
has err "^darwin.yamba:[0-9]*:7: error Y153: 'add' is for darwin, and KBench measures on Linux"
expect 2 run Y_pagefault_x86_32_Darwin
has err "error Y153: 'Y_pagefault_x86_32_Darwin' is for darwin"

# Defaults are what C makes of them; a row has only those that can be typed.
cat >defaults.yamba <<'END'
#define SIZE 5
enum side { SIDE_A = 2, SIDE_B };
yamba defaults {
	import(x86_64);
	param int product = 2 * 8;
	param int size = SIZE;
	param long below = -3;
	param unsigned char letter = 'a';
	param enum side side = SIDE_A + 1;
	param enum side other = SIDE_B;
	param double real = 1.5;
	param double sum = 2 * 1.5;
	param bool right = true;
	int result;
	bitstring<int c_function(void)> all(void) { asm { mov eax, $(product + size + below + letter + side + other); ret } }
	void setup(void) { all(); }
	void benchmark(void) { result = all()(); }
	const char *check(void) { return (result == 16 + 5 - 3 + 97 + 3 + 3 && real + sum == 4.5) == right ? NULL : "another value"; }
}
END
expect 0 run defaults.yamba --processes 1 --precision 100% --budget 60s --no-store --json
has_params product=default size=default below=-3 letter=default side=default other=SIDE_B real=1.5 sum=default right=true
expect 5 run defaults.yamba -p right=false --processes 1 --precision 100% --budget 60s --no-store
has out 'another value'
expect 5 run defaults.yamba -p product=17 --processes 1 --precision 100% --budget 60s --no-store
expect 2 run defaults.yamba -p right=1

# Nothing is left behind by one that is killed while a compiler runs.
printf '#!/bin/sh\nexec sleep 3\n' >slow
chmod +x slow
TMPDIR=$work/temporary CC=$work/slow "$KBENCH" yamba build t.yamba -o killed >out 2>&1 &
pid=$!
building() {
	ls killed 2>/dev/null | grep -q '^Y_touch.so[.]'
}
nothing_left() {
	[ -z "$(ls -A killed)$(ls -A temporary)" ]
}
await 20 building || fail "nothing is being built: $(cat out)"
kill -9 $pid
wait $pid 2>/dev/null || true
await 20 nothing_left || fail "files were left behind by one that was killed: $(ls -A killed temporary)"

TMPDIR=$work/temporary expect 0 show t.yamba 'touch_func(1, 0)'
[ -z "$(ls temporary)" ] || fail "files were left behind: $(ls temporary)"

# ---- C for other programs ----
expect 0 build t.yamba --emit-c --header -o made
cat >main.c <<'END'
#include <stdio.h>
#include "Y_touch.h"
static int fill = 1, keep = 2, newest = 3;     /* names that the run time has, too */
int main(void)
{
	char c = 0, *t[3] = { &c, &c, &c };
	touch_func_t touch = Y_touch.touch_func(3, 0);

	touch(t);
	printf("%zu bytes\n", kb_yamba_code_size((void *)(uintptr_t)touch));
	puts(touch == Y_touch.touch_func(3, 0) && touch != Y_touch.touch_func(2, 0) ? "same" : "other");
	kb_yamba_forget((void *)(uintptr_t)touch);
	printf("%zu bytes\n", kb_yamba_code_size((void *)(uintptr_t)touch));
	fflush(stdout);
	Y_touch.touch_func(2, 0x7fffffff);
	return fill + keep + newest;
}
END
sed 's/Y_touch/Y_twin/g' t.yamba >twin.yamba
expect 0 build twin.yamba --emit-c -o made
cc -O1 -Wall -Wextra -pedantic -Werror -Imade -o main main.c made/Y_touch.c made/Y_twin.c 2>err || fail "the C does not compile"
exits 2 ./main
has out same
has err '^t.yamba:9: error Y301: '
grep -q '^37 bytes$' out && grep -q '^0 bytes$' out || fail "code size and forget: $(cat out)"
printf '#include "Y_touch.h"\nint main() { kb_yamba_forget((void *)Y_touch.touch_func(3, 0)); return Y_touch.program == 0; }\n' >main.cc
if command -v c++ >/dev/null; then
	cc -c -o main.o made/Y_touch.c && c++ -Wall -Wextra -Werror -Imade -o main main.cc main.o 2>err || fail "the header is none for C++: $(cat err)"
	exits 0 ./main
fi

# ---- installed, with what make install puts where ----
mkdir -p root/bin root/libexec/kbench root/share/kbench/yamba
cp "$KBENCH" root/bin/kbench
cp "$KB_COLLECT" root/libexec/kbench/kbench-collect
cp -R "$KB_SRC/yamba/lib" root/share/kbench/yamba/lib
cp -R "$KB_SRC/bench/yamba" root/share/kbench/yamba/bench
there=$KBENCH
KBENCH=$work/root/bin/kbench
for words in 'check pagefault_x86_64' 'show pagefault_x86_64' 'port pagefault' 'build walk -o made' 'table --list' \
	'run walk -p size=10000 --budget 60s --precision 100% --processes 1 --no-store'; do
	# shellcheck disable=SC2086
	expect 0 $words
done
# Templates become code.
chmod o+w root/share/kbench/yamba/bench/forms_x86_64.forms
expect 2 table --list
has err 'everybody can write .*forms_x86_64.forms'
KBENCH=$there

# ---- wrong use, and what is missing ----
PATH=/nothing "$KBENCH" yamba check t.yamba >out 2>err || fail "check without an assembler: exit code $?"
has out 'those of x86_64 not: its assembler is not here'
CC=no-such-compiler expect 2 build t.yamba -o made
has err 'error Y201: '
CC=false expect 2 build t.yamba -o made
has err '^false: failed without output'
expect 2 build linux
has err 'nothing to build'
for words in "run" "run none.yamba" "show t.yamba -o x" "build -p a=1 t.yamba" "run -p a=1 t.yamba"; do
	# shellcheck disable=SC2086
	expect 2 $words
	[ "$(wc -l <err)" -eq 1 ] || fail "$words: not one line"
done
