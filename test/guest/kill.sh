# A run that is killed, and a device that is closed half-way: both leave nothing, and the next run works.
part kill
# gone PID WHAT: long before the minute that the run would take.
gone() {
	tries=0
	while [ -d "/proc/$1" ] && ! grep -q '^State:	Z' "/proc/$1/status" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || {
			complain "$2 was still there 10 s after kill -9"
			return
		}
		usleep 50000
	done
}

for threads in 1 $(nproc); do
	name=null
	[ "$threads" -eq 1 ] || name=spin_lock
	[ -d $kbench/$name ] || continue
	rm -f /tmp/held
	sh -c "exec 3<>$device; for line in 'bench $name' 'param threads=$threads' 'param max_ms=60000' 'param batch=4096' '$launch'; do
		echo \"\$line\" >&3; done; : >/tmp/held; echo 'samples 1048576' >&3; sleep 60" 2>/dev/null &
	writer=$!
	await /tmp/held "$name threads=$threads: an open device"
	usleep 200000
	kill -9 $writer 2>/dev/null || complain "$name threads=$threads: nothing was running"
	gone $writer "$name threads=$threads"
	wait $writer 2>/dev/null
	talk "bench $name" 'process method=slope seed=1 process=0' 'block 1 o8' end
	tries=0
	while [ "$said" = EBUSY ] && [ $tries -lt 20 ]; do
		usleep 100000
		tries=$((tries + 1))
		talk "bench $name" 'process method=slope seed=1 process=0' 'block 1 o8' end
	done
	[ "$said" = ok ] || complain "after a kill of $name threads=$threads: $said at '$at'"
done
ps | grep -v grep | grep '\[kbench' >/tmp/left
[ ! -s /tmp/left ] || complain "a thread is left: $(head -n 3 /tmp/left)"

# cat run, killed.
set_to null loop_count 1048576 batch 4096 max_ms 60000
cat $kbench/null/run >/dev/null 2>&1 &
reader=$!
usleep 500000
kill -9 $reader
gone $reader "cat run"
wait $reader 2>/dev/null
set_to null loop_count 100 batch 1 max_ms 20000

# Closed in the middle of a launch.
talk 'bench null' 'process method=slope seed=1 process=0' 'block 1 o8'
! grep -q '^end ' /tmp/record || complain "a record that was not ended has an end"
talk 'bench null'
talk 'bench null' 'process method=slope seed=1 process=0' end
[ "$said" = ok ] || complain "after a launch that was left: $said"
