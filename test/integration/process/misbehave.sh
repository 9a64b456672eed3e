#!/bin/sh
# Benchmarks that crash, hang, fork away, fail, lie to the pipe or lack what they need, each beside a good one: that one
# gives its result, the bad one gets the right verdict and reason, and nothing is left behind.
# runs: slow, 50 s
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/left.sh"
tab=$(printf '\t')
# A full run takes three launches of each row, as users do; what a bad one does to its neighbours shows with one.
launches=1 hang=4
[ "${KB_FULL:-0}" -eq 0 ] || launches=3 hang=5

for file in "$KB_SRC"/test/integration/plugins/*.c; do
	name=$(basename "$file" .c)
	[ "$name" = needs ] || [ "$name" = faults_in ] || [ "$name" = events ] || plugin "$name" "$name.so" -DONE
done
plugin needs needs_root.so -DNEEDS=KB_NEED_ROOT
plugin needs needs_two.so -DNEEDS=KB_NEED_TWO_CPUS

field() {
	printf '%s\n' "$1" | cut -f "$2"
}

check_daemons() {
	[ -f daemons ] || return
	while read -r pid; do
		! kill -0 "$pid" 2>/dev/null || fail "the daemon $pid lives on"
	done <daemons
	rm daemons
}

# sys.null beside it: measured, whatever a busy machine makes of it. That may be two modes or a changed level, without a number for
# all of it, or three launches that do not settle.
check_good() {
	row=$(grep "^sys.null$tab" rows)
	case $(field "$row" 2)/$(field "$row" 12) in
	ok/* | noisy/* | unverified/*) return ;;
	invalid/*failed* | invalid/*crashed* | invalid/*timeout* | invalid/*left_behind* | invalid/*truncated*) ;;
	invalid/*no_steady_state*) return ;;
	esac
	fail "the good benchmark has no result: $row"
}

# check_bad STATUS REASON: REASON is a pattern of grep -E.
check_bad() {
	row=$(grep '^plugin\.' rows)
	[ "$(field "$row" 2)" = "$1" ] || fail "not $1: $row"
	printf '%s\n' "$row" | cut -f 10 | grep -Eq -e "$2" || fail "no '$2' in: $row"
	[ "$(field "$row" 3)" = - ] || fail "has a number: $row"
}

# Runs the plug-in and the good one: run EXPECTED-CODE PREFIX... -- PLUGIN ARGUMENT...
run() {
	expected=$1
	shift
	prefix=
	while [ "$1" != -- ]; do
		prefix="$prefix $1"
		shift
	done
	plugin=$2
	shift 2
	code=0
	# shellcheck disable=SC2086 # words
	KB_TEST_DAEMONS=$PWD/daemons marked timeout -k 5 100 $prefix "$KBENCH" run --plugin "./$plugin.so" 'plugin.*' sys.null \
		--processes $launches --precision 100% --budget 60s --json --no-store "$@" >json 2>err || code=$?
	[ $code -eq "$expected" ] || fail "exit code $code, not $expected: $(cat err)"
	[ ! -s err ] || fail "on standard error: $(cat err)"
	results json >rows
	check_good
	# A process may need a moment to be gone after it was killed.
	rest=$(left 2)
	[ -z "$rest" ] || fail "left behind: $rest"
	check_daemons
}

# bad REASON PLUGIN ARGUMENT...
bad() {
	reason=$1
	shift
	case="$*"
	run 5 -- "$@"
	check_bad invalid "$reason"
}

# not_loaded PATTERN PLUGIN: one line, before anything is measured.
not_loaded() {
	case=$2
	refuses 2 "$1" run --plugin "./$2.so" 'plugin.*' sys.null --no-store
}

bad 'crashed \[.*signal=11 SIGSEGV in (write_to_nowhere|op)\+0x' crashes
# Long against a launch of the good one, also on a busy machine.
bad "timeout \[.*timeout after $hang\.0 s" hangs --timeout ${hang}s
bad "timeout \[.*timeout after $hang\.0 s" hangs --timeout ${hang}s -p in=setup
bad "timeout \[.*timeout after $hang\.0 s" hangs --timeout ${hang}s -p in=later
# The daemon, with the process that started it if that has not ended yet; or, if it is not seen in time, the file that it wrote.
bad 'left_behind \[(process [01] left (1 process|2 processes) behind|the process left .*/daemons)' forks_away
bad 'left_behind \[(process [01] left (1 process|2 processes) behind|the process left .*/daemons)' forks_away -p environment=cleared
bad 'setup_failed \[.*setup: told to fail in setup: ' fails
bad 'op_failed \[.*before: told to fail in before: ' fails -p in=before
bad 'op_failed \[.*op: told to fail in op: ' fails -p in=op
bad 'check_failed \[.*check: told to fail in check: ' fails -p in=check
bad 'record_truncated \[' exits
bad 'record_truncated \[' closes_all
bad 'record_truncated \[' writes_garbage
bad 'record_truncated \[process 1: cut short: (it ended before its plan|[0-9]+ of [0-9]+ planned)' ends_plan
bad 'op_failed \[process 1, plan: asked to be skipped after set-up' skips_late
bad 'crashed \[.*killed after [0-9]+ MB of output' writes_garbage -p what=flood
bad 'op_failed \[.*the partner does not answer' dead_partner
bad 'op_failed \[.*the partner does not answer' dead_partner -p by=signal
bad 'op_failed \[.*the partner failed' dead_partner -p by=signal -p seen=no
! grep -q left_behind rows || fail "a dead partner counts as left behind"
bad 'op_failed \[.*the partners do not run at the same time' idle_partner
not_loaded 'wrong_abi.so: .*ABI' wrong_abi
not_loaded 'no_symbol.so: no symbol kb_plugin' no_symbol

