#!/bin/sh
# doc/sel4.md, doc/sel4bench.md and doc/sel4-analysis.md: every figure of the analysis is computed again from test/data; every command of the other
# page runs (without a kernel as far as it comes, and that must be the reason it gives), listings agree with sources and data.
# With SEL4_PREFIX set the commands measure; SEL4_COUNTED_PREFIX may name a kernel that tracks utilisation.
# runs: 3 s
set -u
. "$KB_SRC/test/support/check.sh"
page=$KB_SRC/doc/sel4.md metrics=$KB_SRC/doc/sel4bench.md analysis=$KB_SRC/doc/sel4-analysis.md measured=$KB_SRC/test/data/sel4/measured
PATH=$(dirname "$KBENCH"):$PATH
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
unset COLUMNS
prefix=${SEL4_PREFIX:-} counted=${SEL4_COUNTED_PREFIX:-}
unset SEL4_PREFIX SEL4_KERNEL SEL4_INCLUDE_DIRS

# The unit's name may be one or the other; blanks are for the eye.
plain() {
	tr -s ' ' <"$1" | sed 's/^ //; s/ $//; s/±/+-/g; s/▄/4/g; s/\bticks\b/insn/g'
}
# listed WANTED OUTPUT WHAT: the lines of one stand in the other, in this order.
listed() {
	plain "$1" >wanted.plain
	plain "$2" >output.plain
	awk 'NR == FNR { want[++n] = $0; next } k < n && $0 == want[k + 1] { k++ } END { if (k < n) { print want[k + 1]; exit 1 } }' \
		wanted.plain output.plain >missing || fail "$3: not in the output: $(cat missing)"
}

# ---- the analysis ------------------------------------------------------------------------------------------

awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 }
	inside && /^\$ / { close(file); file = "want." ++n; print substr($0, 3) >("command." n); printf "" >file; next }
	inside { print >file }' "$analysis"
count=0
while [ -f "command.$((count + 1))" ]; do
	count=$((count + 1))
	command=$(cat "command.$count")
	(cd "$KB_SRC" && timeout 60 sh -c "m=test/data/sel4/measured; $command") >out 2>err </dev/null ||
		fail "sel4-analysis.md: '$command' ended with $?: $(head -n 1 err)"
	[ -s "want.$count" ] || fail "sel4-analysis.md: nothing is listed below '$command'"
	listed "want.$count" out "sel4-analysis.md: $command"
done
[ $count -ge 14 ] || fail "sel4-analysis.md: only $count commands found"

# Figures in its sentences.
cat >said <<'END'
Seventeen benchmarks
falls from 1163 to 1151.80
2187, then 2212
11672 instructions
END
tr '\n' ' ' <"$analysis" | tr -s ' ' >text
while IFS= read -r words; do
	grep -qF "$words" text || fail "sel4-analysis.md no longer says '$words': look at this test"
done <said
[ "$(find "$KB_SRC"/bench/sel4 -name '*.c' | wc -l)" -ge 17 ] || fail "sel4-analysis.md says seventeen benchmarks: not so"
for file in "$measured"/circle-*.txt; do
	awk '$1 == "o" && $2 == 1 { one[++n] = $3 } END { if (one[1] != one[2]) print FILENAME, one[1], one[2] }' "$file"
