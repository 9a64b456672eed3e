#!/bin/sh
# The examples of doc/add-a-benchmark.md: the C files compile without a warning, the commands run as they stand there, and
# the rows have a number and a verdict.
# runs: slow, 12 s
set -eu
. "$KB_SRC/test/support/check.sh"

ln -s "$KB_SRC/include" include
for example in 'bench=c program' 'descriptor=c descriptor' 'measure=c measure' 'mine=c'; do
	file=${example%%=*}.c
	listings "${example#*=}" add-a-benchmark.md >"$file"
	grep -q 'KB_[A-Z_]*(' "$file" || fail "no $file"
	# shellcheck disable=SC2086 # $cc may be several words
	$cc -std=gnu11 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Werror -Iinclude \
		-c "$file" -o mine.o || fail "$file gives warnings"
done
[ "$(wc -l <bench.c)" -eq 5 ] || fail "the program of five lines has $(wc -l <bench.c)"

# Where a reader has cc, kbench and what `make install` has installed (library.sh looks at that).
mkdir bin
printf '#!/bin/sh\nexec %s "$@"\n' "$cc" >bin/cc
printf '#!/bin/sh\necho "-Iinclude -L%s %s"\n' "$KB_BUILD" "$(sed -n 's/^Libs: -L[^ ]* //p' "$KB_BUILD/kbench.pc")" >bin/pkg-config
chmod +x bin/cc bin/pkg-config
ln -s "$KBENCH" bin/kbench
PATH=$PWD/bin:$PATH

# ---- programs ---------------------------------------------------------------------------------------------------

# On a busy machine a result may be noisy, and one that comes to no steady state is invalid.
listings 'sh program' add-a-benchmark.md >commands
sh -u commands >out 2>err || grep -q 'steady state' out || fail "bench.c: $(printed)"
reads '^bench . 1 result'
grep -Eq '^  parse .* [nu]s .* unverified |steady state' out || fail "bench.c: $(printed)"
new=$(kbench new benchmark list.length) || fail "kbench new fails"
for program in 'descriptor parse' 'measure getppid' 'list.length list.length'; do
	# shellcheck disable=SC2046,SC2086 # words
	cc -O2 ${program% *}.c $(pkg-config --cflags --libs kbench) -o program || fail "$program does not build"
	./program --budget 2s >out 2>err || grep -q 'steady state' out || fail "$program: $(printed)"
	# The syscall of one of them cannot be counted everywhere.
	grep -Eq '(^| )(ok|noisy)( |$)' out || grep -Eq 'steady state|cannot be counted' out || fail "$program: $(printed)"
	kbench runs | grep -q . || fail "$program left no run"
done
[ "$new" = 'list.length.c: cc -O2 list.length.c $(pkg-config --cflags --libs kbench) -o list.length && ./list.length' ] || fail "kbench new prints $new"
refuses 2 "^kbench new: 'list.length.c' exists" new benchmark list.length
refuses 2 "'a b': is no name for a benchmark" new benchmark 'a b'
refuses 2 'missing NAME' new benchmark
refuses 2 "no subcommand 'bench' \(benchmark\)" new bench x
refuses 2 "cannot write '/proc/none/x.c'" new benchmark x -o /proc/none/x.c
kbench new benchmark list.length -o - | cmp - list.length.c || fail "kbench new -o - prints something else"

# ---- the plug-in ------------------------------------------------------------------------------------------------

listings sh add-a-benchmark.md >commands
grep -q -- '--plugin ./mine.so' commands || fail "no commands"
# Without -e: `kbench run` ends with 5 if a row is invalid, which is judged below. Everything else that fails says so.
sh -u commands >out 2>err || fail "the last command fails: $(cat out err)"
[ ! -s err ] || fail "on standard error: $(cat err)"
grep -q 'evidence *syscalls of all: 0' out || fail "show --verbose has no evidence: $(cat out)"

# only_unsteady ROW: no reason makes it invalid but that it became slower, or faster, all the time.
only_unsteady() {
	for code in $(printf '%s\n' "$1" | cut -f 12); do
		[ "$code" = no_steady_state ] || ! grep -q "X($code, *KB_MAKES_INVALID" "$KB_SRC/src/base/verdict.h" || return 1
	done
}

# On a busy machine noise makes a row noisy, and a neighbour that comes or goes unsteady; nothing makes it wrong.
kbench show --json >json
results json >rows
for bytes in 16 256 4096; do
	row=$(grep "^plugin.mine bytes=$bytes	" rows) || fail "no row of bytes=$bytes: $(cat out)"
	case $(printf '%s\n' "$row" | cut -f 2) in
	ok | noisy) ;;
	unverified) printf '%s\n' "$row" | grep -q 'expect_unknown \[syscalls' || fail "$row" ;;
	invalid) only_unsteady "$row" || fail "$row: $(cat out)" ;;
	*) fail "$row: $(cat out)" ;;
	esac
	printf '%s\n' "$row" | awk -F '\t' '$3 > 0 && $6 > 0 && $7 > 0 { good = 1 } END { exit !good }' ||
		fail "no number: $row"
done

# More bytes cost more: it is really the function that is measured.
awk -F '\t' '{ of[$1] = $3 } END { exit !(of["plugin.mine bytes=4096"] > 8 * of["plugin.mine bytes=256"]) }' rows ||
	fail "4096 bytes cost no more than 256: $(cat rows)"
