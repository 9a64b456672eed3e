#!/bin/sh
# Method paired, refuted observations and covariates: from the plug-in through record, table, JSON and back from the store.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
XDG_DATA_HOME=$work/data
export XDG_DATA_HOME
cd "$work"
cc=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")

fail() {
	echo "paired: $1"
	exit 1
}

# $cc may be several words.
# shellcheck disable=SC2086
$cc -O2 -Wall -Wextra -Werror -shared -fPIC -I"$KB_SRC/include" "$KB_SRC/test/integration/plugins/paired.c" -o paired.so

# run CODE WORD...: the plug-in with three launches; rows of the JSON in rows.
run() {
	expected=$1
	shift
	code=0
	"$KBENCH" run --plugin ./paired.so --processes 3 --precision 100% --budget 20s --json "$@" >json 2>err || code=$?
	[ $code -eq "$expected" ] && [ ! -s err ] || fail "run $*: exit code $code: $(cat json err)"
	awk -f "$KB_SRC/test/support/rows.awk" json >rows
}

# member NAME: the first value of that name in the results.
member() {
	sed -n "/\"results\"/,\$ s/^ *\"$1\": \(.*[^,]\),*$/\1/p" json | head -n 1
}

# refuse TEXT WORD...: one line, exit code 2.
refuse() {
	text=$1
	shift
	code=0
	"$KBENCH" run --no-store "$@" >out 2>err || code=$?
	[ $code -eq 2 ] && [ ! -s out ] || fail "run $*: exit code $code"
	[ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$text" err || fail "run $*: $(cat err)"
}

run 0
case $(cut -f 2 rows) in
ok | noisy) ;;
*) fail "says $(cat rows)" ;;
esac
[ "$(member method)" = '"paired"' ] || fail "the method is $(member method)"
[ "$(member min)" = 700 ] && grep -q '"max": 700' json || fail "n is not that of set-up: $(grep -A 2 n_grid json)"
# 60 adds that depend on each other, each one cycle at the least; loads and stores of the loop may be in between.
awk -F '\t' '($7 == "-" ? $8 : $7) >= 57 { good = 1 } END { exit !good }' rows || fail "60 adds take less than 57 cycles: $(cat rows)"
grep -q '"name": "operations"' json && grep -q '"median": 700' json || fail "no covariate: $(grep -A 20 covariates json)"
grep -q '"name": "third"' json || fail "no covariate of check"

# What was printed is what is kept, and what is made again from the records.
"$KBENCH" show --json >shown
sed '1,/"results"/d' json >of_run
sed '1,/"results"/d' shown | cmp - of_run || fail "show --json is another result"
"$KBENCH" analyze --rebuild >rebuilt || fail "analyze --rebuild: exit code $?"
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
	refuse 'plugin.paired can only be measured with method paired' --plugin ./paired.so --method $method
done
refuse 'cpu.clock has no empty loop to pair a sample with' cpu.clock --method paired
run 0 'plugin.*' --method paired --no-store
"$KBENCH" run sys.null --method paired --processes 3 --precision 100% --budget 10s --json --no-store >json || fail "sys.null: $?"
[ "$(member method)" = '"paired"' ] || fail "--method paired is method $(member method)"
"$KBENCH" export --format csv >out 2>err || true
grep -q paired out || fail "not exported: $(cat err)"

# The same program against itself, interleaved.
code=0
"$KBENCH" ab --a ./paired.so --b ./paired.so --processes 3 --budget 5s --json >json 2>err || code=$?
[ $code -eq 0 ] || fail "ab: exit code $code: $(cat json err)"
awk '/"ratio": {/ { inside = 1 } inside && /"value":/ { ratio = $2 + 0; exit } END { exit !(ratio > 0.8 && ratio < 1.25) }' json ||
	fail "ab: the same program has the ratio $(grep -A 2 '"ratio": {' json)"
"$KBENCH" compare ab-a ab-b >out 2>err || fail "compare: exit code $?: $(cat err)"
grep -q plugin.paired out || fail "compare: $(cat out)"
