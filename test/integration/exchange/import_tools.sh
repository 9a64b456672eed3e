#!/bin/sh
# kbench import of other benchmark tools: five histories of three points each (test/data/import) become runs that history, show, compare and
# export take, with the tools' own uncertainty; a file that was imported before is recognised; what is wrong is refused and nothing stored.
# runs: 6 s
set -u
. "$KB_SRC/test/support/check.sh"
export COLUMNS=200
data=$KB_SRC/test/data/import
needs python3

# import CODE ARGUMENT...: output in `out`, messages in `err`.
import() {
	import_code=$1
	shift
	gives "$import_code" import --store store.db "$@"
	! grep -Eiw 'nan|inf' out || fail "import $* prints that"
}
# value FIELD: of the first result of the newest run; of RUN with a second argument.
value() {
	# shellcheck disable=SC2086 # without a run there is no word
	"$KBENCH" show ${2:-} --store store.db --json | python3 -c "import json, sys
print(json.load(sys.stdin)['results'][0]$1)"
}
# same WHAT WANTED FIELD [RUN]
same() {
	[ "$(value "$3" "${4:-}")" = "$2" ] || fail "$1: $3 is $(value "$3" "${4:-}"), not $2"
}
# points LABEL BENCHMARK UNIT: all three of them, in the order of their dates.
points() {
	"$KBENCH" history "$2" --store store.db --json >history || fail "history $2: exit code $?"
	python3 - "$@" <<'END' || fail "history $2 does not have what was imported"
import json, sys
row = json.load(open("history"))["rows"][0]
labels = [point["label"] for point in row["points"]]
assert row["unit"] == sys.argv[3] and labels == [sys.argv[1] + n for n in "123"], (row["unit"], labels)
assert all(point["value"] > 0 for point in row["points"])
END
}

# ---- five histories -----------------------------------------------------------------------------------

for point in 1 2 3; do
	import 0 "$data/hyperfine/$point.json" --machine here --date "2026-05-0$point" --label "hyperfine-$point"
	import 0 "$data/google-benchmark/$point.json" --label "google-$point"
	import 0 "$data/perf-bench/$point.txt" --machine here --date "2026-05-0${point}T10:00:00Z" --label "perf-$point"
	import 0 "$data/criterion/$point" --machine there --date "2019-12-0$point" --label "criterion-$point"
	import 0 "$data/lmbench/vm.$((point - 1))" --label "lmbench-$point"
done
points hyperfine- hyperfine.sh_count.sh ns
points google- google.BM_getppid ns
points perf- perf_bench.sched_pipe ns
points criterion- criterion.no_attr_vs_comp.ideal_order ns
points lmbench- lmbench.lat_pipe ns
# By its name as the table prints it.
points lmbench- 'lmbench.lat_syscall null' ns

# The uncertainty is the tool's: criterion's interval digit by digit, t over the runs of a command, none of one number.
same criterion 26408.045278 "['estimate']['value']" criterion-1
same criterion 25997.6138642 "['estimate']['low']" criterion-1
same criterion 26891.371506 "['estimate']['high']" criterion-1
same criterion 100 "['samples']" criterion-1
same hyperfine 12 "['processes']" hyperfine-1
same hyperfine hyperfine.true "['benchmark']" hyperfine-1
same google vm "['environment']['id'] and 'vm'" google-1
same lmbench None "['estimate']['low']" lmbench-1
same perf None "['estimate']['low']" perf-1
for run in criterion-1 hyperfine-1 google-1 perf-1 lmbench-1; do
	value "['verdict']['reasons']" "$run" | grep -q "'imported'" || fail "$run does not say who measured it"
	same "$run" unverified "['verdict']['status']" "$run"
done
value "['verdict']['reasons']" lmbench-1 | grep -q "partial_run" || fail 'lmbench: nothing tells that it has no CI'

# The script counts twice as far in point 3.
gives 1 compare --store store.db hyperfine-1 hyperfine-3 --gate
reads 'hyperfine.sh_count.sh .* slower !'
# A ratio of two processes has a CI, for criterion gave each of them one, and decides nothing.
gives 0 compare --store store.db criterion-1 criterion-3
reads '0\.9448 +0\.92[0-9]*\.\.0\.96[0-9]* .* inconclusive'
gives 0 compare --store store.db lmbench-1 lmbench-2
import 0 "$data/hyperfine/3.json" --machine elsewhere --label elsewhere
gives 2 compare --store store.db hyperfine-1 elsewhere
reads 'environment IDs' err

# Several files are processes of one run, which then has a CI; all of it can be made again from the records.
import 0 "$data/lmbench/vm.0" "$data/lmbench/vm.1" "$data/lmbench/vm.2" --label three
same lmbench 3 "['processes']" three
[ "$(value "['estimate']['low']" three)" != None ] || fail 'three files of lmbench have no CI'
for run in three criterion-1 hyperfine-1; do
	"$KBENCH" show "$run" --store store.db --json >before
	"$KBENCH" maintain "$run" --store store.db >/dev/null || fail "maintain $run: exit code $?"
	"$KBENCH" show "$run" --store store.db --json | diff before - || fail "$run changes when it is made again"
done
for format in csv openmetrics bencher junit github-action; do
	for run in hyperfine-1 google-1 perf-1 criterion-1 lmbench-1; do
		"$KBENCH" export "$run" --store store.db --format "$format" >exported 2>err || fail "export $run as $format: $(cat err)"
		[ -s exported ] || fail "export $run as $format is empty"
	done
