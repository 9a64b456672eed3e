#!/bin/sh
# Prints how repeatable `quiet` and `typical` are: runs of the standard selection on the idle machine and beside an
# integer spinner on each CPU, in turn. Coefficient of variation of both kinds, the shift between them, the aims, what
# other programs' variation was elsewhere (peers/spread), and the reasons that loaded runs gave. Judges nothing.
# noise.sh [--build DIR] [--runs N] [--budget TIME] [--state FILE] [PATTERN...]; default: 10 runs of each, 20s each.
# With --state each finished run is kept in FILE: the same command goes on where it was stopped, and prints from FILE
# alone when all is there. More --runs may be asked for later.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build runs=10 budget=20s state=''
usage() {
	echo "usage: noise.sh [--build DIR] [--runs N] [--budget TIME] [--state FILE] [PATTERN...]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	--build | --runs | --budget | --state)
		[ $# -ge 2 ] || usage
		case $1 in
		--build) build=$2 ;;
		--runs) runs=$2 ;;
		--budget) budget=$2 ;;
		--state) state=$2 ;;
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
trap '[ -z "$state" ] || echo "noise.sh: stopped; the same command goes on from $state" >&2; exit 130' INT TERM HUP

# Runs of another build or budget, or of other rows, are not the same experiment.
settings=$(printf 'settings\t%s\t%s\t%s' "$("$KBENCH" --version)" "$budget" "$*")
rows=${state:-$work/rows}
if [ ! -s "$rows" ]; then
	printf '%s\n' "$settings" >"$rows" || exit 2
elif [ "$(head -n 1 "$rows")" != "$settings" ]; then
	echo "noise.sh: $rows has runs of other settings ($(head -n 1 "$rows" | cut -f 2-)); name another file" >&2
	exit 2
else
	# A run whose mark is missing was cut off.
	awk '{ part = part $0 "\n" } /^(settings|done)\t/ { printf "%s", part; part = "" }' "$rows" >"$work/whole" &&
		cat "$work/whole" >"$rows"
fi

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

# measure KIND NUMBER ARGUMENT...: one append a run, with the mark that it is whole.
measure() {
	kind=$1 number=$2
	shift 2
	"$KBENCH" run --budget "$budget" --no-store --json "$@" >"$work/json"
	code=$?
	if [ $code -ne 0 ] && [ $code -ne 5 ]; then
		echo "noise.sh: kbench run ended with exit code $code" >&2
		exit 2
	fi
	awk -f "$here/support/rows.awk" "$work/json" | sed "s/^/$kind	/" >"$work/run"
	printf 'done\t%s\t%s\n' "$kind" "$number" >>"$work/run"
	cat "$work/run" >>"$rows"
}

missing() {
	! grep -q "^done	$1	$2\$" "$rows"
}

for i in $(seq "$runs"); do
	echo "pair $i of $runs" >&2
	if missing idle "$i"; then
		measure idle "$i" "$@"
	fi
	if missing loaded "$i"; then
		start_spinners
		measure loaded "$i" "$@"
		stop_spinners
	fi
done

awk -F '\t' -v budget="$budget" '
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

# The other programs, from peers/spread.
FILENAME ~ /spread$/ {
	if (!/^#/) {
		prefix[++others] = $1
		other[others] = sprintf("%5s %5s  %s", $3, $4, $2) ($5 == "-" ? "" : " (short " $5 ", " $6 ")")
	}
	next
}

function other_of(row,    i)
{
	for (i = 1; i <= others; i++)
		if (index(row " ", prefix[i] " ") == 1)
			return other[i]
	return ""
}

$1 == "settings" { next }
$1 == "done" {
	runs[$2]++
	next
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
$12 != "nothing" && (cycles ? $8 : $4) != "-" { add("typical " $1, $2, cycles ? $8 : $4) }

$1 == "loaded" {
	count = split($13, codes, " ")
	for (i = 1; i <= count; i++) {
		if (!(($2, codes[i]) in times))
			codes_of[$2] = codes_of[$2] " " codes[i]
		times[$2, codes[i]]++
	}
}

END {
	printf "%d runs idle and %d runs beside spinners, %s each; variation and shift in %%\n", runs["idle"], runs["loaded"],
		budget
	print "others: variation of other programs on another machine, busy and nearly idle\n"
	format = "%-" widest "s %10s %-6s %6s %6s %7s %4s  %6s %6s  %-38s  %s\n"
	printf format, "", "quiet", "", "quiet", "quiet", "quiet", "", "typ.", "typ.", "others", ""
	printf format, "row", "idle", "unit", "idle", "loaded", "shift", "aim", "idle", "loaded", " busy  idle",
		"reasons of loaded runs"
	for (r = 1; r <= rows; r++) {
		row = order[r]
		said = ""
		count = split(codes_of[row], codes, " ")
		for (i = 1; i <= count; i++)
			said = said (i > 1 ? ", " : "") codes[i] " " times[row, codes[i]]
		printf format, row, n["idle", row] ? sprintf("%.5g", mean("idle", row)) : "-", (row in in_cycles) ? "cycles" : "ns",
			variation("idle", row), variation("loaded", row), shift(row), aim(row, row in in_cycles),
			variation("typical idle", row), variation("typical loaded", row), other_of(row), said
	}
}' "$here/peers/spread" "$rows"
