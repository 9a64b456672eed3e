#!/bin/sh
# The short form of the campaign: a few steps of each part, two at a time.
# runs: full, 80 s
set -u
. "$KB_SRC/test/support/check.sh"
needs python3

python3 "$KB_SRC/test/campaign/campaign" --directory results --short --jobs 2 >out 2>&1 || fail "exit code $?: $(tail -c 4000 out)"
[ -s results/report.html ] && [ -s results/results.json ] || fail "no report"
cat out
