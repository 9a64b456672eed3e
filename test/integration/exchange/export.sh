#!/bin/sh
# Every export, read back by readers that are not ours, against `show --json`: fixed runs with a row of each sort, and a
# short real one. Then what happens to an output that cannot be written.
# runs: 10 s
set -u
. "$KB_SRC/test/support/check.sh"
needs python3
formats="google-benchmark google-benchmark-rows bencher benchfmt openmetrics github-action junit csv csv-wide markdown hdr chrome-trace
sel4bench"
check=$KB_SRC/test/integration/exchange/export_check.py

. "$KB_SRC/test/support/export_store.sh"

# read_back STORE RUN: T-EXP-1, T-EXP-3, T-EXP-4.
read_back() {
	"$KBENCH" show "$2" --store "$1" --json >show.json || fail "show $2: exit code $?"
	files=
	for format in $formats; do
		"$KBENCH" export "$2" --store "$1" --format "$format" >"$format" 2>err || {
			fail "$2 as $format: exit code $?: $(cat err)"
			continue
		}
		files="$files $format=$format"
		"$KBENCH" export "$2" --store "$1" --format "$format" -o file 2>/dev/null
		cmp "$format" file || fail "$2 as $format: -o writes something else"
	done
	# shellcheck disable=SC2086 # a list of words
	python3 "$check" show.json $files || fail "$2 is not exported as show has it"
}
read_back fixed.db fixed
[ "$(wc -l <google-benchmark)" -lt 60 ] || fail "the full form has $(wc -l <google-benchmark) lines for 4 results of 3 processes"
grep -q '"aggregate_name"' google-benchmark || fail "the full form has no aggregates"
grep -q aggregate_name google-benchmark-rows && fail "the form of one row a benchmark has aggregates"
for format in $formats; do
	grep -q 424242 "$format" && fail "$format has the number of an invalid row"
done
"$KBENCH" export fixed --store fixed.db --format csv 2>&1 >/dev/null |
	grep -qx 'kbench export: 3 of 7 results left out: bad.crash (invalid), bad.need (skipped), bad.claim (invalid)' ||
	fail "rows are left out silently"
"$KBENCH" export fixed --store fixed.db --format google-benchmark-rows 2>&1 >/dev/null |
	grep -q 'bare.call (clock without a known rate)' || fail "ticks are not named as left out"

# Every text is hostile to some form. A file's name is one, too.
read_back fixed.db 01965e7a-0000-7000-8000-000000000005
name="=1|\`x\`
<b>.csv"
"$KBENCH" export last --store fixed.db --format csv -o "$name" 2>err && grep -q '^run,benchmark' "$name" || fail "a hostile file name: $(cat err)"

# T-EXP-2: two published runs by the U test of Google Benchmark's compare.py.
for run in 1 2; do
	"$KBENCH" export "a21-$run" --store fixed.db --format google-benchmark -o "a21-$run.json" ||
		fail "export a21-$run: exit code $?"
done
python3 "$check" compare a21-1.json a21-2.json || fail "the published runs do not compare as published"

# What sel4bench's form holds comes back: names, units, and the processes with their interval.
"$KBENCH" show fixed --store fixed.db --json >show.json
"$KBENCH" export fixed --store fixed.db --format sel4bench -o sel4bench.json 2>/dev/null
"$KBENCH" import sel4bench.json --store back.db --machine here >out 2>&1 || fail "import of an export: $(cat out)"
"$KBENCH" show --store back.db --json >back.json
python3 "$check" back show.json back.json || fail "an export of sel4bench's form is imported as something else"
"$KBENCH" export 01965e7a-0000-7000-8000-000000000005 --store fixed.db --format sel4bench -o hostile.json 2>/dev/null
"$KBENCH" import hostile.json --store hostile.db --machine here >out 2>&1 || fail "import of a hostile export: $(cat out)"

