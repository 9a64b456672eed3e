#!/bin/sh
# kbench serve and benchmarks with host=, between two network namespaces: each benchmark is proven by both sides; a delay of the link is in the
# number and a loss is told; who must not be served is told why in one line; nothing is left.
# runs: slow, 50 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/networks.sh"
machines "$0"
connect_machines
XDG_CONFIG_HOME=$PWD/config
export XDG_CONFIG_HOME
unset KBENCH_TOKEN_FILE
# Two machines share no CPU: each message would wake the server where the client runs, which preempts every sample.
ours=$(first_cpu) theirs=$(taskset -cp $$ | sed 's/.*[-, ]//')
[ "$ours" != "$theirs" ] || skip "two machines need two CPUs"

# serve ARGUMENT...: on the other machine, until it listens; $server, serve.out, serve.err.
serve() {
	: >serve.out
	# A shell lets what runs in the background ignore SIGINT.
	(exec nsenter -t "$other" -n -- env --default-signal=INT taskset -c "$theirs" "$KBENCH" serve "$@") >serve.out 2>serve.err &
	server=$!
	await 10 grep -q '^serving at ' serve.out || fail "serve $*: $(cat serve.out serve.err)"
}

# stop [CODE [SIGNAL]]: it ends so, in its own time or by a signal.
stop() {
	[ -z "${2:-}" ] || kill "-$2" "$server"
	code=0
	wait "$server" || code=$?
	server=
	[ $code -eq "${1:-0}" ] || fail "serve ends with $code: $(cat serve.out serve.err)"
}

# measures BENCHMARK ARGUMENT...: one process each; out. On a busy machine an acknowledgement comes late, and a segment is sent again that was not
# lost: that refutes the sample, which is right. Or other work preempts all samples of a benchmark, which has no number then. All is measured
# anew, twice at most.
measures() {
	for try in 1 2 3; do
		code=0
		timeout 60 "$KBENCH" run "$@" --cpus "$ours" --processes 1 --precision 100% --budget 30s --no-store --json >out 2>err || code=$?
		grep -q ' samples: segments were sent again: \|"code": "too_few_effective"' out || break
	done
	[ $code -eq 0 ] || fail "run $*: exit code $code, $try times: $(cat err; results out)"
}

# fails_so PATTERN BENCHMARK ARGUMENT...: the result is invalid, with that reason, and the exit code is 5.
fails_so() {
	pattern=$1
	shift
	code=0
	timeout 60 "$KBENCH" run "$@" --no-store --json --processes 1 >out 2>err || code=$?
	[ $code -eq 5 ] || fail "run $*: exit code $code: $(printed)"
	grep -Eq '"status": "invalid"' out && grep -Eq -- "$pattern" out || fail "run $*: no '$pattern' in $(grep '"detail"\|"status"' out)"
}

# ---- every benchmark, both versions of IP ---------------------------------------------------------------

case=benchmarks
serve --address 10.77.0.2 --port 7400 --time 10m
[ "$(stat -c %a config/kbench/token)" = 600 ] || fail "the token file has mode $(stat -c %a config/kbench/token)"
grep -q ' token in .*/config/kbench/token (new)$' serve.out || fail "$(cat serve.out)"
all="ipc.tcp_latency ipc.udp_latency ipc.tcp_bw ipc.udp_bw net.tcp_connect"
# shellcheck disable=SC2086 # words
measures $all -p host=10.77.0.2:7400
python3 - <<'END' || fail "see above"
import json

rows = json.load(open("out"))["results"]
problems = []
if len(rows) != 9:
    problems.append("%d results, not 9" % len(rows))
for row in rows:
    name = "%s %s" % (row["benchmark"], row["params"])
    if row["verdict"]["status"] not in ("ok", "noisy"):
        problems.append("%s: %s" % (name, row["verdict"]))
    if row["params"]["host"] != "10.77.0.2:7400" or "placement" in row["params"]:
        problems.append("%s: the name does not tell the host" % name)
    if not any(reason["code"] == "partner_not_probed" and reason["evidence"].startswith("on another machine") for reason in row["verdict"]["reasons"]):
        problems.append("%s: does not tell of the other machine" % name)
    evidence = {one["counter"]: one for one in row["evidence"]}
    if evidence["seen"]["per_op"] != 1:
        problems.append("%s: %s" % (name, evidence["seen"]))
    if "latency" in name and not (evidence["syscalls"]["per_op"] == 2 and evidence["switches"]["ok"]):
        problems.append("%s: %s" % (name, evidence))
