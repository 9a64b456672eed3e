#!/bin/sh
# What a user waits for and pays in memory, asserted generously: test/budget.sh prints the real values.
set -u
. "$KB_SRC/test/support/left.sh"
. "$KB_SRC/test/support/cost.sh"
failed=0

# at_most WHAT VALUE LIMIT UNIT
at_most() {
	echo "$1: $2 $4, at most $3"
	awk -v x="$2" -v y="$3" 'BEGIN { exit !(x > 0 && x <= y) }' || failed=1
}

at_most 'kbench list' "$(list_ms 20)" 100 ms

# The whole standard selection; a launch that has begun may end after the budget.
budget=6
[ "${KB_FULL:-0}" -eq 0 ] || budget=20
measured_run --budget ${budget}s
[ "$code" -eq 0 ] || [ "$code" -eq 5 ] || {
	echo "exit code $code: $(cat err)"
	failed=1
}
at_most "run --budget ${budget}s" "$wall_ms" $((1000 * (budget + 5))) ms
at_most 'peak memory' "$peak_mb" 200 MB

# The largest row, which a short run may not reach.
measured_run mem.latency -p size=64M --launches 3 --precision 100% --budget 20s
at_most 'peak memory of 64 MB' "$peak_mb" 200 MB
[ "$peak_mb" -ge 64 ] || {
	echo "peak memory was not seen"
	failed=1
}
exit $failed
