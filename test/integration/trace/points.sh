#!/bin/sh
# Trace points from outside: the listings of doc/trace.md, points that compile to nothing, the library alone, and the command.
# runs: slow, 4 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/tracing.sh"

compile() {
	# shellcheck disable=SC2086 # options
	$cc -std=gnu11 -O2 -Wall -Wextra -Werror -I"$KB_SRC/include" -I"$KB_BUILD/made" "$@"
}
# listing N FILE: the N-th listing in C of the page.
listing() {
	awk -v n="$1" '/^```c$/ { on = ++seen == n; next } /^```$/ { on = 0 } on' "$KB_SRC/doc/trace.md" >"$2"
	[ -s "$2" ] || fail "doc/trace.md has no listing $1"
}

listing 1 program.c
compile program.c "$KB_BUILD/libkbench.a" -o program
./program
"$KBENCH" trace analyze program.log >out
grep -q '^program.log: 1000 entries of 1 thread, 0 lost, 0 saturated$' out || fail "$(cat out)"
grep -q '^    0       1000 ' out || fail "no row of key 0: $(cat out)"
"$KBENCH" trace analyze --json program.log | python3 -c '
import json, sys
log = json.load(sys.stdin)
assert log["schema"] == "kbench-trace/1" and log["counts"]["entries"] == 1000, log
key, = log["keys"]
total, effective = log["overhead"]["total"], log["overhead"]["effective"]
assert total["samples"] == effective["samples"] == 740
value, corrected = key["value"]["median_ticks"]["value"], key["corrected"]["median_ticks"]["value"]
assert abs(value - corrected - effective["median_ticks"]["value"]) < 1e-6 and key["inside"] == 0, key
'
# What a log of ten has no room for.
sed 's/kb_trace_begin(100000)/kb_trace_begin(10)/; s/program.log/ten.log/' program.c >ten.c
compile ten.c "$KB_BUILD/libkbench.a" -o ten
./ten && "$KBENCH" trace analyze ten.log >out
grep -q '^ten.log: 10 entries of 1 thread, 990 lost (log full' out || fail "a log of ten: $(cat out)"
# It is a record like any other.
"$KBENCH" analyze program.log >plain || fail "kbench analyze: exit code $?"
ldd program | grep -v 'libc\.\|vdso\|ld-linux\|libpthread' && fail "the program needs more than libc"

# A program without a log dumps the overhead, on a clock of the same rate.
printf '#include <kbench_trace.h>\nint main(void)\n{\n\treturn kb_trace_dump_file("none.log");\n}\n' >none.c
compile none.c "$KB_BUILD/libkbench.a" -o none
./none && "$KBENCH" trace analyze none.log >out && grep -q '^none.log: 0 entries of 0 threads' out || fail "no log: $(cat out)"
awk '/^clock/ { sub(/.*hz=/, ""); hz[++n] = $1 + 0 } END { exit !(n == 2 && hz[1] < 1.2 * hz[2] && hz[2] < 1.2 * hz[1]) }' program.log none.log ||
	fail "the rate of the clock: $(grep -h ^clock program.log none.log)"

# The other listings are what a function does.
for n in 2 3; do
	listing $n body
	{
		echo '#include <kbench_trace.h>'
		echo 'void f(void); void g(void); void h(void); void point(int c);'
		echo 'void point(int c) {'
		cat body
		echo '}'
	} >"body$n.c"
	compile -c "body$n.c" -o "body$n.o"
	# Without trace points the code is that of a source without them.
	compile -DKB_TRACE_MAX=0 -c "body$n.c" -o with.o
	grep -v KB_TRACE "body$n.c" >without.c
	compile -c without.c -o without.o
	for part in with without "body$n"; do
		objdump -dr "$part.o" | sed 1,3d >"$part.s"
	done
	cmp with.s without.s || fail "KB_TRACE_MAX=0 leaves code behind"
	! cmp -s with.s "body$n.s" || fail "trace points compile to nothing"
done
nm with.o | grep -q kb_trace && fail "KB_TRACE_MAX=0 needs symbols"

