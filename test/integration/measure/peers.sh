#!/bin/sh
# test/peers/peers.sh must print both values of a pair and what a reader needs to repeat them, say what it left out, and
# leave nothing. The cheapest pair of an anchor that is there; 77 where none is.
# runs: full, 5 s; it measures beside what other suites measure
set -eu
. "$KB_SRC/test/support/check.sh"
peers() {
	TMPDIR=$TMPDIR/scratch sh "$KB_SRC/test/peers/peers.sh" --build "$KB_BUILD" --rounds 1 --budget 2s "$@"
}

# The lines of the table, without what is above and below.
table() {
	sed '1,/^quantity /d; /^$/,$d' out
}

if command -v perf >/dev/null && timeout 20 perf bench syscall basic --loop 10 >/dev/null 2>&1; then
	quantity='futex that refuses' program=perf
elif command -v sysbench >/dev/null; then
	quantity='lock, yield, unlock' program=sysbench
elif command -v stress-ng >/dev/null; then
	quantity='vfork, exit' program=stress-ng
else
	echo "none of perf, sysbench, stress-ng is installed (doc/peers.md)"
	exit 77
fi
mkdir -p scratch
peers "$quantity" >out 2>err || fail "exit code $?: $(cat err)"
[ ! -s err ] || fail "stderr: $(cat err)"
line=$(table | grep " $program ") || fail "no line of $program: $(cat out)"
case $line in
*' '[num]s' '*' '[num]s' '*) ;;
*) fail "not two values: $line" ;;
esac
case $line in
*' ok '* | *' noisy '* | *' invalid '* | *' unverified '*) ;;
*) fail "no verdict: $line" ;;
esac
ratio=$(printf '%s\n' "${line##* [num]s }" | grep -o '[0-9][0-9]*\.[0-9][0-9][0-9]' | head -n 1)
awk -v r="$ratio" 'BEGIN { exit !(r > 0.05 && r < 20) }' || fail "ratio of '$ratio': $line"
grep -q "^  $program bench \|^  $program .*run\|^  $program .*--timeout" out ||
	fail "does not say how to repeat: $(cat out)"
grep -q '^  kbench run [a-z]*\.[a-z_]*' out || fail "does not name the row of ours"
[ -z "$(ls scratch)" ] || fail "left $(ls scratch)"

# Without any anchor on the path it still says what it would have run, and what to install.
mkdir bin
for tool in sh awk sed grep tr taskset timeout mktemp rm ls cat head tail dirname seq printf id env; do
	ln -s "$(command -v $tool)" bin/$tool
done
PATH=$PWD/bin peers 'pipe round trip' >out 2>err || fail "without anchors, exit code $?: $(cat err)"
[ "$(table | grep -c ' skipped .* is not installed')" -eq 2 ] || fail "anchors that are missing: $(cat out)"
grep -q 'apt-get install.* linux-perf' out || fail "does not say what to install: $(cat out)"

for bad in '--rounds 0' '--rounds x' '--cpu x' '--frobnicate' no-such-quantity; do
	# shellcheck disable=SC2086 # option and value
	exits 2 peers $bad
	[ -s err ] || fail "$bad: no reason"
done
