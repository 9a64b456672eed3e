#!/bin/sh
# kbench history --fleet and compare --fleet on fleets with known answers: a change is found in its place and only there, a node that is missing, new
# or sick is none; nodes are compared with themselves, which finds what fleets as wholes do not show; what is refused. On a file, and on a server.
# runs: 8 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/postgres.sh"
. "$KB_SRC/test/support/store_program.sh"
needs python3
store_program fleet_line || fail "fleet_line does not compile"
./fleet_line line.db line
./fleet_line fleets.db

# history BENCH...: text, of the line alone; compare FLEET...: text.
history() {
	gives 0 history --fleet --store line.db "$@"
}
compare() {
	compare_code=$1
	shift
	gives "$compare_code" compare --fleet --store fleets.db "$@"
}
# changes: before which fleets a level begins.
changes() {
	awk '/---- new level/ { level = $4; next } level { printf "%s %s ", $3, level; level = "" }' out
}

case="a change in its place"
history sys.null
changes >at
grep -Eqx 'f07 \+(2\.[89]|3\.[01])[0-9] ' at || fail "levels begin at $(cat at)"
says '^  2026-09-21 14:23:20  f01 +119 (±|\+-)[0-9.]+ ns/call +6 +4\.[0-9] % +-  c0000001$'
says '^  fleets differ by 0\.[0-9]+ % \(sd\) beyond what their nodes show'

case="nodes that come, go and are sick"
says '^.*  f04 .* 5 +[0-9.]+ % +[+-]0\.[0-2][0-9] %  5 of 6 nodes  c'
says '^.*  f05 .* 6 +[0-9.]+ % +[+-]0\.[0-2][0-9] %  5 of 5 nodes, 1 new  c'
says '^.*  f09 +12[23] .* [+-]0\.[0-3][0-9] %  1 deviates  c'
says '^.*  f11 .*  5 of 6 nodes, 1 new  c'
for other in sys.stat cpu.op_latency proc.fork_exit; do
	history $other
	[ "$(changes)" = '' ] || fail "$other changes at $(changes)"
done

case="limit, label, environment and node"
history sys.null --limit 3
[ "$(grep -c 'ns/call' out)" -eq 3 ] && says '  f10 ' && says '  f12 ' || fail "not the newest three: $(cat out)"
gives 0 history sys.null --fleet --store fleets.db --label before
[ "$(grep -c 'ns/call' out)" -eq 1 ] && says '  even-1 .* before$' || fail "other fleets: $(cat out)"
gives 0 history sys.null --fleet --store fleets.db --env '*bb'
says '^sys.null, environment ID 00000000000000bb$'
says '  kernel .* 6 ' && says '  half-kernel .* 3 '
# The newest fleets have none of it: older ones are looked at, and no more of them shown than were asked for.
gives 0 history sys.null --fleet --store fleets.db --env '*bb' --limit 1
[ "$(grep -c 'ns/call' out)" -eq 1 ] && says '  half-kernel ' || fail "not the newest one: $(cat out)"
# Its newest fleet is no older for being of another machine, and the sides of an interleaved one are no points.
gives 0 history cpu.op_latency --fleet --store fleets.db --env '*'
says '  old .* 3 ' && ! grep -q '  sides ' out || fail "sides in a history, or nothing of the old machine"
says '  two-1 +- .*fewer than 3 nodes'
history sys.null --node n3
changes >at
grep -Eqx 'f07 \+[23]\.[0-9]* ' at && says '  f04 .* 1 +- ' || fail "n3 changes at $(cat at)"
gives 0 history sys.null --node n7 --store fleets.db
[ "$(grep -c 'ns/call' out)" -eq 1 ] || fail "n7 measured once: $(cat out)"
# Runs of no fleet state no node.
gives 0 history sys.null --store line.db
says ' 2[0-9][0-9].* ns/call|ns/call'