# In the fast path no call of anything.
nm body3.o | grep ' U ' | grep -v ' [fgh]$\| kb_trace_thread$\|__tls_get_addr\|_GLOBAL_OFFSET_TABLE_' && fail "a trace point calls something"

# In C++, in two files and a shared library that have points of their own, in one log of the program's.
cat >part.cc <<'END'
#include <kbench_trace.h>
extern "C" void part(unsigned key);
void part(unsigned key)
{
	KB_TRACE_START(key);
	KB_TRACE_STOP(key);
	KB_TRACE_MARK(3);
}
END
cat >whole.cc <<'END'
#include <kbench_trace.h>
#include <kbench_track.h>
extern "C" void part(unsigned key);
int main()
{
	if (kb_trace_begin(10) || kb_track_finalise() != 0)
		return 1;
	KB_TRACE_START(1);
	part(2);
	KB_TRACE_STOP(1);
	return kb_trace_dump_file("whole.log") ? 1 : 0;
}
END
printf '#include <kbench_trace.h>\nvoid p();\nvoid p() { KB_TRACE_START(128); }\n' >large.cc
if command -v "${CXX:-c++}" >/dev/null; then
	compile_cxx() {
		${CXX:-c++} -std=c++11 -O2 -Wall -Wextra -Wshadow -Wconversion -pedantic -Werror -I"$KB_SRC/include" -I"$KB_BUILD/made" "$@"
	}
	compile_cxx part.cc whole.cc "$KB_BUILD/libkbench.a" -o files
	compile_cxx -fPIC -shared part.cc -o libpart.so
	compile_cxx whole.cc ./libpart.so "$KB_BUILD/libkbench.a" -o shared
	# And a library that has the logs, too.
	compile_cxx -fPIC -shared part.cc -Wl,--whole-archive "$KB_BUILD/libkbench.a" -Wl,--no-whole-archive -o liball.so
	compile_cxx whole.cc ./liball.so -o all
	for program in files shared all; do
		./$program && "$KBENCH" trace analyze whole.log >out || fail "$program"
		grep -q '^whole.log: 3 entries of 1 thread,' out && grep -q '^    3          1  marks$' out || fail "$program: $(cat out)"
	done
	! compile_cxx -c large.cc -o large.o 2>said && grep -q 'numbered below KB_TRACE_MAX' said || fail "a key of 128: $(cat said)"
fi

# A key that is too large does not compile.
printf '#define KB_TRACE_MAX 2\n#include <kbench_trace.h>\nvoid p(void);\nvoid p(void)\n{\n\tKB_TRACE_START(2);\n}\n' >large.c
! compile -c large.c -o large.o 2>said || fail "a key of 2 compiled with KB_TRACE_MAX 2"
grep -q 'numbered below KB_TRACE_MAX' said || fail "$(cat said)"

# Every platform has its stamps.
for arch in x86_64 x86_32 aarch64 riscv64; do
	sh "$KB_SRC/tools/public-stamp" "$arch" "$KB_SRC" >stamp.h
	grep -q 'kb_stamp_begin' stamp.h || fail "no stamps for $arch"
	! grep '#include "' stamp.h || fail "the stamps of $arch do not stand alone"
done

"$KBENCH" trace overhead >out
[ "$(grep -c '^  ordered  *740 ' out)" -eq 2 ] && [ "$(grep -c '^  light  *740 ' out)" -eq 2 ] || fail "$(cat out)"
cat out
"$KBENCH" trace overhead --samples 100 --json | grep -q '"samples": 100' || fail "no --samples"

refused 2 'overhead, analyze, ' kbench trace
refused 2 'no subcommand .wrong. (overhead, analyze, ' kbench trace wrong
refused 2 'did you mean analyze' kbench trace analyse
refused 2 'which log' kbench trace analyze
refused 2 'No such file' kbench trace analyze no-such.log
refused 2 'unknown option' kbench trace analyze --samples 5 program.log
refused 2 'must be' kbench trace overhead --samples 1
head -c 3000 program.log >cut.log
refused 2 'cut.log: ' kbench trace analyze cut.log
printf 'hello\n' >text.log
refused 2 'text.log: ' kbench trace analyze text.log
