#!/bin/sh
# kbench import: logs of other programs and machines become runs that show, compare, history, analyze and export take; what is cut off
# is stored as invalid with exit code 5, what contradicts itself is refused with one line and exit code 2, and nothing is stored.
# runs: 9 s
set -u
. "$KB_SRC/test/support/check.sh"
export COLUMNS=200
data=$KB_SRC/test/data
needs python3
python3 "$data/sel4/make.py" . || exit 1

# import CODE ARGUMENT...: output in `out`, messages in `err`.
import() {
	import_code=$1
	shift
	gives "$import_code" import --store store.db "$@"
	! grep -Eiw 'nan|inf' out || fail "import $* prints that"
}
# value FIELD: of the only row of the newest run.
value() {
	"$KBENCH" show --store store.db --json | python3 -c "import json, sys
print(json.load(sys.stdin)['results'][0]$1)"
}
# same WHAT WANTED FIELD
same() {
	[ "$(value "$3")" = "$2" ] || fail "$1: $3 is $(value "$3"), not $2"
}

# ---- our records, on every architecture ---------------------------------------------------------------

# A circle costs a - 2: the empty loop takes two instructions a turn, and the line through the grid has no residual.
while read -r file cost fixed; do
	import 0 "$file.log"
	same "$file" "$cost" "['estimate']['value']"
	same "$file" insn "['unit']"
	same "$file" "$fixed" "['fixed']['value']"
	same "$file" sel4.signal "['benchmark']"
	same "$file" True "['evidence'][0]['ok']"
done <<'END'
x86_64 948.0 11.0
x86_64-mcs 1268.0 11.0
aarch64-mcs 1129.0 4.0
END
# Ticks hit every ninth interval; they are seen, and the line is that of the others.
import 0 -v riscv64.log
same 'with ticks' 1147.0 "['estimate']['value']"
reads 'timer ticks inside samples \(in 13 of 120\)'
# A circle that does something else: one kernel entry where two are claimed.
import 5 wrong-circle.log
reads 'invalid: evidence contradicts the claim \(kernel_entries of all: 1 per iteration, expected 2'

# ---- launches, compare, gate --------------------------------------------------------------------------

import 0 base-1.log base-2.log base-3.log --label base
same base 3 "['processes']"
same base ok "['verdict']['status']"
cat base-?.log >all.log
import 0 - --label piped <all.log
same piped 3 "['processes']"
import 0 slower-1.log slower-2.log slower-3.log --label slower
import 0 board-1.log board-2.log board-3.log --label board
same board cycles "['unit']"

# compare CODE ARGUMENT...
compare() {
	compare_code=$1
	shift
	gives "$compare_code" compare --store store.db "$@"
}
compare 1 base slower --gate
reads '1\.0211.*slower !'
compare 0 slower base --gate
compare 0 base piped --gate
reads 'equivalent'
# Under icount every instruction counts: 20 in 950 are more than 1 %, and without a margin one would do.
compare 1 base slower --gate --margin 0.001%
compare 2 base board --gate
reads '\(arch: x86_64 and riscv64\) differ' err
# What an option costs, one has to ask for; then it is decided like everything else.
import 0 mcs-1.log mcs-2.log mcs-3.log --label mcs
compare 2 base mcs --gate
reads 'the kernels are configured differently \(c0 and c1' err
compare 1 base mcs --gate --any-config
reads '1\.337.*slower !'
compare 2 base board --any-config
reads 'environment IDs .* differ' err
import 5 wrong-circle.log --label wrong
compare 5 base wrong --gate

# What is made again from the records is what was stored.
"$KBENCH" show slower --store store.db --json >before
"$KBENCH" maintain slower --store store.db >/dev/null || fail "maintain: exit code $?"
"$KBENCH" show slower --store store.db --json | diff before - || fail "an imported run changes when it is made again"

# ---- a board's line, which never ends -----------------------------------------------------------------