case="JSON of a history"
"$KBENCH" history sys.null --fleet --json --store line.db >history.json || fail "--json: exit code $?"
python3 - <<'END_OF_PYTHON' || fail "JSON"
import json
history = json.load(open("history.json"))
assert history["schema"] == "kbench-history/2" and len(history["rows"]) == 1
row = history["rows"][0]
points = row["points"]
assert [point["fleet"] for point in points] == [f"f{i:02}" for i in range(1, 13)]
assert [i for i, point in enumerate(points) if point["step"] is not None] == [6] and abs(points[6]["step"] - 1.03) < .003
assert [point["nodes"] for point in points] == [6, 6, 6, 5] + [6] * 8
assert (points[3]["nodes_before"], points[3]["common_nodes"]) == (6, 5) and (points[10]["nodes_before"], points[10]["common_nodes"]) == (6, 5)
assert [point["deviate"] for point in points] == [0] * 8 + [1] + [0] * 3 and points[8]["healthy"] == 5
assert all(point["low"] < point["value"] < point["high"] and point["between_sd"] > .03 for point in points)
# What the means do not show: the node that is dearest is missing, and what is common does not move.
assert all(abs(point["change"]) < .004 for i, point in enumerate(points) if i not in (0, 6)) and abs(points[6]["change"] - .03) < .004
END_OF_PYTHON

case="the same fleet in its report"
"$KBENCH" fleet report f02 --store line.db --json >report.json || fail "report: exit code $?"
python3 - <<'END_OF_PYTHON' || fail "another mean than the report's"
import json
row = next(row for row in json.load(open("report.json"))["results"] if row["row"] == "sys.null" and row["kind"] == "cost")
point = json.load(open("history.json"))["rows"][0]["points"][1]
assert abs(row["centre"]["value"] / point["value"] - 1) < 1e-9 and abs(row["centre"]["high"] / point["high"] - 1) < 1e-9
assert abs(row["between_sd"]["value"] / point["between_sd"] - 1) < 1e-9
END_OF_PYTHON

case="node by node"
compare 1 f12 even-1 --margin 0.2% --gate
says '^6 nodes in both, node by node; not measured in turn: '
says '^  sys.null +12[0-9.]+ +12[0-9.]+ ns/call +\+1\.[0-9] % +\(\+0\.[5-9] to \+1\.[0-9] %\) +slower ! +6 +[0-9.]+ % +q '
says '^4 results: 1 slower \(1 after Holm, marked !\), '
compare 4 f12 even-1 --gate
says '^  sys.null .* inconclusive '

case="fleet with fleet"
# By the spread between nodes 1 % is nothing, and 40 % is.
compare 1 f12 far --margin 0.2% --gate
says '^0 nodes in both; unpaired, where fewer than 3 nodes'
says '^  sys.null .* inconclusive +6, 6 unpaired +[0-9.]+ % +q '
says '^  sys.stat depth=1 .* \+4[0-9] % +.* slower ! +6, 6 unpaired '
says '^only in new: node m1$' && says '^and 7 more nodes not in both \(--verbose names them\)$'

case="equal fleets"
compare 0 before after --gate
says '^base  fleet even-1, .* 6 nodes, 6 runs, before$'
says '^4 results: 4 equivalent$'
compare 4 two-1 two-2 --gate
says '^4 results: 4 inconclusive$'
says '2 and 2 nodes, 2 of them common; a decision needs 3'

case="which fleets"
compare 5 last~1 last
says '^base  fleet broken, ' && says '^new   fleet sides, .*, of two sides: side a$'
# Side b, which is 10 % dearer, is in nothing.
says '^  proc.fork_exit .* equivalent '
compare 0 f12 sys.stat
says '^new   fleet sides' && says '^1 result: 1 equivalent$'
gives 0 compare --fleet --store line.db 'sys.*'
says '^base  fleet f11, ' && says '^2 results: 2 equivalent$'
says '^  sys.null .* 5 of 6 ' && says '^only in base: node n7$'

case="another environment ID"
refuses 2 'the environment IDs of the nodes of fleets f12 and kernel differ .*--any-env' compare --fleet --store fleets.db f12 kernel
compare 4 f12 kernel --any-env --gate
says '^environment ID 00000000000000aa to 00000000000000bb$'
says '^  sys.null .* -(2\.[6-9]|3\.[0-4]) % .* inconclusive +6 '
says '^4 results: 4 inconclusive$'
compare 0 f12 half-kernel
says '^another environment ID: n1, 00000000000000aa then and 00000000000000bb now$'
says '^  sys.stat .* equivalent +3 of 6 '

