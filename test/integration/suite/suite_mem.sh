#!/bin/sh
# Memory rows against each other: pages cost translations, misses overlap, caches beat the memory, and width is width.
# Ratios with a wide margin; a row that a busy machine leaves without a number is not compared.
# runs: alone, full; the memory of the whole suite
set -eu
. "$KB_SRC/test/support/check.sh"

"$KBENCH" run tlb.latency -p lines=8192 --processes 3 --budget 2s --no-store --json >tlb 2>err || [ $? -eq 5 ]
"$KBENCH" run mem.parallelism -p chases=1,16 -p size=32M --processes 3 --budget 3s --no-store --json >chases 2>>err || [ $? -eq 5 ]
"$KBENCH" run mem.bw_read -p size=16K -p access=pointer -p width=8,auto --processes 3 --budget 2s --no-store --json >width 2>>err || [ $? -eq 5 ]
# Streams that pause nearly all the time are beside a chase, too.
"$KBENCH" run mem.latency_loaded -p load=1 --processes 1 --precision 100% --budget 2s --no-store --json >loaded 2>>err || [ $? -eq 5 ]
for part in tlb chases width loaded; do
	[ -s $part ] || fail "no results: $(cat err)"
	results $part
done >rows

# Only 8 bytes wide: some architectures have no other width, and both rows are then the same.
awk -F '\t' '
	$12 ~ /failed|crashed|timeout|dead_code/ { printf "%s: %s\n", $1, $10; bad = 1 }
	{ of[$1] = $6 }
	function more(dear, cheap, times) {
		if (of[dear] + 0 > 0 && of[cheap] + 0 > 0 && of[dear] < times * of[cheap]) {
			printf "%s: %s ns, not %s times that of %s, %s ns\n", dear, of[dear], times, cheap, of[cheap]
			bad = 1
		}
		if (!(dear in of) || !(cheap in of)) {
			printf "no row %s or %s\n", dear, cheap
			bad = 1
		}
	}
	END {
		more("tlb.latency lines=8192 layout=spread pages=small", "tlb.latency lines=8192 layout=packed pages=small", 1.3)
		more("mem.parallelism chases=1 size=32M pages=huge", "mem.parallelism chases=16 size=32M pages=huge", 1.5)
		more("mem.bw_read size=16K access=pointer width=8 pages=huge", "mem.bw_read size=16K access=pointer width=auto pages=huge", 0.8)
		exit bad
	}' rows || fail "$(cat rows)"
