#!/bin/sh
# doc/method.md, Averages: its commands print what it says, and each row of its table is the averages of the values in it.
set -eu
. "$KB_SRC/test/support/check.sh"
PATH=$(dirname "$KBENCH"):$PATH
export LC_ALL=C.UTF-8
page=$KB_SRC/doc/method.md

listings sh method.md Averages >"$work/commands"
[ "$(wc -l <"$work/commands")" -eq 4 ] || fail "found $(wc -l <"$work/commands") commands"
cd "$KB_SRC/test/data/averages"
COLUMNS=300 sh -eu "$work/commands" >"$work/out"
cd "$work"
sed -n '/^## Averages/,/^## /p' "$page" >section
grep '^geometric mean\|^the mix' section >printed
[ "$(wc -l <printed)" -eq 3 ] || fail 'the page shows no end of a comparison'
sed -n '/^the mix.*ratio/p' section >mixes
grep '^geometric mean\|^the mix' out | diff printed - || fail 'compare ends otherwise (>) than the page says (<)'

awk -F ' *[|] *' '
function near(what, got, is) {
	if (sprintf("%.4g", is) != got) { print $2 ": the page says " what " " got ", it is " is; bad = 1 }
}
$2 ~ /^[0-9.]+, / {
	n = split($2, x, /, */)
	sum = inverse = logs = 0; least = x[1] + 0; rows++
	for (i = 1; i <= n; i++) { sum += x[i]; inverse += 1 / x[i]; logs += log(x[i]); if (x[i] + 0 < least) least = x[i] + 0 }
	near("arithmetic", $4, sum / n); near("harmonic", $5, n / inverse); near("geometric", $6, exp(logs / n)); near("minimum", $8, least)
	near("median", $7, n % 2 ? x[(n + 1) / 2] : (x[1] + x[2]) / 2)
}
END { if (rows != 5) { print rows " rows of averages"; bad = 1 } exit bad }' section || fail 'the table of averages is wrong'

slower=$(sed 's/.*ratio \([0-9.]*\),.*/\1/' mixes | awk '{ printf "%.0f", 100 * ($1 - 1) }')
grep -q "B is $slower % slower:" section || fail "the mix is $slower % slower"

# 6.9, 10.6, 17.7 are 2, 3 and 5 cycles: the slope of the line through the origin.
slope=$(awk 'BEGIN { printf "%.2f", (2 * 6.9 + 3 * 10.6 + 5 * 17.7) / (4 + 9 + 25) }')
grep -q "$slope ns a cycle" section || fail "a cycle takes $slope ns"

# ---- what is no mix -----------------------------------------------------------------------------------

refuses 2 "--weights: no result here is called 'sys.null'" compare A B --weights sys.null=1
refuses 2 "--weights: 'hyperfine' and 'hyperfine.first' both mean hyperfine.first" compare A B --weights hyperfine=1,hyperfine.first=2
for weights in hyperfine hyperfine= hyperfine=0 hyperfine=-1 hyperfine=nan hyperfine=1x =1; do
	refuses 2 "--weights: '$weights' must be a benchmark or result, =, and how often it is done, above 0" compare A B --weights "$weights"
done
refuses 2 '--weights: no item' compare A B --weights ,
refuses 2 '--weights: cannot read ./none' compare A B --weights @./none
printf '# by hand\n hyperfine.first = 3\n\nhyperfine.second=1\n' >mix
export COLUMNS=300
gives 0 compare A B --weights @mix
grep '^the mix' out | diff - "$work/mixes" || fail 'a file of weights gives another mix'
gives 0 compare A B --weights @mix --json
got=$(jq -c '.mix | [.results, .left_out, .base_ns.value, .new_ns.value, .base_ns.low < .base_ns.value, .ratio.low < .ratio.value, .status]' out)
[ "$got" = '[2,[],55500000000,69500000000,true,true,"unverified"]' ] || fail "$got"
got=$(jq -c '.geometric_mean | [.results, (.value * 1e4 | round), (.spread_low * 1e4 | round), (.spread_high * 1e4 | round)]' out)
[ "$got" = '[2,10000,58,1727633]' ] || fail "geometric mean: $got"

gives 0 show A --weights @mix --json
[ "$(jq -c '.mix | [.results, .left_out, .total_ns.value]' out)" = '[2,[],55500000000]' ] || fail "$(jq -c .mix out)"
refuses 2 '--weights: no result here is called' show A hyperfine.first --weights hyperfine.second=1
refuses 2 '--verbose, --plot, --table, --unit and --weights are for one run' show A B --weights hyperfine=1
