#!/bin/sh
# doc/cmd.md: how often the CIs of commands hold the truth is what the simulation of its unit test prints.
# runs: full, 1 s
set -u
. "$KB_SRC/test/support/check.sh"

"$KB_BUILD/test/unit/stats/test_serial" --table >rows || fail "no simulation"
[ "$(wc -l <rows)" -eq 5 ] || fail "not five rows: $(cat rows)"
sed -n 's/^  \(| 0[.0-9]* | .* % |\)$/\1/p' "$KB_SRC/doc/cmd.md" | diff - rows || fail "the table of doc/cmd.md (<) is not what the simulation prints (>)"
