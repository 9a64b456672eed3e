#!/bin/sh
# Latencies of kernel functions on the machine at hand, whatever it grants: refusals with facility and errno, the route by system-call
# tracepoints with its counts, a full log, the record, and nothing of it left after any end. What only a kernel that grants everything
# can show is in test/guest/trace.sh.
# runs: slow, 20 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/tracing.sh"

code=0
"$KBENCH" trace func sys_getppid -- true >out 2>err || code=$?
if [ $code -eq 3 ]; then
	grep -q ': E[A-Z]*: ' err || fail "a refusal without its errno: $(cat err)"
	echo "trace func: $(head -n 1 err)"
	exit 77
fi
[ $code -eq 0 ] || fail "trace func sys_getppid: exit code $code: $(cat err)"
mounts=$(cat /proc/self/mounts)

# traced CODE ARGUMENT...: out and err.
traced() {
	wanted=$1
	shift
	exits "$wanted" kbench trace func "$@"
}

# field NAME: of the JSON in out, the first of this name.
field() {
	sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" out | head -n 1
}

# none_left WHEN ID...: the kernel frees programs a moment after the last descriptor.
none_left() {
	when=$1
	shift
	for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		left=
		for id in "$@"; do
			! bpftool prog show id "$id" >/dev/null 2>&1 || left="$left $id"
		done
		[ -n "$left" ] || return 0
		sleep 0.5
	done
	fail "$when: programs$left are still loaded"
}

# ---- the route that needs no patching ---------------------------------------------------------------

reads="dd if=/dev/zero of=/dev/null bs=1 count=2000"
# With room for what everybody else on a busy machine reads meanwhile.
traced 0 sys_read --route syscall --limit 300000 --json -- $reads
[ "$(field route)" = syscall ] && [ "$(field calls)" -ge 2000 ] || fail "calls: $(cat out)"
for count in lost missed torn unpaired_entries unpaired_exits; do
	[ -n "$(field $count)" ] || fail "no $count in $(cat out)"
done
[ "$(field lost)" -eq 0 ] && [ "$(field torn)" -eq 0 ] || fail "lost or torn: $(cat out)"
sed -n '/"null": {/,/^  }/p' out | grep -q '"calls": \(10000\|9[0-9][0-9][0-9]\),' || fail "no null function: $(cat out)"
grep -q '"resolution_ns"' out && grep -q '"unverified": null' out || fail "$(cat out)"

# What stands in the way of the null function before the calls, and not after them, would be taken off as well: the null is as
# long then as now. One of three, for a busy machine moves it, too.
moved=
for turn in 1 2 3; do
	traced 0 sys_read --route syscall --processes 2 --json -- $reads
	moved="$moved $(field null_drift_ns)"
	! awk '/"null": [{]/ { null = 1 } null && /"p50_ns"/ { getline; gsub(/[^0-9.]/, ""); p50 = $0 + 0; null = 0 }
		/"null_drift_ns"/ { gsub(/[^0-9.]/, ""); drift = $0 + 0 } END { exit !(p50 > 0 && drift < p50 / 3) }' out || break
	[ $turn -lt 3 ] || fail "the null function moved by$moved ns: $(cat out)"
done

# A call that lasts is seen as long as it lasts, whatever else the machine does.
traced 0 sys_clock_nanosleep --route syscall --processes 2 --json -- sleep 0.2
awk '/"max_ns"/ { gsub(/[^0-9.]/, ""); if ($0 + 0 < 2e8) exit 1; exit }' out || fail "200 ms of sleep: $(cat out)"

# It was switched out meanwhile, which is told, and the clean ones are without it. Short calls are clean but for a few.
[ "$(field ctxsw)" -ge 1 ] && [ "$(field migrated)" != null ] || fail "a call that slept is not flagged: $(cat out)"
awk '/"clean": null/ { exit } /"clean": [{]/ { clean = 1 } clean && /"max_ns"/ { gsub(/[^0-9.]/, ""); exit ($0 + 0 >= 2e8) }' out ||
	fail "a call that slept is among the clean ones: $(cat out)"
