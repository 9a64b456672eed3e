#!/bin/sh
# kbench fleet --via local: each node's run is in the store with its place, one that is lost is named and costs its own results only, a
# signal keeps what was measured, and another kbench gathers what the first one left when it was killed. Wrong words start nothing.
# runs: full, 15 s
set -u
. "$KB_SRC/test/support/check.sh"
XDG_STATE_HOME=$PWD/state
export XDG_STATE_HOME
short="--processes 1 --precision 100% --budget 1s"
endless="--processes 900 --precision 0.001% --budget 60s"

# fleet CODE NODES WORDS...: on this machine, into fleet.db; out is the document.
fleet() {
	fleet_code=$1 fleet_nodes=$2
	shift 2
	gives "$fleet_code" fleet run --via local --nodes "$fleet_nodes" --store fleet.db --json "$@"
}
# nodes: "RANK NODE STATE" of each in out.
nodes() {
	awk -F'"' '/"node":/ { node = $4 } /"rank":/ { rank = $3; gsub(/[^0-9]/, "", rank) } /"state":/ { print rank, node, $4 }' "${1:-out}"
}
nothing_left() {
	[ "$("$KBENCH" fleet)" = "no fleet is to be gathered" ] || fail "$("$KBENCH" fleet)"
	[ -z "$(find state -type f 2>/dev/null)" ] || fail "left: $(find state -type f)"
}
# The processes of the nodes, by the directory that they work in.
node_pids() {
	cat state/kbench/fleet/*/r*/pid 2>/dev/null
}
# waiting_id: of the one fleet that is to be gathered.
waiting_id() {
	"$KBENCH" fleet --json | sed -n 's/.*"id": "\(.*\)".*/\1/p'
}

# ---- wrong words: one line, and nothing is made ------------------------------------------------------------

refuses 2 'missing subcommand|no subcommand' fleet start
refuses 2 '--via is needed' fleet run --nodes 2 sys.null
refuses 2 '--nodes is needed' fleet run --via local
refuses 2 '--hosts is not for --via local' fleet run --via local --nodes 1 --hosts a
refuses 2 '--partition is not for --via ssh' fleet run --via ssh --hosts a --partition p
refuses 2 '--hosts or --hosts-file is needed' fleet run --via ssh
refuses 2 "host 'a' stands there twice" fleet run --via ssh --hosts a,b,a
refuses 2 "'-x' is no name of a host" fleet run --via ssh --hosts=-x
refuses 2 "'--store' is not for the nodes: type it before '--'" fleet run --via local --nodes 1 -- sys.null --store x
refuses 2 "kbench run: unknown option '--proceses'" fleet run --via local --nodes 1 -- sys.null --proceses 1
refuses 2 "kbench run: --budget 'x'" fleet run --via local --nodes 1 -- sys.null --budget x
refuses 2 "kbench ab: unknown option '--parallel'" fleet run --via local --nodes 1 --interleave "$KBENCH" "$KBENCH" -- --parallel 1
refuses 2 '--kbench .*No such file' fleet run --via local --nodes 1 --kbench ./none
refuses 2 'no fleet .* is to be gathered' fleet gather 01
KBENCH_FLEET="id=x rank=1 of=1 via=ssh" "$KBENCH" run sys.null --no-store >out 2>err && fail "a wrong KBENCH_FLEET was taken"
says '^kbench run: KBENCH_FLEET: id, via, of, and a rank below it are needed'
mkdir full
[ "$(id -u)" -eq 0 ] || { chmod 0555 full; refuses 2 'full' fleet run --via local --nodes 1 --store full/x.db sys.null; }
nothing_left

# ---- all is well ---------------------------------------------------------------------------------------------

