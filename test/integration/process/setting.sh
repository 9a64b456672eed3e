#!/bin/sh
# A setting that a launch changes comes back when the launch ends: in order, by a crash, by Ctrl-C, and when the run, its guardian or both
# are killed with -9 while the setting is changed. What no guardian is left for, the next run does.
# runs: 8 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/left.sh"

plugin sets
printf at_rest >file

# run WORDS...: in the background; $pid
run() {
	setsid env --default-signal=INT,TERM,HUP "$mark" "$KBENCH" run --no-store --plugin ./sets.so -p "file=$work/file" "$@" \
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

# guardian: that of the run.
guardian() {
	for child in $(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" != kbench-guardian ] || echo "$child"
	done
}

# another PID: the run has a guardian that is not this one.
another() {
	[ -n "$(guardian)" ] && [ "$(guardian)" != "$1" ]
}

nothing_left() {
	rest=$(left 5) || true
	[ -z "$rest" ] || fail "$1: left behind: $rest"
}

# ---- the guardian is killed: another one takes its place ---------------------------------------------------------------

case='a guardian is killed'
run --processes 1000 --precision 0.001% --budget 30s
holds anothr_ "before"
first=$(guardian)
kill -s KILL "$first"
await 5 another "$first" || fail "there is no other"
holds anothr_ "with another"
kill -s KILL "$pid"
wait "$pid" 2>/dev/null && fail "it exits with 0"
holds at_rest "after the run's end"
nothing_left "$case"

# Again and again, while launches go on: a run like any other.
case='guardians are killed'
run --processes 6 --precision 0.001% --budget 20s
for kill in 1 2 3 4 5; do
	sleep 0.1
	for id in $(guardian); do
		kill -s KILL "$id" 2>/dev/null || true
	done
done
wait "$pid" || [ $? -eq 5 ] || fail "exit code $?: $(cat err)"
[ ! -s err ] || fail "on standard error: $(cat err)"
grep -q ' [1-9]' out || fail "no result: $(cat out)"
holds at_rest "after the run"
nothing_left "$case"

# ---- both are killed: the next run does it --------------------------------------------------------------------------------

case='run and guardian are killed'
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
run --processes 1000 --precision 0.001% --budget 30s
# Between launches it is at rest.
stopped_inside() {
	kill -s STOP "$pid"
	sleep 0.1
	reads_so anothr_ || {
		kill -s CONT "$pid"
		return 1
	}
}
await 10 stopped_inside || fail "it changes nothing: $(cat err)"
kill -s KILL "$(guardian)" "$pid"
wait "$pid" 2>/dev/null && fail "it exits with 0"
sleep 0.2
holds anothr_ "without anybody"
[ "$(ls -d tmp/kbench-* | wc -l)" -eq 2 ] || fail "there are $(ls tmp)"
"$KBENCH" run --no-store sys.null --processes 1 --precision 100% --budget 5s >out 2>err || fail "the next run: $(cat err)"
holds at_rest "after the next run"
nothing_left "$case"