# Two runs for a build server: a regression fails, and the exit code is what it was.
"$KBENCH" compare a21-1 slower --store fixed.db --junit compare.xml --gate >/dev/null
[ $? -eq 1 ] || fail "a gate with --junit ends otherwise"
python3 "$check" junit compare.xml 1 0 || fail "a regression is no failure"
"$KBENCH" compare a21-1 a21-2 --store fixed.db --junit compare.xml --json >/dev/null
python3 "$check" junit compare.xml 0 0 || fail "two equal runs"
"$KBENCH" compare a21-1 a21-2 --store fixed.db --junit - >compare.xml || fail "compare --junit -: exit code $?"
python3 "$check" junit compare.xml 0 0 || fail "compare --junit - prints more than XML"
refuses 2 "'a21-2' is a run: only one can be named" export --format csv a21-1 a21-2 --store fixed.db
refuses 2 'both go to standard output' compare a21-1 a21-2 --store fixed.db --junit - --json
refuses 2 'No such file' compare a21-1 a21-2 --store fixed.db --junit missing/file

# A real run, with single operations. Its numbers may be as bad as the machine is busy; there have to be some, also percentiles, which a
# benchmark has none of where its first samples look as if an operation had a fixed cost.
for try in 1 2 3; do
	"$KBENCH" run ipc.pipe_latency sys.null -p placement=one-process --processes 1 --precision 50% --budget 30s --store real.db \
		>/dev/null 2>&1
	[ $? -le 5 ] || fail "run ends badly"
	"$KBENCH" show --store real.db --json | grep -q '"p50": [0-9]' && break
done
read_back real.db last

# ---- output that cannot be written ---------------------------------------------------------------------

# refused WORDS ARGUMENT...: exit code 2 and one line with these words.
refused() {
	words=$1
	shift
	refuses 2 "$words" export --store fixed.db "$@"
}
mkdir folder
echo before >folder/file
refused 'No such file' fixed --format csv -o missing/file
refused 'Is a directory' fixed --format csv -o folder
refused 'No space left' fixed --format csv -o /dev/full
refused 'nothing to export' bad --format csv -o folder/file
refused 'nothing to export' fixed bare.call --format google-benchmark -o folder/file
refused "called 'nobody'" fixed nobody --format csv -o folder/file
refused 'did you mean bencher' fixed --format benchr -o folder/file
refused 'format FORMAT is missing' fixed
[ "$(cat folder/file)" = before ] || fail "an error changed a file"
code=0
"$KBENCH" export fixed --store fixed.db --format csv >/dev/full 2>err || code=$?
[ $code -eq 2 ] || fail "a full standard output: exit code $code"

# A limit on the size of files stands for a disk that becomes full: nothing new stays, what was there does. The store
# needs 32 KB of its own.
"$KBENCH" export fixed --store fixed.db --format chrome-trace -o folder/file 2>/dev/null
cp folder/file whole
(
	trap '' XFSZ
	ulimit -f 96
	"$KBENCH" export fixed --store fixed.db --format chrome-trace -o folder/file 2>err
	echo $? >code
)
[ "$(cat code)" -eq 2 ] && grep -qx "kbench export: cannot write 'folder/file': File too large" err ||
	fail "a disk that becomes full: exit code $(cat code): $(cat err)"
cmp folder/file whole || fail "a disk that became full cost the old file"
[ "$(ls folder)" = file ] || fail "left behind: $(ls folder)"
# The same with a file that may not grow so far, which is no disk's matter and no signal's.
(
	ulimit -f 96
	"$KBENCH" export fixed --store fixed.db --format chrome-trace -o folder/file 2>err
	echo $? >code
)
[ "$(cat code)" -eq 2 ] && grep -q 'File too large' err || fail "a file that is too large: exit code $(cat code): $(cat err)"
cmp folder/file whole || fail "a file that was too large cost the old one"
[ "$(ls folder)" = file ] || fail "left behind: $(ls folder)"

# Through a link, to what it leads to; the mode stays.
chmod 640 folder/file
ln -s folder/file link
"$KBENCH" export fixed --store fixed.db --format csv -o link 2>/dev/null
[ -L link ] && [ "$(stat -c %a folder/file)" = 640 ] && head -n 1 folder/file | grep -q '^run,benchmark,' ||
	fail "a link was replaced"
ln -s folder/new dangling
"$KBENCH" export fixed --store fixed.db --format csv -o dangling 2>/dev/null
[ -L dangling ] && head -n 1 folder/new | grep -q '^run,benchmark,' || fail "a link to a file that is not there yet was replaced"
ln -s missing/new nowhere
refused 'No such file' fixed --format csv -o nowhere
[ -L nowhere ] || fail "a link to a folder that is not there was replaced"
