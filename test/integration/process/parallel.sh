#!/bin/sh
# Copies side by side and neighbours beside: two copies of a chain of adds cost what one costs and do twice as much; a copy
# that dies spoils the row for all, soon; a neighbour that did nothing is no neighbour; after kill -9 nothing is left.
# Ratios only, and generous ones: this machine may be busy with other work.
# runs: slow, 20 s
set -u
. "$KB_SRC/test/support/check.sh"
# A table wide enough for whole reasons.
export COLUMNS=200
. "$KB_SRC/test/support/left.sh"

nothing_left() {
	rest=$(left 3)
	[ -z "$rest" ] || fail "left behind: $rest"
}

# first MEMBER INNER FILE [NUMBER]: value of INNER in the first (or that) object called MEMBER.
first() {
	awk -v member="\"$1\": {" -v inner="\"$2\": " -v number="${4:-1}" '
	index($0, member) && ++seen == number { inside = 1 }
	inside && index($0, inner) { sub(/^[^:]*: /, ""); sub(/,$/, ""); print; exit }' "$3"
}

# within VALUE LOW HIGH
within() {
	awk -v value="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(value ~ /^[0-9.]/ && value >= low && value <= high) }'
}

# ratio FILE LOW HIGH: the first one. On a busy machine too few launches may be fit to be compared; then the row says so.
ratio() {
	value=$(first ratio value "$1")
	case $value in
	'' | null) grep -Eq '"code": "(partial_run|no_steady_state)"' json ;;
	*) within "$value" "$2" "$3" ;;
	esac
}

# What else goes on may keep a launch from settling down; that is a verdict, and no failure of what is tested here.
measured() {
	[ $code -eq 0 ] || { [ $code -eq 5 ] && grep -q '"code": "no_steady_state"' json; } || fail "exit code $code: $(cat err)"
	grep -Eq '"code": "(op_failed|setup_failed|crashed|timeout|left_behind|record_truncated|expect_failed)"' json &&
		fail 'a launch failed'
}

plugin dies_as_copy
plugin stops_neighbour

# Copies share the CPU and say so; a neighbour has none of its own. Those of real-time policies must not starve each other.
case='one CPU'
first=$(first_cpu)
taskset -c "$first" "$KBENCH" run cpu.op_latency -p op=add --interfere spin --processes 1 --budget 10s --no-store >out 2>&1
grep -q 'needs a second CPU' out || fail "$(cat out)"
code=0
marked timeout -k 5 60 taskset -c "$first" "$KBENCH" run cpu.op_latency timer.wake ipc.notify -p op=add -p policy=fifo -p by=futex \
	--parallel 2 --processes 1 --precision 100% --budget 20s --timeout 15s --no-store --json >json 2>err || code=$?
measured
grep -q '"code": "partial_overlap"' json || fail 'two copies on one CPU ran side by side'
nothing_left
[ "$(nproc)" -ge 2 ] || exit 0

# ---- copies ------------------------------------------------------------------------------------------------

case='two copies'
code=0
marked timeout -k 5 60 "$KBENCH" run cpu.op_latency -p op=add --parallel 1,2 --processes 3 --precision 100% --budget 30s \
	--store store.db --label copies --json >json 2>err || code=$?
measured
awk '/"scaling"/ { on = 1 } on' json >scaling
ratio scaling 0.7 1.4 || fail "a copy of two against one costs '$value'"
one=$(first aggregate_per_s value json 1) two=$(first aggregate_per_s value json 2)
# On a busy machine copies may not run together; then there is no sum, and the row says so.
case $one/$two in
*null*) grep -Eq '"code": "(partial_overlap|partial_run)"' json || fail 'neither sum nor reason' ;;
*) within "$(awk -v a="$one" -v b="$two" 'BEGIN { print b / a }')" 1.2 2.8 || fail "$one a second alone, $two together" ;;
esac
[ "$(grep -c '"per_copy"' json)" -eq 2 ] || fail 'not two rows with copies'
nothing_left

case='the store has it, too'
"$KBENCH" show copies --store store.db --json >shown 2>err || fail "$(cat err)"
[ "$(first aggregate_per_s value shown 2)" = "$two" ] || fail 'another sum'
"$KBENCH" maintain --store store.db copies >out 2>&1 || fail "$(cat out)"
"$KBENCH" show copies --store store.db --json >rebuilt 2>err
awk '/"scaling"/ { on = 1 } on' shown >a
awk '/"scaling"/ { on = 1 } on' rebuilt >b
cmp -s a b || fail 'from its records it is another one'
"$KBENCH" show copies --store store.db | grep -Eq '^ *x2 .*side by side' || fail 'no table of copies'

