#!/bin/sh
# T-EXIT: every exit code 0..5 and every pair of them that can occur together, in the order 2 > 5 > 3 > 1 > 4 > 0, with
# output to a full disk. Rows of a known decision are measured once (plugins/decides.c); what compares them takes no time.
# runs: slow, 23 s
set -u
. "$KB_SRC/test/support/check.sh"

plugin decides

# ends CODE WHY COMMAND...
ends() {
	ends_code=$1 case=$2
	shift 2
	exits "$ends_code" "$@"
	case=
}

# full COMMAND...: its output goes to a disk without room.
full() {
	"$@" >/dev/full
}

# compare none|gate ROW...: the rows of both sides.
compare() {
	gate=$1
	shift
	patterns=
	for row; do
		patterns="$patterns 'plugin.decides row=$row'"
	done
	[ "$gate" = none ] && gate= || gate=--gate
	eval "\"\$KBENCH\" compare exit-a exit-b $patterns --margin 100% $gate"
}

# Again where too few launches had enough independent blocks for a comparison of what is stored: what it comes to is not what is
# tested here.
for attempt in 1 2 3 4 5; do
	rm -rf "$XDG_DATA_HOME/kbench"
	ends 5 'the measurement of all rows' "$KBENCH" ab --a ./decides.so --b SIDE=b -p row=slow,same,skips,broken \
		--margin 100% --budget 120s --label exit
	decided=$(compare gate slow 2>&1)
	[ $? -eq 1 ] && compare gate same >out && break
	echo "attempt $attempt: $decided"
done

# The budget ends the launch of one side alone: there is no pair, and nothing else happens. Nor in a run that has no other launch.
SIDE=b "$KBENCH" run --plugin ./decides.so -p row=hangs --budget 1s --no-store >alone 2>&1 &
hung=$!
ends 0 'a launch that the budget ends' "$KBENCH" ab --a ./decides.so --b SIDE=b -p row=hangs --processes 3 --budget 6s --no-store
ends 0 'a run that the budget ends before the first launch does' wait $hung
grep -q 'the run ended before its first process' alone || fail "a run that the budget ends before the first launch: $(cat alone)"

# ---- alone --------------------------------------------------------------------------------------------

ends 0 'slower without a gate' compare none slow same skips
ends 0 'settled' compare gate same
ends 1 'slower' compare gate slow
ends 2 'unknown run' "$KBENCH" compare exit-a nothing
ends 4 'not settled' compare gate skips
ends 0 'not settled is no matter without a gate' compare none skips
ends 5 'failed, without a gate' compare none broken

# ---- 5 > 1 > 4 > 0 ------------------------------------------------------------------------------------

ends 5 '5 > 1' compare gate slow broken
ends 5 '5 > 4' compare gate skips broken
ends 5 '5 > 0' compare none same broken
ends 5 '5 > 1 > 4 > 0' compare gate slow same skips broken
ends 1 '1 > 4' compare gate slow skips
ends 1 '1 > 0' compare gate slow same
ends 4 '4 > 0' compare gate same skips

# ---- 2 before all -------------------------------------------------------------------------------------

if [ -w /dev/full ]; then
	ends 2 '2 > 0' full compare gate same
	ends 2 '2 > 4' full compare gate skips
	ends 2 '2 > 1' full compare gate slow
	ends 2 '2 > 5' full compare none broken
	ends 2 '2 > 5, run' full env FAIL=1 "$KBENCH" run --plugin ./decides.so -p row=broken --budget 5s --no-store
	for command in list 'doctor --budget 0 --strict' 'show exit-b' 'show --json exit-b' 'compare exit-a exit-b --json'; do
		# shellcheck disable=SC2086 # words
		ends 2 '2, full disk' full "$KBENCH" $command
	done
else
	echo "no /dev/full: output to a full device is left out"
fi

# ---- a machine that is unfit, and a file system without room ------------------------------------------

# The kernel's clock is said to be a slow one, in a mount of our own, so that --strict surely has something to refuse.
clock=/sys/devices/system/clocksource/clocksource0/current_clocksource
mounts=$(own_mounts)
echo hpet >hpet
mkdir small
cat >mounted <<'END'
mount --bind hpet "$1" && mount -t tmpfs -o size=64k none small && shift && exec "$@"
exit 99
END

unfit() {
	unshare $mounts sh mounted $clock "$@"
}

if [ -n "$mounts" ] && [ -r $clock ] && unfit true 2>/dev/null; then
	side='--a ./decides.so --b SIDE=b --budget 60s --no-store --margin 100% --strict'
	# shellcheck disable=SC2086 # words
	{
		ends 3 'unfit' unfit "$KBENCH" doctor --budget 0 --strict
		ends 0 'unfit is no matter without --strict' unfit "$KBENCH" doctor --budget 0
		ends 3 '3 > 0' unfit "$KBENCH" run --plugin ./decides.so -p row=same --processes 1 --precision 100% --budget 20s --no-store --strict
		ends 5 '5 > 3' unfit env FAIL=1 "$KBENCH" run --plugin ./decides.so -p row=broken --budget 20s --no-store --strict
		ends 3 '3 > 1' unfit "$KBENCH" ab $side -p row=slow --gate
		ends 3 '3 > 4' unfit "$KBENCH" ab $side -p row=skips --gate
		ends 2 '2 > 3, no room for the store' unfit "$KBENCH" run --plugin ./decides.so -p row=same --processes 1 --precision 100% \
			--budget 20s --strict --store small/kbench.db
		ends 2 '2 > 5, no room for the store' unfit env FAIL=1 "$KBENCH" run --plugin ./decides.so -p row=broken \
			--budget 20s --store small/kbench.db
	}
	[ ! -w /dev/full ] || ends 2 '2 > 3, full disk' full unfit "$KBENCH" doctor --budget 0 --strict
else
	echo "no mounts of our own: unfit machines and full file systems are left out"
fi