python3 - base-1.log "$KBENCH" >out 2>err <<'END' || fail "a terminal line: $(cat err)"
import os, subprocess, sys, termios, time
master, line = os.openpty()
command = [sys.argv[2], "import", "--store", "store.db", "--label", "line", os.ttyname(line)]
program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
# Before the line is raw the terminal cuts what comes.
for _ in range(3000):
    if not termios.tcgetattr(line)[3] & termios.ICANON:
        break
    time.sleep(0.02)
text = open(sys.argv[1], "rb").read()
for at in range(0, len(text), 512):
    os.write(master, text[at:at + 512])
    time.sleep(0.001)
# The other end stays open: nothing but the record's end can end it.
out, err = program.communicate(timeout=60)
assert program.returncode == 0, (program.returncode, err)
assert b"sel4.signal" in out and b"948" in out, out
END
same 'terminal line' 948.0 "['estimate']['value']"

# ---- Kanata tables ------------------------------------------------------------------------------------

# The document's picture 4.1 from a serial line with CR CR LF, a terminal reset and colours.
{
	printf '\033c\033[2J\033[1;1HELF-loader started\r\r\nInitial Test size: 30\r\r\n\033[0mDelta: 1\r\r\n'
	printf 'Number of Tests / Sample size of Accumulated latency: 30\r\r\nNumber of Groups: 5\r\r\n'
	printf 'Accumulated latencies (clock cycles): \r\r\n'
	sed '1d; s/^[0-9]*,//; s/,/ /g; s/$/ \r\r/' "$data/pic_4_1.csv"
	printf '\r\r\nDone!\r\r\n'
} >pic.log
import 0 pic.log --clock rdcycle --machine unleashed --label 'picture 4.1' -p kernel=old
same picture cycles "['unit']"
same picture "{'kernel': 'old'}" "['params']"
[ "$(value "['estimate']['value']" | cut -c 1-7)" = 4577.33 ] || fail "mu_P of the last group: $(value "['estimate']['value']")"
"$KBENCH" show --store store.db --table | sed -n '/^Initial/,/^Done/p' >table
tr -d '\r\033' <pic.log | sed 's/^\[0m//; s/^c.*H//' | sed -n '/^Initial/,/^Done/p' | diff - table || fail "the table (<) is not what show prints (>)"
# The document's statistics and ours of the same console, with the bias of A/N.
"$KBENCH" analyze pic.log >out || fail "analyze pic.log: exit code $?"
reads 'Sample Mean / Test size 4574\.19 4573\.33 4567\.76 4572\.78 4577\.33'
reads 'weighted line with intercept through the groups with N from 30 to 34: 4591\.39'
# Where nothing varies the line is exact, and so is b / n, what a test's fixed 11 instructions add to A/N.
"$KBENCH" analyze x86_64-mcs.log --method kanata >out || fail "analyze of a record: exit code $?"
reads 'exact, for no group varies: 1270 insn an operation and 11 a test in addition; no group is farther than 0 '
reads 'Bias: the 11 insn of a test add \+0\.01375 to A/N at N = 800 and \+0\.11 at N = 100'
sed -n '/^Initial/,$p' x86_64-mcs.log >table.log
"$KBENCH" analyze table.log >out || fail "analyze of a table: exit code $?"
reads 'Bias: the intercept of 13 .* adds \+2\.6 cycles to A/N at N = 5 and \+12\.9 at N = 1'
import 0 table.log --clock icount
same table insn "['unit']"
import 0 table.log --name sel4.call --label other
same name sel4.call "['benchmark']"
same unit ticks "['unit']"
cat pic.log pic.log >two.log
import 0 two.log --clock tsc:1000000000
same two 2 "['processes']"
same rate ns "['unit']"

# ---- cut off: stored, invalid -------------------------------------------------------------------------

# cut NAME LINES: so many of them.
cut_off() {
	head -n "$2" "$1" >cut.log
	import 5 cut.log
	reads 'record_truncated|the record is cut off or garbled'
	reads "$3" err
	same "$1 $2" None "['estimate']['value']"
}
cut_off pic.log 20 '14 tests, the log declares 30'
cut_off pic.log 36 "without 'Done!'"
cut_off x86_64.log 100 'cut off: it has no end line'
sed '60s/ [0-9]/ 1/' x86_64.log >garbled.log
cmp -s x86_64.log garbled.log && fail "nothing was garbled"
import 5 garbled.log
reads 'line [0-9]+: the record is garbled' err

