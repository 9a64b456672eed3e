#!/bin/sh
# The seL4 root server on the host double of its system calls: every circle by every method, with and without MCS, the order of calls
# between two tests, the original's table, the record through `kbench import`, and everything that must not pass: wrong circles,
# wrong flows, faults, requests that cannot be met.
# runs: full, 30 s; every timed loop by every method on two kernels; sel4/command has the way from source to numbers
set -u
. "$KB_SRC/test/support/check.sh"

case $(uname -m) in x86_64 | aarch64 | riscv64) ;; *) skip "the double has words of 64 bits, this machine does not" ;; esac

# Both forms of libsel4's pointer to the IPC buffer: one a thread, one for all.
build=$KB_SRC/test/sel4/double/build own=-DKB_DOUBLE_OWN_POINTERS
sh "$build" ./plain objects $own || exit 1
sh "$build" ./mcs objects-mcs -DKB_DOUBLE_MCS || exit 1

# boot PROGRAM CODE: the lines on standard input; console in `console`, trace in `trace`.
boot() {
	cat >lines
	timeout 60 "$1" lines trace >console 2>messages
	got=$?
	[ $got -eq "$2" ] || fail "$1: exit code $got, not $2: $(tail -n 3 console messages)"
}
plan() {
	awk 'BEGIN { srand(5); for (k = 0; k < 10; k++) {
		line = "block " k; split("100 200 400 800", n, " ")
		for (i = 4; i > 1; i--) { j = 1 + int(rand() * i); t = n[i]; n[i] = n[j]; n[j] = t }
		for (i = 1; i <= 4; i++) line = line " o" n[i] " b" n[i]
		print line } }'
}
# value FIELD: of the only row of the newest run.
value() {
	"$KBENCH" show --store store.db --json | python3 -c "import json, sys
print(json.load(sys.stdin)['results'][0]$1)"
}

# ---- every circle, by slope ---------------------------------------------------------------------------

# request NAME PARAM...
request() {
	echo "bench $1"
	shift
	for param in "$@"; do echo "param $param"; done
	echo "method slope seed=7 process=1"
	plan
}
# The record claims kernel entries and choices of a thread, of the operation and of the test around it; the double counts them.
circle() {
	program=$1
	shift
	request "$@" >request
	boot "$program" 20 <request
	"$KBENCH" import console --store store.db >out 2>err
	code=$?
	[ $code -eq 0 ] || fail "$program $*: import says $code: $(cat err; grep -E 'invalid|noisy' out)"
	[ "$(grep -Ec 'evidence +(kernel_entries|schedules) of all: .*holds' out)" -eq 2 ] || fail "$program $*: nothing was counted"
}
tested=0
for file in "$KB_SRC"/bench/sel4/*.c; do
	name=$(basename "$file" .c)
	for program in ./plain ./mcs; do
		if [ "$program $name" = './plain call_active' ]; then
			request call_active | boot ./plain 22
			grep -q '^fail stage=setup .*KERNEL_MCS' console || fail "what this kernel lacks is not said: $(tail -n 1 console)"
		else
			circle $program "$name"
			# Operations with samples of their own have none of a whole test.
			for method in single kanata; do
				case $method,$name in kanata,pages | kanata,irq | kanata,broadcast) code=22 ;; *) code=20 ;; esac
				printf 'bench %s\nmethod %s\nkanata init_test_size=3 delta=1 group_size=4 n_groups=3\nsingle samples=30\n' \
					"$name" $method | boot $program $code
			done
		fi
	done
	tested=$((tested + 1))
done
[ $tested -ge 9 ] || fail "$tested circles were tested"
circle ./plain signal wait=libsel4
cp console first
boot ./plain 20 <request
cmp -s first console || fail "two boots differ"
circle ./mcs signal wait=libsel4
circle ./plain signal ipcbuf=registered fpu=on
circle ./plain call server=same
circle ./plain call server=lower
circle ./mcs call server=same
circle ./mcs call server=lower
circle ./plain call words=10 ipcbuf=registered
circle ./plain yield partner=no
circle ./plain tcb_priority of=self
circle ./plain semaphore partner=higher
circle ./plain signal low=0 high=1
for phase in tables make protect unprotect; do circle ./plain pages phase=$phase pages=3; done
for until in call first last; do circle ./mcs broadcast until=$until waiters=5; done

# The ways of an iteration make up the whole, to the instruction, without what reading the clock takes.
for program in ./plain ./mcs; do
	for name in signal call send fault yield semaphore condition; do
		for way in both there back; do
			request $name way=$way | boot $program 20
			tr -d '\r' <console | sed -n "s/^\([ob]\) 100 \([0-9]*\) .*/$way \1 \2/p; s/^per /$way per /p" | sort -u
		done >ways
		awk '{ seen[$1, $2] = $3; lines++ } END { exit !(lines == 9 && seen["there", "o"] > 10000 && seen["back", "o"] > 10000 &&
			seen["both", "o"] - seen["both", "b"] == seen["there", "o"] + seen["back", "o"] &&
			seen["there", "per"] == "one-way" && seen["both", "per"] != "one-way") }' ways || fail "$program $name: ways: $(cat ways)"
	done