done
# What we export as Google Benchmark we import.
"$KBENCH" export hyperfine-1 --store store.db --format google-benchmark >ours.json 2>err || fail "export as Google Benchmark: $(cat err)"
import 0 ours.json
reads 'google.hyperfine.true'

# ---- alongside ours -----------------------------------------------------------------------------------

# A result of ours that no noise of this machine is in.
PYTHONPATH=$KB_SRC/test/data/sel4 PYTHONDONTWRITEBYTECODE=1 python3 - . >ours.log <<'END' || fail 'no record'
import make
for process in (1, 2, 3):
    header = ["method slope seed=7 process=%d" % process, "clock ns hz=1000000000 quantum=1 cost=20 ordered=1"]
    lines = []
    for block in range(30):
        for n in (400, 100, 800, 200):
            lines += ["o %d %d k=%d" % (n, 120 * n + 15 + (block + process) % 3, block), "b %d %d k=%d" % (n, n + 15, block)]
    print("\n".join(make.record("sys.null", header, lines)))
END
import 0 ours.log --label ours
import 0 "$data/lmbench/vm.0" "$data/lmbench/vm.1" "$data/lmbench/vm.2" --machine other --alongside ours
reads 'lmbench.lat_syscall call=null .* ns .* sys.null +119\.0 ns .* unverified, '
import 0 "$data/perf-bench/1.txt" --machine other
reads 'perf_bench.syscall_basic .* sys.null .* no CI '
import 0 "$data/hyperfine/1.json" --machine other --alongside ours
reads "nothing in run 'ours' measures what these do" err
import 2 "$data/perf-bench/1.txt" --machine another --alongside nobody

# ---- other forms --------------------------------------------------------------------------------------

import 0 "$data/criterion/messages.jsonl"
reads 'criterion.contract_root.test_b +55\.18 ms +0\.2 %'
reads 'the file does not state where it was measured' err
import 0 "$data/google-benchmark/aggregates.json"
reads 'google.BM_getppid .* as reported: mean .*, sd .*, of 5'
import 0 "$data/perf-bench/simple.txt" --as perf-bench --name perf_bench.syscall_basic
reads 'perf_bench.syscall_basic +29\.00 ms'
import 5 "$data/hyperfine/failed.json"
reads 'the operation failed: process 1, op: run 1: exit code 1'
import 5 "$data/google-benchmark/failed.json"
reads 'no such device'
# One of criterion's files stands for its directory.
import 0 "$data"/criterion/2/no_attr_vs_comp/ideal_order/4/new/*.json --label files
same files 25633.1147682 "['estimate']['value']" files
import 0 - <"$data/hyperfine/2.json"

# ---- the same again -------------------------------------------------------------------------------------

count() {
	"$KBENCH" runs --store store.db | wc -l
}
before=$(count)
import 0 "$data/hyperfine/1.json" --machine here --date 2026-05-01 --label again
reads 'where it was already'
import 0 "$data/criterion/1/" --machine there --date 2019-12-01
import 0 "$data/lmbench/vm.0"
[ "$(count)" -eq "$before" ] || fail 'a file that was imported before makes another run'

# ---- refused ------------------------------------------------------------------------------------------

# wrong PATTERN ARGUMENT...
wrong() {
	pattern=$1
	shift
	refuses 2 "^kbench import: $pattern" import --store store.db "$@"
}
head -c 700 "$data/hyperfine/1.json" >cut.json
wrong 'cut.json:[0-9]*: the JSON is cut off' cut.json
sed 's/"mean": /&9/' "$data/hyperfine/1.json" >mean.json
wrong 'mean.json: /results/0/mean: is not the mean of its times' mean.json
sed '0,/"real_time": [0-9]/s//"real_time": -1/' "$data/google-benchmark/1.json" >negative.json
wrong 'negative.json: /benchmarks/0/real_time: -1.* is no such number' negative.json
head -n 30 "$data/lmbench/vm.0" | head -c -3 >cut.lm
wrong 'cut.lm:[0-9]*: the last line has no end' cut.lm
wrong '.*: is lmbench, and the files before it are hyperfine' "$data/hyperfine/1.json" "$data/lmbench/vm.0"
sed 's/^\[HOSTNAME: .*/[HOSTNAME: other]/' "$data/lmbench/vm.0" >other.lm
wrong 'processes of two runs: machine is vm in one and other in another' "$data/lmbench/vm.0" other.lm
mkdir -p nothing/new link/new
ln -s .. link/new/up
wrong 'nothing: a directory without results of criterion' nothing
wrong 'link: a directory without results of criterion' link
mkdir -p part/g/new
echo '{"mean":' >part/g/new/estimates.json
wrong 'part/g/new/estimates.json:[0-9]*: the JSON is cut off' part
cp "$data/criterion/1/no_attr_vs_comp/ideal_order/4/new/estimates.json" alone.json
wrong 'alone.json: no benchmark of criterion has a name in it' alone.json
wrong "--as 'google': must be one of|--as 'google': did you mean" --as google "$data/hyperfine/1.json"
wrong "--date 'yesterday': must be a day" --date yesterday "$data/hyperfine/1.json"
wrong "--date '2026-02-30': must be a day" --date 2026-02-30 "$data/hyperfine/1.json"
wrong '--clock is for logs that do not say it: times of hyperfine are ns' --clock tsc "$data/hyperfine/1.json"
wrong '--name is for Kanata tables' --name a.b "$data/hyperfine/1.json"
[ "$(count)" -eq "$before" ] || fail 'something refused was stored'