done >differ
[ "$(sed 's/.*circle-//' differ)" = 'riscv64-retype.txt 2187 2212' ] || fail "sel4-analysis.md: first tests that differ: $(cat differ)"
for file in "$measured"/*-kanata-1.txt; do
	[ "$(awk '$1 == "o" { print $2, $3 }' "$file" | sort -u | wc -l)" -eq 5 ] || fail "$file: not five different numbers"
done

# ---- listings of the other page ---------------------------------------------------------------------------------

# block AFTER: the first listing that follows a line with this text.
block() {
	awk -v "after=$1" 'index($0, after) { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside' "$page"
}
kbench import "$measured/riscv64-first.txt" --label first >out 2>err || fail "cannot import a record: $(cat err)"
kbench show first --table >out
block 'The first five lines of 30' >want
[ "$(wc -l <want)" -eq 10 ] || fail "sel4.md: the first table is not there"
# Blanks at the ends of lines belong to the format.
awk 'NR == FNR { want[++n] = $0; next } $0 == want[1] { k = 0 } k < n && $0 == want[k + 1] { k++ } END { exit k < n }' want out ||
	fail "sel4.md: the first table is not what the record has, to the byte"
kbench import "$measured/riscv64-counted.txt" --label counted >out 2>err
kbench show counted >out
block 'kbench show counted' >/dev/null
awk '/^    evidence /' "$page" >want
[ "$(wc -l <want)" -eq 2 ] || fail "sel4.md: no evidence is shown"
listed want out "sel4.md: evidence"
grep -q 'iteration had 1269 instructions' "$page" && grep -q '1269' out || fail "sel4.md: the tracking kernel's iteration"
block 'Put two' >want
kbench trace analyze --nested 0,1 "$measured/aarch64-points.txt" >out 2>err || fail "cannot analyze trace points: $(cat err)"
[ "$(wc -l <want)" -eq 3 ] || fail "sel4.md: no trace points are shown"
listed want out "sel4.md: trace points"
COLUMNS=120 kbench import "$measured/riscv64-there.txt" >out 2>err || fail "cannot import single operations: $(cat err)"
block 'is printed below the value' >want
[ "$(wc -l <want)" -eq 4 ] || fail "sel4.md: no single operations are shown"
listed want out "sel4.md: single operations"
# What counters count: the units of the table are those of the program.
for row in 'rdcycle?:ticks' 'pmccntr?:ticks' 'rdcycle:cycles' 'pmccntr:cycles' 'icount:insn' 'cntvct:ticks' 'rdtime:ticks'; do
	sed "s/^clock [^ ]*/clock ${row%:*}/; /^end/d" "$measured/riscv64-single.txt" >unit.txt
	kbench import unit.txt --json 2>/dev/null | grep -q "\"unit\": \"${row#*:}\"" || fail "sel4.md: the unit of ${row%:*} is not ${row#*:}"
done
block "This is all of \`bench/sel4/poll.c\`" >want
cmp -s want "$KB_SRC/bench/sel4/poll.c" || fail "sel4.md: bench/sel4/poll.c is another file"

# Lines of the parameter block: those that the root server knows, and no others.
grep -o '{ "[a-z]*", take_' "$KB_SRC/sel4/request.c" | cut -d'"' -f2 | sort >known
[ -s known ] || fail "sel4/request.c: no words found"
{ cat known; echo line; } | while read -r word; do grep -q "^| \`$word " "$page" || echo "$word"; done >missing
[ ! -s missing ] || fail "sel4.md: lines of the parameter block that it does not explain: $(cat missing)"
for wish in output clock counted exit; do
	grep -q "\"$wish\"" "$KB_SRC/sel4/request.c" && grep -q "^| \`set $wish=" "$page" || fail "sel4.md: the wish $wish"
done
block 'the magic, which must occur exactly once' | while read -r word rest; do
	grep -qx "$word" known || [ "$word" = line ] || echo "$word $rest"
done >missing
[ ! -s missing ] || fail "sel4.md: its example has lines that are not known: $(cat missing)"
grep -q 'KB_SEL4_COMPLETE = 20, KB_SEL4_FAILED = 21, KB_SEL4_UNFIT = 22' "$KB_SRC/src/collect/sel4/qemu.h" ||
	fail "sel4.md: the statuses of a boot are others"
grep -q 'KB_BOOT_MAGIC "kbench:boot:text"' "$KB_SRC/src/base/boot_text.h" || fail "sel4.md: the magic is another one"
for word in SEL4_PREFIX SEL4_KERNEL SEL4_INCLUDE_DIRS SEL4_COUNTED_PREFIX; do
	grep -q "\"$word\"" "$KB_SRC/src/run/backend/sel4.c" && grep -q "^| \`$word\`" "$page" || fail "sel4.md: variable $word"
done
kbench list 'sel4.*' >out
grep -q '^sel4.signal .*\[wait=bare;libsel4 way=both space=same fpu=off;on ipcbuf=none;registered low=254 high=255\]$' out ||
	fail "sel4.md: parameters of sel4.signal"
