#!/bin/sh
# kbench params: line, first and second cache against what sysfs says; both kinds of output; errors.
# What is inferred from time can be spoilt by others. The tool repeats by itself until its budget ends; here it gets two more
# tries. The line and the first cache are small enough to be right on any machine that runs at all. The second cache is
# emptied by whatever preempts: while others run, a second cache that seems smaller or cannot be inferred is no failure.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cache=/sys/devices/system/cpu/cpu0/cache

fail() {
	echo "params: $1"
	[ ! -s "$work/out" ] || cat "$work/out"
	exit 1
}

# refused CODE WORDS ARGUMENT...: one line on standard error, nothing on standard output.
refused() {
	code=$1 words=$2
	shift 2
	status=0
	"$KBENCH" params "$@" >"$work/refused" 2>"$work/err" || status=$?
	[ $status -eq "$code" ] || fail "params $*: exit code $status instead of $code"
	[ "$(wc -l <"$work/err")" -eq 1 ] && [ ! -s "$work/refused" ] || fail "params $*: not one line"
	grep -q -- "$words" "$work/err" || fail "params $*: '$(cat "$work/err")' lacks '$words'"
}

refused 2 "did you mean cache" cahce
refused 2 "no parameter 'frequency-of-it-all'" line frequency-of-it-all
refused 2 "budget" --budget 10ms line
refused 2 "budget" --budget never line

# says NAME WORD: whether the line of that name has the word as its match.
says() {
	sed -n "s/^  $1  *//p" "$work/out" | grep -q -- " $2 "
}

# Others run when more than half of the CPUs are wanted, or the host takes time away.
busy() {
	awk -v cpus="$(getconf _NPROCESSORS_ONLN)" '{ exit !($1 > cpus / 2) }' /proc/loadavg
}

wrong=
try() {
	wrong=
	LC_ALL=C COLUMNS=80 timeout 40 "$KBENCH" params line cache --budget 5s >"$work/out" 2>"$work/err" || fail "exit code $?: $(cat "$work/err")"
	says 'line size' agree || wrong="the line"
	says 'L1d size' agree || wrong="$wrong the first cache"
	[ ! -r "$cache/index2/size" ] || says 'L2 size' agree || busy || wrong="$wrong the second cache"
}

if [ ! -r "$cache/index0/size" ]; then
	timeout 40 "$KBENCH" params line --budget 5s >"$work/out" || fail "exit code $?"
else
	for i in 1 2 3; do
		try
		[ -n "$wrong" ] || break
	done
	[ -z "$wrong" ] || fail "three times not what sysfs says: $wrong"
	# The picture has its axes in plain characters, and a point in the first column.
	grep -q '^ *1*[0-9.]*|o' "$work/out" || fail "no picture"
	grep -q '^  *4K  *16K' "$work/out" || fail "the picture has no scale"
	LC_ALL=C grep -q '[^ -~]' "$work/out" && fail "more than ASCII in the C locale"
fi

# Clock: the addition is the yardstick, and every chain a whole number of cycles, or it says that they are not.
timeout 40 "$KBENCH" params clock --json --budget 3s >"$work/json" || fail "clock: exit code $?"
for part in '"schema": "kbench-params/1"' '"name": "core"' '"unit": "MHz"' '"match": "' '"system": '; do
	grep -q "$part" "$work/json" || fail "--json lacks $part"
done
# A signal ends it in order, with what was found.
"$KBENCH" params cache --budget 10s >"$work/out" 2>"$work/err" &
pid=$!
sleep 1
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 143 ] || fail "ended by a signal: exit code $status: $(cat "$work/err")"
grep -q 'stopped by a signal' "$work/out" || fail "it does not say that it was stopped"

# Nothing is kept, so no store is made where there is none.
XDG_DATA_HOME=$work/nothing timeout 40 "$KBENCH" params line --budget 1s >"$work/out" || [ $? -eq 5 ] || fail "line in 1 s"
[ ! -e "$work/nothing" ] || fail "params made a store"
exit 0
