#!/bin/sh
# A busy loop on the CPU that is measured on takes half of its time: the result tells so, and `show` prints it. With real-time priority nobody takes it.
# runs: alone, full; it judges shares of the CPU, two measurements of 2 s
set -eu
. "$KB_SRC/test/support/check.sh"
cpu=$(first_cpu)
spinner=
at_end='[ -z "$spinner" ] || kill $spinner 2>/dev/null'

# waited: of the last run, in percent.
waited() {
	"$KBENCH" show last sys.null --store runs.db --json >out || fail "show: exit code $?"
	awk -F': ' '/"waited_share"/ { printf "%.0f\n", 100 * $2; known = 1 } END { exit !known }' out || fail "waited_share: $(grep waited out)"
}
# measure [COMMAND...]: under that.
measure() {
	timeout 60 "$@" taskset -c "$cpu" "$KBENCH" run sys.null --budget 2s --store runs.db >out 2>&1 || [ $? -eq 5 ] || fail "run: $(cat out)"
}

[ -r /proc/thread-self/schedstat ] || skip "this kernel keeps no account of waiting"
setpriv --pdeathsig KILL taskset -c "$cpu" sh -c 'while :; do :; done' &
spinner=$!
measure
spun=$(waited)
[ "$spun" -ge 30 ] || fail "waited for $spun % beside a busy loop"
"$KBENCH" show last sys.null --store runs.db >out
says '^    waited +[0-9]+ % of the time for a CPU that other processes of this machine had$'

# The loop goes on, and whatever else runs here.
if chrt -f 10 true 2>/dev/null; then
	measure chrt -f 10
	free=$(waited)
	echo "waited for $spun % of the time beside a busy loop, with real-time priority for $free %"
	[ "$free" -le 15 ] || fail "waited for $free % with real-time priority"
fi
