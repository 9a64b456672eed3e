#!/bin/sh
# Results of other worlds beside each other: instructions, cycles and nanoseconds of one row are never one series and have no ratio,
# each export names the unit, and what differs between two environments or kernels is said. The records are made up.
# runs: 5 s
set -u
. "$KB_SRC/test/support/check.sh"

needs python3

never_says() {
	! cat out err | grep -Eq -e "$1" || fail "says '$1'"
}

# record CLOCK COST KERNEL: three launches of one row; COST lacks: it could not be measured.
record() {
	python3 - "$@" <<'END'
import os, random, sys, zlib

clock, cost, kernel = sys.argv[1:]
random.seed(3)

def put(launch):
    lines = ["kbench-record 2", "bench sel4.signal", "per " + os.environ.get("PER", "iteration"), f"method slope seed=7 process={launch}",
             "param wait=bare", f"clock {clock} quantum=1 cost=3 ordered=1", f"env os=seL4 arch=x86_64 kernel={kernel} checked=1", "bound kernel"]
    if cost == "lacks":
        print("\n".join(lines + ['note need_unmet "no machine"', 'fail stage=setup errno=19 "no machine"']))
        return
    t = 0
    for block in range(40):
        lines.append(f"k {block}")
        for n in random.sample([100, 200, 400, 800], 4):
            for kind, one in (("o", float(cost) + 2), ("b", 2)):
                t += 10000
                lines.append(f"{kind} {n} {int(30 + n * one + random.randrange(5))} t={t} k={block}")
    text = "".join(line + "\n" for line in lines)
    print(text + f"end o=160 b=160 q=0 e=0 crc={zlib.crc32(text.encode()):08x}")

for launch in range(1, 4):
    put(launch)
END
}

# keep LABEL CODE CLOCK COST KERNEL [OPTION...]: the run is in the store.
keep() {
	label=$1 expected=$2
	record "$3" "$4" "$5" >"$label.txt"
	shift 5
	gives "$expected" import "$label.txt" --label "$label" "$@"
}

keep cycles 0 'rdcycle hz=0' 510 15.0
keep insn 0 'icount hz=0' 500 15.0
keep slower 0 'icount hz=0' 520 16.0
keep time 0 'tsc hz=2000000000' 505 15.0

# ---- compare ----------------------------------------------------------------------------------------------

gives 0 compare insn slower
reads '500\.000 [^ ]* *520\.000 [^ ]* *insn  *1\.0400 .* slower'
reads 'kernels differ: 15\.0 and 16\.0'
gives 4 compare insn time --gate
reads '500\.000 [^ ]* *252\.50* [^ ]* *insn, ns  *- *inconclusive'
reads 'units insn and ns, clocks icount and tsc'
never_says 'geometric mean'
never_says 'kernels differ'
gives 4 compare time insn --gate
reads '252\.50* [^ ]* *500\.000 [^ ]* *ns, insn '
gives 0 compare cycles insn --json
python3 - <<'END' || fail "the comparison as JSON"
import json
row = json.load(open("out"))["rows"][0]
assert (row["unit"], row["unit_new"]) == ("cycles", "insn"), row
assert row["ratio"]["value"] is None and row["decision"] == "inconclusive" and row["processes"] == 0, row
assert round(row["base"]["value"]) == 510 and round(row["new"]["value"]) == 500, row
END
# Another operation of the same name.
PER=turn
export PER
keep turns 0 'icount hz=0' 500 15.0
unset PER
gives 4 compare insn turns --gate
reads 'operations iteration and turn'
# Of another machine: by name.
keep elsewhere 0 'icount hz=0' 500 15.0 --machine elsewhere
gives 2 compare insn elsewhere
says 'environment IDs .* differ, so the numbers|machine: '
keep there 0 'icount hz=0' 500 15.0 --machine there
gives 2 compare elsewhere there
says '\(machine: elsewhere and there\)'
gives 0 compare elsewhere there --any-env
reads '\(machine: elsewhere and there\)'

# ---- history ----------------------------------------------------------------------------------------------

sleep 1
keep again 0 'icount hz=0' 500 15.0
gives 0 history sel4.signal
[ "$(grep -c 'insn/iteration' out)" -eq 3 ] || fail "not three runs in instructions"
reads '\(3 runs of another unit, operation, clock, method, length of samples or kind of headline left out\)'
never_says ' 510\.| 252\.|turn'
gives 0 history sel4.signal --json
reads '"unit": "insn".*"left_out": 5'
# The newest run could not be measured: the numbers keep their unit.
sleep 1
keep timed 0 'tsc hz=2000000000' 505 15.0
sleep 1
keep lacks 0 'icount hz=0' lacks 15.0
gives 0 history sel4.signal
reads '252\.50* [^ ]* ns/iteration ok .*- ns/iteration skipped'

# ---- export -----------------------------------------------------------------------------------------------

for unit in insn cycles; do
	gives 0 export --format bencher $unit
	reads "\"$unit\": {"
	gives 0 export --format benchfmt $unit
	reads "Unit $unit/op better=lower .* $unit/op"
	gives 0 export --format openmetrics $unit
	reads "# TYPE kbench_latency_$unit gauge # UNIT kbench_latency_$unit $unit "
	never_says 'latency_(seconds|ticks)'
	gives 0 export --format csv $unit
	reads ",estimate,$unit,5[01]0\.0"
	gives 0 export --format github-action $unit
	reads "\"unit\": \"$unit/iteration\""
done