# Where none is clean, they have no time, not one of 0.
! grep -q '"clean": null' out || grep -q '"clean_median_ns": null' out || fail "no clean call has a time: $(cat out)"
# Reads of 64 MiB are hit by ticks of the timer, the more of them the faster it ticks; reads of a byte by next to none.
traced 0 sys_read --route syscall --processes 1 --json -o flagged -- sh -c 'dd if=/dev/zero of=/dev/null bs=64M count=40; exec '"$reads"
if [ "$(field irq)" != null ]; then
	awk '/"calls"/ { gsub(/[^0-9]/, ""); calls[++n] = $0 + 0 } /"irq"/ { gsub(/[^0-9]/, ""); irq = $0 + 0 }
		END { exit !(irq >= 4 && calls[1] >= 2040 && calls[2] >= 1500 && calls[2] <= calls[1] - irq) }' out || fail "flags: $(cat out)"
	grep -q '^o .* flags=.*irq' flagged || fail "no flag in the record"
fi

# Nothing is overwritten: what is kept are the first, and the rest is counted.
traced 0 sys_read --route syscall --limit 100 --processes 1 --json -- $reads
[ "$(field lost)" -ge 1000 ] || fail "lost: $(cat out)"
# Of all CPUs together.
[ "$(field calls)" -ge 50 ] && [ "$(field calls)" -le 100 ] || fail "a full log: $(cat out)"
traced 0 sys_read --route syscall --limit 100 -- $reads
grep -q 'was full after' out || fail "a full log is not told: $(cat out)"

# ---- processes: the command runs five times, and each has calls of its own --------------------------

traced 0 sys_read --route syscall --limit 100 --json -- sh -c 'echo ran >>ran; exec '"$reads"
[ "$(wc -l <ran)" -eq 5 ] && [ "$(grep -c '"null_p50_ns"' out)" -eq 5 ] || fail "not five processes: $(cat out)"
[ "$(field calls)" -ge 250 ] && [ "$(field calls)" -le 500 ] || fail "a limit of each process: $(cat out)"
# No interval is narrower than the clock's step, and that of medians has it on both sides together.
python=$(command -v python3) || python=
[ -z "$python" ] || $python - <<'END' || fail "intervals: $(cat out)"
import json
t = json.load(open("out"))
step = t["clock_step_ns"]
median = t["net"]["median_ns"]
assert step >= 1 and median["high"] - median["low"] >= 2 * step - 1e-6, (step, median)
assert len(t["processes"]) == 5 and sum(p["calls"] for p in t["processes"]) == t["call"]["calls"], t["processes"]
assert t["left_out"] is None and t["tally"] is False and t["histogram"] is None
END
rm -f ran
traced 0 sys_read --route syscall --processes 4 -- sh -c 'echo ran >>ran; exit $(($(wc -l <ran) / 3))'
[ "$(wc -l <ran)" -eq 3 ] && grep -q 'process 3 is left out, for it ended otherwise than the first: sh exited with 1' out ||
	fail "a run that fails: $(cat out ran)"
traced 0 sys_read --route syscall --processes 1 -- $reads
grep -q 'of one process, and the next may be another' out || fail "$(cat out)"
traced 2 sys_read --route syscall --processes 3
traced 2 sys_read --route syscall --processes 0 -- true

# ---- tallies, histograms, one process ----------------------------------------------------------------

