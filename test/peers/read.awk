# How the anchors print their results: a function each, which prints nanoseconds per operation or nothing. peers.sh adds
# the pattern of one anchor (field `value` in the list anchors).

# perf bench syscall, sched pipe: "0.197670 usecs/op"
function perf_op() { if ($2 == "usecs/op") print 1000 * $1 }

# perf bench sched messaging: "Total time: 0.140 [sec]"
function perf_total() { if ($1 == "Total" && $2 == "time:") print 1e9 * $3 }

# perf bench futex, epoll: "Averaged 3299066 operations/sec"
function perf_average() { if ($1 == "Averaged") print 1e9 / $2 }

# perf bench futex requeue: "Requeued 64 of 64 threads in 0.0593 ms"
function perf_many(verb) { if ($1 == verb && $2 > 0) print 1e6 * $7 / $2 }

# perf bench epoll ctl: "Averaged 192512 ADD operations", of one second in all
function perf_changes() { if ($3 == "ADD") print 1e9 / $2 }

# perf bench mem: "43.470398 GB/sec"; its GB is 2^30. Per 64 KB, as an operation of ours.
function perf_bandwidth() { if ($2 == "GB/sec") print 65536 / ($1 * 1.073741824) }

# stress-ng --metrics: "stress-ng: metrc: [1] pipe 491843 1.00 0.10 0.90 491621.82 ..."; rate by wall time
function bogo(name, times) { if ($4 == name && $5 ~ /^[0-9]+$/ && $9 > 0) print 1e9 / $9 / (times ? times : 1) }

# sysbench: "events per second: 4383.22", "total time: 0.1398s", "total number of events: 1886"
function sysbench_rate(times) { if (/events per second:/) print 1e9 / $NF / times }
function sysbench_total(times) { if (/total time:/) { sub(/s$/, "", $NF); print 1e9 * $NF / times } }
function sysbench_events(times)
{
	if (/total time:/) {
		sub(/s$/, "", $NF)
		seconds = $NF
	}
	if (/total number of events:/ && $NF > 0)
		print 1e9 * seconds / $NF / times
}

# sysbench memory: "Total operations: 24500 (24481.82 per second)"; per 64 KB
function sysbench_memory(block) { if (/Total operations:/) { sub(/\(/, "", $4); print 1e9 / $4 * 65536 / block } }

# likwid-bench: "MByte/s: 55667.56", 10^6 bytes; per 64 KB. It counts both arrays of a copy.
function likwid(arrays) { if ($1 == "MByte/s:") print 65536e3 / $2 * arrays }

# hyperfine --export-json: the only "mean", in seconds
function hyperfine() { if ($1 == "\"mean\":") print 1e9 * $2 }

# Google Benchmark, --benchmark_format=csv: name,iterations,real_time,cpu_time,time_unit,...
function google(times,    field)
{
	split($0, field, ",")
	if (field[5] == "ns")
		print field[3] / times
}
