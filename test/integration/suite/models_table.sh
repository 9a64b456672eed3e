#!/bin/sh
# test/models.py calls a finding that changes from run to run by its name, goes on where it ended, and measures with a real kbench.
# runs: 8 s
set -eu
. "$KB_SRC/test/support/check.sh"
command -v python3 >/dev/null || skip "needs python3"
XDG_DATA_HOME=$PWD/data XDG_CACHE_HOME=$PWD/cache
export XDG_DATA_HOME XDG_CACHE_HOME

# run JUDGEMENT DEVIATION: one finished run of two predictions, of which the first always fits.
run() {
	printf '{"predictions": {"steady": {"judgement": "fits", "deviation": {"value": 0.01}, "why": null}, '
	printf '"turns": {"judgement": "%s", "deviation": {"value": %s}, "why": null}}}\n' "$1" "$2"
}

table() {
	rc=0
	"$KB_SRC/test/models.py" --build "$KB_BUILD" --state state "$@" >out || rc=$?
}

# ---- findings ----------------------------------------------------------------------------------------------

for i in 1 2 3 4 5 6 7 8 9; do run interaction 0.2; done >state
run unsettled 0.14 >>state
table --print
[ $rc -eq 0 ] || fail "nine of ten are enough: $(cat out)"
grep -q '^turns  *above  *9 of 10' out || fail "above: $(cat out)"
run interaction -0.2 >>state
table --print
[ $rc -eq 1 ] || fail "nine of eleven are not enough: exit code $rc: $(cat out)"
grep -q '^turns .*<-- above 9, unsettled 1, below 1' out || fail "an interaction has a side: $(cat out)"
grep -q '^steady  *fits  *11 of 11' out || fail "steady: $(cat out)"
grep -q '^1 of 2 predictions without' out || fail "the sum: $(cat out)"

# ---- measured, and gone on with ----------------------------------------------------------------------------

rm state
table --runs 1 --budget 2 shell
table --runs 2 --budget 2 shell
[ "$(wc -l <state)" -eq 2 ] || fail "two runs, the first kept: $(cat state)"
grep -q '^shell .* of 2 ' out || fail "both runs: $(cat out)"
