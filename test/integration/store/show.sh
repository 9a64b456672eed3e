#!/bin/sh
# What was printed is what is kept: `show` prints the table of `run` again, JSON is the same object, and results made
# again from the records are the same bytes (the part of T-FILE that needs a real run; the rest: truth/engine/test_files.c).
# runs: slow, 6 s
set -eu
. "$KB_SRC/test/support/check.sh"

"$KBENCH" run sys.write_null sys.null --budget 2s --label first --seed 7 >run 2>err || fail "run: exit code $?"
[ ! -s err ] || fail "something on standard error that is no terminal: $(cat err)"
grep -q 'seed 7' run || fail "run does not say its seed"
id=$(sed -n 's/^run \([0-9a-f-]*\) in .*/\1/p' run)
[ ${#id} -eq 36 ] || fail "run does not say its id"
[ "$(sed -n 's/^run [0-9a-f-]* in \(.*\)$/\1/p' run)" = "$XDG_DATA_HOME/kbench/kbench.db" ] || fail "run does not say where"

# The table: from its titles to its count.
rows() {
	sed -n '/^ *cost  .* verdict  causes$/,/ evidence: /p' "$1"
}
for name in '' last last~0 "$id" "${id%??????}" first; do
	"$KBENCH" show $name >show || fail "show $name: exit code $?"
	rows run >a
	rows show >b
	diff a b || fail "run (<) and show $name (>) differ"
done
[ "$(wc -l <a)" -eq 5 ] || fail "the table is not titles, a heading, two results and a count"
grep -q '^next: kbench show sys\.[a-z_]*   what stands behind a result$' run || fail "run does not say what is next"

# One unit for all results, and no colour in a pipe.
[ "$("$KBENCH" show --unit us | grep -c '^  sys\.[a-z_]* *0\.[0-9]* us ')" -eq 2 ] || fail "--unit us: $("$KBENCH" show --unit us)"
! "$KBENCH" show | grep -q "$(printf '\033')" || fail "colours in a pipe"
[ "$(COLUMNS=80 "$KBENCH" show | wc -L)" -le 80 ] || fail "wider than COLUMNS"

"$KBENCH" show sys.null | grep -q '^    evidence ' || fail "one row without its evidence"
! "$KBENCH" show sys.null | grep -q '^ *sys.write_null' || fail "a pattern leaves other rows"

# A name as the table prints it: with the values that tell two results apart.
"$KBENCH" run cpu.op_latency -p op=add,xor --budget 1s --store names.db >run
"$KBENCH" show --store names.db 'cpu.op_latency xor' >show || fail "show 'cpu.op_latency xor': exit code $?"
grep -q ' · 1 result · \| - 1 result - ' show && grep -q '^cpu.op_latency op=xor$' show || fail "show 'cpu.op_latency xor': $(cat show)"
! "$KBENCH" show --store names.db 'cpu.op_latency imul' >show 2>&1 || fail "a value that no result has"

"$KBENCH" show --verbose | grep -c '^    measured ' | grep -qx 2 || fail "--verbose does not print all rows"

"$KBENCH" show --json >before
grep -q '"schema": "kbench-result/2"' before || fail "show --json has no schema"
"$KBENCH" maintain "$id" | grep -qx "run $id: 2 results" || fail "maintain"
"$KBENCH" show --json >after
diff before after || fail "results made again from the records (>) differ"
for method in single kanata; do
	"$KBENCH" run sys.write_null --method $method --processes 1 --precision 100% --budget 1s --store $method.db >run
	"$KBENCH" show --store $method.db --json >before
	"$KBENCH" maintain --store $method.db >/dev/null
	"$KBENCH" show --store $method.db --json | diff before - || fail "$method: results made again (>) differ"
done
"$KBENCH" maintain --json | grep -q '"schema": "kbench-maintain/1"' || fail "maintain --json has no schema"

"$KBENCH" run sys.write_null --budget 1s --json >document
"$KBENCH" show --json | diff document - || fail "run --json (<) and show --json (>) differ"
[ "$("$KBENCH" runs | wc -l)" -eq 4 ] || fail "runs: not two runs between titles and sum"
"$KBENCH" runs | sed -n 2p | grep -Eq "^$id  [0-9TZ:-]*  +2  .* [kM]B  first\$" || fail "runs: the first run"
"$KBENCH" runs --json | grep -q '"schema": "kbench-runs/1"' || fail "runs --json has no schema"
"$KBENCH" show last~1 | grep -q "^run $id (first), " || fail "last~1 is not the first run"

# Two runs side by side: a row of both has two verdicts, a row of one a dash.
"$KBENCH" show last~1 last >beside
[ "$(grep -c '^[AB]: run ' beside)" -eq 2 ] || fail "side by side: not two headings: $(cat beside)"
grep -Eq '^sys\.write_null .*(ok|noisy|invalid) .*(ok|noisy|invalid)$' beside || fail "side by side: $(cat beside)"
"$KBENCH" show --json last~1 last | grep -c '"schema": "kbench-result/2"' | grep -qx 2 || fail "side by side: --json has not two documents"
refuses 2 "none of these 2 runs has a result called 'no.such'" show last~1 last sys no.such
"$KBENCH" show last~1 last sys.null >beside || fail "side by side: a row of one run only"
grep -Eq '^sys\.null  .* -$' beside || fail "side by side: no dash for a row that a run lacks: $(cat beside)"
"$KBENCH" show last last last last last last last last >beside || fail "side by side: eight runs"
refuses 2 'more than 8 runs' show last last last last last last last last last sys

# Nothing is kept that should not be.
"$KBENCH" run sys.null --budget 1s --no-store | grep -qx 'not saved (--no-store)' || fail "--no-store does not say so"
[ "$("$KBENCH" runs | wc -l)" -eq 4 ] || fail "--no-store kept a run"

# Ctrl-C: what was measured is there, and the exit code says what happened.
"$KBENCH" run sys --budget 60s --precision 0.001% --processes 100 >run 2>err &
child=$!
# In this order: the last run must be this one before its results are asked for.
measuring() {
	"$KBENCH" runs | grep -q ' running ' &&
		[ "$("$KBENCH" show --json 2>/dev/null | grep -c '"processes": [1-9]')" -ge 2 ]
}
await 30 measuring || fail "no result after half a minute"
kill -TERM $child
code=0
wait $child || code=$?
[ $code -eq 143 ] || fail "after SIGTERM: exit code $code"
grep -q 'stopped by signal 15' run || fail "does not say what stopped it"
grep -q '^ *sys.null ' run || fail "prints no table after SIGTERM"
"$KBENCH" show >show
rows run >a
rows show >b
diff a b || fail "after SIGTERM run (<) and show (>) differ"