case="invalid"
compare 5 f12 broken
says '^  sys.null .* faster +5 of 6 '
says '^ +invalid on 1 node of new: left out$'
says '^  sys.stat .* inconclusive '
says '^ +invalid on 5 nodes of new, and valid on no more: nothing is decided$'

case="JSON and JUnit of a comparison"
"$KBENCH" compare --fleet f06 f07 --gate --json --junit new.xml --store line.db >compare.json && fail "a gate passed"
grep -q 'failures="1" errors="0" skipped="0"' new.xml || fail "JUnit: $(cat new.xml)"
python3 - <<'END_OF_PYTHON' || fail "JSON"
import json
compared = json.load(open("compare.json"))
assert compared["schema"] == "kbench-fleet-compare/1" and compared["exit"] == 1 and compared["common_nodes"] == 6
assert compared["base"]["fleet"] == "f06" and compared["new"]["nodes"] == 6 and not compared["new"]["interleaved"]
rows = {row["row"]: row for row in compared["rows"]}
null = rows["sys.null"]
assert null["decision"] == "slower" and null["regression"] and null["paired"] and null["nodes"]["common"] == 6 and null["q"] < .001
assert null["ratio"]["low"] < 1.03 < null["ratio"]["high"] and abs(null["new"] / null["base"] / null["ratio"]["value"] - 1) < .002
assert all(row["decision"] == "equivalent" for name, row in rows.items() if name != "sys.null") and len(rows) == 4
END_OF_PYTHON

case="completion"
"$KBENCH" --complete compare --fleet --store line.db '' >out
[ "$(cut -f1 out | grep -cx f07)" -eq 1 ] || fail "f07 is not offered once: $(cat out)"

case="refused"
refuses 2 'is the newest fleet: name another one' compare --fleet --store line.db f12
refuses 2 'are one fleet' compare --fleet --store line.db f12 f12
refuses 2 'fits several fleets' compare --fleet --store line.db f
refuses 2 'no fleet "last~20"' compare --fleet --store line.db last~20
refuses 2 "'nosuch' is neither a result of fleet f01 or f12 nor a fleet" compare --fleet --store line.db f01 nosuch
refuses 2 'fleets old \(3 nodes\) and f01 \(6 nodes\) have no result of one environment ID in common' compare --fleet --store fleets.db old f01
refuses 2 'no store' compare --fleet --store none.db
refuses 2 '--weights is of runs' compare --fleet --store line.db --weights sys=1
refuses 2 '--any-config is of runs' compare --fleet --store line.db --any-config
refuses 2 "no run of a fleet in line.db has a result of 'sys.nul', did you mean sys.null" history sys.nul --fleet --store line.db
refuses 2 'no run of a fleet in line.db has a result .* such parameters, labels, nodes' history sys.null --fleet --node n9 --store line.db
refuses 2 'no run in line.db has a result .* such parameters, labels, nodes' history sys.null --node n9 --store line.db
gives 0 runs copy fleets.db one.db before
refuses 2 'fleet even-1 is the first one of its nodes in one.db' compare --fleet --store one.db

case="on a server"
grep -q '^LIBPQ = -lpq' "$configured" && [ -x "$postgres_bin/initdb" ] && command -v psql >/dev/null && command -v setpriv >/dev/null || exit 0
at_end='stop_postgres'
start_postgres || fail "no server"
tell postgres "CREATE DATABASE fleets" >tell.out
gives 0 runs push "$(address fleets)" --store fleets.db
for asked in "history sys.null --fleet" "history sys.null --fleet --limit 2" "history sys.null --node n3" "history sys.stat --fleet --node n2 --json" "compare --fleet" \
	"compare --fleet f12 even-1 --json" "compare --fleet last~4 after"; do
	file_code=0 server_code=0
	# shellcheck disable=SC2086 # words
	"$KBENCH" $asked --store fleets.db >on_file || file_code=$?
	# shellcheck disable=SC2086
	"$KBENCH" $asked --store "$(address fleets)" >on_server || server_code=$?
	[ $file_code -eq $server_code ] && [ $file_code -ne 2 ] || fail "$asked: exit codes $file_code and $server_code"
	diff on_file on_server || fail "$asked: other answers on a server"
done
