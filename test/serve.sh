#!/bin/sh
# Whether kbench serve survives clients that do what none should, at length: random bytes, proofs cut off, wrong or of earlier, requests
# out of bounds, strangers' data, floods, silence (support/serve_fuzzer.py). Then those that must not be served are refused, a benchmark is
# measured, and nothing is left. Prints a sample of the server's memory, descriptors, children and threads each 15 s; the last line is
# `N passed, N failed, N skipped`; the exit code is 1 if one failed. Nothing stays, also after Ctrl-C; only the loopback is used.
# serve.sh [--build DIR] [--minutes N] [--seed N]
# Default: 10 minutes, and three more for what comes behind them. The same seed makes each thread choose the same.
set -u
usage="usage: serve.sh [--build DIR] [--minutes N] [--seed N]"
KB_SRC=$(cd "$(dirname "$0")/.." && pwd)
KB_BUILD=$KB_SRC/build minutes=10 seed=$(($(date +%s) % 1000000))
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || set -- --help --help
	case $1 in
	--build) KB_BUILD=$(cd "$2" && pwd) || exit 2 ;;
	--minutes) minutes=$2 ;;
	--seed) seed=$2 ;;
	*)
		echo "$usage" >&2
		exit 2
		;;
	esac
	shift 2
done
case $minutes:$seed in
*[!0-9]*:* | *:*[!0-9]* | :* | *: | 0*)
	echo "$usage" >&2
	exit 2
	;;
esac
KBENCH=$KB_BUILD/kbench
scratch=$(mktemp -d) && cd "$scratch" && mkdir tmp || exit 1
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/left.sh"
started=
at_end='end_all; cd / && rm -rf "$scratch"'
XDG_DATA_HOME=$scratch/data XDG_CACHE_HOME=$scratch/cache XDG_CONFIG_HOME=$scratch/config TMPDIR=$scratch/tmp
PYTHONDONTWRITEBYTECODE=1
export XDG_DATA_HOME XDG_CACHE_HOME XDG_CONFIG_HOME TMPDIR PYTHONDONTWRITEBYTECODE
unset KBENCH_TOKEN_FILE
[ -x "$KBENCH" ] || { echo "$KBENCH: there is no such program" >&2 && exit 2; }
needs python3
passed=0 failed=0

# check NAME COMMAND...: it succeeds. What it prints is shown if it does not.
check() {
	name=$1
	shift
	if "$@" >checked 2>&1; then
		passed=$((passed + 1))
		echo "PASS $name"
	else
		failed=$((failed + 1))
		head -c 4000 checked | sed 's/^/    /'
		echo "FAIL $name"
	fi
}

# start COMMAND...: behind us, and not longer than us; $last.
start() {
	"$@" &
	last=$!
	started="$started $last"
	end_with_us $last
}

ended() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"
}

# collect PID: waits for it; $code.
collect() {
	code=0
	wait "$1" 2>/dev/null || code=$?
	started=$(printf '%s\n' $started | grep -vx "$1")
}

end_all() {
	# shellcheck disable=SC2086 # ids
	kill $started 2>/dev/null
	for one in $started; do
		await 5 ended "$one" || kill -9 "$one"
	done
	wait
}

# serve NAME ARGUMENT...: a server, until it listens: $last, $port, NAME.out, NAME.err.
serve() {
	server_name=$1
	shift
	start env "$mark" "$KBENCH" serve --address 127.0.0.1 --port 0 --time $((minutes + 10))m "$@" >"$server_name.out" 2>"$server_name.err"
	await 10 grep -q '^serving at ' "$server_name.out" || fail "serve: $(cat "$server_name.out" "$server_name.err")" || exit 1
	port=$(sed -n 's/^serving at [^ ]*:\([0-9]*\) .*/\1/p' "$server_name.out")
}

# ---- fuzzed --------------------------------------------------------------------------------------------------
serve fuzzed --connections 8
server=$last fuzzed_port=$port
start timeout $((minutes * 60 + 300)) python3 "$KB_SRC/test/support/serve_fuzzer.py" "$fuzzed_port" config/kbench/token "$server" \
	$((minutes * 60)) "$seed" >fuzzer.out 2>fuzzer.err