# What follows ends with 0, and three launches that do not settle would be a failure.
launches=1

# Whole lines of its own on standard output are no harm.
case='writes_garbage -p what=lines'
run 0 -- writes_garbage -p what=lines
grep -q "^plugin.*${tab}unverified$tab" rows || fail "says $(cat rows)"

# One that gets on costs an interval the same looks at any length, so that they are not in the slope.
case='idle_partner -p partner=there'
run 0 -- idle_partner -p partner=there

# Neither is a proof that takes seconds, as on a busy machine: calls of those who watch over it are not the operation's.
case=slow_calls
run 0 -- slow_calls
! grep -q '^plugin.*expect_failed' rows || fail "its calls were counted wrong: $(cat rows)"
! grep -Eq "^plugin[^$tab]*$tab(skipped|invalid)$tab" rows || fail "was not measured: $(cat rows)"

# Ended with the budget, before its own time limit: too slow or hanging, nobody can tell, and there is no number.
case='hangs until the end of the budget'
code=0
marked timeout -k 5 100 "$KBENCH" run --plugin ./hangs.so 'plugin.*' -p in=later --budget 1s --json --no-store >json 2>err || code=$?
[ $code -eq 0 ] || fail "exit code $code: $(cat err)"
results json >rows
check_bad skipped not_reached

# Jobs of a shell that then becomes kbench are its children, and none of its business.
case='a job of the shell'
sh -c 'sleep 300 >/dev/null 2>&1 & echo $! >job; exec "$@"' sh "$KBENCH" run sys.null --processes 1 --precision 100% --budget 30s \
	--json --no-store >json 2>err
kill "$(cat job)" 2>/dev/null || fail "the job was killed"
results json >rows
! grep -q left_behind rows || fail "the job counts as left behind: $(cat rows)"

case=needs_two
run 0 -- needs_two --cpus "$(first_cpu)"
check_bad skipped 'need_unmet \[needs two CPUs'

case=needs_root
if [ "$(id -u)" -ne 0 ]; then
	run 0 -- needs_root
elif unshare --user true 2>/dev/null; then
	run 0 unshare --user -- needs_root
else
	echo "no user name space: what needs root is not run without root"
	exit
fi
check_bad skipped 'need_unmet \[needs root'