# ---- sel4bench ----------------------------------------------------------------------------------------

cat >bench.log <<'END'
Booting all finished
JSON OUTPUT
[{"Benchmark": "Signal to high prio thread", "Results": [{"Prio": 1, "Min": 300, "Max": 320, "Mean": 305, "Stddev": 3.2,
 "Variance": 10, "Mode": 304, "Median": 304, "1st quantile": 303, "3rd quantile": 307, "Samples": 16}]}
]END JSON OUTPUT
All is well in the universe
END
import 0 bench.log --clock tsc --machine here
reads 'sel4bench.notify_high_thread .*304\.0 ticks .*unverified'
reads 'as reported: mean 305, sd 3\.2, median 304, of 16'
"$KBENCH" export base --store store.db --format sel4bench >exported 2>err || fail "export as sel4bench: $(cat err)"
import 0 exported --clock icount
same exported 948.0 "['estimate']['value']"
"$KBENCH" export base --store store.db --format sel4bench-results >exported.jsonl 2>err || fail "export as a line: $(cat err)"
import 0 exported.jsonl
import 2 base-1.log bench.log
reads 'bench.log: is sel4bench, and the files before it are record' err

# ---- its history: a step that is found ----------------------------------------------------------------

python3 - >HIFIVE_64.jsonl <<'END'
import json
for day in range(40):
    mean = (1319 if day < 25 else 829) + day * 7 % 5
    print(json.dumps({"ts": "2026-%02d-%02dT05:57:25Z" % (1 + day // 28, 1 + day % 28), "sha": "m%d" % day, "sha_kernel": "k%03d" % day,
                      "sha_bench": "b", "run_id": 27397639006 + day, "notify_thread": [[0, 0, 0, mean, 0, 0, 9, 16]],
                      "ipc_call": [363, 365, 368, 366, 368, 373, 2.0, 16]}))
END
import 0 HIFIVE_64.jsonl
reads '40 runs with 80 processes'
import 0 HIFIVE_64.jsonl
reads '0 runs .* 40 were there'
# A second measurement of the last revisions is a launch of the run that is there.
head -n 39 HIFIVE_64.jsonl >less.jsonl
{
	cat less.jsonl
	sed -n '39{s/T05:/T06:/;p}' less.jsonl
} >more.jsonl
import 0 less.jsonl --machine other --label grown
import 0 more.jsonl --machine other --label grown
reads '0 runs with 2 processes .* 39 were there'
"$KBENCH" show grown --store store.db --json >before
"$KBENCH" maintain grown --store store.db >/dev/null || fail "maintain grown: exit code $?"
"$KBENCH" show grown --store store.db --json | diff before - || fail "a run with one launch more changes when it is made again"
"$KBENCH" history sel4bench.notify_thread --store store.db --json >history || fail "history: exit code $?"
python3 - <<'END' || fail "history does not find the step"
import json
points = json.load(open("history"))["rows"][0]["points"]
steps = [(p["label"], round(p["step"], 2)) for p in points if p["step"]]
assert len(points) == 40 and steps == [("k025", 0.63)], steps
END

# ---- five files, and one file with five iterations, are five processes alike ---------------------------

# suite FILE MEAN...: an iteration each.
suite() {
	python3 - "$@" >"$1" <<'END'
import json, sys
print("JSON OUTPUT")
print(json.dumps([{"Benchmark": name, "Iteration": i, "Results": [{"Mean": float(mean) + k, "Stddev": 1, "Samples": 16}]}
                  for i, mean in enumerate(sys.argv[2:]) for k, name in enumerate(["Thread yield", "Process yield"])]))
print("END JSON OUTPUT")
END
}
for k in 1 2 3 4 5; do
	suite old$k.json $((640 + k % 2))
	suite new$k.json $((672 + k % 2))
done
suite old.json 641 640 641 640 641
suite new.json 673 672 673 672 673
import 0 old1.json old2.json old3.json old4.json old5.json --machine board --label five-old
import 0 new1.json new2.json new3.json new4.json new5.json --machine board --label five-new
import 0 old.json --machine board --label one-old
import 0 new.json --machine board --label one-new
for kind in five one; do
	code=0
	"$KBENCH" compare $kind-old $kind-new --store store.db --gate --json >$kind.json 2>err || code=$?
	[ $code -eq 1 ] || fail "compare --gate of $kind: exit code $code: $(cat $kind.json err)"
done
python3 - <<'END' || fail "five files and five iterations are not compared alike"
import json
rows = [[(r["row"], r["processes"], r["decision"], r["ratio"]) for r in json.load(open(f))["rows"]] for f in ("five.json", "one.json")]
assert rows[0] == rows[1] and rows[0][0][:3] == ("sel4bench.thread_yield", 5, "slower"), rows
END

# ---- refused ------------------------------------------------------------------------------------------

before=$("$KBENCH" runs --store store.db | wc -l)
# wrong PATTERN ARGUMENT...
wrong() {
	pattern=$1
	shift
	refuses 2 "^kbench import: $pattern" import --store store.db "$@"
}
sed '20s/^\([0-9]*\) /\1 <<seL4(CPU 0) [handleFault]>> /' pic.log >inside.log
wrong "inside.log:20: '<<seL4\(CPU' is not a number of cycles" inside.log
sed '20s/^[0-9]* //' pic.log >narrow.log
wrong 'narrow.log:20: 4 values, the log declares 5 groups' narrow.log
sed 's/^Number of Groups: 5/Number of Groups: 6/' pic.log >groups.log
wrong 'groups.log:7: 5 values, the log declares 6 groups' groups.log
sed 's/latency: 30/latency: 29/' pic.log >tests.log
wrong 'tests.log:36: 30 tests, the log declares 29' tests.log
sed '20s/[0-9]* \([0-9]* [0-9]* [0-9]*\)/18446744073709551616 \1/' pic.log >wide.log
wrong "wide.log:20: '[0-9]*18446744073709551616' is not a number of cycles" wide.log
sed '4s/^/<<seL4>> /' bench.log >json.log
wrong 'json.log:4: no JSON of sel4bench' json.log
head -n 3 bench.log >json.log
wrong 'json.log:[34]: the JSON is cut off' json.log
sed '$s/16\]\]/16, 1]]/' HIFIVE_64.jsonl >eight.jsonl
wrong "eight.jsonl:40: 'notify_thread' does not have min, q1" eight.jsonl
echo hello >words
wrong 'processes of two runs: sel4.signal.* has clock icount in one and rdcycle in another' base-1.log board-1.log
cat base-1.log board-1.log >both.log
"$KBENCH" analyze both.log >out 2>err
[ $? -eq 2 ] && reads 'the clock is rdcycle, and that of record 1 of the same result icount' err || fail "analyze of two clocks: $(cat err)"
wrong 'words: no table, no record and no results of a tool that is known here in it' words
: >empty
wrong 'empty: no table' empty
wrong 'cannot read missing: No such file' missing
wrong 'words: no line of it begins with' --as record words
wrong "--as 'tables': must be|--as 'kanat'" --as tables words
wrong "--as 'kanat': did you mean kanata\?" --as kanat words
wrong "--clock 'hpet': must be tsc" --clock hpet pic.log
wrong "--clock 'icount:5': instructions have no rate" --clock icount:5 pic.log
wrong "--clock 'tsc:0'|--clock '0': must be a number" --clock tsc:0 pic.log
wrong "--name 'signal': must be a domain and a benchmark" --name signal pic.log
wrong "--param 'x': must be NAME=VALUE" -p x pic.log
wrong '--name, --clock and --param are for logs that do not say it' --clock tsc base-1.log
wrong 'processes of two runs: kernel is k0 in one and k1 in another' base-1.log slower-1.log
wrong 'which file\?'
[ "$("$KBENCH" runs --store store.db | wc -l)" -eq "$before" ] || fail "something refused was stored"
