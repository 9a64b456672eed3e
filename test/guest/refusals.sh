# What must be refused, and with which error.
part refusals
first=null

# Parameters: out of range, unparsable, unknown.
store $first loop_count 0
expect ERANGE "loop_count=0"
store $first loop_count 4194305
expect ERANGE "loop_count beyond 4 Mi"
store $first warmup 1048577
expect ERANGE "warmup beyond 1 Mi"
store $first batch 65537
expect ERANGE "batch beyond 64 Ki"
store $first isolation 3
expect ERANGE "isolation=3"
store $first max_ms 60001
expect ERANGE "max_ms beyond a minute"
store $first loop_count 18446744073709551616
expect "ERANGE|EINVAL" "loop_count=2^64"
store $first threads 257
expect ERANGE "threads=257"
for value in x -1 1.5 '' '1 2' 0x; do
	store $first loop_count "$value"
	expect EINVAL "loop_count='$value'"
done
printf '5\000' >/tmp/five
cat /tmp/five 2>/tmp/error >"$kbench/$first/loop_count"
errno_in /tmp/error
expect EINVAL "loop_count=5 and a null byte"
[ "$(cat $kbench/$first/loop_count)" = 20 ] || complain "a refused value was kept: $(cat $kbench/$first/loop_count)"
if [ -d $kbench/fib_lookup ]; then
	for address in 8.8.8 8.8.8.8.8 256.1.1.1 08.8.8.8 8.8.8.8x host '' 1.2.3.-4; do
		store fib_lookup flow_dst_ipaddr "$address"
		expect EINVAL "flow_dst_ipaddr='$address'"
	done
	[ "$(cat $kbench/fib_lookup/flow_dst_ipaddr)" = 8.8.8.8 ] || complain "flow_dst_ipaddr is no more 8.8.8.8"
	store fib_lookup flow_dst_ipaddr 127.0.0.1
	expect ok "flow_dst_ipaddr=127.0.0.1"
	store fib_lookup flow_dst_ipaddr 8.8.8.8
	expect ok "flow_dst_ipaddr=8.8.8.8"
fi

# refused ERRNO WHERE LINE...: the device says so at the line that begins with WHERE.
refused() {
	wanted=$1
	where=$2
	shift 2
	talk "$@"
	expect "$wanted" "$(echo "$*" | cut -c 1-200)"
	case $at in "$where"*) ;; *) complain "$(echo "$*" | cut -c 1-200): refused at '$at', not '$where'" ;; esac
}

launch='process method=slope seed=1 process=0'
refused ENOENT bench 'bench no_such_benchmark'
refused EINVAL nonsense 'nonsense here'
refused EINVAL process "$launch"
refused EINVAL block 'bench null' 'block 1 o8'
refused ERANGE param 'bench null' 'param loop_count=0'
refused EINVAL param 'bench null' 'param loop_count=many'
refused "EINVAL|ENOENT" param 'bench null' 'param no_such=1'
refused EINVAL block 'bench null' "$launch" 'block 1 z9'
refused EINVAL block 'bench null' "$launch" 'block 1 o0'
refused E2BIG block 'bench null' "$launch" 'block 1 probe=1000000000 o8'
grep -q '^fail ' /tmp/record || complain "a refused plan has no fail line"
refused "EINVAL|E2BIG" block 'bench null' "$launch" "block 1 $(yes o1 | head -n 129 | tr '\n' ' ')"
refused "EINVAL|ERANGE" block 'bench null' "$launch" 'block 1 o18446744073709551616'

# A second opener, and who may not at all.
rm -f /tmp/held
(exec 3<>$device && : >/tmp/held && exec sleep 60) &
holder=$!
await /tmp/held "the first opener"
talk
expect EBUSY "a second opener"
kill $holder
wait $holder 2>/dev/null
unshare -U -r sh -c "exec 3<>$device" 2>/tmp/error
errno_in /tmp/error
expect EPERM "an opener without CAP_SYS_ADMIN"

# Time: max_ms ends a run, and what was made until then is kept.
set_to $first loop_count 1048576 batch 4096 max_ms 200
run_of $first
expect ETIME "a run of 1 Mi samples in 200 ms"
talk 'bench null' 'param max_ms=200' 'param batch=4096' "$launch" 'samples 1048576'
expect ETIME "1 Mi samples in 200 ms through the device"
samples=$(grep -c '^[oq] ' /tmp/record)
[ "$samples" -gt 0 ] && [ "$samples" -lt 1048576 ] || complain "$samples samples were kept of a run that took too long"
grep -q '^fail .*errno=62' /tmp/record || complain "no fail line with ETIME: $(tail -n 1 /tmp/record)"
set_to $first loop_count 100 batch 1 max_ms 20000

# While a run goes on: nothing changes, no second run, no unloading. It would take a minute.
set_to $first loop_count 1048576 batch 4096 max_ms 60000
cat $kbench/$first/run >/dev/null 2>&1 &
runner=$!
tries=0
said=ok
while [ "$said" = ok ] && [ $tries -lt 3000 ]; do
	tries=$((tries + 1))
	usleep 10000
	store $first loop_count 1048576
done
expect EBUSY "a parameter while a run goes on"
run_of $first
expect EBUSY "a second run"
talk 'bench null' "$launch"
expect EBUSY "a launch while a run goes on"
rmmod kbench_$first 2>/tmp/error
errno_in /tmp/error
expect EAGAIN "rmmod while a run goes on"
kill -9 $runner
wait $runner 2>/dev/null
set_to $first loop_count 100 batch 1 max_ms 20000
rmmod kbench 2>/tmp/error
errno_in /tmp/error
expect EAGAIN "rmmod of the core with benchmarks loaded"

# Memory: 4 Mi samples in each thread are more than this guest has: refused before anything is taken.
talk 'bench spin_lock' "param threads=$(nproc)" "$launch" 'samples 4194304'
expect ENOMEM "more samples than memory"

# A benchmark that lies: its wrong result, its late discovery and its length are all told.
if [ -d $kbench/lie ]; then
	refused EBADMSG process 'bench lie' 'param about=result' "$launch" 'block 1 o8'
	grep -q '^fail .*errno=74' /tmp/record || complain "no fail line with EBADMSG: $(tail -n 1 /tmp/record)"
	set_to lie about result
	run_of lie
	expect EBADMSG "cat run of an operation with a wrong result"
	set_to lie about length batch 64 loop_count 10
	run_of lie
	expect E2BIG "64 operations of 1 ms in one window"
	# What sleeps without saying so is told before it does so in a window, where the kernel would complain.
	refused EBADMSG process 'bench lie' 'param about=sleep' "$launch" 'block 1 o8'
	set_to lie about sleep batch 1
	run_of lie
	expect EBADMSG "a run that sleeps"
	set_to lie about setup batch 1
	run_of lie
	expect ENODEV "a set-up that fails"
	talk 'bench lie' 'param about=setup' "$launch"
	expect ENODEV "a set-up that fails, through the device"
	grep -q '^fail stage=setup errno=19' /tmp/record || complain "$(tail -n 1 /tmp/record)"
fi