done
printf 'bench signal\nparam way=there\nmethod kanata\n' | boot ./plain 22
printf 'bench signal\nparam low=7\nparam high=7\nmethod kanata\n' | boot ./plain 22
printf 'bench yield\nparam partner=no\nparam way=back\nmethod single\n' | boot ./plain 22

# ---- Kanata -------------------------------------------------------------------------------------------

# What `kbench run` asks besides: first tests that do not count, and the confidence of the intervals.
boot ./plain 20 <<'END'
bench signal
method kanata seed=7 process=1 confidence=0.99
kanata init_test_size=30 delta=2 group_size=5 n_groups=2 skip=2
END
"$KBENCH" import console --store store.db >out 2>err || fail "import of Kanata with skipped tests: $(cat err)"
[ "$(value "['samples']") $(value "['params']['group_size']")" = "6 3" ] || fail "skipped tests count: $(cat out)"
"$KBENCH" show --store store.db --table | grep -q '^Number of Tests .*: 3$' || fail "skipped tests are in the table"
tr -d '\r' <console | grep -q '^method kanata .*confidence=0\.99$' || fail "the confidence is lost"

boot ./plain 20 <<'END'
bench signal
param wait=libsel4
method kanata seed=7 process=1
kanata init_test_size=30 delta=2 group_size=30 n_groups=5
END
# A circle of the double costs two entries of 180 and two switches of 70; a test's two readings add 3.
{
	printf 'Initial Test size: 30\nDelta: 2\nNumber of Tests / Sample size of Accumulated latency: 30\nNumber of Groups: 5\n'
	printf 'Accumulated latencies (clock cycles): \n'
	for _ in $(seq 30); do echo "15003 16003 17003 18003 19003 "; done
	printf '\nDone!\n'
} >table
tr -d '\r' <console | sed -n '/^Initial/,$p' | diff table - || fail "the table (<) is printed otherwise (>)"
"$KBENCH" import console --store store.db >out 2>err || fail "import of Kanata: $(cat err)"
[ "$(value "['unit']") $(value "['method']" 2>/dev/null || value "['estimate']['method']")" = "insn kanata" ] || fail "unit or method: $(value '')"
sed -n '/^Initial/,$p' console >alone
"$KBENCH" analyze alone >out || fail "analyze of the table"
tr '\n' ' ' <out | tr -s ' ' | grep -q 'exact, for no group varies: 500 cycles an operation and 3 a test' || fail "$(tail -n 8 out)"

