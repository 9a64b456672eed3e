#!/bin/sh
# The source document's case, live: method kanata on ipc.notify, its table and what is read back from it; pictures.
# runs: full, 15 s; it measures by the method of the source document; unit/run/test_kanata and truth/stats/test_kanata have its rules
set -eu
. "$KB_SRC/test/support/check.sh"

refuses 2 '--skip belongs to --method kanata' run --no-store ipc.notify --skip 2
refuses 2 '--groups belongs to --method kanata' run --no-store ipc.notify --method slope --groups 2
refuses 2 'must be slope, single, paired or kanata' run --no-store ipc.notify --method fast
refuses 2 'at most 50000 operations' run --no-store ipc.notify --method kanata --initial 50000
refuses 2 'multiples of 100' run --no-store cpu.op_latency --method kanata
refuses 2 'together at most 1024 tests' run --no-store ipc.notify --method kanata --group-size 1000 --skip 25
refuses 2 'must be below 100%' run --no-store ipc.notify --method kanata --confidence 100%
refuses 2 'number from 2' run --no-store ipc.notify --method kanata --group-size 1

# One launch of 3 groups; everything is narrow enough.
run() {
	"$KBENCH" run -p by=futex --method kanata --groups 3 --precision 100% --processes 1 --budget 20s "$@" || return $?
}
run ipc.notify >out || fail "run: exit code $?"
if grep -q 'SCHED_FIFO is refused' out; then
	echo "needs SCHED_FIFO"
	exit 77
fi
sed -n '/^Initial Test size/,/^Done!/p' out >table
cat >head <<'END'
Initial Test size: 30
Delta: 1
Number of Tests / Sample size of Accumulated latency: 30
Number of Groups: 3
Accumulated latencies (clock cycles): 
END
head -n 5 table | cmp - head || fail "the head of the table: $(head -n 5 table)"
[ "$(sed 1,5d table | grep -cx '[0-9][0-9]* [0-9][0-9]* [0-9][0-9]* ')" -eq 30 ] || fail "not 30 tests of 3 groups"
[ "$(tail -n 2 table)" = "
Done!" ] || fail "the end of the table"

# What was printed is what is kept, and what `analyze` says of the table is what `run` said.
"$KBENCH" show --table | sed -n '/^Initial Test size/,/^Done!/p' | cmp - table || fail "show --table"
mean() {
	sed -n 's/^ *Sample Mean \/ Test size *//p' "$1" | head -n 1
}
"$KBENCH" analyze table >analysis || fail "exit code $?"
[ -n "$(mean out)" ] && [ "$(mean out)" = "$(mean analysis)" ] || fail "means of run ($(mean out)) and analyze ($(mean analysis))"
"$KBENCH" show --json | grep -q '"method": "kanata"' || fail "the method is not in the JSON"
"$KBENCH" maintain >rebuilt && "$KBENCH" show --json | grep -q '"method": "kanata"' || fail "maintain"

# Skipped tests come on top.
run ipc.notify --skip 3 --group-size 5 --groups 2 >out || fail "run --skip: exit code $?"
[ "$(sed -n '/^Accumulated latencies/,/^Done!/p' out | grep -c '^[0-9]')" -eq 5 ] || fail "--skip 3: not 5 tests"

# A half-width that is not met makes the next launch's groups larger.
run ipc.notify --precision 0.01% --processes 3 --group-size 4 --groups 1 --budget 10s >out || fail "run: exit code $?"
size=$(sed -n 's/^Number of Tests .*: //p' out)
[ "$size" -gt 4 ] || fail "S' did not grow: $size"

# Both kinds of second reading, both approaches, forced methods: nothing contradicts the evidence.
"$KBENCH" run ipc.notify -p by=eventfd -p approach=stable,plain -p reading=sender,waiter --method single --processes 2 --precision 100% --budget 20s --json >json ||
	fail "variants: exit code $?"
[ "$(grep -cx ' *"method": "single"' json)" -eq 4 ] || fail "not 4 rows by single"
! grep -qE '"status": "(invalid|unverified|skipped)"' json || fail "a variant's verdict: $(grep '"status"' json | sort | uniq -c)"

# Pictures in both character sets and at two widths; every character is one column.
for width in 80 120; do
	LC_ALL=C COLUMNS=$width "$KBENCH" show 'ipc.notify by=eventfd approach=stable reading=sender' --plot |
		sed -n '/run order/,$p' >ascii || fail "show --plot: exit code $?"
	grep -q '|' ascii && grep -q 'value|' ascii && grep -q ' 99 %|' ascii || fail "show --plot lacks a part"
	! grep -q '[^ -~]' ascii || fail "show --plot in ASCII is not"
	[ "$(awk '{ if (length > most) most = length } END { print most }' ascii)" -eq $width ] || fail "not $width columns wide"
done
if locale -a 2>/dev/null | grep -qi '^c\.utf'; then
	LC_ALL=C.UTF-8 COLUMNS=80 "$KBENCH" show last --plot | grep -q '│' || fail "show --plot in UTF-8 has no UTF-8"
fi
