#!/bin/sh
# A setting that a launch changes comes back when the launch ends: in order, by a crash, by Ctrl-C, and when the run is killed
# with -9 while the setting is changed.
# runs: 2 s
set -eu
. "$KB_SRC/test/support/check.sh"

plugin sets
printf at_rest >file

# run WORDS...: in the background; $pid
run() {
	setsid env --default-signal=INT,TERM,HUP "$KBENCH" run --no-store --plugin ./sets.so -p "file=$work/file" "$@" \
		>out 2>err &
	pid=$!
}

reads_so() {
	[ "$(cat file)" = "$1" ]
}

# holds TEXT WHEN: within ten seconds.
holds() {
	await 10 reads_so "$1" || fail "$2: the setting is '$(cat file)', not '$1'; $(cat err)"
}

run --processes 2 --precision 100% --budget 20s
wait "$pid" || fail "a run exits with $?: $(cat out err)"
holds at_rest "after a run"

# Each launch finds it as it should be, though the one before crashed; the row failed, which is 5. Three launches of the other row
# that do not settle would be a failure, too.
code=0
run --processes 2 --precision 100% --budget 20s -p end=crash,well
wait "$pid" || code=$?
[ "$code" -eq 5 ] || fail "with a crash it exits with $code: $(cat out err)"
grep -q '^1 [a-z]* . 1 invalid' out || fail "after a crash: $(cat out)"
holds at_rest "after crashes"

for signal in INT KILL; do
	run --processes 1000 --precision 0.001% --budget 30s
	holds anothr_ "before SIG$signal"
	kill -s "$signal" "$pid"
	wait "$pid" 2>/dev/null && fail "SIG$signal: it exits with 0"
	holds at_rest "after SIG$signal"
done