# Between two tests nothing but these calls, in this order; the first test starts the same way.
sed -n '/^init TCB_WriteRegisters low/,$p' trace | grep -v '^\(low\|high\) ' | sed '/^init ResetLog/,$d' >flow
{
	for _ in $(seq 150); do
		printf 'init TCB_%s\n' 'WriteRegisters low' 'WriteRegisters high' 'Resume low' 'Resume high'
		echo 'init Wait'
		printf 'init TCB_%s\n' 'Suspend high' 'Suspend low'
	done
} >wanted
sed 's/ slot=.*//' flow | head -n 1050 | diff wanted - >difference || fail "between tests: $(head -n 5 difference)"
# High waits before Low's first signal, in every test: else the first signal finds nobody.
awk '/TCB_Resume high/ { first = 1; next } first && /^(low|high) / { if ($1 != "high" || $2 != "Wait") bad++; first = 0 }
	END { exit bad > 0 }' trace || fail "Low comes before High"
# Nothing is made after the first test.
sed -n '/^init TCB_Resume low/,$p' trace | grep -E 'Retype|Mint|Configure|Map' && fail "something is allocated after set-up"

# ---- single, output, parameters -----------------------------------------------------------------------

for program in ./plain ./mcs; do
	boot $program 20 <<'END'
bench signal
param way=there
method single seed=7 process=1
single samples=110
END
	[ "$(tr -d '\r' <console | grep -c '^o 1 253 ')" -eq 110 ] || fail "$program: one way is not an entry, a switch and a reading: $(grep -m 1 '^o' console)"
	# What was timed is the way there; the reading of the clock is in each value, and said to be.
	"$KBENCH" import console --store store.db >out 2>err || fail "$program: import of single: $(cat err)"
	grep -q '253\.0 insn' out && grep -q ', per one-way$' out && [ "$(value "['per']")" = one-way ] || fail "$program: single is not called one way: $(cat out)"
	[ "$(value "['fixed']['value']")" = 3.0 ] &&
		grep -q 'an empty pair takes 3 insn; without it 250' out || fail "$program: raw overhead: $(cat out)"
	[ "$(grep -Ec 'evidence +(kernel_entries|schedules) of all: .*holds' out)" -eq 2 ] || fail "$program: nobody counted single operations"
	printf 'bench call\nmethod single\n' | boot $program 20
	"$KBENCH" import console --store store.db >out 2>err && [ "$(value "['per']")" = round-trip ] || fail "$program: one call is no round trip"
	printf 'bench signal\nparam wait=libsel4\nmethod single\n' | boot $program 22
done
boot ./plain 20 <<'END'
bench signal
method kanata
kanata init_test_size=1 delta=1 group_size=2 n_groups=2
set output=kanata
END
grep -q kbench-record console && fail "output=kanata prints a record"
boot ./plain 20 <<'END'
bench signal
method kanata
kanata init_test_size=1 delta=1 group_size=2 n_groups=2
set output=record
END
grep -q 'Initial Test' console && fail "output=record prints a table"

# refused CODE STAGE PATTERN: the request on standard input ends so.
refused() {
	boot "${program:-./plain}" "$1"
	tr -d '\r' <console | grep -Eq "^fail stage=$2 .*$3" || fail "not 'fail stage=$2 ... $3': $(tail -n 2 console)"
}
program=./plain
printf 'bench nonsense\n' | refused 21 request 'this image has no such benchmark: bench nonsense'
printf 'bench signal\nparam wait=often\n' | refused 21 request 'often'
printf 'bench signal\nkanata group_size=4096 n_groups=2\n' | refused 21 request '1 to 4096 tests'
printf 'bench signal\nkanata group_size=5000\n' | refused 21 request 'out of its bounds'
printf 'bench signal\nkanata group_size=5 skip=5\n' | refused 21 request 'leaves no test'
printf 'bench signal\nmethod single\nsingle samples=0\n' | refused 21 request 'at least one'
printf 'bench signal\nmethod best\n' | refused 21 request 'kanata, slope and single'
printf 'bench signal\nmethod slope\n' | refused 21 plan 'needs a plan'
printf 'bench signal\nmethod slope\nblock 1 x5\n' | refused 21 request 'not a line of a plan'

# ---- the counter --------------------------------------------------------------------------------------

