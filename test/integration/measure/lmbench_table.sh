#!/bin/sh
# test/lmbench.py holds KBench's results beside those of programs that print as lmbench's do: the units, the ratio, what it says about a ratio
# outside the limits, and that the same command goes on where it ended. The loops of --why run, and doc/lmbench.md has a reason for each line.
# runs: full, 25 s; measures, and hand-written loops
set -eu
. "$KB_SRC/test/support/check.sh"
command -v python3 >/dev/null || skip "needs python3"
command -v taskset >/dev/null || skip "needs taskset"
page=$KB_SRC/doc/lmbench.md
mkdir tmp programs
TMPDIR=$PWD/tmp XDG_DATA_HOME=$PWD/data XDG_CACHE_HOME=$PWD/cache
export TMPDIR XDG_DATA_HOME XDG_CACHE_HOME

# program NAME TEXT: prints the text, as lmbench does, to standard error.
program() {
	printf '#!/bin/sh\nprintf "%s" >&2\n' "$2" >"programs/$1"
	chmod +x "programs/$1"
}

beside() {
	"$KB_SRC/test/lmbench.py" --build "$KB_BUILD" --lmbench programs --state state --seconds 1 "$@"
}

# column NAME N: of the table's line of a program; our value, theirs and the ratio are numbers behind the benchmark's parameters.
line_of() {
	grep "^$1 " out || fail "no line of $1 in: $(cat out)"
}

# ---- units, and ratios outside the limits ------------------------------------------------------------------

program lat_syscall 'Simple syscall: 0.0010 microseconds\n'
program lat_ops 'integer bit: 0.30 nanoseconds\ninteger add: 0.20 nanoseconds\n'
program bw_mem '0.016384 1000.00\n'
program lat_sem 'Semaphore latency: 1.5000 microseconds\n'
rc=0
beside --rounds 1 --only sys.null >out || rc=$?
[ $rc -eq 1 ] || fail "a ratio without a reason: exit code $rc: $(cat out)"
line_of 'lat_syscall null' | grep -q ' 1 ns  *1 ns  *[1-8] .*no reason' || fail "1 ns, no reason: $(cat out)"
grep -q '^0 of 1 ratios within 0.9 to 1.1; 0 outside have a reason, 1 have none' out || fail "the sum: $(cat out)"

cp state before
beside --rounds 1 --only sys.null >out || :
cmp -s state before || fail "a finished round was measured again"
beside --rounds 2 --only sys.null >out || :
[ "$(wc -l <state)" -eq 2 ] || fail "the second round is not a second line"

rm -f state state.db
beside --rounds 1 --only 'bw_mem 16k bzero' >out || :
line_of 'bw_mem 16k bzero' | grep -q ' 1 GB/s  *1 GB/s ' || fail "1000 MB/s are 1 GB/s: $(cat out)"
beside --rounds 1 --only ipc.sem >out || fail "a ratio with a reason: exit code $?: $(cat out)"
line_of 'lat_sem' | grep -q ' 3 us  *3 us .*see lat_sem' || fail "half an operation counts twice: $(cat out)"
beside --rounds 1 --only lat_fcntl >out 2>&1 || :
! grep -q 'lat_fcntl' state || grep 'lat_fcntl' state | grep -q '"theirs": \[\]' || fail "a program that does not exist has a value"

rc=0
beside --only nothing_has_this 2>err || rc=$?
[ $rc -eq 1 ] && grep -q -e '--only nothing_has_this' err || fail "a line that does not exist: $rc, $(cat err)"
rc=0
"$KB_SRC/test/lmbench.py" --print 2>err || rc=$?
[ $rc -eq 2 ] && grep -q -e '--state FILE' err || fail "no state: $rc, $(cat err)"
[ -z "$(ls tmp)" ] || fail "left $(ls tmp)"

# ---- the page ---------------------------------------------------------------------------------------------------

"$KB_SRC/test/lmbench.py" --list >lines
[ "$(wc -l <lines)" -ge 30 ] || fail "fewer than thirty lines"
# Each benchmark and each value exists.
sed 's/^.\{31\}//' lines | sort -u | while read -r bench params; do
	set -- "$bench"
	for word in $params; do
		set -- "$@" -p "$word"
	done
	"$KBENCH" run --dry-run --defaults "$@" >out 2>err || fail "$bench $params: $(cat err)"
done
# Each reason that the script names is a section of the page.
grep -o '"[a-z_]*"),$' "$KB_SRC/test/lmbench.py" | tr -d '"),' | sort -u >reasons
[ "$(wc -l <reasons)" -ge 5 ] || fail "too few reasons found: $(cat reasons)"
while read -r reason; do
	grep -q "^### $reason\$" "$page" || fail "doc/lmbench.md has no section $reason"
done <reasons

[ "$(uname -m)" = x86_64 ] || exit 0
"$KB_SRC/test/lmbench.py" --why >out
# All that it prints but the numbers, which have a point; "in memory" only where there is such a place.
words() {
	{ [ -w /dev/shm ] && cat || grep -v '^in memory'; } | sed 's/ *-\{0,1\}[0-9]*\.[0-9][0-9]*/ N/g'
}
words <out >loops
sed -n '/^## Why they differ/,/^###/p' "$page" | sed -n '/^```$/,/^```$/p' | grep -v '^```$' | words >listing
[ -s listing ] && cmp loops listing || fail "doc/lmbench.md lists other loops than --why runs"
