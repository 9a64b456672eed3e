# Each benchmark through `cat run`: the article's line, its graph, the right count.
part "cat run"
for bench in $(benches); do
	[ "$bench" != lie ] || continue
	set_to "$bench" loop_count 20 warmup 2 max_ms 20000
	run_of "$bench"
	[ "$said" = ok ] || {
		complain "$bench: cat run: $said"
		continue
	}
	[ "$line" = "min=$min max=$max count=$count 95th=$p95 90th=$p90 50th=$p50 mad=$mad" ] || complain "$bench: $line"
	[ "$count" -gt 0 ] && [ $((count % 20)) -eq 0 ] || complain "$bench: count=$count"
	[ "$min" -le "$p50" ] && [ "$p50" -le "$p90" ] && [ "$p90" -le "$p95" ] && [ "$p95" -le "$max" ] || complain "$bench: not in order: $line"
	grep -q '^ *value │.*count$' /tmp/run || complain "$bench: no graph"
done
# Writing starts a run, too, and says nothing.
store null run 1
expect ok "a write to run"
# Several threads: whether they ran at the same time.
if [ -d $kbench/mutex ] && [ "$(nproc)" -gt 1 ]; then
	set_to mutex loop_count 200 threads 2
	run_of mutex
	expect ok "mutex threads=2"
	tail -n 1 /tmp/run | grep -Eqx 'threads=2 overlap_percent=[0-9]+' || complain "cat run of two threads: $(tail -n 1 /tmp/run)"
	set_to mutex threads 1
	run_of mutex
	! grep -q overlap /tmp/run || complain "cat run of one thread has an overlap"
fi