# counter UNIT CLOCK NOTE WISH...: of a boot in this environment; NOTE "-": none.
small='bench signal\nmethod kanata\nkanata init_test_size=100 delta=100 group_size=4 n_groups=3\n'
counter() {
	unit=$1 clock=$2 note=$3
	shift 3
	printf "$small$*\n" | boot ./plain 20
	tr -d '\r' <console | grep -q "^clock $clock hz=0 " || fail "not clock $clock: $(grep '^clock' console)"
	[ "$(tr -d '\r' <console | sed -n 's/^note \(clock_unknown\|emulated_clock\) .*/\1/p')" = "$note" ] || fail "clock $clock: not note $note"
	"$KBENCH" import console --store store.db >out 2>err || fail "import of clock $clock: $(cat err)"
	[ "$(value "['unit']")" = "$unit" ] || fail "clock $clock: unit is $(value "['unit']"), not $unit"
}
counter insn icount ''
counter insn icount '' 'set clock=icount'
export KB_DOUBLE_COUNTS_CYCLES=1
counter ticks 'icount?' clock_unknown
counter insn icount '' 'set clock=icount'
unset KB_DOUBLE_COUNTS_CYCLES
# Where the emulator can be asked who it is. Its time stamps make no number; a count of instructions does.
export KB_DOUBLE_MONITOR=TCGTCGTCGTCG
counter insn icount emulated_clock
counter insn icount '' 'set clock=icount'
KB_DOUBLE_MONITOR=KVMKVMKVM
counter insn icount ''
grep -q '^env hypervisor=KVMKVMKVM' console || fail "who runs the machine is not said"
unset KB_DOUBLE_MONITOR
# User mode may not read the first one: a fault at the first reading, and then the other.
export KB_DOUBLE_NO_CYCLES=1
counter ticks rdtime ''
grep -q '^env counter=rdtime' console || fail "which counter was read is not said"
printf "${small}set clock=icount\n" | refused 21 clock 'only rdtime can be read'
unset KB_DOUBLE_NO_CYCLES
export KB_DOUBLE_NO_CLOCK=1
printf "$small" | refused 21 op 'init: exception at 0x500000'
unset KB_DOUBLE_NO_CLOCK
printf "${small}set clock=tsc\n" | refused 21 clock 'the request has another'

# ---- what must be noticed -----------------------------------------------------------------------------

KB_TIMED_LOOPS=$KB_SRC/test/sel4/timed_loops/wrong.c sh "$build" ./wrong objects $own || exit 1
program=./wrong
printf 'bench wrong\nmethod single\n' | refused 21 method 'no single operation'
# wrong HOW CODE: this circle by slope.
wrong() {
	{
		printf 'bench wrong\nparam how=%s\nmethod slope\n' "$1"
		plan
	} | boot ./wrong "$2"
}
# High never wakes: the numbers are as stable as any, and only the kernel's count tells.
wrong elsewhere 20
"$KBENCH" import console --store store.db >out 2>err
[ $? -eq 5 ] || fail "a circle that wakes nobody is not invalid"
tr '\n' ' ' <out | tr -s ' ' | grep -q 'invalid: evidence contradicts the claim (kernel_entries of all: 1' || fail "why: $(grep invalid out)"
wrong nowhere 21
grep -Eq '^fail stage=op .*High: page fault' console || fail "High's fault is not told: $(tail -n 2 console)"
wrong slot 21
grep -Eq '^fail stage=op .*Low: capability fault' console || fail "Low's fault is not told: $(tail -n 2 console)"
wrong silent 70
grep -q 'nothing can run: .*low waits for a notification' messages || fail "a hang is not told: $(cat messages)"
wrong tables 21
grep -Eq '^fail stage=call ' console || fail "an invocation that failed is not told: $(tail -n 2 console)"
wrong table 21
grep -Eq '^fail stage=call .*kb_page_map: failed lookup \(6\)' console || fail "a page without tables: $(tail -n 2 console)"
wrong buffer 21
grep -Eq '^fail stage=op .*init: page fault' console || fail "a call through no buffer: $(tail -n 2 console messages)"
for how in elsewhere nowhere slot silent tables table; do
	wrong $how "$(case $how in elsewhere) echo 20 ;; silent) echo 70 ;; *) echo 21 ;; esac)"
	"$KBENCH" import console --store store.db >/dev/null 2>&1
	[ $? -eq 5 ] || [ $how = silent ] || fail "import of a boot that failed ($how) does not exit with 5"
