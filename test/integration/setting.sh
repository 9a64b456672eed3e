#!/bin/sh
# A setting that a launch changes comes back when the launch ends: in order, by a crash, by Ctrl-C, and when the run is killed
# with -9 while the setting is changed.
set -eu
cc=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "setting: $1"
	exit 1
}

# shellcheck disable=SC2086 # $cc may be several words
$cc -O2 -Wall -Wextra -Werror -shared -fPIC -I"$KB_SRC/include" "$KB_SRC/test/integration/plugins/sets.c" -o "$work/sets.so"
printf at_rest >"$work/file"

# run WORDS...: in the background; $pid
run() {
	setsid env --default-signal=INT,TERM,HUP "$KBENCH" run --no-store --plugin "$work/sets.so" -p "file=$work/file" "$@" \
		>"$work/out" 2>"$work/err" &
	pid=$!
}

# holds TEXT: within ten seconds.
holds() {
	for _ in $(seq 200); do
		[ "$(cat "$work/file")" = "$1" ] && return
		sleep 0.05
	done
	fail "$2: the setting is '$(cat "$work/file")', not '$1'; $(cat "$work/err")"
}

run --processes 2 --precision 100% --budget 20s
wait "$pid" || fail "a run exits with $?: $(cat "$work/out" "$work/err")"
holds at_rest "after a run"

# Each launch finds it as it should be, though the one before crashed; the row failed, which is 5. Three launches of the other row
# that do not settle would be a failure, too.
code=0
run --processes 2 --precision 100% --budget 20s -p end=crash,well
wait "$pid" || code=$?
[ "$code" -eq 5 ] || fail "with a crash it exits with $code: $(cat "$work/out" "$work/err")"
grep -q '^1 [a-z]* . 1 invalid' "$work/out" || fail "after a crash: $(cat "$work/out")"
holds at_rest "after crashes"

for signal in INT KILL; do
	run --processes 1000 --precision 0.001% --budget 30s
	holds anothr_ "before SIG$signal"
	kill -s "$signal" "$pid"
	wait "$pid" 2>/dev/null && fail "SIG$signal: it exits with 0"
	holds at_rest "after SIG$signal"
done