for how in killed failed; do
	case="a copy is $how"
	code=0
	began=$(date +%s)
	marked timeout -k 5 60 "$KBENCH" run --plugin ./dies_as_copy.so -p how=$how --parallel 2 --processes 3 --budget 40s \
		--no-store --json >json 2>err || code=$?
	[ $code -eq 5 ] || fail "exit code $code: $(cat err)"
	grep -q '"status": "invalid"' json || fail 'not invalid'
	[ "$(first estimate value json)" = null ] || fail 'has a number'
	grep -Eq 'copy 2( of 2|: )' json || fail 'does not say which copy'
	# It is the first launch that ends so, and the other copy waits for no time limit.
	[ $(($(date +%s) - began)) -lt 20 ] || fail 'took too long'
	nothing_left
done

# ---- neighbours --------------------------------------------------------------------------------------------

case='neighbours'
code=0
marked timeout -k 5 60 "$KBENCH" run cpu.op_latency -p op=add --interfere memory,cache,spin --processes 3 --precision 100% \
	--budget 30s --store store.db --label beside --json >json 2>err || code=$?
measured
for kind in nothing memory cache spin; do
	grep -q "\"interference\": \"$kind\"" json || fail "no row beside $kind"
done
awk '/"interference"/ { on = 1 } on' json >ratios
[ "$(grep -c '"ratio"' ratios)" -eq 3 ] || fail 'not three ratios'
ratio ratios 0.5 3 || fail "beside memory '$value'"
nothing_left

case='a neighbour that does nothing'
code=0
marked timeout -k 5 60 "$KBENCH" run --plugin ./stops_neighbour.so --interfere syscalls --processes 3 --precision 100% \
	--budget 30s --no-store >out 2>err || code=$?
[ $code -eq 5 ] || fail "exit code $code: $(cat err)"
grep -Eq 'nothing .* (ok|noisy|unverified)( |$)|no steady state' out || fail 'the row without one was not measured'
grep -Eq 'syscalls .* invalid  ' out || fail 'is not invalid'
grep -q 'did nothing' out || fail 'does not say why'
nothing_left

# ---- killed ------------------------------------------------------------------------------------------------

# On how many different CPUs the collectors of this test are pinned at this moment.
collector_cpus() {
	for pid in $(carriers "$mark"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = kbench-collect ] &&
			sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\)$/\1/p' "/proc/$pid/status" 2>/dev/null
	done | sort -u | wc -l | tr -d ' '
}

started() {
	[ "$(carriers "$mark" | wc -w)" -ge 4 ]
}
apart() {
	[ "$(collector_cpus)" = 2 ]
}

for mode in '--parallel 2' '--interfere memory'; do
	case="kill -9 with $mode"
	# shellcheck disable=SC2086 # words
	env "$mark" "$KBENCH" run sys.null $mode --processes 1000 --precision 0.001% --budget 60s --no-store >out 2>err &
	pid=$!
	await 10 started || fail "no collectors: $(cat err)"
	# Copies on one CPU would look like copies on a busy machine.
	[ "$mode" != '--parallel 2' ] || await 10 apart || fail 'the copies are not on two CPUs'
	kill -s KILL $pid
	wait $pid 2>/dev/null
	nothing_left
done

# ---- what cannot be asked ----------------------------------------------------------------------------------

case=
refuses 2 "parallel '0'" run sys.null --no-store --parallel 0
refuses 2 "parallel '2,2'" run sys.null --no-store --parallel 2,2
refuses 2 'parallel 256: [0-9]+ CPUs? may be used, and at most 2 copies share one: give at most [0-9]+' run sys.null --no-store --cpus "$first" --parallel 256
exits 2 taskset -c "$first" "$KBENCH" run sys.null --no-store --parallel 1,3
says '^kbench run: --parallel 3: 1 CPU may be used'
refuses 2 "parallel '257'" run sys.null --no-store --parallel 257
refuses 2 "parallel ''" run sys.null --no-store --parallel ''
refuses 2 "interfere 'noise'" run sys.null --no-store --interfere noise
refuses 2 "interfere 'spin,'" run sys.null --no-store --interfere spin,
refuses 2 'exclude each other' run sys.null --no-store --parallel 2 --interfere spin
refuses 2 'exclude each other' run sys.null --no-store --parallel 2 --method kanata