# Any number of calls in the same memory, nine million in a full run; counted one by one all the same.
many=200000
[ "$KB_FULL" != 1 ] || many=3000000
traced 0 sys_read --route syscall --tally --histogram --processes 3 --json -- dd if=/dev/zero of=/dev/null bs=1 count=1 status=none
[ -z "$python" ] || $python - "$KBENCH" $many <<'END' || fail "the memory of a tally"
import resource, subprocess, sys
words = "trace func sys_read --route syscall --tally --histogram --processes 3 --json -- dd if=/dev/zero of=/dev/null bs=1 status=none".split()
subprocess.run([sys.argv[1]] + words + ["count=" + sys.argv[2]], check=True, stdout=open("out", "w"))
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("%s calls in each of three runs: %d KiB" % (sys.argv[2], kib))
assert kib < 100 << 10, kib
END
[ -n "$python" ] || many=1
[ "$(field calls)" -ge $((3 * many)) ] && [ "$(field lost)" -eq 0 ] || fail "tallied calls: $(head -n 60 out)"
[ -z "$python" ] || $python - <<'END' || fail "a tally: $(head -n 80 out)"
import json
t = json.load(open("out"))
bins = t["histogram"]
assert t["tally"] is True and sum(b["calls"] for b in bins) == t["call"]["calls"]
assert all(a["high_ns"] <= b["low_ns"] and a["cdf"] < b["cdf"] for a, b in zip(bins, bins[1:])) and abs(bins[-1]["cdf"] - 1) < 1e-9
assert bins[0]["low_ns"] <= t["call"]["min_ns"] < bins[0]["high_ns"] and bins[-1]["low_ns"] <= t["call"]["max_ns"] < bins[-1]["high_ns"]
assert t["call"]["p50_ns"]["low"] is None and t["net"]["median_ns"]["low"] < t["net"]["median_ns"]["high"]
END
traced 0 sys_read --route syscall --tally --processes 1 -- $reads
grep -q 'no interval: a tally has no order' out || fail "the interval of one tally: $(cat out)"
traced 0 sys_read --route syscall --histogram -- $reads
grep -q '^ *value.*count$' out && grep -q '100 %$' out || fail "no histogram: $(cat out)"
traced 2 sys_read --route syscall --tally -o record -- true

sh -c 'i=0; while [ $((i += 1)) -lt 5000000 ]; do read -r x </etc/passwd; done' &
reader=$!
at_end='kill $reader 2>/dev/null'
traced 0 sys_read --route syscall --pid $reader --budget 300ms --json
[ "$(field calls)" -ge 100 ] || fail "calls of a process: $(cat out)"
sleep 10 &
sleeper=$!
traced 0 sys_read --route syscall --pid $sleeper --budget 300ms --json
kill $sleeper
grep -q '"call": null' out || fail "calls of others: $(cat out)"
# It ends with the process.
: >err
(await 30 grep -q 'Ctrl-C ends it' err && sleep 0.5 && kill $reader) &
traced 0 sys_read --route syscall --tally --pid $reader --json
[ "$(field calls)" -ge 100 ] || fail "calls up to the end of a process: $(cat out)"
traced 2 sys_read --route syscall --pid $reader
grep -q 'there is no such process' err || fail "$(cat err)"
traced 2 sys_read --route syscall --pid $$ -- true

# No call is no failure; a command's own is told.
traced 0 sys_setpriority --route syscall -- sh -c 'exit 7'
grep -q ' 0 calls' out && grep -q 'sh exited with 7' out || fail "$(cat out)"
# One call has no 90th percentile.
traced 0 sys_setpriority --route syscall --processes 1 -- nice -n 1 true
grep -Eq '^  call +[1-9] .*[0-9]( +-){4} ' out || fail "quantiles of next to no calls: $(cat out)"
traced 2 sys_read --route syscall -- ./no-such-command
grep -q 'cannot run ./no-such-command' err || fail "$(cat err)"

# A command that goes on is ended.
traced 0 sys_read --route syscall --budget 1s -- sleep 30
grep -q 'sleep was ended by signal 15' out || fail "$(cat out)"

# Tracepoints around an interrupt: timers tick everywhere.
if "$KBENCH" trace func local_timer --route tracepoints --budget 1s --json >out 2>err; then
	[ "$(field calls)" -ge 1 ] && grep -q 'a null function' out || fail "local_timer: $(cat out)"