done

# A fault of another kind than the circle means: its number would be as stable.
sed 's/KB_ILLEGAL()/*(volatile int *)16 = 0/' "$KB_SRC/bench/sel4/fault.c" >fault.c
KB_TIMED_LOOPS=./fault.c sh "$build" ./kind objects $own || exit 1
printf 'bench fault\nmethod kanata\nkanata init_test_size=2 delta=1 group_size=2 n_groups=1\n' | boot ./kind 21
grep -Eq '^fail stage=op .*Low: page fault at' console || fail "a fault of another kind: $(tail -n 2 console)"

# ---- what the kernel keeps --------------------------------------------------------------------------------

# Shares of the CPU, which close, and the log of entries: the last test of a plan, all of a grid.
circle ./plain signal
"$KBENCH" trace analyze console >out || fail "trace analyze of shares"
grep -q '^together 100.0 %: they close$' out || fail "shares of the CPU: $(cat out)"
# A stored run has the same.
low=$(awk '/^  Low / { print $4 }' out) tests=$(sed -n 's/^CPU utilisation of \([0-9]*\) tests.*/\1/p' out)
"$KBENCH" show --store store.db -v >out && grep -Eq "^ +utilisation Low $low %, High .*\($tests tests\)$" out || fail "show -v has no utilisation: $(cat out)"
[ "$(value "['utilisation']['tests']")" = "$tests" ] && [ "$(printf '%.1f' "$(value "['utilisation']['low'] * 100")")" = "$low" ] ||
	fail "utilisation as JSON: $(value "['utilisation']")"
sed 's/util_low=/util_low=9/' console >more
"$KBENCH" trace analyze more >out 2>&1
[ $? -eq 2 ] || fail "a console that was changed is read: $(cat out)"
for kernel in '' -DKB_DOUBLE_MCS; do
	# shellcheck disable=SC2086 # none or one word
	KB_TIMED_LOOPS=$KB_SRC/bench/sel4/signal.c sh "$build" "./entries$kernel" "objects-entries$kernel" -DKB_DOUBLE_ENTRIES $kernel || exit 1
	printf 'bench signal\nmethod kanata seed=7\nkanata init_test_size=20 delta=1 group_size=1 n_groups=1\nset clock=icount\n' |
		boot "./entries$kernel" 20
	"$KBENCH" trace analyze console >out || fail "trace analyze of entries$kernel"
	grep -q '^50 kernel entries of 20 operations in 1 test;' out || fail "entries$kernel: $(cat out)"
	awk '/^system call +Send/ { send = $6 } /^system call +(Recv|Wait)/ { wait += $6 }
		END { exit !(send == 21 && wait == 22) }' out || fail "entries by call$kernel: $(cat out)"
	grep -q 'total insn' out || fail "the unit of entries: $(cat out)"
	"$KBENCH" trace analyze --json console | python3 -c "import json, sys
d = json.load(sys.stdin)
assert d['unit'] == 'insn' and d['entries']['index'] == 50 and not d['entries']['full'] and d['utilisation'] is None" ||
		fail "entries as JSON"
	request signal | boot "./entries$kernel" 20
	"$KBENCH" import console --store store.db >out 2>err || fail "import beside a log: $(cat err)"
	grep -Eq 'evidence +kernel_entries of all: .*holds' out || fail "entries are no evidence: $(grep evidence out)"
	"$KBENCH" show --store store.db -v >out && grep -Eq '^ +kernel log  [0-9]+ entries of [0-9]+ operations in 1 test, the last of a plan, 0 lost$' out &&
		grep -Eq '^ +system call +Send cap [0-9]+ +[0-9]+, each [0-9]+ to [0-9]+, median [0-9]+, all [0-9]+ insn$' out ||
		fail "show -v has no log of entries: $(cat out)"
	value "['kernel_log']" | python3 -c "import ast, sys
