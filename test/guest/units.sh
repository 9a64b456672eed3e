# Where the clock counts instructions, that is the unit of all that kbench prints, of user space and kernel, and no time and no bandwidth
# comes out of it. A part of the job insn.
[ -x /bin/kbench ] || return 0
export XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache
part "units"
# Three processes of each end the run; the budget, which counts instructions, is twice what they take.
kbench run sys.null cpu.op_latency mem.bw_bcopy kernel.fib_lookup -p size=16K --defaults --processes 3 --precision 100% --budget 8s \
	>/tmp/out 2>/tmp/error || complain "units: $(cat /tmp/error)"
cat /tmp/out

# counted FILE ROWS: so many rows of it are of a cost in instructions.
counted() {
	[ "$(grep -cE '^ +(sys|cpu|mem|kernel)\.[a-z_]+ +[0-9.]+ k?insn ' "$1")" -eq "$2" ] || complain "units: not $2 rows in insn: $(cat "$1")"
}

# timeless FILE...: no unit of time, of bandwidth or of a core's cycles stands behind a number, or where a unit stands in a table for programs.
timeless() {
	for file in "$@"; do
		! grep -E '[0-9]"? ?([nmu]?s|[GMK]?B/s|cy|cycles|MHz)( |$|,)|,(ns|cycles|MHz|GB/s),|"unit": "(ns|cycles|GB/s)"|_seconds' "$file" ||
			complain "units: a time, in $file"
	done
}

counted /tmp/out 4
# The run's own length is no result.
grep -E '^ +(sys|cpu|mem|kernel)\.' /tmp/out >/tmp/rows
timeless /tmp/rows
grep -q '^ *sys.null .* ok' /tmp/out || complain "units: sys.null is not ok"
kbench show --verbose | grep -vE 'took| s$| s,|budget' >/tmp/shown
timeless /tmp/shown
for format in csv openmetrics; do
	kbench export --format $format >/tmp/exported.$format 2>/tmp/error || complain "units: $format: $(cat /tmp/error)"
done
# When the run ended is no result.
sed -i "/_timestamp_seconds/d" /tmp/exported.openmetrics
timeless /tmp/exported.csv /tmp/exported.openmetrics
# A format that has nothing but ns takes none of them.
! kbench export --format google-benchmark >/tmp/out 2>/tmp/error || complain "units: exported as ns: $(head -n 20 /tmp/out)"
# A clock that is asked for is made of the same count.
kbench run sys.null --clock ns --defaults --processes 1 --precision 100% --budget 1s --no-store >/tmp/out 2>&1
counted /tmp/out 1
# What has times of its own says what they are.
kbench params line --budget 1s >/tmp/out 2>/tmp/error
grep -q "an emulator's clock counts instructions here" /tmp/error || complain "units: params says: $(cat /tmp/error)"
