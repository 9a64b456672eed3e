#!/bin/sh
# The example of doc/add-a-benchmark.md: its C file compiles without a warning, its commands run as they stand there, and
# the rows have a number and a verdict.
# runs: slow, 5 s
set -eu
. "$KB_SRC/test/support/check.sh"

ln -s "$KB_SRC/include" include
listings c add-a-benchmark.md >mine.c
grep -q KB_BENCHMARK mine.c || fail "no C file"
# shellcheck disable=SC2086 # $cc may be several words
$cc -std=gnu11 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Werror -Iinclude \
	-c mine.c -o mine.o || fail "the example gives warnings"

# Where a reader has cc and kbench.
mkdir bin
printf '#!/bin/sh\nexec %s "$@"\n' "$cc" >bin/cc
chmod +x bin/cc
ln -s "$KBENCH" bin/kbench
PATH=$PWD/bin:$PATH
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