for name in $(grep -o 'sel4\.[a-z_]*[a-z]' "$page" "$analysis" "$metrics" -h | sort -u | grep -v '^sel4\.md$'); do
	grep -q "^$name " out || fail "sel4.md: no benchmark $name"
done

# The page of sel4bench's metrics: each of its list has a row or a reason, rows are those of the program that makes them, and a row
# without a reason has two numbers that are the same.
python3 "$KB_SRC/test/sel4bench_metrics.py" --names >rows || fail "sel4bench.md: no rows"
grep -c '' rows >count
[ "$(cat count)" -ge 46 ] || fail "sel4bench.md: $(cat count) rows"
sed -n 's/^\(| [^|]*|\) [0-9-]* | [0-9]* | \(`sel4\.[^|]*|.*\)$/\1 \2/p' "$metrics" | diff - rows >differ || fail "sel4bench.md: other rows: $(head -n 3 differ)"
awk -F' [|] ' '/`sel4\./ && $5 ~ /^ *[|]?$/ { n++; off = $2 - $3; if (off < 0) off = -off; if (off > 5 && off > $2 / 100) print }
	END { if (n < 5) print n, "rows without a reason" }' "$metrics" >differ
[ ! -s differ ] || fail "sel4bench.md: differs without a reason: $(cat differ)"
sed -n 's/^	{ "\([a-z0-9_]*\)", .*/\1/p' "$KB_SRC/src/import/sel4bench_names.c" | sed '/_early$/d; /^smp_/d' | while read -r metric; do
	grep -Eq "^\| $metric |\`$metric\`" "$metrics" || echo "$metric"
done >missing
[ ! -s missing ] || fail "sel4bench.md: metrics without a row: $(tr '\n' ' ' <missing)"
# Their parameters and values are those of the benchmarks.
kbench list 'sel4.*' --json >list.json
python3 - rows list.json <<'END' >differ || fail "sel4bench.md: $(cat differ)"
import json, re, sys
benches = {b["name"]: {p["name"]: p for p in b["params"]} for b in json.load(open(sys.argv[2]))["benchmarks"]}
wrong = []
for line in open(sys.argv[1]):
    words = re.search("`([^`]*)`", line).group(1).split()
    for word in words[1:]:
        name, value = word.split("=")
        param = benches[words[0]].get(name)
        if not param or (param.get("choices") and value not in param["choices"]):
            wrong.append(words[0] + " " + word)
print(", ".join(wrong))
sys.exit(len(wrong) > 0)
END
for target in $(grep -oh 'doc/[a-z0-9-]*\.md' "$page" "$analysis" | sort -u); do
	[ -f "$KB_SRC/$target" ] || fail "no file $target"
done
! grep -nE '/(tmp|home|root|work)/' "$page" "$analysis" "$metrics" "$measured"/* | grep -v '\$HOME' || fail "a path of a machine"

# ---- its commands -----------------------------------------------------------------------------------------------

# What the page's reader has: consoles of a board, the original's table with what a serial line adds, two logs of sel4bench.
cp "$measured/riscv64-entries.txt" entries.log
cp "$measured/aarch64-points.txt" points.log
for boot in 1 2 3; do { echo "console ready"; cat "$measured/riscv64-kanata-1.txt"; } >boot$boot.log; done
{
	printf 'Jumping to kernel-image entry point ...\r\nInitial Test size: 30\r\nDelta: 1\r\n'
	printf 'Number of Tests / Sample size of Accumulated latency: 30\r\nNumber of Groups: 5\r\n'
	printf 'Accumulated latencies (clock cycles): \r\n'
	tail -n +2 "$KB_SRC/test/data/pic_4_1.csv" | cut -d, -f2- | tr ',' ' ' | sed 's/$/ \r/'
	printf '\r\nDone!\r\n'
} >console.log
cat >suite.json <<'END'
JSON OUTPUT
[{"Benchmark": "Signal to high prio thread", "Results": [{"Prio": 1, "Min": 300, "Max": 320, "Mean": 305, "Stddev": 3.2,
 "Variance": 10, "Mode": 304, "Median": 304, "1st quantile": 303, "3rd quantile": 307, "Samples": 16}]}
]END JSON OUTPUT
END
for day in 1 2 3 4 5 6; do
	echo "{\"ts\": \"2026-01-0${day}T05:57:25Z\", \"sha\": \"m$day\", \"sha_kernel\": \"k$day\", \"sha_bench\": \"b\", \"run_id\": $day," \
		"\"notify_thread\": [[0, 0, 0, $((1319 + day % 3)), 0, 0, 9, 16]]}"
done >HIFIVE_64.jsonl

listings sh sel4.md | sed 's/ \{1,\}#.*//' >commands
[ "$(wc -l <commands)" -ge 25 ] || fail "sel4.md: only $(wc -l <commands) commands found"

