#!/bin/sh
# Prints how repeatable `quiet` is: runs of the standard selection on the idle machine and beside an integer spinner on
# each CPU, in turn. Coefficient of variation of both kinds, the shift between them, the aims, and the reasons that loaded
# runs gave. Judges nothing.
# noise.sh [--build DIR] [--runs N] [--budget TIME] [PATTERN...]; default: 10 runs of each kind, 20s each
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build runs=10 budget=20s
usage() {
	echo "usage: noise.sh [--build DIR] [--runs N] [--budget TIME] [PATTERN...]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	--build | --runs | --budget)
		[ $# -ge 2 ] || usage
		case $1 in
		--build) build=$2 ;;
		--runs) runs=$2 ;;
		--budget) budget=$2 ;;
		esac
		shift 2
		;;
	-*) usage ;;
	*) break ;;
	esac
done
KBENCH=$(cd "$build" 2>/dev/null && pwd)/kbench
case $runs in
'' | *[!0-9]*) usage ;;
esac
[ -x "$KBENCH" ] || {
	echo "noise.sh: no kbench in $build; build it or say --build DIR" >&2
	exit 2
}

work=$(mktemp -d) || exit 2
spinners=
stop_spinners() {
	# shellcheck disable=SC2086 # process ids
	[ -z "$spinners" ] || kill $spinners 2>/dev/null
	# shellcheck disable=SC2086
	[ -z "$spinners" ] || wait $spinners 2>/dev/null
	spinners=
}
trap 'stop_spinners; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# The CPUs that this process may use, one a line.
cpus() {
	taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F - '{ for (i = $1; i <= (NF > 1 ? $2 : $1); i++) print i }'
}

# Limited in time, should this script be killed.
start_spinners() {
	for cpu in $(cpus); do
		timeout 600 taskset -c "$cpu" sh -c 'i=0; while :; do i=$((i + 1)); done' &
		spinners="$spinners $!"
	done
}

# measure KIND ARGUMENT...
measure() {
	kind=$1
	shift
	"$KBENCH" run --budget "$budget" --no-store --json "$@" >"$work/json"
	code=$?
	if [ $code -ne 0 ] && [ $code -ne 5 ]; then
		echo "noise.sh: kbench run ended with exit code $code" >&2
		exit 2
	fi
	awk -f "$here/support/rows.awk" "$work/json" | sed "s/^/$kind	/" >>"$work/rows"
}

for i in $(seq "$runs"); do
	echo "pair $i of $runs" >&2
	measure idle "$@"
	start_spinners
	measure loaded "$@"
	stop_spinners
done

awk -F '\t' -v runs="$runs" -v budget="$budget" '
# In percent; what the project aims for on a shared machine with two cores.
function aim(row, cycles)
{
	if (cycles)
		return 2
	if (row ~ /^(sys|sig|clock)\./ || row ~ /same-cpu|one-process/)
		return 4
	return row ~ /^(mem|fault|proc)\./ ? 8 : "-"
}

function add(kind, row, x)
{
	n[kind, row]++
	sum[kind, row] += x
	squares[kind, row] += x * x
}

function mean(kind, row) { return n[kind, row] ? sum[kind, row] / n[kind, row] : 0 }

function variation(kind, row,    m, v)
{
	if (n[kind, row] < 2 || mean(kind, row) <= 0)
		return "-"
	m = mean(kind, row)
	v = (squares[kind, row] - n[kind, row] * m * m) / (n[kind, row] - 1)
	return sprintf("%.2f", 100 * sqrt(v > 0 ? v : 0) / m)
}

function shift(row,    a)
{
	a = mean("idle", row)
	return a > 0 && n["loaded", row] ? sprintf("%+.2f", 100 * (mean("loaded", row) / a - 1)) : "-"
}

!($2 in known) {
	known[$2] = 1
	order[++rows] = $2
	if (length($2) > widest)
		widest = length($2)
}

{ cycles = $9 != "-" }
cycles { in_cycles[$2] = 1 }
# An empty operation has no relative width.
$12 != "nothing" && (cycles ? $9 : $7) != "-" { add($1, $2, cycles ? $9 : $7) }

$1 == "loaded" {
	count = split($13, codes, " ")
	for (i = 1; i <= count; i++) {
		if (!(($2, codes[i]) in times))
			codes_of[$2] = codes_of[$2] " " codes[i]
		times[$2, codes[i]]++
	}
}

END {
	printf "quiet of %d runs idle and %d runs beside spinners, %s each; variation and shift in %%\n\n", runs, runs, budget
	format = "%-" widest "s %10s %-6s %6s %6s %7s %4s  %s\n"
	printf format, "row", "quiet", "unit", "idle", "loaded", "shift", "aim", "reasons of loaded runs"
	for (r = 1; r <= rows; r++) {
		row = order[r]
		said = ""
		count = split(codes_of[row], codes, " ")
		for (i = 1; i <= count; i++)
			said = said (i > 1 ? ", " : "") codes[i] " " times[row, codes[i]]
		printf format, row, n["idle", row] ? sprintf("%.5g", mean("idle", row)) : "-", (row in in_cycles) ? "cycles" : "ns",
			variation("idle", row), variation("loaded", row), shift(row), aim(row, row in in_cycles), said
	}
}' "$work/rows"
