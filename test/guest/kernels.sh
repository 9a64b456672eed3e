#!/bin/sh
# Another kernel than the one that all other jobs run on: its modules load, run, know what isolation they can have, and leave nothing;
# kbench measures and traces there.
. /test/common.sh
real_time=
! grep -q 'PREEMPT_RT' /proc/version || real_time=1
uname -rv

part load
load_all
. /test/runs.sh

# Where locks sleep, no window can be closed to other tasks.
part isolation
for bench in null mutex spin_lock; do
	for mode in 0 1 2; do
		set_to $bench loop_count 200 isolation $mode
		run_of $bench
		expect ok "$bench isolation=$mode"
		in_force=$(tr ' ' '\n' <$kbench/$bench/report | sed -n 's/^isolation=//p')
		wanted=$mode
		[ -z "$real_time" ] || wanted=0
		# A weaker one is in force where a sample did not fit.
		[ "${in_force:-9}" -le $wanted ] || complain "$bench isolation=$mode: $in_force is in force"
		[ -n "$real_time" ] || [ $bench != null ] || [ $mode != 1 ] || [ "$in_force" = 1 ] || complain "null isolation=1: $in_force is in force"
	done
done
unload_all
[ ! -e $kbench ] || complain "left: $(lsmod | grep kbench)"

part "kbench run"
export XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache
names=$(cd "$modules" && ls kbench_*.ko | sed 's/^kbench_/kernel./; s/\.ko$//')
# shellcheck disable=SC2086 # words
kbench run $names --defaults --processes 1 --precision 100% --budget 60s --json >/tmp/rows.json 2>/tmp/rows.error || complain "kbench run: $(tail -n 5 /tmp/rows.error)"
sed -n 's/^ *"benchmark": "\(.*\)".*/\1/p; s/^        "status": "\(.*\)".*/\1/p' /tmp/rows.json | sed 'N; s/\n/ /' >/tmp/rows
cat /tmp/rows
[ "$(grep -c ' \(ok\|noisy\|unverified\)$' /tmp/rows)" -eq "$(echo "$names" | wc -l)" ] || complain "rows: $(cat /tmp/rows) $(grep '"detail"' /tmp/rows.json | sort -u | head -n 5)"

# A neighbour of user space while the kernel measures.
kbench run kernel.null --defaults --interfere spin --processes 2 --precision 100% --budget 60s --json >/tmp/out 2>/tmp/error || complain "--interfere: $(cat /tmp/error)"
[ "$(grep -c '"interference": "spin"' /tmp/out)" -ge 1 ] && ! grep -Eq '"status": "(invalid|skipped)"' /tmp/out ||
	complain "--interfere: $(sed -n '/"verdict"/,/}/p' /tmp/out)"

# Events that the kernel itself counts, which need no counters of the processor, and words that are none.
kbench run kernel.null --defaults --event context-switches --processes 1 --precision 100% --budget 60s --json >/tmp/out 2>/tmp/error || complain "--event: $(cat /tmp/error)"
grep -q '"counter": "perf:context-switches"' /tmp/out || complain "--event: nothing was counted: $(grep -A 3 '"counter"' /tmp/out)"
load kbench kbench_null
for event in 0:1:instructions 0:1:0:0:0: '0:1:0:0:0:two words' word; do
	talk 'bench null' "event $event"
	expect EINVAL "event $event"
done
talk 'event 1:3:0:0:0:context-switches'
expect EINVAL "an event of no benchmark"
talk 'bench null' 'event 1:3:0:0:0:a' 'event 1:3:0:0:0:b' 'process method=single seed=1 process=0' 'event 1:3:0:0:0:c'
expect EBUSY "an event of a process that runs"
unload_all

# Whoever has the device lets others wait, and those who wait in vain say so.
part "a busy device"
load kbench kbench_null
# status_while SECONDS: of kernel.null, while somebody has the device for so long.
status_while() {
	(
		exec 3<>$device
		: >/tmp/busy
		sleep "$1"
	) &
	await /tmp/busy "the device is open"
	kbench run kernel.null --defaults --processes 1 --precision 100% --budget 60s --json >/tmp/out 2>/tmp/error
	said=$(sed -n 's/^        "status": "\(.*\)".*/\1/p' /tmp/out)
	kill $! 2>/dev/null
	wait
	rm /tmp/busy
}
status_while 2
expect 'ok|noisy|unverified' "a device that is busy for 2 s"
[ -z "$real_time" ] || {
	status_while 60
	expect skipped "a device that stays busy"
	grep -q 'another process has /dev/kbench open' /tmp/out || complain "a device that stays busy: $(grep -A 3 '"detail"' /tmp/out)"
}
unload_all

part "kbench trace"
for options in '--route fentry' '--route kprobe' '--route fentry --tally'; do
	# shellcheck disable=SC2086 # words
	kbench trace func vfs_read $options --processes 2 -- dd if=/dev/zero of=/dev/null bs=1 count=500 >/tmp/out 2>/tmp/error || complain "trace func vfs_read $options: $(cat /tmp/error)"
	value=$(sed -n 's/^vfs_read by [a-z]*: \([0-9]*\) calls.*/\1/p' /tmp/out)
	[ "${value:-0}" -ge 1000 ] || complain "trace func vfs_read $options: $(cat /tmp/out)"
done
part end
finish