print("\n".join(problems))
raise SystemExit(bool(problems))
END
# The token is in nothing that was printed or kept, and what the server counted is in the record.
token=$(cat config/kbench/token)
"$KBENCH" run ipc.tcp_latency -p host=10.77.0.2:7400 --processes 1 --budget 2s >out 2>err || fail "$(cat out err)"
grep -q '10\.77\.0\.2:7400' out || fail "the table does not tell the host: $(cat out)"
! grep -Fq "$token" out err serve.out serve.err || fail "the token was printed"
! grep -rFq "$token" "$XDG_DATA_HOME" || fail "the token is in the store"
stop 130 INT
grep -Eq '^served [0-9]+ clients: [0-9]+ messages of [0-9]+ bytes, [0-9]+ connections; 0 refused$' serve.out || fail "$(cat serve.out)"
[ ! -s serve.err ] || fail "$(cat serve.err)"

case='IPv6'
serve --address fd77::2 --port 7400
measures ipc.tcp_latency ipc.udp_latency -p 'host=[fd77::2]:7400'
[ "$(grep -c '"status": "\(ok\|noisy\)"' out)" -eq 2 ] || fail "$(grep '"status"\|"detail"' out)"
stop 143 TERM

# ---- who is not served ----------------------------------------------------------------------------------

case='no server'
fails_so 'no kbench serve at 10.77.0.2:7400: Connection refused' ipc.tcp_latency -p host=10.77.0.2:7400
fails_so 'host=no\.such\.host\.invalid: ' ipc.tcp_latency -p host=no.such.host.invalid

case='wrong token'
serve --address 10.77.0.2 --port 7400 --allow 10.77.0.0/24,10.78.0.0/24
printf '%064d\n' 0 >wrong && chmod 600 wrong
KBENCH_TOKEN_FILE=$PWD/wrong fails_so 'kbench serve at 10.77.0.2:7400 refuses: wrong token' net.tcp_connect -p host=10.77.0.2:7400 -p part=connect
[ "$(cat serve.err)" = "kbench serve: refused 10.77.0.1: wrong token" ] || fail "$(cat serve.err)"
chmod 644 wrong
KBENCH_TOKEN_FILE=$PWD/wrong fails_so 'wrong: others may read or write it; make it private: chmod 600' ipc.tcp_latency -p host=10.77.0.2:7400
KBENCH_TOKEN_FILE=$PWD/none fails_so 'none: No such file or directory; copy the one' ipc.tcp_latency -p host=10.77.0.2:7400

# No other address of that machine is served.
case='another address'
fails_so 'no kbench serve at 10.77.0.3:7400: Connection refused' ipc.tcp_latency -p host=10.77.0.3:7400

case='the server is killed'
"$KBENCH" run ipc.tcp_latency -p host=10.77.0.2:7400 --precision 0.001% --budget 20s --no-store --json >out 2>err &
client=$!
sleep 1
kill -9 "$server"
code=0
wait $client || code=$?
[ $code -eq 5 ] && grep -Eq 'the partner is gone|ended the connection|no kbench serve at' out || fail "exit code $code: $(printed)"
wait "$server" || :

case='not in --allow'
serve --address 10.77.0.2 --port 7400 --allow 192.0.2.1 --time 3s
fails_so 'refuses: its address is not in --allow' ipc.tcp_latency -p host=10.77.0.2:7400
stop 0
[ "$(cat serve.err)" = "kbench serve: refused 10.77.0.1: its address is not in --allow" ] || fail "$(cat serve.err)"
grep -q '^  1: its address is not in --allow$' serve.out || fail "$(cat serve.out)"

case='too many'
serve --address 10.77.0.2 --port 7400 --connections 1
python3 "$KB_SRC/test/support/serve_client.py" 10.77.0.2 7400 config/kbench/token hold 60 >first &
client=$!
await 10 grep -q '^0$' first || fail "not served: $(cat first)"
fails_so 'refuses: too many connections' ipc.udp_latency -p host=10.77.0.2:7400
kill $client
stop 130 INT

# ---- a link that takes time, and one that loses ---------------------------------------------------------

case='5 ms each way'
relayed 5 || skip "the link with a relay cannot be made: what came before it passed"
serve --address 10.78.0.2 --port 7400
measures ipc.tcp_latency ipc.udp_latency net.tcp_connect -p part=connect -p host=10.78.0.2:7400
results out >rows
awk -F '\t' '!($3 >= 10e6 && $3 < 100e6) || $2 == "invalid" { print; bad = 1 } END { exit bad || NR != 3 }' rows || fail "$(cat rows)"

case='a link that loses'
relayed 1 20
code=0
timeout 60 "$KBENCH" run ipc.tcp_latency -p bytes=1000 -p host=10.78.0.2:7400 --processes 1 --precision 100% --budget 20s --no-store --json >out 2>err || code=$?
grep -q 'segments were sent again: ' out && grep -q '"status": "invalid"' out || fail "exit code $code: $(grep '"status"\|"detail"' out)"
fails_so 'a message is lost: nothing came for seconds' ipc.udp_latency -p bytes=1000 -p host=10.78.0.2:7400
stop 130 INT

# ---- nothing is left ------------------------------------------------------------------------------------

case='what is left'
! ps -e -o args= | grep "[k]bench" || fail "processes are left"