else
	grep -q ': E[A-Z]*: ' err || fail "$(cat err)"
fi

# ---- refusals ---------------------------------------------------------------------------------------

traced 3 no_such_function_at_all -- true
for facility in fentry kprobe 'syscall tracepoints' tracepoints; do
	grep -q "trace func: $facility .*no_such_function_at_all.*: E[A-Z]*: " err || fail "no refusal of $facility: $(cat err)"
done
grep -q 'may still work' err && [ ! -s out ] || fail "$(cat out err)"
traced 3 exc_page_fault --route tracepoints -- true
grep -q 'no tracepoint is at its end' err || fail "$(cat err)"
traced 2
traced 2 sys_read --route sideways
traced 2 sys_read --route syscall -o /no/such/file -- touch went
[ ! -e went ] || fail "it traced before it knew that its record cannot be written"
traced 2 sys_read --route syscall -o /dev/full -- $reads
grep -q 'cannot write all of /dev/full: No space' err && grep -q '^  call  *[1-9][0-9]* ' out || fail "a full disk: $(cat out err)"
traced 2 sys_read --limit 0
traced 2 --list
traced 2 --list 'no_such_function_at_all*'
if [ -r /sys/kernel/btf/vmlinux ]; then
	traced 0 --list 'vfs_rea[d]'
	[ "$(cat out)" = vfs_read ] || fail "--list: $(cat out)"
fi

# ---- without rights: the row of programs and this, each with its reason ------------------------------

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1 && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$KBENCH"; then
	code=0
	setpriv --reuid 65534 --regid 65534 --clear-groups "$KBENCH" trace func sys_read -- true >out 2>err || code=$?
	[ $code -eq 3 ] && grep -q 'EPERM: needs root' err || fail "without rights: exit code $code: $(cat out err)"
fi

# ---- the record -------------------------------------------------------------------------------------

traced 0 sys_read --route syscall -o record -- $reads
"$KBENCH" analyze record >out 2>err || fail "$(cat out err)"
grep -q 'trace.func function=sys_read route=syscall' out || fail "$(cat out)"

# ---- nothing is left, however it ends ---------------------------------------------------------------

for signal in INT TERM KILL; do
	: >err
	# A shell makes what it starts in the background deaf to SIGINT.
	env --default-signal=INT "$KBENCH" trace func sys_read --route syscall >out 2>err &
	pid=$!
	for turn in $(seq 300); do
		! grep -q 'Ctrl-C ends it' err || break
		sleep 0.1
	done
	# Of this process, whoever else traces here.
	ids=$(sed -n 's/^prog_id:[^0-9]*//p' /proc/$pid/fdinfo/* | sort -u)
	[ "$(echo "$ids" | wc -w)" -ge 2 ] || fail "nothing is loaded: $(cat err)"
	kill -$signal $pid
	code=0
	wait $pid || code=$?
	case $signal in
	KILL) [ $code -eq 137 ] || fail "kill -9: exit code $code" ;;
	*) [ $code -eq 0 ] && grep -q 'sys_read by syscall: ' out || fail "SIG$signal: exit code $code: $(cat out err)" ;;
	esac
	! command -v bpftool >/dev/null 2>&1 || none_left "after SIG$signal" $ids
done
[ "$(cat /proc/self/mounts)" = "$mounts" ] || fail "mounts have changed"

# ---- the examples of the page -----------------------------------------------------------------------

listings sh trace-kernel.md Latencies >examples
[ "$(wc -l <examples)" -ge 5 ] || fail "doc/trace-kernel.md has lost its examples"
examples trace func | sed 's/--budget 2s/--budget 1s/' >>examples
while read -r line; do
	code=0
	(eval "$line") </dev/null >out 2>err || code=$?
	# What this kernel refuses, it refuses here, too.
	[ $code -eq 0 ] || [ $code -eq 3 ] || fail "$line: exit code $code: $(cat out err)"
done <examples
