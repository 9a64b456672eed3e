#!/bin/sh
# kbench fleet --via ssh, over an sshd of its own: hosts that cannot be reached are lost and named, words arrive as they were typed, nothing
# is left on the nodes, and another kbench gathers what the first one left when it was killed.
# runs: full, 16 s
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/sshd.sh"
needs_sshd
XDG_STATE_HOME=$PWD/state
export XDG_STATE_HOME
at_end=stop_sshd
start_sshd "$work/sshd" || exit 1
KBENCH_SSH="ssh -F $work/sshd/config"
export KBENCH_SSH

# nodes: "RANK NODE STATE" of each in out.
nodes() {
	awk -F'"' '/"node":/ { node = $4 } /"rank":/ { rank = $3; gsub(/[^0-9]/, "", rank) } /"state":/ { print rank, node, $4 }' out
}
# The nodes are this machine, and their TMPDIR is not the test's, for sshd hands it on to nobody.
left_there() {
	ls -d "/tmp/kbench-fleet-$1"* 2>/dev/null
}
nothing_left() {
	[ "$("$KBENCH" fleet)" = "no fleet is to be gathered" ] || fail "$("$KBENCH" fleet)"
	[ -z "$(left_there "$1")" ] || fail "left on the nodes: $(left_there "$1")"
}

printf 'a # the first\n\ngone\n' >hosts
gives 5 fleet run --via ssh --hosts b --hosts-file hosts --kbench "$KBENCH" --store fleet.db --json -- sys.null --processes 1 --precision 100% \
	--budget 1s --label "it's \"a\" \$(label)"
[ "$(nodes)" = "0 b done
1 a done
2 gone lost" ] || fail "nodes: $(printed)"
says '"reason": "cannot be reached: ssh: connect to host'
says '^kbench fleet run: gone, rank 2 lost: cannot be reached'
fleet_id=$(sed -n 's/^  "id": "\(.*\)",/\1/p' out)
nothing_left "$fleet_id"
gives 0 runs --store fleet.db
says "it's \"a\" \\\$\(label\), node b, rank 0 of 3\$"

# A host whose key is not known is not asked about: rules of host keys are the user's.
sed '/UserKnownHostsFile/d; /StrictHostKeyChecking/d' sshd/config >sshd/strange
gives 5 fleet run --via ssh --ssh "ssh -F $work/sshd/strange -o UserKnownHostsFile=/dev/null" --hosts a --kbench "$KBENCH" --store fleet.db --json -- sys.null
says '"reason": "cannot be reached: .*Host key verification failed'

# One clear line where there is no kbench, or another version.
gives 5 fleet run --via ssh --hosts a --kbench "/no t'here/kbench" --store fleet.db --json -- sys.null
says "\"reason\": \"no /no t'here/kbench there\""
gives 5 fleet run --via ssh --hosts a --kbench /bin/true --store fleet.db --json -- sys.null
says "true --version. prints .* there, .kbench .* is needed"

# Cancelled by a signal: what was measured is kept, and nothing goes on there.
"$KBENCH" fleet run --via ssh --hosts a,b --kbench "$KBENCH" --store signal.db --json -- sys.null --processes 900 --precision 0.001% --budget 60s \
	>out 2>err &
fleet_pid=$!
await 15 sh -c '[ "$(ls /tmp/kbench-fleet-$(ls state/kbench/fleet)-[01]/kbench.db 2>/dev/null | wc -l)" -eq 2 ]' || fail "no nodes: $(cat err)"
fleet_id=$(ls state/kbench/fleet)
pids=$(cat /tmp/kbench-fleet-"$fleet_id"-[01]/pid)
await 20 measuring /tmp/kbench-fleet-"$fleet_id"-[01]/kbench.db || fail "nodes that measure nothing: $(cat err)"
sleep 0.5
kill -TERM $fleet_pid
code=0
wait $fleet_pid || code=$?
[ $code -eq 143 ] || fail "exit code $code after SIGTERM: $(printed)"
[ "$(grep -c '"reason": "cancelled"' out)" -eq 2 ] || fail "not cancelled: $(printed)"
[ "$("$KBENCH" runs --store signal.db --json | grep -c '"state": "finished"')" -eq 2 ] || fail "runs: $("$KBENCH" runs --store signal.db)"
for pid in $pids; do
	[ ! -d "/proc/$pid" ] || fail "process $pid is still there"
done
nothing_left "$fleet_id"

# Killed: the nodes measure on.
"$KBENCH" fleet run --via ssh --hosts a,b --kbench "$KBENCH" --store killed.db -- sys.null --processes 900 --precision 0.001% --budget 2s >out 2>err &
fleet_pid=$!
await 15 sh -c '[ "$(ls /tmp/kbench-fleet-$(ls state/kbench/fleet)-[01]/kbench.db 2>/dev/null | wc -l)" -eq 2 ]' || fail "no nodes: $(cat err)"
fleet_id=$(ls state/kbench/fleet)
kill -9 $fleet_pid
wait $fleet_pid 2>/dev/null
gives 0 fleet gather "$fleet_id" --json
[ "$(nodes)" = "0 a done
1 b done" ] || fail "nodes: $(printed)"
[ "$("$KBENCH" runs --store killed.db --json | grep -c '"state": "finished"')" -eq 2 ] || fail "runs: $("$KBENCH" runs --store killed.db)"
nothing_left "$fleet_id"

# ---- doc/fleet.md --------------------------------------------------------------------------------------------

PATH=${KBENCH%/*}:$PATH
listings sh fleet.md 'Over ssh' >commands
[ "$(grep -c '^kbench' commands)" -ge 1 ] || fail "no commands in doc/fleet.md: $(cat commands)"
sh -eu commands >out 2>err || fail "the commands of doc/fleet.md, Over ssh: $(printed)"
says '3 of 3 nodes done'
