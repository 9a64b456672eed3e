#!/bin/sh
# Measures what Debian packages measure too (the list anchors, beside this file) and prints both: anchor and KBench
# take turns on one CPU, round by round, so that what the machine does meanwhile meets both. Judges nothing, changes
# nothing.
# peers.sh [--build DIR] [--cpu N] [--rounds N] [--budget TIME] [PATTERN...]; a PATTERN is a part of a quantity, a
# program or a row of ours. Default: 5 rounds, 3s for a row of ours, the first CPU that this process may use.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build cpu='' rounds=5 budget=3s
usage() {
	echo "usage: peers.sh [--build DIR] [--cpu N] [--rounds N] [--budget TIME] [PATTERN...]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	--build | --cpu | --rounds | --budget)
		[ $# -ge 2 ] || usage
		case $1 in
		--build) build=$2 ;;
		--cpu) cpu=$2 ;;
		--rounds) rounds=$2 ;;
		--budget) budget=$2 ;;
		esac
		shift 2
		;;
	-*) usage ;;
	*) break ;;
	esac
done
case $rounds in
'' | 0* | *[!0-9]*) usage ;;
esac
case $cpu in
*[!0-9]*) usage ;;
esac
build=$(cd "$build" 2>/dev/null && pwd)
KBENCH=$build/kbench
[ -x "$KBENCH" ] || {
	echo "peers.sh: no kbench there; build it or say --build DIR" >&2
	exit 2
}
[ -n "$cpu" ] || cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$cpu" sh -c : 2>/dev/null || {
	echo "peers.sh: this process may not use CPU $cpu" >&2
	exit 2
}

work=$(mktemp -d) || exit 2
child=
# timeout passes the signal on to the group of its own that it makes.
stop() {
	[ -z "$child" ] || kill "$child" 2>/dev/null
	[ -z "$child" ] || wait "$child" 2>/dev/null
	exit "$1"
}
trap 'cd /; rm -rf "$work"' EXIT
trap 'stop 130' INT
trap 'stop 143' TERM HUP
export HELLO="$build/kbench-hello" ANCHOR="$work/anchor"
# Some anchors leave files where they stand.
cd "$work" || exit 2

# limited SECONDS COMMAND...: in the background and waited for, or a signal would be handled only when it has ended.
limited() {
	timeout "$@" &
	child=$!
	wait "$child"
	code=$?
	child=
	return $code
}

# A file a paragraph, named by its number: one field a line, continuation lines joined.
split_list() {
	awk -v RS= '
	{
		gsub(/\n\t/, " ")
		count = split($0, line, "\n")
		if (line[count] ~ /^#/)
			next
		file = sprintf("anchor.%02d", ++n)
		for (i = 1; i <= count; i++)
			if (line[i] !~ /^#/)
				print line[i] >file
		close(file)
	}' "$here/anchors"
}

# field FILE NAME
field() {
	sed -n "s/^$2 //p" "$1"
}

# wanted FILE PATTERN...
wanted() {
	text=$(sed -n 's/^\(quantity\|program\|package\|ours\) //p' "$1")
	shift
	[ $# -gt 0 ] || return 0
	for pattern in "$@"; do
		case $text in
		*"$pattern"*) return 0 ;;
		esac
	done
	return 1
}

# Why it cannot run, or nothing.
unmet() {
	program=$(field "$1" program)
	if [ "$program" = anchor ]; then
		[ -x "$ANCHOR" ] || cat "$work/anchor.why"
	elif ! command -v "$program" >/dev/null; then
		echo "$program is not installed"
	elif [ "$(field "$1" needs)" = unprivileged ] && [ "$(id -u)" -eq 0 ]; then
		echo "refuses to run as root"
	fi
}

make_anchor() {
	if ! command -v c++ >/dev/null; then
		echo "no C++ compiler" >"$work/anchor.why"
	elif ! echo '#include <benchmark/benchmark.h>' | c++ -x c++ -fsyntax-only - 2>/dev/null; then
		echo "Google Benchmark is not installed" >"$work/anchor.why"
	elif ! limited 60 c++ -O2 -std=c++17 "$here/anchor.cc" -o "$ANCHOR" -lbenchmark -lpthread 2>"$work/err"; then
		echo "anchor.cc does not compile: $(head -n 1 "$work/err")" >"$work/anchor.why"
	fi
}

# measure_anchor FILE: into `theirs` its value or -, and which share of the CPU it had: the rest others took or it
# slept. Neither this nor the next may run in a subshell, which would die of a signal and leave its child.
measure_anchor() {
	run=$(field "$1" run)
	times >cpu_before
	start=$(date +%s%N)
	limited 60 taskset -c "$cpu" sh -c "$run" </dev/null >out 2>err
	end=$(date +%s%N)
	times >cpu_after
	value=$(awk "$(cat "$here/read.awk")
		$(field "$1" value)" out | tail -n 1)
	awk -v value="${value:--}" -v ns=$((end - start)) '
	FNR == 2 {
		gsub(/[ms]/, " ")
		seconds = 60 * $1 + $2 + 60 * $3 + $4 - seconds
	}
	END { printf "%s\t%.2f\n", value ~ /^[0-9]/ ? value : "-", 1e11 * seconds / ns }' cpu_before cpu_after >theirs
}

# measure_ours FILE ROUND: into `ours` the fields of rows.awk; a row that several anchors share is measured once a
# round.
measure_ours() {
	kept=ours.$2.$(field "$1" ours | tr -c 'a-z0-9=._\n' _)
	if [ ! -e "$kept" ]; then
		own_budget=$(field "$1" budget)
		# shellcheck disable=SC2046 # a row and its parameters
		limited 900 "$KBENCH" run $(field "$1" ours) --processes 3 --budget "${own_budget:-$budget}" --cpus "$cpu" \
			--no-store --json </dev/null >out 2>err
		if [ $? -eq 2 ]; then
			cat err >&2
			exit 2
		fi
		awk -f "$here/../support/rows.awk" out >"$kept"
	fi
	head -n 1 "$kept" >ours
}

# Which of the two comes first alternates.
measure_pair() {
	if [ $(($2 % 2)) -eq 1 ]; then
		measure_anchor "$1"
		measure_ours "$1" "$2"
	else
		measure_ours "$1" "$2"
		measure_anchor "$1"
	fi
	printf 'pair\t%s\t%s\t%s\n' "$1" "$(cat theirs)" "$(cat ours)" >>pairs
}

split_list
for file in anchor.[0-9]*; do
	wanted "$file" "$@" || rm "$file"
done
grep -q '^program anchor' anchor.[0-9]* 2>/dev/null && make_anchor
ls anchor.[0-9]* >/dev/null 2>&1 || {
	echo "peers.sh: no quantity, program or row has '$*' in it" >&2
	exit 2
}
for file in anchor.[0-9]*; do
	sed "s/^\([a-z]*\) /field	$file	\1	/" "$file" >>pairs
	why=$(unmet "$file")
	[ -z "$why" ] || printf 'skipped\t%s\t%s\n' "$file" "$why" >>pairs
done
for round in $(seq "$rounds"); do
	for file in anchor.[0-9]*; do
		[ -z "$(unmet "$file")" ] || continue
		[ ! -t 2 ] || printf '\rround %d of %d: %-40s' "$round" "$rounds" "$(field "$file" quantity)" >&2
		measure_pair "$file" "$round"
	done
done
[ ! -t 2 ] || printf '\r%60s\r' '' >&2
awk -F '\t' -v rounds="$rounds" -v budget="$budget" -v cpu="$cpu" -f "$here/table.awk" pairs
