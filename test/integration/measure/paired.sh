#!/bin/sh
# Method paired, refuted observations and covariates: from the plug-in through record, table, JSON and back from the store.
# runs: full, 12 s; it measures by a twin; truth/engine/test_paired has it without a clock
set -eu
. "$KB_SRC/test/support/check.sh"


plugin paired

# run CODE WORD...: the plug-in with three launches; rows of the JSON in rows.
run() {
	expected=$1
	shift
	gives "$expected" run --plugin ./paired.so --processes 3 --precision 100% --budget 20s --json "$@"
	[ ! -s err ] || fail "run $*: $(cat err)"
	mv out json
	results json >rows
}

run 0
case $(cut -f 2 rows) in
ok | noisy) ;;
*) fail "says $(cat rows)" ;;
esac
[ "$(fields method json)" = '"paired"' ] || fail "the method is $(fields method json)"
[ "$(fields min json | head -n 1)" = 700 ] && grep -q '"max": 700' json || fail "n is not that of set-up: $(grep -A 2 n_grid json)"
# 60 adds that depend on each other, each one cycle at the least; loads and stores of the loop may be in between.
awk -F '\t' '($7 == "-" ? $8 : $7) >= 57 { good = 1 } END { exit !good }' rows || fail "60 adds take less than 57 cycles: $(cat rows)"
grep -q '"name": "operations"' json && grep -q '"median": 700' json || fail "no covariate: $(grep -A 20 covariates json)"
grep -q '"name": "third"' json || fail "no covariate of check"

# What was printed is what is kept, and what is made again from the records.
"$KBENCH" show --json >shown
sed '1,/"results"/d' json >of_run
sed '1,/"results"/d' shown | cmp - of_run || fail "show --json is another result"
"$KBENCH" maintain >rebuilt || fail "maintain: exit code $?"
"$KBENCH" show --json | sed '1,/"results"/d' | cmp - of_run || fail "the records give another result"
"$KBENCH" show -v >shown
grep -q '^ *measured *method paired' shown && grep -q '^ *covariate *third: median 1, from 0 to 2, of [0-9]* samples' shown ||
	fail "show -v: $(cat shown)"

# Less than one in a hundred is a note, more make it invalid, and both tell the first text.
run 0 -p refute=300 --no-store
grep -q 'few_refuted \[[0-9]* of [0-9]* samples: one of \\"so\\" many\]' rows || fail "one in 300 refuted: $(cat rows)"
run 5 -p refute=10 --no-store
grep -q '	invalid	.*refuted \[[0-9]* of [0-9]* samples: ' rows || fail "one in 10 refuted: $(cat rows)"
awk '/"refuted":/ { found = $2 + 0 } END { exit !(found > 0) }' json || fail "refuted observations are not counted"

# Six names and the two of its own are eight; a seventh is one too many.
run 0 -p names=6 --no-store
run 5 -p names=7 --no-store
grep -q "op_failed \\[process 1, covariate: covariate '[a-z]*': a process may have at most 8" rows || fail "nine names: $(cat rows)"

for method in slope single kanata; do
	refuses 2 'plugin.paired can only be measured with method paired' run --no-store --plugin ./paired.so --method $method
done
refuses 2 'cpu.clock has no empty loop to pair a sample with' run --no-store cpu.clock --method paired
run 0 'plugin.*' --method paired --no-store
"$KBENCH" run sys.null --method paired --processes 3 --precision 100% --budget 10s --json --no-store >json || fail "sys.null: $?"
[ "$(fields method json)" = '"paired"' ] || fail "--method paired is method $(fields method json)"
"$KBENCH" export --format csv >out 2>err || true
grep -q paired out || fail "not exported: $(cat err)"

# The same program against itself, interleaved.
gives 0 ab --a ./paired.so --b ./paired.so --processes 3 --budget 5s --json
mv out json
awk '/"ratio": {/ { inside = 1 } inside && /"value":/ { ratio = $2 + 0; exit } END { exit !(ratio > 0.8 && ratio < 1.25) }' json ||
	fail "ab: the same program has the ratio $(grep -A 2 '"ratio": {' json)"
gives 0 compare ab-a ab-b
says plugin.paired
