#!/bin/sh
# kbench fleet --via slurm, on a cluster of its own: a task a node, each with its place; a task that is cancelled, or whose node dies, is lost and
# named; Ctrl-C empties the queue and keeps what was finished; another kbench gathers what the first one left when it was killed.
# runs: full, 25 s
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/slurm.sh"
needs_slurm
XDG_STATE_HOME=$PWD/state
export XDG_STATE_HOME
at_end=stop_slurm
start_slurm "$work/slurm" 4 || exit 1
mkdir shared

# nodes: "RANK NODE STATE" of each in out.
nodes() {
	awk -F'"' '/"node":/ { node = $4 } /"rank":/ { rank = $3; gsub(/[^0-9]/, "", rank) } /"state":/ { print rank, node, $4 }' out
}
# start WORDS...: in the background, until all of its nodes run.
start() {
	"$KBENCH" fleet run --via slurm --time 2m --directory shared "$@" >out 2>err &
	fleet_pid=$!
}
running() {
	[ "$(squeue -h -r -t R 2>/dev/null | wc -l)" -eq "$1" ]
}
ended() {
	code=0
	wait $fleet_pid || code=$?
	[ $code -eq "$1" ] || fail "exit code $code, not $1: $(printed)"
}
nothing_left() {
	[ "$("$KBENCH" fleet)" = "no fleet is to be gathered" ] || fail "$("$KBENCH" fleet)"
	[ -z "$(ls shared)" ] || fail "left: $(ls -R shared)"
	[ -z "$(squeue -h)" ] || fail "left in the queue: $(squeue)"
}

# Four nodes, a rank each.
gives 0 fleet run --via slurm --nodes 4 --time 2m --directory shared --store fleet.db --json -- sys.null --processes 1 --precision 100% --budget 1s
[ "$(nodes | cut -d ' ' -f 1,3)" = "0 done
1 done
2 done
3 done" ] && [ "$(nodes | cut -d ' ' -f 2 | sort | xargs)" = "n1 n2 n3 n4" ] || fail "nodes: $(printed)"
gives 0 runs --store fleet.db --json
[ "$(tr -d ' \n' <out | grep -o '"node":"n[1-4]","rank":[0-3],"of":4,"via":"slurm","job":"[0-9]*"' | sort -u | wc -l)" -eq 4 ] ||
	fail "places: $(grep -A7 '"fleet"' out)"
nothing_left

# ---- doc/fleet.md --------------------------------------------------------------------------------------------

PATH=${KBENCH%/*}:$PATH
listings sh fleet.md 'On Slurm' >commands
[ "$(grep -c '^kbench' commands)" -ge 2 ] || fail "no commands in doc/fleet.md: $(cat commands)"
(cd shared && sh -eu ../commands) >out 2>err || fail "the commands of doc/fleet.md, On Slurm: $(printed)"
says '4 of 4 nodes done'
says '2 of 2 nodes done'
nothing_left

# ---- what goes wrong -----------------------------------------------------------------------------------------

# One task is cancelled, and one node dies with all that ran on it: only those two are lost.
start --nodes 4 --store lost.db --json -- sys.null --processes 900 --precision 0.001% --budget 8s
await 15 running 4 || fail "four tasks do not run: $(cat err; squeue -r)"
sleep 1
job=$(squeue -h -o %F | head -n 1)
scancel "${job}_1"
dead=$(squeue -h -r -j "$job" -o '%K %N' | sed -n 's/^2 n//p')
eval "slurmd=\$slurmd_$dead"
# shellcheck disable=SC2046,SC2086 # numbers
kill -9 $slurmd $(slurm_children $(slurm_steps "n$dead"))
scontrol update "nodename=n$dead" state=down reason=test
ended 5
[ "$(nodes | cut -d ' ' -f 1,3)" = "0 done
1 lost
2 lost
3 done" ] || fail "nodes: $(printed)"
says '"reason": "cancelled"'
says '"reason": "the node failed"'
says "^kbench fleet run: n$dead, rank 2 lost: the node failed"
[ "$("$KBENCH" runs --store lost.db --json | grep -c '"state": "finished"')" -ge 2 ] || fail "runs: $("$KBENCH" runs --store lost.db)"
nothing_left

# Ctrl-C: three nodes are left, and a fourth task waits for one.
start --nodes 4 --store signal.db --json -- sys.null --processes 900 --precision 0.001% --budget 60s
await 15 running 3 || fail "three tasks do not run: $(cat err; squeue -r)"
sleep 4
kill -TERM $fleet_pid
ended 143
says '^kbench fleet run: .* 1 waiting \([A-Z][A-Za-z]*\)'
[ "$(nodes | grep -c lost)" -eq 4 ] && says '"reason": "cancelled"' || fail "not cancelled: $(printed)"
# On a busy machine some had not begun to measure.
[ "$("$KBENCH" runs --store signal.db --json | grep -c '"state": "finished"')" -ge 1 ] || fail "runs: $("$KBENCH" runs --store signal.db)"
nothing_left

# Killed: the tasks go on.
start --nodes 3 --store killed.db -- sys.null --processes 900 --precision 0.001% --budget 2s
await 15 running 3 || fail "three tasks do not run: $(cat err; squeue -r)"
kill -9 $fleet_pid
wait $fleet_pid 2>/dev/null
# As if it had been killed before it knew the number of its job.
sed -i 's/"job":"[0-9]*"/"job":""/' state/kbench/fleet/*/fleet.json
gives 0 fleet --json
gives 0 fleet gather "$(sed -n 's/.*"id": "\(.*\)".*/\1/p' out)" --json
[ "$(nodes | grep -c done)" -eq 3 ] || fail "nodes: $(printed)"
nothing_left

# What Slurm refuses, and without Slurm.
refuses 2 'sbatch: error: .*partition' fleet run --via slurm --nodes 1 --partition nowhere --directory shared --store fleet.db -- sys.null
refuses 2 "directory 'none'" fleet run --via slurm --nodes 1 --directory none -- sys.null
nothing_left