fuzzer=$last
tail -f --pid="$fuzzer" -n +1 fuzzer.out &
tail=$!
collect "$fuzzer"
wait "$tail"
passed=$(grep -c '^PASS ' fuzzer.out) failed=$(grep -c '^FAIL ' fuzzer.out)
check "the fuzzer came to its end" sh -c "cat fuzzer.err; [ $code -eq 0 ]"

# ---- afterwards ----------------------------------------------------------------------------------------------
lives() {
	grep -q '^State:.*[RSD] (' "/proc/$server/status" && grep -q kbench "/proc/$server/cmdline"
}

few_lines() {
	wc -l <fuzzed.err
	[ "$(wc -l <fuzzed.err)" -le 20 ]
}

# refuses_us REASON PORT: the result of kbench is invalid, and one line has that reason.
refuses_us() {
	code=0
	timeout 60 "$KBENCH" run ipc.tcp_latency -p "host=127.0.0.1:$2" --processes 1 --no-store --json >out 2>err || code=$?
	cat err
	grep "refuses: " out
	[ $code -eq 5 ] && [ "$(grep -c " refuses: $1" out)" -eq 1 ]
}

wrong_token() {
	printf '%064d\n' 0 >wrong && chmod 600 wrong && KBENCH_TOKEN_FILE=$scratch/wrong refuses_us "wrong token" "$fuzzed_port"
}

too_many() {
	start python3 "$KB_SRC/test/support/serve_client.py" 127.0.0.1 "$fuzzed_port" config/kbench/token hold 60 8 >held
	holder=$last
	await 20 holds_all && refuses_us "too many connections" "$fuzzed_port"
	result=$?
	kill "$holder"
	collect "$holder"
	return $result
}

holds_all() {
	[ "$(grep -cx 0 held)" -eq 8 ]
}

measured() {
	timeout 120 "$KBENCH" run ipc.tcp_latency -p "host=127.0.0.1:$fuzzed_port" --processes 2 --precision 100% --budget 30s --no-store --json \
		>out 2>err
	code=$?
	cat err
	python3 - $code <<'END'
import json, sys
rows = json.load(open("out"))["results"]
for row in rows:
    print(row["benchmark"], row["verdict"], row["evidence"])
seen = [one["per_op"] for row in rows for one in row["evidence"] if one["counter"] == "seen"]
good = all(row["verdict"]["status"] in ("ok", "noisy") for row in rows)
raise SystemExit(sys.argv[1] != "0" or not rows or seen != [1] * len(rows) or not good)
END
}

# ends NAME PID: by SIGTERM, in its own words.
ends() {
	kill -TERM "$2" || return 1
	await 10 ended "$2" || { echo "it goes on" && kill -9 "$2"; }
	collect "$2"
	cat "$1.out"
	[ $code -eq 143 ] && grep -q '^served [0-9]* clients: ' "$1.out"
}

not_allowed() {
	refuses_us "its address is not in --allow" "$port" && cat other.err &&
		[ "$(cat other.err)" = "kbench serve: refused 127.0.0.1: its address is not in --allow" ]
}

nothing_left() {
	rest=$(left 5)
	echo "$rest"
	for one in "$fuzzed_port" "$port"; do
		grep -i ":$(printf %04X "$one") 00000000:0000 0A" /proc/net/tcp && rest="port $one"
	done
	[ -z "$rest" ]
}

check "the server lives" lives
check "at most 20 lines of refusals: $(wc -l <fuzzed.err)" few_lines
check "a wrong token is refused" wrong_token
check "too many connections are refused" too_many
check "a benchmark is measured" measured
serve other --allow 192.0.2.1
check "another address is refused, and told once" not_allowed
check "SIGTERM ends it" ends fuzzed "$server"
check "SIGTERM ends the other" ends other "$last"
check "nothing is left" nothing_left
sed 's/^/    /' fuzzed.out
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