# The words that make a command shorter than its reader would want it.
shorter() {
	case $1 in
	"kbench run 'sel4."*) echo "$1 --processes 1 --budget 30s --timeout 100s" ;;
	'kbench run'*) echo "$1 --budget 60s --timeout 100s" ;;
	'kbench layers'*) echo "$1 --stored" ;;
	*) echo "$1" ;;
	esac
}
# run_command CODES COMMAND: it ends with one of them.
run_command() {
	timeout 300 sh -c "$(shorter "$2")" >out 2>err </dev/null
	got=$?
	case " $1 " in *" $got "*) ;; *) fail "sel4.md: '$2' ended with $got, not $1: $(tail -n 1 err)" ;; esac
}
# kernel_of LINE: which kernel a line of the page that exports SEL4_PREFIX means here; nothing: this one is not at hand.
kernel_of() {
	case $1 in *-track) echo "$counted" ;; *) echo "$prefix" ;; esac
}

skipping=
while IFS= read -r line; do
	case $line in
	'export SEL4_PREFIX='*)
		kernel=$(kernel_of "$line")
		skipping=
		unset SEL4_PREFIX SEL4_COUNTED_PREFIX
		[ -z "$kernel" ] || export SEL4_PREFIX="$kernel"
		[ -n "$kernel" ] || skipping=yes
		;;
	'export SEL4_COUNTED_PREFIX='*) [ -z "$counted" ] || export SEL4_COUNTED_PREFIX="$counted" ;;
	# The kernel's own build needs its source, and what it needs of Python: SEL4_SOURCE, PYTHONPATH.
	common=*) kernel_lines=$line ;;
	cmake* | ninja*)
		[ ! "${SEL4_SOURCE:-}" ] || {
			ln -sfn "$SEL4_SOURCE" seL4
			PATH=/usr/bin:$PATH HOME=$work/home sh -c "$kernel_lines
$line" >out 2>err </dev/null || fail "sel4.md: '$line': $(tail -n 3 out err)"
		}
		;;
	'kbench import'* | 'kbench analyze'* | 'kbench history'* | 'kbench show unleashed' | 'kbench layers'* | 'kbench trace'*)
		run_command 0 "$line"
		;;
	'kbench sel4 '* | 'kbench doctor sel4')
		run_command "$([ "$skipping" ] && echo 3 || echo 0)" "$line"
		[ ! "$skipping" ] || grep -q 'no seL4 is named' err || fail "sel4.md: '$line' does not say what it lacks"
		;;
	'kbench run '*)
		run_command 0 "$line"
		[ ! "$skipping" ] || grep -q skipped out || fail "sel4.md: '$line' measures without a kernel"
		case $skipping$line in
		'kbench run '*--groups*)
			[ "$(grep -cE '^([0-9]+ ){5}$' out)" -eq 30 ] && grep -qx 'Done!' out || fail "sel4.md: '$line' prints no whole table"
			;;
		esac
		;;
	# Runs of nothing but skipped rows have nothing to show or compare.
	'kbench show counted')
		[ "$skipping" ] || run_command 0 "$line"
		[ "$skipping" ] || [ "$(grep -c ': holds$' out)" -eq 2 ] || fail "sel4.md: that kernel does not count as claimed"
		;;
	'kbench show '* | 'kbench compare '*) [ "$skipping" ] || run_command 0 "$line" ;;
	*) fail "sel4.md: what is '$line'?" ;;
	esac
done <commands

[ -n "$prefix" ] || echo "the commands that boot need SEL4_PREFIX"
