#!/bin/sh
# Prints how three designs of one measurement spread, within a run and between runs, on ipc.notify: the one of the Suite
# (single signals, the second reading by the woken waiter), Kanata's (groups of tests behind stable code), and Kanata's
# without its stable approach code. A run is one fresh process; the three take turns. Judges nothing. Needs SCHED_FIFO.
# kanata.sh [--build DIR] [--runs N] [--by futex|eventfd]; default: 30 runs of each, futex
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build runs=30 by=futex
usage() {
	echo "usage: kanata.sh [--build DIR] [--runs N] [--by futex|eventfd]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	--build) build=$2 ;;
	--runs) runs=$2 ;;
	--by) by=$2 ;;
	*) usage ;;
	esac
	shift 2
done
case $runs in
'' | *[!0-9]* | 0 | 1) usage ;;
esac
collector=$(cd "$build" 2>/dev/null && pwd)/kbench-collect
[ -x "$collector" ] || {
	echo "kanata.sh: no kbench-collect in $build; build it or say --build DIR" >&2
	exit 2
}

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cpu=$(taskset -cp $$ | sed 's/.*: //; s/.*[,-]//')

# The plans. Singles: one signal an interval, evidence between two; 90 of 100 count, as in the Suite, ten times over.
i=0
while [ $i -lt 10 ]; do
	awk -v i=$i 'BEGIN { line = "warm " 2 * i; for (k = 0; k < 10; k++) line = line " o1"; print line
		line = "block " 2 * i + 1; for (k = 0; k < 90; k++) line = line " o1"; print line }'
	i=$((i + 1))
done >"$work/single"
# The document's example: 30 tests of 300.
echo 'group 0 w0 t30 o300' >"$work/kanata"

# measure DESIGN PLAN RUN PARAMETER...
measure() {
	design=$1 plan=$2 run=$3
	shift 3
	timeout 30 "$collector" --bench ipc.notify --method "$plan" --seed "$run" --process "$run" --cpu "$cpu" --peer-cpu "$cpu" \
		--param "by=$by" "$@" <"$work/$plan" >"$work/record" || {
		echo "kanata.sh: $design, run $run: $(grep -a '^fail' "$work/record" || echo no record)" >&2
		exit 1
	}
	awk -v design="$design" -v run="$run" '$1 == "o" && !/flags=[a-z,]*warmup/ { print design, run, $2, $3 }' \
		"$work/record" >>"$work/values"
}

for run in $(seq "$runs"); do
	echo "run $run of $runs" >&2
	measure suite single "$run" --param reading=waiter
	measure kanata kanata "$run"
	measure plain kanata "$run" --param approach=plain
done

sort -k1,1 -k2,2n -s "$work/values" | awk -v runs="$runs" -v by="$by" '
function order(x, n,    i, k, t) { for (i = 2; i <= n; i++) { t = x[i]; for (k = i - 1; k > 0 && x[k] > t; k--) x[k + 1] = x[k]; x[k + 1] = t } }
function median(x, n,    m) { order(x, n); m = int((n + 1) / 2); return n % 2 ? x[m] : (x[m] + x[m + 1]) / 2 }
function spread(x, n, m,    i, d) { for (i = 1; i <= n; i++) d[i] = x[i] > m ? x[i] - m : m - x[i]; return 1.4826 * median(d, n) }
function sd(sum, squares, n,    v) { v = (squares - sum * sum / n) / (n - 1); return sqrt(v > 0 ? v : 0) }

# One run is over: its mean and median, and its spread in percent of them.
function close_run(    m)
{
	if (n == 0)
		return
	m = median(y, n)
	r = ++count[design]
	means[design, r] = sum / n
	medians[design, r] = m
	within[design, r] = 100 * sd(sum, squares, n) / (sum / n)
	robust[design, r] = 100 * spread(y, n, m) / m
	size[design] = operations
	n = sum = squares = 0
}

function over(values, name,    i, x) { for (i = 1; i <= count[name]; i++) x[i] = values[name, i]; return median(x, count[name]) }

function between(values, name,    i, s, q, k)
{
	k = count[name]
	for (i = 1; i <= k; i++) { s += values[name, i]; q += values[name, i] ^ 2 }
	return 100 * sd(s, q, k) / (s / k)
}

function between_robust(values, name,    i, x, m)
{
	for (i = 1; i <= count[name]; i++) x[i] = values[name, i]
	m = median(x, count[name])
	return 100 * spread(x, count[name], m) / m
}

function line(name, words,    root)
{
	root = sqrt(size[name])
	printf "%-34s %5d %9.1f | %9.3f %9.3f %9.3f | %9.3f %9.3f %9.3f\n", words, size[name], over(medians, name), over(within, name),
		over(robust, name), root * over(robust, name), between(means, name), between_robust(means, name), between_robust(medians, name)
}

$1 != design || $2 != run { close_run(); design = $1; run = $2 }
{ operations = $3; value = $4 / $3; y[++n] = value; sum += value; squares += value * value }
END {
	close_run()
	printf "ipc.notify by=%s: %d runs of each design in turn; ticks, spreads in %%\n\n", by, runs
	print  "                                                     |        within a run           |        between runs"
	print  "design                                 N    median |        sd    robust   one op. |  of means    robust  of medians"
	line("suite", "Suite: single, reading by waiter")
	line("kanata", "Kanata")
	line("plain", "Kanata without its stable code")
	print ""
	print "within: of A/N, median over runs; robust: 1.4826 x median absolute deviation; one op.: sqrt(N) x robust, what one"
	print "operation would spread if operations were independent; between: of the means (medians) of the runs."
	print "The Suite measures one way, Kanata the whole circle: compare spreads, not medians."
}'