log = ast.literal_eval(sys.stdin.read())
assert log['entries'] == 1 + sum(kind['count'] for kind in log['kinds']) and log['last'] and log['tests'] == 1, log" || fail "the log as JSON"
	"$KBENCH" trace analyze console >out && grep -q 'in 1 test, the last of the plan' out || fail "a plan's log is not said to be of its last test: $(cat out)"
done
# 43690 entries are all that fits, and then the kernel is silent.
printf 'bench signal\nmethod kanata\nkanata init_test_size=1500 delta=1 group_size=15 n_groups=1\n' | boot ./entries 20
"$KBENCH" trace analyze console >out || fail "trace analyze of a full log"
grep -q '^log full: it stopped at index 43690' out || fail "a full log: $(head -n 3 out)"
grep -q '^e kernel_entries' console && fail "a full log counts entries"

# Trace points of the kernel: no kernel has any of its own, so this log is made up. A pair adds 20 to itself and 45 to what is around it.
python3 - <<'END'
import struct, zlib
lines = ["kbench-record 2", "bench sel4.signal", "clock icount hz=0 quantum=1 cost=2 ordered=1",
	 "env log=tracepoints log_index=90 log_room=85 log_circles=1 log_tests=1"]
lines += ["env log_raw=" + struct.pack("<QQ", *point).hex() for point in [(1, 20), (0, 65)] * 40 + [(7, 520)] * 5]
def put(lines, file):
	text = "".join(line + "\n" for line in lines)
	open(file, "w").write(text + "end o=0 b=0 q=0 e=0 crc=%08x\n" % zlib.crc32(text.encode()))
put(lines, "points")
for total in 0, 100, 200:
	put(lines[:3] + ["env util_tests=1 util_low=60 util_high=50 util_init=1 util_idle=1 util_kernel=30 util_total=%d" % total], "shares-%d" % total)
END
for form in '' --json; do
	for total in 0 100; do
		# shellcheck disable=SC2086 # none or one word
		"$KBENCH" trace analyze $form shares-$total >out
		[ $? -eq 5 ] && [ -s out ] || fail "shares of $total$form: $(cat out)"
	done
done
"$KBENCH" trace analyze shares-200 >out && grep -q '^together 56.0 %: others had the rest' out || fail "shares of 200: $(cat out)"
"$KBENCH" trace analyze --nested 0,1 points >out || fail "trace analyze of trace points"
grep -q '^By key, in insn;' out || fail "the unit of trace points: $(cat out)"
grep -q ' 5 lost ' out || fail "trace points lost: $(cat out)"
grep -Eq '^ +7 +5 +520 .* 500\.0 ' out || fail "trace points: $(cat out)"
"$KBENCH" trace analyze points >out 2>&1
[ $? -eq 2 ] || fail "trace points without their cost: $(cat out)"

# Flows with a mistake: NAME, what is replaced in flow.c, the code that this ends with.
flow() {
	sed "$2" "$KB_SRC/sel4/flow.c" >flow.c
	cmp -s flow.c "$KB_SRC/sel4/flow.c" && fail "flow $1: nothing was changed"
	KB_TIMED_LOOPS=$KB_SRC/bench/sel4/signal.c KB_SEL4=./flow.c sh "$build" "./flow-$1" objects $own || exit 1
	printf 'bench signal\nmethod kanata\nkanata init_test_size=3 delta=1 group_size=3 n_groups=2\n' | boot "./flow-$1" "$3"
}
flow no-registers '/WriteRegisters(high/d' 72
grep -q 'high is started before it was configured or had registers' messages || fail "High without registers: $(cat messages)"
flow no-suspend '/TCB_Suspend(low)/d' 72
grep -q 'registers of low are written while it runs' messages || fail "Low is not stopped: $(cat messages)"
flow no-low '/TCB_Resume(low)/d' 70
flow half-registers 's/^#define REGISTERS .*/#define REGISTERS 2/' 72
grep -q '2 of 4 registers of low are written' messages || fail "half of the registers: $(cat messages)"
