#!/bin/sh
# What a user waits for and pays in memory, asserted generously: test/budget.sh prints the real values.
# runs: alone, full; it judges how long and how large kbench is, which takes a quiet machine
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/cost.sh"

# at_most WHAT VALUE LIMIT UNIT
at_most() {
	echo "$1: $2 $4, at most $3"
	awk -v x="$2" -v y="$3" 'BEGIN { exit !(x > 0 && x <= y) }' || fail "$1"
}

# How much longer a program takes than alone: what other work takes is no cost of ours.
begun=$(date +%s%N)
for _ in $(seq 50); do
	sh -c :
done
times=$(awk -v ns=$(($(date +%s%N) - begun)) 'BEGIN { times = ns / 50 / 2e6; print (times > 1 ? times : 1) }')
echo "a start of the shell takes $times times 2 ms"

at_most 'kbench list' "$(list_ms 20)" "$(awk -v x="$times" 'BEGIN { print 100 * x }')" ms

# The whole standard selection; a launch that has begun may end after the budget.
budget=6
[ "${KB_FULL:-0}" -eq 0 ] || budget=10
measured_run --budget ${budget}s
[ "$code" -eq 0 ] || [ "$code" -eq 5 ] || fail "exit code $code: $(cat err)"
at_most "run --budget ${budget}s" "$wall_ms" "$(awk -v x="$times" -v s=$budget 'BEGIN { print 1000 * (s + 5 * (x > 4 ? 4 : x)) }')" ms
at_most 'peak memory of kbench' "$own_mb" 100 MB
# Two arrays of 64 MB that are copied, and the same again: their twin.
at_most 'peak memory' "$peak_mb" 320 MB

# The largest row, which a short run may not reach.
measured_run mem.latency -p size=64M --processes 3 --precision 100% --budget 20s
at_most 'peak memory of 64 MB' "$peak_mb" 200 MB
[ "$peak_mb" -ge 64 ] || fail "peak memory was not seen"

# A control group with less memory than a row needs, or than a neighbour: that is said, and nobody is killed for it.
inside=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*://p' /proc/self/cgroup) limit=memory.limit_in_bytes
group=/sys/fs/cgroup/memory$inside/kbench-test-$$
[ -n "$inside" ] || group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/kbench-test-$$ limit=memory.max
if mkdir "$group" 2>/dev/null && echo 62914560 2>/dev/null >"$group/$limit"; then
	code=0
	timeout 60 sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$KBENCH" run mem.latency -p size=16K,64M -p order=local \
		--interfere memory --processes 1 --precision 100% --budget 20s --no-store --json >json 2>err || code=$?
	results json >rows
	awk -F '\t' -v code="$code" '
		$1 ~ /size=16K .*interference=nothing/ { fits += $2 != "invalid" && $2 != "skipped" }
		$1 ~ /size=64M .*interference=nothing/ { large += $2 == "skipped" && $10 ~ /needs 64 MB of memory, [0-9]+ MB are available/ }
		$1 ~ /size=16K .*interference=memory/ { beside += $2 == "skipped" && $10 ~ /interfering process .* needs [0-9]+ MB of memory/ }
		END { exit !(code == 0 && fits == 1 && large == 1 && beside == 1) }' rows || fail "in a control group of 60 MB, exit code $code: $(cat rows err)"
else
	echo "no control group of our own: what happens with little memory is left out"
fi
[ ! -d "$group" ] || rmdir "$group" || fail "the group stays"