# shellcheck disable=SC2086 # words
fleet 0 3 sys.null -- $short --label "it's \$(one) \"label\""
[ "$(nodes)" = "0 local-0 done
1 local-1 done
2 local-2 done" ] || fail "nodes: $(cat out)"
grep -q '"schema": "kbench-fleet-run/1"' out && grep -q '"to_gather": false' out || fail "the document: $(cat out)"
fleet_id=$(sed -n 's/^  "id": "\(.*\)",/\1/p' out)
gives 0 runs --store fleet.db --json
[ "$(grep -c "\"id\": \"$fleet_id\"" out)" -eq 3 ] || fail "not three runs of fleet $fleet_id: $(cat out)"
for rank in 0 1 2; do
	grep -A5 '"fleet": {' out | grep -A2 "\"node\": \"local-$rank\"" | grep -q "\"rank\": $rank" || fail "no rank $rank: $(cat out)"
done
gives 0 runs --store fleet.db
says "it's \\\$\(one\) \"label\", node local-1, rank 1 of 3\$"
gives 0 show --store fleet.db
says "^node local-2, rank 2 of 3, fleet $fleet_id\$"
nothing_left

# ---- a node is refused, is killed, runs out of time -------------------------------------------------------------

# shellcheck disable=SC2086
fleet 2 2 -- sys.none $short
says '"reason": "kbench run: no benchmark .sys.none.'
printf '#!/bin/sh\necho kbench 0.0.1\n' >old
chmod +x old
fleet 5 1 --kbench ./old -- sys.null
says "old --version. prints .kbench 0.0.1. there, .kbench [^ ]*. is needed"
nothing_left

# A limit on the size of files stands for a disk that becomes full: why its run is not there, not that it is not.
printf '#!/bin/sh\n[ "$1" = --version ] || { trap "" XFSZ; ulimit -f 20; }\nexec "%s" "$@"\n' "$KBENCH" >limited
chmod +x limited
# shellcheck disable=SC2086
fleet 2 1 --kbench ./limited -- sys.null $short
says '"reason": "kbench run: .*File too large'
nothing_left

# shellcheck disable=SC2086
"$KBENCH" fleet run --via local --nodes 2 --share --store lost.db --json -- sys.null --budget 2s --processes 900 --precision 0.001% >out 2>err &
fleet_pid=$!
await 10 sh -c '[ "$(ls state/kbench/fleet/*/r*/kbench.db 2>/dev/null | wc -l)" -eq 2 ]' || fail "no nodes: $(cat err)"
kill -9 "-$(cat state/kbench/fleet/*/r1/pid)"
code=0
wait $fleet_pid || code=$?
[ $code -eq 5 ] || fail "exit code $code with a node killed: $(printed)"
[ "$(nodes)" = "0 local-0 done
1 local-1 lost" ] || fail "nodes: $(cat out)"
says '"reason": "its process was killed by signal 9"'
says '^kbench fleet run: local-1, rank 1 lost: its process was killed'
nothing_left

# Its shell alone is killed: what that started is ended and saves what it has, before the directory goes.
# shellcheck disable=SC2086
"$KBENCH" fleet run --via local --nodes 1 --store alone.db --json -- sys.null $endless >out 2>err &
fleet_pid=$!
await 10 sh -c '"$KBENCH" runs --store state/kbench/fleet/*/r0/kbench.db 2>/dev/null | grep -q " 1 "' || fail "no node: $(cat err)"
kill -9 "$(cat state/kbench/fleet/*/r0/pid)"
code=0
wait $fleet_pid || code=$?
[ $code -eq 5 ] && says '"reason": "its process was killed by signal 9"' || fail "exit code $code with its shell killed: $(printed)"
[ "$("$KBENCH" runs --store alone.db --json | grep -c '"state": "finished"')" -eq 1 ] || fail "runs: $("$KBENCH" runs --store alone.db)"
nothing_left

# One that is killed while it makes its store is lost for that reason, and for no other.
# shellcheck disable=SC2086
"$KBENCH" fleet run --via local --nodes 1 --store lost.db --json -- sys.null $endless >out 2>err &
fleet_pid=$!
await 10 sh -c '[ -s "$(ls state/kbench/fleet/*/r0/kbench.db 2>/dev/null)" ]' || fail "no node: $(cat err)"
kill -STOP $fleet_pid
kill -9 "-$(cat state/kbench/fleet/*/r0/pid)"
sleep 0.1
rm -f state/kbench/fleet/*/r0/kbench.db*
: >"$(echo state/kbench/fleet/*/r0)/kbench.db"
kill -CONT $fleet_pid
code=0
wait $fleet_pid || code=$?
[ $code -eq 5 ] && says '"reason": "its process was killed by signal 9"' || fail "exit code $code with an empty store: $(printed)"
nothing_left

# shellcheck disable=SC2086
fleet 5 1 --time 1s -- sys.null $endless
says '"reason": "time limit"'
# shellcheck disable=SC2086
fleet 5 2 --budget 1s -- sys.null $endless
says '"reason": "cancelled, as the budget was used up"'
says '"reason": "cancelled, as the budget was used up before it began"'
nothing_left

# ---- a signal, and a kill ------------------------------------------------------------------------------------

# shellcheck disable=SC2086
"$KBENCH" fleet run --via local --nodes 3 --share --store signal.db -- sys.null $endless >out 2>err &
fleet_pid=$!
await 10 sh -c '[ "$(ls state/kbench/fleet/*/r*/kbench.db 2>/dev/null | wc -l)" -eq 3 ]' || fail "no nodes: $(cat err)"
await 20 measuring state/kbench/fleet/*/r*/kbench.db || fail "nodes that measure nothing: $(cat err)"
sleep 0.5
pids=$(node_pids)
kill -TERM $fleet_pid
code=0
wait $fleet_pid || code=$?
[ $code -eq 143 ] || fail "exit code $code after SIGTERM: $(printed)"
says '0 of 3 nodes done, stopped by signal 15'
[ "$("$KBENCH" runs --store signal.db --json | grep -c '"state": "finished"')" -eq 3 ] || fail "runs: $("$KBENCH" runs --store signal.db)"
for pid in $pids; do
	[ ! -d "/proc/$pid" ] || fail "process $pid is still there"
done
nothing_left

"$KBENCH" fleet run --via local --nodes 2 --share --store killed.db -- sys.null --budget 6s --processes 900 --precision 0.001% >out 2>err &
fleet_pid=$!
await 10 sh -c '[ "$(ls state/kbench/fleet/*/r*/kbench.db 2>/dev/null | wc -l)" -eq 2 ]' || fail "no nodes: $(cat err)"
refuses 2 'another kbench is gathering it' fleet gather "$(waiting_id)"
kill -9 $fleet_pid
wait $fleet_pid 2>/dev/null
gives 0 fleet
says "^$(waiting_id) +[0-9TZ:-]+ +local +- +2\$"
gives 0 fleet gather "$(waiting_id)" --json
[ "$(nodes | grep -c done)" -eq 2 ] || fail "gathered: $(cat out)"
[ "$("$KBENCH" runs --store killed.db --json | grep -c '"state": "finished"')" -eq 2 ] || fail "runs: $("$KBENCH" runs --store killed.db)"
nothing_left

# ---- CPUs and allocations -----------------------------------------------------------------------------------

# What a scheduler gives is what is used: the affinity mask, which the kernel keeps within the control group's CPUs.
# shellcheck disable=SC2086
SLURM_JOB_ID=7 SLURMD_NODENAME=n9 SLURM_PROCID=1 SLURM_NTASKS=2 taskset -c "$(first_cpu)" "$KBENCH" run sys.null $short --store cpu.db >/dev/null ||
	fail "run on one CPU"
gives 0 show --store cpu.db --json
tr -d ' \n' <out | grep -q "\"cpus\":\[$(first_cpu),$(first_cpu)\]" || fail "other CPUs than $(first_cpu): $(grep -A3 '"cpus"' out)"
tr -d ' \n' <out | grep -q '"allocation":{"node":"n9","rank":1,"of":2,"via":"slurm","job":"7"}' || fail "no allocation: $(cat out)"

# ---- doc/fleet.md --------------------------------------------------------------------------------------------

PATH=${KBENCH%/*}:$PATH
listings sh fleet.md 'Try it here' >commands
[ "$(grep -c '^kbench' commands)" -ge 3 ] || fail "no commands in doc/fleet.md: $(cat commands)"
sh -eu commands >out 2>err || fail "the commands of doc/fleet.md, Try it here: $(printed)"
says '^node local-1, rank 1 of 2, fleet '
listings sh fleet.md 'Two versions' >commands
mkdir A B
for side in A B; do
	ln -s "$KBENCH" "$KB_COLLECT" $side/
done
sh -eu commands >out 2>err || fail "the commands of doc/fleet.md, Two versions: $(printed)"
says '2 of 2 nodes done'
gives 0 runs --json
[ "$(grep -c '"side": "a"' out)" -eq 4 ] && [ "$(grep -c '"side": "b"' out)" -eq 4 ] || fail "no sides: $(cat out)"
nothing_left
