#!/bin/sh
# kbench ab, compare and history on this machine: a true difference, identical sides, and what is kept of them. Exit
# codes and their order: exit_codes.sh. What needs chosen numbers is in test/unit/cli/test_compare.c.
# runs: alone, full; decisions between two sides take pairs of processes by the dozen; truth/engine/test_ab has them without a clock
set -u
. "$KB_SRC/test/support/check.sh"

plugin adds
cp adds.so other.so

# ---- usage --------------------------------------------------------------------------------------------

wrong() {
	pattern=$1
	shift
	refuses 2 "$pattern" ab "$@"
	[ ! -e "$XDG_DATA_HOME/kbench" ] || fail "a store was made: kbench ab $*"
}

wrong '--b is needed'
wrong "--b 'nothing-here': neither NAME=VALUE nor a file" --b nothing-here
wrong "neither a plug-in FILE.so nor a program" --b "$KB_SRC/VERSION"
wrong 'unexpected path' --b './adds.so ./other.so'
wrong "no benchmark 'sys.nul'" --b X=1 sys.nul
wrong "the sides select different rows|no benchmark 'plugin.adds'" --a ./adds.so --b ./other.so plugin.adds
wrong "gate.* (doesn't allow|takes no)" --b X=1 --gate=strict
wrong "--margin '0'" --b X=1 --margin 0
wrong '--store and --no-store' --b X=1 --store x --no-store

# ---- codes --------------------------------------------------------------------------------------------

quick="--budget 60s"
# Too short for the pairs of processes that a decision needs.
short="--processes 1 --budget 500ms"
same="--a ADDS=1000 --b ./adds.so"
# shellcheck disable=SC2086 # words
{
	# One that is slower by more than what a busy machine hides, and the two runs that remember it.
	gives 1 ab --a 'ADDS=1000 ./adds.so' --b ADDS=1100 $quick --gate --label day
	says 'slower !'
	says '1 slower \(1 after Holm'
	gives 1 compare day-a day-b --gate
	says ', interleaved'
	gives 0 compare day-b day-a --gate
	says faster
	gives 0 compare last~1 last --margin 40% --gate
	says ' equivalent '
	gives 0 maintain last
	gives 0 maintain last~1
	gives 1 compare last~1 last --gate
	gives 2 show last~2
	gives 2 history plugin.adds
	says 'no run .* has a result'

	# Two plug-ins of different names are one row.
	gives 0 ab --a ./adds.so --b ./other.so $quick --margin 5% --gate
	says '^plugin.adds .*equivalent'
	gives 0 compare last~1 last
	says '^1 result: '

	gives 4 ab $same $short --no-store --gate
	says inconclusive
	says '[0-9]+ pairs of processes; a decision needs 12|no (pair of )?usable process'
	gives 0 ab $same $short --no-store

	# A side that crashes, and one that leaves nothing behind.
	plugin crashes
	gives 5 ab --a ./crashes.so --b X=1 --no-store
	says 'invalid'
	gives 0 ab --a ./adds.so --b X=1 $quick --no-store --json
	says '"schema": "kbench-compare/2"'
	says '"detectable": 0'
}

# ---- identical sides ----------------------------------------------------------------------------------

# Once more with other processes before it counts: three in a thousand may be off by chance.
rows='cpu.op_latency sys.null'
[ "${KB_FULL:-0}" != 1 ] || rows='cpu.op_latency clock.read sys.null sys.write_null mem.latency'
# shellcheck disable=SC2086 # words
for try in first second; do
	"$KBENCH" ab --b AA=1 $rows --budget 10s --margin 0% --no-store >out 2>err || fail "A/A ended with $?"
	grep -Eq ' (faster|slower)( |$)' out || break
done
! grep -Eq ' (faster|slower)( |$)' out || fail "identical sides were told apart twice ($try)"

# ---- the long form ------------------------------------------------------------------------------------

# test/ab.py still runs; what it finds is judged where it runs for hours. Exit code 1: a difference was not found.
"$KB_SRC/test/ab.py" --build "$KB_BUILD" --state long --part true --only chain --comparisons 1 >out 2>err
[ $? -le 1 ] || fail "test/ab.py ended with an error"
says '^chain +0\.3 +0\.[23][0-9]+ +1 +[01] '
"$KB_SRC/test/ab.py" --build "$KB_BUILD" --state long --part equal --comparisons 1 --seconds 2 --quiet >out 2>err
[ $? -le 1 ] || fail "test/ab.py of equal sides ended with an error"
says '^[01] of 1 told apart'
