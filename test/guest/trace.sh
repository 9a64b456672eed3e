# kbench trace in a kernel that grants everything: trampolines and probes on functions, and nothing left of them. What the machine of
# the developer may refuse is tried here. Without kbench in the image there is nothing to try.
[ -x /bin/kbench ] || return 0
export XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache
touched=/sys/kernel/tracing/enabled_functions

# traced CODE ARGUMENT...: the exit code, and what was said in /tmp/out.
traced() {
	wanted=$1
	shift
	code=0
	kbench trace func "$@" >/tmp/out 2>/tmp/error || code=$?
	[ "$code" -eq "$wanted" ] || complain "trace func $*: exit code $code: $(cat /tmp/error)"
}

# field NAME: of JSON in /tmp/out, the first of this name.
field() {
	sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" /tmp/out | head -n 1
}

# at_least NUMBER WHAT: of $value.
at_least() {
	[ "${value:-0}" -ge "$1" ] || complain "$2: ${value:-none}, not $1 or more"
}

# none_left WHEN: no function has a trampoline or a probe any more.
none_left() {
	for turn in $(seq 20); do
		[ -s "$touched" ] || return 0
		sleep 1
	done
	complain "$1: $(cat "$touched")"
}

[ -e "$touched" ] || complain "no $touched to look at"

for route in fentry kprobe; do
	part "vfs_read by $route"
	traced 0 vfs_read --route $route -o /tmp/record-$route --json -- dd if=/dev/zero of=/dev/null bs=1 count=2000
	[ "$(field route)" = $route ] || complain "route $(field route)"
	value=$(field calls) && at_least 2000 "calls of vfs_read"
	value=$(sed -n '/"null": {/,/}/s/.*"calls": \([0-9]*\).*/\1/p' /tmp/out) && at_least 9000 "calls of the null function"
	[ "$(field lost)" = 0 ] && [ "$(field torn)" = 0 ] || complain "lost $(field lost), torn $(field torn)"
	[ "$(field irq)" != null ] && [ "$(field ctxsw)" != null ] || complain "disturbed calls are not told: $(cat /tmp/out)"
	sed -n '/"net"/,/}/p' /tmp/out
	grep -q '"unverified": null' /tmp/out || complain "the probe's cost is unverified: $(grep -A4 unverified /tmp/out)"
	none_left "after $route"
done

part "tallies by fentry, of functions that call themselves"
traced 0 vfs_read --route fentry --tally --histogram --processes 2 --json -- dd if=/dev/zero of=/dev/null bs=1 count=2000
value=$(field calls) && at_least 4000 "tallied calls of vfs_read"
value=$(sed -n '/"null": {/,/}/s/.*"calls": \([0-9]*\).*/\1/p' /tmp/out) && at_least 9000 "tallied calls of the null function"
[ "$(field lost)" = 0 ] && [ "$(field unpaired_entries)" -le 2 ] || complain "lost $(field lost), unpaired $(field unpaired_entries)"
sed -n '/"histogram"/,$s/^ *"cdf": //p' /tmp/out | tail -n 1 | grep -q '^1\.0' || complain "the cumulative share does not end at 1"

part "fib_table_lookup"
ip link set lo up
traced 0 fib_table_lookup -- ping -q -c 50 -i 0.002 127.0.0.1
cat /tmp/out
grep -q '^fib_table_lookup by fentry: [1-9][0-9]* calls' /tmp/out || complain "no call of fib_table_lookup"

part "functions without types, interrupts, refusals"
traced 0 __x64_sys_getppid --json -- true
case $(field route) in
fentry | kprobe) ;;
*) complain "__x64_sys_getppid by $(field route)" ;;
esac
traced 0 local_timer --route tracepoints --budget 1s --json
value=$(field calls) && at_least 3 "calls of local_timer"
traced 3 no_such_function_at_all -- true
grep -q 'fentry of no_such_function_at_all, load: ESRCH' /tmp/error || complain "$(cat /tmp/error)"

part "record"
kbench analyze /tmp/record-fentry >/tmp/out 2>&1 || complain "analyze: $(cat /tmp/out)"
grep -q 'trace.func function=vfs_read route=fentry' /tmp/out || complain "analyze: $(cat /tmp/out)"

part "killed"
kbench trace func vfs_read >/tmp/out 2>/tmp/error &
pid=$!
for turn in $(seq 30); do
	grep -q vfs_read "$touched" && break
	sleep 1
done
grep -q vfs_read "$touched" || complain "nothing was attached: $(cat /tmp/error)"
kill -9 $pid
wait $pid 2>/dev/null
none_left "after kill -9"

part "rows of programs"
kbench run bpf.null bpf.fib_lookup --defaults --processes 1 --precision 100% --budget 30s --json >/tmp/out 2>/tmp/error || complain "bpf.*: $(cat /tmp/error)"
sed -n 's/^        "status": "\(.*\)".*/\1/p' /tmp/out >/tmp/found
[ "$(grep -c '^\(ok\|noisy\|unverified\)$' /tmp/found)" -eq 2 ] || complain "rows of bpf.* are $(cat /tmp/found)"
